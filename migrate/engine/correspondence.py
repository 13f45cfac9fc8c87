"""Which line of an original a line of its migration comes from, and which files of a program are run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from codemods.kit.meaning.values import Site
from migrate.engine.bindings import bound_alike
from migrate.engine.collected import is_collected

_WORD = re.compile(r"\w+")
_TRAINING = re.compile(r"train(?!ed)|optim|backward|\.step\(|\bfit\b|learner", re.IGNORECASE)
_LARGEST = 40_000
"""Blocks of more pairs of lines are matched by their length alone."""


class Lines:
    """Line by line, an original text and a migrated one, matched by what they share."""

    def __init__(self, original: Mapping[str, str], migrated: Mapping[str, str]) -> None:
        self._original = original
        self._migrated = migrated
        self._maps: dict[str, list[int]] = {}
        self.trees = _parsed(migrated)
        """The migrated files that can be read, by path."""

    def source_line(self, path: str, line: int) -> int:
        """The original's line of a line of the migrated file; 0 when nothing of it is in the original."""
        if path not in self._original:
            return 0
        found = self._map(path)
        return found[line] if 0 < line < len(found) else 0

    def source(self, site: Site) -> tuple[str, int]:
        """Where something of the migrated program stands in the original."""
        return site.path, self.source_line(site.path, site.line)

    def text(self, site: Site) -> str:
        """A line of the migrated program."""
        lines = self._migrated.get(site.path, "").splitlines()
        return lines[site.line - 1] if 0 < site.line <= len(lines) else ""

    def bound_before(self, site: Site, message: str) -> bool:
        """Whether the original binds the name that a message is about under the conditions of the migrated file."""
        if site.path not in self._original or "on every path" not in message:
            return False
        before = _parsed({site.path: self._original[site.path]}).get(site.path)
        after = self.trees.get(site.path)
        if before is None or after is None:
            return False
        return bound_alike(before, after, site.line, message.split("`")[1])

    def concerned(self) -> Iterator[tuple[str, ast.Module]]:
        """The files that a migration has to do with: those it changed, and those that they import. Not tests."""
        changed = {path for path in self.trees if self._original.get(path) != self._migrated[path]}
        imported = {name for path in changed for name in _imported(self.trees[path])}
        for path, tree in self.trees.items():
            if (path in changed or _stem(path) in imported) and not is_collected(path, tree):
                yield path, tree

    def guarded(self, site: Site) -> bool:
        """Whether a line of the migrated program runs only when its file is run, not when it is imported."""
        tree = self.trees.get(site.path)
        return tree is None or any(
            _asks_for_main(node) and node.lineno <= site.line <= (node.end_lineno or 0) for node in tree.body
        )

    def trains(self, path: str) -> bool:
        """Whether a file of the migrated program speaks of training."""
        return _TRAINING.search(self._migrated.get(path, "")) is not None

    def saves_if_better(self) -> Iterator[Site]:
        """Where the migrated program calls `xm.save` under a comparison of two values of which none is written down."""
        for path, tree in self.trees.items():
            every = ast.walk(tree) if "xm.save" in self._migrated[path] else ()
            tests = [one for one in every if isinstance(one, ast.If)]
            inside = [one for test in tests if _compares(test.test) for below in test.body for one in ast.walk(below)]
            saves = (one for one in inside if isinstance(one, ast.Call) and ast.unparse(one.func) == "xm.save")
            yield from (Site(path, one.lineno) for one in saves)

    def saves_after_a_leave(self, *, of_one: bool) -> Iterator[Site]:
        """Where the migrated program calls `xm.save` below a `return` or `continue` under a condition that asks for the
        rank; or, where not `of_one`, that compares values."""
        for path, tree in self.trees.items():
            every = ast.walk(tree) if "xm.save" in self._migrated[path] else ()
            for block in (block for one in every for block in _blocks_of(one)):
                left = False
                for item in block:
                    saves = (one for one in ast.walk(item) if isinstance(one, ast.Call)) if left else ()
                    yield from (Site(path, one.lineno) for one in saves if ast.unparse(one.func) == "xm.save")
                    left = left or (isinstance(item, ast.If) and _leaves(item, of_one=of_one))

    def _map(self, path: str) -> list[int]:
        known = self._maps.get(path)
        if known is None:
            known = self._maps[path] = _matched(self._original[path], self._migrated[path])
        return known


def _parsed(texts: Mapping[str, str]) -> dict[str, ast.Module]:
    trees: dict[str, ast.Module] = {}
    for path, text in texts.items():
        try:
            trees[path] = ast.parse(text.lstrip("\ufeff"), path)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # its migration says so
    return trees


def _compares(test: ast.expr) -> bool:
    every = (one for one in ast.walk(test) if isinstance(one, ast.Compare) and isinstance(one.ops[0], _ORDER))
    return any(not isinstance(side, ast.Constant) for one in every for side in one.comparators)


def _blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.For, ast.While, ast.If, ast.With, ast.Try)
    if isinstance(node, functions):
        yield from (getattr(node, name, []) for name in ("body", "orelse", "finalbody"))


def _leaves(item: ast.If, *, of_one: bool) -> bool:
    asks = _OF_ONE.search(ast.unparse(item.test)) is not None or (not of_one and _compares(item.test))
    return asks and any(isinstance(one, ast.Return | ast.Continue) for below in item.body for one in ast.walk(below))


