"""Say where batch norm with fixed statistics fails on XLA.

Fine-tuning keeps the statistics of batch norm: its layers are in `eval()` while the rest trains. On XLA the backward
through such a layer fails, "size of mean should be compatible with feature count" (torch_xla 2.9), or ends the process
(2.1). The same written as a product and a sum, as `torchvision.ops.FrozenBatchNorm2d` does it, runs.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_LAYERS = "torch.nn.BatchNorm"
_BEFORE = """\
import torch

model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)).cuda()
for layer in model.modules():
    if isinstance(layer, torch.nn.BatchNorm2d):
        layer.eval()
"""


class FrozenBatchNorm(Codemod):
    """Say where batch norm with fixed statistics fails on XLA."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC927", "batch norm with fixed statistics in a training", Safety.NOTE, Severity.ERROR,
             advice="replace these layers: torchvision.ops.FrozenBatchNorm2d, or x * scale + bias with "
             "scale = weight / sqrt(running_var + eps)",
             document="measured with torch_xla 2.1 and 2.9: size of mean should be compatible with feature count"),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE),)

    def rewrite(self) -> None:
        if self.script.on_cpu or not self.script.uses_torch:
            return
        for call in self.script.tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and self._freezes(call, func):
                self.note(
                    "TC927", call, "the backward through batch norm in eval() fails, unless nothing below it trains"
                )
        for call in self.script.calls("torch.nn.functional.batch_norm", "torch.batch_norm"):
            training = argument(call, 5, "training")
            if training is None or code_of(training.value) == "False":
                self.note("TC927", call, "the backward through batch norm with fixed statistics fails")

    def _freezes(self, call: cst.Call, func: cst.Attribute) -> bool:
        """`layer.eval()` or `layer.train(False)` of a batch norm, by what it was made as or by a test around it."""
        off = func.attr.value == "eval" and not call.args
        if not off and not (func.attr.value == "train" and [code_of(arg) for arg in call.args] == ["False"]):
            return False
        made = [binding.value for binding in self.script.names.bindings(func.value)]
        if any(isinstance(m, cst.Call) and (self.script.qualified(m.func) or "").startswith(_LAYERS) for m in made):
            return True
        tests = [outer for outer in self.script.tree.ancestors(call) if isinstance(outer, cst.If)]
        held = code_of(func.value)
        inside = [test for test in tests if self.script.tree.contains(test.body, call)]
        return any("BatchNorm" in (text := code_of(test.test)) and _asks(text, held) for test in inside)


def _asks(test: str, held: str) -> bool:
    """Whether a test for batch norm is positive: of the layer, `isinstance(layer, BatchNorm2d)`, or of its class's
    name, `classname.find("BatchNorm") != -1`."""
    return "not " not in test and (held in test or "name" in test.lower())
