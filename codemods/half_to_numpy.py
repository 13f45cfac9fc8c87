"""Give NumPy float32 of what autocast computed.

On CUDA autocast makes float16, which NumPy has; on the XLA device it makes bfloat16, which NumPy does not have:
`.numpy()` raises a TypeError there. `.float()` before it gives the same numbers. Which tensors these are is asked of
the abstract execution of the original: they may have gone through lists, `torch.cat` and other files. Where it did not
come, what a function itself shows is said as an error: the type is not certain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_SOURCE = "torch 2.9: TypeError, unsupported ScalarType BFloat16"
_AUTOCASTS = ("torch.cuda.amp.autocast", "torch.autocast", "torch.amp.autocast")
_OTHER_TYPES = {"float", "double", "long", "int", "bool", "argmax", "argmin", "topk", "max", "min", "sort", "item",
                "tolist", "type", "size", "shape", "numpy", "loss", "criterion", "cross_entropy"}  # fmt: skip

Bound = tuple[cst.CSTNode, str]
"""A name, and where it is bound."""


class HalfToNumpy(Codemod):
    """Give NumPy float32 of what autocast computed."""

    STAGE = Stage.PRECISION
    EVERYWHERE = True
    LACKS = (Idiom.GRAD_SCALER,)
    RULES = (
        Rule("TC306", "what autocast computed becomes float32 for NumPy", Safety.EXACT,
             document=_SOURCE),
        Rule("TC307", "what autocast may have computed goes to NumPy", Safety.NOTE, Severity.ERROR,
             advice="take .float() of it before .numpy(), if it is not of another type already", document=_SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(before="import torch\n\nprint(torch.ones(2).cuda().cpu().numpy())\n"),
    )

    def rewrite(self) -> None:
        low = self.script.links.meaning.low if self.script.links.meaning is not None else {}
        seen: Counter[tuple[int, str]] = Counter()
        for call in self.script.tree.all(cst.Call):
            if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "numpy":
                continue
            key = self.script.roles.key(call)
            known = low.get((*key, seen[key]))
            seen[key] += 1
            if known:
                self.edit("TC306", call, "NumPy has no bfloat16").replace(call.func.value, _as_float)
            elif known is None and self._is_low(call.func.value, self._kept):
                self.note("TC307", call, f"{code_of(call.func.value)} may be bfloat16, which NumPy does not have")

    # --- where the execution did not come ---------------------------------------------------------------------------

    @cached_property
    def _kept(self) -> set[Bound]:
        """The names that hold what was computed under autocast, also of lists that it was put into."""
        found = {bound for assign in self._under_autocast() if _computes(assign.value) for bound in _bound_by(assign)}
        for _ in range(2 if found else 0):
            for assign in self.script.tree.all(cst.Assign):
                if self._is_low(assign.value, found):
                    found.update(_bound_by(assign))
            for call in self.script.tree.all(cst.Call):
                if isinstance(call.func, cst.Attribute) and call.func.attr.value == "append" and len(call.args) == 1:
                    if self._is_low(call.args[0].value, found):
                        found |= {(one.node, one.name) for one in self.script.names.bindings(call.func.value)}
        return found

    def _under_autocast(self) -> Iterator[cst.Assign]:
        tree = self.script.tree
        for call in (call for name in _AUTOCASTS for call in self.script.calls(name)):
            item = tree.parent.get(call)
            block = tree.parent.get(item) if isinstance(item, cst.WithItem) else None
            if isinstance(block, cst.With) and not any(code_of(arg.value) == "False" for arg in call.args):
                yield from tree.inside(block.body, cst.Assign)

    def _is_low(self, node: cst.BaseExpression, low: set[Bound]) -> bool:
        """Whether an expression keeps the type of what one of these names holds."""
        names = [each for each in walk(node) if isinstance(each, cst.Name)] if _keeps_type(node) else []
        return any((one.node, one.name) in low for name in names for one in self.script.names.bindings(name))


def _bound_by(assign: cst.Assign) -> Iterator[Bound]:
    yield from ((assign, each.target.value) for each in assign.targets if isinstance(each.target, cst.Name))


def _computes(node: cst.BaseExpression) -> bool:
    """Whether an expression calls something and gives what that computed, in its type."""
    return _keeps_type(node) and any(isinstance(each, cst.Call) for each in walk(node))


def _keeps_type(node: cst.BaseExpression) -> bool:
    return not any(
        isinstance(each, cst.Comparison) or (isinstance(each, cst.Attribute) and each.attr.value in _OTHER_TYPES)
        for each in walk(node)
    )


def _as_float(updated: cst.BaseExpression) -> cst.Call:
    return cst.Call(cst.Attribute(updated, cst.Name("float")))
