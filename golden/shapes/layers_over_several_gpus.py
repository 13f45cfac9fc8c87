"""A network whose layers may be spread over several GPUs: its forward goes through layers, not through batches."""

import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, layers=3):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(layers)])
        self.spread = False

    def parallelize(self):
        self.spread = True
        self.first = "cuda:0"
        self.last = "cuda:" + str(torch.cuda.device_count() - 1)
        self.layers.to(self.first)

    def forward(self, x, past=None):
        if past is None:
            past = [None] * len(self.layers)
        for number, (layer, before) in enumerate(zip(self.layers, past)):
            if self.spread:
                torch.cuda.set_device(x.device)
                if before is not None:
                    before = before.to(x.device)
            x = layer(x)
            if self.spread:
                x = x.to("cuda:" + str(number + 1))
        return x


def main():
    model = Stack().to("cuda")
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(2, 4).to("cuda")).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
