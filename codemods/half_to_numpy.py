"""Give NumPy float32 of what autocast computed.

On CUDA autocast makes float16, which NumPy has; on the XLA device it makes bfloat16, which NumPy does not have:
`.numpy()` raises a TypeError there. `.float()` before it gives the same numbers. Which tensors these are is asked of
the abstract execution of the original: they may have gone through lists, `torch.cat` and other files.
"""

from __future__ import annotations

from collections import Counter

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.phrases import Idiom
from codemods.kit.roles import spelling
from codemods.kit.rules import Example, Rule, Safety, Stage


class HalfToNumpy(Codemod):
    """Give NumPy float32 of what autocast computed."""

    STAGE = Stage.PRECISION
    LACKS = (Idiom.GRAD_SCALER,)
    RULES = (
        Rule("TC306", "what autocast computed becomes float32 for NumPy", Safety.EXACT,
             document="torch 2.9: TypeError, unsupported ScalarType BFloat16"),
    )  # fmt: skip
    EXAMPLES = (
        Example(before="import torch\n\nprint(torch.ones(2).cuda().cpu().numpy())\n"),
    )

    def rewrite(self) -> None:
        meaning = self.script.links.meaning
        if meaning is None or not meaning.low:
            return
        seen: Counter[tuple[int, str]] = Counter()
        for call in self.script.tree.all(cst.Call):
            key = self.script.tree.statement_number(call), spelling(call)
            if (*key, seen[key]) in meaning.low and isinstance(call.func, cst.Attribute):
                edit = self.edit("TC306", call, "NumPy has no bfloat16")
                edit.replace(call.func.value, _as_float)
            seen[key] += 1


def _as_float(updated: cst.BaseExpression) -> cst.Call:
    return cst.Call(cst.Attribute(updated, cst.Name("float")))
