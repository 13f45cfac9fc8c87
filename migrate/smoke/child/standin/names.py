"""Serves torch_xla's modules with the names that one version has, no more and no fewer.

The vocabulary is `torch_xla_api.json`: each symbol's runs of equal records over the release tags. A name that the
version lacks fails as it does there, with Python's own ImportError or AttributeError; a call that does not fit the
version's signature is a TypeError. A name that exists and is not implemented here raises NotImplementedError when used.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import importlib.abc
import inspect
import json
import warnings
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

IMPLEMENTED = Path(__file__).parent / "torch_xla"
"""The implemented modules, laid out like torch_xla itself."""


class Vocabulary:
    """The names of one version of torch_xla."""

    def __init__(self, path: Path, version: tuple[int, int]) -> None:
        self.version = version
        data = json.loads(path.read_text(encoding="utf-8"))
        self.modules = {name for name, runs in data["modules"].items() if any(self.covers(*run) for run in runs)}
        self.known: dict[str, set[str]] = {}
        """The names that a module has in any version."""
        self.symbols: dict[str, dict[str, dict[str, Any]]] = {}
        """The records of the names that a module has in this version."""
        for symbol, records in data["symbols"].items():
            module, _, name = symbol.rpartition(".")
            self.known.setdefault(module, set()).add(name)
            for record in records:
                if self.covers(record["since"], record["until"]):
                    self.symbols.setdefault(module, {})[name] = record

    def covers(self, since: str, until: str) -> bool:
        """Whether the version lies in a run of release tags, "v1.11.0" to "v2.9.0"."""
        first, last = (tuple(int(part) for part in tag[1:].split(".")[:2]) for tag in (since, until))
        return first <= self.version <= last

    def methods(self, owner: str) -> dict[str, dict[str, Any]]:
        """The records of a class's own methods."""
        return self.symbols.get(owner, {})


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # The path of what is served is empty, so no other finder finds a module below it either.
        if fullname not in self.vocabulary.modules:
            return None
        spec = ModuleSpec(fullname, Loader(self.vocabulary), is_package=True)
        source = implementation(fullname)
        if source is not None:
            spec.origin = str(source)
        return spec


class Loader(importlib.abc.Loader):
    """Fills a module: with what is implemented, cut to the version, and placeholders for the rest."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def exec_module(self, module: ModuleType) -> None:
        name, names = module.__name__, vars(module)
        source = implementation(name)
        if source is not None:
            names["__file__"] = str(source)
            exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), names)
        offered = self.vocabulary.symbols.get(name, {})
        for lacking in self.vocabulary.known.get(name, set()) - set(offered):
            names.pop(lacking, None)
        for symbol, record in offered.items():
            dotted = f"{name}.{symbol}"
            if symbol in names:
                names[symbol] = fitted(names[symbol], symbol, record)
            elif dotted not in self.vocabulary.modules:
                names[symbol] = self.provide(dotted, record)

    def provide(self, dotted: str, record: dict[str, Any]) -> Any:
        """What stands for a name that the module's own file does not define."""
        target = record.get("target")
        if target and not record["deprecated"]:
            # What is defined in one of torch_xla's private modules is in no vocabulary.
            with contextlib.suppress(AttributeError, ModuleNotFoundError):
                return resolve(target)
        if record["kind"] == "const":
            return constant(record)
        if record["kind"] == "class":
            return absent_class(dotted, self.vocabulary.methods(dotted))
        name = dotted.rpartition(".")[2]
        if record["deprecated"] and target:
            return fitted(lambda *arguments, **options: resolve(target)(*arguments, **options), name, record)
        return fitted(absent(dotted), name, record)


def implementation(module: str) -> Path | None:
    """The file that implements a module of torch_xla, if there is one."""
    below = IMPLEMENTED.joinpath(*module.split(".")[1:])
    return next((path for path in (below / "__init__.py", below.with_suffix(".py")) if path.is_file()), None)


def resolve(dotted: str) -> Any:
    """The object of a dotted name, importing the longest part of it that is a module."""
    parent, _, name = dotted.rpartition(".")
    try:
        owner = importlib.import_module(parent)
    except ModuleNotFoundError:
        owner = resolve(parent)
    return getattr(owner, name)


def fitted(value: Any, name: str, record: dict[str, Any]) -> Any:
    """A function or class that takes just the arguments of the version, and warns where the version does."""
    blank = blank_function(name, record["signature"])
    if isinstance(value, type):
        if blank is not None and "__init__" in vars(value):
            value.__init__ = checked(value.__init__, blank, bound=True)  # type: ignore[misc]
        return value
    if not isinstance(value, FunctionType):
        return value
    function = value if blank is None else checked(value, blank)
    return deprecated(function, record.get("note") or f"{name} is deprecated") if record["deprecated"] else function


def checked(function: Any, blank: Callable[..., None], bound: bool = False) -> Any:
    """`function`, after Python itself checked the arguments against those of `blank`."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        blank(*(arguments[1:] if bound else arguments), **options)
        return function(*arguments, **options)

    call.__signature__ = inspect.signature(function if bound else blank)  # type: ignore[attr-defined]
    return call


def deprecated(function: Callable[..., Any], note: str) -> Callable[..., Any]:
    """`function` with a DeprecationWarning at each call."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        warnings.warn(note, DeprecationWarning, stacklevel=2)
        return function(*arguments, **options)

    return call


def blank_function(name: str, signature: str) -> Callable[..., None] | None:
    """A function of that signature that does nothing; None when the signature is not known.

    Defaults are written in the terms of torch_xla's source, so None takes their place.
    """
    if signature in ("", "(...)"):
        return None
    module = ast.parse(f"def {name}{signature}: pass")
    given = module.body[0].args  # type: ignore[attr-defined]
    given.defaults = [ast.Constant(None) for _ in given.defaults]
    given.kw_defaults = [default and ast.Constant(None) for default in given.kw_defaults]
    found: dict[str, Any] = {}
    exec(compile(ast.fix_missing_locations(module), "torch_xla", "exec"), found)
    return found[name]  # type: ignore[no-any-return]


def absent(dotted: str) -> Callable[..., Any]:
    """A function that torch_xla has and the stand-in has not."""

    def call(*arguments: Any, **options: Any) -> Any:
        raise NotImplementedError(f"the stand-in has no {dotted}")

    call.__name__ = call.__qualname__ = dotted.rpartition(".")[2]
    return call


def absent_class(dotted: str, methods: dict[str, dict[str, Any]]) -> type:
    """A class that torch_xla has and the stand-in has not: it can be named and asked about, not instantiated."""
    module, _, name = dotted.rpartition(".")
    body: dict[str, Any] = {method: absent(f"{dotted}.{method}") for method in methods if method != "__init__"}
    body.update(__init__=absent(dotted), __module__=module)
    return type(name, (), body)


def constant(record: dict[str, Any]) -> Any:
    """The value of a constant, where the record says it."""
    try:
        return ast.literal_eval(record.get("note") or "None")
    except (ValueError, SyntaxError):
        return None
