import argparse
import os

import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

from data import make_dataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--fp16", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(1)
    torch_xla.manual_seed(1)
    device = torch_xla.device()
    model = torch.nn.Linear(32, 4).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    dataset = make_dataset()
    sampler = DistributedSampler(dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal())
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            with torch.autocast("xla", dtype=torch.bfloat16, enabled=args.fp16):
                loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)
    xm.save(model.state_dict(), os.path.join(os.environ["SM_MODEL_DIR"], "model.pt"))


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
