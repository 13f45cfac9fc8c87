"""Load checkpoints to the CPU, too, where the location comes to torch.load by a way of its own.

A wrapper hands on what it is given, `torch.load(file, **options)`, `functools.partial` keeps the location, a loader is
chosen from a dict, or a library calls `torch.load`. An XLA device raises there as in a plain call. So does no location
with a checkpoint that CUDA wrote. Where the program was executed abstractly and only the CPU came there, all stays.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.locations import is_on_host
from codemods.kit.names import argument
from codemods.kit.opened import is_in_dataset
from codemods.kit.options import text
from codemods.kit.rules import Example, Rule, Safety, Stage
from codemods.kit.tree import walk

_LIBRARY = ("torch.hub.load_state_dict_from_url", "torch.utils.model_zoo.load_url")
"""What takes a location in the third place, and calls torch.load with it."""


class LoadLocation(Codemod):
    """Load checkpoints to the CPU where the location comes another way."""

    STAGE = Stage.SAVE
    RULES = (
        Rule("TC638", "a location that gets to torch.load another way becomes the CPU", Safety.EXACT,
             document="torch_xla 2.1 and 2.9: torch.load with an XLA map_location raises"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\n\ndef read(path, **options):\n    return torch.load(path, **options)\n\n\n"
            'net.load_state_dict(read("net.pt", map_location=torch.device("cuda")))\n',
            smtc="import torch\n\n\ndef read(path, **options):\n    options[\"map_location\"] = \"cpu\"\n"
            "    return torch.load(path, **options)\n\n\n"
            'net.load_state_dict(read("net.pt", map_location=torch.device("cuda")))\n',
            xla="import torch\n\n\ndef read(path, **options):\n    options[\"map_location\"] = \"cpu\"\n"
            "    return torch.load(path, **options)\n\n\n"
            'net.load_state_dict(read("net.pt", map_location=torch.device("cuda")))\n',
        ),
        Example('import torch\n\nstate = torch.load("model.pt", map_location="cpu")\n'),
    )

    def rewrite(self) -> None:
        loads = self.script.calls("torch.load")
        for call in loads:
            for arg in call.args:
                if arg.star == "**":
                    self._spread(call, arg)
        for call in self.script.calls("functools.partial"):
            if call.args and self.script.qualified(call.args[0].value) == "torch.load":
                self._given(call, argument(call, None, "map_location"), or_new=True)
        for call in self.script.calls(*_LIBRARY):
            self._given(call, argument(call, 2, "map_location"))
        for call in self.script.tree.all(cst.Call) if self._located else ():
            if call not in loads and self._located.get(self.script.roles.key(call)):
                self._given(call, argument(call, None, "map_location"))

    @property
    def _located(self) -> Mapping[tuple[int, str], bool]:
        meaning = self.script.links.meaning
        return meaning.located if meaning is not None else {}

    def _given(self, call: cst.Call, where: cst.Arg | None, or_new: bool = False) -> None:
        """The location is named in a call that is not one of torch.load."""
        if call in self.edits.touched or (where is None and not or_new):
            return
        if where is not None and is_on_host(self.script, where.value):
            return
        edit = self.edit("TC638", call, "is loaded to the CPU; load_state_dict copies to the device")
        if where is None:
            edit.replace(call, lambda updated: build.with_keyword(updated, "map_location", self.quoted("cpu")))
        else:
            host = cst.SimpleString(self.quoted("cpu"))
            edit.replace(where, lambda updated: updated.with_changes(value=host))

    def _spread(self, call: cst.Call, arg: cst.Arg) -> None:
        """`torch.load(path, **options)`"""
        where = argument(call, 1, "map_location")
        if where is not None:
            self._given(call, where)
            return
        seen, function = self._located.get(self.script.roles.key(call)), self._function_of(call, arg.value)
        if seen is False or (seen is None and (function is None or self._is_told(call, function))):
            return
        edit = self.edit("TC638", call, "is loaded to the CPU; load_state_dict copies to the device")
        line = self.script.tree.statement(call)
        if function is not None and len(_uses(function, arg.value)) == 1 and isinstance(line, cst.SimpleStatementLine):
            told = f"{{options}}[{self.quoted('map_location')}] = {self.quoted('cpu')}"
            edit.before(call, build.statements(told, options=arg.value))
            return
        item = f"{{**{{options}}, {self.quoted('map_location')}: {self.quoted('cpu')}}}"
        edit.replace(arg, lambda updated: updated.with_changes(value=build.expression(item, options=updated.value)))

    def _function_of(self, call: cst.Call, options: cst.BaseExpression) -> cst.FunctionDef | None:
        """The function whose `**options` it is that are handed on."""
        function = self.script.tree.function(call)
        taken = function.params.star_kwarg if function is not None else None
        if taken is None or not isinstance(options, cst.Name) or taken.name.value != options.value:
            return None
        return None if any(isinstance(outer, cst.Lambda) for outer in self.script.tree.ancestors(call)) else function

    def _is_told(self, call: cst.Call, function: cst.FunctionDef) -> bool:
        """Whether its callers name the CPU, the function names a location itself, or reads what a data set holds."""
        calls = self.script.roles.call_sites(function)
        named = [argument(one, None, "map_location") for one in calls]
        told = bool(named) and all(one is not None and is_on_host(self.script, one.value) for one in named)
        names = any(isinstance(node, cst.SimpleString) and text(node) == "map_location" for node in walk(function.body))
        return told or names or is_in_dataset(self.script, call)


def _uses(function: cst.FunctionDef, name: cst.BaseExpression) -> list[cst.CSTNode]:
    return [node for node in walk(function.body) if isinstance(node, cst.Name) and node.deep_equals(name)]
