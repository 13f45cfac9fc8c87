"""The model moves as a part of another: `.to()` of the whole gives its parts new parameters, too."""

import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self, network, steps):
        super().__init__()
        self.network = network
        self.steps = steps

    def forward(self, x):
        return (self.network(x) - torch.randn_like(x)).pow(2).mean() / self.steps


def train(device):
    network = nn.Linear(4, 4)
    network.to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    objective = Noisy(network, 10).to(device)
    for _ in range(3):
        optimizer.zero_grad()
        objective(torch.randn(8, 4, device=device)).backward()
        optimizer.step()


def train_two(device):
    encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
    encoder.to(device)
    decoder.to(device)
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
    both = nn.Sequential(encoder, decoder)
    both.to(device)
    both(torch.randn(8, 4, device=device)).mean().backward()
    optimizer.step()


def train_moved(device):
    network = nn.Linear(4, 4).to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    objective = Noisy(network, 10).to(device)
    objective(torch.randn(8, 4, device=device)).backward()
    optimizer.step()


if __name__ == "__main__":
    for run in (train, train_two, train_moved):
        run(torch.device("cuda"))
