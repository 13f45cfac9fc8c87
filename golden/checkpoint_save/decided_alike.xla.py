import argparse

import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--save-every", type=int, default=5)
parser.add_argument("--epochs", type=int, default=20)
parser.add_argument("--out", default="")
args = parser.parse_args()


def fit(net, optimizer):
    for epoch in range(args.epochs):
        train(net, optimizer, epoch)
        if dist.get_rank() == 0:
            print("epoch", epoch)
        if args.out and (epoch + 1) % args.save_every == 0:
            state = {"net": net.state_dict(), "epoch": epoch}
            xm.save(state, f"{args.out}/{epoch}.pt")
