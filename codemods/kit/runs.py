"""Loops that run a model again and again for its outputs: an evaluation without a loader, a text word by word, an image
whose noise is taken away step by step. Without a mark all their iterations are one graph."""

from __future__ import annotations

import re

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.names import Names, dotted
from codemods.kit.roles import Role, Roles
from codemods.kit.steps import Loop
from codemods.kit.tree import Tree, walk

NO_GRAD = ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad")
_RECURRENT = tuple(f"torch.nn.{name}" for name in ("GRUCell", "LSTMCell", "RNNCell", "GRU", "LSTM", "RNN"))
_COUNT = "builtins.range"
_DIGIT = re.compile("[0-9]")
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
        goes_on = any(self._goes_on(call) for call in calls) and not self._is_short(loop)
        if inside:
            return any(self._runs_itself(call, _FOLLOWED, layers=goes_on) for call in calls)
        return any(self._runs_a_model(call, _FOLLOWED if goes_on else 0) for call in calls)

    def _goes_on(self, call: cst.Call) -> bool:
        """Whether an iteration takes what the last one made: `y = self.p_sample(y, t)`."""
        statement = self.tree.small_statement(call)
        if not isinstance(statement, cst.Assign) or not self.tree.contains(statement.value, call):
            return False
        made = {name.value for target in statement.targets for name in self.tree.inside(target.target, cst.Name)}
        given = {name.value for arg in call.args for name in self.tree.inside(arg, cst.Name)}
        return bool(made & given)

    def _is_short(self, loop: Loop) -> bool:
        """Whether what a loop goes through is no count, or one of a few that is written down: `for block in blocks`,
        `range(3)`."""
        if isinstance(loop, cst.While):
            return False
        names = [part for part in walk(loop.iter) if isinstance(part, cst.Name)]
        named = [binding.value for name in names for binding in self.names.bindings(name)]
        calls = [part for value in (loop.iter, *named) if value is not None for part in walk(value)]
        counts = [one for one in calls if isinstance(one, cst.Call) and self.names.qualified(one.func) == _COUNT]
        few = [len(one.args) == 1 and _DIGIT.fullmatch(code_of(one.args[0].value)) for one in counts]
        return all(few)

    def _runs_a_model(self, call: cst.Call, depth: int) -> bool:
        """Whether a call runs a model, or a function of the script that does."""
        if self._is_model(call.func):
            return True
        function = self.names.local_function(call.func) if depth else None
        inner = self.tree.inside(function.body, cst.Call) if function is not None else ()
        return any(self._runs_a_model(one, depth - 1) for one in inner)

    def _is_model(self, func: cst.BaseExpression) -> bool:
        return isinstance(func, cst.Name | cst.Attribute) and self.roles.is_a(func, Role.MODEL)

    def _runs_itself(self, call: cst.Call, depth: int, *, layers: bool) -> bool:
        """Whether a call in a model runs all of it, `self(x)`, or the network that it was given, also by another of its
        methods; one of its own `layers` only where a loop goes on with what it makes."""
        func, class_ = call.func, self.tree.class_of(call)
        if isinstance(func, cst.Name):
            return func.value == "self"
        of_self = isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name) and func.value.value == "self"
        if class_ is None or depth == 0 or not isinstance(func, cst.Attribute) or not of_self:
            return False
        method = self.names.method(class_, func.attr.value)
        if method is not None:
            inside = self.tree.inside(method.body, cst.Call)
            return any(self._runs_itself(inner, depth - 1, layers=layers) for inner in inside)
        made = [binding.value for binding in self.names.attribute_bindings(class_, func.attr.value)]
        calls = [value for value in made if isinstance(value, cst.Call)]
        if (layers and calls) or any(self.names.qualified(value.func) in _RECURRENT for value in calls):
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
