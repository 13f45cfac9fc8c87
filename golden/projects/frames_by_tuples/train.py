import torch
from torch import nn
from torch.utils.data import DataLoader

from frames import Frames


class Trainer:
    def __init__(self):
        self.device = torch.device("cuda")
        self.model = nn.Linear(8, 8).to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.loader = DataLoader(
            Frames(torch.randn(65, 8)), batch_size=16, shuffle=True, pin_memory=True, drop_last=True
        )

    def step(self, inputs):
        for key, value in inputs.items():
            inputs[key] = value.to(self.device)
        return (self.model(inputs[0, 0]) - inputs[1, 0]).pow(2).mean()

    def train(self, epochs):
        for _ in range(epochs):
            for inputs in self.loader:
                loss = self.step(inputs)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    Trainer().train(2)
