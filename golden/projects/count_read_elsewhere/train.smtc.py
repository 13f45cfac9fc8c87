import argparse

import torch
import torch_xla.core.xla_model as xm

from steps import train


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--world-size", default=1, type=int)
    parser.add_argument("--rank", default=0, type=int)
    parser.add_argument("--batch-size", default=16, type=int)
    args = parser.parse_args()
    worker(xm.get_local_ordinal(), args)


def worker(gpu, args):
    args.world_size = xm.xrt_world_size()
    gpu = xm.get_local_ordinal()
    args.rank = xm.get_ordinal()
    device = xm.xla_device()
    net = torch.nn.Linear(8, 1).to(device)
    xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))
    xm.mark_step()
    train(args, net, gpu)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
