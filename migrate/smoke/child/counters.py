"""What torch_xla, real or stand-in, counts about its graphs."""

from __future__ import annotations

import sys
from typing import Any


def count_graphs() -> list[int]:
    """Graphs compiled and graphs executed so far; empty without torch_xla, and where the stand-in does not predict."""
    metrics: Any = sys.modules.get("torch_xla.debug.metrics")
    standin: Any = sys.modules.get("tc_migrate_child.standin")
    if metrics is None or in_replicas() or (standin is not None and not standin.device.counts_graphs):
        return []
    compiled = metrics.counter_value("UncachedCompile") or 0
    return [compiled, compiled + (metrics.counter_value("CachedCompile") or 0)]


def executed_graphs() -> int:
    """Graphs executed so far."""
    return (count_graphs() or [0, 0])[1]


def read_counters() -> dict[str, int]:
    """torch_xla's counters of graphs, and of the operators it left to the CPU ("aten::...")."""
    metrics: Any = sys.modules.get("torch_xla.debug.metrics")
    if metrics is None or in_replicas():
        return {}
    sys.modules["torch_xla.core.xla_model"].wait_device_ops()
    wanted = ("UncachedCompile", "CachedCompile", "MarkStep")
    names = [name for name in metrics.counter_names() if name in wanted or name.startswith("aten::")]
    return {name: metrics.counter_value(name) for name in names}


def in_replicas() -> bool:
    """Whether the ranks are threads of one process, whose counters are of all of them."""
    replicas: Any = sys.modules.get("tc_migrate_child.replicas")
    return replicas is not None and bool(replicas.running())


def execute_pending() -> None:
    """Execute all that is pending as one graph, as a mark does: what is read then is there, and compiles nothing.

    Closures that the script has added for its next mark are not run: they print.
    """
    standin: Any = sys.modules.get("tc_migrate_child.standin")
    if standin is not None:
        standin.device.mark()
    elif "torch_xla" in sys.modules:
        entries = sys.modules["torch_xla"]._XLAC
        entries._xla_step_marker(entries._xla_get_default_device(), [], True)
