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
    random.seed(order["seed"])
    finder = AfterImport()
    finder.callbacks["numpy"] = lambda numpy: numpy.random.seed(order["seed"])
    finder.callbacks["torch"] = lambda torch: prepare_torch(torch, order)
    if order["side"] != "cuda":
        from . import xla_on_cpu

        xla_on_cpu.register(finder.callbacks, order)
    sys.meta_path.insert(0, finder)


def prepare_torch(torch: Any, order: dict[str, Any]) -> None:
    """Patch torch itself: the CUDA stand-in where the original runs, then what both sides share."""
    from . import apex_on_cpu, cuda_namespace, cuda_on_cpu, cuda_training, observe, precision, randomness, shuffling

    if order["side"] == "cuda":
        cuda_on_cpu.install(torch)
        cuda_namespace.install(torch)
        cuda_training.install(torch)
        if order["apex"]:
            apex_on_cpu.install(torch)
    randomness.install(torch)
    shuffling.install(torch)
    precision.install(torch, force_float32=order["force_float32"])
    observe.install(torch, order)
    torch.manual_seed(order["seed"])


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
