"""Trains a reader of text by `DataParallel`, on batches that a class draws from several loaders."""

import argparse

import torch
import torch_xla.core.xla_model as xm

from batches import Balanced
from model import Reader


def train(opt):
    data = Balanced(opt.batch_size)
    device = xm.xla_device()
    model = Reader(4, 3).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for iteration in range(opt.iterations):
        images, labels = data.get_batch()
        loss = torch.nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5)
        optimizer.step()
        xm.mark_step()
    print(f"{loss.item():.6f}")
    xm.save(model.state_dict(), "reader.pt")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=6)
    opt = parser.parse_args()
    torch.manual_seed(1)
    xm.set_rng_state(1)
    train(opt)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
