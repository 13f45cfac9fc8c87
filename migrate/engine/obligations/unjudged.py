"""Training that nothing was judged of: a plain look at the text, which shares nothing with following it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from codemods.kit.meaning.names import parts_of
from codemods.kit.meaning.values import Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import FOLLOWED

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_LEAVES = frozenset({ast.Name, ast.Constant, ast.arg, ast.alias, ast.Store})
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
        here = [event for event in spent if one.call.path in {site.path for site in (event.site, *event.chain)}]
        why = "no call that was followed leads here"
        if here:
            why = f"following ended at {here[0].site}"
        elif spent:
            why += f", and not all was followed: it ended at {spent[0].site}"
        yield comparison.finding(FOLLOWED, Standing.OPEN, one.call, f"nothing of this training was judged: {why}")


def passed_over(comparison: Comparison) -> Iterator[Passed]:
    """The calls of `backward`, as they are spelled, in what the migration has to do with, that nothing led to.

    One in a function that was followed to its end does not run: on no path that there is.
    """
    record = comparison.after.record
    reached: dict[str, set[int]] = {}
    ended: dict[str, set[int]] = {}
    for event in record.events:
        for site in (event.site, *event.chain):
            reached.setdefault(site.path, set()).add(site.line)
            if event.kind == "spent":
                ended.setdefault(site.path, set()).add(site.line)
    for path, tree in comparison.lines.concerned():
        for call, loop, scope in _backwards(tree, None, tree):
            there = _within(reached.get(path, set()), scope)
            if not there or _within(ended.get(path, set()), scope):
                if not _within(there, call):
                    yield Passed(Site(path, call.lineno), Site(path, (loop or call).lineno))


def _within(lines: set[int], node: ast.AST) -> set[int]:
    """Those of a node; of a module all, whose first statement need not be its first line."""
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1_000_000)
    return {line for line in lines if first <= line <= last}


def _backwards(
    node: ast.AST, loop: ast.stmt | None, scope: ast.AST
) -> Iterator[tuple[ast.Call, ast.stmt | None, ast.AST]]:
    """The calls of `x.backward(...)` below a node, but not those by which an overriding method calls its base's; each
    with the loop of its function, and that function."""
    for child in parts_of(node):
        if type(child) in _LEAVES:
            continue
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute) and child.func.attr == "backward":
            if ast.unparse(child.func.value) not in ("super()", "self"):
                yield child, loop, scope
        if isinstance(child, _SCOPES):
            yield from _backwards(child, None, child)
        else:
            yield from _backwards(child, child if isinstance(child, _LOOPS) else loop, scope)
