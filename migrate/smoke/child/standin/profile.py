"""How one version of torch_xla treats operators, as measured by `python -m tests.measure_operators`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

FACTS = Path(__file__).with_name("facts.json")
"""Per version: `fallbacks`, operators that were run on the host; `built_in`, the arguments whose Python numbers are
compiled in; `takes_host`, the arguments that may be a tensor of the host, as "operator argument"."""


def functional(name: str) -> str:
    """The operator that torch_xla is given for one that works in place: "aten::add.Tensor" for "aten::add_.Tensor"."""
    base, dot, overload = name.partition(".")
    return base.rstrip("_") + dot + overload


def scaled(bound: dict[str, Any]) -> bool:
    """`addmm` with a factor."""
    return bool(bound.get("alpha", 1) != 1 or bound.get("beta", 1) != 1)


def uneven(bound: dict[str, Any]) -> bool:
    """Adaptive pooling whose windows differ in size."""
    source = bound["self"].shape
    wanted = bound["grad_output"].shape if "grad_output" in bound else bound["output_size"]
    return any(bool(have % want) for have, want in zip(reversed(source), reversed(wanted)))


def divided(bound: dict[str, Any]) -> bool:
    """Average pooling that counts in its own way."""
    return bool(bound.get("ceil_mode") and bound.get("count_include_pad", True)) or bool(bound.get("divisor_override"))


CONDITIONS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "aten::addmm": scaled,
    "aten::_adaptive_avg_pool2d": uneven,
    "aten::_adaptive_avg_pool2d_backward": uneven,
    "aten::_adaptive_avg_pool3d": uneven,
    "aten::_adaptive_avg_pool3d_backward": uneven,
    "aten::adaptive_max_pool2d": uneven,
    "aten::adaptive_max_pool2d_backward": uneven,
    "aten::avg_pool2d": divided,
    "aten::avg_pool2d_backward": divided,
    "aten::avg_pool3d": divided,
    "aten::avg_pool3d_backward": divided,
    "aten::multinomial": lambda bound: bound["num_samples"] > 1 and not bound.get("replacement"),
    "aten::scatter_reduce": lambda bound: bound["reduce"] != "sum",
    "aten::cumsum": lambda bound: bound["self"].dim() == 0,
    "aten::norm": lambda bound: False,
    "aten::pow": lambda bound: False,
}
"""When an operator is run on the host that is not always."""


class Profile:
    """One version's ways."""

    def __init__(self, facts: dict[str, list[str]], uploads_pend: bool) -> None:
        self.fallbacks = frozenset(facts["fallbacks"])
        self.built_in = frozenset(facts["built_in"])
        self.takes_host = frozenset(facts["takes_host"])
        self.uploads_pend = uploads_pend
        """Whether a tensor moved with `.to` waits for the next mark (2.1), unless a loader sent it."""

    @staticmethod
    def of(version: str) -> Profile:
        """The profile of a version: of the newest measured that is no newer, or of the oldest."""
        facts = json.loads(FACTS.read_text(encoding="utf-8"))
        wanted = numbers(version)
        measured = sorted((numbers(name), name) for name in facts)
        known, name = max((item for item in measured if item[0] <= wanted), default=measured[0])
        return Profile(facts[name], uploads_pend=known < (2, 9))

    def fallback(self, name: str, bound: dict[str, Any]) -> str | None:
        """The counter of an operator that is run on the host with these arguments; None for one that is compiled."""
        base = functional(name).split(".")[0]
        for known in (name, functional(name), base, f"{base}.out"):
            if known in self.fallbacks:
                condition = CONDITIONS.get(known.split(".")[0])
                return known if condition is None or condition(bound) else None
        return None

    def builds_in(self, name: str, argument: str) -> bool:
        """Whether another number for this argument is another graph."""
        return f"{functional(name)} {argument}" in self.built_in

    def uploads(self, name: str, argument: str) -> bool:
        """Whether this argument may be a tensor of the host."""
        return f"{functional(name)} {argument}" in self.takes_host


def numbers(version: str) -> tuple[int, int]:
    """Major and minor number."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)
