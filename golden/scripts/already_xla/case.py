"""Keyword spotting on synthetic MFCC frames, for SageMaker Training Compiler (PyTorch/XLA), one process per GPU.

Ported from the CUDA/DDP version: .cuda() and DistributedDataParallel are gone, see git history.
"""
import argparse
import os
import time

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Keywords(Dataset):
    def __init__(self, n, seed, frames=20, coefficients=8, words=4):
        gen = torch.Generator().manual_seed(seed)
        self.words = torch.randint(words, (n,), generator=gen)
        templates = torch.randn(words, frames, coefficients, generator=torch.Generator().manual_seed(0))
        self.mfcc = templates[self.words] + torch.randn(n, frames, coefficients, generator=gen)

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return self.mfcc[i], self.words[i]


class SpottingNet(nn.Module):
    def __init__(self, frames=20, coefficients=8, words=4):
        super().__init__()
        self.temporal = nn.Conv1d(coefficients, 12, kernel_size=5, stride=2)
        self.classify = nn.Linear(12 * ((frames - 5) // 2 + 1), words)

    def forward(self, mfcc):
        return self.classify(torch.relu(self.temporal(mfcc.transpose(1, 2))).flatten(1))


def report(epoch, step, loss, started):
    # runs after the step: the one place where the host waits for the device
    xm.master_print(f"epoch {epoch} step {step} loss {loss.item():.4f} ({time.time() - started:.1f}s)")


def train_epoch(args, epoch, model, loader, criterion, optimizer):
    model.train()
    started = time.time()
    for step, (mfcc, words) in enumerate(loader):
        optimizer.zero_grad()
        loss = criterion(model(mfcc), words)
        loss.backward()
        # clip what all the replicas have summed up, not the local gradient
        xm.reduce_gradients(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        if step % args.log_interval == 0:
            xm.add_step_closure(report, args=(epoch, step, loss, started))


def evaluate(model, loader, device):
    model.eval()
    hits = torch.zeros((), device=device)
    seen = 0
    with torch.no_grad():
        for mfcc, words in loader:
            hits += (model(mfcc).argmax(dim=1) == words).sum()
            seen += words.size(0)
    return xm.mesh_reduce("accuracy", hits.item() / seen, lambda values: sum(values) / len(values))


def main(index):
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--log-interval", type=int, default=2)
    parser.add_argument("--model-dir", default=os.environ.get("SM_MODEL_DIR", "."))
    args, _ = parser.parse_known_args()

    torch.manual_seed(12)
    xm.set_rng_state(12)
    device = xm.xla_device()
    # set by the launcher on SageMaker; a single process otherwise
    world_size = int(os.environ.get("GPU_NUM_DEVICES", "1"))

    train_set = Keywords(64, seed=1)
    sampler = DistributedSampler(train_set, num_replicas=world_size, rank=index, shuffle=True)
    train_loader = pl.MpDeviceLoader(
        DataLoader(train_set, batch_size=args.batch_size, sampler=sampler, drop_last=True), device
    )
    test_loader = pl.MpDeviceLoader(DataLoader(Keywords(32, seed=2), batch_size=16), device)

    model = SpottingNet().to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        train_epoch(args, epoch, model, train_loader, criterion, optimizer)
        accuracy = evaluate(model, test_loader, device)
        xm.master_print(f"epoch {epoch} accuracy {accuracy:.3f}")

    # every process calls this; only the master writes
    xm.save(model.state_dict(), os.path.join(args.model_dir, "keywords.pt"))


def _mp_fn(index):
    main(index)


if __name__ == "__main__":
    main(0)
