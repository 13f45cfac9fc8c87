"""What stands in for an optional library: `try: from apex... import Norm`, `except ImportError: Norm = nn.LayerNorm`.

Where the library is not installed its import fails, and the handler is all that runs of the `try`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.names import Binding, dotted
from codemods.kit.options import text
from codemods.kit.script import Script
from codemods.kit.tree import walk

_CAUGHT = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


def stand_in(script: Script, try_: cst.Try, package: str, useless: tuple[str, ...]) -> cst.ExceptHandler | None:
    """The handler that can take the place of a `try` that begins with an import of a package, and should: what it uses
    of the package is useless, by these prefixes, or it uses nothing, and somebody wants what the handler binds."""
    names = [name for statement in try_.body.body for name in imported(statement, package)]
    handler = _fallback(script, try_) if any(imported(try_.body.body[0], package)) else None
    if handler is None or not _is_wanted(script, try_, handler):
        return None
    uses = [use for name in names for use, _ in script.names.uses(name)]
    needless = uses or only_imports(try_, package)
    return handler if needless and all(use.startswith(useless) for use in uses) else None


def _fallback(script: Script, try_: cst.Try) -> cst.ExceptHandler | None:
    """The handler of a `try` that catches a failing import, goes on, and binds all that anybody takes from there."""
    if try_.orelse is not None or try_.finalbody is not None or len(try_.handlers) != 1:
        return None
    handler = try_.handlers[0]
    if not _catches(handler) or any(isinstance(node, cst.Raise) for node in walk(handler)):
        return None
    bound = {binding.name for binding in _bindings(script, try_, handler.body)}
    missed = {binding.name for binding in _bindings(script, try_, try_.body)} - bound
    return None if any(is_read(script, name, try_) for name in missed) else handler


def _is_wanted(script: Script, try_: cst.Try, handler: cst.ExceptHandler) -> bool:
    """Whether a handler binds what somebody may want: something that is read, or more than a constant."""
    return any(
        binding.kind != "assign" or is_read(script, binding.name, try_)
        for binding in _bindings(script, try_, handler.body)
    )


def is_read(script: Script, name: str, try_: cst.Try) -> bool:
    """Whether a name is read outside of the `try` that binds it, or handed on."""
    tree = script.tree
    return is_handed_on(script, name) or any(
        _reads(script, node) and not tree.contains(try_, node) for node in script.names.named(name)
    )


def is_handed_on(script: Script, name: str) -> bool:
    """Whether other files take a name from here, or `__all__` offers it to them."""
    return name in script.links.wanted or any(
        text(each) == name and code_of(script.tree.small_statement(each) or each).startswith("__all__")
        for each in script.tree.all(cst.SimpleString)
    )


def _reads(script: Script, node: cst.Name) -> bool:
    parent = script.tree.parent[node]
    return parent.value is node if isinstance(parent, cst.Attribute) else script.names.is_reference(node)


def _bindings(script: Script, try_: cst.Try, block: cst.BaseSuite) -> Iterator[Binding]:
    for bindings in script.names.scope(try_).names.values():
        yield from (binding for binding in bindings if script.tree.contains(block, binding.node))


def _catches(handler: cst.ExceptHandler) -> bool:
    """Whether a handler catches that an import fails, and does not ask how."""
    if handler.name is not None:
        return False
    types = handler.type
    several = [element.value for element in types.elements] if isinstance(types, cst.Tuple) else [types]
    return any(each is None or dotted(each) in _CAUGHT for each in several)


def is_of(script: Script, node: cst.BaseExpression, tries: Collection[cst.Try]) -> bool:
    """Whether an expression stands in one of these, or begins with a name that is bound there."""
    while isinstance(node, cst.Attribute):
        node = node.value
    bound = (node, *(binding.node for binding in script.names.bindings(node)))
    return any(outer in tries for each in bound for outer in script.tree.ancestors(each))


def imported(item: cst.CSTNode, package: str) -> list[str]:
    """What a statement imports of a package, by its full names."""
    small = item.body[0] if isinstance(item, cst.SimpleStatementLine) and len(item.body) == 1 else item
    if not isinstance(small, cst.Import | cst.ImportFrom) or isinstance(small.names, cst.ImportStar):
        return []
    if isinstance(small, cst.ImportFrom) and small.relative:
        return []
    before = f"{dotted(small.module)}." if isinstance(small, cst.ImportFrom) else ""
    names = [f"{before}{dotted(alias.name)}" for alias in small.names]
    return [name for name in names if name.partition(".")[0] == package]


def only_imports(try_: cst.Try, package: str) -> bool:
    """Whether a `try` does nothing but import from a package."""
    return not try_.orelse and not try_.finalbody and all(imported(item, package) for item in try_.body.body)


def bound_by(statement: cst.Import | cst.ImportFrom) -> list[str]:
    """The names that an import statement binds."""
    aliases = () if isinstance(statement.names, cst.ImportStar) else statement.names
    return [(alias.evaluated_alias or alias.evaluated_name).partition(".")[0] for alias in aliases]
