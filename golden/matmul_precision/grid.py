import numpy as np
import torch
from torch import nn


class BackProject(nn.Module):
    def __init__(self, height, width):
        super().__init__()
        meshgrid = np.meshgrid(range(width), range(height), indexing="xy")
        self.id_coords = np.stack(meshgrid, axis=0).astype(np.float32)
        self.id_coords = nn.Parameter(torch.from_numpy(self.id_coords), requires_grad=False)

    def forward(self, depth, inverse):
        return depth * torch.matmul(inverse[:, :3, :3], self.id_coords)


project = BackProject(192, 640).cuda()
