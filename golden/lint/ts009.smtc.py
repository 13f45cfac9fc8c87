"""GPU_NUM_DEVICES under __main__, and after torch_xla was used."""

import torch
import torch_xla.core.xla_model as xm


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
