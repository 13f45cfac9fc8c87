import torch
from torch import nn, optim
from torch.cuda import amp

from states import best_of, resume, resume_all
from trainer import Trainer


class Gan(Trainer):
    def __init__(self, device):
        self.critic = nn.Linear(4, 1).to(device)
        self.optimizer = optim.AdamW(self.critic.parameters(), 1e-3)
        self.average = optim.SGD(self.critic.parameters(), 1e-3)
        self.scaler = amp.GradScaler()

    def train(self, x):
        self.optimizer.zero_grad()
        with amp.autocast():
            loss = self.critic(x).mean()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.step(self.average)
        self.scaler.update()


def main():
    device = torch.device("cuda")
    gan = Gan(device)
    gan.restore("last.pth")
    for step in range(5):
        gan.train(torch.randn(8, 4).to(device))
    gan.save("last.pth")
    refine(device)


def refine(device):
    scaler = amp.GradScaler()
    model = nn.Linear(4, 1).to(device)
    slow = optim.Adam(model.parameters(), lr=1e-4)
    fresh = optim.Adam(model.parameters(), lr=1e-4)
    resume(model, slow, "model.pth")
    best_of(fresh, slow)
    optimizers = {"head": optim.AdamW(model.parameters()), "tail": optim.SGD(model.parameters(), lr=0.1)}
    resume_all(optimizers, "parts.pth")
    for step in range(5):
        loss = model(torch.randn(8, 4).to(device)).mean()
        scaler.scale(loss).backward()
        scaler.step(slow)
        scaler.step(fresh)
        scaler.step(optimizers["head"])
        scaler.step(optimizers["tail"])
        scaler.update()


if __name__ == "__main__":
    main()
