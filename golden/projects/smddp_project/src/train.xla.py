"""Entry point of a SageMaker job that uses the distributed data parallel library."""
import argparse
import logging
import os
import tempfile

import torch
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
import torch_xla
import torch_xla.runtime as xr

from checkpoints import save_model
from data import get_test_data_loader, get_train_data_loader
from model import Net
from training import test, train

logging.basicConfig(level=logging.INFO, force=True)


def main(args):
    world_size = xr.world_size()
    local_rank = xr.local_ordinal()
    args.batch_size //= world_size // 8 or 1
    args.lr = args.lr * world_size

    torch.manual_seed(args.seed)
    torch_xla.manual_seed(args.seed)
    device = torch_xla.device()

    train_loader = get_train_data_loader(args.batch_size, args.data_dir, num_workers=0)
    if xr.global_ordinal() == 0:
        test_loader = get_test_data_loader(args.test_batch_size, args.data_dir)

    model = Net().to(device)
    model.to(device)
    optimizer = optim.Adadelta(model.parameters(), lr=args.lr)
    scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)
    for epoch in range(1, args.epochs + 1):
        train_loader.sampler.set_epoch(epoch)
        train(args, model, device, train_loader, optimizer, epoch)
        if xr.global_ordinal() == 0:
            test(model, device, test_loader)
        scheduler.step()

    save_model(model, args.model_dir)


def run():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--test-batch-size", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=1.0)
    parser.add_argument("--gamma", type=float, default=0.7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log-interval", type=int, default=2)
    parser.add_argument("--model-dir", default=os.environ.get("SM_MODEL_DIR", tempfile.gettempdir()))
    parser.add_argument("--data-dir", default=os.environ.get("SM_CHANNEL_TRAINING"))
    main(parser.parse_args())


def _mp_fn(index):
    run()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
