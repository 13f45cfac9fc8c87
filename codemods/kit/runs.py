"""Loops that run a model again and again for its outputs: an evaluation without a loader, a text word by word, an image
whose noise is taken away step by step. Without a mark all their iterations are one graph."""

from __future__ import annotations

import libcst as cst

from codemods.kit.names import Names, dotted
from codemods.kit.roles import Role, Roles
from codemods.kit.steps import Loop
from codemods.kit.tree import Tree

NO_GRAD = ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad")
_RECURRENT = tuple(f"torch.nn.{name}" for name in ("GRUCell", "LSTMCell", "RNNCell", "GRU", "LSTM", "RNN"))
_FOLLOWED = 4
"""Methods of a class followed, one calling the other."""


class Runs:
    """Answers which loops repeat a model without gradients."""

    def __init__(self, tree: Tree, names: Names, roles: Roles) -> None:
        self.tree, self.names, self.roles = tree, names, roles

    def repeats_a_model(self, loop: Loop) -> bool:
        """Whether a loop without a loader runs a model for its outputs: `for k in range(n): out = model(get_batch())`.

        Only where gradients are off. A loop in a model is part of one graph, unless it is in a method without gradients
        that runs the whole model: `self(tokens)`, or a network that the model was given.
        """
        class_, function = self.tree.class_of(loop), self.tree.function(loop)
        inside = class_ is not None and self.roles.class_role(class_) is Role.MODEL
        if not self._without_gradients(loop, around=inside):
            return False
        if inside and (function is None or function.name.value == "forward"):
            return False
        item = loop.target.value if isinstance(loop, cst.For) and isinstance(loop.target, cst.Name) else ""
        calls = [call for call in self.tree.inside(loop.body, cst.Call) if self.tree.loop(call) is loop]
        calls = [call for call in calls if not item or dotted(call.func) != item]  # `for layer in layers: layer(x)`
        if inside:
            return any(self._runs_itself(call, _FOLLOWED) for call in calls)
        return any(self._is_model(call.func) for call in calls)

    def _is_model(self, func: cst.BaseExpression) -> bool:
        return isinstance(func, cst.Name | cst.Attribute) and self.roles.is_a(func, Role.MODEL)

    def _runs_itself(self, call: cst.Call, depth: int) -> bool:
        """Whether a call in a model runs all of it, `self(x)`, or the network that it was given, also by another of its
        methods; not one of its own layers."""
        func, class_ = call.func, self.tree.class_of(call)
        if isinstance(func, cst.Name):
            return func.value == "self"
        of_self = isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name) and func.value.value == "self"
        if class_ is None or depth == 0 or not isinstance(func, cst.Attribute) or not of_self:
            return False
        method = self.names.method(class_, func.attr.value)
        if method is not None:
            return any(self._runs_itself(inner, depth - 1) for inner in self.tree.inside(method.body, cst.Call))
        made = [binding.value for binding in self.names.attribute_bindings(class_, func.attr.value)]
        calls = [value for value in made if isinstance(value, cst.Call)]
        if any(self.names.qualified(value.func) in _RECURRENT for value in calls):
            return True  # a step of what a loop goes on with, as long as it likes
        given = [binding for value in made if isinstance(value, cst.Name) for binding in self.names.bindings(value)]
        return any(binding.kind == "parameter" for binding in given)

    def _without_gradients(self, loop: Loop, *, around: bool) -> bool:
        """Whether a loop runs under `torch.no_grad()`, as a context or a decorator, or, unless it has to be `around`
        the loop, in its own body."""
        uses = self.names.calls(*NO_GRAD)
        if not uses:
            return False
        for outer in self.tree.ancestors(loop):
            if isinstance(outer, cst.With):
                if any(self.tree.contains(item, use) for item in outer.items for use in uses):
                    return True
            if isinstance(outer, cst.FunctionDef):
                if any(self.tree.contains(d, use) for d in outer.decorators for use in uses):
                    return True
                break
        return not around and any(self.tree.loop(use) is loop for use in uses)
