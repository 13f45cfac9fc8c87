"""The function that clips is chosen by its name: by a format, an f-string, and in a table of another file."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from clipping import CLIP_GRAD


def fit(model, optimizer, loader, clip):
    for x, y in loader:
        optimizer.zero_grad()
        loss = ((model(x.cuda()) - y.cuda()) ** 2).mean()
        loss.backward()
        clip(model.parameters())
        optimizer.step()
        print(f"{loss.item():.5f}")


def main(how):
    torch.manual_seed(0)
    model = nn.DataParallel(nn.Linear(4, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    data = TensorDataset(torch.randn(32, 4), torch.randn(32, 1))
    loader = DataLoader(data, batch_size=8, drop_last=True)
    for x, y in loader:
        optimizer.zero_grad()
        loss = ((model(x.cuda()) - y.cuda()) ** 2).mean()
        loss.backward()
        if how:
            getattr(torch.nn.utils, "clip_grad_%s_" % how)(model.parameters(), 0.1)
        optimizer.step()
        print(f"{loss.item():.5f}")
    for x, y in loader:
        optimizer.zero_grad()
        loss = ((model(x.cuda()) - y.cuda()) ** 2).mean()
        loss.backward()
        CLIP_GRAD[how](model.parameters(), 0.1)
        optimizer.step()
        print(f"{loss.item():.5f}")
    fit(model, optimizer, loader, lambda parameters: getattr(nn.utils, f"clip_grad_{how}_")(parameters, 0.1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--how", default="value")
    main(parser.parse_args().how)
