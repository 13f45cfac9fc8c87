"""Trains a small autoencoder in several processes, with mixed precision and accumulated gradients."""
import argparse
import os

import torch
import torch_xla.core.xla_model as xm

import util.misc as misc
from data import build_dataset
from engine import evaluate, train_one_epoch
from model import build_model
from optim_factory import create_optimizer
from util.misc import NativeScaler


def get_args_parser():
    parser = argparse.ArgumentParser("train", add_help=False)
    parser.add_argument("--batch_size", default=4, type=int)
    parser.add_argument("--epochs", default=2, type=int)
    parser.add_argument("--accum_iter", default=2, type=int)
    parser.add_argument("--lr", default=1e-2, type=float)
    parser.add_argument("--weight_decay", default=0.05, type=float)
    parser.add_argument("--clip_grad", default=1.0, type=float)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--output_dir", default="")
    parser.add_argument("--dist_url", default="env://")
    return parser


def main(args):
    misc.init_distributed_mode(args)
    device = xm.xla_device()
    seed = args.seed + misc.get_rank()
    torch.manual_seed(seed)
    xm.set_rng_state(seed)

    dataset_train = build_dataset(train=True)
    dataset_val = build_dataset(train=False)
    num_tasks = misc.get_world_size()
    global_rank = misc.get_rank()
    sampler_train = torch.utils.data.DistributedSampler(
        dataset_train, num_replicas=num_tasks, rank=global_rank, shuffle=True
    )
    data_loader_train = torch.utils.data.DataLoader(
        dataset_train, sampler=sampler_train, batch_size=args.batch_size, drop_last=True
    )
    data_loader_val = torch.utils.data.DataLoader(
        dataset_val, batch_size=args.batch_size, drop_last=False
    )

    model = build_model()
    model.to(device)
    model_without_ddp = model
    if args.distributed:
        xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
        xm.mark_step()

    optimizer = create_optimizer(args, model_without_ddp)
    loss_scaler = NativeScaler()
    for epoch in range(args.epochs):
        if args.distributed:
            data_loader_train.sampler.set_epoch(epoch)
        train_stats = train_one_epoch(
            model, data_loader_train, optimizer, device, epoch, loss_scaler, args.clip_grad, args=args
        )
        test_stats = evaluate(data_loader_val, model, device)
        if args.output_dir:
            misc.save_on_master(
                {"model": model_without_ddp.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch},
                os.path.join(args.output_dir, f"checkpoint-{epoch}.pth"),
            )
        if misc.is_main_process():
            print(f"epoch {epoch} train {train_stats['loss']:.4f} test {test_stats['loss']:.4f}")


def run():
    main(get_args_parser().parse_args())


def _mp_fn(index):
    run()


if __name__ == "__main__":
    run()
