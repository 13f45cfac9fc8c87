"""What an expression is, by its kind: all evidence put together."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from codemods.kit.names import Binding
from codemods.kit.roles.constructed import Constructed
from codemods.kit.roles.values import NONE, Role, Value, Values, linked_value, merged, sorted_values

_LITERALS = frozenset((cst.List, cst.Dict, cst.DictComp, cst.ListComp, cst.Integer, cst.Float, cst.Imaginary,
                       cst.SimpleString, cst.ConcatenatedString, cst.FormattedString))  # fmt: skip


class Roles(Constructed):
    """Answers what expressions are. Flow-insensitive: a name is everything it is ever bound to in its scope."""

    def _infer(self, node: cst.BaseExpression, path: tuple[int, ...]) -> Values:
        if type(node) is cst.Name or type(node) is cst.Attribute:
            bindings = self.names.bindings(node)
            earlier = self.names.earlier_bindings(node) if type(node) is cst.Name and len(bindings) > 1 else bindings
            if len(earlier) < len(bindings):
                found = self._of_earlier(earlier, path)
            else:
                found = self._of_bindings(bindings, path)
            if not found and type(node) is cst.Attribute:
                found = self._of_attribute(node) or self.inherited(node)
                if not found and not bindings and not path:
                    found = self._inherited_by_use(node)
            if not found and bindings and not path and bindings[0] in self._optimized:
                line = self.tree.statement_line(self._optimized[bindings[0]])
                text = f"its parameters go to an optimizer at line {line}"
                return (Value(Role.MODEL, "by use", bindings[0].node, (text,)),)
            if not found and bindings and not path:
                return self._by_methods(node, bindings)
            return found
        if type(node) is cst.Call:
            return self._of_call(node, path)
        if isinstance(node, cst.IfExp):
            return merged(self.values(node.body, path), self.values(node.orelse, path))
        if isinstance(node, cst.BooleanOperation):
            return merged(self.values(node.left, path), self.values(node.right, path))
        if isinstance(node, cst.Tuple | cst.List) and path:
            if path[0] < len(node.elements):
                return self.values(node.elements[path[0]].value, path[1:])
            return NONE
        if isinstance(node, cst.Subscript):
            return self._of_subscript(node)
        if isinstance(node, cst.NamedExpr):
            return self.values(node.value, path)
        if type(node) in _LITERALS:
            return (Value(Role.OTHER, type(node).__name__, node),)
        return NONE

    def _of_binding(self, binding: Binding, path: tuple[int, ...]) -> Values:
        if binding.kind in ("assign", "walrus"):
            return self.values(binding.value, (*binding.path, *path))
        if binding.kind == "with":
            return self.values(binding.value, (*binding.path, *path))
        if binding.kind == "parameter" and isinstance(binding.node, cst.Param):
            return (self._of_element(binding.node, path) if path else NONE) or self._of_parameter(binding.node)
        if binding.kind == "for":
            return self._of_loop_target(binding)
        if binding.kind == "import" and not path:
            return self.imported(binding)
        return NONE

    def imported(self, binding: Binding) -> Values:
        """What a name that is imported from another file of the project holds."""
        return tuple(linked_value(known, binding.node) for known in self.links.variables.get(binding.imported, ()))

    def inherited(self, node: cst.Attribute) -> Values:
        """`self.optimizer` that a base class in another file sets, and `config.DEVICE` of another module."""
        if self.links.variables and (name := self.names.qualified(node)) is not None:
            return tuple(linked_value(each, node) for each in self.links.variables.get(name, ()))
        class_ = self.tree.class_of(node) if type(node.value) is cst.Name and node.value.value == "self" else None
        if class_ is None or not self.links.attributes:
            return NONE
        known = self.links.attributes.get((self.tree.qualname(class_), node.attr.value), ())
        return tuple(linked_value(each, class_) for each in known)

    def _of_attribute(self, node: cst.Attribute) -> Values:
        owner = self.values(node.value)
        name = node.attr.value
        for value in sorted_values(owner):
            if value.role is Role.MODEL and value.wrapped and name == "module":
                return (replace(value, wrapped=value.wrapped[:-1]).via(".module"),)
            if value.role is Role.LOADER and name in ("dataset", "sampler"):
                role = Role.DATASET if name == "dataset" else Role.SAMPLER
                return (Value(role, value.of, value.origin, (*value.evidence, f".{name}")),)
            if value.role in (Role.TENSOR, Role.LOSS, Role.BATCH) and name in ("data", "grad", "T"):
                return (Value(Role.TENSOR, value.of, value.origin, value.evidence),)
            if value.role is Role.OTHER and isinstance(value.origin, cst.ClassDef):
                return self._of_bindings(self.names.attribute_bindings(value.origin, name), ())
        return NONE
