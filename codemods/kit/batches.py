"""What a loop does with its batches on the way to the device: the moves that a device loader makes needless, and the
reads on the host that it breaks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.accelerator import bound_value
from codemods.kit.edits import is_pure
from codemods.kit.loops import BatchLoop
from codemods.kit.names import Binding, argument

if TYPE_CHECKING:
    from codemods.kit.script import Script

_TO_HOST = frozenset(("cpu", "numpy", "item", "tolist", "size", "dim", "numel", "keys"))
"""Methods of a batch whose result is not a tensor on the batch's device."""
_COLLECTS = frozenset("builtins." + name for name in ("tuple", "list", "iter", "map", "zip", "dict", "enumerate"))
_PACKS = ("torch.nn.utils.rnn.pack_padded_sequence",)


class Batches:
    """The batches of one loop that gets them from a device loader."""

    def __init__(self, script: Script, loop: BatchLoop) -> None:
        self.script = script
        self.loop = loop
        self._rooted: dict[cst.CSTNode, bool] = {}

    # --- what comes from the batch ------------------------------------------------------------------------------------

    def is_on_device(self, node: cst.BaseExpression) -> bool:
        """Whether an expression in the loop's body is a tensor of the batch, or tensors of it, still on its device."""
        if node not in self._rooted:
            self._rooted[node] = False
            self._rooted[node] = self._judge(node)
        return self._rooted[node]

    def _judge(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Name):
            return self._is_batch_name(node)
        if isinstance(node, cst.Attribute | cst.Subscript | cst.NamedExpr):
            return self.is_on_device(node.value)
        if isinstance(node, cst.Tuple | cst.List):
            return bool(node.elements) and all(self.is_on_device(element.value) for element in node.elements)
        if isinstance(node, cst.GeneratorExp | cst.ListComp):
            return self.is_on_device(node.elt)
        if isinstance(node, cst.DictComp):
            return self.is_on_device(node.value)
        if isinstance(node, cst.IfExp):
            return self.is_on_device(node.body) and self.is_on_device(node.orelse)
        if isinstance(node, cst.Call):
            return self._is_batch_call(node)
        return False

    def _is_batch_call(self, call: cst.Call) -> bool:
        name = self.script.qualified(call.func)
        if name == "torch.autograd.Variable" or name in _COLLECTS:
            return bool(call.args) and self.is_on_device(call.args[-1 if name == "builtins.map" else 0].value)
        if not isinstance(call.func, cst.Attribute) or call.func.attr.value in _TO_HOST:
            return False
        if call.func.attr.value == "to" and not self.is_move(call):
            target = argument(call, 0, "device")
            if target is not None and not (self.script.qualified(target.value) or "").startswith("torch."):
                return False
        return self.is_on_device(call.func.value)

    def _is_batch_name(self, node: cst.Name) -> bool:
        """A target of the loop, or what is taken from one, that nothing in the loop binds to anything else."""
        inside = [b for b in self.script.names.bindings(node) if self._is_inside(b)]
        fresh = [b for b in inside if b.value is None or not self._keeps(b.name, bound_value(b) or b.value)]
        return bool(fresh) and all(self._is_batch_binding(binding) for binding in fresh)

    def _is_inside(self, binding: Binding) -> bool:
        return binding.node is self.loop.loop or self.script.tree.contains(self.loop.loop.body, binding.node)

    def _is_batch_binding(self, binding: Binding) -> bool:
        if binding.node is self.loop.loop:
            return self._is_yielded(binding)
        if binding.kind in ("assign", "walrus") and binding.value is not None:
            if self._is_next(binding.value):
                return True
            return self.is_on_device(bound_value(binding) or binding.value)
        if binding.kind == "for" and binding.value is not None:
            return self.is_on_device(binding.value) and not self._counts(binding)
        if binding.kind == "parameter":
            holder = self.script.tree.enclosing(binding.node, cst.Lambda)
            return holder is not None and self._is_mapped(holder)
        return False

    def _keeps(self, name: str, value: cst.BaseExpression) -> bool:
        """`x = x.view(-1, 784)`: a name bound to what it holds already, or to itself moved or reshaped."""
        while isinstance(value, cst.Attribute | cst.Subscript | cst.Call):
            if isinstance(value, cst.Call):
                if not self._is_step(value):
                    return False
                name_ = self.script.qualified(value.func)
                value = value.args[0].value if name_ == "torch.autograd.Variable" and value.args else value.func
            else:
                value = value.value
        return isinstance(value, cst.Name) and value.value == name

    def _is_step(self, call: cst.Call) -> bool:
        if self.script.qualified(call.func) == "torch.autograd.Variable":
            return True
        if not isinstance(call.func, cst.Attribute) or call.func.attr.value in _TO_HOST:
            return False
        if call.func.attr.value == "to" and not self.is_move(call):
            target = argument(call, 0, "device")
            return target is None or (self.script.qualified(target.value) or "").startswith("torch.")
        return True

    def _is_yielded(self, binding: Binding) -> bool:
        """Not the count of `enumerate(loader)`."""
        return self.loop.iterable is not None and not self._counts(binding)

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

    def _is_next(self, node: cst.BaseExpression) -> bool:
        """`next(it)` of the loader of the loop."""
        if not isinstance(node, cst.Call) or self.script.qualified(node.func) != "builtins.next" or not node.args:
            return False
        return self.script.roles.loader(node.args[0].value) is not None and isinstance(self.script.tree.loop(node), cst.For | cst.While)

    def _is_mapped(self, function: cst.Lambda) -> bool:
        """`map(lambda t: t.to(device), batch)`"""
        arg = self.script.tree.parent.get(function)
        call = self.script.tree.parent.get(arg) if isinstance(arg, cst.Arg) else None
        if not isinstance(call, cst.Call) or self.script.qualified(call.func) != "builtins.map":
            return False
        return all(self.is_on_device(found.value) for found in call.args[1:])

    # --- moves ------------------------------------------------------------------------------------------------------

    def is_move(self, call: cst.Call) -> bool:
        return call in self.script.loaders.moving

    def needless(self) -> list[cst.Call]:
        """Moves of the batch to the device it is already on, and that do nothing else."""
        tree = self.script.tree
        found = []
        for call in self.script.loaders.moves:
            assert isinstance(call.func, cst.Attribute)
            if tree.contains(self.loop.loop.body, call) and tree.function(call) is self.loop.function:
                plain = all(
                    arg.keyword is None and index == 0 and not arg.star
                    or arg.keyword is not None and arg.keyword.value in ("device", "non_blocking", "async")
                    for index, arg in enumerate(call.args)
                )
                if plain and self.is_on_device(call.func.value):
                    found.append(call)
        return found

    def host_reads(self) -> Iterator[cst.BaseExpression]:
        """Tensors of the batch that are read where only a host tensor will do: `labels.numpy()`."""
        tree = self.script.tree
        for call in tree.all(cst.Call):
            if not tree.contains(self.loop.loop.body, call):
                continue
            read: cst.BaseExpression | None = None
            name = self.script.qualified(call.func) or ""
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "numpy" and not name:
                read = call.func.value
            elif name in _PACKS:
                lengths = argument(call, 1, "lengths")
                read = lengths.value if lengths is not None else None
            elif name.startswith("numpy.") and call.args:
                read = call.args[0].value
            if read is not None and not isinstance(read, cst.Tuple | cst.List) and self.is_on_device(read):
                yield read

    # --- statements that only move ------------------------------------------------------------------------------------

    def only_moves(self, statement: cst.CSTNode, needless: set[cst.Call]) -> bool:
        """Whether a statement does nothing once these moves are gone: `x, y = x.to(device), y.to(device)`."""
        if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
            return self._same(statement.targets[0].target, statement.value, needless)
        if isinstance(statement, cst.Expr):  # `batch.to(device)` of a batch that moves itself
            moved = self.without_moves(statement.value, needless)
            return moved is not statement.value and isinstance(moved, cst.Name | cst.Attribute | cst.Subscript)
        if isinstance(statement, cst.SimpleStatementLine):
            return all(self.only_moves(small, needless) for small in statement.body)
        if isinstance(statement, cst.For):
            return statement.orelse is None and is_pure(statement.iter) and self._all_only(statement.body, needless)
        if isinstance(statement, cst.If):
            return statement.orelse is None and is_pure(statement.test) and self._all_only(statement.body, needless)
        return False

    def _all_only(self, body: cst.BaseSuite, needless: set[cst.Call]) -> bool:
        return all(self.only_moves(inner, needless) for inner in body.body)

    def _same(self, target: cst.BaseExpression, value: cst.BaseExpression, needless: set[cst.Call]) -> bool:
        """Whether the target already is what the value becomes."""
        value = self.without_moves(value, needless)
        if isinstance(target, cst.Tuple | cst.List) and isinstance(value, cst.Tuple | cst.List):
            pairs = list(zip(target.elements, value.elements, strict=False))
            return len(target.elements) == len(value.elements) and all(self._same(a.value, b.value, needless) for a, b in pairs)
        whole = self.whole(value, needless)
        if whole is not None:
            return self._same(target, whole, needless)
        if isinstance(target, cst.Subscript) and isinstance(value, cst.Name):
            return self._is_item(target, value)
        return isinstance(target, cst.Name | cst.Subscript | cst.Attribute) and target.deep_equals(value)

    def without_moves(self, node: cst.BaseExpression, needless: set[cst.Call]) -> cst.BaseExpression:
        """What an expression is once the moves around it are gone; also of `v.to(device) if is_tensor(v) else v`."""
        while isinstance(node, cst.Call) and node in needless and isinstance(node.func, cst.Attribute):
            node = node.func.value
        if isinstance(node, cst.IfExp):
            body = self.without_moves(node.body, needless)
            if body is not node.body and body.deep_equals(node.orelse):
                return node.orelse
        return node

    def whole(self, node: cst.BaseExpression, needless: set[cst.Call]) -> cst.BaseExpression | None:
        """The batch that an expression takes apart and puts together again: `{k: v.to(device) for k, v in batch.items()}`,
        `[t.to(device) for t in batch]`, `tuple(...)` of one, `map(lambda t: t.to(device), batch)`."""
        if isinstance(node, cst.Call) and len(node.args) == 1 and self.script.qualified(node.func) in ("builtins.tuple", "builtins.list"):
            return self.whole(node.args[0].value, needless)
        if isinstance(node, cst.Call) and len(node.args) == 2 and self.script.qualified(node.func) == "builtins.map":
            function = node.args[0].value
            if isinstance(function, cst.Lambda) and len(function.params.params) == 1:
                moved = self.without_moves(function.body, needless)
                if moved is not function.body and isinstance(moved, cst.Name) and moved.value == function.params.params[0].name.value:
                    return node.args[1].value
            return None
        if not isinstance(node, cst.GeneratorExp | cst.ListComp | cst.DictComp):
            return None
        over = node.for_in
        if over.ifs or over.inner_for_in is not None:
            return None
        element = node.value if isinstance(node, cst.DictComp) else node.elt
        bare = self.without_moves(element, needless)
        if bare is element or not isinstance(bare, cst.Name):
            return None
        if not isinstance(node, cst.DictComp):
            return over.iter if isinstance(over.target, cst.Name) and over.target.value == bare.value else None
        items = over.iter
        if not isinstance(items, cst.Call) or not isinstance(items.func, cst.Attribute) or items.func.attr.value != "items":
            return None
        pair = over.target.elements if isinstance(over.target, cst.Tuple) else ()
        same = len(pair) == 2 and _is_name(pair[0].value, node.key) and _is_name(pair[1].value, bare)
        return items.func.value if same else None

    def _is_item(self, target: cst.Subscript, value: cst.Name) -> bool:
        """`batch[k] = v` in `for k, v in batch.items()`, or `for i, v in enumerate(batch)`."""
        key = target.slice[0].slice if len(target.slice) == 1 else None
        for binding in self.script.names.bindings(value):
            over = binding.value
            if not (isinstance(binding.node, cst.For) and isinstance(over, cst.Call) and isinstance(key, cst.Index)):
                continue
            if not self.script.tree.contains(binding.node.body, target) or binding.path != (1,):
                continue
            first = binding.node.target
            if not isinstance(first, cst.Tuple) or not first.elements[0].value.deep_equals(key.value):
                continue
            if isinstance(over.func, cst.Attribute) and over.func.attr.value == "items":
                return over.func.value.deep_equals(target.value)
            if self.script.qualified(over.func) == "builtins.enumerate" and over.args:
                return over.args[0].value.deep_equals(target.value)
        return False


def _is_name(node: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and isinstance(other, cst.Name) and node.value == other.value
