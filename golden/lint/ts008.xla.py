"""Approach 3 of the troubleshooting page, and its relatives: the environment holds text."""
import os

import torch
import torch_xla
import torch_xla.runtime as xr

os.environ["GPU_NUM_DEVICES"] = "4"
os.environ["OMP_NUM_THREADS"] = "1"
n = 8
os.environ["X"] = str(n)
os.environ.setdefault("Y", "3")
os.environ.update({"Z": "2"})


def main():
    os.environ["W"] = str(xr.local_device_count())
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)


main()
