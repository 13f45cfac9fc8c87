"""torch_xla.torch_xla: the functions at the top of torch_xla 2.3 and later."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp
import torch_xla.runtime as xr
from tc_migrate_child import standin


def device(index: Any = None) -> Any:
    return xm._device(index)


def devices() -> list[Any]:
    return [torch.device(each) for each in xm.get_xla_supported_devices()]


def real_devices() -> list[str]:
    return xm.xla_real_devices()


def device_count() -> int:
    return len(real_devices())


def sync(wait: bool = False, reset_scope: bool = True) -> None:
    if standin.version >= (2, 8):
        xm._end_graph(wait)
    elif wait:
        xm.mark_step(wait=True)
    else:
        xm.mark_step()


def step() -> Any:
    return compile()


def compile(f: Any = None, full_graph: Any = False, name: Any = None, max_different_graphs: Any = None) -> Any:
    """A region, or a function, with a graph of its own: nothing is compiled, it is marked before and after."""

    @contextlib.contextmanager
    def region() -> Iterator[None]:
        sync()
        try:
            yield
        finally:
            sync()

    return region() if f is None else region()(f)


def manual_seed(seed: int, device: Any = None) -> None:
    xm.set_rng_state(seed, device)


def launch(fn: Any, args: Any = (), start_method: str = "spawn", debug_single_process: bool = False) -> None:
    if torch.distributed.is_torchelastic_launched():
        fn(xr.local_ordinal(), *args)
    else:
        xmp.spawn(fn, args=args, nprocs=1 if debug_single_process else None, start_method=start_method)
