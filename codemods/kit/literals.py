"""What an expression is as a plain value, through the variables and dictionaries a script puts it in.

Scripts that configure something (a SageMaker launcher) write its arguments inline, in variables, in `dict(...)` and in
`**settings`. Here each is followed back to where it is written. What is not decided by the source alone, as a parameter
or a variable of the environment, is `UNKNOWN`, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import libcst as cst

from codemods.kit.held import READS, held_by, path_text
from codemods.kit.names import Binding, Names
from codemods.kit.options import text
from codemods.kit.settings import UNKNOWN, Entries, Entry
from codemods.kit.tree import Tree

_CONSTANTS = {"True": True, "False": False, "None": None}
_DEPTH = 24
_STEPS = 10_000
_MANY = 32
"""What takes more steps from variable to variable than these, one after the other or in all, is taken for unknown. So
is what may have more values."""


class Literals:
    """Plain values of expressions of one script."""

    def __init__(self, tree: Tree, names: Names) -> None:
        self._tree, self._names = tree, names
        self._depth = self._steps = 0
        self._candidates: dict[cst.BaseExpression, list[cst.BaseExpression]] = {}

    @contextmanager
    def _step(self) -> Iterator[bool]:
        """One step from an expression to what it is made of: whether to take it."""
        self._steps = self._steps + 1 if self._depth else 1
        self._depth += 1
        try:
            yield self._depth <= _DEPTH and self._steps <= _STEPS
        finally:
            self._depth -= 1

    # --- values ---------------------------------------------------------------------------------------------------

    def value(self, node: cst.BaseExpression | None) -> Any:
        """The plain value of an expression: a string, number, None, list, tuple or dictionary of such, or UNKNOWN for
        all of it or parts. None for no expression."""
        with self._step() as may_go_on:
            return self._value(node) if may_go_on else UNKNOWN

    def _value(self, node: cst.BaseExpression | None) -> Any:
        match node:
            case None:
                return None
            case cst.SimpleString() | cst.ConcatenatedString():
                return text(node) if _is_plain(node) else UNKNOWN
            case cst.Integer() | cst.Float():
                return node.evaluated_value
            case cst.UnaryOperation(operator=cst.Minus()):
                inner = self.value(node.expression)
                return -inner if isinstance(inner, int | float) else UNKNOWN
            case cst.Name() if node.value in _CONSTANTS:
                return _CONSTANTS[node.value]
            case cst.List() | cst.Tuple():
                found = [self.value(e.value) if type(e) is cst.Element else UNKNOWN for e in node.elements]
                return found if isinstance(node, cst.List) else tuple(found)
        candidates = self.candidates(node)
        path = path_text(self.value, self._names, node) if candidates == [node] else None
        if path is not None:
            return path
        if candidates != [node]:
            values = [self._of_variable(node, each) for each in candidates]
            return values[0] if values and all(each == values[0] for each in values) else UNKNOWN
        entries = self.entries(node)
        if entries is None:
            return UNKNOWN
        return entries.value(self.value)

    def _of_variable(self, name: cst.BaseExpression, candidate: cst.BaseExpression) -> Any:
        """A dictionary in a variable has what was put into it later, too."""
        if isinstance(name, cst.Name) and isinstance(candidate, cst.Dict | cst.Call):
            entries = self.entries(name)
            if entries is not None:
                return entries.value(self.value)
        return self.value(candidate)

    def candidates(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        """Every expression whose value this one may have: what its variable was set to, both sides of a choice. An
        expression that cannot be followed further stands for itself."""
        if node not in self._candidates:
            self._candidates[node] = [node]  # a variable that is set to itself
            with self._step() as may_go_on:
                found = self._follow(node) if may_go_on else []
            self._candidates[node] = found if 0 < len(found) <= _MANY else [node]
        return self._candidates[node]

    def _follow(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        """The candidates one step further; empty where there is no step."""
        if isinstance(node, cst.IfExp):
            return [*self.candidates(node.body), *self.candidates(node.orelse)]
        launches = "sagemaker" in self._names.modules  # where the rest of a script's settings is of no concern
        held = held_by(self, self._tree, self._names, node) if launches else None
        if held is not None:
            return self.candidates(held)
        found: list[cst.BaseExpression] = []
        for binding in self.reaching(node) if isinstance(node, cst.Name) and node.value not in _CONSTANTS else ():
            if binding.kind not in ("assign", "walrus") or binding.path or binding.value is None:
                return []
            found += self.candidates(binding.value)
        return found

    # --- dictionaries ---------------------------------------------------------------------------------------------

    def entries(self, node: cst.BaseExpression) -> Entries | None:
        """The keys of a dictionary with where each is written; None when it is none, or cannot be followed."""
        with self._step() as may_go_on:
            return self._entries(node) if may_go_on else None

    def _entries(self, node: cst.BaseExpression) -> Entries | None:
        match node:
            case cst.Dict():
                return self._of_display(node)
            case cst.Call() if self._names.qualified(node.func) == "builtins.dict":
                return self.of_keywords(node)
            case cst.Call(func=cst.Attribute(attr=cst.Name(value="copy"))) if not node.args:
                assert isinstance(node.func, cst.Attribute)
                return self.entries(node.func.value)
            case cst.BinaryOperation(operator=cst.BitOr()):
                left, right = self.entries(node.left), self.entries(node.right)
                if left is None or right is None:
                    return None
                left.add(right)
                return left
            case cst.Name():
                candidates = self.candidates(node)
                found = self.entries(candidates[0]) if len(candidates) == 1 and candidates[0] is not node else None
                if found is not None:
                    self._write(found, node)
                return found
        return None

    def _of_display(self, node: cst.Dict) -> Entries:
        found = Entries()
        for element in node.elements:
            if isinstance(element, cst.StarredDictElement):
                found.add(self.entries(element.value) or Entries(complete=False))
            elif isinstance(element, cst.DictElement):
                key = self.value(element.key)
                if isinstance(key, str):
                    found.put(Entry(key, element.value, element))
                else:
                    found.complete = False
        return found

    def of_keywords(self, node: cst.Call) -> Entries:
        """What a call is given by keyword, as `dict(base, key=value, **more)`."""
        found = Entries()
        for arg in node.args:
            if arg.keyword is not None:
                found.put(Entry(arg.keyword.value, arg.value, arg))
            else:
                more = (self.entries(arg.value) if arg.star != "*" else None) or Entries(complete=False)
                if arg.star:  # a key cannot be given twice here
                    found.by_key, more.by_key = {}, {**found.by_key, **more.by_key}
                found.add(more)
        return found

    def _write(self, found: Entries, name: cst.Name) -> None:
        """Add what is put into a variable's dictionary between its making and the use `name`."""
        made = self.reaching(name)[-1].node
        for use in self._names.named(name.value):
            if use is name or self._names.bindings(use) != self._names.bindings(name) or self.must_precede(use, made):
                continue
            holder = self._tree.parent.get(use)
            if isinstance(holder, cst.Subscript) and holder.value is use:
                self._write_key(found, name, holder)
            elif isinstance(holder, cst.Attribute) and holder.value is use and holder.attr.value not in READS:
                if self._may_precede(use, name):
                    self._update(found, name, self._tree.parent.get(holder))
            elif isinstance(holder, cst.AugAssign) and holder.target is use and self._may_precede(use, name):
                found.complete = False

    def _write_key(self, found: Entries, name: cst.Name, place: cst.Subscript) -> None:
        """`settings["key"] = value` ahead of the use; `settings["key"]["inner"] = value` and the like too."""
        outer: cst.CSTNode = place
        target = self._tree.parent.get(place)
        while isinstance(target, cst.Subscript | cst.Attribute) and target.value is outer:
            outer, target = target, self._tree.parent.get(target)
        calls = isinstance(target, cst.Call) and isinstance(outer, cst.Attribute) and outer.attr.value not in READS
        changes = calls or isinstance(target, cst.AssignTarget | cst.Del | cst.AugAssign)
        if not changes or not self._may_precede(place, name):
            return
        index = place.slice[0].slice
        key = self.value(index.value) if len(place.slice) == 1 and isinstance(index, cst.Index) else UNKNOWN
        assign = self._tree.parent.get(target) if target is not None else None
        if not isinstance(key, str):
            found.complete = False
        elif outer is not place:
            found.lose(key)
        elif isinstance(assign, cst.Assign) and self.must_precede(assign, name):
            found.put(Entry(key, assign.value, assign))
        else:
            found.doubt(key, *([Entry(key, assign.value, assign)] if isinstance(assign, cst.Assign) else []))

    def _update(self, found: Entries, name: cst.Name, call: cst.CSTNode | None) -> None:
        """`settings.update(...)`; what any other method does to it is unknown."""
        more = None
        if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and self.must_precede(call, name):
            more = self.of_keywords(call) if call.func.attr.value == "update" else None
        if more is None:
            found.by_key.clear()
        found.add(more or Entries(complete=False))

    # --- order ----------------------------------------------------------------------------------------------------

    def reaching(self, name: cst.BaseExpression) -> list[Binding]:
        """The bindings that a name may have its value from where it is read: in a function, the last one that is sure
        to have run and those that may have run since; of a variable from outside of the function, all. What follows
        in a loop that gives the name a new value before it is read again is none of them."""
        bindings = self._names.bindings(name)
        function = self._tree.function(name)
        if any(self._tree.function(binding.node) is not function for binding in bindings):
            return bindings
        before = [b for b in bindings if self._may_precede(b.node, name)]
        sure = [index for index, b in enumerate(before) if self.must_precede(b.node, name)]
        if not sure:
            return before
        last = before[sure[-1]]
        return [b for b in before[sure[-1] :] if b is last or not self._is_ended(b.node, last.node, name)]

    def _is_ended(self, node: cst.CSTNode, again: cst.CSTNode, use: cst.CSTNode) -> bool:
        """Whether what a node binds below a use is bound anew, by `again`, in each iteration ahead of the use."""
        tree = self._tree
        loops = (outer for outer in tree.ancestors(use) if isinstance(outer, cst.For | cst.While))
        shared = next((loop for loop in loops if tree.contains(loop.body, node)), None)
        return tree.before(use, node) and shared is not None and tree.contains(shared.body, again)

    def _may_precede(self, node: cst.CSTNode, use: cst.CSTNode) -> bool:
        """Whether what a node does may have been done where `use` runs."""
        tree = self._tree
        if tree.function(node) is not tree.function(use):
            return True
        loop = tree.loop(node)
        repeated = loop is not None and tree.contains(loop, use)
        return repeated or (tree.before(node, use) and not tree.contains(node, use))

    def must_precede(self, node: cst.CSTNode, use: cst.CSTNode) -> bool:
        """Whether it is sure to have been done there: in the same block ahead of it, or in a block around that."""
        tree = self._tree
        line = tree.statement(node)
        holder = tree.parent.get(line) if line is not None else None
        same = holder is not None and tree.function(node) is tree.function(use) and tree.contains(holder, use)
        return same and tree.before(node, use) and not (line is not None and tree.contains(line, use))


def _is_plain(node: cst.SimpleString | cst.ConcatenatedString) -> bool:
    """Whether a string has no part that is computed, and is no bytes."""
    if isinstance(node, cst.ConcatenatedString):
        return all(
            isinstance(side, cst.SimpleString | cst.ConcatenatedString) and _is_plain(side)
            for side in (node.left, node.right)
        )
    return "b" not in node.prefix.lower()
