"""Arrays are split into folds and parts: what gives them is no loader, whoever splits."""
import numpy as np
import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm
from sklearn.model_selection import KFold, ShuffleSplit

from folds import Folds, evaluate


def by_parts(x, y):
    device = xm.xla_device()
    net = nn.Linear(4, 2).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for a, b in zip(np.array_split(x, 10), np.array_split(y, 10)):
        a, b = torch.from_numpy(a), torch.from_numpy(b)
        a, b = a.to(device), b.to(device)
        opt.zero_grad()
        nn.functional.cross_entropy(net(a), b).backward()
        xm.optimizer_step(opt, barrier=True)


def by_chunks(x):
    device = xm.xla_device()
    net = nn.Linear(4, 2).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for a in torch.split(x, 10):
        a = a.to(device)
        opt.zero_grad()
        net(a).sum().backward()
        xm.optimizer_step(opt, barrier=True)


y = np.arange(60) % 2
x = (np.random.randn(60, 4) + y[:, None]).astype(np.float32)
by_parts(x, y)
by_chunks(torch.from_numpy(x))
Folds(5).run(x, y)
evaluate(np.array(x), y, KFold(3))
evaluate(np.array(x), y, ShuffleSplit(3))
