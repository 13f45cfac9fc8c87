"""Evaluate without inference tensors.

Under `torch.inference_mode()` a linear layer or convolution with parameters on the XLA device raises "Cannot set
version_counter for inference tensor" (seen with torch_xla 2.1 and 2.9). `torch.no_grad()` computes the same values.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.edits import is_pure
from codemods.kit.fold import same_either_way
from codemods.kit.names import argument
from codemods.kit.phrases import Import
from codemods.kit.rules import Example, Rule, Safety, Stage

_NAME = "torch.inference_mode"


class InferenceMode(Codemod):
    """Evaluate without inference tensors."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC181", "torch.inference_mode() becomes torch.no_grad()", Safety.EXACT,
             document="torch_xla 2.1 and 2.9: RuntimeError in F.linear on parameters of the XLA device (seen)"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nwith torch.inference_mode():\n    out = net(x.cuda())\n",
            smtc="import torch\n\nwith torch.no_grad():\n    out = net(x.cuda())\n",
            xla="import torch\n\nwith torch.no_grad():\n    out = net(x.cuda())\n",
        ),
    )

    def rewrite(self) -> None:
        for name, node in self.script.names.uses(_NAME):
            if name == _NAME and not self.script.on_cpu and self._is_named_there(node):
                self._use(node)

    def _is_named_there(self, node: cst.BaseExpression) -> bool:
        """A variable that holds the class is rewritten where it is bound."""
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name) else []
        return not bindings or any(binding.kind == "import" for binding in bindings)

    def _use(self, node: cst.BaseExpression) -> None:
        parent = self.script.tree.parent.get(node)
        call = parent if isinstance(parent, cst.Call) and parent.func is node else None
        mode = argument(call, 0, "mode") if call is not None else None
        edit = self.edit("TC181", call or node, "is evaluated under torch.no_grad()")
        edit.need(Import("torch"))
        if mode is None or build.code_of(mode.value) == "True":
            # As a decorator without parentheses no_grad works from torch 2.0 on only.
            calls = call is not None or isinstance(parent, cst.Decorator)
            edit.replace(call or node, build.expression("torch.no_grad()" if calls else "torch.no_grad"))
            choice = self.script.tree.parent.get(call or node)
            if isinstance(choice, cst.IfExp) and is_pure(choice.test):
                edit.replace(choice, same_either_way)  # `inference_mode if torch_1_9 else no_grad`
        else:
            assert call is not None
            edit.replace(call, _enabled)


def _enabled(updated: cst.Call) -> cst.BaseExpression:
    mode = updated.args[0].value
    if isinstance(mode, cst.Name) and mode.value == "False":
        return build.expression("torch.enable_grad()")
    if isinstance(mode, cst.UnaryOperation) and isinstance(mode.operator, cst.Not):
        return build.expression("torch.set_grad_enabled({off})", off=mode.expression)
    return build.expression("torch.set_grad_enabled(not {mode})", mode=mode)
