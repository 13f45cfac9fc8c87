"""What the torch of the target has no longer.

A program for torch_xla 2.9 runs with torch 2.9, and many were written for torch 1.x. What went since fails at the line
that asks for it, often long after training began: schedulers take no `verbose` any more, `torch.symeig` and its like
raise, `torch._six` is no module. `verbose` only printed, so it goes; the rest has another name today, and is said.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument, dotted
from codemods.kit.phrases import Version
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tried import is_tried

_MEASURED = "torch 1.8, release notes; asked of torch 2.1 and 2.9 (hasattr, inspect.signature, a call)"
_OLD = ("gels gesv potrf potri potrs btrifact btrisolve trtrs pstrf rfft irfft ifft utils.ffi legacy "
        "utils.trainer nn._functions distributed.deprecated nn.CrossEntropyLoss2d utils.data.dataloader.DataLoaderIter "
        "onnx.set_training")  # fmt: skip
_GONE: dict[str, Version] = {
    **dict.fromkeys((f"torch.{name}" for name in _OLD.split()), (1, 8)),
    **dict.fromkeys(("torch._six", "torch.testing.randn", "torch.symeig", "torch.eig", "torch.lstsq", "torch.solve",
                     "torch.matrix_rank", "torch.distributed._multi_tensor"), (2, 1)),
    "torch.onnx._export": (2, 9),
}  # fmt: skip
"""By the first torch that was asked and does not have it, or has no more than an exception that says so."""
_INSTEAD = {
    "torch.rfft": "torch.fft.rfft", "torch.irfft": "torch.fft.irfft", "torch.ifft": "torch.fft.ifft",
    "torch.symeig": "torch.linalg.eigh", "torch.eig": "torch.linalg.eig", "torch.lstsq": "torch.linalg.lstsq",
    "torch.gels": "torch.linalg.lstsq", "torch.solve": "torch.linalg.solve", "torch.gesv": "torch.linalg.solve",
    "torch.matrix_rank": "torch.linalg.matrix_rank", "torch.potrf": "torch.linalg.cholesky",
    "torch._six": "collections.abc, str, int, math.inf",
}  # fmt: skip
_SCHEDULERS = "torch.optim.lr_scheduler."
_ASKED = {"__version__", "hasattr"}
"""In a condition by which a program finds out what its torch has."""
_QUIET: Version = (2, 9)
"""The first torch that was asked whose schedulers take no `verbose`."""


class TorchVersion(Codemod):
    """Take away or say what the torch of the target has no longer."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC983", "schedulers take no `verbose` any more", Safety.EXACT, document=_MEASURED),
        Rule("TC984", "what the torch of the target has no longer", Safety.NOTE, Severity.ERROR,
             advice="use what the documents of torch name in its place", document=_MEASURED),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nnet = torch.nn.Linear(2, 2).cuda()\n"
            "schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3, verbose=True)\n",
            xla="import torch\n\nnet = torch.nn.Linear(2, 2).cuda()\n"
            "schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3)\n",
        ),
        Example(before="import torch\n\nvalues = torch.linalg.eigvalsh(torch.ones(2, 2).cuda())\n"),
    )

    def rewrite(self) -> None:
        if not self.script.uses_torch or self.script.on_cpu:
            return
        version = self.edits.target.version
        for call in self.script.tree.all(cst.Call) if version >= _QUIET else ():
            if (self.script.qualified(call.func) or "").startswith(_SCHEDULERS) and argument(call, None, "verbose"):
                edit = self.edit("TC983", call, "takes no `verbose` in this torch: it printed the learning rate")
                edit.replace(call, lambda updated: build.without_argument(updated, "verbose"))
        for name, gone in _GONE.items():
            found = self._asked(name) if version >= gone else []
            if found and not any(is_tried(self.script.tree, one, _ASKED, object) for one in found):
                instead = f": {_INSTEAD[name]}" if name in _INSTEAD else ""
                self.note("TC984", found[0], f"{name} is not in torch {version[0]}.{version[1]}{instead}")

    def _asked(self, name: str) -> list[cst.CSTNode]:
        """Where something of that name is used or imported."""
        imports = (one for one in self.script.tree.all(cst.ImportFrom) if one.module is not None)
        named = [one for one in imports if one.module is not None and (dotted(one.module) or "").startswith(name)]
        return [*named, *(node for _, node in self.script.names.uses(name))]
