# Copyright the authors. Licensed under the Apache License, Version 2.0.
"""Click-through prediction on SageMaker with the SMDDP data parallel library."""
import argparse
import json
import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

# Registers the "smddp" backend with torch.distributed


class Clicks(Dataset):
    """Categorical fields plus dense features; generated so that the sample is self-contained."""

    FIELDS = (12, 8, 5)

    def __init__(self, rows, seed):
        gen = torch.Generator().manual_seed(seed)
        self.cat = torch.stack([torch.randint(size, (rows,), generator=gen) for size in self.FIELDS], dim=1)
        self.dense = torch.randn(rows, 4, generator=gen)
        score = self.dense[:, 0] + 0.3 * (self.cat[:, 0] - 6).float() - 0.5 * (self.cat[:, 2] == 1).float()
        self.clicked = (score > 0).float()

    def __len__(self):
        return len(self.clicked)

    def __getitem__(self, i):
        return self.cat[i], self.dense[i], self.clicked[i]


class WideAndDeep(nn.Module):
    def __init__(self, dim=4):
        super(WideAndDeep, self).__init__()
        self.embeddings = nn.ModuleList([nn.Embedding(size, dim) for size in Clicks.FIELDS])
        self.wide = nn.Linear(4, 1)
        self.fc1 = nn.Linear(4 + dim * len(Clicks.FIELDS), 16)
        self.fc2 = nn.Linear(16, 1)

    def forward(self, cat, dense):
        embedded = [emb(cat[:, i]) for i, emb in enumerate(self.embeddings)]
        deep = self.fc2(torch.tanh(self.fc1(torch.cat([dense] + embedded, dim=1))))
        return (self.wide(dense) + deep).squeeze(1)


def train(args, model, device, train_loader, optimizer, epoch):
    model.train()
    train_device_loader = pl.MpDeviceLoader(train_loader, device)

    def log_step(batch_idx, clicked, loss):
        print(
            "Train Epoch: {} [{}/{} ({:.0f}%)]\tLoss: {:.6f}".format(
                epoch,
                batch_idx * len(clicked) * args.world_size,
                len(train_loader.dataset),
                100.0 * batch_idx / len(train_loader),
                loss.item(),
            )
        )

    for batch_idx, (cat, dense, clicked) in enumerate(train_device_loader):
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(cat, dense), clicked)
        loss.backward()
        xm.optimizer_step(optimizer)
        if batch_idx % args.log_interval == 0 and args.rank == 0:
            xm.add_step_closure(log_step, args=(batch_idx, clicked, loss.detach()))
        if args.verbose:
            print("Batch", batch_idx, "from rank", args.rank)


def test(model, device, test_loader):
    model.eval()
    test_loss = 0
    correct = 0
    with torch.no_grad():
        test_device_loader = pl.MpDeviceLoader(test_loader, device)
        for cat, dense, clicked in test_device_loader:
            logits = model(cat, dense)
            test_loss += F.binary_cross_entropy_with_logits(logits, clicked, reduction="sum").item()
            correct += ((logits > 0).float() == clicked).sum().item()

    test_loss /= len(test_loader.dataset)
    print(
        "\nTest set: Average loss: {:.4f}, Accuracy: {}/{} ({:.0f}%)\n".format(
            test_loss, correct, len(test_loader.dataset), 100.0 * correct / len(test_loader.dataset)
        )
    )


def save_model(model, model_dir):
    path = os.path.join(model_dir, "model.pth")
    # recommended way from http://pytorch.org/docs/master/notes/serialization.html
    xm.save(model.cpu().state_dict(), path)
    if xm.is_master_ordinal(local=False):
        print("Saving the model to %s" % path)


def main():
    parser = argparse.ArgumentParser(description="SageMaker SMDDP click-through example")
    parser.add_argument("--batch-size", type=int, default=32, help="global batch size (default: 32)")
    parser.add_argument("--test-batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--gamma", type=float, default=0.7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log-interval", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", default=False)
    # Container environment
    parser.add_argument("--hosts", type=list, default=json.loads(os.environ.get("SM_HOSTS", '["algo-1"]')))
    parser.add_argument("--model-dir", type=str, default=os.environ.get("SM_MODEL_DIR", "."))
    parser.add_argument("--num-gpus", type=int, default=int(os.environ.get("SM_NUM_GPUS", 1)))
    args = parser.parse_args()

    args.world_size = xr.world_size()
    args.rank = xr.global_ordinal()
    args.local_rank = xr.local_ordinal()
    # every GPU takes its part of the global batch
    args.batch_size //= args.world_size
    args.batch_size = max(args.batch_size, 1)

    device = torch_xla.device()
    torch.manual_seed(args.seed)
    torch_xla.manual_seed(args.seed)

    train_dataset = Clicks(128, seed=10)
    train_sampler = DistributedSampler(train_dataset, num_replicas=args.world_size, rank=args.rank)
    train_loader = DataLoader(
        train_dataset,
        batch_size=args.batch_size,
        shuffle=False,
        num_workers=0,
        sampler=train_sampler,
    )
    if args.rank == 0:
        test_loader = DataLoader(Clicks(64, seed=11), batch_size=args.test_batch_size, shuffle=True)

    model = WideAndDeep().to(device)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=args.lr)
    scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)

    begin = time.time()
    for epoch in range(1, args.epochs + 1):
        train_sampler.set_epoch(epoch)
        train(args, model, device, train_loader, optimizer, epoch)
        if args.rank == 0:
            test(model, device, test_loader)
        scheduler.step()

    if args.rank == 0:
        print("Training took %.1f seconds" % (time.time() - begin))
    save_model(model, args.model_dir)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
