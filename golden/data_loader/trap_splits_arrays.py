"""What is asked for items is no loader: `folds` may be anybody's."""
import torch
import torch.nn as nn


def classify(x, y, folds):
    for train, test in folds.split(x, y):
        a, b = torch.from_numpy(x[train]).cuda(), torch.from_numpy(y[train]).cuda()
        net = nn.Linear(4, 2).cuda()
        opt = torch.optim.Adam(net.parameters(), lr=0.01)
        net.train()
        opt.zero_grad()
        nn.functional.cross_entropy(net(a), b).backward()
        opt.step()
