"""Ranks at the top of a script, above a constant that has nothing to do with them."""
import time

import torch
import torch_xla.core.xla_model as xm

STARTED = time.time()


def train(epochs):
    device = xm.xla_device()
    model = torch.nn.Linear(10, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        optimizer.zero_grad()
        model(torch.randn(8, 10).to(device)).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)
        if xm.get_ordinal() in {-1, 0}:
            print(epoch, time.time() - STARTED)
        xm.save(model.state_dict(), "model.pt")


def main():
    train(10)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
