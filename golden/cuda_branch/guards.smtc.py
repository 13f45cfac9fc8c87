import argparse

import torch
import torch.backends.cudnn as cudnn
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
args.use_cuda = not args.no_cuda
use_cuda = True

if not args.cuda:
    print("WARNING: you have a CUDA device, so you should probably run with --cuda")

# speed
cudnn.benchmark = True

model = nn.Linear(2, 2)
if use_cuda:
    model = model.cuda()
x = torch.ones(2).cuda()
if args.no_cuda:
    backend = "none"
else:
    # several GPUs
    backend = "nccl"
print("cuda:", torch.cuda.is_available(), f"{torch.cuda.is_available()}")
