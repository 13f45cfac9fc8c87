"""timm: networks by name."""

from meaning import fresh, unknown
from torch.nn import Network

from . import models, optim, scheduler, utils


def create_model(name, *given, **more):
    return Network()


def list_models(*given, **more):
    return [fresh("model name")]


def __getattr__(name):
    return unknown("timm." + name)
