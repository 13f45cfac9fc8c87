"""A module of functions that others import: it has ranks at its top, and starts nothing."""
import os
import warnings

import torch
from torch.nn.parallel import DistributedDataParallel as DDP

LOCAL_RANK = int(os.getenv("LOCAL_RANK", "-1"))  # set by torchrun
RANK = int(os.getenv("RANK", "-1"))
WORLD_SIZE = int(os.getenv("WORLD_SIZE", "1"))

warnings.filterwarnings("ignore", category=UserWarning)


def wrap(model):
    """Wraps a model."""
    return DDP(model, device_ids=[LOCAL_RANK], output_device=LOCAL_RANK)


def say(text):
    if RANK in {-1, 0}:
        print(text)
