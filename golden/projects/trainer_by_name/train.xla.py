"""Trains a segmentation network by the trainer of a data set, which a table finds by name."""

import argparse
import random

import numpy as np
import torch
import torch_xla

from network import Segmenter
from trainer import train_organs

parser = argparse.ArgumentParser()
parser.add_argument("--dataset", default="Organs")
parser.add_argument("--batch_size", type=int, default=4, help="of each gpu")
parser.add_argument("--n_gpu", type=int, default=1)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--seed", type=int, default=1234)
args = parser.parse_args()


def main():
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch_xla.manual_seed(args.seed)
    device = torch_xla.device()
    net = Segmenter(classes=3).to(device)
    trainer = {"Organs": train_organs}
    trainer[args.dataset](args, net)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
