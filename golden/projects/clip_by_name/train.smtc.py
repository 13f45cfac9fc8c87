"""The function that clips is chosen by its name: by a format, an f-string, and in a table of another file."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from clipping import CLIP_GRAD


def fit(model, optimizer, loader, clip):

    def log_step(loss):
        print(f"{loss.item():.5f}")

    for x, y in loader:
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        xm.reduce_gradients(optimizer)
        clip(model.parameters())
        optimizer.step()
        xm.add_step_closure(log_step, args=(loss.detach(),))


def main(how):
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
    model = nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    data = TensorDataset(torch.randn(32, 4), torch.randn(32, 1))
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal(), shuffle=False
    )
    loader = DataLoader(data, batch_size=8 // xm.xrt_world_size(), drop_last=True, sampler=train_sampler)
    loader = pl.MpDeviceLoader(loader, device)

    def log_step_2(loss):
        print(f"{loss.item():.5f}")

    for x, y in loader:
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        xm.reduce_gradients(optimizer)
        if how:
            getattr(torch.nn.utils, "clip_grad_%s_" % how)(model.parameters(), 0.1)
        optimizer.step()
        xm.add_step_closure(log_step_2, args=(loss.detach(),))

    def log_step_3(loss):
        print(f"{loss.item():.5f}")

    for x, y in loader:
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        xm.reduce_gradients(optimizer)
        CLIP_GRAD[how](model.parameters(), 0.1)
        optimizer.step()
        xm.add_step_closure(log_step_3, args=(loss.detach(),))
    fit(model, optimizer, loader, lambda parameters: getattr(nn.utils, f"clip_grad_{how}_")(parameters, 0.1))


def run():
    parser = argparse.ArgumentParser()
    parser.add_argument("--how", default="value")
    main(parser.parse_args().how)


def _mp_fn(index):
    run()


if __name__ == "__main__":
    run()
