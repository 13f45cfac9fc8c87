"""Which expressions the batches of a loop come from: the loaders behind `enumerate`, `tqdm`, `zip` and `next`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.loops import BatchLoop, draws
from codemods.kit.names import dotted
from codemods.kit.roles import PASSES_THROUGH, Role

if TYPE_CHECKING:
    from codemods.kit.script import Script


class Feeds:
    """Which expressions a loop's batches come from."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._known: dict[BatchLoop, list[cst.BaseExpression]] = {}

    def of(self, loop: BatchLoop) -> list[cst.BaseExpression]:
        found = self._known.get(loop)
        if found is None:
            found = self._leaves(loop.iterable, 0) if loop.iterable is not None else []
            if not found:
                found = [leaf for _, drawn in self._nexts(loop) for leaf in self._drawn(drawn)]
            self._known[loop] = found = list(dict.fromkeys(found))
        return found

    def is_drawn(self, loop: BatchLoop, call: cst.Call) -> bool:
        """Whether `next(it)` in the body of a loop takes its batches: not those of another loader, beside them."""
        if loop.iterable is not None and self._leaves(loop.iterable, 0):
            return False
        return any(each is call and self.script.roles.loader(drawn) is not None for each, drawn in self._nexts(loop))

    def is_next(self, call: cst.Call) -> bool:
        """Whether a call takes one batch, from wherever: `next(it)`, `it.next()`."""
        func = call.func
        if isinstance(func, cst.Attribute) and func.attr.value in ("next", "__next__") and not call.args:
            return self.script.is_a(func.value, Role.ITERATOR)
        return self.script.qualified(func) == "builtins.next" and bool(call.args)

    def is_device_loader(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is, or may already be, a device loader."""
        return any("device loader" in value.wrapped for value in self.script.roles.values(node))

    def _nexts(self, loop: BatchLoop) -> list[tuple[cst.Call, cst.BaseExpression]]:
        """`next(it)` in the body of the loop, or of a `try` in it, with what it draws from. Not `next(iter(loader))`: a
        device loader that is begun anew for each batch executes nothing, and loads many for one."""
        found = draws(self.script.tree, self.script.names, self.script.roles, loop.loop)
        return [(call, drawn) for call, drawn in found if not isinstance(drawn, cst.Call)]

    def _drawn(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        """The loaders behind what `next` draws from, which is no loader itself: of `loader = iter(loader)` the one on
        the right."""
        made = [b.value for b in self.script.names.bindings(node) if b.kind == "assign" and not b.path and b.value]
        if not isinstance(node, cst.Name) or not made or not self.script.roles.is_a(node, Role.LOADER):
            return self._leaves(node, 0)
        leaves = [self._leaves(value, 1) for value in made]
        return [leaf for found in leaves for leaf in found] if all(leaves) else []

    def _leaves(self, node: cst.BaseExpression, depth: int) -> list[cst.BaseExpression]:
        roles, names = self.script.roles, self.script.names
        if depth > 8:
            return []
        if isinstance(node, cst.IfExp):
            return self._leaves(node.body, depth + 1) + self._leaves(node.orelse, depth + 1)
        if isinstance(node, cst.Call):
            return self._of_call(node, depth)
        if roles.is_a(node, Role.LOADER):
            return [node]
        if roles.is_a(node, Role.ITERATOR):
            made = [b.value for b in names.bindings(node) if b.kind in ("assign", "with", "walrus") and not b.path]
            leaves = [self._leaves(value, depth + 1) for value in made if value is not None and dotted(value) != "None"]
            # All of them or none: the batches of one that stays as it is would not be moved.
            return [leaf for found in leaves for leaf in found] if all(leaves) else []
        return (self._behind(node) or [node]) if roles.loader(node) is not None else []

    def _behind(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        """The loader of another file that `bar = enumerate(loader); bar = tqdm(bar)` goes through."""
        found: list[cst.BaseExpression] = []
        queue, seen = [node], {node}
        while queue:
            current = queue.pop()
            made = [binding.value for binding in self.script.names.bindings(current) if binding.value is not None]
            passed = [inner for value in made if (inner := self._passed(value)) is not None]
            if len(passed) < len(made):
                if current is node:
                    return []  # what one of its bindings gives is not known: the name itself is gone through
                found.append(current)
            queue += [inner for inner in passed if inner not in seen]
            seen |= set(passed)
        return found

    def _passed(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """`loader` of `tqdm(enumerate(loader), total=n)`."""
        inner = node
        while isinstance(inner, cst.Call) and inner.args and self.script.qualified(inner.func) in PASSES_THROUGH:
            inner = inner.args[0].value
        return None if inner is node else inner

    def _of_call(self, call: cst.Call, depth: int) -> list[cst.BaseExpression]:
        name = self.script.qualified(call.func) or ""
        function = self.script.names.local_function(call.func)
        passes = name in PASSES_THROUGH or name == "builtins.zip"
        if not passes and (self.script.is_a(call, Role.LOADER) or self.script.roles.moves.goes_through(call)):
            return [call]
        if passes or function is not None or isinstance(call.func, cst.Attribute):
            if not self.script.is_a(call, Role.ITERATOR) and not passes:
                return []
            found = [leaf for arg in call.args if _is_given(arg) for leaf in self._leaves(arg.value, depth + 1)]
            if not found and function is not None:  # a generator over a loader that it finds itself
                for loop in self.script.tree.all(cst.For):
                    if self.script.tree.function(loop) is function:
                        found += self._leaves(loop.iter, depth + 1)
            return found
        return []


def _is_given(arg: cst.Arg) -> bool:
    """An argument that can be gone through: by position, or `tqdm(iterable=loader)`."""
    return not arg.star and (arg.keyword is None or arg.keyword.value == "iterable")
