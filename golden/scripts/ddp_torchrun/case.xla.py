"""
Contrastive pre-training of a small embedding network with DistributedDataParallel.

    torchrun --standalone --nproc_per_node=8 train.py --epochs 2

"""
import argparse
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def parse_args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=16, help="per process")
    p.add_argument("--lr", type=float, default=1e-2)
    p.add_argument("--temperature", type=float, default=0.2)
    p.add_argument("--clip", type=float, default=1.0)
    p.add_argument("--sync-bn", action="store_true")
    p.add_argument("--snapshot", type=Path, default=Path("snapshot.pt"))
    p.add_argument("--seed", type=int, default=3407)
    return p.parse_args()


def is_main_process():
    return xr.global_ordinal() == 0


def log(*args, **kwargs):
    if is_main_process():
        print(*args, **kwargs, flush=True)


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch_xla.manual_seed(int(seed))


class TwoViews(Dataset):
    """Each item is one hidden signal seen twice through different fixed noise."""

    def __init__(self, n=64, dim=20, seed=0):
        rng = np.random.RandomState(seed)
        base = rng.randn(n, dim).astype("float32")
        self.first = torch.from_numpy(base + 0.1 * rng.randn(n, dim).astype("float32"))
        self.second = torch.from_numpy(base + 0.1 * rng.randn(n, dim).astype("float32"))

    def __len__(self):
        return len(self.first)

    def __getitem__(self, i):
        return self.first[i], self.second[i]


class Embedder(nn.Module):
    def __init__(self, dim=20, hidden=32, out=8):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(dim, hidden), nn.BatchNorm1d(hidden), nn.GELU())
        self.projector = nn.Linear(hidden, out)

    def forward(self, x):
        return F.normalize(self.projector(self.backbone(x)), dim=-1)


def info_nce(a, b, temperature):
    logits = a @ b.t() / temperature
    target = torch.arange(a.size(0), device=a.device)
    return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target))


def save_snapshot(path, model, optimizer, epoch):
    xm.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, path)
    if xm.is_master_ordinal(local=False):
        print(f"saved {path}")


def load_snapshot(path, model, optimizer, local_rank):
    snapshot = torch.load(path, map_location="cpu")
    model.load_state_dict(snapshot["model"])
    optimizer.load_state_dict(snapshot["optimizer"])
    return snapshot["epoch"] + 1


def main():
    args = parse_args()
    local_rank = xr.local_ordinal()
    device = torch_xla.device()
    set_seed(args.seed)

    dataset = TwoViews()
    sampler = DistributedSampler(
        dataset, shuffle=True, drop_last=True, num_replicas=xr.world_size(), rank=xr.global_ordinal())
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler, num_workers=0,
                        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)

    model = Embedder().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)

    first_epoch = 0
    if args.snapshot.exists():
        first_epoch = load_snapshot(args.snapshot, model, optimizer, local_rank)
        log(f"resuming at epoch {first_epoch}")

    log(f"{xr.world_size()} processes, {sum(p.numel() for p in model.parameters())} parameters")
    for epoch in range(first_epoch, args.epochs):
        sampler.set_epoch(epoch)
        model.train()
        epoch_loss = torch.zeros((), device=device)
        start = time.perf_counter()
        for step, (view_a, view_b) in enumerate(loader):
            # one forward for both views: DDP broadcasts the BatchNorm buffers at each forward
            embedded = model(torch.cat([view_a, view_b]))
            loss = info_nce(*embedded.chunk(2), args.temperature)

            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            xm.reduce_gradients(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()

            epoch_loss += loss.detach()
            if step % 2 == 0:
                log(f"epoch {epoch} step {step:3d} loss {loss.item():.4f}")

        # mean over all processes, for the log only
        epoch_loss /= len(loader)
        xm.all_reduce(xm.REDUCE_SUM, [epoch_loss])
        epoch_loss /= xr.world_size()
        torch_xla.sync(wait=True)
        log(f"epoch {epoch} mean loss {epoch_loss.item():.4f} in {time.perf_counter() - start:.2f}s")

        save_snapshot(args.snapshot, model, optimizer, epoch)
        xm.rendezvous("main")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
