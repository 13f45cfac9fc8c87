"""Who uses a kernel, directly or not: the references between the functions and classes of a project.

A reference is a name that resolves to a definition of the project through imports and re-exports; it need not be a
call, so that `self.nms = NMS()` and `RoIAlignFunction.apply` count. What is reached by a name made up at run time is
not found.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from migrate.kernels import Definition, Kernel, Outline
from migrate.modules import Modules

Node = tuple[str, str]
"""A file and a definition at its top level; "" for what stands outside of them."""
MOST_CHAINS = 5


@dataclass(frozen=True)
class Use:
    """A definition that uses a kernel, or another that does."""

    name: str
    """Empty for what stands at the top level of the file."""
    file: str
    line: int


class Callers:
    """The references of a project."""

    def __init__(self, outlines: Mapping[str, Outline]) -> None:
        """`outlines` by path, with `/` between the parts."""
        self.outlines = outlines
        self.modules = Modules(outlines)
        self.users: dict[Node, dict[Node, int]] = defaultdict(dict)
        """By definition, those that use it, with the line."""
        for file, one in outlines.items():
            for name, definition in _definitions(one):
                for used, line in definition.uses.items():
                    target = self._target(file, used)
                    if target and target != (file, name):
                        self.users[target].setdefault((file, name), line)

    def chains(self, kernel: Kernel, training: Collection[str] = ()) -> list[tuple[Use, ...]]:
        """The shortest ways from a kernel to what starts it, each from the kernel's own user on; first those to files
        that train."""
        direct = dict(self._direct(kernel))
        before: dict[Node, Node | None] = dict.fromkeys(direct)
        lines = dict(direct)
        queue = deque(direct)
        ends: list[Node] = []
        while queue:
            node = queue.popleft()
            further = {user: line for user, line in self.users.get(node, {}).items() if user not in before}
            if not self.users.get(node):
                ends.append(node)
            for user, line in further.items():
                before[user], lines[user] = node, line
                queue.append(user)
        found = [tuple(self._way(end, before, lines)) for end in ends or list(direct)]
        return sorted(found, key=lambda way: (way[-1].file not in training, len(way)))[:MOST_CHAINS]

    def _way(self, end: Node, before: Mapping[Node, Node | None], lines: Mapping[Node, int]) -> list[Use]:
        way: list[Use] = []
        node: Node | None = end
        while node is not None:
            way.append(Use(node[1], node[0], lines[node]))
            node = before[node]
        return way[::-1]

    def _direct(self, kernel: Kernel) -> Iterator[tuple[Node, int]]:
        """What uses the kernel itself."""
        if kernel.bound:
            first = kernel.bound.partition(".")[0]
            one = self.outlines[kernel.file]
            if first in one.functions or first in one.classes:
                yield from self.users.get((kernel.file, first), {}).items()
            else:  # a variable of a function
                yield from self._in_file(kernel.file, kernel.bound)
        elif kernel.name:
            for file, one in self.outlines.items():
                for name in one.modules:
                    if _means(name, file, kernel.name):
                        yield from self._importers(file, name)

    def _importers(self, file: str, imported: str) -> Iterator[tuple[Node, int]]:
        """The definitions that use what an import of the file binds; the top level when none does."""
        one = self.outlines[file]
        local = [name for name, means in one.imports.items() if imported == means or imported.startswith(f"{means}.")]
        found = [place for name in local for place in self._in_file(file, name)]
        yield from found or [((file, ""), one.modules[imported])]

    def _in_file(self, file: str, name: str) -> Iterator[tuple[Node, int]]:
        for owner, definition in _definitions(self.outlines[file]):
            lines = [line for used, line in definition.uses.items() if used == name or used.startswith(f"{name}.")]
            if lines:
                yield (file, owner), min(lines)

    def _target(self, file: str, used: str) -> Node | None:
        """The definition of the project that a dotted name of a file means."""
        one = self.outlines[file]
        first, _, rest = used.partition(".")
        if first in one.functions or first in one.classes:
            return file, first
        imported = one.imports.get(first)
        if imported is None:
            return None
        full = f"{imported}.{rest}" if rest else imported
        found = self.modules.definition(file, full) or self._elsewhere(full)
        if found is None:
            return None
        where = self.outlines[found[0]]
        # `from op import blur`, where `op/__init__.py` takes blur() from `op/blur.py`: the module hides the function.
        name = found[1].partition(".")[0] or used.rpartition(".")[2]
        return (found[0], name) if name in where.functions or name in where.classes else None

    def _elsewhere(self, name: str) -> Node | None:
        """`model.vgg` where `sys.path` holds `lib` at run time: the one file whose path ends so, and what is left."""
        parts = name.split(".")
        for count in range(len(parts), 1, -1):
            files = self._endings.get("/".join(parts[:count]) + ".py", [])
            if len(files) == 1:
                return files[0], ".".join(parts[count:])
        return None

    @cached_property
    def _endings(self) -> dict[str, list[str]]:
        """Files by each end of their path of two parts or more."""
        found: dict[str, list[str]] = defaultdict(list)
        for file in self.outlines:
            parts = file.split("/")
            for start in range(len(parts) - 1):
                found["/".join(parts[start:])].append(file)
        return found


def _definitions(one: Outline) -> Iterator[tuple[str, Definition]]:
    yield from one.functions.items()
    yield from one.classes.items()
    yield "", one.top


def _means(imported: str, file: str, extension: str) -> bool:
    """Whether an import of a file is the extension: by its whole name, or relative to the file's folder."""
    if not imported.startswith("."):
        return imported == extension or imported.startswith(f"{extension}.")
    dots = len(imported) - len(imported.lstrip("."))
    folders = file.split("/")[:-dots]
    full = ".".join([*folders, imported.lstrip(".")])
    # Where the package begins is not known: its name and the path may each be longer than the other.
    return f".{extension}." in f".{full}." or extension.endswith(f".{full}")
