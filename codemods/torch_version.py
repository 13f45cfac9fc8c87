"""What the torch of the target has no longer.

A program for torch_xla 2.9 runs with torch 2.9, and many were written for torch 1.x. What went since fails at the line
that asks for it, often long after training began: schedulers take no `verbose` any more, `torch.symeig` and its like
raise, `torch._six` is no module. `verbose` only printed, so it goes; the rest has another name today, and is said. So
is an `assert torch.__version__ ...` that does not hold there, and a `raise` below such a condition. What the version
of the target never runs is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument, dotted
from codemods.kit.phrases import Version
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.torch_versions import TorchVersions
from codemods.kit.tried import is_tried

_MEASURED = "torch 1.8, release notes; asked of torch 2.1 and 2.9 (hasattr, inspect.signature, a call)"
_OLD = ("gels gesv potrf potri potrs btrifact btrisolve trtrs pstrf rfft irfft ifft utils.ffi legacy "
        "utils.trainer nn._functions distributed.deprecated nn.CrossEntropyLoss2d utils.data.dataloader.DataLoaderIter "
        "onnx.set_training")  # fmt: skip
_GONE: dict[str, Version] = {
    **dict.fromkeys((f"torch.{name}" for name in _OLD.split()), (1, 8)),
    **dict.fromkeys(("torch._six", "torch.testing.randn", "torch.symeig", "torch.eig", "torch.lstsq", "torch.solve",
                     "torch.matrix_rank", "torch.distributed._multi_tensor", "torch.utils.data.DataLoader2",
                     "torch.utils.data.communication"), (2, 1)),
    **dict.fromkeys(("torch.onnx._export", "torch.autograd.function.traceable", "torch.distributed.broadcast_multigpu",
                     "torch.distributed.all_reduce_multigpu", "torch.distributed.reduce_multigpu",
                     "torch.distributed.all_gather_multigpu", "torch.distributed.reduce_scatter_multigpu"), (2, 9)),
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
_VERBOSE = {
    "_LRScheduler": 2, "LRScheduler": 2, "LambdaLR": 3, "MultiplicativeLR": 3, "ExponentialLR": 3, "StepLR": 4,
    "MultiStepLR": 4, "ConstantLR": 4, "SequentialLR": 4, "PolynomialLR": 4, "CosineAnnealingLR": 4, "LinearLR": 5,
    "CosineAnnealingWarmRestarts": 5, "ReduceLROnPlateau": 9, "CyclicLR": 13, "OneCycleLR": 14,
}  # fmt: skip
"""Where schedulers took `verbose`: signatures of torch 1.11, 1.13 and 2.1. No other argument of an optimizer, a
scheduler, a loader or a function of torch.nn has gone between 1.11 and 2.9."""
_ASKED = {"__version__", "hasattr"}
"""In a condition by which a program finds out what its torch has."""
_COMPLEX: Version = (2, 1)
"""The first torch that was asked whose stft refuses to be told nothing of complex numbers."""
_QUIET: Version = (2, 9)
"""The first torch that was asked whose schedulers take no `verbose`."""


class TorchVersion(Codemod):
    """Take away or say what the torch of the target has no longer."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC983", "schedulers take no `verbose` any more", Safety.EXACT, document=_MEASURED),
        Rule("TC984", "what the torch of the target has no longer", Safety.NOTE, Severity.ERROR,
             advice="use what the documents of torch name in its place", document=_MEASURED),
        Rule("TC985", "the target's torch ends the program by its version", Safety.NOTE, Severity.ERROR,
             advice="read what needs the other version, mend that, and take the condition away", document=_MEASURED),
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
            self._quieten(call)
        for name, gone in _GONE.items():
            found = [one for one in self._asked(name) if self._runs(one) is not False] if version >= gone else []
            if found and not any(map(self._is_tried, found)):
                instead = f": {_INSTEAD[name]}" if name in _INSTEAD else ""
                self.note("TC984", found[0], f"{name} is not in torch {version[0]}.{version[1]}{instead}")
        for call in self.script.calls("torch.stft") if version >= _COMPLEX else ():
            if len(call.args) < 10 and not any(arg.star for arg in call.args) and self._runs(call) is not False:
                if argument(call, None, "return_complex") is None and not self._is_tried(call):
                    said = "torch.stft needs return_complex= of what is real"
                    self.note("TC984", call, f"{said} in torch {version[0]}.{version[1]}: torch.view_as_real of True")
        if "__version__" in self.script.tree.source:
            for node, test in self._refusals():
                said = f"torch is {version[0]}.{version[1]} there, and `{code_of(test)}` ends the program"
                self.note("TC985", node, said)

    def _quieten(self, call: cst.Call) -> None:
        """A scheduler, or the constructor of one that a class of the script calls for itself."""
        name = self._base_of(call) if _is_super(call) else self.script.qualified(call.func)
        own = name is not None and name.endswith(".__init__")
        name = (name or "").removesuffix(".__init__")
        position = _VERBOSE.get(name.removeprefix(_SCHEDULERS)) if name.startswith(_SCHEDULERS) else None
        if position is None:
            return
        found = argument(call, position + own, "verbose")
        if found is not None:
            edit = self.edit("TC983", call, "takes no `verbose` in this torch: it printed the learning rate")
            kept = [index for index, arg in enumerate(call.args) if arg is not found]
            edit.replace(call, lambda updated: build.with_arguments(updated, [updated.args[one] for one in kept]))

    def _base_of(self, call: cst.Call) -> str | None:
        """What the class derives from, of `super().__init__(...)`."""
        class_ = self.script.tree.class_of(call)
        return self.script.qualified(class_.bases[0].value) if class_ is not None and len(class_.bases) == 1 else None

    @cached_property
    def _versions(self) -> TorchVersions:
        return TorchVersions(self.script.tree, self.script.names, self.edits.target.version)

    def _runs(self, node: cst.CSTNode) -> bool | None:
        return self._versions.runs(node)

    def _is_tried(self, node: cst.CSTNode) -> bool:
        """Whether the program tries it, or asks before; not where its question about the version is answered."""
        return is_tried(self.script.tree, node, {"hasattr"} if self._runs(node) else _ASKED, object)

    def _refusals(self) -> Iterator[tuple[cst.CSTNode, cst.BaseExpression]]:
        """What ends the program in the target's torch: an `assert` of another version, a `raise` below a condition."""
        tree, versions = self.script.tree, self._versions
        for check in tree.all(cst.Assert):
            if versions.asks(check.test) and versions.truth(check.test) is False and versions.runs(check) is not False:
                yield check, check.test
        for raised in tree.all(cst.Raise):
            line = tree.parent.get(raised)
            arm = tree.parent.get(tree.parent[line]) if line is not None else None
            if isinstance(arm, cst.If | cst.Else) and versions.runs(raised):
                test = arm.test if isinstance(arm, cst.If) else tree.parent[arm].test  # type: ignore[attr-defined]
                if versions.asks(test) and not is_tried(tree, raised, set(), object):
                    yield raised, test

    def _asked(self, name: str) -> list[cst.CSTNode]:
        """Where something of that name is used or imported."""
        imports = (one for one in self.script.tree.all(cst.ImportFrom) if one.module is not None)
        named = [one for one in imports if one.module is not None and (dotted(one.module) or "").startswith(name)]
        return [*named, *(node for _, node in self.script.names.uses(name))]


def _is_super(call: cst.Call) -> bool:
    func = call.func
    held = func.value if isinstance(func, cst.Attribute) and func.attr.value == "__init__" else None
    return isinstance(held, cst.Call) and code_of(held.func) == "super"
