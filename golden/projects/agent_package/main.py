"""Collects and trains by turns."""

import torch
from torch import nn

from agents import Clipped


def main():
    torch.manual_seed(0)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    policy = nn.Linear(4, 1).to(device)
    agent = Clipped(policy, 1e-2, epochs=2, parts=4)
    for turn in range(3):
        states = torch.randn(32, 4).to(device)
        rewards = states.sum(dim=1)
        print(turn, agent.update(states, rewards))


if __name__ == "__main__":
    main()
