import argparse

import torch
from torch import nn
import torch_xla.core.xla_model as xm


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda", help="device to use for training")
    parser.add_argument("--gpu-ids", type=str, default="0")
    return parser.parse_args()


def main(args):
    device = xm.xla_device()
    model = nn.Linear(2, 2).to(device)
    model(torch.ones(2).to(device, non_blocking=True))


def other(args):
    device = xm.xla_device()
    return nn.Linear(2, 2).to(device)


def third(cfg):
    device = xm.xla_device()
    return nn.Linear(2, 2).to(cfg.train.device), nn.Linear(2, 2).to(device)


if __name__ == "__main__":
    main(get_args())
