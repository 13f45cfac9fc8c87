import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


parser = argparse.ArgumentParser()
parser.add_argument("--use_gpu", action="store_true")
args = parser.parse_args()


def to_var(x):
    if args.use_gpu:
        x = x.cuda()
    return x


loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randint(2, (64,))), batch_size=8, shuffle=True)
model = nn.Linear(4, 2)
if args.use_gpu:
    model = model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        x, y = to_var(x), to_var(y)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
