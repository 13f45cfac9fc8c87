"""What a migrated file is made of, as far as it can be broken: networks, moves, optimizers, steps, loops that train."""

from __future__ import annotations

import ast
from functools import cached_property

from tests.judge_mutants.texts import Text, dotted, receiver

OPTIMIZERS = frozenset({"SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adamax", "LBFGS", "NAdam", "Adadelta"})


class Source(Text):
    """A migrated file, read for the places where it can be broken."""

    def __init__(self, path: str, text: str, target: str) -> None:
        super().__init__(path, text)
        self.target = target

    def calls(self, *names: str) -> list[ast.Call]:
        """Calls of these dotted names, or of these methods when they begin with a dot, in the order of the text."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call) and _is(dotted(node.func), names)]
        return sorted(found, key=lambda one: (one.lineno, one.col_offset))

    def said_alone(self, *names: str) -> list[ast.Expr]:
        """The statements that are nothing but such a call."""
        found = [self.parents[call] for call in self.calls(*names)]
        return [one for one in found if isinstance(one, ast.Expr)]

    @cached_property
    def modules(self) -> set[str]:
        """How the networks are called in this file."""
        asked = self.calls(".parameters", ".named_parameters", ".train", ".eval")
        found = {self.said(receiver(call)) for call in asked}
        for _ in range(2):
            for node in ast.walk(self.tree):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                    if self.said(node.targets[0]) in found:
                        found.add(node.value.id)
        return found

    @cached_property
    def moves(self) -> list[tuple[ast.stmt, str, ast.Call]]:
        """The statements that move a network to the device: how it is called then, and the call that moves."""
        found: list[tuple[ast.stmt, str, ast.Call]] = []
        for call in self.calls(".to"):
            around = self.parents[call]
            if not call.args:
                continue
            if isinstance(around, ast.Expr) and self.said(receiver(call)) in self.modules:
                found.append((around, self.said(receiver(call)), call))
            elif isinstance(around, ast.Assign) and self.said(around.targets[0]) in self.modules:
                found.append((around, self.said(around.targets[0]), call))
        return found

    @cached_property
    def optimizers(self) -> list[tuple[ast.Assign, str, ast.Call]]:
        """The assignments that make an optimizer: of which network, and the call that hands out its parameters."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                made = dotted(node.value.func).rpartition(".")[2]
                given = node.value.args[0] if node.value.args else None
                if made in OPTIMIZERS and isinstance(given, ast.Call) and _is(dotted(given.func), (".parameters",)):
                    found.append((node, self.said(receiver(given)), given))
        return found

    @cached_property
    def backwards(self) -> list[tuple[ast.Expr, str]]:
        """The statements that go backward from a variable in a loop, and the variable."""
        found = []
        for one in self.said_alone(".backward"):
            loss = receiver(one.value)
            if isinstance(loss, ast.Name | ast.Attribute):
                found.append((one, self.said(loss)))
        return found

    @cached_property
    def training(self) -> list[ast.For]:
        """The innermost loops around a backward."""
        around = [self.loops(one)[:1] for one in self.said_alone(".backward")]
        return list(dict.fromkeys(loop for found in around for loop in found if isinstance(loop, ast.For)))

    def forwards(self, loop: ast.AST) -> list[tuple[ast.Call, str]]:
        """The calls of a network with one variable inside a node, and the variable."""
        return [(call, call.args[0].id) for call in self.calls(*self.modules)
                if loop in self.above(call) and len(call.args) == 1 and isinstance(call.args[0], ast.Name)]  # fmt: skip

    def stepped(self) -> list[tuple[ast.Expr, str]]:
        """The statements `xm.optimizer_step(optimizer)`, and the optimizer."""
        return self._given("xm.optimizer_step")

    def reduced(self) -> list[tuple[ast.Expr, str]]:
        """The statements `xm.reduce_gradients(optimizer)`, and the optimizer."""
        return self._given("xm.reduce_gradients")

    def _given(self, name: str) -> list[tuple[ast.Expr, str]]:
        calls = [(one, one.value) for one in self.said_alone(name)]
        return [(one, self.said(call.args[0])) for one, call in calls if isinstance(call, ast.Call) and call.args]

    # --- spellings ------------------------------------------------------------------------------------------------

    @property
    def mark(self) -> str:
        """What executes the graph."""
        return "xm.mark_step()" if self.target == "smtc" else "torch_xla.sync()"

    @property
    def device(self) -> str:
        """The accelerator."""
        return "xm.xla_device()" if self.target == "smtc" else "torch_xla.device()"

    @property
    def rank(self) -> str:
        """The number of this process."""
        return "xm.get_ordinal()" if self.target == "smtc" else "torch_xla.runtime.global_ordinal()"

    @property
    def world(self) -> str:
        """The number of processes."""
        return "xm.xrt_world_size()" if self.target == "smtc" else "torch_xla.runtime.world_size()"


def _is(name: str, wanted: tuple[str, ...]) -> bool:
    return any(name.endswith(one) if one.startswith(".") else name == one for one in wanted)
