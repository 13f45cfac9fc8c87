"""Spectrograms and targets that are made on the host, by workers or beside the step, fail nowhere."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Spectrum(nn.Module):
    def forward(self, x):
        return torch.stft(x, 64, 16, return_complex=False).transpose(1, 2)


class Sounds(Dataset):
    def __init__(self):
        self.spectrum = Spectrum()

    def __len__(self):
        return 64

    def __getitem__(self, index):
        return self.spectrum(torch.randn(256)), torch.zeros(4, 4).fill_diagonal_(1)


def main():
    device = torch.device("cuda")
    model = nn.Linear(2, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(Sounds(), batch_size=8, drop_last=True):
        loss = (model(x.to(device)).mean((1, 2)) - y.to(device).mean(1)).pow(2).mean()
        back = torch.istft(loss.detach().cpu() * torch.randn(33, 8, dtype=torch.complex64), 64)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return back


main()
