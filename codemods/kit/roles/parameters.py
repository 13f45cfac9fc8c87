"""Evidence of calls: what the callers of a function pass for its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.keywords import taken
from codemods.kit.names import argument
from codemods.kit.roles.libraries import WRAPPERS, library_role
from codemods.kit.roles.uses import Uses
from codemods.kit.roles.values import NONE, Role, Value, Values, linked_value, merged, text_of

if TYPE_CHECKING:
    from codemods.kit.disputes import Dispute


class Parameters(Uses):
    """What parameters are."""

    def call_sites(self, function: cst.FunctionDef) -> list[cst.Call]:
        """Calls of a function or method of this module, in this module."""
        self._read()
        if self._sites is None:
            self._sites = {}
            self._read_sites(self._sites)
        return self._sites.get(function, [])

    def _read_sites(self, sites: dict[cst.FunctionDef, list[cst.Call]]) -> None:
        """Calls by name first, for whose method `x.f()` calls depends on them. What is inferred meanwhile from
        half of the calls is forgotten."""
        methods = {f.name.value for f in self.tree.all(cst.FunctionDef) if self.tree.class_of(f) is not None}
        unsure: list[tuple[cst.Call, cst.Attribute]] = []
        for call in self.tree.all(cst.Call):
            target = self.names.local_function(call.func)
            class_ = self.names.local_class(call.func)
            if class_ is not None:
                target = self.names.method(class_, "__init__")
            if target is not None:
                sites.setdefault(target, []).append(call)
            elif isinstance(call.func, cst.Attribute) and call.func.attr.value in methods:
                unsure.append((call, call.func))
        memo, self._memo = self._memo, {}
        bound, self._bound = self._bound, {}
        found: list[tuple[cst.FunctionDef, cst.Call]] = []
        for call, func in unsure:
            classes = [value.origin for value in self.values(func.value) if isinstance(value.origin, cst.ClassDef)]
            found += [(f, call) for c in classes if (f := self.names.method(c, func.attr.value)) is not None]
        self._memo, self._bound = memo, bound
        for function, call in dict.fromkeys(found):
            sites.setdefault(function, []).append(call)
        for calls in sites.values():
            calls.sort(key=self.tree.order.__getitem__)

    def parameter_argument(self, function: cst.FunctionDef, parameter: cst.Param, call: cst.Call) -> cst.Arg | None:
        """The argument a call passes for a parameter."""
        positional = [*function.params.posonly_params, *function.params.params]
        position = next((i for i, p in enumerate(positional) if p is parameter), None)
        bound = self.tree.parent.get(self.tree.parent.get(function, function))
        is_method = isinstance(bound, cst.ClassDef) and not any(
            isinstance(d.decorator, cst.Name) and d.decorator.value == "staticmethod" for d in function.decorators
        )
        if position is not None and is_method:
            position -= 1
        return argument(call, position if position is None or position >= 0 else None, parameter.name.value)

    def _of_element(self, parameter: cst.Param, path: tuple[int, ...]) -> Values:
        """What the callers pass in a place of a list or tuple: `net_g, net_d = nets` of `train([net_g, net_d])`."""
        function = self.tree.enclosing(parameter, cst.FunctionDef, cst.Lambda)
        if not isinstance(function, cst.FunctionDef):
            return NONE
        found: list[Value] = []
        for call in self.call_sites(function):
            passed = self.parameter_argument(function, parameter, call)
            if passed is not None:
                step = f"passed to {function.name.value}() at line {self.tree.statement_line(call)}"
                found += [value.via(step) for value in self.values(passed.value, path)]
        return merged(tuple(found))

    def _of_parameter(self, parameter: cst.Param) -> Values:
        function = self.tree.enclosing(parameter, cst.FunctionDef, cst.Lambda)
        if not isinstance(function, cst.FunctionDef):
            return NONE
        dispute = self.dispute(function, parameter)
        if dispute is not None and dispute.role is Role.OPTIMIZER:
            return (Value(Role.OTHER, dispute.text, parameter, dispute.evidence),)
        found: list[Value] = []
        for call in self.call_sites(function):
            passed = self.parameter_argument(function, parameter, call)
            if passed is not None:
                step = f"passed to {function.name.value}() at line {self.tree.statement_line(call)}"
                found += [value.via(step) for value in self.values(passed.value)]
        found += self.passed_elsewhere(function, parameter)
        if not any(value.role is not Role.OTHER for value in found) and parameter.annotation is not None:
            name = self.names.qualified(parameter.annotation.annotation) or ""
            role = Role.MODEL if name in WRAPPERS else library_role(name)
            if role is not None:
                wrapped = (WRAPPERS[name],) if name in WRAPPERS else ()
                text = text_of(parameter.annotation.annotation) or ""
                found.append(Value(role, text, parameter, ("annotated",), wrapped))
        if not any(value.role is not Role.OTHER for value in found):
            found += self._by_use(parameter, function)
        return merged(tuple(found))

    def _of_keyword(self, node: cst.Subscript | cst.Call) -> Values:
        """What the callers pass for `kwargs["model"]`."""
        found = taken(self.tree, self.names, node)
        if found is None:
            return NONE
        function, keyword = found
        values: list[Value] = []
        for call in self.call_sites(function):
            passed = argument(call, None, keyword)
            if passed is not None:
                step = f"passed to {function.name.value}() at line {self.tree.statement_line(call)}"
                values += [value.via(step) for value in self.values(passed.value)]
        linked = self.links.parameters.get((self.tree.qualname(function), keyword), ())
        return merged((*values, *(linked_value(known, function) for known in linked)))

    def dispute(self, function: cst.FunctionDef, parameter: cst.Param) -> Dispute | None:
        """The callers that contradict each other about a parameter."""
        if not self.links.disputes:
            return None
        return self.links.disputes.get((self.tree.qualname(function), parameter.name.value))

    def passed_elsewhere(self, function: cst.FunctionDef, parameter: cst.Param) -> Values:
        """What the calls of a function, as far as the project shows them, pass for a parameter."""
        if not self.links.parameters:
            return NONE
        linked = self.links.parameters.get((self.tree.qualname(function), parameter.name.value), ())
        return tuple(linked_value(known, parameter) for known in linked)
