"""Which hunks of a migration need which others: a person may take some of them, and what is taken has to stand."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from migrate.render.diff import Hunk, apply_hunks

_Scope = tuple[str, ...]
"""The functions and classes that something stands in."""
_BLOCKS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass
class _Names:
    """The names that a text reads and binds, each with its line and scope."""

    read: list[tuple[str, int, _Scope]] = field(default_factory=list)
    bound: list[tuple[str, int, _Scope]] = field(default_factory=list)

    def visit(self, node: ast.AST, scope: _Scope = ()) -> _Names:
        """Take in what is below a node."""
        for child in ast.iter_child_nodes(node):
            line = getattr(child, "lineno", 0)
            if isinstance(child, ast.Name):
                (self.read if isinstance(child.ctx, ast.Load) else self.bound).append((child.id, line, scope))
            elif isinstance(child, ast.alias):
                self.bound.append((child.asname or child.name.partition(".")[0], line, scope))
            elif isinstance(child, ast.arg):
                self.bound.append((child.arg, line, scope))
            elif isinstance(child, _BLOCKS | ast.ExceptHandler) and child.name:
                self.bound.append((child.name, line, scope))
            self.visit(child, (*scope, child.name) if isinstance(child, _BLOCKS) else scope)
        return self


class Needs:
    """The hunks of one migration of a script. What it needs is worked out once for each hunk, when it is asked."""

    def __init__(self, source: str, result: str, hunks: Sequence[Hunk]) -> None:
        self.source, self.result, self.hunks = source, result, hunks
        self._known: dict[int, list[int]] = {}

    def of(self, hunk: Hunk) -> list[Hunk]:
        """The hunk with as few others as it needs: their imports and definitions. Empty when none stand."""
        number = self.hunks.index(hunk)
        if number not in self._known:
            self._known[number] = self._stand(number)
        return [self.hunks[each] for each in self._known[number]]

    def _stand(self, number: int) -> list[int]:
        if self._trees is None:
            return []  # a Python 2 script is brought up to date as a whole
        taken = self._closed([number])
        if self._parses(taken):
            return sorted(taken)
        beside = [each for each in range(len(self.hunks)) if self._part(each) == self._part(number)]
        taken = self._closed({*taken, *beside})
        for other in reversed(beside):
            fewer = self._closed(taken - {other})
            if other != number and other not in fewer and number in fewer and self._parses(fewer):
                taken = fewer
        return sorted(taken) if self._parses(taken) else []

    def _closed(self, some: Iterable[int]) -> set[int]:
        """Those hunks, and what they need for their names, in turn."""
        found: set[int] = set()
        waiting = list(some)
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                waiting += self._edges[number]
        return found

    @cached_property
    def _trees(self) -> tuple[ast.Module, ast.Module] | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.source), ast.parse(self.result)
        except (SyntaxError, ValueError, RecursionError):
            return None

    @cached_property
    def _edges(self) -> dict[int, set[int]]:
        """By hunk, those that bind what its new lines read, and those whose old lines read what it no longer binds."""
        assert self._trees is not None
        before, after = (_Names().visit(tree) for tree in self._trees)
        old, new = _Lines(self.hunks, "-"), _Lines(self.hunks, "+")
        kept = {(name, scope) for name, line, scope in before.bound if old.hunk(line) is None}
        made = self._by_name(after.bound, new)
        lost = {
            name: [each for each in some if each[0] not in dict(made[name])]  # what binds it again loses nothing
            for name, some in self._by_name(before.bound, old).items()
            if name not in dict(kept)
        }
        edges: dict[int, set[int]] = defaultdict(set)
        for name, line, scope in after.read:
            number = new.hunk(line)
            if number is None or not made.get(name):
                continue
            seen = {inside: each for each, inside in made[name] if inside == scope[: len(inside)]}
            if scope not in seen and any((name, scope[:depth]) in kept for depth in range(len(scope) + 1)):
                continue  # it is there without any hunk
            edges[number].update(seen.values() or [each for each, _ in made[name]])
        for name, line, _ in before.read:
            number = old.hunk(line)
            if number is not None and name in lost:
                for each, _ in lost[name]:
                    edges[each].add(number)
        read = {name for name, _, _ in after.read}
        for name, some in lost.items():
            for each, _ in some if name in read else ():
                edges[each].update(maker for maker, _ in made[name])  # lines that stay as they are may read it
        return edges

    @staticmethod
    def _by_name(bound: Iterable[tuple[str, int, _Scope]], lines: _Lines) -> dict[str, list[tuple[int, _Scope]]]:
        found: dict[str, list[tuple[int, _Scope]]] = defaultdict(list)
        for name, line, scope in bound:
            number = lines.hunk(line)
            if number is not None:
                found[name].append((number, scope))
        return found

    @cached_property
    def _starts(self) -> list[int]:
        """The 0-based lines at which statements of the source's top level begin."""
        assert self._trees is not None
        return [min([each.lineno, *_decorators(each)]) - 1 for each in self._trees[0].body]

    def _part(self, number: int) -> int:
        return bisect_right(self._starts, self.hunks[number].old_start)

    def _parses(self, taken: Iterable[int]) -> bool:
        """Whether each statement of the top level compiles that the hunks change."""
        lines = self.source.split("\n")
        chosen = [self.hunks[number] for number in sorted(taken)]
        for part in {self._part(number) for number in taken}:
            start = self._starts[part - 1] if part else 0
            mine = [hunk for hunk in chosen if bisect_right(self._starts, hunk.old_start) == part]
            end = max([self._starts[part] if part < len(self._starts) else len(lines)]
                      + [hunk.old_start + hunk.old_count for hunk in mine])  # fmt: skip
            text = "".join(f"{line}\n" for line in lines[:end])
            part_text = apply_hunks(text, mine).split("\n")[start:]
            if not _compiles("\n".join(part_text)):
                return False
        return True


class _Lines:
    """The lines that hunks take away, or put in their place."""

    def __init__(self, hunks: Sequence[Hunk], mark: str) -> None:
        self._by_line: dict[int, int] = {}
        for number, hunk in enumerate(hunks):
            line = hunk.old_start if mark == "-" else hunk.new_start
            for sign, _ in hunk.lines:
                line += sign in (" ", mark)
                if sign == mark:
                    self._by_line[line] = number

    def hunk(self, line: int) -> int | None:
        """The number of the hunk that a 1-based line is of."""
        return self._by_line.get(line)


def _decorators(node: ast.stmt) -> Iterator[int]:
    return (each.lineno for each in getattr(node, "decorator_list", ()))


def _compiles(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<part>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
