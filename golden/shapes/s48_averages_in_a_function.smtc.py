import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train(args):
    torch.manual_seed(0)
    xm.set_rng_state(0)
    data = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    device = xm.xla_device()
    loader = DataLoader(
        data,
        batch_size=8,
        sampler=DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    device_loader = pl.MpDeviceLoader(loader, device)
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(2):
        loader.sampler.set_epoch(epoch)
        for inputs, labels in device_loader:
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), labels).backward()
            xm.optimizer_step(optimizer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    train(parser.parse_args())


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
