from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Config:
    lr: float = 0.1
    device: str = 'xla'
    backend: str = 'cuda'


class Embedder(nn.Module):
    device = "xla"

    def forward(self, x):
        return x.to(self.device)


def train(cfg: Config):
    model = nn.Linear(2, 2).to(cfg.device)
    return model(torch.ones(2, device=Config.device))


def elsewhere(trainer):
    trainer.device = "cuda"
