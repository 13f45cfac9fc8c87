"""The gates: every function that executes a graph lets other ranks run while it waits for the device.

The functions are torch_xla's own entries to C++, the methods of torch.Tensor through which values come to the host, and
torch's functions that XLA leaves to the host. Where the backward of one of these executes a collective it passes none
(`watch` sees it hang).
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .. import observe, replicas

ENTRIES = {
    "_xla_step_marker": "mark",
    "_xla_sync_multi": "sync",
    "_xla_sync_live_tensors": "sync",
    "_xla_get_cpu_tensors": "sync",
    "_xla_warm_up_cache": "sync",
    "_run_cached_graph": "sync",
}
"""Functions of torch_xla's C++ that execute graphs, each as it is called in a report."""

METHODS = (
    "item", "tolist", "numpy", "cpu", "to", "type", "float", "double", "__array__", "__bool__", "__int__", "__float__",
    "__index__", "__complex__", "__repr__", "__format__", "__getitem__", "__setitem__", "nonzero", "unique",
    "masked_select", "equal", "allclose", "is_nonzero",
)  # fmt: skip
FUNCTIONS = ("nonzero", "unique", "masked_select", "equal", "allclose", "is_nonzero")

LEFT_TO_HOST = ("linalg", "fft", "special")
"""Modules of torch most of whose functions are left to the host."""
COMPILED = frozenset("norm vector_norm matrix_norm matmul multi_dot vecdot pow addmm cumsum".split())
"""Functions that never are, or so seldom that others are not to wait for them."""
FACTS = Path(__file__).parents[1] / "standin" / "facts.json"
"""Measured: the operators that are left to the host, by version."""

COLLECTIVE = re.compile(r"^_xla_(?:all_reduce|all_gather|all_to_all|reduce_scatter|collective_permute)")


def install(torch: Any, torch_xla: Any) -> None:
    """Put a gate before everything that executes, and note each collective."""
    entries = torch_xla._XLAC
    for name, call in ENTRIES.items():
        if hasattr(entries, name):
            setattr(entries, name, gate(getattr(entries, name), call))
    for name in dir(entries):
        if COLLECTIVE.match(name):
            setattr(entries, name, note(getattr(entries, name)))
    xla_model = sys.modules["torch_xla.core.xla_model"]
    xla_model.all_reduce = note(xla_model.all_reduce)  # type: ignore[attr-defined]
    for name in METHODS:
        setattr(torch.Tensor, name, gate_tensor(getattr(torch.Tensor, name), name.strip("_")))
    for owner, name in (*((torch, name) for name in FUNCTIONS), *left_to_host(torch)):
        setattr(owner, name, gate_tensor(getattr(owner, name), name))


def left_to_host(torch: Any) -> Iterator[tuple[Any, str]]:
    """Where torch has the functions that are left to the host: each with its owner."""
    for module in (getattr(torch, name) for name in LEFT_TO_HOST):
        functions = [name for name, item in vars(module).items() if callable(item) and not isinstance(item, type)]
        yield from ((module, name) for name in functions if not name.startswith("_") and name not in COMPILED)
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    newest = max(facts, key=lambda version: tuple(map(int, version.split("."))))
    operators = {name.rpartition("::")[2].split(".")[0].strip("_") for name in facts[newest]["fallbacks"]}
    for name in sorted(operators - COMPILED - {*METHODS, *FUNCTIONS}):
        for owner in (torch, torch.Tensor, torch.nn.functional):
            if callable(getattr(owner, name, None)):
                yield owner, name


def note(collective: Callable[..., Any]) -> Callable[..., Any]:
    """A function that puts a collective into the graph."""

    @functools.wraps(collective)
    def noted(*arguments: Any, **options: Any) -> Any:
        replicas.note_collective()
        return collective(*arguments, **options)

    return noted


def gate(function: Callable[..., Any], call: str) -> Callable[..., Any]:
    """`function`, which executes a graph, with other ranks running meanwhile."""

    @functools.wraps(function)
    def gated(*arguments: Any, **options: Any) -> Any:
        table = replicas.table
        rank = table.current() if table is not None else None
        if table is None or rank is None or rank.inside:
            return function(*arguments, **options)
        rank.inside, rank.call, rank.ends_step = True, call, call == "mark"
        rank.site = observe.log().site() or observe.log().site(sys._current_frames().get(rank.thread))
        table.enter(rank)
        try:
            return function(*arguments, **options)
        finally:
            # What is still being computed is waited for here, since the next collective would wait with Python's lock.
            sys.modules["torch_xla"]._XLAC._xla_wait_device_ops([rank.device])
            rank.pending = rank.pending and not rank.ends_step
            table.come_back(rank)
            rank.inside = False

    return gated


def gate_tensor(function: Callable[..., Any], call: str) -> Callable[..., Any]:
    """`function` of a tensor: a gate where the tensor is on an XLA device."""
    gated = gate(function, call)

    @functools.wraps(function)
    def chosen(self: Any, *arguments: Any, **options: Any) -> Any:
        device = getattr(self, "device", None)
        on_xla = replicas.table is not None and device is not None and device.type == "xla"
        return (gated if on_xla else function)(self, *arguments, **options)

    return chosen
