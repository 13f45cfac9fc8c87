"""Functions of a script that bring values of what they are passed to the host: `history.append(loss.item())`.

A loop that calls one with a loss reads the loss there, as if the `.item()` stood in the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.steps import counts

if TYPE_CHECKING:
    from codemods.kit.script import Script

READING = {"item", "tolist", "numpy"}
"""Methods that bring a tensor's values to the host."""
_DEEPEST = 3


class Readers:
    """The functions of a script that read, and the calls of them."""

    def __init__(self, script: Script) -> None:
        self.script, self.tree = script, script.tree

    @cached_property
    def calls(self) -> set[cst.Call]:
        """The calls of functions that read, of this file and of others."""
        found = set(self.tree.calls_numbered(self.script.links.reading))
        return found.union(*(self.script.roles.call_sites(function) for function in self.functions))

    @cached_property
    def functions(self) -> set[cst.FunctionDef]:
        """The functions that read in every call, and neither differentiate nor step: those settle their own reads."""
        reads = [call for call in self.tree.all(cst.Call) if self._brings(call)]
        reads += self.tree.calls_numbered(self.script.links.reading)
        found: set[cst.FunctionDef] = set()
        while reads:
            call = reads.pop()
            function = self.tree.function(call)
            if function is not None and function not in found and self._reads(call, function):
                found.add(function)
                reads += self.script.roles.call_sites(function)
        return found

    def _brings(self, call: cst.Call) -> bool:
        return isinstance(call.func, cst.Attribute) and call.func.attr.value in (*READING, "cpu")

    def _reads(self, call: cst.Call, function: cst.FunctionDef) -> bool:
        """Whether a call that reads has the function it is in read what it is passed, whenever it is called."""
        loops = self.script.loops
        if function in loops.stepping or any(backward.function is function for backward in loops.backwards):
            return False
        if is_periodic(self.script, call, function):
            return False
        read = [call.func.value] if isinstance(call.func, cst.Attribute) and self._brings(call) else []
        read += [] if read else [arg.value for arg in call.args]
        return any(self._is_passed(each, function) for each in read)

    def _is_passed(self, node: cst.BaseExpression, function: cst.FunctionDef, depth: int = 0) -> bool:
        """Whether an expression is made of a parameter: by methods, indexing, arithmetic, or a loop over it."""
        for part in _roots(node):
            for binding in self.script.names.bindings(part):
                if binding.kind == "parameter" and self.tree.function(part) is function:
                    return part.value not in ("self", "cls")
                if binding.kind in ("assign", "for") and binding.value is not None and depth < _DEEPEST:
                    if self._is_passed(binding.value, function, depth + 1):
                        return True
        return False


def is_periodic(script: Script, statement: cst.CSTNode, region: cst.CSTNode) -> bool:
    """Whether a statement of a loop or function runs only every so many iterations."""
    for outer in script.tree.ancestors(statement):
        if outer is region:
            return False
        if isinstance(outer, cst.If) and counts(outer.test):
            return True
    return False


def _roots(node: cst.BaseExpression) -> Iterator[cst.Name]:
    """The names at the roots of an expression: `a` and `b` of `a.sum() * b[0]`."""
    if isinstance(node, cst.Name):
        yield node
    elif isinstance(node, cst.Call):
        yield from _roots(node.func)
    elif isinstance(node, cst.Attribute | cst.Subscript):
        yield from _roots(node.value)
    elif isinstance(node, cst.BinaryOperation):
        yield from (*_roots(node.left), *_roots(node.right))
