"""Trains the network of a file that an option names: any of those beside the default."""
import argparse
import importlib
import os
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

ROOT = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(ROOT, "models"))


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="plain_net", help="model name")
    return parser.parse_args()


def main(args):
    torch.manual_seed(0)
    net = importlib.import_module(args.model)
    classifier = net.get_model(4).cuda()
    criterion = net.get_loss().cuda()
    optimizer = torch.optim.Adam(classifier.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(32, 8, 4), torch.randint(0, 4, (32,)))
    loader = DataLoader(data, batch_size=8, shuffle=True, drop_last=True)
    for epoch in range(2):
        for points, target in loader:
            points, target = points.cuda(), target.cuda()
            optimizer.zero_grad()
            loss = criterion(classifier(points), target)
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main(parse_args())
