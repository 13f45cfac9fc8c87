import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, nz, width):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(nz, 16), nn.ReLU(True), nn.Linear(16, width), nn.Tanh())

    def forward(self, noise):
        return self.main(noise)
