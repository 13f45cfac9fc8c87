import argparse
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def worker(rank, args):
    torch.manual_seed(0)
    xm.set_rng_state(0)
    model = nn.Linear(8, 2).to(cfg.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    loader = DataLoader(
        data,
        batch_size=8,
        sampler=DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, args.device)
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


def main():
    args = argparse.Namespace(device=torch.device("xla"))
    worker(xm.get_ordinal(), args)


def run():
    global cfg, settings

    cfg = SimpleNamespace(device=torch.device("xla"), lr=0.1)
    settings = dict(device=torch.device("xla"), lr=0.1)
    main()


def _mp_fn(index):
    run()


if __name__ == "__main__":
    run()
