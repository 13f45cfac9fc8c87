"""Moves a batch."""

import os

import torch
import torch_xla


def start():
    print(os.getpid())


def move(batch):
    device = torch_xla.device()
    return batch.to(device)
