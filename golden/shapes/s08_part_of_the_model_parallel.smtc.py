"""The 2017 way: the convolutions of AlexNet and VGG in DataParallel, or the whole model."""
import argparse

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--arch", default="alexnet")


class Net(nn.Module):
    def __init__(self, ngpu=1):
        super().__init__()
        self.ngpu = ngpu
        self.features = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.classifier = nn.Linear(8, 2)

    def forward(self, x):
        y = self.features(x)
        return self.classifier(y)


def main():
    args = parser.parse_args()
    torch.manual_seed(0)
    xm.set_rng_state(0)
    model = Net()
    device = xm.xla_device()
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    if xm.get_ordinal() > 0:
        torch.manual_seed(torch.initial_seed() + xm.get_ordinal())
        xm.set_rng_state(torch.initial_seed())
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(8, 4).to(device)).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
