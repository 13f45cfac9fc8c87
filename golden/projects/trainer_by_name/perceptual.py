"""A loss by the features of a network that is not trained, on all GPUs that are there."""

from torch import nn


class Perceptual(nn.Module):
    def __init__(self, device_ids):
        super().__init__()
        self.features = nn.DataParallel(nn.Conv2d(3, 8, 3).cuda(), device_ids=device_ids)

    def forward(self, image, target):
        return (self.features(image) - self.features(target)).pow(2).mean()
