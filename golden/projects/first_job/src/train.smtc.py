import argparse
import os

import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree

from data import make_dataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--fp16", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(1)
    xm.set_rng_state(1)
    device = xm.xla_device()
    model = torch.nn.Linear(32, 4).to(device)
    optimizer = syncfree.AdamW(model.parameters(), lr=1e-3)
    scaler = GradScaler(enabled=args.fp16)
    dataset = make_dataset()
    sampler = DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            with autocast(enabled=args.fp16):
                loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            gradients = xm._fetch_gradients(optimizer)
            xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
            scaler.step(optimizer)
            scaler.update()
    xm.save(model.state_dict(), os.path.join(os.environ["SM_MODEL_DIR"], "model.pt"))


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
