"""The device is an option whose default only a file knows; the optimizer is made in a constructor, ahead of the move."""

import argparse
import json

import torch
from torch import nn
import torch_xla.core.xla_model as xm


class Stepper:
    def __init__(self, parameters, lr, kind="adam"):
        self.optimizer = {
            "adam": lambda: torch.optim.Adam(parameters, lr=lr),
            "sgd": lambda: torch.optim.SGD(parameters, lr=lr),
        }[kind]()

    def __call__(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(self.optimizer, barrier=True)


class Agent(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.net = nn.Linear(4, 1)
        device = xm.xla_device()
        self.to(device)
        self.step = Stepper(self.parameters(), config.lr)

    def fit(self, x):
        loss = self.net(x).pow(2).mean()
        self.step(loss)
        return loss.item()


def main(config):
    xm.set_rng_state(0)
    agent = Agent(config).to(config.device)
    for _ in range(20):
        print(agent.fit(torch.ones(8, 4, device=config.device)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    with open("config.json") as file:
        defaults = json.load(file)
    for key, value in defaults.items():
        parser.add_argument(f"--{key}", type=type(value), default=value)
    main(parser.parse_args())
