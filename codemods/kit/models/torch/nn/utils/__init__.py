"""torch.nn.utils: clipping, and weights that are computed anew."""

from meaning import clip, combine, event, operator, read

from . import rnn


def clip_grad_norm_(parameters, max_norm, *given, **more):
    event("clipped by", "their norm")
    clip(parameters, norm=True)
    norm = combine(parameters)
    if more.get("error_if_nonfinite") is True:
        read(norm, "error_if_nonfinite")
    return norm


clip_grad_norm = clip_grad_norm_


def clip_grad_value_(parameters, *given, **more):
    event("clipped by", "each value")
    clip(parameters)


clip_grad_value = clip_grad_value_


def weight_norm(module, *given, **more):
    return module


spectral_norm = remove_weight_norm = weight_norm


def __getattr__(name):
    return operator("torch.nn.utils." + name)
