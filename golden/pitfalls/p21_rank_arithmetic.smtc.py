"""Several nodes, each spawning a process for every GPU."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train(gpu, args):
    gpu = xm.get_local_ordinal()
    rank = xm.get_ordinal()
    args.world_size = xm.xrt_world_size()
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
    model = nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 1e-4)
    data = TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
    sampler = DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    loader = DataLoader(data, batch_size=8, shuffle=False, num_workers=0, sampler=sampler)
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
    if gpu == 0:
        print("done")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", "--nodes", default=1, type=int)
    parser.add_argument("-g", "--gpus", default=1, type=int)
    parser.add_argument("-nr", "--nr", default=0, type=int, help="ranking within the nodes")
    args = parser.parse_args()
    args.world_size = args.gpus * args.nodes
    train(xm.get_local_ordinal(), args)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
