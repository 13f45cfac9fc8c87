"""A network whose layers may be spread over several GPUs: its forward goes through layers, not through batches."""

import os
import torch
from torch import nn
import torch_xla.core.xla_model as xm


class Stack(nn.Module):
    def __init__(self, layers=3):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(layers)])
        self.spread = False

    def parallelize(self):
        self.spread = True
        self.first = xm.xla_device()
        self.last = "cuda:" + str(int(os.environ.get("GPU_NUM_DEVICES", "1")) - 1)
        self.layers.to(self.first)

    def forward(self, x, past=None):
        if past is None:
            past = [None] * len(self.layers)
        device = xm.xla_device()
        for number, (layer, before) in enumerate(zip(self.layers, past)):
            if self.spread:
                if before is not None:
                    before = before.to(x.device)
            x = layer(x)
            if self.spread:
                x = x.to(device)
        return x


def main():
    device = xm.xla_device()
    model = Stack().to(device)
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(2, 4).to(device)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
    print(loss.item())


if __name__ == "__main__":
    main()
