import torch
from torch import nn, optim
import torch_xla
import torch_xla.core.xla_model as xm

from states import best_of, resume, resume_all
from trainer import Trainer


class Gan(Trainer):
    def __init__(self, device):
        self.critic = nn.Linear(4, 1).to(device)
        self.optimizer = optim.AdamW(self.critic.parameters(), 1e-3)
        self.average = optim.SGD(self.critic.parameters(), 1e-3)

    def train(self, x):
        self.optimizer.zero_grad()
        with torch.autocast("xla", dtype=torch.bfloat16):
            loss = self.critic(x).mean()
        loss.backward()
        xm.optimizer_step(self.optimizer)
        xm.optimizer_step(self.average)


def main():
    device = torch_xla.device()
    gan = Gan(device)
    gan.restore("last.pth")
    for step in range(5):
        gan.train(torch.randn(8, 4).to(device))
        torch_xla.sync()
    gan.save("last.pth")
    refine(device)


def refine(device):
    model = nn.Linear(4, 1).to(device)
    slow = optim.Adam(model.parameters(), lr=1e-4)
    fresh = optim.Adam(model.parameters(), lr=1e-4)
    resume(model, slow, "model.pth")
    best_of(fresh, slow)
    optimizers = {"head": optim.AdamW(model.parameters()), "tail": optim.SGD(model.parameters(), lr=0.1)}
    resume_all(optimizers, "parts.pth")
    for step in range(5):
        loss = model(torch.randn(8, 4).to(device)).mean()
        loss.backward()
        xm.optimizer_step(slow)
        xm.optimizer_step(fresh)
        xm.optimizer_step(optimizers["head"])
        xm.optimizer_step(optimizers["tail"])
        torch_xla.sync()


if __name__ == "__main__":
    main()
