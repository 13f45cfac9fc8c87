import argparse
import sys

import torch
import torch.backends.cudnn as cudnn
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
args.use_cuda = not args.no_cuda and torch.cuda.is_available()
use_cuda = torch.cuda.is_available()

assert torch.cuda.is_available(), "this script needs a GPU"
if not torch.cuda.is_available():
    print("no GPU")
    sys.exit(1)
if args.cuda and not torch.cuda.is_available():
    raise Exception("No GPU found, please run without --cuda")
if torch.cuda.is_available() and not args.cuda:
    print("WARNING: you have a CUDA device, so you should probably run with --cuda")

# speed
if torch.cuda.is_available(): cudnn.benchmark = True

model = nn.Linear(2, 2)
if use_cuda:
    model = model.cuda()
x = torch.ones(2).cuda() if torch.cuda.is_available() else torch.ones(2)
if args.no_cuda:
    backend = "none"
elif torch.cuda.is_available():
    # several GPUs
    backend = "nccl"
else:
    backend = "gloo"
print("cuda:", torch.cuda.is_available(), f"{torch.cuda.is_available()}")
