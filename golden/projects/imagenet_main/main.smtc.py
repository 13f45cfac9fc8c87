import argparse
import os
import random
import warnings

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import StepLR
import torch_xla.core.xla_model as xm

import models
from data import build_loaders
from loops import train, validate
from utils import adjust_learning_rate, save_checkpoint

model_names = sorted(name for name in models.__dict__
                     if name.islower() and not name.startswith("__") and callable(models.__dict__[name]))

parser = argparse.ArgumentParser(description="Training on stripes")
parser.add_argument("-a", "--arch", default="small_net", choices=model_names)
parser.add_argument("-j", "--workers", default=0, type=int)
parser.add_argument("--epochs", default=2, type=int)
parser.add_argument("--start-epoch", default=0, type=int)
parser.add_argument("-b", "--batch-size", default=8, type=int,
                    help="mini-batch size of all GPUs of the node together")
parser.add_argument("--lr", default=0.1, type=float)
parser.add_argument("--momentum", default=0.9, type=float)
parser.add_argument("--weight-decay", default=1e-4, type=float)
parser.add_argument("-p", "--print-freq", default=2, type=int)
parser.add_argument("--resume", default="", type=str)
parser.add_argument("-e", "--evaluate", action="store_true")
parser.add_argument("--world-size", default=-1, type=int)
parser.add_argument("--rank", default=-1, type=int)
parser.add_argument("--dist-url", default="tcp://127.0.0.1:23456", type=str)
parser.add_argument("--dist-backend", default="nccl", type=str)
parser.add_argument("--seed", default=7, type=int)
parser.add_argument("--gpu", default=None, type=int)
parser.add_argument("--multiprocessing-distributed", action="store_true",
                    help="one process per GPU of the node")

best_acc1 = 0


def main():
    args = parser.parse_args()

    if args.seed is not None:
        random.seed(args.seed)
        torch.manual_seed(args.seed)

    if args.gpu is not None:
        warnings.warn("You have chosen a specific GPU. This will completely disable data parallelism.")

    args.distributed = xm.xrt_world_size() > 1 or args.multiprocessing_distributed

    if args.multiprocessing_distributed:
        # Since we have ngpus_per_node processes per node, the total world_size
        # needs to be adjusted accordingly
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
    print("=> creating model '{}'".format(args.arch))
    model = models.__dict__[args.arch]()

    device = xm.xla_device()
    if args.distributed:
        # When using a single GPU per process and per DistributedDataParallel,
        # we need to divide the batch size ourselves
        args.batch_size = int(args.batch_size / ngpus_per_node)
        args.workers = int((args.workers + ngpus_per_node - 1) / ngpus_per_node)
    model = model.to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()

    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=args.momentum, weight_decay=args.weight_decay)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.5)

    if args.resume:
        checkpoint = torch.load(args.resume, map_location="cpu")
        args.start_epoch = checkpoint["epoch"]
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint["state_dict"], "module.")
        model.load_state_dict(checkpoint["state_dict"])
        optimizer.load_state_dict(checkpoint["optimizer"])

    train_loader, val_loader, train_sampler = build_loaders(args)

    if args.evaluate:
        validate(val_loader, model, criterion, args)
        return

    for epoch in range(args.start_epoch, args.epochs):
        if args.distributed:
            train_sampler.set_epoch(epoch)
        adjust_learning_rate(optimizer, epoch, args)
        train(train_loader, model, criterion, optimizer, epoch, device, args)
        acc1 = validate(val_loader, model, criterion, args)
        scheduler.step()

        is_best = acc1 > best_acc1
        best_acc1 = max(acc1, best_acc1)
        save_checkpoint({
            "epoch": epoch + 1,
            "arch": args.arch,
            "state_dict": model.state_dict(),
            "best_acc1": best_acc1,
            "optimizer": optimizer.state_dict(),
        }, is_best)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
