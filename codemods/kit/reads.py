"""Where a training loop looks at values the device has yet to compute: `loss.item()`, `print(loss)`, `if loss > x:`.

Each such read executes what the value needs there and then. Between the forward and the end of the step that is the
forward a second time (torch_xla executes whole pending graphs only at a mark).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.hosted import Hosted
from codemods.kit.names import Binding
from codemods.kit.readers import READING, Readers, is_periodic
from codemods.kit.roles import Role
from codemods.kit.scalars import first_of_data
from codemods.kit.tree import Statement

if TYPE_CHECKING:
    from codemods.kit.script import Script

_METADATA = {"size", "dim", "numel", "nelement", "shape", "dtype", "device", "ndim", "requires_grad", "is_cuda", "type",
             "grad_fn", "backward", "stride", "element_size", "get_device", "is_contiguous", "register_hook",
             "keys"}  # fmt: skip
_TESTS = ("math.isnan", "math.isinf", "math.isfinite", "numpy.isnan", "numpy.isinf", "numpy.isfinite", "builtins.float",
          "builtins.int", "builtins.bool", "builtins.round")  # fmt: skip
_NORMS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_norm")
"""What clips gives the norm of the gradients, a tensor of this step."""
_OUTPUTS = ("output of ", "torch.nn.functional.")
_LEVELS = {"debug", "info", "warning", "warn", "error", "critical", "log", "exception"}
_BARS = {"set_postfix", "set_postfix_str", "set_description", "set_description_str", "write"}
_FUNCTIONS = {"builtins.print", "pprint.pprint", "wandb.log", "tqdm.tqdm.write",
              "torch_xla.core.xla_model.master_print", "mlflow.log_metric", "mlflow.log_metrics"}  # fmt: skip


@dataclass(eq=False)
class Read:
    """One place of a loop's body that needs a value of the device."""

    node: cst.CSTNode
    """The `.item()` call, the tensor printed, or the condition."""
    statement: Statement
    region: cst.CSTNode
    """The loop, or the function that steps for its caller, whose body it is in."""
    periodic: bool
    """Only every so many iterations: under an `if` that counts."""
    logs: bool
    """The whole statement only prints or logs."""


