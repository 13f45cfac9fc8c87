"""torch.__future__: what `Module.to` does with the parameters of before (torch 2.3 and later)."""

from meaning import set_world as _set_world


def set_swap_module_params_on_conversion(value):
    _set_world("swaps parameters", value)


def set_overwrite_module_params_on_conversion(value):
    return None
