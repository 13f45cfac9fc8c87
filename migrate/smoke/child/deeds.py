"""Keeps which line of a script did what to its training, and which lines ran at all.

`events` keeps what happens in order, with its graphs. Here is the other half, for whoever wants to know what a line
does: every forward, backward, step, zero_grad, clip, unscale, mark, read, move, capture, save, load, collective and
seed, counted by the nearest line of the user's own files; at a forward the devices that meet, at a step whether the
optimizer holds parameters that a move has replaced. What a library does for itself is not the script's deed.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.machinery
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

current: Deeds | None = None

FORM = 1
"""Which form of a record this makes; another one makes kept records useless."""


class Deeds:
    """What the lines of this process did."""

    def __init__(self, root: str) -> None:
        self.roots = {root, os.path.realpath(root)}
        self.files: dict[str, str] = {}
        self.counts: dict[tuple[str, str, int], int] = {}
        self.facts: dict[tuple[str, str, int], set[str]] = {}
        self.ran: set[tuple[str, int]] = set()
        self.doing: list[str] = []
        self.places: list[tuple[str, str, int] | None] = []
        """Where each of them is done."""

    def place(self, kind: str) -> tuple[str, str, int] | None:
        """The nearest line of the user's, with what is done there; none for what a library does as it is imported."""
        frame: Any = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
            file = self.file(frame.f_code.co_filename)
            if file:
                return kind, file, frame.f_lineno
            frame = frame.f_back
        return None

    def note(self, kind: str, facts: tuple[str, ...] = ()) -> None:
        """Something of a kind is done, for the nearest line of the user's. What a collective saves and loads is how it
        sends objects."""
        if "collective" in self.doing and kind in ("save", "load"):
            return
        key = self.place(kind)
        if key is not None:
            self.counts[key] = self.counts.get(key, 0) + 1
            self.facts.setdefault(key, set()).update(facts)

    @contextlib.contextmanager
    def during(self, kind: str, facts: tuple[str, ...] = ()) -> Iterator[None]:
        """Note it, and nothing of its kind that is done inside for the same line: a closure has lines of its own."""
        if kind in self.doing and (kind != "collective" or self.place(kind) in self.places):
            yield
            return
        self.note(kind, facts)
        self.doing.append(kind)
        self.places.append(self.place(kind))
        try:
            yield
        finally:
            self.doing.remove(kind)
            self.places.pop()

    def file(self, name: str) -> str:
        """A file's path in the root; empty for a file of somebody else's."""
        known = self.files.get(name)
        if known is None:
            known = ""
            for root in self.roots:
                inside = os.path.relpath(name, root) if os.path.isabs(name) else ".."
                if not inside.startswith("..") and "site-packages" not in inside:
                    known = inside
            self.files[name] = known
        return known

    def enter(self, frame: Any, event: str, argument: Any) -> Any:
        """The interpreter's trace function: it stays with calls of the user's own code."""
        return self.go_on if self.file(frame.f_code.co_filename) else None

    def go_on(self, frame: Any, event: str, argument: Any) -> Any:
        """A line of the user's runs."""
        if event == "line":
            self.ran.add((frame.f_code.co_filename, frame.f_lineno))
        return self.go_on

    def summarise(self) -> dict[str, Any]:
        """What a result has of it."""
        lines: dict[str, list[int]] = {}
        for name, line in sorted(self.ran):
            lines.setdefault(self.file(name), []).append(line)
        deeds = [[*key, count, sorted(self.facts[key])] for key, count in self.counts.items()]
        return {"deeds": deeds, "lines": lines}


def begin(order: dict[str, Any]) -> None:
    """Watch this process, from before the script is read."""
    global current
    current = Deeds(order["root"])
    skip_imports(current)
    threading.settrace(current.enter)
    sys.settrace(current.enter)


def skip_imports(deeds: Deeds) -> None:
    """Trace nothing while somebody else's module is imported: torch alone makes millions of calls then."""
    loader: Any = importlib.machinery.SourceFileLoader
    execute = loader.exec_module

    def exec_module(self: Any, module: Any) -> None:
        traced = sys.gettrace()
        if traced is None or deeds.file(self.path):
            execute(self, module)
            return
        sys.settrace(None)
        try:
            execute(self, module)
        finally:
            sys.settrace(traced)

    loader.exec_module = exec_module


def wrap(owner: Any, name: str, kind: str) -> None:
    """A function that is a deed by itself."""
    function = getattr(owner, name, None)
    if function is None or current is None:
        return
    deeds = current

    @functools.wraps(function)
    def done(*arguments: Any, **options: Any) -> Any:
        with deeds.during(kind):
            return function(*arguments, **options)

    setattr(owner, name, done)


def by_user(tensor: Any) -> bool:
    """Whether a tensor's value is taken by the script, or by a library for it: torch's own loaders, optimizers and
    seeds take values of tensors that never left the host, and are no deeds."""
    caller: Any = sys._getframe(2)
    package = str(caller.f_globals.get("__name__", "")).partition(".")[0]
    if package == "tc_migrate_child" or type(tensor).__module__.startswith("torch._subclasses"):
        return False
    return package not in ("torch", "torch_xla") or tensor.device.type == "xla"


def wrap_read(owner: Any, name: str, reads: Callable[..., bool] = lambda *arguments, **options: True) -> None:
    """A function that takes a tensor's value to the host where `reads` says so of its arguments."""
    function = getattr(owner, name, None)
    if function is None or current is None:
        return
    deeds = current

    @functools.wraps(function)
    def read(self: Any, *arguments: Any, **options: Any) -> Any:
        if "read" in deeds.doing or not hasattr(self, "device") or not by_user(self):
            return function(self, *arguments, **options)
        if not reads(self, *arguments, **options):
            return function(self, *arguments, **options)
        with deeds.during("read", (self.device.type,)):
            return function(self, *arguments, **options)

    setattr(owner, name, read)
