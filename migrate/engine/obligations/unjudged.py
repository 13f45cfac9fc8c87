"""Training that nothing was judged of: a plain look at the text, which shares nothing with following it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from codemods.kit.meaning.values import Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import FOLLOWED

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Passed:
    """A call of `backward` that following never came to."""

    call: Site
    loop: Site
    """The innermost loop around it; the call itself where its function has none."""


def unjudged(comparison: Comparison) -> Iterator[Finding]:
    """Training that was not followed: who reads the certificate has to know that it does not speak of it."""
    spent = comparison.after.record.of("spent")
    for one in passed_over(comparison):
        why = f"following ended at {spent[0].site}" if spent else "no call that was followed leads here"
        yield comparison.finding(FOLLOWED, Standing.OPEN, one.call, f"nothing of this training was judged: {why}")


def passed_over(comparison: Comparison) -> Iterator[Passed]:
    """The calls of `backward`, as they are spelled, that no event stands at, in what the migration has to do with."""
    reached = {
        (site.path, site.line) for event in comparison.after.record.events for site in (event.site, *event.chain)
    }
    for path, tree in comparison.lines.concerned():
        for call, loop in _backwards(tree, None):
            lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
            if not any((path, line) in reached for line in lines):
                yield Passed(Site(path, call.lineno), Site(path, (loop or call).lineno))


def _backwards(node: ast.AST, loop: ast.stmt | None) -> Iterator[tuple[ast.Call, ast.stmt | None]]:
    """The calls of `x.backward(...)` below a node, but not those by which an overriding method calls its base's."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute) and child.func.attr == "backward":
            if ast.unparse(child.func.value) not in ("super()", "self"):
                yield child, loop
        inner = child if isinstance(child, _LOOPS) else None if isinstance(child, _SCOPES) else loop
        yield from _backwards(child, inner)
