import torch
from torch import nn
import torch_xla.core.xla_model as xm
from torch_xla.amp import GradScaler, autocast, syncfree

from states import best_of, resume, resume_all
from trainer import Trainer


class Gan(Trainer):
    def __init__(self, device):
        self.critic = nn.Linear(4, 1).to(device)
        self.optimizer = syncfree.AdamW(self.critic.parameters(), 1e-3)
        self.average = syncfree.SGD(self.critic.parameters(), 1e-3)
        self.scaler = GradScaler()

    def train(self, x):
        self.optimizer.zero_grad()
        with autocast():
            loss = self.critic(x).mean()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.step(self.average)
        self.scaler.update()


def main():
    device = xm.xla_device()
    gan = Gan(device)
    gan.restore("last.pth")
    for step in range(5):
        gan.train(torch.randn(8, 4).to(device))
        xm.mark_step()
    gan.save("last.pth")
    refine(device)


def refine(device):
    scaler = GradScaler()
    model = nn.Linear(4, 1).to(device)
    slow = syncfree.Adam(model.parameters(), lr=1e-4)
    fresh = syncfree.Adam(model.parameters(), lr=1e-4)
    resume(model, slow, "model.pth")
    best_of(fresh, slow)
    optimizers = {"head": syncfree.AdamW(model.parameters()), "tail": syncfree.SGD(model.parameters(), lr=0.1)}
    resume_all(optimizers, "parts.pth")
    for step in range(5):
        loss = model(torch.randn(8, 4).to(device)).mean()
        scaler.scale(loss).backward()
        scaler.step(slow)
        scaler.step(fresh)
        scaler.step(optimizers["head"])
        scaler.step(optimizers["tail"])
        scaler.update()
        xm.mark_step()


if __name__ == "__main__":
    main()
