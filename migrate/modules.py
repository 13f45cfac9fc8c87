"""Which file of a project an import means: packages, relative imports, re-exports, src layouts, plain scripts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from posixpath import dirname
from typing import Protocol

from codemods.kit.meaning.libraries import is_library
from codemods.kit.summary import LOCAL
from migrate.reach import folders_above

_DEEPEST = 12
"""Re-exports followed, one after the other."""


class Paths:
    """The files of a project by the names they are imported under. What is in them does not matter here."""

    def __init__(self, files: Collection[str]) -> None:
        self.files = files
        self._folders = {folder for file in files for folder in folders_above(file)}
        self._roots: dict[str, tuple[str, ...]] = {}

    def locate(self, file: str, name: str) -> tuple[str, str] | None:
        """The module that a dotted name begins with, and what is left of the name."""
        dots = len(name) - len(name.lstrip("."))
        parts = [part for part in name.split(".") if part]
        for root in folders_above(file)[dots - 1 : dots] if dots else self._search(file):
            found = self._walk(root, parts, relative=bool(dots))
            if found is not None and (dots or found[0] != file):  # a script `yaml.py` that imports yaml
                return found
        return None if dots or is_library(parts[0]) else self._elsewhere(file, parts)

    def _elsewhere(self, file: str, parts: list[str]) -> tuple[str, str] | None:
        """The one module of that name in another folder, packages without `__init__.py` too: scripts put folders on
        `sys.path`, seldom those of a package."""
        for count in range(len(parts), 0, -1):
            tail = "/" + "/".join(parts[:count])
            found = [one for one in self._modules.get(parts[count - 1], ()) if f"/{one[0]}".endswith(tail)]
            if len(found) > 1:
                found = [one for one in found if f"/{one[0]}".removesuffix(tail)[1:] not in self._packages]
            if found:
                return (found[0][1], ".".join(parts[count:])) if len(found) == 1 and found[0][1] != file else None
        return None

    @cached_property
    def _packages(self) -> frozenset[str]:
        """The folders with an `__init__.py`."""
        return frozenset(file.rpartition("/")[0] for file in self.files if file.endswith("/__init__.py"))

    @cached_property
    def _modules(self) -> dict[str, list[tuple[str, str]]]:
        """By last name each module or package, as its path without ending, and its file."""
        found: dict[str, list[tuple[str, str]]] = {}
        for file in self.files:
            path = file.removesuffix(".py").removesuffix("/__init__")
            found.setdefault(path.rpartition("/")[2], []).append((path, file))
        return found

    def files_of(self, file: str, name: str) -> Iterator[str]:
        """The files that importing a dotted name runs: its module, and the packages around it. Of `net.*` those of the
        folder `net`, or beside the module."""
        if name.endswith(".*"):
            yield from self._beside(file, name.removesuffix(".*"))
            return
        found = self.locate(file, name)
        if found is None:
            return
        yield found[0]
        for folder in folders_above(found[0]):
            package = f"{folder}/__init__.py"
            if package in self.files and package != found[0]:
                yield package

    def _beside(self, file: str, name: str) -> Iterator[str]:
        found, path = self.locate(file, name), name.replace(".", "/")
        of = dirname(found[0]) if found is not None and not found[1] else None
        for root in self._search(file) if of is None else ():
            of = next((one for one in (f"{root}/{path}".lstrip("/"),) if one in self._folders), of)
        yield from (one for one in self.files if of is not None and dirname(one) == of and one != file)

    def _walk(self, root: str, parts: list[str], *, relative: bool = False) -> tuple[str, str] | None:
        """The longest beginning of `parts` that is a module below a folder; of a relative import also a name of the
        package itself."""
        folder, found = root, None
        for count, part in enumerate(parts, start=1):
            path = f"{folder}/{part}" if folder else part
            rest = ".".join(parts[count:])
            if f"{path}.py" in self.files:
                return f"{path}.py", rest
            if f"{path}/__init__.py" in self.files:
                found = (f"{path}/__init__.py", rest)
            elif path not in self._folders:
                break
            folder = path
        if not parts and f"{root}/__init__.py".lstrip("/") in self.files:
            return f"{root}/__init__.py".lstrip("/"), ""
        if relative and found is None and f"{root}/__init__.py".lstrip("/") in self.files and len(parts) == 1:
            return f"{root}/__init__.py".lstrip("/"), parts[0]  # `from . import name`
        return found

    def _search(self, file: str) -> tuple[str, ...]:
        """The folders an absolute import may start from: the file's own, as for a script, those above it, `src`."""
        own = dirname(file)
        if own not in self._roots:
            above = folders_above(file)
            sources = [f"{folder}/src".lstrip("/") for folder in above]
            self._roots[own] = tuple(dict.fromkeys([*above, *(s for s in sources if s in self._folders)]))
        return self._roots[own]


