"""Evidence of containers: what lists, tuples and dicts hold, and what a loop takes out of them."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from codemods.kit.names import Binding
from codemods.kit.roles.parameters import Parameters
from codemods.kit.roles.values import NONE, Role, Value, Values, merged, text_of


class Containers(Parameters):
    """What elements and items are."""

    def _of_loop_target(self, binding: Binding) -> Values:
        iterated = binding.value
        if iterated is None:
            return NONE
        for element in self._elements(iterated, binding.path):
            return element
        loader = self.loader(iterated)
        if loader is not None:
            return (Value(Role.BATCH, loader.of, binding.node, (*loader.evidence, "iterated")),)
        return NONE

    def _elements(self, iterated: cst.BaseExpression, path: tuple[int, ...]) -> list[Values]:
        """Values of the elements of a literal list or tuple of things: `for opt in [opt_g, opt_d]`."""
        literal = self._literal(iterated)
        if isinstance(literal, cst.List | cst.Tuple | cst.Set) and literal.elements:
            found = merged(*(self.values(element.value, path) for element in literal.elements))
            return [found] if any(value.role is not Role.OTHER for value in found) else []
        if isinstance(literal, cst.ListComp):
            found = self.values(literal.elt)
            return [found] if found else []
        if (
            isinstance(iterated, cst.Call)
            and isinstance(iterated.func, cst.Attribute)
            and iterated.func.attr.value in ("values", "items")
        ):
            slots = self._slots(iterated.func.value)
            if slots and (iterated.func.attr.value == "values" or path[:1] == (1,)):
                return [slots]
            return self._of_several(iterated.func.value)
        if isinstance(iterated, cst.Call) and iterated.args:
            name = self.names.qualified(iterated.func)
            if name == "builtins.enumerate" and path[:1] == (1,):
                return self._elements(iterated.args[0].value, path[1:])
            if name == "builtins.zip" and path and path[0] < len(iterated.args):
                return self._elements(iterated.args[path[0]].value, path[1:])
        return self._of_several(iterated)

    def _of_several(self, container: cst.BaseExpression) -> list[Values]:
        """An element of what another file fills with optimizers."""
        held = self.values(container) if self.links.parameters or self.links.returned else ()
        found = tuple(replace(value, role=Role.OPTIMIZER) for value in held if value.role is Role.OPTIMIZERS)
        return [found] if found else []

    def _literal(self, node: cst.BaseExpression) -> cst.BaseExpression:
        for _ in range(4):
            bindings = self.names.bindings(node)
            if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].path or bindings[0].value is None:
                break
            node = bindings[0].value
        return node

    def _slots(self, container: cst.BaseExpression, key: str | None = None) -> Values:
        """Values held by a dict or list: of its literal, and of `container[key] = value` statements."""
        found: Values = NONE
        literal = self._literal(container)
        if isinstance(literal, cst.Dict):
            for element in literal.elements:
                if isinstance(element, cst.DictElement):
                    text = element.key.value if isinstance(element.key, cst.SimpleString | cst.Integer) else None
                    if key is None or text is None or text == key:
                        found += self.values(element.value)
        elif isinstance(literal, cst.DictComp):
            found += self.values(literal.value)
        elif isinstance(literal, cst.ListComp):
            found += self.values(literal.elt)
        elif isinstance(literal, cst.List | cst.Tuple):
            if key is not None and key.isdigit() and int(key) < len(literal.elements):
                return self.values(literal.elements[int(key)].value)
            for item in literal.elements:
                found += self.values(item.value)
        name = text_of(container)
        for assign in self.tree.all(cst.Assign) if name else ():
            for target in assign.targets:
                if type(target.target) is cst.Subscript and text_of(target.target.value) == name:
                    found += self.values(assign.value)
        return merged(tuple(value for value in found if value.role is not Role.OTHER))

    def _of_subscript(self, node: cst.Subscript) -> Values:
        found = self._of_keyword(node)
        if found:
            return found
        key = None
        if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
            index = node.slice[0].slice.value
            if isinstance(index, cst.SimpleString | cst.Integer):
                key = index.value
            if isinstance(index, cst.Integer) and isinstance(node.value, cst.Call):
                return self.values(node.value, (int(index.value, 0),))
        found = self._slots(node.value, key)
        if found:
            return found
        for several in self._of_several(node.value):
            return several
        whole = self.values(node.value)
        return tuple(v for v in whole if v.role in (Role.BATCH, Role.TENSOR))
