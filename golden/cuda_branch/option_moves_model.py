import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true", help="use CUDA")
opt = parser.parse_args()
use_cuda = opt.cuda and torch.cuda.is_available()

net = nn.Linear(2, 2)
if use_cuda:
    net.cuda()
    x = torch.ones(2).cuda()
