"""Which of torch's operators fail on a torch_xla, and how: `data/failing_operators.json`, measured on 2.1 and 2.9.

`python -m tests.failing_operators` makes it. What is kept there of some calls only, of complex numbers or of a variant
of an operator is for who reads it; here is what fails however it is called.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from codemods.kit.phrases import Version

_MORE = {
    "istft": "ends the process",
    "slogdet": "RuntimeError: Expected a proper Tensor but got None: its backward",
}
"""What was tried by itself, on all: of torch's own samples some calls of istft run, and slogdet has none that asks for
gradients."""


@cache
def failing(version: Version) -> Mapping[str, str]:
    """By name, `stft` or `nn.LazyConv1d`, what happens; names of methods that change a tensor end in `_`. Of a version
    between those that were measured, what fails on both."""
    measured = _measured()
    if version < (2, 0):
        return measured["1.x"]
    if version >= (2, 9):
        return measured["2.9"]
    return {name: how for name, how in measured["2.1"].items() if version == (2, 1) or name in measured["2.9"]}


@cache
def names() -> frozenset[str]:
    """The last parts of the names of all that fails somewhere."""
    return frozenset(name.rpartition(".")[2] for every in _measured().values() for name in every)


@cache
def _measured() -> Mapping[str, Mapping[str, str]]:
    from importlib.resources import files

    text = (files("codemods") / "kit" / "data" / "failing_operators.json").read_text(encoding="utf-8")
    return {version: {**dict(filter(_always, found.items())), **_MORE} for version, found in json.loads(text).items()}


def _always(fact: tuple[str, str]) -> bool:
    name, how = fact
    return " " not in name and " of " not in how.partition(":")[0] and not name.startswith("sparse.")
