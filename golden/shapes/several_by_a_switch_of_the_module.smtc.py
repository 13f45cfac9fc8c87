import argparse, torch, torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
parser = argparse.ArgumentParser()
parser.add_argument('--dist', action='store_true')

def main():
    ds = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    sampler = DistributedSampler(ds, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()) if args.dist else None
    device = xm.xla_device()
    loader = DataLoader(ds, batch_size=8, sampler=sampler, shuffle=sampler is None, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(4, 2).to(device)
    if args.dist:
        xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
        xm.mark_step()
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
    args.dist = xm.xrt_world_size() > 1
    main()


def _mp_fn(index):
    run()


if __name__ == "__main__":
    run()
