"""Tells what the parameters of an optimizer are called and what they are like in the end.

Their names are those of `named_parameters` of the outermost module that holds them.
"""

from __future__ import annotations

import gc
import math
import re
from typing import Any

SAMPLES = 64
"""Elements kept of each final parameter, spread evenly over it."""

WRAPPERS = re.compile(r"^(?:(?:module|_orig_mod)\.)+")
"""What DataParallel, DDP and torch.compile put before a name; a migration takes them away."""


def name_parameters(torch: Any, optimizer: Any) -> dict[int, str]:
    """The name of each parameter, by its id; those that no living module holds are not in it.

    Modules are found among the interpreter's objects: an optimizer knows tensors only, and a script may call a part of
    its model, so neither leads to the outermost module.
    """
    wanted = {id(item) for group in optimizer.param_groups for item in group["params"]}
    kind = torch.nn.Module
    modules = [item for item in gc.get_objects() if issubclass(type(item), kind) and "_modules" in item.__dict__]
    inner = {id(child) for module in modules for child in module.__dict__["_modules"].values()}
    named: dict[int, str] = {}
    outermost = [module for module in modules if id(module) not in inner]
    held = []
    for module in outermost:
        names = {id(item): name for name, item in module.named_parameters() if id(item) in wanted}
        if names:
            held.append(names)
    # The model first: a part of it may be held by another module too.
    for names in sorted(held, key=len, reverse=True):
        for identity, name in names.items():
            named.setdefault(identity, WRAPPERS.sub("", name))
    return named


def summarise(optimizer: Any, names: dict[int, str]) -> list[dict[str, Any]]:
    """Name, norm and evenly spread elements of each parameter, in the optimizer's order."""
    summaries = []
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            flat = parameter.detach().cpu().double().reshape(-1)
            step = max(1, math.ceil(flat.numel() / SAMPLES))
            summaries.append(
                {
                    "name": names.get(id(parameter), ""),
                    "shape": list(parameter.shape),
                    "norm": float(flat.norm()),
                    "elements": flat[::step].tolist(),
                }
            )
    return summaries
