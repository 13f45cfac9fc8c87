"""torch_xla.distributed.xla_backend: torch.distributed's backend "xla", served by gloo, on GPUs by nccl.

The script's own process group is apart from the one that joins the workers for `xm`.
"""

from __future__ import annotations

import functools
from typing import Any

import torch.distributed
from tc_migrate_child.standin import world

_join = torch.distributed.init_process_group
_new = torch.distributed.new_group


@functools.wraps(_join)
def _join_world(backend: Any = None, *arguments: Any, **options: Any) -> Any:
    if backend != "xla":
        return _join(backend, *arguments, **options)
    asked = options.get("world_size", -1)
    if asked not in (-1, None, world.size):
        raise RuntimeError(f"a process group of {asked} in a world of {world.size} xla devices")
    kept = {key: value for key, value in options.items() if key in ("timeout", "group_name", "pg_options")}
    store = world.open_store("backend")
    return _join(_serving(), store=store, rank=world.rank, world_size=world.size, **kept)


@functools.wraps(_new)
def _new_group(*arguments: Any, **options: Any) -> Any:
    if options.get("backend") == "xla":
        options["backend"] = _serving()
    return _new(*arguments, **options)


def _serving() -> str:
    return "nccl" if world.on_gpu else "gloo"


torch.distributed.init_process_group, torch.distributed.new_group = _join_world, _new_group
