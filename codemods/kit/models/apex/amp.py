"""apex.amp: mixed precision of before torch had its own."""

from meaning import captured, unknown


def initialize(models, optimizers=None, *given, **more):
    return models if optimizers is None else (models, optimizers)


class scale_loss:
    def __init__(self, loss, optimizers, *given, **more):
        self.loss = loss

    def __enter__(self):
        return self.loss

    def __exit__(self, *given):
        return None


def master_params(optimizer):
    return captured(optimizer)


def state_dict(*given):
    return {}


def load_state_dict(*given):
    return None


def _same(function):
    return function


half_function = float_function = promote_function = _same


def register_half_function(*given):
    return None


register_float_function = register_promote_function = init = register_half_function


def __getattr__(name):
    return unknown("apex.amp." + name)
