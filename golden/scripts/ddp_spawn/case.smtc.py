"""Distributed mixed-precision training of a residual MLP: one process per GPU, started by torch.multiprocessing."""
import argparse
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree


class Spirals(Dataset):
    def __init__(self, n, n_arms=3, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.arange(n) % n_arms
        t = torch.rand(n, generator=g)
        angle = 4.0 * t + self.y.float() * (2 * 3.14159 / n_arms)
        self.x = torch.stack([t * torch.cos(angle), t * torch.sin(angle)], dim=1)
        self.x += 0.02 * torch.randn(n, 2, generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, idx):
        return self.x[idx], self.y[idx]


class ResidualBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc1 = nn.Linear(width, width)
        self.bn = nn.BatchNorm1d(width)
        self.fc2 = nn.Linear(width, width)

    def forward(self, x):
        return x + self.fc2(torch.tanh(self.bn(self.fc1(x))))


def build_model(width=32, depth=2, n_classes=3):
    return nn.Sequential(nn.Linear(2, width), *[ResidualBlock(width) for _ in range(depth)], nn.Linear(width, n_classes))


def evaluate(model, loader, rank):
    model.eval()
    device = xm.xla_device()
    stats = torch.zeros(2, device=device)
    with torch.no_grad():
        for x, y in loader:
            stats[0] += (model(x).argmax(dim=1) == y).sum()
            stats[1] += y.numel()
    xm.all_reduce(xm.REDUCE_SUM, [stats])
    return (stats[0] / stats[1]).item()


def main_worker(rank, args):
    world_size = xm.xrt_world_size()
    print(f"Running on rank {rank} of {world_size}.")
    torch.manual_seed(args.seed)
    xm.set_rng_state(args.seed)

    device = xm.xla_device()
    model = build_model().to(device)
    ddp_model = model

    loss_fn = nn.CrossEntropyLoss().to(device)
    optimizer = syncfree.SGD(ddp_model.parameters(), lr=args.lr, momentum=0.9, nesterov=True)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    scaler = GradScaler()

    train_set, val_set = Spirals(96, seed=1), Spirals(48, seed=2)
    train_sampler = DistributedSampler(train_set, num_replicas=world_size, rank=rank, shuffle=True)
    val_sampler = DistributedSampler(val_set, num_replicas=world_size, rank=rank, shuffle=False)
    train_loader = DataLoader(train_set, batch_size=args.batch_size, sampler=train_sampler,
                              num_workers=0)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    val_loader = DataLoader(val_set, batch_size=args.batch_size, sampler=val_sampler)
    val_loader = pl.MpDeviceLoader(val_loader, device)

    start_epoch = 0
    if args.resume:
        xm.rendezvous("main_worker")
        # remap the tensors saved by rank 0 to this rank's GPU
        checkpoint = torch.load(args.resume, map_location='cpu')
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint['state_dict'], 'module.')
        ddp_model.load_state_dict(checkpoint['state_dict'])
        optimizer.load_state_dict(checkpoint['optimizer'])
        scaler.load_state_dict(checkpoint['scaler'])
        start_epoch = checkpoint['epoch']

    for epoch in range(start_epoch, args.epochs):
        train_sampler.set_epoch(epoch)
        ddp_model.train()
        t0 = time.time()
        running = 0.0
        for x, y in train_loader:
            optimizer.zero_grad()
            with autocast():
                out = ddp_model(x)
                loss = loss_fn(out, y)
            scaler.scale(loss).backward()
            gradients = xm._fetch_gradients(optimizer)
            xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
            scaler.step(optimizer)
            scaler.update()
            xm.mark_step()
            running += loss.item()
        scheduler.step()

        acc = evaluate(ddp_model, val_loader, rank)
        if rank == 0:
            print(f"epoch {epoch + 1}: loss {running / len(train_loader):.4f} acc {acc:.3f} ({time.time() - t0:.1f}s)")
        xm.save({'epoch': epoch + 1, 'state_dict': ddp_model.state_dict(),
                    'optimizer': optimizer.state_dict(), 'scaler': scaler.state_dict()}, args.checkpoint)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--epochs', type=int, default=3)
    parser.add_argument('--batch-size', type=int, default=16, help='per GPU')
    parser.add_argument('--lr', type=float, default=0.05)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--checkpoint', default='spirals.pt')
    parser.add_argument('--resume', default='', help='path to a checkpoint')
    args = parser.parse_args()

    main_worker(xm.get_ordinal(), args)


def _mp_fn(index):
    main()


if __name__ == '__main__':
    main()
