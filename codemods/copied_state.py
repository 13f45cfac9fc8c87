"""Give a network that starts from another one's weights tensors of its own.

A target network or an average of a model begins as `target.load_state_dict(model.state_dict())`, by the first
`average.update_parameters(model)`, or parameter by parameter, `q.data.copy_(p.data)`. On XLA both then share their
buffers on the device, copies by `clone()` too. A step that updates one of them in place frees the buffer of the other:
"Check failed: !buffer->IsDeleted()" (torch_xla 2.9; 2.1 is free of it). Weights that go by way of the host are the
network's own. What is copied in every step, of weights that a step made, or before the networks move, needs nothing.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of, expression
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.names import Binding
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


_METHODS = ("load_state_dict", "update_parameters", "copy_")
_COPIES = ("copy.deepcopy", "copy.copy", "builtins.dict")
_LISTS = (("parameters", ()), ("named_parameters", (1,)), ("buffers", ()), ("named_buffers", (1,)))
"""Methods that list a model's tensors, and where the tensor is in what a loop over them gets."""


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
            func, given = call.func, call.args[0].value if call.args else None
            if not isinstance(func, cst.Attribute) or func.attr.value not in _METHODS or given is None:
                continue
            if self._is_repeated(call):
                continue
            if func.attr.value == "load_state_dict" and self._is_another(func.value, self._state_of(given)):
                self._by_host(call, given)
            elif func.attr.value == "update_parameters" and self._is_average(func.value, given):
                self._again(call, func.value)
            elif func.attr.value == "copy_" and self._is_parameter(func.value) and self._is_parameter(given):
                edit = self._edit(call)
                edit.replace(given, expression("{tensor}.cpu()", tensor=_original(given)))

    def _edit(self, call: cst.Call) -> Edit:
        return self.edit("TC626", call, "the networks would share their buffers on the device")

    def _by_host(self, call: cst.Call, state: cst.BaseExpression) -> None:
        edit = self._edit(call)
        if isinstance(state, cst.DictComp):  # `{k: v.clone() for k, v in model.state_dict().items()}`
            root: cst.BaseExpression = state.value
            while isinstance(root, cst.Call | cst.Attribute):
                root = root.func if isinstance(root, cst.Call) else root.value
            edit.replace(state.value, lambda updated: expression("{value}.cpu()", value=root))
        else:
            edit.replace(state, lambda updated: edit.say(Idiom.STATE_BY_HOST, state=updated))

    def _again(self, call: cst.Call, average: cst.BaseExpression) -> None:
        """The first update of an average copies: after it the average loads what it has, by way of the host."""
        line = self.script.tree.statement(call)
        block = list(self.script.tree.block(line)) if line is not None else []
        following = block[block.index(line) + 1 :][:1] if line in block else []
        if any(code_of(each).strip().startswith(f"{code_of(average)}.load_state_dict(") for each in following):
            return  # migrated already
        edit = self._edit(call)
        if edit.allowed:
            state = edit.say(Idiom.STATE_BY_HOST, state=expression("{average}.state_dict()", average=average))
            load = expression("{average}.load_state_dict({state})", average=average, state=state)
            edit.after(call, [cst.SimpleStatementLine([cst.Expr(load)])])

    def _state_of(self, state: cst.BaseExpression) -> cst.BaseExpression:
        """`model.state_dict()`, also of a copy of it: `copy.deepcopy(model.state_dict())`, `{k: v.clone() ...}`."""
        if isinstance(state, cst.Name):
            bound = self.script.estimators.literals.reaching(state)
            if len(bound) == 1 and bound[0].kind == "assign" and bound[0].value is not None and not bound[0].path:
                return self._state_of(bound[0].value) if bound[0].value is not state else state
        if isinstance(state, cst.Call) and self.script.qualified(state.func) in _COPIES and len(state.args) == 1:
            return self._state_of(state.args[0].value)
        if isinstance(state, cst.DictComp) and _clones(state.value):
            items = state.for_in.iter
            if isinstance(items, cst.Call) and isinstance(items.func, cst.Attribute) and not state.for_in.ifs:
                return self._state_of(items.func.value)
        return state

    def _is_another(self, loaded: cst.BaseExpression, state: cst.BaseExpression) -> bool:
        """Whether what is loaded is the state of another model, as it is: `model.state_dict()`."""
        func = state.func if isinstance(state, cst.Call) and not state.args else None
        if not isinstance(func, cst.Attribute) or func.attr.value != "state_dict":
            return False
        if code_of(func.value) == code_of(loaded):
            return False
        return self.script.is_a(loaded, Role.MODEL) or self.script.is_a(func.value, Role.MODEL)

    def _is_average(self, average: cst.BaseExpression, model: cst.BaseExpression) -> bool:
        """`AveragedModel`, or a class on top of it: a module whose first update copies the model's weights."""
        return self.script.is_a(average, Role.MODEL) and self.script.is_a(model, Role.MODEL)

    def _is_parameter(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a parameter of a model that a loop goes through, or its data."""
        node = _original(node)
        while isinstance(node, cst.Attribute) and node.attr.value == "data":
            node = node.value
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name) else []
        return bool(bindings) and all(b.kind == "for" and self._lists_parameters(b) for b in bindings)

    def _lists_parameters(self, binding: Binding) -> bool:
        """`for p, q in zip(model.parameters(), target.parameters())`"""
        listed, place = binding.value, binding.path
        if isinstance(listed, cst.Call) and self.script.qualified(listed.func) == "builtins.zip" and place:
            listed, place = (listed.args[place[0]].value if place[0] < len(listed.args) else None), place[1:]
        func = listed.func if isinstance(listed, cst.Call) else None
        method = func.attr.value if isinstance(func, cst.Attribute) else ""
        return (method, place) in _LISTS

    def _is_repeated(self, call: cst.Call) -> bool:
        """Whether it is only done again and again: in a loop, or in a function that only loops call."""
        tree, function = self.script.tree, self.script.tree.function(call)
        if self._steps(tree.loop(call)):
            return True
        if function is None or function.name.value == "__init__":
            return False
        sites = self.script.roles.call_sites(function)
        if sites:
            return all(tree.loop(site) is not None for site in sites)
        return tree.qualname(function) in self.script.links.repeated

    def _steps(self, loop: cst.For | cst.While | None) -> bool:
        """Whether a loop is another one than that over the parameters themselves."""
        while loop is not None:
            named = [b for scope in self.script.names.all_scopes() for each in scope.names.values() for b in each]
            if not any(b.node is loop and self._lists_parameters(b) for b in named):
                return True
            loop = self.script.tree.loop(loop)
        return False


def _original(node: cst.BaseExpression) -> cst.BaseExpression:
    """`p.data` of `p.data.clone()`: a copy on the device."""
    while isinstance(node, cst.Call) and not node.args and isinstance(node.func, cst.Attribute):
        if node.func.attr.value not in ("clone", "detach"):
            break
        node = node.func.value
    return node


def _clones(value: cst.BaseExpression) -> bool:
    """`v`, `v.clone()`, `v.detach().clone()`: what stays on the device and computes nothing."""
    while isinstance(value, cst.Call | cst.Attribute):
        value = value.func if isinstance(value, cst.Call) else value.value
        if isinstance(value, cst.Attribute) and value.attr.value not in ("clone", "detach", "data"):
            return False
    return isinstance(value, cst.Name)
