"""What the expressions of an original are, for those who rewrite it: its abstract execution, watched."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from codemods.kit.meaning.execution import execute
from codemods.kit.meaning.parts import Meaning, Watcher
from migrate.engine.correspondence import entries
from migrate.judging import Text, modern, parsed

_ACCELERATED = re.compile(r"cuda|gpu|nccl|accelerator|distributed|horovod|apex", re.IGNORECASE)


def meanings(texts: Mapping[str, str]) -> dict[str, Meaning]:
    """By file of a program, what it showed; nothing of a program that speaks of no accelerator.

    Never raises: what the engine cannot do, nothing is known of.
    """
    if not any(map(_ACCELERATED.search, texts.values())):
        return {}
    trees: dict[str, ast.Module] = {}
    for path, text in texts.items():
        tree = parsed(modern(Text(path, text).code))
        if tree is not None:
            trees[path] = tree
    watcher = Watcher()
    try:
        execute(trees, entries(trees), cuda=True, watcher=watcher)
    except (RecursionError, Exception):
        return {}
    return {path: watcher.of_file(path, tree) for path, tree in trees.items()}
