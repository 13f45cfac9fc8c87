"""Trains a small segmentation net; `torchrun --nproc_per_node=N train.py` uses N GPUs."""
import argparse
import os
import tempfile
import time

import torch
import torch_xla
import torch_xla.runtime as xr
import utils
from datasets import collate_fn, get_dataset
from engine import evaluate, train_one_epoch
from models import TinyFCN, criterion


def main(args):
    utils.init_distributed_mode(args)
    print(args)

    device = torch_xla.device()
    torch.manual_seed(args.seed)
    torch_xla.manual_seed(args.seed)
    num_classes = 4
    dataset = get_dataset("train", num_classes)
    dataset_test = get_dataset("val", num_classes)
    if args.distributed:
        train_sampler = torch.utils.data.distributed.DistributedSampler(
            dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal())
        test_sampler = torch.utils.data.distributed.DistributedSampler(
            dataset_test, shuffle=False, num_replicas=xr.world_size(), rank=xr.global_ordinal())
    else:
        train_sampler = torch.utils.data.RandomSampler(dataset)
        test_sampler = torch.utils.data.SequentialSampler(dataset_test)

    data_loader = torch.utils.data.DataLoader(
        dataset,
        batch_size=args.batch_size,
        sampler=train_sampler,
        num_workers=args.workers,
        collate_fn=collate_fn,
        drop_last=True,
    )
    data_loader_test = torch.utils.data.DataLoader(
        dataset_test, batch_size=1, sampler=test_sampler, num_workers=args.workers, collate_fn=collate_fn
    )

    model = TinyFCN(num_classes, aux_loss=args.aux_loss)
    model.to(device)

    model_without_ddp = model

    params_to_optimize = [
        {"params": [p for p in model_without_ddp.backbone.parameters() if p.requires_grad]},
        {"params": [p for p in model_without_ddp.features.parameters() if p.requires_grad]},
        {"params": [p for p in model_without_ddp.classifier.parameters() if p.requires_grad]},
    ]
    if args.aux_loss:
        params = [p for p in model_without_ddp.aux_classifier.parameters() if p.requires_grad]
        params_to_optimize.append({"params": params, "lr": args.lr * 10})
    optimizer = torch.optim.SGD(params_to_optimize, lr=args.lr, momentum=0.9, weight_decay=1e-4)
    scaler = torch.cuda.amp.GradScaler() if args.amp else None

    iters_per_epoch = len(data_loader)
    lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda x: (1 - x / (iters_per_epoch * args.epochs)) ** 0.9
    )

    if args.resume:
        checkpoint = torch.load(args.resume, map_location="cpu", weights_only=False)
        model_without_ddp.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        lr_scheduler.load_state_dict(checkpoint["lr_scheduler"])
        args.start_epoch = checkpoint["epoch"] + 1

    start_time = time.time()
    for epoch in range(args.start_epoch, args.epochs):
        if args.distributed:
            train_sampler.set_epoch(epoch)
        train_one_epoch(model, criterion, optimizer, data_loader, lr_scheduler, device, epoch, args.print_freq, scaler)
        confmat, samples = evaluate(model, data_loader_test, device=device, num_classes=num_classes)
        print(confmat, samples)
        checkpoint = {
            "model": model_without_ddp.state_dict(),
            "optimizer": optimizer.state_dict(),
            "lr_scheduler": lr_scheduler.state_dict(),
            "epoch": epoch,
            "args": args,
        }
        utils.save_on_master(checkpoint, os.path.join(args.output_dir, f"model_{epoch}.pth"))
        utils.save_on_master(checkpoint, os.path.join(args.output_dir, "checkpoint.pth"))
    print("Training time", time.time() - start_time)


def get_args_parser():
    parser = argparse.ArgumentParser(description="Segmentation training", add_help=True)
    parser.add_argument("--device", default="cuda", type=str)
    parser.add_argument("-b", "--batch-size", default=4, type=int, help="images per gpu")
    parser.add_argument("--epochs", default=2, type=int)
    parser.add_argument("--aux-loss", action="store_true")
    parser.add_argument("-j", "--workers", default=0, type=int)
    parser.add_argument("--lr", default=0.05, type=float)
    parser.add_argument("--print-freq", default=3, type=int)
    parser.add_argument("--output-dir", default=tempfile.gettempdir(), type=str)
    parser.add_argument("--resume", default="", type=str)
    parser.add_argument("--start-epoch", default=0, type=int)
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--amp", action="store_true", help="mixed precision training")
    return parser


def run():
    main(get_args_parser().parse_args())


def _mp_fn(index):
    run()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
