import numpy as np
import torch
import torch_xla


class PCA:
    def __init__(self, dim):
        self.dim = dim

    def fit(self, x):
        mean = x.mean(axis=0)
        self.mean = mean
        self.dvt = np.linalg.svd(x - mean)[2][: self.dim]

    def apply(self, x, scale):
        x = x - torch.FloatTensor(self.mean).to(device)
        weights = torch.FloatTensor(scale).to(device)
        return torch.mm(torch.FloatTensor(self.dvt).to(device), x.t()) * weights


count = 3
device = torch_xla.device()
noise = torch.empty(count, dtype=torch.float32, device=device)
