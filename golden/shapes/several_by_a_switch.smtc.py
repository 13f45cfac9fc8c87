import argparse, torch, torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dist', action='store_true')
    args = parser.parse_args()
    args.dist = xm.xrt_world_size() > 1
    torch.manual_seed(0)
    xm.set_rng_state(0)
    ds = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    device = xm.xla_device()
    if args.dist:
        sampler = DistributedSampler(ds, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
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
    main()
