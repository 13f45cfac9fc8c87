import torch
import torch.nn as nn
from sklearn.model_selection import StratifiedKFold


def fit(a, b):
    net = nn.Linear(4, 2).cuda()
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for it in range(20):
        opt.zero_grad()
        nn.functional.cross_entropy(net(a), b).backward()
        opt.step()
    return net


def evaluate(features, labels, folds):
    for train, test in folds.split(features):
        a = torch.from_numpy(features[train]).cuda()
        b = torch.from_numpy(labels[train]).cuda()
        net = nn.Linear(4, 2).cuda()
        opt = torch.optim.Adam(net.parameters(), lr=0.01)
        opt.zero_grad()
        nn.functional.cross_entropy(net(a), b).backward()
        opt.step()


class Folds:
    def __init__(self, n):
        self.folds = StratifiedKFold(n)

    def run(self, data, target):
        for fold, (train, test) in enumerate(self.folds.split(data, target)):
            net = nn.Linear(4, 2).cuda()
            net.train()
            opt = torch.optim.Adam(net.parameters(), lr=0.01)
            a, b = torch.from_numpy(data[train]).cuda(), torch.from_numpy(target[train]).cuda()
            opt.zero_grad()
            nn.functional.cross_entropy(net(a), b).backward()
            opt.step()
