"""What the names of loaders are used for: gone through, asked for what only a loader has, or passed on."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.epochs import tellings
from codemods.kit.names import Binding, Scope

if TYPE_CHECKING:
    from codemods.kit.script import Script


@dataclass(eq=False)
class Cell:
    """A name of one scope that holds a loader."""

    scope: Scope
    name: str
    bindings: list[Binding]
    sites: list[cst.Name] = field(default_factory=list)
    """Uses whose batches are computed with on the device."""
    keeps: bool = False
    """Whether some use wants the loader itself."""
    told: bool = False
    """Whether its sampler is told the epoch by this name."""
    passed: list[tuple[cst.Call, Cell]] = field(default_factory=list)
    """Calls of functions of the script that get it as this parameter."""

    @property
    def is_parameter(self) -> bool:
        return any(binding.kind == "parameter" for binding in self.bindings)

    @property
    def uses(self) -> list[cst.CSTNode]:
        """The uses that want its batches, here or in the functions it is passed to."""
        return [*self.sites, *(call for call, _ in self.passed)]


class LoaderUses:
    """The names that hold the loaders of some expressions, and the names they are passed on as."""

    def __init__(self, script: Script, sites: Container[cst.CSTNode]) -> None:
        """`sites` are the expressions whose batches are computed with on the device."""
        self.script = script
        self._sites = sites
        self._cells: dict[tuple[cst.CSTNode, str], Cell] = {}

    @property
    def cells(self) -> list[Cell]:
        return list(self._cells.values())

    def read(self, names: list[cst.Name]) -> None:
        """Read all uses of what these names hold, and of what it is passed on as."""
        queue = [self._cell(name) for name in names]
        read: set[Cell] = set()
        while queue:
            cell = queue.pop()
            if cell is None or cell in read:
                continue
            read.add(cell)
            for node in self.reads(cell):
                queue += self._read_use(cell, node)
            queue += self._callers(cell)
        for telling in tellings(self.script):
            place = self.script.tree.statement_numbered(telling.statement)
            found = self.script.names.find(telling.loader, self.script.names.scope(place)) if place else None
            told = self._cells.get((found[0].node, telling.loader)) if found else None
            if told is not None:
                told.keeps = told.told = True

    def reads(self, cell: Cell) -> list[cst.Name]:
        """Every place that reads the name of a cell."""
        names = self.script.names
        found = []
        for node in names.named(cell.name):
            if self.script.tree.contains(cell.scope.node, node) and self._is_read(node):
                bound = names.find(cell.name, names.scope(node))
                if bound is not None and bound[0] is cell.scope:
                    found.append(node)
        return found

    def _is_read(self, node: cst.Name) -> bool:
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.Attribute):
            return parent.value is node
        if isinstance(parent, cst.Element):  # an element of an unpacking target
            outer = self.script.tree.parent.get(self.script.tree.parent.get(parent, parent))
            return not isinstance(outer, cst.AssignTarget)
        return self.script.names.is_reference(node) and not isinstance(parent, cst.Global | cst.Nonlocal | cst.NameItem)

    def _cell(self, node: cst.CSTNode) -> Cell | None:
        if not isinstance(node, cst.Name):
            return None
        found = self.script.names.find(node.value, self.script.names.scope(node))
        return self._cell_of(found[0], node.value, found[1]) if found else None

    def _cell_of(self, scope: Scope, name: str, bindings: list[Binding]) -> Cell:
        return self._cells.setdefault((scope.node, name), Cell(scope, name, bindings))

    def _read_use(self, cell: Cell, node: cst.Name) -> list[Cell | None]:
        """Sort one use of a name into what it means for its cell; other cells it leads to."""
        if node in self._sites:
            cell.sites.append(node)
            return []
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.Arg):
            call = self.script.tree.parent.get(parent)
            assert isinstance(call, cst.Call | cst.ClassDef)
            if isinstance(call, cst.Call):
                if self.is_neutral(node):
                    return []
                inner = self._parameter(call, parent)
                if inner is not None:
                    cell.passed.append((call, inner))
                    return [inner]
        elif self.is_neutral(node):
            return []
        cell.keeps = True
        return []

    def _parameter(self, call: cst.Call, arg: cst.Arg) -> Cell | None:
        """The cell of the parameter that a function of the script gets an argument as."""
        function = self.script.names.local_function(call.func)
        if function is None or arg.star:
            return None
        for parameter in (*function.params.params, *function.params.posonly_params, *function.params.kwonly_params):
            if self.script.roles.parameter_argument(function, parameter, call) is arg:
                found = self.script.names.find(parameter.name.value, self.script.names.scope(parameter.name))
                return self._cell_of(found[0], parameter.name.value, found[1]) if found else None
        return None

    def _callers(self, cell: Cell) -> list[Cell | None]:
        """The cells a parameter gets its loader from. An argument that is no plain name keeps the group apart."""
        found: list[Cell | None] = []
        for binding in cell.bindings:
            function = self.script.tree.enclosing(binding.node, cst.FunctionDef)
            if binding.kind != "parameter" or function is None or not isinstance(binding.node, cst.Param):
                continue
            sites = self.script.roles.call_sites(function)
            if not sites or len(cell.bindings) > 1 or self._escapes(function):
                cell.keeps = True
            for call in sites:
                arg = self.script.roles.parameter_argument(function, binding.node, call)
                caller = self._cell(arg.value) if arg is not None else None
                if caller is None:
                    cell.keeps = True
                found.append(caller)
        return found

    def _escapes(self, function: cst.FunctionDef) -> bool:
        """Whether a function is used other than by calling it: then not all its callers are known."""
        tree, names = self.script.tree, self.script.names
        for node in tree.all(cst.Name):
            if node.value == function.name.value and names.is_reference(node):
                parent = tree.parent.get(node)
                if not (isinstance(parent, cst.Call) and parent.func is node):
                    return True
        return False

    def is_neutral(self, node: cst.Name) -> bool:
        """A use that a loader and a device loader serve alike: `len(loader)`, `if loader is not None`."""
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.Arg):
            call = self.script.tree.parent.get(parent)
            return isinstance(call, cst.Call) and self.script.qualified(call.func) == "builtins.len"
        return isinstance(parent, cst.Comparison | cst.ComparisonTarget | cst.If | cst.BooleanOperation)
