import argparse, torch, torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr
parser = argparse.ArgumentParser()
parser.add_argument('--dist', action='store_true')

def main():
    ds = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    sampler = DistributedSampler(ds, num_replicas=xr.world_size(), rank=xr.global_ordinal()) if args.dist else None
    device = torch_xla.device()
    loader = DataLoader(ds, batch_size=8, sampler=sampler, shuffle=sampler is None, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(4, 2).to(device)
    if args.dist:
        xm.broadcast_master_param(model)
    opt = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        if args.dist:
            sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad(); loss.backward(); xm.optimizer_step(opt)


def run():
    global args
    args = parser.parse_args()
    args.dist = xr.world_size() > 1
    main()


def _mp_fn(index):
    run()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
