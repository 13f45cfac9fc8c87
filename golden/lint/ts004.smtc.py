"""The command line and the device at the top: both run while the launcher imports the script."""
import argparse

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)


def main():
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = torch.utils.data.TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(dataset, batch_size=8, drop_last=True), device)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)


def _mp_fn(index):
    global args, device
    args = parser.parse_args()
    device = xm.xla_device()
    main()


if __name__ == "__main__":
    _mp_fn(0)