_OF_ONE = re.compile(r"rank|ordinal|(?<![a-z])(?:main|master|primary|chief|leader)(?![a-z])", re.IGNORECASE)
"""In a condition that lets one process through."""
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def _matched(original: str, migrated: str) -> list[int]:
    """For each line of `migrated`, 1-based, a line of `original`: the same, or one of those it took the place of."""
    before, after = original.splitlines(), migrated.splitlines()
    found = [0] * (len(after) + 1)
    if original == migrated:
        return list(range(len(after) + 1))
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    matcher = SequenceMatcher(None, before[start:], after[start:], autojunk=False)
    gone: list[int] = []
    new: list[int] = []
    found[1 : start + 1] = range(1, start + 1)
    for kind, first, last, new_first, new_last in matcher.get_opcodes():
        gone += range(start + first, start + last) if kind in ("replace", "delete") else ()
        new += range(start + new_first, start + new_last) if kind == "insert" else ()
        if kind == "replace":
            pairs = _aligned(before[start + first : start + last], after[start + new_first : start + new_last])
            for at, pair in enumerate(pairs, start + new_first + 1):
                found[at] = start + first + pair
            continue
        for at in range(new_first, new_last):  # equal, or inserted: beside the line above it
            found[start + at + 1] = start + first + (at - new_first + 1 if kind == "equal" else 0)
    for at, line in _moved([(one, before[one]) for one in gone], [(one, after[one]) for one in new]):
        found[at + 1] = line + 1
    return found


def _moved(gone: list[tuple[int, str]], new: list[tuple[int, str]]) -> Iterator[tuple[int, int]]:
    """Which of the lines that are gone stand elsewhere now, in a function perhaps, and are indented otherwise."""
    gone, new = [one for one in gone if one[1].strip()], [one for one in new if one[1].strip()]
    before, after = ([line.strip() for _, line in one] for one in (gone, new))
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    if not any(code[0] == "equal" for code in codes):
        return
    for kind, first, last, new_first, new_last in codes:
        if kind == "equal":
            yield from zip((at for at, _ in new[new_first:new_last]), (at for at, _ in gone[first:last]), strict=True)
        elif kind == "replace":
            pairs = _aligned(before[first:last], after[new_first:new_last])
            placed = zip(new[new_first:new_last], (gone[first + pair - 1] for pair in pairs), strict=True)
            yield from ((at, old) for (at, line), (old, was) in placed if _alike(was, line))


def _alike(one: str, two: str) -> bool:
    """Whether a line that is new may be an edited form of one that is gone: it is not merely what was put in."""
    words, others = (set(_WORD.findall(line)) for line in (one, two))
    return 5 * len(words & others) > len(words | others)


def _aligned(before: list[str], after: list[str]) -> list[int]:
    """For each line of a block the line, 1-based, of the block it took the place of: in order, the most alike."""
    if len(before) * len(after) > _LARGEST:
        return [1 + at * len(before) // len(after) for at in range(len(after))]
    words = [set(_WORD.findall(line)) for line in before]
    rows: list[list[tuple[float, int]]] = []
    for line in after:
        own = set(_WORD.findall(line))
        row: list[tuple[float, int]] = []
        best, chosen = 0.0, 0
        for at, others in enumerate(words):
            if (rows and rows[-1][at][0] > best) or not at:
                best, chosen = (rows[-1][at][0], at) if rows else (0.0, 0)
            row.append((best + len(own & others) / (1 + len(own | others)), chosen))
        rows.append(row)
    at = max(range(len(before)), key=lambda one: rows[-1][one][0])
    found = []
    for row in reversed(rows):
        found.append(at + 1)
        at = row[at][1]
    return found[::-1]


def entries(trees: Mapping[str, ast.Module]) -> list[str]:
    """The files of a program that are run: those that say so, and those no other file imports. Not its tests."""
    imported = {name for tree in trees.values() for name in _imported(tree)}
    programs = {path: tree for path, tree in trees.items() if not is_collected(path, tree)}
    found = [path for path, tree in programs.items() if _runs(tree) or _stem(path) not in imported]
    return found or list(programs)


def _stem(path: str) -> str:
    parts = path.removesuffix(".py").split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


def _imported(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    todo: list[ast.AST] = list(tree.body)
    while todo:  # imports are statements: no expression is looked at
        node = todo.pop()
        if isinstance(node, ast.Import):
            found.update(part for alias in node.names for part in alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            found.update((node.module or "").split("."))
            found.update(alias.name for alias in node.names)
        elif type(node) not in _SIMPLE:
            for name in _BLOCKS:
                todo += getattr(node, name, ())
    return found


_SIMPLE = frozenset({ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return})
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


def _asks_for_main(node: ast.stmt) -> bool:
    tests = ast.walk(node.test) if isinstance(node, ast.If) else ()
    return any(isinstance(one, ast.Constant) and one.value == "__main__" for one in tests)


def _runs(tree: ast.Module) -> bool:
    """Whether a file has an `if __name__ == "__main__"` or an entry for launchers."""
    for node in tree.body:
        if _asks_for_main(node):
            return True
        if isinstance(node, ast.FunctionDef) and node.name == "_mp_fn":
            return True
    return False
