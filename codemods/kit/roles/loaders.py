"""Evidence of classes and loaders: what instances are, and which loader is behind what a loop goes through."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from codemods.kit.moves import COMPUTE
from codemods.kit.names import Binding
from codemods.kit.roles.asked import Asked
from codemods.kit.roles.libraries import PASSES_THROUGH, base_role
from codemods.kit.roles.values import Role, Value
from codemods.kit.tree import walk

_STATE = ("parameters", "named_parameters", "buffers", "named_buffers", "state_dict")


class Loaders(Asked):
    """What classes make, and the loaders behind what is iterated."""

    def class_role(self, class_: cst.ClassDef) -> Role:
        """What instances of a class of this module are, by its bases."""
        seen: set[cst.ClassDef] = set()
        queue = [class_]
        while queue:
            current = queue.pop(0)
            if current in seen:
                continue
            seen.add(current)
            for base in current.bases:
                name = self.names.qualified(base.value) or ""
                local = self.names.local_class(base.value)
                role = base_role(name) if local is None else None
                role = role or self.links.classes.get(name)
                if role is not None:
                    return role
                if local is not None:
                    queue.append(local)
        return Role.OTHER

    def loader(self, node: cst.BaseExpression) -> Value | None:
        """The data loader behind what a loop iterates: `loader`, `enumerate(tqdm(loader), 1)`, `zip(a, b)`."""
        for role in (Role.LOADER, Role.ITERATOR):
            value = self.value(node, role)
            if value is not None:
                return value
        if self.is_no_loader(node):
            return None
        if isinstance(node, cst.Call):
            name = self.names.qualified(node.func) or ""
            if name in PASSES_THROUGH or name == "builtins.zip" or isinstance(node.func, cst.Attribute):
                if not self.hands_on(node):
                    return None
                for arg in node.args:
                    if not arg.star and arg.keyword is None:
                        found = self.loader(arg.value)
                        if found is not None:
                            return found
                        if name != "builtins.zip":
                            break
                return None
        loop = self.moves.goes_through(node) if not self.values(node) else None
        if loop is None or self._is_state(node) or self.yields_loaders(loop):
            return None
        return Value(Role.LOADER, "unknown", node, (f"line {self.tree.statement_line(loop)} moves what it yields",))

    def hands_on(self, call: cst.Call) -> bool:
        """Whether what a call gives may be the batches of what it is given: `tqdm(loader)`, `log_every(loader, 10)`.
        Libraries that compute with arrays split them, `folds.split(x, y)`, and who asks an array or a list for items
        asks no loader."""
        name = self.names.qualified(call.func) or ""
        if name in PASSES_THROUGH or name == "builtins.zip":
            return True
        owner = call.func.value if isinstance(call.func, cst.Attribute) else None
        makers = [binding.value for binding in self.names.bindings(owner)] if owner is not None else []
        made_by = (self.names.qualified(each.func) for each in (owner, *makers) if isinstance(each, cst.Call))
        if any((each or "").partition(".")[0] in COMPUTE for each in (name, *made_by)):
            return False
        given = next((arg.value for arg in call.args if not arg.star and arg.keyword is None), None)
        if given is None or self.is_no_loader(given) is not None:
            return False
        bindings = self.names.bindings(given) if isinstance(given, cst.Name) else []
        items = self._items_of.get(bindings[0], ()) if bindings else ()
        return not any(self.tree.function(item) is self.tree.function(call) for item in items)

    @cached_property
    def _items_of(self) -> dict[Binding, list[cst.Subscript]]:
        """Where items of names are asked for, by the first binding of the name."""
        found: dict[Binding, list[cst.Subscript]] = {}
        for item in self.tree.all(cst.Subscript):
            bindings = self.names.bindings(item.value) if isinstance(item.value, cst.Name) else []
            if bindings:
                found.setdefault(bindings[0], []).append(item)
        return found

    def yields_loaders(self, loop: cst.For) -> bool:
        """Whether a loop goes through loaders, `for loader in loaders: for batch in loader: ...`."""
        inner = (node for each in self.tree.inside(loop.body, cst.For) for node in walk(each.iter))
        names = (node for node in inner if isinstance(node, cst.Name))
        loaders = (node for node in names if any(value.role is Role.LOADER for value in self.executed(node)))
        return any(binding.node is loop for node in loaders for binding in self.names.bindings(node))

    def _is_state(self, node: cst.BaseExpression) -> bool:
        """Whether a name holds what a model consists of: `params = tuple(model.parameters())`."""
        values = (binding.value for binding in self.names.bindings(node) if binding.kind == "assign")
        return any(
            isinstance(part, cst.Attribute) and part.attr.value in _STATE
            for value in values
            if value is not None
            for part in walk(value)
        )
