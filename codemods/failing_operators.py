"""Say where an operator of torch fails on XLA.

Most operators that torch_xla does not have are computed on the host. Some fail instead: they raise in the first step,
or end the process without a Python error. Which do is measured, operator by operator, for each torch_xla
(`codemods/kit/data/failing_operators.json`). Complex numbers fail in two more ways, measured on 2.1 and 2.9: `abs()`
of them has no gradient, and the real view of them cannot be transposed; the gradients of their `einsum` lack the
conjugate, and are others altogether. Three calls give something else without a word:
`x.amax()` without a dimension gives `x`, `x.norm(inf)` gives 1, and on 2.9 `avg_pool2d` knows no `divisor_override`.

Looked at is what runs in a step; what the abstract execution saw on host tensors only, as in a dataset, is right there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import libcst as cst

from codemods.kit.accelerator import bound_value
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.failing import failing
from codemods.kit.names import argument
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.step_code import StepCode
from codemods.kit.tree import walk

_BEFORE = """\
import torch


class Loss(torch.nn.Module):
    def forward(self, x):
        s = torch.view_as_real(torch.fft.rfft(x.cuda())).transpose(1, 2)
        return s.pow(2).sum()
"""
_ADVICE = {
    "stft": "write it as a convolution with the cosines and sines of the transform, F.conv1d(x, basis, stride=hop)",
    "fill_diagonal_": "write x.masked_fill_(torch.eye(n, dtype=torch.bool, device=x.device), value)",
    "nn.functional.pixel_shuffle": "write it with view, permute and reshape",
    "narrow_copy": "write x.narrow(dim, start, length).clone()",
}
_TURNED = (
    "transposing the real view of complex numbers ends the process: take its parts first, x[..., 0] and x[..., 1], or "
    "make it a tensor of its own, x * 1"
)
_ABS = "abs of complex numbers has no gradient on an XLA device, it raises: write (x.real ** 2 + x.imag ** 2).sqrt()"
_COMPLEX = tuple(f"torch.{name}" for name in (
    "stft", "complex", "polar", "view_as_complex", "fft.fft", "fft.rfft", "fft.fft2", "fft.rfft2", "fft.fftn",
    "fft.rfftn", "fft.ifft", "fft.ifft2", "fft.ifftn"))  # fmt: skip
_KINDS = re.compile(r"\b(cfloat|cdouble|chalf|complex(32|64|128))\b")
_EINSUM = "einsum of complex numbers has other gradients on an XLA device: write it as a product of matrices, x @ w"
_DEEPEST = 6
_KEEP = ("to", "cuda", "clone", "contiguous", "view", "reshape", "permute", "transpose", "unsqueeze", "squeeze")
_TURNS = frozenset(("transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "mT", "T", "t"))


class FailingOperators(Codemod):
    """Say where an operator of torch fails on XLA."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC930", "an operator that gives something else on XLA", Safety.NOTE, Severity.ERROR,
             advice="write it with other operators, or compute it on the host: x.cpu()",
             document="measured with torch_xla 2.1 and 2.9, on the CPU"),
        Rule("TC929", "an operator that fails on XLA", Safety.NOTE, Severity.ERROR,
             advice="write it with other operators, or compute it on the host: x.cpu()",
             document="measured with torch_xla 2.1 and 2.9, on the CPU"),
    )  # fmt: skip
    EXAMPLES = (
        Example(before=_BEFORE),
        Example(before="import torch\n\nx = torch.zeros(2).cuda()\nx.fill_(1)\n"),
    )

    def rewrite(self) -> None:
        if self.script.on_cpu or not self.script.uses_torch:
            return
        fails = failing(self.edits.target.version)
        said = set()
        for call in self.script.tree.all(cst.Call):
            name = self._operator(call)
            if name in fails and self._on_device(call):
                said.add(call)
                advice = f": {_ADVICE[name]}" if name in _ADVICE else ""
                self.note("TC929", call, f"{name} {_said(fails[name])} on an XLA device{advice}")
        for call in self.script.tree.all(cst.Call):
            wrong = self._gives_else(call)
            if wrong and self._on_device(call):
                self.note("TC930", call, wrong)
        for call in self.script.calls("torch.einsum"):
            if self._step.runs(call) and any(self._is_complex(arg.value) for arg in call.args[1:]):
                self.note("TC930", call, _EINSUM)
        for call in self.script.calls(*_COMPLEX, "torch.view_as_real"):
            if call not in said and self._on_device(call):
                self._complex(call)

    def _operator(self, call: cst.Call) -> str:
        """`stft` of `torch.stft(...)`, `fill_diagonal_` of `x.fill_diagonal_(...)`."""
        name = self.script.qualified(call.func)
        if name is not None:
            return name.removeprefix("torch.") if name.startswith("torch.") else ""
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        return method if method.endswith("_") and not method.startswith("_") else ""

    def _gives_else(self, call: cst.Call) -> str:
        """What a call gives in place of its value, and what to write, or an empty string."""
        name = self.script.qualified(call.func) or ""
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) and not name else ""
        if any(function.name.value == method for function in self.script.tree.all(cst.FunctionDef)):
            return ""  # a method of the script's own
        first = int(not method)
        word = method or (name.removeprefix("torch.") if name.startswith("torch.") else "")
        if word in ("amax", "amin") and len(call.args) == first:
            return f"{word} without a dimension gives the tensor itself on an XLA device: write x.{word[1:]}()"
        order = argument(call, first, "p") if word == "norm" else None
        if order is not None and re.search(r"\binf\b", code_of(order.value)):
            return "the norm of order inf is 1 on an XLA device, whatever the tensor: write x.abs().max()"
        if word == "nn.functional.avg_pool2d" and argument(call, 6, "divisor_override") is not None:
            if self.edits.target.version >= (2, 9):
                return "divisor_override is passed over on an XLA device: divide by it in a product"
        return ""

    def _on_device(self, call: cst.Call) -> bool:
        meaning = self.script.links.meaning
        key = self.script.roles.key(call)
        seen = meaning.computed.get(key) if meaning is not None else None
        if seen is not None:
            return seen
        given = [arg.value for arg in call.args[:1]]
        return self._step.runs(call) and not any(map(self._step.on_host, given))

    @cached_property
    def _step(self) -> StepCode:
        return StepCode(self.script)

    def _complex(self, call: cst.Call) -> None:
        asked = argument(call, None, "return_complex")
        stft = self.script.qualified(call.func) == "torch.stft"
        real = not (asked is not None and getattr(asked.value, "value", "") == "True") if stft else None
        if self.script.qualified(call.func) == "torch.view_as_real" or real:
            for use in self._uses(call, _TURNS):
                self.note("TC929", use, _TURNED)
            return
        for use in self._uses(call, frozenset(("abs",))):
            self.note("TC929", use, _ABS)

    def _is_complex(self, node: cst.BaseExpression, depth: int = 0) -> bool:
        """Whether a tensor is of complex numbers, as far as the script shows what it is made of."""
        script = self.script
        if depth > _DEEPEST:
            return False
        if isinstance(node, cst.Subscript):
            return self._is_complex(node.value, depth + 1)
        if isinstance(node, cst.Call):
            made = script.qualified(node.func) in _COMPLEX or _KINDS.search(code_of(node)) is not None
            held = node.func if isinstance(node.func, cst.Attribute) and node.func.attr.value in _KEEP else None
            return made or (held is not None and self._is_complex(held.value, depth + 1))
        for binding in script.names.bindings(node):
            values = [bound_value(binding)]
            function = script.tree.enclosing(binding.node, cst.FunctionDef)
            if isinstance(binding.node, cst.Param) and isinstance(function, cst.FunctionDef):
                values = [*script.accelerator.passed(function, binding.node)]
            if any(value is not None and self._is_complex(value, depth + 1) for value in values):
                return True
        return False

    def _uses(self, call: cst.Call, names: frozenset[str]) -> Iterator[cst.CSTNode]:
        """Where one of these is asked of what a call gives: `f(x).abs()`, `y.abs()`, `torch.abs(y)`."""
        function = self.script.tree.function(call) or self.script.tree.module
        for node in walk(function):
            if isinstance(node, cst.Attribute) and node.attr.value in names and self._is(node.value, call):
                yield node
            elif isinstance(node, cst.Call) and node.args and self._is(node.args[0].value, call):
                library, _, name = (self.script.qualified(node.func) or "").rpartition(".")
                if library == "torch" and name in names:
                    yield node

    def _is(self, node: cst.BaseExpression, call: cst.Call) -> bool:
        if node is call:
            return True
        return isinstance(node, cst.Name) and any(bound_value(b) is call for b in self.script.names.bindings(node))


def _said(how: str) -> str:
    """`raises RuntimeError` of the whole message."""
    error = how.partition(":")[0]
    return f"raises {error}" if error.endswith("Error") else how
