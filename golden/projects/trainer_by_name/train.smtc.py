"""Trains a segmentation network by the trainer of a data set, which a table finds by name."""

import argparse
import random

import numpy as np
import torch
import torch_xla.core.xla_model as xm

from network import Segmenter
from trainer import train_organs

parser = argparse.ArgumentParser()
parser.add_argument("--dataset", default="Organs")
parser.add_argument("--batch_size", type=int, default=4, help="of each gpu")
parser.add_argument("--n_gpu", type=int, default=1)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--seed", type=int, default=1234)


def main():
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    xm.set_rng_state(args.seed)
    device = xm.xla_device()
    net = Segmenter(classes=3).to(device)
    trainer = {"Organs": train_organs}
    trainer[args.dataset](args, net)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
