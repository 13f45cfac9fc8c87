"""Evidence of use: what a value must be of which nobody shows where it comes from."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from codemods.kit.names import Binding
from codemods.kit.roles.libraries import PASSES_THROUGH, library_role
from codemods.kit.roles.loaders import Loaders
from codemods.kit.roles.values import NONE, Role, Value, Values, text_of
from codemods.kit.tree import walk

_OPENS = ("builtins.open", "torch.load", "numpy.load", "PIL.Image.open", "torchaudio.load")
_TELLING = frozenset(("zero_grad", "step", "scale", "update", "backward", "parameters", "train", "eval"))
"""Methods that together tell what an object built elsewhere is."""


class Uses(Loaders):
    """What values are by what is done with them."""

    def _by_use(self, parameter: cst.Param, function: cst.FunctionDef) -> Values:
        """What a parameter nobody in this file passes must be, from what the function does with it."""
        name = parameter.name.value
        methods: set[str] = set()
        called = iterated = False
        trains = False
        for node in self._inside(function):
            if type(node) is cst.Call:
                func = node.func
                if type(func) is cst.Attribute:
                    if func.attr.value == "backward":
                        trains = True
                    if type(func.value) is cst.Name and func.value.value == name:
                        methods.add(func.attr.value)
                elif type(func) is cst.Name and func.value == name:
                    called = True
            elif type(node) is cst.For and self._iterates(node.iter, name) and not self._names_files(node):
                iterated = iterated or not self.yields_loaders(node)

        def used(role: Role, how: str) -> Values:
            text = f"parameter `{name}` of {function.name.value}() {how}"
            return (Value(role, "parameter", parameter, (text,)),)

        if {"scale", "update"} <= methods or {"unscale_", "update", "step"} <= methods:
            return used(Role.SCALER, "scales or unscales, and is updated")
        if {"zero_grad", "step"} <= methods:
            return used(Role.OPTIMIZER, "is zeroed and stepped")
        if "step" in methods and trains and "zero_grad" not in methods and name.startswith("opt"):
            return used(Role.OPTIMIZER, "is stepped after a backward")
        if called and methods & {"train", "eval", "parameters", "state_dict", "zero_grad"}:
            return used(Role.MODEL, "is called, and set to train or eval")
        if iterated and (trains or self._methods_in(function) & {"train", "eval"}):
            return used(Role.LOADER, "is iterated by the loop that trains or evaluates")
        return NONE

    def _by_methods(self, node: cst.Name | cst.Attribute, bindings: list[Binding]) -> Values:
        """What an object built outside of this file must be, from the methods called on it: `self.optimizer` set from
        a parameter, `optimizer = build_optimizer(config)`."""
        if not any(binding.kind in ("assign", "parameter", "with") for binding in bindings):
            return NONE
        methods = self._methods_called.get(bindings[0], set())
        name = (text_of(node) or "").rpartition(".")[2]
        zeroed = "zero_grad" in methods or (name.startswith("opt") and self._computes_gradients)
        if "step" in methods and zeroed and not methods & {"backward", "update"}:
            seen = f"`{text_of(node)}` is {'zeroed and ' if 'zero_grad' in methods else ''}stepped after a backward"
            return (Value(Role.OPTIMIZER, "by use", bindings[0].node, (seen,)),)
        if {"scale", "step", "update"} <= methods:
            seen = f"`{text_of(node)}` scales, steps and updates in this file"
            return (Value(Role.SCALER, "by use", bindings[0].node, (seen,)),)
        if {"parameters", "train", "eval"} <= methods:
            seen = f"`{text_of(node)}` has parameters and is switched to train() and eval()"
            return (Value(Role.MODEL, "by use", bindings[0].node, (seen,)),)
        return NONE

    def _inherited_by_use(self, node: cst.Attribute) -> Values:
        """`self.optimizer` of a base class elsewhere, of which nobody says what it holds."""
        class_ = self.tree.class_of(node) if type(node.value) is cst.Name and node.value.value == "self" else None
        if class_ is None or not class_.bases:
            return NONE
        methods = self._called_on_self.get((class_, node.attr.value), set())
        if {"step", "zero_grad"} <= methods and not methods & {"backward", "update"} and self._computes_gradients:
            seen = f"`{text_of(node)}` is zeroed and stepped after a backward"
            return (Value(Role.OPTIMIZER, "by use", class_, (seen,)),)
        return NONE

    @cached_property
    def _optimized(self) -> dict[Binding, cst.Call]:
        """First bindings of names whose `.parameters()` an optimizer is built from."""
        found: dict[Binding, cst.Call] = {}
        for call in self.tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value in ("parameters", "named_parameters"):
                bindings = self.names.bindings(func.value)
                if bindings and any(
                    isinstance(outer, cst.Call)
                    and library_role(self.names.qualified(outer.func) or "") is Role.OPTIMIZER
                    for outer in self.tree.ancestors(call)
                ):
                    found[bindings[0]] = call
        return found

    @cached_property
    def _called_on_self(self) -> dict[tuple[cst.ClassDef, str], set[str]]:
        """The methods called on attributes of `self`, by class and attribute."""
        found: dict[tuple[cst.ClassDef, str], set[str]] = {}
        for call in self.tree.all(cst.Call):
            func = call.func
            held = func.value if isinstance(func, cst.Attribute) and func.attr.value in _TELLING else None
            if isinstance(held, cst.Attribute) and isinstance(held.value, cst.Name) and held.value.value == "self":
                class_ = self.tree.class_of(call)
                if class_ is not None and isinstance(func, cst.Attribute):
                    found.setdefault((class_, held.attr.value), set()).add(func.attr.value)
        return found

    @cached_property
    def _computes_gradients(self) -> bool:
        return any(
            isinstance(call.func, cst.Attribute) and call.func.attr.value == "backward"
            for call in self.tree.all(cst.Call)
        )

    @cached_property
    def _methods_called(self) -> dict[Binding, set[str]]:
        """The methods that tell of an optimizer, scaler or model, called on names and attributes, by first binding."""
        found: dict[Binding, set[str]] = {}
        funcs = [call.func for call in self.tree.all(cst.Call) if isinstance(call.func, cst.Attribute)]
        called = [(func.value, func.attr.value) for func in funcs if isinstance(func, cst.Attribute)]
        migrated = self.names.calls("torch_xla.core.xla_model.optimizer_step")
        for node, method in [*called, *((call.args[0].value, "step") for call in migrated if call.args)]:
            bindings = self.names.bindings(node) if method in _TELLING else []
            if bindings:
                found.setdefault(bindings[0], set()).add(method)
        return found

    def _iterates(self, iterated: cst.BaseExpression, name: str) -> bool:
        if isinstance(iterated, cst.Name):
            return iterated.value == name and not self.is_no_loader(iterated)
        if isinstance(iterated, cst.Call) and iterated.args:
            qualified = self.names.qualified(iterated.func) or ""
            if qualified == "builtins.zip":
                return any(self._iterates(arg.value, name) for arg in iterated.args)
            # `log_every(loader, print_freq, header)` goes through its first argument only.
            if qualified in PASSES_THROUGH or (isinstance(iterated.func, cst.Attribute) and self.hands_on(iterated)):
                return self._iterates(iterated.args[0].value, name)
        return False

    def _names_files(self, loop: cst.For) -> bool:
        """Whether what a loop goes through are names of files: `torch.load(path)`, `os.path.basename(path)`."""
        targets = {node.value for node in walk(loop.target) if isinstance(node, cst.Name)}
        for call in self.tree.all(cst.Call):
            name = self.names.qualified(call.func) or ""
            if name in _OPENS or name.startswith("os.path."):
                given = call.args[0].value if call.args else None
                if isinstance(given, cst.Name) and given.value in targets and self.tree.contains(loop.body, call):
                    return True
        return False

    def _inside(self, function: cst.FunctionDef) -> list[cst.CSTNode]:
        """The calls, then the loops, that the function's own body runs."""
        if not self._bodies:
            for kind in (cst.Call, cst.For):
                for node in self.tree.all(kind):
                    self._bodies.setdefault(self.tree.function(node), []).append(node)
        return self._bodies.get(function, [])

    def _methods_in(self, function: cst.FunctionDef) -> set[str]:
        return {
            node.func.attr.value
            for node in self._inside(function)
            if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)
        }
