"""Functions that TorchScript compiles: their text is no Python. It knows a device by its name, and not torch_xla."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.names import dotted

if TYPE_CHECKING:
    from codemods.kit.script import Script

_COMPILES = ("torch.jit.script", "torch.jit.script_method", "torch.jit.export", "torch.jit.script_if_tracing")
_LEAVES = ("torch.jit.ignore", "torch.jit.unused")


class Scripted:
    """The functions of a script that are compiled, by a decorator, a call, or because what is compiled calls them."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._classes: set[cst.ClassDef] = set()

    def holds(self, node: cst.CSTNode) -> bool:
        """Whether TorchScript compiles what a node is in."""
        return any(outer in self.functions for outer in self.script.tree.ancestors(node)) if self.functions else False

    @cached_property
    def functions(self) -> frozenset[cst.FunctionDef]:
        """All functions that are compiled."""
        if "jit" not in self.script.tree.source:
            return frozenset()
        found: set[cst.FunctionDef] = set()
        queue = [*self._decorated(), *self._given()]
        while queue:
            function = queue.pop()
            if function not in found and not self._has(function, _LEAVES):
                found.add(function)
                queue += self._called(function)
        return frozenset(found)

    def _decorated(self) -> Iterator[cst.FunctionDef]:
        for function in self.script.tree.all(cst.FunctionDef):
            if self._has(function, _COMPILES):
                yield function
        for class_ in self.script.tree.all(cst.ClassDef):
            if self._has(class_, _COMPILES):
                yield from self._of_class(class_)

    def _given(self) -> Iterator[cst.FunctionDef]:
        """What `torch.jit.script(...)` is called with."""
        for call in self.script.calls("torch.jit.script"):
            if call.args:
                yield from self._meant(call.args[0].value)

    def _meant(self, node: cst.BaseExpression) -> Iterator[cst.FunctionDef]:
        """The functions that compiling a function, a class, a module, or a name of one, compiles."""
        names = self.script.names
        made = [node, *(binding.value for binding in names.bindings(node) if binding.value is not None)]
        for value in made:
            function = names.local_function(value)
            class_ = names.local_class(value.func if isinstance(value, cst.Call) else value)
            if function is not None:
                yield function
            elif class_ is not None:
                yield from self._of_class(class_)

    def _of_class(self, class_: cst.ClassDef) -> Iterator[cst.FunctionDef]:
        """All methods of a class; of a module, the only kind that may have a base, `forward`, and those of the modules
        that it makes."""
        if class_ in self._classes:
            return
        self._classes.add(class_)
        if all(code_of(base.value) == "object" for base in class_.bases):
            yield from (item for item in class_.body.body if isinstance(item, cst.FunctionDef))
            return
        forward, built = (self.script.names.method(class_, name) for name in ("forward", "__init__"))
        yield from [forward] if forward is not None else []
        for call in self.script.tree.inside(built, cst.Call) if built is not None else ():
            inner = self.script.names.local_class(call.func)
            if inner is not None:
                yield from self._of_class(inner)

    def _called(self, function: cst.FunctionDef) -> Iterator[cst.FunctionDef]:
        for call in self.script.tree.inside(function, cst.Call):
            called = self.script.names.local_function(call.func)
            class_ = self.script.names.local_class(call.func)
            if called is not None:
                yield called
            elif class_ is not None:
                yield from self._of_class(class_)

    def _has(self, definition: cst.FunctionDef | cst.ClassDef, names: tuple[str, ...]) -> bool:
        made = [one.decorator for one in definition.decorators]
        plain = [one.func if isinstance(one, cst.Call) else one for one in made]
        return any(dotted(one) is not None and self.script.qualified(one) in names for one in plain)
