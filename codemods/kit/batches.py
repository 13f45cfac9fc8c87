"""What comes from the batches of a loop: the tensors that a device loader puts on the device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.accelerator import bound_value
from codemods.kit.build import code_of
from codemods.kit.loops import BatchLoop
from codemods.kit.names import Binding, argument
from codemods.kit.options import text
from codemods.kit.roles import Role

if TYPE_CHECKING:
    from codemods.kit.script import Script

_TO_HOST = frozenset(("cpu", "numpy", "item", "tolist", "size", "dim", "numel", "keys"))
"""Methods of a batch whose result is not a tensor on the batch's device."""
_COLLECTS = frozenset("builtins." + name for name in ("tuple", "list", "iter", "map", "zip", "dict", "enumerate"))
_PLOTS = frozenset("matplotlib.pyplot." + name for name in ("imshow", "imsave", "matshow", "plot", "scatter", "hist"))
_PACKS = ("torch.nn.utils.rnn.pack_padded_sequence",)


class Batches:
    """The batches of one loop that gets them from a device loader."""

    def __init__(self, script: Script, loop: BatchLoop) -> None:
        self.script = script
        self.loop = loop

    def is_on_device(self, node: cst.BaseExpression) -> bool:
        """Whether an expression in the loop's body is a tensor of the batch, or tensors of it, still on its device."""
        found: set[bool] = set()
        self._trace(node, found, set())
        return found == {True}

    def _trace(self, node: cst.BaseExpression, found: set[bool], seen: set[Binding]) -> None:
        """Follow an expression to all it comes from: True for a batch, False for anything else, nothing for itself
        (`x = x.view(-1)`)."""
        if isinstance(node, cst.Name):
            inside = [binding for binding in self.script.names.bindings(node) if self._reaches(binding, node)]
            if not inside:
                found.add(False)
            for binding in inside:
                if binding not in seen:
                    seen.add(binding)
                    self._trace_binding(binding, found, seen)
            return
        if isinstance(node, cst.Call) and self.script.loaders.source.is_next(node):
            found.add(self.script.loaders.source.is_drawn(self.loop, node))
            return
        parts = self._parts(node)
        if not parts:
            found.add(False)
        for part in parts:
            self._trace(part, found, seen)

    def _parts(self, node: cst.BaseExpression) -> Sequence[cst.BaseExpression]:
        """The expressions that an expression is on the device with; none when it is not a tensor of theirs."""
        if isinstance(node, cst.Attribute | cst.Subscript | cst.NamedExpr | cst.DictComp):
            return [node.value]
        if isinstance(node, cst.Tuple | cst.List):
            return [element.value for element in node.elements]
        if isinstance(node, cst.GeneratorExp | cst.ListComp):
            return [node.elt]
        if isinstance(node, cst.IfExp):
            return [node.body, node.orelse]
        if not isinstance(node, cst.Call):
            return []
        name = self.script.qualified(node.func)
        if name == "builtins.map":
            return [arg.value for arg in node.args[1:]]
        if name == "torch.autograd.Variable" or name in _COLLECTS:
            return [arg.value for arg in node.args[:1]]
        if not isinstance(node.func, cst.Attribute) or node.func.attr.value in _TO_HOST:
            return []
        if node.func.attr.value == "to" and node not in self.script.loaders.moving:
            target = argument(node, 0, "device")
            if target is not None and not (self.script.qualified(target.value) or "").startswith("torch."):
                return []
        return [node.func.value]

    def _reaches(self, binding: Binding, node: cst.Name) -> bool:
        """Whether a binding of the loop can be what a name in its body holds: one before it, or one around it."""
        tree = self.script.tree
        if binding.node is self.loop.loop:
            return True
        if not tree.contains(self.loop.loop.body, binding.node):
            return False
        if binding.kind not in ("assign", "walrus", "augmented"):
            return True
        if tree.before(binding.node, node) and not tree.contains(binding.node, node):
            return True
        again = tree.loop(node)
        return again is not None and again is not self.loop.loop and tree.contains(again, binding.node)

    def _trace_binding(self, binding: Binding, found: set[bool], seen: set[Binding]) -> None:
        if binding.node is self.loop.loop:
            found.add(self.loop.iterable is not None and not self._counts(binding))
        elif binding.kind in ("assign", "walrus") and binding.value is not None:
            self._trace(bound_value(binding) or binding.value, found, seen)
        elif binding.kind == "for" and binding.value is not None and not self._counts(binding):
            self._trace(binding.value, found, seen)
        elif binding.kind == "parameter" and (mapped := self._mapped(binding)) is not None:
            self._trace(mapped, found, seen)
        else:
            found.add(False)

    def _counts(self, binding: Binding) -> bool:
        """Whether a binding takes the number of an `enumerate`, or the key of `items()`."""
        value = binding.value
        while binding.path[:1] == (0,) and isinstance(value, cst.Call):
            if isinstance(value.func, cst.Attribute) and value.func.attr.value == "items":
                return True
            if self.script.qualified(value.func) == "builtins.enumerate":
                return True
            value = value.args[0].value if value.args else None
        return False

    def _mapped(self, binding: Binding) -> cst.BaseExpression | None:
        """What the parameter of `map(lambda t: t.to(device), batch)` goes through."""
        function = self.script.tree.enclosing(binding.node, cst.Lambda, cst.FunctionDef)
        arg = self.script.tree.parent.get(function) if function is not None else None
        call = self.script.tree.parent.get(arg) if isinstance(arg, cst.Arg) else None
        if isinstance(call, cst.Call) and self.script.qualified(call.func) == "builtins.map" and len(call.args) == 2:
            return call.args[1].value
        return None

    def host_reads(self) -> Iterator[cst.BaseExpression]:
        """Tensors of the batch that are read where only a host tensor will do: `labels.numpy()`."""
        for call in self.script.tree.inside(self.loop.loop.body, cst.Call):
            for read in self._read_on_host(call):
                if not isinstance(read, cst.Tuple | cst.List):
                    yield from self._of_batch(read)

    def _of_batch(self, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
        """What of an expression is of the batch, as the script handed it out: what it computes of that on the host."""
        if self.script.roles.is_array(node):
            return
        if self.is_on_device(node) or (isinstance(node, cst.Name) and self._is_computed(node)):
            yield node
        elif isinstance(node, cst.BinaryOperation):
            yield from self._of_batch(node.left)
            yield from self._of_batch(node.right)
        elif isinstance(node, cst.UnaryOperation):
            yield from self._of_batch(node.expression)
        elif isinstance(node, cst.Attribute | cst.Subscript):
            yield from self._of_batch(node.value)
        elif isinstance(node, cst.Call) and not self._is_on_accelerator(node):
            method = isinstance(node.func, cst.Attribute) and self.script.qualified(node.func) is None
            held = [node.func.value] if isinstance(node.func, cst.Attribute) and method else []
            known = held or (self.script.qualified(node.func) or "").startswith(("torch.", "torchvision."))
            for part in [*held, *(arg.value for arg in node.args)]:
                yield from (one for one in self._of_batch(part) if known or self._is_moved(one))

    def _is_moved(self, node: cst.BaseExpression) -> bool:
        """Whether the loop moves it, or what it is an item of, as it moves tensors: names and paths are not moved."""
        moves = (one for one in self.script.loaders.moving if self.script.tree.contains(self.loop.loop.body, one))
        moved = {code_of(one.func.value) for one in moves if isinstance(one.func, cst.Attribute)}
        while code_of(node) not in moved and isinstance(node, cst.Subscript):
            node = node.value
        return code_of(node) in moved

    def _is_computed(self, name: cst.Name) -> bool:
        """Whether a name holds what the loop computed of the batch: `half = 0.5 * images`."""
        bound = [one for one in self.script.names.bindings(name) if self._reaches(one, name)]
        if len(bound) != 1 or bound[0].kind != "assign" or bound[0].path:
            return False
        value = bound[0].value
        sides = [value.left, value.right] if isinstance(value, cst.BinaryOperation) else []
        return any(map(self.is_on_device, sides))

    def _is_on_accelerator(self, call: cst.Call) -> bool:
        """Whether a call made something of the batch that was on the accelerator already, or is read from there."""
        if isinstance(call.func, cst.Attribute) and call.func.attr.value in _TO_HOST:
            return True
        moves = any(one in self.script.loaders.moving for one in self.script.tree.inside(call, cst.Call))
        return moves or self.script.is_a(call.func, Role.MODEL) or self._reads(call)

    def _read_on_host(self, call: cst.Call) -> Iterator[cst.BaseExpression]:
        """What a call reads that has to be on the host."""
        name = self.script.qualified(call.func) or ""
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "numpy" and not name:
            yield call.func.value
        elif name in _PLOTS or (isinstance(call.func, cst.Attribute) and call.func.attr.value in ("imshow", "imsave")):
            yield from (arg.value for arg in call.args if arg.keyword is None)
        elif name in _PACKS:
            lengths = argument(call, 1, "lengths")
            if lengths is not None:
                yield lengths.value
        elif self._reads(call):
            yield from (arg.value for arg in call.args)

    def _reads(self, call: cst.Call) -> bool:
        return (self.script.qualified(call.func) or "").startswith(("numpy.", "sklearn.", "scipy."))

    def fields_read(self) -> dict[str, set[str]]:
        """For each target of the loop that is a whole batch: the attributes that are read of it, methods aside."""
        tree = self.script.tree
        found: dict[str, set[str]] = {}
        for node in tree.inside(self.loop.loop.body, cst.Attribute):
            if not isinstance(node.value, cst.Name):
                continue
            called = tree.parent.get(node)
            if isinstance(called, cst.Call) and called.func is node:
                continue
            bindings = self.script.names.bindings(node.value)
            if any(b.node is self.loop.loop and not self._counts(b) for b in bindings):
                found.setdefault(node.value.value, set()).add(node.attr.value)
        return found


def named_tuples(script: Script) -> dict[str, set[str]]:
    """The classes of named tuples of a script, with their fields."""
    found: dict[str, set[str]] = {}
    for call in script.calls("collections.namedtuple"):
        assign, fields = script.tree.parent.get(call), argument(call, 1, "field_names")
        if isinstance(assign, cst.Assign) and isinstance(assign.targets[0].target, cst.Name) and fields is not None:
            words = [text(fields.value)]
            if isinstance(fields.value, cst.List | cst.Tuple):
                words = [text(element.value) for element in fields.value.elements]
            found[assign.targets[0].target.value] = set(" ".join(words).replace(",", " ").split())
    for class_ in script.tree.all(cst.ClassDef):
        if any(script.qualified(base.value) == "typing.NamedTuple" for base in class_.bases):
            fields_of = [field for field in script.tree.all(cst.AnnAssign) if script.tree.class_of(field) is class_]
            found[class_.name.value] = {f.target.value for f in fields_of if isinstance(f.target, cst.Name)}
    return found