class Reads:
    """Reads of a script by loop."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._live: dict[cst.CSTNode, bool] = {}
        self._losses: set[Binding] | None = None
        self._candidates: list[cst.CSTNode] | None = None
        self._readers = Readers(script)
        self._hosted = Hosted(script, self.is_live)

    def of(self, region: cst.For | cst.While | cst.FunctionDef, inner: list[cst.For | cst.While]) -> list[Read]:
        """Reads in the body of a loop or function and in no loop of `inner`, in source order, one a statement."""
        tree = self.script.tree
        function = region if isinstance(region, cst.FunctionDef) else tree.function(region)
        found: dict[cst.CSTNode, Read] = {}
        for node in self._all():
            if tree.function(node) is not function or not tree.contains(region.body, node):
                continue
            if any(tree.contains(loop, node) for loop in inner) or tree.enclosing(node, cst.Lambda) is not None:
                continue
            statement = tree.small_statement(node)
            if statement is not None and statement not in found and self._wants(node):
                logs = self.is_log(statement)
                found[statement] = Read(node, statement, region, is_periodic(self.script, statement, region), logs)
        return list(found.values())

    def is_log(self, statement: cst.CSTNode) -> bool:
        """Whether a statement does nothing but print or log."""
        return (
            isinstance(statement, cst.Expr)
            and isinstance(statement.value, cst.Call)
            and self._is_logging(statement.value)
        )

    # --- what may read ------------------------------------------------------------------------------------------

    def _all(self) -> list[cst.CSTNode]:
        """Nodes that can be a read, by their form alone, in source order."""
        tree = self.script.tree
        if self._candidates is None:
            found: list[cst.CSTNode] = []
            for call in tree.all(cst.Call):
                func = call.func
                reads = isinstance(func, cst.Attribute) and func.attr.value in (*READING, "cpu")
                reads = reads or call in self._readers.calls or self.script.qualified(func) in _TESTS
                if reads or self._is_logging(call):
                    found.append(call)
            found += [branch.test for branch in tree.all(cst.If)]
            found += [loop.test for loop in tree.all(cst.While)]
            if ".data[0]" in tree.source:
                found += [node for node in tree.all(cst.Subscript) if self._is_number(node)]
            self._candidates = sorted(found, key=tree.order.__getitem__)
        return self._candidates

    def _wants(self, node: cst.CSTNode) -> bool:
        """Whether a candidate really needs a value of the device."""
        if isinstance(node, cst.Subscript) and self._is_number(node):
            return True
        if not isinstance(node, cst.Call):
            return isinstance(node, cst.BaseExpression) and self.is_live(node)
        if node in self._readers.calls:
            return any(self.is_live(arg.value) for arg in node.args)
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value in READING:
            return self.is_live(func.value) or (func.attr.value == "item" and self._may_be_a_tensor(func.value))
        if isinstance(func, cst.Attribute) and func.attr.value == "cpu":
            return self.is_live(func.value)
        return any(map(self._shows, (arg.value for arg in node.args)))

    def _is_number(self, node: cst.Subscript) -> bool:
        """`loss.data[0]`, which was `loss.item()` before torch 0.4."""
        return first_of_data(self.script.roles, node) is not None

    def _shows(self, shown: cst.BaseExpression) -> bool:
        """Whether printing an expression prints a tensor: bare, in an f-string, through `%` or `.format`."""
        if isinstance(shown, cst.FormattedString):
            parts = (part.expression for part in shown.parts if isinstance(part, cst.FormattedStringExpression))
            return any(map(self._shows, parts))
        if isinstance(shown, cst.BinaryOperation) and isinstance(shown.operator, cst.Modulo):
            return self._shows(shown.right)
        if isinstance(shown, cst.Tuple | cst.List):
            return any(self._shows(element.value) for element in shown.elements)
        if isinstance(shown, cst.Dict):
            return any(self._shows(element.value) for element in shown.elements)
        if isinstance(shown, cst.Call) and isinstance(shown.func, cst.Attribute) and shown.func.attr.value == "format":
            return any(self._shows(arg.value) for arg in shown.args)
        return self.is_live(shown)

    def _may_be_a_tensor(self, node: cst.BaseExpression) -> bool:
        owner = node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else None
        if owner is not None and self.script.is_a(owner, Role.SCALER):
            return False  # the scale of a scaler, which goes where there is none
        values = self.script.roles.values(node)
        return not values or any(value.role in (Role.TENSOR, Role.LOSS) for value in values)

    # --- live tensors -------------------------------------------------------------------------------------------

    def is_live(self, node: cst.BaseExpression | None) -> bool:
        """Whether an expression is a tensor of this iteration: a loss, an output of the model, or made of them."""
        if node is None:
            return False
        found = self._live.get(node)
        if found is None:
            self._live[node] = False  # a name made of itself adds nothing
            found = self._live[node] = self._is_live(node)
        return found

    def _is_live(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.BinaryOperation):
            if isinstance(node.left, cst.BaseString | cst.FormattedString):
                return False
            return self.is_live(node.left) or self.is_live(node.right)
        if isinstance(node, cst.UnaryOperation):
            return self.is_live(node.expression)
        if isinstance(node, cst.BooleanOperation):
            return self.is_live(node.left) or self.is_live(node.right)
        if isinstance(node, cst.Comparison):
            identity = (cst.Is, cst.IsNot, cst.In, cst.NotIn)
            if any(isinstance(target.operator, identity) for target in node.comparisons):
                return False
            return self.is_live(node.left) or any(self.is_live(target.comparator) for target in node.comparisons)
        if isinstance(node, cst.Subscript):
            return not self._is_number(node) and self.is_live(node.value)
        if isinstance(node, cst.Call):
            return self._is_live_call(node)
        if isinstance(node, cst.Name | cst.Attribute):
            return self._is_live_name(node)
        return False

    def _is_live_call(self, call: cst.Call) -> bool:
        name = self.script.qualified(call.func)
        if name in _NORMS:
            return True
        if name is not None and name.startswith(("torch.", "torch.nn.functional.")) and name not in ("torch.tensor",):
            if any(self.is_live(arg.value) for arg in call.args):
                return True
        elif isinstance(call.func, cst.Attribute) and name is None:
            method = call.func.attr.value
            if method in READING or method in _METADATA or method == "cpu":
                return False
            if self.is_live(call.func.value):
                return True
        return self._is_output(call)

    def _is_live_name(self, node: cst.Name | cst.Attribute) -> bool:
        if isinstance(node, cst.Attribute) and (node.attr.value in _METADATA or node.attr.value == "grad"):
            return False
        bindings = self._hosted.reaching(node)
        if self._hosted.holds(node):
            return False
        if any(binding in self._loss_bindings() for binding in self.script.names.bindings(node)):
            return True
        for binding in bindings:
            if binding.kind in ("assign", "augmented", "walrus") and binding.value is not None:
                value: cst.BaseExpression | None = binding.value
                for index in binding.path:
                    if isinstance(value, cst.Tuple | cst.List):
                        value = value.elements[index].value if index < len(value.elements) else None
                if self.is_live(value):
                    return True
        if isinstance(node, cst.Attribute) and not bindings:
            return self.is_live(node.value)
        return self._is_output(node)

    def is_loss(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is surely one tensor: `backward()` is called on it, or a loss function made it."""
        bindings = self._hosted.reaching(node)
        if any(map(self._hosted.is_bound, bindings)):
            return self._went_backward(node)
        if any(binding in self._loss_bindings() for binding in bindings):
            return True
        return self.script.is_a(node, Role.LOSS)

    def _went_backward(self, node: cst.BaseExpression) -> bool:
        """Whether `backward()` was called on what a name holds: no number, though it began as one, `loss = 0`."""
        bindings, reaching = set(self._hosted.reaching(node)), self._hosted.reaching
        sure = self.script.estimators.literals.must_precede
        losses = [each.loss for each in self.script.loops.backwards if sure(each.call, node)]
        return any(loss is not None and bindings <= set(reaching(loss)) for loss in losses)

    def gives_loss(self, statement: cst.CSTNode) -> bool:
        """Whether a statement gives the name of a loss its value: its forward is a part of the backward."""
        return any(binding.node is statement for binding in self._loss_bindings())

    def _is_output(self, node: cst.BaseExpression) -> bool:
        return any(
            value.role is Role.LOSS or (value.role is Role.TENSOR and value.of.startswith(_OUTPUTS))
            for value in self.script.roles.values(node)
        )

    def _loss_bindings(self) -> set[Binding]:
        """Bindings of the names on which `backward()` is called."""
        if self._losses is None:
            losses = [node for b in self.script.loops.backwards for node in _summands(b.loss)]
            self._losses = {binding for loss in losses for binding in self._hosted.reaching(loss)}
        return self._losses

    # --- logging ------------------------------------------------------------------------------------------------

    def _is_logging(self, call: cst.Call) -> bool:
        func = call.func
        name = self.script.qualified(func)
        if name is not None:
            module, _, last = name.rpartition(".")
            if name in _FUNCTIONS or (module in ("logging", "absl.logging", "loguru.logger") and last in _LEVELS):
                return True
        if not isinstance(func, cst.Attribute):
            return False
        method = func.attr.value
        if method in ("add_scalar", "add_scalars"):
            return not any(value.role is not Role.OTHER for value in self.script.roles.values(func.value))
        if method in _LEVELS:
            return self._made_by(func.value, "logging.getLogger", "accelerate.logging.get_logger") or (
                isinstance(func.value, cst.Name | cst.Attribute)
                and _last(func.value) in ("logger", "log", "_logger", "LOGGER")
            )
        return method in _BARS and self._made_by(func.value, "tqdm.")

    def _made_by(self, node: cst.BaseExpression, *makers: str) -> bool:
        if not isinstance(node, cst.Name | cst.Attribute):
            return False
        for binding in self.script.names.bindings(node):
            if isinstance(binding.value, cst.Call) and binding.kind in ("assign", "with", "walrus"):
                if (self.script.qualified(binding.value.func) or "").startswith(makers):
                    return True
        return False


def _summands(loss: cst.BaseExpression | None) -> list[cst.BaseExpression]:
    """`a` and `b` of `a + b`."""
    if isinstance(loss, cst.BinaryOperation):
        return _summands(loss.left) + _summands(loss.right)
    return [loss] if isinstance(loss, cst.Name | cst.Attribute) else []


def _last(node: cst.Name | cst.Attribute) -> str:
    return node.attr.value if isinstance(node, cst.Attribute) else node.value
