"""Pinned host memory goes: it is memory for CUDA copies.

With `pin_memory=True` a data loader asks CUDA for page-locked memory. Where CUDA is absent that only warns; in a
Training Compiler container it creates a CUDA context, which takes device memory away from XLA. `tensor.pin_memory()`
raises where there is no CUDA driver. The device loader does its own copies and gains nothing from either.

Dropped: the `pin_memory` and `pin_memory_device` arguments of data loaders, the `"pin_memory"` entries of dicts whose
entries become such arguments (`DataLoader(dataset, **kwargs)`), and `.pin_memory()` of tensors. An object of the
script's own that has a `pin_memory` method keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.edits import is_pure
from codemods.kit.fold import same_either_way
from codemods.kit.loaders import DATA_LOADERS
from codemods.kit.options import text
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_KEYWORDS = ("pin_memory", "pin_memory_device")
_POSITION = 7


class PinMemory(Codemod):
    """Do not pin host memory."""

    STAGE = Stage.DATA
    RULES = (
        Rule("TC205", "pinned memory is for CUDA copies: dropped", Safety.EXACT,
             document="torch 2.1 utils/data/_utils/pin_memory.py; measured on torch_xla 2.1 and 2.9"),
        Rule("TC210", "a loader of another library is told to pin memory", Safety.NOTE, Severity.WARNING,
             advice="switch it off: pinning creates a CUDA context, or warns where there is no CUDA"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="""\
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=64, num_workers=4, pin_memory=True)
""",
            smtc="""\
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=64, num_workers=4)
""",
            xla="""\
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=64, num_workers=4)
""",
        ),
    )

    def rewrite(self) -> None:
        if self.script.calls("accelerate.Accelerator"):
            return  # that library decides what is pinned
        for arg in self.script.tree.all(cst.Arg):
            if arg.keyword is not None and arg.keyword.value in _KEYWORDS and not _is_off(arg.value):
                self._argument(arg)
        for call in self.script.calls(*DATA_LOADERS):
            if len(call.args) > _POSITION and not any(arg.star or arg.keyword for arg in call.args[: _POSITION + 1]):
                self._position(call.args[_POSITION])
        for element in self._entries():
            edit = self.edit("TC205", element, "the entry only asks for pinned memory")
            edit.replace(element, lambda updated: None)
            choice = self.script.tree.parent.get(self.script.tree.parent[element])
            if isinstance(choice, cst.IfExp) and is_pure(choice.test):
                edit.replace(choice, same_either_way)
        for call in self.script.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "pin_memory":
                self._method(call, call.func)

    # --- arguments ----------------------------------------------------------------------------------------------------

    def _argument(self, arg: cst.Arg) -> None:
        call = self.script.tree.parent.get(arg)
        if not isinstance(call, cst.Call):
            return
        if self._makes_loader(call) or self._is_loader_kwargs(call):
            self.edit("TC205", arg, "the batches are not copied by CUDA").remove(arg)
        elif (keywords := self._keywords(call)) is not None and self.script.is_a(call, Role.LOADER):
            if arg.keyword is not None and arg.keyword.value not in keywords:
                self.edit("TC205", arg, "the batches are not copied by CUDA").remove(arg)
        elif self.script.links.classes.get(self.script.qualified(call.func) or "") is Role.LOADER:
            self.edit("TC205", arg, "the batches are not copied by CUDA").remove(arg)
        elif self.script.names.local_function(call.func) is None and self.script.names.local_class(call.func) is None:
            self.note("TC210", arg, "a loader made by another library pins memory")

    def _keywords(self, call: cst.Call) -> frozenset[str] | None:
        """The parameters that a function of another file names, or None: what it does not, it passes on."""
        return self.script.links.keywords.get(self.script.qualified(call.func) or "")

    def _position(self, arg: cst.Arg) -> None:
        if not _is_off(arg.value):
            edit = self.edit("TC205", arg, "the batches are not copied by CUDA")
            edit.replace(arg.value, cst.Name("False"))

    def _makes_loader(self, call: cst.Call) -> bool:
        if self.script.qualified(call.func) in DATA_LOADERS:
            return True
        if self.script.qualified(call.func) == "functools.partial":
            return bool(call.args) and self.script.qualified(call.args[0].value) in DATA_LOADERS
        class_ = self.script.names.local_class(call.func)
        if class_ is None and isinstance(call.func, cst.Attribute) and call.func.attr.value == "__init__":
            receiver = call.func.value
            is_super = isinstance(receiver, cst.Call) and isinstance(receiver.func, cst.Name)
            class_ = self.script.tree.class_of(call) if is_super else None
        return class_ is not None and self.script.roles.class_role(class_) is Role.LOADER

    # --- dicts of arguments -------------------------------------------------------------------------------------------

    def _entries(self) -> Iterator[cst.DictElement]:
        """`"pin_memory": True` in a dict literal that is passed on as arguments of a data loader."""
        found = [
            element
            for element in self.script.tree.all(cst.DictElement)
            if text(element.key) in _KEYWORDS and not _is_off(element.value)
        ]
        for element in found:
            literal = self.script.tree.parent.get(element)
            if isinstance(literal, cst.Dict) and self._becomes_arguments(literal):
                yield element

    def _is_loader_kwargs(self, call: cst.Call) -> bool:
        """`dict(num_workers=4, pin_memory=True)` that is passed on."""
        is_dict = isinstance(call.func, cst.Name) and call.func.value == "dict"
        return is_dict and self._becomes_arguments(call)

    def _becomes_arguments(self, literal: cst.BaseExpression) -> bool:
        node: cst.CSTNode | None = literal
        while isinstance(node, cst.BaseExpression):  # `{...} if use_cuda else {}`
            node = self.script.tree.parent.get(node)
            if isinstance(node, cst.Arg):
                return self._passes_on(node)
        if not isinstance(node, cst.Assign):
            return False
        targets = [target.target for target in node.targets]
        return any(isinstance(target, cst.Name) and target.value in self._starred for target in targets)

    def _passes_on(self, arg: cst.Arg) -> bool:
        """`DataLoader(dataset, **{...})`, `kwargs.update({...})`"""
        call = self.script.tree.parent.get(arg)
        if not isinstance(call, cst.Call):
            return False
        if arg.star == "**":
            return self._makes_loader(call)
        func = call.func
        if not isinstance(func, cst.Attribute) or func.attr.value != "update":
            return False
        return isinstance(func.value, cst.Name) and func.value.value in self._starred

    @cached_property
    def _starred(self) -> set[str]:
        """Names of dicts whose entries become arguments of data loaders, through `update` too."""
        tree = self.script.tree
        found: set[str] = set()
        for arg in tree.all(cst.Arg):
            call = tree.parent.get(arg)
            if arg.star == "**" and isinstance(arg.value, cst.Name) and isinstance(call, cst.Call):
                if self._makes_loader(call):
                    found.add(arg.value.value)
        for call in tree.all(cst.Call) if found else ():
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value == "update" and isinstance(func.value, cst.Name):
                if func.value.value in found and call.args and isinstance(call.args[0].value, cst.Name):
                    found.add(call.args[0].value.value)
        return found

    # --- tensors ------------------------------------------------------------------------------------------------------

    def _method(self, call: cst.Call, func: cst.Attribute) -> None:
        if self.script.qualified(func) is not None:
            return
        if any(value.role is Role.OTHER for value in self.script.roles.values(func.value)):
            return  # an object of the script's own
        if isinstance(func.value, cst.Name) and func.value.value == "self":
            return
        edit = self.edit("TC205", call, "pinning needs CUDA")
        if isinstance(self.script.tree.parent.get(call), cst.Expr):
            edit.remove(call)
            return

        def bare(updated: cst.BaseExpression) -> cst.BaseExpression:
            if isinstance(updated, cst.Call) and isinstance(updated.func, cst.Attribute):
                return updated.func.value
            return updated

        edit.replace(call, bare)


def _is_off(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value in ("False", "None")
