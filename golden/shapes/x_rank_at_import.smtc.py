"""A module of functions that others import: it has ranks at its top, and starts nothing."""
import os
import warnings

import torch
import torch_xla.core.xla_model as xm

WORLD_SIZE = int(os.getenv("WORLD_SIZE", "1"))

warnings.filterwarnings("ignore", category=UserWarning)


def wrap(model):
    """Wraps a model."""
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    return model


def say(text):
    if xm.get_ordinal() in {-1, 0}:
        print(text)
