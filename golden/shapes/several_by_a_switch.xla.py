import argparse, torch, torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dist', action='store_true')
    args = parser.parse_args()
    args.dist = xr.world_size() > 1
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    ds = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    device = torch_xla.device()
    if args.dist:
        sampler = DistributedSampler(ds, num_replicas=xr.world_size(), rank=xr.global_ordinal())
        loader = DataLoader(ds, batch_size=8, sampler=sampler, drop_last=True)
    else:
        loader = DataLoader(ds, batch_size=8, shuffle=True, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(4, 2).to(device)
    opt = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        if args.dist:
            sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad(); loss.backward(); xm.optimizer_step(opt)


def _mp_fn(index):
    main()

if __name__ == '__main__':
    torch_xla.launch(_mp_fn)
