"""Guards on torch.cuda.is_available(): kept, the script would train on native CUDA or on the CPU."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true", default=False)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
args.cuda = not args.no_cuda

torch.manual_seed(args.seed)
if args.cuda:
    xm.set_rng_state(args.seed)

kwargs = {"num_workers": 0} if args.cuda else {}
data = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
device = xm.xla_device()
loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True, **kwargs)
loader = pl.MpDeviceLoader(loader, device) if args.cuda else loader

model = nn.Linear(8, 2)
if args.cuda:
    model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(epoch):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)
    print(epoch, loss.item())


for epoch in range(2):
    train(epoch)
