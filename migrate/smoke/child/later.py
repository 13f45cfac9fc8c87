"""Imports torch's compilers when a script asks for them: torch and torch_xla 2.x import them at the first optimizer.

TorchDynamo, Inductor and functorch are two thirds of the seconds that the import of torch_xla 2.9 takes, and no script
that compiles nothing by them calls anything of theirs. Their modules stand in `sys.modules` from the first import on,
and are executed as soon as anything of them is used beyond what `Later` answers by itself.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import re
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

DYNAMO = "torch._dynamo"
ALONE = {f"{DYNAMO}.config"}
"""Submodules that need nothing of their package: torch_xla sets options there at its import."""
FUNCTIONS = {
    "functorch.compile": ("aot_function", "make_boxed_func", "default_partition"),
    "torch_xla.stablehlo": ("save_as_stablehlo", "save_torch_model_as_stablehlo"),
}
"""Modules of which functions are imported by name, and which (torch_xla 2.9: experimental/scan.py, __init__.py)."""


def install() -> None:
    """From now on, in this process and in those forked from it."""
    sys.meta_path.insert(0, Finder())


def unchanged(function: Any = None, recursive: bool = True, **options: Any) -> Any:
    """`torch._dynamo.disable` where nothing is traced."""
    return unchanged if function is None else function


class Later(ModuleType):
    """A module that was found and not executed yet."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        own = self.__name__
        if own in FUNCTIONS and name in FUNCTIONS[own]:
            return later(self, name)
        if own == DYNAMO:
            if f"{own}.{name}" in ALONE:
                return importlib.import_module(f"{own}.{name}")
            if name == "disable":
                return unchanged
            if name == "graph_break":
                return lambda *arguments, **options: None
        execute(self)
        return getattr(self, name)


def later(module: Later, name: str) -> Callable[..., Any]:
    """A function of a module that is executed when the function is called."""

    def call(*arguments: Any, **options: Any) -> Any:
        execute(module)
        return getattr(module, name)(*arguments, **options)

    return call


def execute(module: ModuleType) -> None:
    """Make it the module that it is; without effect on one that is executed, or being so."""
    if type(module) is Later:
        module.__class__ = ModuleType  # type: ignore[assignment]
        spec = module.__spec__
        assert spec is not None
        assert spec.loader is not None
        spec.loader.exec_module(module)


def config_alone(dynamo: ModuleSpec) -> bool:
    """Whether the options need nothing else of TorchDynamo, as in torch 2.9; those of torch 2.1 need all of it."""
    config = Path(dynamo.origin or "").with_name("config.py")
    return config.is_file() and re.search(r"^from \.", config.read_text(encoding="utf-8"), re.MULTILINE) is None


class Deferred(importlib.abc.Loader):
    """Hands out a module without executing it."""

    def __init__(self, loader: importlib.abc.Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Later(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        spec.loader = module.__loader__ = self.loader


class Known(importlib.abc.Loader):
    """Hands out what the search itself has imported."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return sys.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do."""


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules above as everyone does, and puts their execution off."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == DYNAMO or fullname in FUNCTIONS:
            spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
            if spec is None or spec.loader is None or (fullname == DYNAMO and not config_alone(spec)):
                return None
            spec.loader = Deferred(spec.loader)
            return spec
        above = sys.modules.get(fullname.rpartition(".")[0])
        if type(above) is Later and fullname not in ALONE:
            execute(above)
            if fullname in sys.modules:
                return ModuleSpec(fullname, Known())
        return None
