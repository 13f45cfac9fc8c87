"""The chain that justifies an edit, where its codemod gives none: what values are, what names mean."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.roles import Role, sorted_values
from codemods.kit.script import Script

_TELLING = (Role.MODEL, Role.OPTIMIZER, Role.LOADER, Role.SCALER, Role.BATCH, Role.LOSS, Role.DEVICE, Role.TENSOR)
_LONGEST = 60


def evidence_of(script: Script, node: cst.CSTNode) -> tuple[str, ...]:
    """From where the first value in a node comes that has a part in training, or what its first library name means, or
    where its first name gets its value; empty where an edit rests on its own spelling: `if __name__ == "__main__":`.
    """
    every = list(_expressions(node))
    above = script.tree.parent.get(node)
    if isinstance(node, cst.Arg) and isinstance(above, cst.Call):
        every += [above, above.func]
    for expression in every:
        for value in sorted_values(script.roles.values(expression)):
            if value.role in _TELLING and value.evidence:
                return value.evidence
    said = next((said for expression in every if (said := _meant(script, expression))), ())
    return said or next((said for expression in every if (said := _bound(script, expression))), ())


def _expressions(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Those in which an edit's reason may lie, the nearest first: what is called or given, not what a block holds."""
    if isinstance(node, cst.SimpleStatementLine):
        for item in node.body:
            yield from _expressions(item)
    elif isinstance(node, cst.Arg | cst.Expr | cst.Return | cst.Assign | cst.AnnAssign | cst.AugAssign | cst.Element):
        if node.value is not None:
            yield from _expressions(node.value)
        if isinstance(node, cst.Assign):
            yield from (each.target for each in node.targets)
    elif isinstance(node, cst.For):
        yield from _expressions(node.iter)
    elif isinstance(node, cst.If | cst.While):
        yield from _expressions(node.test)
    elif isinstance(node, cst.With):
        for each in node.items:
            yield from _expressions(each.item)
    elif isinstance(node, cst.Decorator):
        yield from _expressions(node.decorator)
    elif isinstance(node, cst.Call):
        yield node
        if isinstance(node.func, cst.Attribute):
            yield node.func.value
        for argument in node.args:
            yield from _expressions(argument.value)
        yield node.func
    elif isinstance(node, cst.BaseExpression):
        yield node
        for child in node.children:
            if isinstance(child, cst.BaseExpression | cst.Arg | cst.Element | cst.ComparisonTarget):
                yield from _expressions(getattr(child, "comparator", child))


def _meant(script: Script, expression: cst.BaseExpression) -> tuple[str, ...]:
    """The line that imports a library's name, and what the name means."""
    func = expression.func if isinstance(expression, cst.Call) else expression
    meant = script.qualified(func)
    if meant is None or meant.startswith("builtins."):
        return ()
    first = func
    while isinstance(first, cst.Attribute):
        first = first.value
    bindings = script.names.bindings(first) if isinstance(first, cst.Name) else []
    where = f": `{bindings[0].name}` of line {script.tree.line(bindings[0].node)}" if bindings else ""
    return (f"`{_short(func)}` is {meant}{where}",)


def _bound(script: Script, expression: cst.BaseExpression) -> tuple[str, ...]:
    """Where a name of the script's own gets its value."""
    if not isinstance(expression, cst.Name | cst.Attribute):
        return ()
    lines = [f"`{each.name}` gets its value at line {script.tree.line(each.node)}"
             for each in script.names.bindings(expression)[:2]]  # fmt: skip
    return tuple(dict.fromkeys(lines))


def _short(node: cst.CSTNode) -> str:
    text = " ".join(code_of(node).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
