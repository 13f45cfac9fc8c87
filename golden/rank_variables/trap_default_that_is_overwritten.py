# The option's default is torchrun's, and the script sets the option itself.
import argparse
import os

import torch
import torch_xla.core.xla_model as xm


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", default=os.getenv("LOCAL_RANK", 0), type=int)
    args = parser.parse_args()
    args.local_rank = xm.get_local_ordinal()
    model = torch.nn.Linear(2, 2).to(xm.xla_device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        model(torch.ones(2, device=xm.xla_device())).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)
    if args.local_rank == 0:
        print("done")


def _mp_fn(index):
    main()
