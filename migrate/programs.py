"""Which files of a project make up one program: those that import each other, directly or not, in either direction.

Programs have nothing to say to each other, so each can be linked and migrated by itself. Imports are read from the
text: finding out which files belong together must not cost a parser. What looks like an import but stands in a string
makes a program larger than it is, and changes nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from posixpath import dirname

from migrate.modules import Paths

_IMPORT = re.compile(
    r"""
    (?:from(?P<module>[ \t.\\](?:[ \t.\w]|\\\r?\n)*?)\b)?
    import\b[ \t]*
    (?P<names> \( (?:[^()\#]|\#[^\n]*)* \)? | (?:[^\\\n;\#]|\\\r?\n)* )
    """,
    re.VERBOSE,
)
_NO_CODE = re.compile(r"\#[^\n]*|[()\\]")


def imported_names(text: str) -> tuple[str, ...]:
    """The dotted names a script imports, relative ones with their dots: `from .a import b` is ".a.b"."""
    return tuple(dict.fromkeys(name for match in _IMPORT.finditer(text) for name in _names(match)))


def _names(match: re.Match[str]) -> Iterator[str]:
    module = "".join(_NO_CODE.sub(" ", match["module"] or "").split())
    if module and not module.endswith("."):
        module += "."
    for alias in _NO_CODE.sub(" ", match["names"]).split(","):
        name = alias.partition(" as ")[0].strip()
        if name == "*":
            yield module.rstrip(".") or module
        elif name:
            yield module + name


def group(imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The programs of a project: files by path with the names each imports. Files and programs keep their order."""
    paths = Paths(imports)
    above = {file: file for file in imports}

    def root(file: str) -> str:
        while above[file] != file:
            above[file] = above[above[file]]
            file = above[file]
        return file

    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for file, names in imports.items():
        for name in names:
            key = (dirname(file), name)
            if key not in found:
                found[key] = tuple(paths.files_of(file, name))
            # A script `yaml.py` that imports yaml means another one: ask again.
            others = found[key] if file not in found[key] else tuple(paths.files_of(file, name))
            for other in others:
                above[root(other)] = root(file)
    programs: dict[str, list[str]] = defaultdict(list)
    for file in imports:
        programs[root(file)].append(file)
    return list(programs.values())
