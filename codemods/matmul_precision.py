"""Say where a TPU's float32 is not enough.

A TPU multiplies float32 matrices, and convolves, in bfloat16 unless it is told otherwise: 8 bits of each number are
left. Most networks train as well with that, and nothing is said of them. Some do not: what is multiplied are
coordinates (of 512 pixels in a row half become their neighbours), a sine is taken of a large product, second
derivatives are in the loss, near points are found by `|x|^2 + |y|^2 - 2xy`. CUDA multiplies float32 as float32 there.
A script that sets the precision, or turns TensorFloat-32 off (the codemod `backend_flags`), has decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher
from codemods.kit.tree import walk

_PRODUCTS = {"torch.matmul", "torch.mm", "torch.bmm", "torch.nn.functional.linear", "torch.inner"}
_METHODS = {"matmul", "mm", "bmm"}
_LAYERS = ("torch.nn.Linear", "torch.nn.Conv")
_GRIDS = {"torch.linspace", "torch.meshgrid", "torch.cartesian_prod", "numpy.linspace", "numpy.meshgrid",
          "numpy.mgrid", "numpy.ogrid", "torch.nn.functional.affine_grid"}  # fmt: skip
_WAVES = {"torch.sin", "torch.cos"}
_GRADIENT = "torch.autograd.grad"
_DECIDED = ("set_mat_mul_precision", "_xla_set_use_full_mat_mul_precision")
_LARGE = 5
_DEEP = 6
_BEFORE = """\
import torch


class Sine(torch.nn.Module):
    def forward(self, x):
        return torch.sin(30 * x)


