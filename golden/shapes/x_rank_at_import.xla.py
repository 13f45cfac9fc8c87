"""A module of functions that others import: it has ranks at its top, and starts nothing."""
import os
import warnings

import torch
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr

WORLD_SIZE = int(os.getenv("WORLD_SIZE", "1"))

warnings.filterwarnings("ignore", category=UserWarning)


def wrap(model):
    """Wraps a model."""
    xm.broadcast_master_param(model)
    return model


def say(text):
    if xr.global_ordinal() in {-1, 0}:
        print(text)
