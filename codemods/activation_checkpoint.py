"""Recompute activations through torch_xla.

`torch.utils.checkpoint.checkpoint` looks for the module of its tensors' device, `torch.xla`, which there is not, and
fails. `torch_xla.utils.checkpoint.checkpoint` is the same function for XLA; it also keeps XLA from merging the
recomputation with the first computation. It knows only the reentrant kind, so `use_reentrant=False` is taken out. The
reentrant kind needs an input that requires gradients, and passes no keywords on to the function.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_FUNCTION = "torch.utils.checkpoint.checkpoint"
_OTHERS = ("torch.utils.checkpoint.checkpoint_sequential", "torch.utils.checkpoint.CheckpointFunction")
_KNOWN = frozenset(("use_reentrant", "preserve_rng_state"))
_SOURCE = "torch_xla 2.9 utils/checkpoint.py checkpoint"


class ActivationCheckpoint(Codemod):
    """Recompute activations through torch_xla."""

    STAGE = Stage.STEP
    NEEDS = (Idiom.CHECKPOINT,)
    RULES = (
        Rule("TC461", "activations are recomputed by torch_xla's checkpoint", Safety.EXACT, document=_SOURCE),
        Rule("TC462", "activation checkpointing becomes the reentrant kind", Safety.REVIEW,
             advice="check that an input of the checkpointed function requires gradients, or it gets none",
             document=_SOURCE),
        Rule("TC463", "activation checkpointing in a form that torch_xla lacks", Safety.NOTE, Severity.ERROR,
             advice="use torch_xla.utils.checkpoint.checkpoint with positional arguments", document=_SOURCE),
        Rule("TC464", "a library's activation checkpointing", Safety.NOTE, Severity.WARNING,
             advice="it fails where it calls torch.utils.checkpoint: check it, or leave it off", document=_SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\nfrom torch.utils.checkpoint import checkpoint\n\n\ndef forward(block, x):\n"
            "    return checkpoint(block, x)\n",
            smtc="import torch\nfrom torch_xla.utils.checkpoint import checkpoint\n\n\ndef forward(block, x):\n"
            "    return checkpoint(block, x)\n",
            xla="import torch\nfrom torch_xla.utils.checkpoint import checkpoint\n\n\ndef forward(block, x):\n"
            "    return checkpoint(block, x)\n",
        ),
        Example(before="import torch\n\n\ndef checkpoint(path):\n    torch.save(1, path)\n"),
    )

    def rewrite(self) -> None:
        for _, node in self.script.names.uses(_FUNCTION):
            self._use(node)
        for name in _OTHERS:
            for _, node in self.script.names.uses(name):
                self.note("TC463", node, f"{code_of(node)} has no counterpart in torch_xla")
        for call in self.script.tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value == "gradient_checkpointing_enable":
                self.note("TC464", call, "the model recomputes its activations through torch.utils.checkpoint")

    def _is_alias(self, node: cst.BaseExpression) -> bool:
        """A name of the script's own for the function: it follows its definition."""
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name) else []
        return bool(bindings) and all(binding.kind != "import" for binding in bindings)

    def _call(self, node: cst.BaseExpression) -> cst.Call | None:
        """The call that the function gets its arguments from: its own, or that of `partial`."""
        tree = self.script.tree
        parent = tree.parent.get(node)
        call = tree.parent.get(parent) if isinstance(parent, cst.Arg) else parent
        if not isinstance(call, cst.Call):
            return None
        bound = call.args and call.args[0] is parent and self.script.qualified(call.func) == "functools.partial"
        return call if call.func is node or bound else None

    def _use(self, node: cst.BaseExpression) -> None:
        call, alias = self._call(node), self._is_alias(node)
        args = call.args if call is not None else ()
        named = [arg.keyword.value for arg in args if arg.keyword is not None]
        foreign = [name for name in named if name not in _KNOWN]
        kind = argument(call, None, "use_reentrant") if call is not None else None
        if call is not None and (foreign or any(arg.star == "**" for arg in args)):
            self.note("TC463", call, f"passes keywords on: {', '.join(foreign) or '**'}")
            return
        plain = kind is None or code_of(kind.value) == "True"
        if alias and plain:
            return
        message = "recomputes activations through torch_xla" + ("" if plain else ", reentrantly")
        edit = self.edit("TC461" if plain else "TC462", call or node, message)
        if not alias:
            edit.replace(node, edit.say(Idiom.CHECKPOINT))
        if kind is not None and not plain:
            edit.remove(kind)
