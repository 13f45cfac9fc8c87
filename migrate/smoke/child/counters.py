"""What torch_xla, real or stand-in, counts about its graphs."""

from __future__ import annotations

import sys
from typing import Any


def count_graphs() -> list[int]:
    """Graphs compiled and graphs executed so far; empty without torch_xla, and where the stand-in does not predict."""
    metrics: Any = sys.modules.get("torch_xla.debug.metrics")
    standin: Any = sys.modules.get("tc_migrate_child.standin")
    if metrics is None or (standin is not None and not standin.device.counts_graphs):
        return []
    compiled = metrics.counter_value("UncachedCompile") or 0
    return [compiled, compiled + (metrics.counter_value("CachedCompile") or 0)]


def executed_graphs() -> int:
    """Graphs executed so far."""
    return (count_graphs() or [0, 0])[1]


def read_counters() -> dict[str, int]:
    """torch_xla's counters of graphs, and of the operators it left to the CPU ("aten::...")."""
    metrics: Any = sys.modules.get("torch_xla.debug.metrics")
    if metrics is None:
        return {}
    sys.modules["torch_xla.core.xla_model"].wait_device_ops()
    wanted = ("UncachedCompile", "CachedCompile", "MarkStep")
    names = [name for name in metrics.counter_names() if name in wanted or name.startswith("aten::")]
    return {name: metrics.counter_value(name) for name in names}
