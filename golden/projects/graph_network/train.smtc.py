"""Trains a graph network on one graph, without a data loader."""

import argparse

import torch
import torch.nn.functional as F
import torch_xla.core.xla_model as xm

from data import load
from model import GraphNet


def train(model, optimizer, features, adjacency, labels, known):
    model.train()
    optimizer.zero_grad()
    output = model(features, adjacency)
    loss = F.nll_loss(output[known], labels[known])
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
    return loss.item()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    args.cuda = not args.no_cuda

    torch.manual_seed(3)
    if args.cuda:
        xm.set_rng_state(3)
    features, adjacency, labels, known = load()
    model = GraphNet(features.shape[1], int(labels.max()) + 1)
    device = xm.xla_device()
    if args.cuda:
        model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    if args.cuda:
        features = features.to(device)
        adjacency = adjacency.to(device)
        labels = labels.to(device)
        known = known.to(device)
    for epoch in range(args.epochs):
        print(epoch, f"{train(model, optimizer, features, adjacency, labels, known):.6f}")
