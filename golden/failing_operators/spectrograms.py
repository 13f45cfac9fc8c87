"""Losses over spectrograms: what fails on the device depends on the torch_xla."""

import torch
import torch.nn.functional as F
from torch import nn


class RealLoss(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("window", torch.hann_window(size))

    def forward(self, x, y):
        return F.l1_loss(self.magnitude(x), self.magnitude(y))

    def magnitude(self, x):
        spectrum = torch.stft(x, 512, 128, 512, self.window, return_complex=False)
        spectrum = spectrum.transpose(1, 2)
        return spectrum.pow(2).sum(-1)


class ComplexLoss(nn.Module):
    def forward(self, x, y):
        here, there = torch.fft.rfft(x), torch.fft.rfft(y)
        return F.l1_loss(here.abs(), torch.abs(there)) + here.real.mean()


class Parts(nn.Module):
    def forward(self, x):
        spectrum = torch.view_as_real(torch.fft.rfft2(x))
        real, imaginary = spectrum[..., 0], spectrum[..., 1]
        back = torch.istft(torch.complex(real, imaginary), 512)
        return real.transpose(1, 2) * 2 + back.mean()


device = torch.device("cuda")
model = nn.Linear(512, 512).to(device)
losses = [RealLoss(512).to(device), ComplexLoss().to(device), Parts().to(device)]
optimizer = torch.optim.Adam(model.parameters())
for x, y in loader:
    x, y = x.to(device), y.to(device)
    loss = losses[0](model(x), y) + losses[1](model(x), y) + losses[2](model(x)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
