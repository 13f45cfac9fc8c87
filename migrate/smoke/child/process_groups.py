"""Lets a gloo process group end without Python's lock (the GIL).

A group ends by waiting for its threads. One that has just done a collective may still have a tensor to give back, and
needs the lock for it. torch 2.1 to 2.9 wait with the lock held when a DDP module, or in 2.1 the script, is the last to
let go of the group: the process hangs for good, the more often the busier the machine. A script written for NCCL is
not to blame: NCCL has no such threads.

torch gives the lock up only where Python is the last to let go of the backend inside a group. So it is made to be.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import weakref
from collections.abc import Callable
from typing import Any


def install(torch: Any) -> None:
    """Watch over the groups that are made from now on. Before torch.distributed is patched by anyone else."""
    if not torch.distributed.is_available():
        return
    for module in (torch.distributed, importlib.import_module("torch.distributed.distributed_c10d")):
        for name in ("init_process_group", "new_group"):
            setattr(module, name, watch(torch, getattr(module, name)))
    torch.nn.parallel.DistributedDataParallel.__del__ = let_go


def watch(torch: Any, make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes a group, the default one or the one that it returns."""

    @functools.wraps(make)
    def make_and_outlive(*arguments: Any, **options: Any) -> Any:
        made = make(*arguments, **options)
        group = torch.distributed.group.WORLD if made is None else made
        # A rank that is not a member gets no group, and a group for GPUs alone has nothing on the CPU.
        with contextlib.suppress(AttributeError, RuntimeError):
            outlive(group, group._get_backend(torch.device("cpu")))
        return made

    return make_and_outlive


def outlive(group: Any, backend: Any) -> None:
    """Keep `backend` until right after `group` is gone."""
    weakref.finalize(group, id, backend).atexit = False


def let_go(module: Any) -> None:
    """`DistributedDataParallel.__del__`: the parts in C++ hold the group, so they go before the module's own hold."""
    for name in ("logger", "reducer"):
        module.__dict__.pop(name, None)
