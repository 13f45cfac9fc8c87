"""Give a network that starts from another one's weights tensors of its own.

A target network or an average of a model begins as `target.load_state_dict(model.state_dict())`. On XLA both then share
their buffers on the device, copies by `clone()` too. A step that updates one of them in place frees the buffer of the
other: "Check failed: !buffer->IsDeleted()" (torch_xla 2.9; 2.1 is free of it). Weights that go by way of the host are
the network's own. What is loaded in every step, or before the networks move, needs nothing.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.phrases import Idiom
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Stage

_BEFORE = """\
import torch

model, target = torch.nn.Linear(2, 2).cuda(), torch.nn.Linear(2, 2).cuda()
target.load_state_dict(model.state_dict())
"""
_AFTER = """\
import torch

model, target = torch.nn.Linear(2, 2).cuda(), torch.nn.Linear(2, 2).cuda()
target.load_state_dict({k: v.cpu() for k, v in model.state_dict().items()})
"""


class CopiedState(Codemod):
    """Give a network that starts from another one's weights tensors of its own."""

    STAGE = Stage.SAVE
    NEEDS = (Idiom.STATE_BY_HOST,)
    RULES = (
        Rule("TC626", "a state goes to another network by way of the host", Safety.EXACT,
             document="measured with torch_xla 2.9: in-place updates of a network that was loaded on the device"),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE, xla=_AFTER),)

    def rewrite(self) -> None:
        if self.script.on_cpu:
            return
        for call in self.script.tree.all(cst.Call):
            func, state = call.func, call.args[0].value if call.args else None
            if not isinstance(func, cst.Attribute) or func.attr.value != "load_state_dict":
                continue
            if isinstance(state, cst.Call) and self._is_another(func.value, state) and not self._is_repeated(call):
                edit = self.edit("TC626", call, "the networks would share their buffers on the device")
                edit.replace(state, lambda updated, edit=edit: edit.say(Idiom.STATE_BY_HOST, state=updated))

    def _is_another(self, loaded: cst.BaseExpression, state: cst.Call) -> bool:
        """Whether what is loaded is the state of another model, as it is: `model.state_dict()`."""
        func = state.func
        if not isinstance(func, cst.Attribute) or func.attr.value != "state_dict" or state.args:
            return False
        if code_of(func.value) == code_of(loaded):
            return False
        return self.script.is_a(loaded, Role.MODEL) or self.script.is_a(func.value, Role.MODEL)

    def _is_repeated(self, call: cst.Call) -> bool:
        """Whether it is loaded again and again: in a loop, or in a function that loops call."""
        tree, function = self.script.tree, self.script.tree.function(call)
        if tree.loop(call) is not None:
            return True
        if function is None or function.name.value == "__init__":
            return False
        again = any(tree.loop(site) is not None for site in self.script.roles.call_sites(function))
        return again or tree.qualname(function) in self.script.links.repeated
