"""Weights that a helper ties, in modules that only it is given: what is shared shows when the model moves."""

import torch
from torch import nn


def share(one, other):
    one.weight, one.bias = other.weight, other.bias


class Towers(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.left = nn.Sequential(nn.Linear(4, width), nn.ReLU())
        self.right = nn.Sequential(nn.Linear(4, width), nn.ReLU())
        self.heads = nn.ModuleDict({"left": nn.Linear(width, 2), "right": nn.Linear(width, 2)})
        share(self.right[0], self.left[0])

    def forward(self, x, y):
        return self.heads["left"](self.left(x)) - self.heads["right"](self.right(y))


class Tagger(nn.Module):
    def __init__(self, words, tags):
        super().__init__()
        self.words = words
        self.out = nn.Linear(8, tags)
        self.out.weight = words.weight


def build(tie):
    model = Towers(8)
    if tie:
        for name in ("weight", "bias"):
            setattr(model.heads["right"], name, getattr(model.heads["left"], name))
    return model


def main():
    device = torch.device("cuda")
    model = build(tie=True).to(device)
    model.right[0].weight = model.left[0].weight
    model.right[0].bias = model.left[0].bias
    model.heads['right'].weight = model.heads['left'].weight
    model.heads['right'].bias = model.heads['left'].bias
    tagger = Tagger(nn.Embedding(10, 8), 10)
    tagger.to(device)
    tagger.out.weight = tagger.words.weight
    optimizer = torch.optim.SGD([*model.parameters(), *tagger.parameters()], lr=0.1)
    for x, y in batches:
        model(x.to(device), y.to(device)).sum().backward()
        optimizer.step()


main()