net = torch.nn.Sequential(torch.nn.Linear(2, 256), Sine(), torch.nn.Linear(256, 3)).cuda()
"""


class MatmulPrecision(Codemod):
    """Say where a TPU's float32 is not enough."""

    STAGE = Stage.TIDY
    LAUNCHERS = (Launcher.TORCH_XLA,)
    RULES = (
        Rule("TC347", "what bfloat16 may not be enough for", Safety.NOTE, Severity.WARNING,
             advice='on a TPU, torch_xla.backends.set_mat_mul_precision("highest") before the first step (torch_xla '
             '2.8 and later; "high" costs less) multiplies float32 as CUDA does',
             document="torch_xla 2.9 backends/__init__.py set_mat_mul_precision: on a TPU, default is bfloat16"),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE), Example(before="import torch\n\nx = torch.sin(torch.ones(2).cuda())\n"))

    def rewrite(self) -> None:
        decided = any(word in self.script.tree.source for word in _DECIDED)
        flags = any("multiplied as float32" in change.message for change in self.edits.changes)
        if self.script.on_cpu or not self.script.uses_torch or decided or flags:
            return
        for what, found in (
            ("a sine of what is multiplied", self._waves()),
            ("second derivatives", self._second_derivatives()),
            ("a distance as a difference of products", self._distances()),
            ("coordinates that are multiplied", self._coordinates()),
        ):
            first = next(found, None)
            if first is not None:
                self.note("TC347", first, f"{what}: a TPU multiplies float32 as bfloat16, with 8 bits of it")
                return

    # --- products -----------------------------------------------------------------------------------------------------

    def _is_plain_product(self, node: cst.CSTNode) -> bool:
        """Whether an expression multiplies two matrices: `@`, `torch.matmul`, `.bmm`."""
        if isinstance(node, cst.BinaryOperation):
            return isinstance(node.operator, cst.MatrixMultiply)
        if not isinstance(node, cst.Call):
            return False
        method = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
        name = self.script.qualified(node.func)
        return name in _PRODUCTS or (name is None and method in _METHODS)

    def _is_product(self, node: cst.CSTNode) -> bool:
        """The same, or a layer or a network."""
        if not isinstance(node, cst.Call) or self._is_plain_product(node):
            return self._is_plain_product(node)
        name = self.script.qualified(node.func)
        made = [one.value for one in self.script.names.bindings(node.func) if isinstance(one.value, cst.Call)]
        layer = any((self.script.qualified(one.func) or "").startswith(_LAYERS) for one in made)
        return layer or (name is None and self.script.is_a(node.func, Role.MODEL))

    def _waves(self) -> Iterator[cst.CSTNode]:
        """`sin(30 * layer(x))`, `sin(x @ frequencies)`, and a layer that gives `sin(30 * x)` of what it is given."""
        for call in self.script.tree.all(cst.Call):
            method = isinstance(call.func, cst.Attribute) and call.func.attr.value in ("sin", "cos")
            if self.script.qualified(call.func) in _WAVES and call.args:
                value = call.args[0].value
            elif method and not call.args and isinstance(call.func, cst.Attribute):
                value = call.func.value
            else:
                continue
            if isinstance(value, cst.Name):
                value = self.script.names.assigned(value) or value
            if self._is_activation(call, value) or (_is_scaled(value) and any(map(self._is_product, walk(value)))):
                yield call

    def _is_activation(self, call: cst.Call, value: cst.BaseExpression) -> bool:
        """`return torch.sin(self.w0 * x)` in `forward(self, x)` of a module."""
        function, class_ = self.script.tree.function(call), self.script.tree.class_of(call)
        if function is None or class_ is None or function.name.value != "forward":
            return False
        given = [param.name.value for param in function.params.params]
        returned = isinstance(self.script.tree.parent.get(call), cst.Return)
        if not returned or not isinstance(value, cst.BinaryOperation) or not _is_scaled(value):
            return False
        return any(isinstance(one, cst.Name) and one.value in given[1:] for one in (value.left, value.right))

    # --- derivatives --------------------------------------------------------------------------------------------------

    def _second_derivatives(self) -> Iterator[cst.CSTNode]:
        """`grad(u_x, x)` of `u_x = grad(u, x, create_graph=True)[0]`, by itself or by a function that does so."""
        for call in self.script.tree.all(cst.Call):
            if self._derives(call) and call.args and self._is_derivative(call.args[0].value, 0):
                yield call

    def _derives(self, call: cst.Call) -> bool:
        if self.script.qualified(call.func) == _GRADIENT:
            kept = argument(call, 4, "create_graph")
            return kept is not None and code_of(kept.value) != "False"
        return self.script.names.local_function(call.func) in self._derivers

    @cached_property
    def _derivers(self) -> set[cst.FunctionDef]:
        """Functions that give derivatives by what they are given first: `gradient(y, x)`, `divergence(y, x)`."""
        found = set()
        for call in self.script.calls(_GRADIENT):
            function, kept = self.script.tree.function(call), argument(call, 4, "create_graph")
            if function is not None and function.params.params and call.args and kept is not None:
                first = function.params.params[0].name.value
                if any(isinstance(one, cst.Name) and one.value == first for one in walk(call.args[0].value)):
                    found.add(function)
        return found

    def _is_derivative(self, node: cst.BaseExpression, depth: int) -> bool:
        if isinstance(node, cst.Subscript | cst.Attribute):
            return self._is_derivative(node.value, depth)
        if isinstance(node, cst.Call):
            return self._derives(node)
        if not isinstance(node, cst.Name) or depth > _DEEP:
            return False
        bound = (one.value for one in self.script.names.bindings(node) if one.kind == "assign")
        return any(one is not None and self._is_derivative(one, depth + 1) for one in bound)

    # --- distances ----------------------------------------------------------------------------------------------------

    def _distances(self) -> Iterator[cst.CSTNode]:
        """`xx - 2 * x @ y.t() + yy`, `-2 * torch.matmul(x, y)`, `distances.addmm_(1, -2, x, y.t())`."""
        for node in self.script.tree.all(cst.BinaryOperation):
            products = any(map(self._is_plain_product, walk(node)))
            if products and isinstance(node.operator, cst.Multiply | cst.MatrixMultiply):
                sign = _twice(node)
                above = self.script.tree.parent.get(node)
                taken = isinstance(above, cst.BinaryOperation) and isinstance(above.operator, cst.Subtract)
                less = isinstance(above, cst.AugAssign) and isinstance(above.operator, cst.SubtractAssign)
                right = taken and isinstance(above, cst.BinaryOperation) and above.right is node
                if sign < 0 or (sign > 0 and (right or less)):
                    yield node
        for call in self.script.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value in ("addmm_", "addmm", "baddbmm"):
                if any(code_of(arg.value).rstrip(".0") == "-2" for arg in call.args):
                    yield call

    # --- coordinates --------------------------------------------------------------------------------------------------

    def _coordinates(self) -> Iterator[cst.CSTNode]:
        """What a network or a product of matrices gets of a grid."""
        for node in (*self.script.tree.all(cst.Call), *self.script.tree.all(cst.BinaryOperation)):
            if not self._is_product(node):
                continue
            if isinstance(node, cst.Call):
                given = [arg.value for arg in (node.args[:2] if self._is_plain_product(node) else node.args[:1])]
            else:
                given = [node.left, node.right] if isinstance(node, cst.BinaryOperation) else []
            if any(self._is_grid(one, 0) for one in given):
                yield node

    def _is_grid(self, node: cst.BaseExpression, depth: int) -> bool:
        """Whether an expression is a grid of coordinates, in another shape, place or scale at most."""
        if depth > _DEEP:
            return False
        match node:
            case cst.Call():
                if self.script.qualified(node.func) in _GRIDS:
                    return True
                name = self.script.qualified(node.func) or ""
                if name.startswith(("torch.", "numpy.")):
                    return bool(node.args) and self._is_grid(node.args[0].value, depth + 1)
                return isinstance(node.func, cst.Attribute) and not name and self._is_grid(node.func.value, depth + 1)
            case cst.Subscript():
                return self.script.qualified(node.value) in _GRIDS or self._is_grid(node.value, depth + 1)
            case cst.BinaryOperation():
                return self._is_grid(node.left, depth + 1) or self._is_grid(node.right, depth + 1)
            case cst.List() | cst.Tuple():
                return any(self._is_grid(one.value, depth + 1) for one in node.elements)
            case cst.Name() | cst.Attribute():
                bound = [one.value for one in self.script.names.bindings(node) if one.kind == "assign"]
                return any(one is not None and self._is_grid(one, depth + 1) for one in bound)
        return False


def _is_scaled(node: cst.BaseExpression) -> bool:
    """Whether something is multiplied by a large number, by one that is set elsewhere, or by a matrix."""
    if not isinstance(node, cst.BinaryOperation):
        return False
    if isinstance(node.operator, cst.MatrixMultiply):
        return True
    if not isinstance(node.operator, cst.Multiply):
        return False
    for side in (node.left, node.right):
        if isinstance(side, cst.Integer | cst.Float):
            return abs(float(side.evaluated_value)) >= _LARGE
    return any(isinstance(side, cst.Attribute | cst.Name) for side in (node.left, node.right))


def _twice(node: cst.BinaryOperation) -> int:
    """-1 for `-2 * x`, 1 for `2 * x`, also further left in a chain of products."""
    left: cst.BaseExpression = node
    while isinstance(left, cst.BinaryOperation) and isinstance(left.operator, cst.Multiply | cst.MatrixMultiply):
        left = left.left
    code = code_of(left)
    return {"2": 1, "2.": 1, "2.0": 1, "-2": -1, "-2.": -1, "-2.0": -1}.get(code, 0)
