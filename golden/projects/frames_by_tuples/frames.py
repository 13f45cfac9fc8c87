"""Samples are dicts with tuples for keys, a frame and a scale."""

import torch
from torch.utils.data import Dataset


class Frames(Dataset):
    def __init__(self, images, scales=2):
        self.images = images
        self.scales = scales

    def __len__(self):
        return len(self.images) - 1

    def __getitem__(self, index):
        sample = {"index": index}
        for frame in (0, 1):
            for scale in range(self.scales):
                sample[(frame, scale)] = self.images[index + frame][:: 2**scale]
        return sample
