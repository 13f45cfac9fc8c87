"""
Contrastive pre-training of a small embedding network with DistributedDataParallel.

    torchrun --standalone --nproc_per_node=8 train.py --epochs 2

"""
import argparse
import os
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler


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
    return dist.get_rank() == 0


def log(*args, **kwargs):
    if is_main_process():
        print(*args, **kwargs, flush=True)


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


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
    torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, path)
    print(f"saved {path}")


def load_snapshot(path, model, optimizer, local_rank):
    snapshot = torch.load(path, map_location=f"cuda:{local_rank}")
    model.module.load_state_dict(snapshot["model"])
    optimizer.load_state_dict(snapshot["optimizer"])
    return snapshot["epoch"] + 1


def main():
    args = parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group(backend="nccl")
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    set_seed(args.seed)

    dataset = TwoViews()
    sampler = DistributedSampler(dataset, shuffle=True, drop_last=True)
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler, num_workers=0,
                        pin_memory=True, drop_last=True)

    model = Embedder().to(device)
    if args.sync_bn:
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    model = DistributedDataParallel(model, device_ids=[local_rank], output_device=local_rank)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)

    first_epoch = 0
    if args.snapshot.exists():
        first_epoch = load_snapshot(args.snapshot, model, optimizer, local_rank)
        log(f"resuming at epoch {first_epoch}")

    log(f"{dist.get_world_size()} processes, {sum(p.numel() for p in model.parameters())} parameters")
    for epoch in range(first_epoch, args.epochs):
        sampler.set_epoch(epoch)
        model.train()
        epoch_loss = torch.zeros((), device=device)
        start = time.perf_counter()
        for step, (view_a, view_b) in enumerate(loader):
            view_a = view_a.to(device, non_blocking=True)
            view_b = view_b.to(device, non_blocking=True)
            # one forward for both views: DDP broadcasts the BatchNorm buffers at each forward
            embedded = model(torch.cat([view_a, view_b]))
            loss = info_nce(*embedded.chunk(2), args.temperature)

            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()

            epoch_loss += loss.detach()
            if step % 2 == 0:
                log(f"epoch {epoch} step {step:3d} loss {loss.item():.4f}")

        # mean over all processes, for the log only
        epoch_loss /= len(loader)
        dist.all_reduce(epoch_loss, op=dist.ReduceOp.SUM)
        epoch_loss /= dist.get_world_size()
        torch.cuda.synchronize()
        log(f"epoch {epoch} mean loss {epoch_loss.item():.4f} in {time.perf_counter() - start:.2f}s")

        if is_main_process():
            save_snapshot(args.snapshot, model, optimizer, epoch)
        dist.barrier()

    dist.destroy_process_group()


if __name__ == "__main__":
    main()
