"""torch_xla.distributed.xla_multiprocessing: starts the training processes."""

from __future__ import annotations

import logging
from typing import Any

import torch.multiprocessing
from tc_migrate_child import standin
from tc_migrate_child.standin import workers, world


def spawn(
    fn: Any,
    args: Any = (),
    nprocs: int | None = None,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> Any:
    """One process for each device; in this process when one is asked for. Says no where the version does."""
    if nprocs == 1 or (standin.version < (2, 0) and world.devices == 1):
        fn(0, *args)
        return None
    if nprocs is not None:
        if standin.version >= (2, 6):
            raise ValueError(
                f"Unsupported nprocs ({nprocs}). Please use nprocs=1 or None (default). If None, spawn will use all "
                "available devices. Use the environment variable X_NUM_DEVICES (where X is CPU, TPU, NEURONCORE, etc) "
                "to limit the number of devices used."
            )
        if standin.version >= (2, 0):
            logging.warning("Unsupported nprocs (%d), ignoring...", nprocs)
        elif nprocs != world.devices:
            raise RuntimeError(f"Number of processes ({nprocs}) is not the number of devices ({world.devices})")
    if world.used and standin.version >= (2, 3):
        raise RuntimeError("Runtime is already initialized. Do not use the XLA device before calling xmp.spawn.")
    return workers.start(fn, args, join=join, daemon=daemon, start_method=start_method)


class MpModelWrapper:
    """A model that the forked workers move to their devices one after the other."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._lock = torch.multiprocessing.Lock()

    def to(self, device: Any) -> Any:
        with self._lock:
            self._model.to(device)
        return self._model


class MpSerialExecutor:
    """Lets the forked workers do something one after the other."""

    def __init__(self) -> None:
        self._lock = torch.multiprocessing.Lock()

    def run(self, fn: Any) -> Any:
        with self._lock:
            return fn()
