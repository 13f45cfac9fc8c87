import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from launching import launch


def worker(args):
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
    model = nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * args.n_gpu)
    data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    loader = DataLoader(
        data,
        batch_size=128 // args.n_gpu,
        sampler=DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n_gpu", type=int, default=1)
    args = parser.parse_args()
    launch(worker, args.n_gpu, args=(args,))


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
