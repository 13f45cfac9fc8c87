"""torch.nn.init: what ends in `_` changes the tensor that it is given."""

from meaning import operator


def _random(value, *given, **more):
    return value.normal_()


normal_ = uniform_ = trunc_normal_ = _random
xavier_normal_ = xavier_uniform_ = kaiming_normal_ = kaiming_uniform_ = orthogonal_ = sparse_ = _random


def __getattr__(name):
    return operator("torch.nn.init." + name)
