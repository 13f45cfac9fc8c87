"""Scale gradients with torch_xla's scaler.

`torch_xla.amp.GradScaler` takes the same arguments and has the same methods as CUDA's; it keeps the check for infinite
gradients on the device instead of reading it back every step. The order backward, reduce, unscale, clip, step, update
stays.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Stage

_SCALERS = ("torch.cuda.amp.GradScaler", "torch.amp.GradScaler", "torch.amp.grad_scaler.GradScaler")


class GradScaler(Codemod):
    """Scale gradients with torch_xla's scaler."""

    STAGE = Stage.PRECISION
    NEEDS = (Idiom.GRAD_SCALER,)
    RULES = (
        Rule("TC311", "GradScaler comes from torch_xla.amp", Safety.EXACT,
             document="torch_xla 1.13 amp/grad_scaler.py; SageMaker: PyTorch models, single GPU, step 3"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from torch.cuda.amp import GradScaler\n\nscaler = GradScaler(init_scale=1024.0)\n",
            smtc="from torch_xla.amp import GradScaler\n\nscaler = GradScaler(init_scale=1024.0)\n",
        ),
    )

    def rewrite(self) -> None:
        for name in _SCALERS:
            for found, node in self.script.names.uses(name):
                if found != name:
                    continue
                parent = self.script.tree.parent.get(node)
                if isinstance(parent, cst.Call) and parent.func is node:
                    self._made(parent, name)
                else:
                    edit = self.edit("TC311", node, "GradScaler comes from torch_xla")
                    said = edit.say(Idiom.GRAD_SCALER, arguments="")
                    assert isinstance(said, cst.Call)
                    edit.replace(node, said.func)

    def _made(self, call: cst.Call, name: str) -> None:
        edit = self.edit("TC311", call, "GradScaler comes from torch_xla")

        def rewritten(updated: cst.Call) -> cst.Call:
            said = edit.say(Idiom.GRAD_SCALER, arguments="")
            assert isinstance(said, cst.Call)
            args = list(updated.args)
            if not name.startswith("torch.cuda."):
                device = argument(updated, 0, "device")
                args = [arg for arg in args if arg is not device]
            return build.with_arguments(updated, args).with_changes(func=said.func)

        edit.replace(call, rewritten)
