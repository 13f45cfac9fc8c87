"""Pictures with the places of their joints."""

import numpy as np
import torch
from torch.utils.data import Dataset


class Joints(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        joints = np.array([[index, 0], [index, 1], [index, 2]], dtype=np.float32)
        seen = np.array([1, 0, 1], dtype=np.float32)
        target = torch.from_numpy(joints[:, 1])
        return torch.full((4,), index / 16), target, {"image": f"{index}.jpg", "joints": joints, "seen": seen}
