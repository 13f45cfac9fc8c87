"""Originals, executed once for two: who rewrites them asks what their expressions are, the judge what they do."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from codemods.kit.links import Links
from codemods.kit.meaning.execution import Execution, execute
from codemods.kit.meaning.libraries import models_state
from codemods.kit.meaning.parts import Watcher
from codemods.kit.meaning.shown import Meaning
from migrate.engine.correspondence import entries
from migrate.judged_text import Text, modern, parsed

_ACCELERATED = re.compile(r"cuda|gpu|nccl|accelerator|distributed|horovod|apex", re.IGNORECASE)
_KEPT = 4
"""Programs that are remembered: a worker rewrites some before it judges the first."""


@dataclass(frozen=True)
class Original:
    """An original program as its abstract execution shows it."""

    execution: Execution
    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    """By file."""


def execute_original(codes: Mapping[str, str], *, legacy: bool = False) -> Original:
    """Execute a program on CUDA. `codes`: the Python of its files by path. `legacy`: a launcher of torch_xla 1.x runs
    an `_mp_fn` that is in it already.

    Never raises: what the engine cannot do, nothing is known of.
    """
    started = legacy and any("_mp_fn" in code for code in codes.values())
    return _execute(tuple(codes.items()), started, models_state())


@lru_cache(_KEPT)
def _execute(codes: tuple[tuple[str, str], ...], legacy: bool, models: str) -> Original:
    """`models`: their state, on which it depends."""
    trees: dict[str, ast.Module] = {}
    for path, code in codes:
        tree = parsed(code)
        if tree is not None:
            trees[path] = tree
    watcher = Watcher()
    try:
        execution = execute(trees, entries(trees), cuda=True, legacy=legacy, watcher=watcher)
    except (RecursionError, Exception) as error:
        return Original(Execution(failure=f"{type(error).__name__}: {error}"))
    return Original(execution, {path: watcher.of_file(path, tree, execution.record) for path, tree in trees.items()})


def meanings(texts: Mapping[str, str]) -> Mapping[str, Meaning]:
    """By file of a program, what it showed; nothing of a program that speaks of no accelerator.

    Never raises: what the engine cannot do, nothing is known of.
    """
    if not any(map(_ACCELERATED.search, texts.values())):
        return {}
    return execute_original({path: modern(Text(path, text).code) for path, text in texts.items()}).meanings


def by_itself(source: str, path: str = "-") -> Links:
    """What is known of a script that no other file says anything about: what its execution shows."""
    return Links(meaning=meanings({path: source}).get(path, Meaning()))
