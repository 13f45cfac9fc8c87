"""What stands in a program at the places that its execution names, for a person to read."""

from __future__ import annotations

import ast
from typing import Any

from codemods.kit.meaning.record import Event
from codemods.kit.meaning.values import Site
from migrate.engine.correspondence import Lines

_LONGEST = 120
_MOVES = ("to", "cuda", "cpu", "half", "float", "double", "train", "eval", "apply", "requires_grad_")


class Written:
    """The texts of a program."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self._nodes: dict[str, dict[int, list[ast.AST]]] = {}

    def node(self, site: Site, *kinds: type[ast.AST]) -> list[Any]:
        """The nodes of some kinds that begin in a line, outermost first."""
        return [one for one in self._below(site.path).get(site.line, ()) if isinstance(one, kinds)]

    def _below(self, path: str) -> dict[int, list[ast.AST]]:
        """The calls, loops and tests of a file by line."""
        if path not in self._nodes:
            found = self._nodes[path] = {}
            for one in ast.walk(self.lines.trees[path]) if path in self.lines.trees else ():
                if isinstance(one, (ast.Call, ast.For, ast.While, ast.If)):
                    found.setdefault(one.lineno, []).append(one)
        return self._nodes[path]

    def call(self, site: Site, *names: str) -> str:
        """The call of one of these names in a line, as it is written; empty without one."""
        calls = (call for call in self.node(site, ast.Call) if _name(call) in names)
        return next((_clipped(ast.unparse(call)) for call in calls), "")

    def constructed(self, site: Site) -> str:
        """What is called in a line to make a network."""
        names = (_name(call) for call in self.node(site, ast.Call))
        return next((name for name in names if name and name not in _MOVES), "") or self.given(site)

    def given(self, site: Site) -> str:
        """A line as it is written; of a function's own, that it is given."""
        text = self.text(site)
        if text.startswith(("def ", "async def ")) or not text:
            return f"the parameter {site.function}" if site.function else "what the function is given"
        return text

    def text(self, site: Site) -> str:
        """A line as it is written."""
        return _clipped(self.lines.text(site).strip())

    def head(self, site: Site) -> str:
        """A loop's first line, as it is written."""
        written = self.text(site)
        for loop in self.node(site, ast.For, ast.While) if not written.endswith(":") else ():
            return _clipped(ast.unparse(loop).splitlines()[0].removesuffix(":"))
        return written.removesuffix(":")

    def tests(self, step: Event, loop: Site) -> list[str]:
        """The conditions under which a step comes that count iterations, of the functions from a loop down to it."""
        begin = next((at for at, site in enumerate(step.chain) if site.function == loop.function), len(step.chain))
        found = []
        for site in dict.fromkeys((*step.chain[begin:], step.site)):
            for test in (node for nodes in self._below(site.path).values() for node in nodes):
                if isinstance(test, ast.If) and test.body[0].lineno <= site.line <= (test.body[-1].end_lineno or 0):
                    counts = any(isinstance(one, ast.Mod) for one in ast.walk(test.test))
                    found += [f"`{_clipped(ast.unparse(test.test))}`"] if counts else []
        return list(dict.fromkeys(found))


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _clipped(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
