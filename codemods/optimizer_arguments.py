"""Drop the CUDA-only arguments of optimizers and of gradient clipping.

`fused=True`, `foreach=True` and `capturable=True` choose CUDA kernels. On XLA parameters `fused=True` raises, and so
does `clip_grad_norm_(..., foreach=True)`; the others are ignored at best. XLA fuses the whole step by itself, so they
go. A value that is `False` or `None` stays: it says what happens anyway.

`error_if_nonfinite=True` and an infinite `norm_type` read the norm on the host in every step. They stay, because they
decide what the script does, and are noted with their cost.

Sources: measured with torch_xla 2.1 and 2.9; torch_xla 2.1 `_patched_functions.py` clip_grad_norm_.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.edits import is_pure
from codemods.kit.fold import in_place_of
from codemods.kit.loops import CLIPS
from codemods.kit.names import argument, dotted
from codemods.kit.roles import Role, library_role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_KERNELS = ("fused", "foreach", "capturable")


class OptimizerArguments(Codemod):
    """Drop the CUDA-only arguments of optimizers and of gradient clipping."""

    STAGE = Stage.STEP
    RULES = (
        Rule("TC441", "fused, foreach and capturable are dropped from a torch.optim optimizer", Safety.EXACT,
             document="measured: RuntimeError for fused=True on XLA parameters in torch 2.1 and 2.9"),
        Rule("TC442", "foreach is dropped from gradient clipping", Safety.EXACT,
             document="measured: RuntimeError for foreach=True on XLA gradients in torch 2.1 and 2.9"),
        Rule("TC443", "clipping that reads the norm on the host", Safety.NOTE, Severity.WARNING,
             advice="drop error_if_nonfinite, or clip by the 2-norm, so that a step stays one graph",
             document="measured with torch_xla 2.1 and 2.9: two more executions a step, or one per parameter"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\noptimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)\n",
            smtc="import torch\n\noptimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)\n",
            xla="import torch\n\noptimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)\n",
        ),
    )

    def rewrite(self) -> None:
        for call in self.script.calls("torch.optim.*"):
            if library_role(self.script.qualified(call.func) or "") is Role.OPTIMIZER:
                self._drop("TC441", call, _KERNELS)
                self._hidden(call)
        for call in self.script.calls(*CLIPS):
            self._drop("TC442", call, ("foreach",))
            self._costs(call)

    def _drop(self, rule: str, call: cst.Call, keywords: tuple[str, ...]) -> None:
        for arg in call.args:
            if arg.keyword is not None and arg.keyword.value in keywords and not _is_off(arg.value):
                self.edit(rule, arg, f"drops {arg.keyword.value}=, which chooses a CUDA kernel").remove(arg)

    def _costs(self, call: cst.Call) -> None:
        strict = argument(call, 3, "error_if_nonfinite")
        if strict is not None and not _is_off(strict.value):
            self.note("TC443", call, "error_if_nonfinite reads the norm in every step: three executions instead of one")
        norm = argument(call, 2, "norm_type")
        if norm is not None and self._is_infinite(norm.value):
            self.note("TC443", call, "the infinity norm is compared on the host, parameter by parameter")

    def _is_infinite(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Call) and self.script.qualified(node.func) == "builtins.float" and node.args:
            node = node.args[0].value
        if isinstance(node, cst.SimpleString):
            return node.raw_value in ("inf", "+inf", "infinity")
        return self.script.qualified(node) in ("math.inf", "numpy.inf", "torch.inf")

    def _hidden(self, call: cst.Call) -> None:
        """`AdamW(params, **dict(fused=True))`, also by way of a name."""
        for arg in call.args:
            if arg.star == "**":
                bindings = self.script.names.bindings(arg.value)
                for value in (arg.value, *(b.value for b in bindings if b.kind == "assign" and not b.path)):
                    self._drop_from(value)

    def _drop_from(self, node: cst.BaseExpression | None) -> None:
        if isinstance(node, cst.IfExp):
            if _is_idle(node):  # `dict(fused=True) if use_fused else dict()`
                edit = self.edit("TC441", node, "drops what chooses a CUDA kernel")
                edit.replace(node, lambda updated: in_place_of(updated, updated.orelse))
                return
            self._drop_from(node.body)
            self._drop_from(node.orelse)
        elif isinstance(node, cst.Call) and self.script.qualified(node.func) == "builtins.dict":
            self._drop("TC441", node, _KERNELS)
        elif isinstance(node, cst.Dict) and any(map(_chooses_a_kernel, node.elements)):
            edit = self.edit("TC441", node, "drops what chooses a CUDA kernel")
            edit.replace(node, _without_kernels)


def _chooses_a_kernel(element: cst.BaseDictElement) -> bool:
    return (
        isinstance(element, cst.DictElement)
        and isinstance(element.key, cst.SimpleString)
        and element.key.raw_value in _KERNELS
        and not _is_off(element.value)
    )


def _without_kernels(updated: cst.Dict) -> cst.Dict:
    kept = [element for element in updated.elements if not _chooses_a_kernel(element)]
    if kept:
        kept[-1] = kept[-1].with_changes(comma=updated.elements[-1].comma)
    return updated.with_changes(elements=kept)


def _is_idle(node: cst.IfExp) -> bool:
    """Whether a choice is between a kernel and nothing: without the kernel there is nothing to choose."""
    return is_pure(node.test) and _is_empty(node.orelse) and _is_empty(node.body) and len(_entries(node.body)) > 0


def _is_empty(node: cst.BaseExpression) -> bool:
    """Whether nothing is left of a dict without what chooses a kernel."""
    if isinstance(node, cst.Call):
        return dotted(node.func) == "dict" and all(
            arg.keyword is not None and arg.keyword.value in _KERNELS for arg in node.args
        )
    return isinstance(node, cst.Dict) and all(map(_chooses_a_kernel, node.elements))


def _entries(node: cst.BaseExpression) -> Sequence[cst.CSTNode]:
    return node.args if isinstance(node, cst.Call) else node.elements if isinstance(node, cst.Dict) else ()


def _is_off(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value in ("False", "None")
