"""Trains a reader of text by `DataParallel`, on batches that a class draws from several loaders."""

import argparse

import torch

from batches import Balanced
from model import Reader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(opt):
    data = Balanced(opt.batch_size)
    model = torch.nn.DataParallel(Reader(4, 3)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for iteration in range(opt.iterations):
        images, labels = data.get_batch()
        loss = torch.nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5)
        optimizer.step()
    print(f"{loss.item():.6f}")
    torch.save(model.state_dict(), "reader.pt")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=6)
    opt = parser.parse_args()
    torch.manual_seed(1)
    train(opt)
