"""Suites whose only statement goes."""
import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()

torch.manual_seed(1)
if args.cuda: torch.cuda.empty_cache()
try:
    torch.backends.cudnn.benchmark = True
except AttributeError:
    pass
if torch.cuda.is_available():
    if not args.cuda:
        print("WARNING: you should probably run with --cuda")
    else:
        torch.cuda.set_device(0)
else:
    torch.cuda.empty_cache()

model = nn.Linear(8, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    x, y = torch.randn(16, 8).cuda(), torch.randint(2, (16,)).cuda()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 2 == 0:
        torch.cuda.synchronize()


def finish():
    torch.cuda.empty_cache()


finish()