class Names(Protocol):
    """What a file defines and imports at its top level, as `Summary` has it."""

    @property
    def functions(self) -> Mapping[str, object]:
        """By qualified name in the file."""

    @property
    def classes(self) -> Mapping[str, object]:
        """By qualified name in the file."""

    @property
    def imports(self) -> Mapping[str, str]:
        """What names are imported as."""

    @property
    def stars(self) -> tuple[str, ...]:
        """Modules of `from module import *`."""


class Modules(Paths):
    """The modules of a project by name, as each file sees them."""

    def __init__(self, summaries: Mapping[str, Names]) -> None:
        super().__init__(summaries)
        self.summaries = summaries
        self._found: dict[tuple[str, str], tuple[str, str] | None] = {}

    def definition(self, file: str, name: str) -> tuple[str, str] | None:
        """The file that defines a dotted name as `file` spells it, and the qualified name there; None for what is not
        of the project. A name of the file itself begins with ":"."""
        if name.startswith(LOCAL):
            return self._starred(file, name[1:]) or (file, name[1:])
        key = (file, name)
        if key not in self._found:
            self._found[key] = self._define(file, name, _DEEPEST)
        return self._found[key]

    def _starred(self, file: str, name: str) -> tuple[str, str] | None:
        """The file that defines a function or class that `file` has by a star import, and its name there."""
        summary = self.summaries[file]
        if not summary.stars or name in summary.functions or name in summary.classes:
            return None
        for module in summary.stars:
            found = self._define(file, f"{module}{'' if module.endswith('.') else '.'}{name}", _DEEPEST)
            if found is not None and found[0] != file:
                of = self.summaries[found[0]]
                if found[1] in of.functions or found[1] in of.classes:
                    return found
        return None

    def _hidden(self, module: str) -> tuple[str, str] | None:
        """The package of a module that imports something else by the module's name, and as what: after `from .launch
        import launch` in the package, its `launch` is no module."""
        folder, _, name = module.removesuffix(".py").rpartition("/")
        package = f"{folder}/__init__.py".lstrip("/")
        again = self.summaries[package].imports.get(name) if package in self.summaries and package != module else None
        return (package, again) if again is not None and self.locate(package, again) != (module, "") else None

    def _define(self, file: str, name: str, depth: int) -> tuple[str, str] | None:
        found = self.locate(file, name)
        if found is None or depth == 0:
            return None
        where, rest = found
        if not rest:
            hidden = self._hidden(where)
            return self._define(*hidden, depth - 1) if hidden is not None else (where, "")
        summary = self.summaries[where]
        first, _, further = rest.partition(".")
        if rest in summary.functions or rest in summary.classes or first in summary.classes:
            return where, rest
        again = summary.imports.get(first)
        if again is not None and where != file:
            return self._define(where, f"{again}.{further}" if further else again, depth - 1)
        if again is not None:
            return None
        for module in summary.stars:
            separator = "" if module.endswith(".") else "."
            starred = self._define(where, f"{module}{separator}{rest}", depth - 1)
            if starred is not None:
                return starred
        return where, rest
