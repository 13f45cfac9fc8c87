"""Trains a segmentation network by the trainer of a data set, which a table finds by name."""

import argparse
import random

import numpy as np
import torch
import torch.backends.cudnn as cudnn

from network import Segmenter
from trainer import train_organs

parser = argparse.ArgumentParser()
parser.add_argument("--dataset", default="Organs")
parser.add_argument("--batch_size", type=int, default=4, help="of each gpu")
parser.add_argument("--n_gpu", type=int, default=1)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--seed", type=int, default=1234)
args = parser.parse_args()

if __name__ == "__main__":
    cudnn.benchmark = True
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.cuda.manual_seed(args.seed)
    net = Segmenter(classes=3).cuda()
    trainer = {"Organs": train_organs}
    trainer[args.dataset](args, net)
