"""GPU_NUM_DEVICES under __main__, and after torch_xla was used."""
import os

import torch
import torch_xla.core.xla_model as xm


def main():
    device = xm.xla_device()
    os.environ["GPU_NUM_DEVICES"] = "4"
    model = torch.nn.Linear(4, 2).to(device)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    os.environ["GPU_NUM_DEVICES"] = "4"
    main()
