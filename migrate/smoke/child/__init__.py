"""What runs inside the child process of a smoke run, in the environment under test.

Nothing here may import the rest of the tool, libcst or numpy: that environment has torch, perhaps torch_xla, and
no more. `prepare` is called by `site/sitecustomize.py` before the script starts; the patches follow when the script
imports torch, so a process that never does (multiprocessing's resource tracker) pays nothing.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import json
import os
import random
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

VARIABLE = "TC_MIGRATE_SMOKE"
"""Environment variable with the path of the order, a JSON file written by `migrate.smoke.run`."""


def prepare() -> None:
    """Arrange for torch, torch_xla and numpy to be patched as soon as they are imported, by the order in the file."""
    order = json.loads(Path(os.environ[VARIABLE]).read_text(encoding="utf-8"))
    from . import interruption, leaving, overwriting, pinning, place, tensorboard, written

    order["seed"] += place.own_place()
    random.seed(order["seed"])
    pinned = pinning.install(order)
    written.begin()
    place.install()
    interruption.install(order["results"])
    leaving.install()
    overwriting.install(order["mirror"])
    finder = AfterImport()
    finder.callbacks["numpy"] = lambda numpy: pinning.pin_numpy(numpy, pinned)
    finder.callbacks["torch"] = lambda torch: prepare_torch(torch, order, pinned)
    finder.callbacks["torch.utils.tensorboard.writer"] = tensorboard.skip_graphs
    if order["fake_data"]:
        from . import fake_data

        fake_data.register(finder.callbacks)
    if order["side"] != "cuda":
        from . import events_xla, xla_on_cpu

        xla_on_cpu.register(finder.callbacks, order)
        events_xla.register(finder.callbacks)
    if order["backend"] == "standin":
        from . import standin

        standin.prepare(order)
    if order["by_line"]:
        from . import deeds, deeds_torch

        deeds.begin(order)
        deeds_torch.register(finder.callbacks)
    sys.meta_path.insert(0, finder)
    if not order["compiles"]:
        from . import later

        later.install()


def prepare_torch(torch: Any, order: dict[str, Any], pinned: Any) -> None:
    """Patch torch itself: the CUDA stand-in where the original runs, then what both sides share."""
    from . import (
        apex_on_cpu,
        cuda_namespace,
        cuda_on_cpu,
        cuda_training,
        observe,
        old_torch,
        overwriting,
        pinning,
        precision,
        process_groups,
        randomness,
        shuffling,
        states,
        torch_before_2,
        written,
    )

    torch_before_2.install(torch)
    real = order["backend"] == "torch_xla"  # then it was asked whether it has a GPU, and torch need not have it
    if order["accelerator"] == "cuda" and not real and torch.cuda.device_count() < order["workers"]:
        order["accelerator"] = "cpu"  # NCCL does not let two ranks share a GPU
    process_groups.install(torch)
    if order["side"] == "cuda" and order["accelerator"] == "cpu":
        cuda_on_cpu.install(torch)
        cuda_namespace.install(torch, order["workers"])
        cuda_training.install(torch)
        old_torch.install(torch)
        if order["apex"]:
            apex_on_cpu.install(torch)
    if order["backend"] == "standin":
        from . import standin

        standin.install(torch)
    written.install(torch, order)
    states.install(torch)
    randomness.install(torch)
    shuffling.install(torch)
    precision.install(torch, order)
    observe.install(torch, order)
    if order["fake_data"]:
        from . import fake_data

        fake_data.keep_random_weights(torch)
    overwriting.install_in_torch(torch, order["mirror"])
    torch.manual_seed(order["seed"])
    pinning.pin_torch(torch, pinned)
    randomness.watch_seeds(torch, order["side"])  # last: the seed above is not the script's
    if order["by_line"]:
        from . import deeds_torch

        deeds_torch.install(torch)


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls a function with a module right after the module was imported for the first time."""

    def __init__(self) -> None:
        self.callbacks: dict[str, Callable[[Any], None]] = {}
        self.searching: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # A search is not always followed by an import (torch itself looks for torch_xla), so nothing is used up here.
        if fullname not in self.callbacks or fullname in self.searching:
            return None
        self.searching.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self.searching.discard(fullname)
        if spec is not None and spec.loader is not None:
            self.follow(spec.loader, self.callbacks[fullname])
        return spec

    @staticmethod
    def follow(loader: Any, callback: Callable[[Any], None]) -> None:
        """Make `loader` call `callback` after it has executed a module."""
        execute = loader.exec_module

        def execute_and_call(module: ModuleType) -> None:
            execute(module)
            callback(module)

        loader.exec_module = execute_and_call
