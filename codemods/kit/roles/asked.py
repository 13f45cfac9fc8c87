"""Answers that are remembered: each expression is asked once, each name is read in one order."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.moves import Moves
from codemods.kit.names import Binding, Names
from codemods.kit.roles.spelled import SPELLED, spelling
from codemods.kit.roles.values import MADE, NONE, Role, Value, Values, merged, sorted_values
from codemods.kit.tree import Tree

if TYPE_CHECKING:
    from codemods.kit.links import Links
    from codemods.kit.meaning.shown import Part


class Asked:
    """What an expression is. The rooms above add the evidence, the topmost puts it together."""

    def __init__(self, tree: Tree, names: Names, links: Links) -> None:
        self.tree = tree
        self.names = names
        self.links = links
        self._memo: dict[tuple[cst.CSTNode, tuple[int, ...]], Values] = {}
        self._sites: dict[cst.FunctionDef, list[cst.Call]] | None = None
        self._bound: dict[tuple[int, tuple[int, ...]], Values] = {}
        self._unread = True
        self._bodies: dict[cst.FunctionDef | None, list[cst.CSTNode]] = {}
        self.moves = Moves(tree, names)

    def values(self, node: cst.BaseExpression | None, path: tuple[int, ...] = ()) -> Values:
        """Everything the expression is known to be; empty when nothing is known. `path` indexes into a tuple."""
        if node is None or len(path) > 6:  # `src, length = src` would go on for ever
            return NONE
        self._read()
        key = (node, path)
        found = self._memo.get(key)
        if found is None:
            self._memo[key] = NONE  # a name defined through itself adds nothing
            found = self._infer(node, path)
            if not path and self.links.meaning and all(value.role is Role.OTHER for value in found):
                found = self.executed(node) or found
            self._memo[key] = found
        return found

    def value(self, node: cst.BaseExpression | None, role: Role) -> Value | None:
        """The value of this role among those the expression can be, or None."""
        return next((value for value in sorted_values(self.values(node)) if value.role is role), None)

    def is_a(self, node: cst.BaseExpression | None, role: Role) -> bool:
        return self.value(node, role) is not None

    def key(self, node: cst.BaseExpression) -> tuple[int, str]:
        """How what an execution showed names an expression of this file: by its statement and its spelling."""
        return self.tree.statement_number(node), spelling(node)

    def stepped(self, call: cst.Call) -> str:
        """The name of the optimizer that a call steps without being spelled so; empty for any other call."""
        meaning = self.links.meaning
        if meaning is None or not meaning.steps:
            return ""
        return meaning.steps.get(self.key(call), "")

    def keeps(self, call: cst.Call) -> str | None:
        """What a call gives of a checkpoint to an object that keeps it in the place of tensors on the accelerator: a
        `dict`, a `list` or a `Tensor`. Empty where the object keeps something else of it, None for any other call."""
        meaning = self.links.meaning
        if meaning is None or not meaning.kept:
            return None
        return meaning.kept.get(self.key(call))

    def pickled(self, call: cst.Call) -> bool | None:
        """Whether what a call loads is used as a network; False where it is an object of the program for other reasons.
        None for a call of which the execution showed neither."""
        meaning = self.links.meaning
        if meaning is None or not meaning.pickled:
            return None
        return meaning.pickled.get(self.key(call))

    def is_no_loader(self, node: cst.BaseExpression) -> bool | None:
        """Whether the execution showed that what stands where a loop goes through something is an array. False for
        something else that is no loader, None for what may be one."""
        meaning = self.links.meaning
        if type(node) not in SPELLED or meaning is None or not meaning.no_loaders:
            return None
        return meaning.no_loaders.get(self.key(node))

    def gives_rows(self, node: cst.BaseExpression) -> bool:
        """Whether what a comprehension goes through was one tensor when the program was executed abstractly."""
        meaning = self.links.meaning
        if meaning is None or not meaning.rows:
            return False
        return self.key(node) in meaning.rows

    def is_array(self, node: cst.BaseExpression) -> bool:
        """Whether an expression was a number or an array of a batch each time, and no tensor: a `collate_fn` of the
        program's own leaves them what they are, and a device loader does not move them."""
        meaning = self.links.meaning
        if type(node) not in SPELLED or meaning is None or not meaning.arrays:
            return False
        return self.key(node) in meaning.arrays

    def joined(self, call: cst.Call) -> bool:
        """Whether a question about the process group comes after it was certainly made."""
        meaning = self.links.meaning
        if meaning is None or not meaning.joined:
            return False
        return self.key(call) in meaning.joined

    def looks_early(self, node: cst.CSTNode) -> bool | None:
        """Whether an expression looks at all gradients of which those are made that an optimizer steps with. False for
        one that looks at some of them, None for any other."""
        meaning = self.links.meaning
        if not isinstance(node, cst.Call | cst.Attribute) or meaning is None or not meaning.masters:
            return None
        return meaning.masters.get(self.key(node))

    def executed(self, node: cst.BaseExpression) -> Values:
        """What an expression was when the program was executed abstractly; nothing of one that was several things."""
        if type(node) not in SPELLED or self.links.meaning is None:
            return NONE
        parts = self.links.meaning.parts.get(self.key(node), ())
        if any(part.role != parts[0].role for part in parts):
            return NONE
        return tuple(
            Value(Role(part.role), part.of, self._maker(node, part), (f"{MADE}{part.made}",), part.wrapped)
            for part in parts
        )

    def _maker(self, node: cst.BaseExpression, part: Part) -> cst.CSTNode:
        """The call in this file that made a loader, which an edit may have to find; else the expression itself."""
        assert self.links.meaning is not None
        of_calls, number = self.links.meaning.parts, self.tree.statement_number
        makers = (
            call
            for call in (self.tree.all(cst.Call) if part.role == Role.LOADER.value else ())
            if (self.names.qualified(call.func) or "").endswith("DataLoader")
            and part in of_calls.get((number(call), spelling(call)), ())
        )
        return next(makers, node)

    def _read(self) -> None:
        """Names are defined through each other (`model = DDP(model)`): what is found must not depend on which is asked
        for first, so every name is read once, in one order."""
        if self._unread:
            self._unread = False
            tables = [scope.names for scope in self.names.all_scopes()]
            names = chain(*(table.values() for table in tables))
            for bindings in chain(names, self.names.attributes.values(), self.names.dotted.values()):
                self._of_bindings(bindings, ())

    def _of_bindings(self, bindings: list[Binding], path: tuple[int, ...]) -> Values:
        """One binding after the other: what the right side of `model = DDP(model)` means is what came before it."""
        if not bindings:
            return NONE
        key = (id(bindings), path)  # lists that live as long as the table of names
        found = self._bound.get(key)
        if found is None:
            found = self._bound[key] = NONE
            for binding in bindings:
                found = self._bound[key] = merged(found, self._of_binding(binding, path))
        return found

    def _of_earlier(self, bindings: list[Binding], path: tuple[int, ...]) -> Values:
        found = NONE
        for binding in bindings:
            found = merged(found, self._of_binding(binding, path))
        return found

    def _infer(self, node: cst.BaseExpression, path: tuple[int, ...]) -> Values:
        """What an expression is, by its kind."""
        raise NotImplementedError

    def _of_binding(self, binding: Binding, path: tuple[int, ...]) -> Values:
        """What a name is by one of its bindings."""
        raise NotImplementedError
