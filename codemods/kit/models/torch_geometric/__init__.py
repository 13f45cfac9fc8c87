"""torch_geometric: graphs as data, and networks on them."""

from meaning import plain

from . import data, datasets, loader, nn


def seed_everything(seed):
    return None


def __getattr__(name):
    return plain("torch_geometric." + name)
