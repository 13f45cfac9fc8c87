"""timm.models: networks, their layers and how they are made."""

from meaning import fresh
from torch.nn import Leaf, Network


def create_model(name, *given, **more):
    return Network()


def register_model(function):
    return function


def trunc_normal_(tensor, *given, **more):
    return tensor


def to_2tuple(value):
    return fresh("size"), fresh("size")


def load_checkpoint(model, path, *given, **more):
    model.load_state_dict(path)


class layers:
    """timm.models.layers, where older versions keep them."""

    trunc_normal_ = trunc_normal_
    to_2tuple = to_2tuple
    DropPath = Mlp = PatchEmbed = LayerNorm2d = Leaf


_FILES = "beit cait convnext deit efficientnet mlp_mixer registry resnet swin_transformer vision_transformer".split()
"""What is no function: its classes are asked for below it."""


def __getattr__(name):
    if name in _FILES:
        import timm.models as itself

        return itself
    return Network
