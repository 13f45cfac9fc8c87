"""Everything by position."""
import os
import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


def run(rank, config):
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
    model = nn.Linear(2, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), config["lr"])
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(2, 2).to(device)).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


def main():
    config = {"n": int(os.environ.get("GPU_NUM_DEVICES", "1")), "lr": 0.1}
    run(xm.get_ordinal(), config)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
