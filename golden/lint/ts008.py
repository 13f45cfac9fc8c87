"""Approach 3 of the troubleshooting page, and its relatives: the environment holds text."""
import os

import torch

os.environ["GPU_NUM_DEVICES"] = 4
os.environ["OMP_NUM_THREADS"] = 1
n = 8
os.environ["X"] = n
os.environ.setdefault("Y", 3)
os.environ.update({"Z": 2})


def main():
    os.environ["W"] = torch.cuda.device_count()
    model = torch.nn.Linear(4, 2).cuda()


main()
