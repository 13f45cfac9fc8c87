"""Guards on torch.cuda.is_available(): kept, the script would train on native CUDA or on the CPU."""
import argparse

import torch
import torch.backends.cudnn as cudnn
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true", default=False)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()

torch.manual_seed(args.seed)
if args.cuda:
    torch.cuda.manual_seed(args.seed)
if torch.cuda.is_available():
    cudnn.benchmark = True
if not torch.cuda.is_available():
    raise SystemExit("needs a GPU")

kwargs = {"num_workers": 0, "pin_memory": True} if args.cuda else {}
data = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True, **kwargs)

model = nn.Linear(8, 2)
if args.cuda:
    model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(epoch):
    model.train()
    for x, y in loader:
        if args.cuda:
            x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())


for epoch in range(2):
    train(epoch)
