"""What runs in each step of a training: the bodies of its loops, forwards, and the functions that these call."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.names import argument
from codemods.kit.roles import Role

if TYPE_CHECKING:
    from codemods.kit.script import Script

_HOST = ("numpy", "cpu", "tolist")
_FOLLOWED = 3
"""Functions, or names, that are followed one after the other."""


class StepCode:
    """Which code of a script runs in each step."""

    def __init__(self, script: Script) -> None:
        self.script, self.tree = script, script.tree

    @cached_property
    def bodies(self) -> list[cst.CSTNode]:
        """The bodies of the loops that train."""
        return [loop.loop.body for loop in self.script.loops.train_loops()]

    @cached_property
    def forwards(self) -> set[cst.FunctionDef]:
        """The forward methods of modules, but not of `torch.autograd.Function`."""
        named = (each for each in self.tree.all(cst.FunctionDef) if each.name.value == "forward")
        held = ((function, self.tree.class_of(function)) for function in named)
        roles = self.script.roles
        return {function for function, class_ in held if class_ and roles.class_role(class_) is Role.MODEL}

    @cached_property
    def functions(self) -> set[cst.FunctionDef]:
        """Forwards, and the functions of this file that steps call, here or in loops of other files."""
        tree, repeated = self.tree, self.script.links.repeated
        every = tree.all(cst.FunctionDef)
        found = {*self.forwards, *(each for each in every if tree.qualname(each) in repeated and self._computes(each))}
        for _ in range(_FOLLOWED):
            more = {each for each in every if each not in found and self._is_called(each, found)}
            if not more:
                break
            found |= more
        return found

    def _is_called(self, function: cst.FunctionDef, known: set[cst.FunctionDef]) -> bool:
        if function.name.value == "__init__":
            return False
        sites = self.script.roles.call_sites(function)
        return any(self.tree.function(site) in known or self._in_a_body(site) for site in sites)

    def _computes(self, function: cst.FunctionDef) -> bool:
        calls = self.tree.inside(function.body, cst.Call)
        return any((self.script.qualified(call.func) or "").startswith("torch.") for call in calls)

    def _in_a_body(self, node: cst.CSTNode) -> bool:
        return any(self.tree.contains(body, node) for body in self.bodies)

    def runs(self, node: cst.CSTNode) -> bool:
        """Whether a node runs in each step."""
        return self.tree.function(node) in self.functions or self._in_a_body(node)

    # --- where tensors are --------------------------------------------------------------------------------------

    def on_host(self, node: cst.BaseExpression, depth: int = 0) -> bool:
        """Whether an expression is made on the host: of numpy, or by `.cpu()`, `.numpy()`, here or by who passes it."""
        if isinstance(node, cst.List | cst.Tuple | cst.Dict | cst.BaseString | cst.ListComp):
            return True
        if isinstance(node, cst.Call):
            name = self.script.qualified(node.func) or ""
            read = isinstance(node.func, cst.Attribute) and node.func.attr.value in _HOST
            if read or name.startswith(("numpy.", "builtins.", "pandas.")):
                return True
            return isinstance(node.func, cst.Attribute) and not name and self.on_host(node.func.value, depth)
        if isinstance(node, cst.Subscript | cst.Attribute) and not self.script.names.bindings(node):
            return self.on_host(node.value, depth)
        return depth < _FOLLOWED and any(self.on_host(value, depth + 1) for value in self._behind(node))

    def _behind(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        found: list[cst.BaseExpression] = []
        for binding in self.script.names.bindings(node) if isinstance(node, cst.Name | cst.Attribute) else ():
            function = self.tree.enclosing(binding.node, cst.FunctionDef)
            if isinstance(binding.node, cst.Param) and isinstance(function, cst.FunctionDef):
                found += self.script.accelerator.passed(function, binding.node)
            elif binding.kind == "assign" and binding.value is not None and not binding.path:
                found.append(binding.value)
        return found

    def is_moved(self, node: cst.BaseExpression) -> bool:
        """Whether a name was given what moves to the device, or is made there."""
        for value in self._behind(node):
            device = argument(value, None, "device") if isinstance(value, cst.Call) else None
            if value in self.script.loaders.moving or (device and self.script.accelerator.means(device.value)):
                return True
        return False

    # --- what is another graph in each step -----------------------------------------------------------------------

    def masked(self, part: cst.Subscript) -> bool:
        """Whether a mask picks elements: `x[x > 0]`, `x[keep, :]`, `x[mask] -= 1`; what is assigned keeps its shape."""
        if isinstance(self.tree.parent.get(part), cst.AssignTarget):
            return False
        indexes = [element.slice.value for element in part.slice if isinstance(element.slice, cst.Index)]
        return any(map(self._is_mask, indexes)) and not self.on_host(part.value)

    def _is_mask(self, node: cst.BaseExpression, depth: int = 0) -> bool:
        if isinstance(node, cst.Name) and depth < _FOLLOWED:
            values = [binding.value for binding in self.script.names.bindings(node) if binding.kind == "assign"]
            return bool(values) and all(value is not None and self._is_mask(value, depth + 1) for value in values)
        if isinstance(node, cst.Comparison):
            plain = cst.Is | cst.IsNot | cst.In | cst.NotIn
            return not any(isinstance(target.operator, plain) for target in node.comparisons)
        if isinstance(node, cst.UnaryOperation):
            return isinstance(node.operator, cst.BitInvert)
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitAnd | cst.BitOr | cst.Multiply):
            return self._is_mask(node.left, depth) and self._is_mask(node.right, depth)
        if isinstance(node, cst.Call):
            name = self.script.qualified(node.func) or ""
            last = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
            return last in _MASKS and (not name or name.startswith("torch."))
        return False

    def filled(self, assign: cst.Assign) -> cst.For | None:
        """The loop in a step, or in a function, that writes one element of a tensor on the device in each round, at a
        position it reads: `for i, j in enumerate(index): mask[i][j] = 1`."""
        loop = self.tree.loop(assign)
        target: cst.BaseExpression = assign.targets[0].target
        if not isinstance(target, cst.Subscript) or not isinstance(loop, cst.For) or loop.body in self.bodies:
            return None
        indexes: list[cst.BaseSlice] = []
        while isinstance(target, cst.Subscript):
            indexes += [element.slice for element in target.slice]
            target = target.value
        function = self.tree.function(assign)
        called = function is not None and function.name.value != "__init__"  # by a step of another file, perhaps
        if not (called or self.runs(assign)) or not all(isinstance(index, cst.Index) for index in indexes):
            return None
        made = [b.value for b in self.script.names.bindings(target) if self.tree.before(b.node, assign)]
        if not made or not all(value is not None and self._makes_there(value) for value in made):
            return None
        positions = [index.value for index in indexes if isinstance(index, cst.Index)]
        return loop if any(self._is_read(position) for position in positions) else None

    def _makes_there(self, value: cst.BaseExpression) -> bool:
        """Whether a call makes a tensor on the device, or moves one there."""
        if not isinstance(value, cst.Call):
            return False
        device = argument(value, None, "device")
        likes = (self.script.qualified(value.func) or "").endswith(("zeros_like", "ones_like", "full_like"))
        there = device is not None and self.script.accelerator.means(device.value)
        return there or value in self.script.loaders.moving or (likes and not self.on_host(value.args[0].value))

    def _is_read(self, position: cst.BaseExpression) -> bool:
        """Whether a position is one of what a loop goes through, or is read of something: not only counted."""
        if isinstance(position, cst.Subscript | cst.Call):
            return True
        for binding in self.script.names.bindings(position) if isinstance(position, cst.Name) else ():
            iterated = binding.value if binding.kind == "for" else None
            name = self.script.qualified(iterated.func) if isinstance(iterated, cst.Call) else None
            counted = name == "builtins.range" or (name == "builtins.enumerate" and binding.path == (0,))
            if iterated is not None and not counted:
                return True
        return False

    def drawn(self, test: cst.BaseExpression) -> bool:
        """Whether a choice in an inner loop is drawn on the host: `x if random.random() < p else y`."""
        loop = self.tree.loop(test)
        inner = loop is not None and loop.body not in self.bodies
        calls = self.tree.inside(test, cst.Call)
        drawn = ((self.script.qualified(call.func) or "") for call in calls)
        return inner and any(name.startswith(("random.", "numpy.random.")) for name in drawn)

    def moves(self, part: cst.Subscript) -> bool:
        """Whether a slice of a tensor on the device is another one in each step: `rays[i : i + n]`, with an `i` that
        the loop counts up."""
        bounds = [bound for element in part.slice if isinstance(element.slice, cst.Slice)
                  for bound in (element.slice.lower, element.slice.upper) if bound is not None]  # fmt: skip
        names = [name for bound in bounds for name in self.tree.inside(bound, cst.Name)]
        return any(map(self._is_counted, names)) and self.is_moved(part.value)

    def _is_counted(self, name: cst.Name) -> bool:
        for binding in self.script.names.bindings(name):
            if binding.kind == "augmented" and self._in_a_body(binding.node):
                return True
            if isinstance(binding.node, cst.For) and binding.node.body in self.bodies:
                over = binding.node.iter
                counts = isinstance(over, cst.Call) and code_of(over.func) == "range"
                return counts and bool(self.tree.inside(over, cst.Name)[1:])  # a few slices, where all is literal
        return False


_MASKS = frozenset((
    "bool", "ge", "gt", "le", "lt", "eq", "ne", "isnan", "isinf", "isfinite", "isin", "logical_and", "logical_or",
    "logical_not", "greater", "less", "greater_equal", "less_equal", "not_equal",
))  # fmt: skip
