"""Which files of a project make up one program: those that import each other, directly or not, in either direction.

Programs have nothing to say to each other, so each can be linked and migrated by itself. Imports are read from the
text: finding out which files belong together must not cost a parser. What looks like an import but stands in a string
makes a program larger than it is, and changes nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import dirname

from migrate.modules import Paths
from migrate.notebooks.cells import is_notebook
from migrate.started import started_names

KEPT_LINES = 4_000
"""Lines of scripts that are kept parsed between index and rewrite: at some 15 kB a line they bound the memory."""

_IMPORT = re.compile(
    r"""
    (?:from(?P<module>[ \t.\\](?:[ \t.\w]|\\\r?\n)*?)\b)?
    import\b[ \t]*
    (?P<names> \( (?:[^()\#]|\#[^\n]*)* \)? | (?:[^\\\n;\#]|\\\r?\n)* )
    """,
    re.VERBOSE,
)
_BY_NAME = re.compile(
    r"""
    \b(?:import_module|__import__)\(\s*
    (?: [fr]? (?P<quote>["']) (?P<text>[\w.]*) (?:(?P=quote)\s*)? (?P<more>.) | (?P<name>[A-Za-z_][\w.]*) )
    """,
    re.VERBOSE,
)
"""A call that imports a module by name."""
_NO_CODE = re.compile(r"\#[^\n]*|[()\\]")


@dataclass(frozen=True)
class View:
    """Files that are linked together, and those of them that are migrated with what comes of it."""

    members: tuple[str, ...]
    wanted: tuple[str, ...]


def all_wanted(views: Sequence[View]) -> list[View]:
    """The views, with each file of them migrated: where it was asked for, else in the first view that has it."""
    taken = {path for view in views for path in view.wanted}
    found = []
    for view in views:
        more = tuple(path for path in view.members if path not in taken)
        taken.update(more)
        found.append(View(view.members, (*view.wanted, *more)))
    return found


def imported_names(text: str) -> tuple[str, ...]:
    """The dotted names a script imports, relative ones with their dots: `from .a import b` is ".a.b". A launcher's
    training script is named as if it were imported."""
    imported = (name for match in _IMPORT.finditer(text) for name in _names(match))
    by_name = (name for match in _BY_NAME.finditer(text) for name in _named(text, match))
    return tuple(dict.fromkeys([*imported, *by_name, *started_names(text)]))


def _named(text: str, match: re.Match[str]) -> Iterator[str]:
    """The modules that a call imports by a name it makes up: one, `models.*` for those of a folder, and `net.*` beside
    the one that an option names by default."""
    if match["text"] is not None:
        whole, package = match["more"] in (")", ","), match["text"].rpartition(".")[0]
        if whole or package:
            yield match["text"] if whole else f"{package}.*"
        return
    option = match["name"].rpartition(".")[2].replace("_", "[-_]")
    default = rf"""(?:--{option}["'][^()]*?\bdefault\s*=|\b{option}\s*=)\s*["']([\w.]+)["']"""
    for found in re.finditer(default, text):
        yield from (found[1], f"{found[1]}.*")


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


def companions(programs: Iterable[Sequence[str]], imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """For each program the files that have no part in training and are run with it all the same: what it imports, and
    what imports it, directly or through others such. `imports`: of all files the names they import."""
    paths = Paths(imports)
    below = {file: {other for name in names for other in paths.files_of(file, name)} for file, names in imports.items()}
    above: dict[str, set[str]] = defaultdict(set)
    for file, others in below.items():
        for other in others:
            above[other].add(file)
    owned = [set(program) for program in programs]
    idle = imports.keys() - set[str]().union(*owned)

    def spread(files: set[str], edges: Mapping[str, set[str]]) -> set[str]:
        found = set(files)
        queue = list(files)
        while queue:
            for other in edges.get(queue.pop(), ()):
                if other in idle and other not in found:
                    found.add(other)
                    queue.append(other)
        return found

    return [sorted(spread(spread(program, above), below) - program) for program in owned]


def code(path: str, text: str) -> str:
    """The Python of a file: of a notebook, that of its cells."""
    if not is_notebook(path):
        return text
    from migrate.notebooks.joined import code_of  # and with it LibCST

    return code_of(text)
