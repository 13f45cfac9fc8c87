"""Names every module that a script needs and its interpreter lacks, not only the first: who installs one after another
runs the script as often.
"""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

SERVED = frozenset({"torch", "torch_xla", "apex", "smdistributed", "__future__"})
"""Modules that a smoke run has answers of its own for."""
ASK = (
    "import importlib.util, json, sys\n"
    "print(json.dumps([name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]))"
)


def missing_modules(texts: Iterable[str], folder: Path, python: Path) -> tuple[str, ...]:
    """The packages that these files import where nothing catches it, and that neither the folder nor `python` has."""
    wanted = {name for text in texts for name in imported(text)} - SERVED
    own = {path.stem for path in folder.iterdir()} | {path.stem for path in folder.parent.iterdir()}
    names = sorted(wanted - own)
    try:
        answer = subprocess.run(
            [python, "-I", "-c", ASK, *names], capture_output=True, text=True, timeout=20, check=True
        )
        return tuple(json.loads(answer.stdout))
    except (OSError, subprocess.SubprocessError, ValueError):
        return ()


def imported(text: str) -> Iterator[str]:
    """The packages that a file imports as it is loaded, outside of a `try`."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]
        elif not isinstance(node, (ast.Try, ast.FunctionDef, ast.AsyncFunctionDef)):
            waiting.extend(ast.iter_child_nodes(node))
