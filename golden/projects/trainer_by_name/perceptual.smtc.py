"""A loss by the features of a network that is not trained, on all GPUs that are there."""

from torch import nn
import torch_xla.core.xla_model as xm


class Perceptual(nn.Module):
    def __init__(self, device_ids):
        super().__init__()
        device = xm.xla_device()
        self.features = nn.Conv2d(3, 8, 3).to(device)
        xm.collective_broadcast(list(self.features.parameters()) + list(self.features.buffers()))
        xm.mark_step()

    def forward(self, image, target):
        return (self.features(image) - self.features(target)).pow(2).mean()
