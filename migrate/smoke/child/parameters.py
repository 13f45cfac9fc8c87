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
    wanted = held_by(optimizer)
    named: dict[int, str] = {}
    held = []
    for module in outermost(torch):
        names = {id(item): name for name, item in module.named_parameters() if id(item) in wanted}
        if names:
            held.append(names)
    # The model first: a part of it may be held by another module too.
    for names in sorted(held, key=len, reverse=True):
        for identity, name in names.items():
            named.setdefault(identity, WRAPPERS.sub("", name))
    return named


def held_by(optimizer: Any) -> set[int]:
    """The ids of an optimizer's parameters."""
    return {id(item) for group in optimizer.param_groups for item in group["params"]}


def outermost(torch: Any) -> list[Any]:
    """The living modules that are a part of no other."""
    kind = torch.nn.Module
    modules = [item for item in gc.get_objects() if issubclass(type(item), kind) and "_modules" in item.__dict__]
    inner = {id(child) for module in modules for child in module.__dict__["_modules"].values()}
    return [module for module in modules if id(module) not in inner]


def summarise(optimizer: Any, names: dict[int, str]) -> list[dict[str, Any]]:
    """Each parameter in brief, in the optimizer's order."""
    held = (parameter for group in optimizer.param_groups for parameter in group["params"])
    return [describe(parameter, names.get(id(parameter), "")) for parameter in held]


def find_buffers(torch: Any, optimizer: Any) -> dict[str, tuple[Any, str]]:
    """Each buffer that is saved with an optimizer's parameters, by name: the module that has it, and its name there.

    Asked at the first step: the modules may be gone in the end. Names that two outermost modules have are left out.
    """
    wanted = held_by(optimizer)
    found: dict[str, tuple[Any, str]] = {}
    twice = set()
    for module in outermost(torch):
        if wanted.isdisjoint(map(id, module.parameters())):
            continue
        for prefix, part in module.named_modules():
            for name in part._buffers:
                path = WRAPPERS.sub("", f"{prefix}.{name}".lstrip("."))
                if name not in part._non_persistent_buffers_set and found.setdefault(path, (part, name))[0] is not part:
                    twice.add(path)
    return {path: place for path, place in found.items() if path not in twice}


def summarise_buffers(found: dict[str, tuple[Any, str]]) -> list[dict[str, Any]]:
    """Each buffer in brief, as it is now."""
    values = ((path, part._buffers.get(name)) for path, (part, name) in found.items())
    return [describe(value, path) for path, value in values if value is not None]


def describe(tensor: Any, name: str) -> dict[str, Any]:
    """Name, norm and evenly spread elements."""
    flat = tensor.detach().cpu().double().reshape(-1)
    step = max(1, math.ceil(flat.numel() / SAMPLES))
    return {
        "name": name,
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype).rpartition(".")[2],
        "norm": float(flat.norm()),
        "elements": flat[::step].tolist(),
    }
