"""Loops that move what they go through to the accelerator: `for x, y in loader: x, y = x.cuda(), y.to(device)`.

This shows a loader that is built in another file: nothing else is moved batch by batch while training or evaluating.
"""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from codemods.kit.names import Binding, Names
from codemods.kit.tree import Tree

COMPUTE = ("numpy", "scipy", "sklearn", "pandas", "torch", "random", "math")
"""Libraries whose functions and objects give parts of what they get, and no batches of a loader."""
_NO_GRAD = ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad")


class Moves:
    """Which loops move their own targets, by names alone."""

    def __init__(self, tree: Tree, names: Names) -> None:
        self.tree = tree
        self.names = names

    def goes_through(self, node: cst.BaseExpression) -> cst.For | None:
        """The loop whose batches come from this expression, when it moves them and trains or evaluates."""
        if isinstance(node, cst.Call):
            name = self.names.qualified(node.func)
            if isinstance(node.func, cst.Attribute) and name is None:
                return None  # `state.items()`, `model.parameters()`
            if (name or "").partition(".")[0] in (*COMPUTE, "builtins"):
                return None  # `range(n)`, `np.array_split(x, 10)`
        elif not isinstance(node, cst.Attribute | cst.Subscript):
            if not isinstance(node, cst.Name) or not self.names.bindings(node):
                return None
        found: cst.CSTNode = node
        while isinstance(arg := self.tree.parent.get(found), cst.Arg):
            call = self.tree.parent[arg]
            if not isinstance(call, cst.Call) or arg.keyword is not None or arg.star:
                return None
            if call.args[0] is not arg and self.names.qualified(call.func) != "builtins.zip":
                return None
            found = call
        found = self.tree.parent.get(found, node)
        return found if isinstance(found, cst.For) and found in self.loops else None

    @cached_property
    def loops(self) -> set[cst.For]:
        """Loops that move a target of theirs and show that they train or evaluate."""
        found: dict[cst.For, bool] = {}
        for call in self.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and self._to_device(call, call.func.attr.value):
                for binding in () if self._makes_samples(call) else self._batch(call.func.value):
                    if isinstance(binding.node, cst.For) and self.tree.contains(binding.node.body, call):
                        taken = self._takes_apart(call.func.value, binding)
                        found[binding.node] = found.get(binding.node, False) or taken
        return {
            loop for loop, unpacks in found.items() if (unpacks or self._computes(loop)) and not self._of_layers(loop)
        }

    def _of_layers(self, loop: cst.For) -> bool:
        """Whether a loop goes through the layers of a model: it is in its `forward`, or calls what it goes through."""
        function = self.tree.function(loop)
        if function is not None and function.name.value == "forward" and self.tree.class_of(loop) is not None:
            return True
        called = (call.func for call in self.tree.inside(loop.body, cst.Call) if isinstance(call.func, cst.Name))
        return any(binding.node is loop for func in called for binding in self.names.bindings(func))

    def _makes_samples(self, call: cst.Call) -> bool:
        """Whether a call is in a data set: what goes through its data there makes samples, and no batches."""
        made = self.tree.class_of(call)
        names = (self.names.qualified(base.value) or "" for base in (made.bases if made is not None else ()))
        return any(name.startswith("torch.utils.data.") and name.endswith("Dataset") for name in names)

    def _to_device(self, call: cst.Call, method: str) -> bool:
        """`x.cuda()`, `x.to(device)`; not `x.to(torch.float32)`."""
        if method != "to":
            return method == "cuda"
        return bool(call.args) and not (self.names.qualified(call.args[0].value) or "").startswith("torch.")

    def _batch(self, node: cst.BaseExpression, depth: int = 0) -> list[Binding]:
        """The bindings of the loop target a moved expression comes from: `batch` of `batch["x"]`, `v` of
        `{k: v.to(device) for k, v in batch.items()}`."""
        while isinstance(node, cst.Attribute | cst.Subscript | cst.Call):
            node = node.func if isinstance(node, cst.Call) else node.value
        if not isinstance(node, cst.Name) or depth > 3:
            return []
        found: list[Binding] = []
        for binding in self.names.bindings(node):
            if binding.kind == "for" and isinstance(binding.node, cst.CompFor) and binding.value is not None:
                found += self._batch(binding.value, depth + 1)
            elif binding.kind == "for":
                found.append(binding)
            elif binding.kind == "assign" and isinstance(binding.value, cst.Name | cst.Subscript):
                found += self._batch(binding.value, depth + 1)  # `x, y = batch`
        return found

    def _takes_apart(self, moved: cst.BaseExpression, binding: Binding) -> bool:
        """`for x, y in loader`, or `x, y = batch` in it; not only the `i, x` of an enumeration."""
        iterated = binding.value
        counts = isinstance(iterated, cst.Call) and self.names.qualified(iterated.func) == "builtins.enumerate"
        if len(binding.path) > (1 if counts else 0):
            return True
        return isinstance(moved, cst.Name) and any(b.kind == "assign" and b.path for b in self.names.bindings(moved))

    def _computes(self, loop: cst.For) -> bool:
        """Whether the loop has a backward, or stands under `no_grad` or in a function that sets the model's mode."""
        function = self.tree.function(loop)
        for call in self.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute):
                method = call.func.attr.value
                if method == "backward" and self.tree.contains(loop, call):
                    return True
                if method in ("eval", "train") and not call.args and self.tree.function(call) is function:
                    return True
        return any(self.tree.function(call) is function for call in self.names.calls(*_NO_GRAD))
