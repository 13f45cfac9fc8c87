"""Classify synthetic radar sweeps; one GPU, nn.DataParallel, or one process per GPU on several nodes."""
import argparse
import os
import random
import shutil
import time
import warnings

import torch
import torch.nn as nn
import torch.nn.parallel
import torch.utils.data
import torch.utils.data.distributed
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

parser = argparse.ArgumentParser(description="Radar sweep classification")
parser.add_argument("-j", "--workers", default=0, type=int, help="data loading workers per node")
parser.add_argument("--epochs", default=2, type=int)
parser.add_argument("-b", "--batch-size", default=16, type=int,
                    help="batch size over all GPUs of this node, also with DataParallel or DistributedDataParallel")
parser.add_argument("--lr", default=0.05, type=float)
parser.add_argument("-p", "--print-freq", default=2, type=int)
parser.add_argument("--resume", default="", type=str, metavar="PATH")
parser.add_argument("--world-size", default=-1, type=int, help="number of nodes")
parser.add_argument("--rank", default=-1, type=int, help="rank of this node")
parser.add_argument("--dist-url", default="tcp://127.0.0.1:23456", type=str)
parser.add_argument("--dist-backend", default="nccl", type=str)
parser.add_argument("--seed", default=5, type=int)
parser.add_argument("--gpu", default=None, type=int, help="use this GPU only")
parser.add_argument("--multiprocessing-distributed", action="store_true",
                    help="start one process for each GPU of every node")

best_acc1 = 0


class Sweeps(torch.utils.data.Dataset):
    def __init__(self, n, seed, length=48, classes=4):
        g = torch.Generator().manual_seed(seed)
        self.label = torch.randint(classes, (n,), generator=g)
        t = torch.arange(length).float()
        pulse = torch.exp(-((t - 12.0 * self.label[:, None].float() - 6.0) ** 2) / 8.0)
        self.sweep = (pulse + 0.3 * torch.randn(n, length, generator=g)).unsqueeze(1)

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        return self.sweep[i], self.label[i]


class SweepNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 8, 5, stride=2, padding=2), nn.Tanh(), nn.Conv1d(8, 8, 5, stride=2, padding=2), nn.Tanh())
        self.classifier = nn.Linear(8 * 12, classes)

    def forward(self, x):
        return self.classifier(torch.flatten(self.features(x), 1))


def main():
    args = parser.parse_args()

    if args.seed is not None:
        random.seed(args.seed)
        torch.manual_seed(args.seed)

    if args.gpu is not None:
        warnings.warn("You have chosen a specific GPU. This will completely disable data parallelism.")

    args.distributed = xm.xrt_world_size() > 1 or args.multiprocessing_distributed

    if args.multiprocessing_distributed:
        # nodes times GPUs processes in all
        main_worker(xm.get_local_ordinal(), args)
    else:
        main_worker(args.gpu, args)


def main_worker(gpu, args):
    global best_acc1
    ngpus_per_node = int(os.environ.get("GPU_NUM_DEVICES", "1"))
    args.gpu = gpu

    if args.gpu is not None:
        print("Use GPU: {} for training".format(args.gpu))

    if args.distributed:
        args.rank = xm.get_ordinal()

    model = SweepNet()
    device = xm.xla_device()
    if args.distributed:
        # this process has one GPU: give it its share of the batch and of the workers
        args.batch_size = int(args.batch_size / ngpus_per_node)
        args.workers = int((args.workers + ngpus_per_node - 1) / ngpus_per_node)
    model = model.to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()

    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 30, 60], gamma=0.1)

    start_epoch = 0
    if args.resume:
        checkpoint = torch.load(args.resume, map_location="cpu")
        start_epoch = checkpoint["epoch"]
        best_acc1 = checkpoint["best_acc1"]
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint["state_dict"], "module.")
        model.load_state_dict(checkpoint["state_dict"])
        optimizer.load_state_dict(checkpoint["optimizer"])

    train_dataset, val_dataset = Sweeps(80, seed=0), Sweeps(32, seed=1)
    if args.distributed:
        train_sampler = torch.utils.data.distributed.DistributedSampler(
            train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    else:
        train_sampler = None
    train_loader = torch.utils.data.DataLoader(
        train_dataset, batch_size=args.batch_size, shuffle=(train_sampler is None),
        num_workers=args.workers, sampler=train_sampler)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    val_loader = torch.utils.data.DataLoader(
        val_dataset, batch_size=args.batch_size, shuffle=False, num_workers=args.workers)
    val_loader = pl.MpDeviceLoader(val_loader, device)

    for epoch in range(start_epoch, args.epochs):
        if args.distributed:
            train_sampler.set_epoch(epoch)
        train(train_loader, model, criterion, optimizer, epoch, args)
        acc1 = validate(val_loader, model, criterion, args)
        scheduler.step()

        is_best = acc1 > best_acc1
        best_acc1 = max(acc1, best_acc1)
        xm.save({"epoch": epoch + 1, "state_dict": model.state_dict(), "best_acc1": best_acc1,
                    "optimizer": optimizer.state_dict()}, "sweeps.pth.tar")
        if not args.multiprocessing_distributed or (args.multiprocessing_distributed
                                                    and xm.get_local_ordinal() == 0):
            if is_best:
                shutil.copyfile("sweeps.pth.tar", "sweeps_best.pth.tar")


def train(train_loader, model, criterion, optimizer, epoch, args):
    model.train()
    end = time.time()

    def log_step(i, elapsed, loss):
        print("Epoch [{}][{}/{}] time {:.3f} loss {:.4f}".format(
            epoch, i, len(train_loader), elapsed, loss.item()))

    for i, (sweeps, target) in enumerate(train_loader):
        output = model(sweeps)
        loss = criterion(output, target)

        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)

        if i % args.print_freq == 0:
            xm.add_step_closure(log_step, args=(i, time.time() - end, loss.detach()))
        end = time.time()


def validate(val_loader, model, criterion, args):
    model.eval()
    hits, total, losses = 0.0, 0, 0.0
    with torch.no_grad():
        for sweeps, target in val_loader:
            output = model(sweeps)
            losses += criterion(output, target).item() * target.size(0)
            hits += (output.argmax(1) == target).sum().item()
            total += target.size(0)
    print(" * Acc@1 {:.3f} Loss {:.4f}".format(100.0 * hits / total, losses / total))
    return 100.0 * hits / total


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
