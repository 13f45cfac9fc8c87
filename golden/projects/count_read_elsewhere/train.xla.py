import argparse

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr

from steps import train


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--world-size", default=1, type=int)
    parser.add_argument("--rank", default=0, type=int)
    parser.add_argument("--batch-size", default=16, type=int)
    args = parser.parse_args()
    torch_xla.launch(worker, args=(args,))


def worker(gpu, args):
    args.world_size = xr.world_size()
    gpu = xr.local_ordinal()
    args.rank = xr.global_ordinal()
    device = torch_xla.device()
    net = torch.nn.Linear(8, 1).to(device)
    xm.broadcast_master_param(net)
    train(args, net, gpu)


if __name__ == "__main__":
    main()
