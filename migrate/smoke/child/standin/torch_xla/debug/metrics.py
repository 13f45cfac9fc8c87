"""torch_xla.debug.metrics: the counters. Times are not measured."""

from __future__ import annotations

from typing import Any

from tc_migrate_child import standin


def counter_names() -> list[str]:
    return standin.device.counter_names()


def counter_value(counter_name: str) -> Any:
    return standin.device.counter(counter_name)


def metric_names() -> list[str]:
    return []


def metric_data(metric_name: str) -> Any:
    return None


def metrics_report() -> str:
    return "".join(f"Counter: {name}\n  Value: {counter_value(name)}\n" for name in counter_names())


def short_metrics_report(counter_names: Any = None, metric_names: Any = None) -> str:
    return metrics_report()
