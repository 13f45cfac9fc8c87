"""The files of a project that a script reaches by its imports: its own modules, and what these import.

Imports are read from the text, not followed at run time, so a module that is imported by a name made up at run time is
not found. Paths are relative to the project's folder, with `/` between the parts, as in `migrate.modules`.
"""

from __future__ import annotations

import ast
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from posixpath import dirname

from migrate.started import started_names

MOST_FILES = 300
"""Files followed: more are a library that lives in the project."""


Candidates = Iterable[list[list[str]]]


def reach(
    script: str, read: Callable[[str], str | None], imports: Callable[[str, str], Candidates] | None = None
) -> dict[str, str]:
    """The script and the files it imports, by path, the script first.

    `read` gives the text of a file, or None when there is none or it cannot be read. An absolute import is looked for
    beside the file, above it and in `src`, as `python script.py` and an installed package would find it. `imports` is
    `imported`, or something that remembers what it gave.
    """
    imports = imports or imported
    text_of = cache(read)  # a file that many import is read once, and so is one that is not there
    texts: dict[str, str] = {}
    queue = deque([script])
    while queue and len(texts) < MOST_FILES:
        path = queue.popleft()
        text = text_of(path)
        if path in texts or text is None:
            continue
        texts[path] = text
        for candidates in imports(path, text):
            # The first folder that has any of a name's files has them all.
            for files in candidates:
                found = [file for file in files if text_of(file) is not None]
                if found:
                    queue.extend(found)
                    break
    return texts


def imported(path: str, text: str) -> Iterator[list[list[str]]]:
    """For each name a file imports, the files it may run: a list for each folder it may start from, nearest first."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    above = folders_above(path)
    roots = [*above, *(f"{folder}/src".lstrip("/") for folder in above)]
    for name in started_names(text):
        dots = len(name) - len(name.lstrip("."))
        starts = above[dots - 1 : dots] if dots else above
        yield [files_of(start, name.lstrip(".").split(".")) for start in starts]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield [files_of(root, alias.name.split(".")) for root in roots]
        elif isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            starts = above[node.level - 1 : node.level] if node.level else roots
            if node.level:
                yield [[join(start, "__init__.py")] for start in starts]
            for alias in node.names:
                yield [files_of(start, [*module, alias.name]) for start in starts]


def files_of(folder: str, parts: list[str]) -> list[str]:
    """The files that importing a dotted name from a folder may run: its packages, and the modules it may end in."""
    found = []
    for part in parts:
        folder = join(folder, part)
        found += [f"{folder}/__init__.py", f"{folder}.py"]
    return found


def join(folder: str, name: str) -> str:
    """A path below a folder; "" is the project's."""
    return f"{folder}/{name}" if folder else name


def folders_above(path: str) -> list[str]:
    """The folder of a file and those around it, up to the project's, which is ""."""
    found = [dirname(path)]
    while found[-1]:
        found.append(dirname(found[-1]))
    return found
