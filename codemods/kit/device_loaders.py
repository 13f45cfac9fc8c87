"""The plan of the device loaders: for each loop over batches that computes on the device, where its loader is wrapped.

A `DataLoader` is wrapped once, and in one of three ways:

REBIND  `loader = pl.MpDeviceLoader(loader, device)` after the loader is bound (or, for a parameter, above the loop):
        every loop over the name is right. Only when nothing that sees the name wants what a device loader has not
        (`.dataset`, `.sampler`, `next(loader)`), which has to be known for every function it is passed to.
NAMED   `device_loader = pl.MpDeviceLoader(loader, device)`: the loops go through the new name, all else keeps the loader.
INLINE  `for batch in pl.MpDeviceLoader(self.loader, device):` when there is no plain name to bind.

The convention that keeps two files from wrapping twice: a loader that leaves the function for code that is not in this
file is not rebound; who iterates wraps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.loops import BatchLoop
from codemods.kit.names import Binding, Scope
from codemods.kit.roles import PASSES_THROUGH, Role

if TYPE_CHECKING:
    from codemods.kit.script import Script


class How(Enum):
    """How a loader becomes a device loader."""

    REBIND = "the name is bound again, to the device loader"
    NAMED = "the device loader gets a name of its own"
    INLINE = "the device loader is made where it is iterated"


@dataclass(eq=False)
class Wrap:
    """One device loader of the migrated script."""

    how: How
    loader: str
    """The name of the loader; empty for INLINE."""
    name: str
    """The name of the device loader; empty for INLINE."""
    sites: list[cst.BaseExpression]
    """The expressions that go through the device loader: they become `name`, or are wrapped in place for INLINE."""
    loops: list[BatchLoop]
    bound: cst.CSTNode | None = None
    """The statement that binds the loader: the device loader is made after it when the device is known there."""
    above: cst.CSTNode | None = None
    """The statement the device loader is made above otherwise: the outermost loop of the first use."""
    first: cst.CSTNode | None = None
    """The first use, in the scope that binds the loader, that has to see the device loader."""
    shared: bool = False
    """Whether functions the loader is passed to use it too."""

    @property
    def place(self) -> cst.CSTNode:
        """The statement it is made beside, or the expression it is made in."""
        return self.bound or self.above or self.sites[0]


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
    passed: list[tuple[cst.Call, Cell]] = field(default_factory=list)
    """Calls of functions of the script that get it as this parameter."""

    @property
    def is_parameter(self) -> bool:
        return any(binding.kind == "parameter" for binding in self.bindings)


class Feeds:
    """Which expressions a loop's batches come from."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._known: dict[BatchLoop, list[cst.BaseExpression]] = {}

    def of(self, loop: BatchLoop) -> list[cst.BaseExpression]:
        found = self._known.get(loop)
        if found is None:
            found = self._leaves(loop.iterable, 0) if loop.iterable is not None else []
            if not found:
                found = [leaf for call in self._nexts(loop) for leaf in self._leaves(call.args[0].value, 0)]
            self._known[loop] = found = list(dict.fromkeys(found))
        return found

    def is_device_loader(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is, or may already be, a device loader."""
        return any("device loader" in value.wrapped for value in self.script.roles.values(node))

    def _nexts(self, loop: BatchLoop) -> list[cst.Call]:
        """`next(it)` in the body of the loop, or of a `try` in it."""
        tree = self.script.tree
        return [call for call in self.script.calls("builtins.next") if call.args and tree.loop(call) is loop.loop]

    def _leaves(self, node: cst.BaseExpression, depth: int) -> list[cst.BaseExpression]:
        roles, names = self.script.roles, self.script.names
        if depth > 8:
            return []
        if isinstance(node, cst.IfExp):
            return self._leaves(node.body, depth + 1) + self._leaves(node.orelse, depth + 1)
        if isinstance(node, cst.Call):
            return self._of_call(node, depth)
        if roles.is_a(node, Role.LOADER):
            return [node]
        if roles.is_a(node, Role.ITERATOR):
            return [
                leaf
                for binding in names.bindings(node)
                if binding.kind in ("assign", "with", "walrus") and binding.value is not None and not binding.path
                for leaf in self._leaves(binding.value, depth + 1)
            ]
        return (self._behind(node) or [node]) if roles.loader(node) is not None else []

    def _behind(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        """The loader of another file that `bar = enumerate(loader); bar = tqdm(bar)` goes through."""
        found: list[cst.BaseExpression] = []
        queue, seen = [node], {node}
        while queue:
            current = queue.pop()
            made = [binding.value for binding in self.script.names.bindings(current) if binding.value is not None]
            passed = [inner for value in made if (inner := self._passed(value)) is not None]
            if current is not node and len(passed) < len(made):
                found.append(current)
            queue += [inner for inner in passed if inner not in seen]
            seen |= set(passed)
        return found

    def _passed(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """`loader` of `tqdm(enumerate(loader), total=n)`."""
        inner = node
        while isinstance(inner, cst.Call) and inner.args and self.script.qualified(inner.func) in PASSES_THROUGH:
            inner = inner.args[0].value
        return None if inner is node else inner

    def _of_call(self, call: cst.Call, depth: int) -> list[cst.BaseExpression]:
        name = self.script.qualified(call.func) or ""
        function = self.script.names.local_function(call.func)
        passes = name in PASSES_THROUGH or name == "builtins.zip"
        if not passes and (self.script.is_a(call, Role.LOADER) or self.script.roles.moves.goes_through(call)):
            return [call]
        if passes or function is not None or isinstance(call.func, cst.Attribute):
            if not self.script.is_a(call, Role.ITERATOR) and not passes:
                return []
            given = [arg.value for arg in call.args if not arg.star and (arg.keyword is None or arg.keyword.value == "iterable")]
            found = [leaf for value in given for leaf in self._leaves(value, depth + 1)]
            if not found and function is not None:  # a generator over a loader that it finds itself
                for loop in self.script.tree.all(cst.For):
                    if self.script.tree.function(loop) is function:
                        found += self._leaves(loop.iter, depth + 1)
            return found
        return []


class Plan:
    """Wraps for the loops that compute on the device."""

    def __init__(self, script: Script, feeds: Feeds, loops: Sequence[BatchLoop]) -> None:
        self.script = script
        self.feeds = feeds
        self.wraps: list[Wrap] = []
        self.loops: set[BatchLoop] = set()
        self._cells: dict[tuple[cst.CSTNode, str], Cell] = {}
        self._over: dict[cst.BaseExpression, list[BatchLoop]] = {}
        for loop in loops:
            leaves = feeds.of(loop)
            if leaves and not any(map(feeds.is_device_loader, leaves)) and not self._is_fed_generator(loop):
                self.loops.add(loop)
                for leaf in leaves:
                    self._over.setdefault(leaf, []).append(loop)
        if self._over:
            self._decide()

    def _is_fed_generator(self, loop: BatchLoop) -> bool:
        """A loop of a generator over its parameter: who calls the generator passes it the device loader."""
        function = loop.function
        if function is None or not any(self.script.tree.function(y) is function for y in self.script.tree.all(cst.Yield)):
            return False
        return any(b.kind == "parameter" for leaf in self.feeds.of(loop) for b in self.script.names.bindings(leaf))

    def _decide(self) -> None:
        self._read_cells()
        done: set[Cell] = set()
        for cell in list(self._cells.values()):
            if cell not in done and (group := self._shared(cell)):
                done |= group
                for root in group:
                    if not root.is_parameter:
                        loops = [loop for one in group for site in one.sites for loop in self._over[site]]
                        self._add(How.REBIND, root, loops)
        for cell in self._cells.values():
            if cell.sites and cell not in done:
                self._alone(cell)
        named = {site for cell in self._cells.values() for site in cell.sites}
        for leaf, loops in self._over.items():
            if leaf not in named:
                self.wraps.append(Wrap(How.INLINE, "", "", [leaf], loops))
        order = self.script.tree.order
        self.wraps.sort(key=lambda wrap: (order[wrap.place], order[wrap.first or wrap.place]))

    # --- what each name is used for -----------------------------------------------------------------------------------

    def _read_cells(self) -> None:
        queue = [self._cell(leaf) for leaf in self._over if isinstance(leaf, cst.Name)]
        read: set[Cell] = set()
        while queue:
            cell = queue.pop()
            if cell is None or cell in read:
                continue
            read.add(cell)
            for node in self._reads(cell):
                queue += self._read_use(cell, node)
            queue += self._callers(cell)

    def _reads(self, cell: Cell) -> list[cst.Name]:
        """Every place that reads the name of a cell."""
        names = self.script.names
        found = []
        for node in self.script.tree.all(cst.Name):
            if node.value == cell.name and self._is_read(node):
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
        if node in self._over:
            cell.sites.append(node)
            return []
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.Arg):
            call = self.script.tree.parent.get(parent)
            assert isinstance(call, cst.Call | cst.ClassDef)
            if isinstance(call, cst.Call):
                if self._is_neutral(node):
                    return []
                inner = self._parameter(call, parent)
                if inner is not None:
                    cell.passed.append((call, inner))
                    return [inner]
        elif self._is_neutral(node):
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

    # --- deciding -----------------------------------------------------------------------------------------------------

    def _shared(self, start: Cell) -> set[Cell] | None:
        """The names connected to this one by calls, when all of them can be the device loader; else None."""
        group: set[Cell] = set()
        queue = [start]
        while queue:
            cell = queue.pop()
            if cell in group:
                continue
            group.add(cell)
            queue += [inner for _, inner in cell.passed]
            queue += [outer for outer in self._cells.values() if any(inner is cell for _, inner in outer.passed)]
        fits = all(not cell.keeps and (cell.is_parameter or self._binder(cell) is not None) for cell in group)
        return group if fits and any(cell.sites for cell in group) else None

    def _binder(self, cell: Cell) -> cst.CSTNode | None:
        """The statement after which a name holds its loader: the one assignment, or the block that holds them all."""
        tree = self.script.tree
        real = [b for b in cell.bindings if not (isinstance(b.value, cst.Name) and b.value.value == "None")]
        if not real or any(b.kind != "assign" or self._is_unknown(b) for b in real):
            return None
        if len(real) == 1:
            return real[0].node
        chains = [[b.node, *tree.ancestors(b.node)] for b in real]
        for node in chains[0]:
            if all(node in chain for chain in chains):
                uses = [*cell.sites, *(call for call, _ in cell.passed)]
                if not isinstance(node, cst.If | cst.Try | cst.With) or any(tree.contains(node, use) for use in uses):
                    return None
                return tree.statement(node)
        return None

    def _is_unknown(self, binding: Binding) -> bool:
        """A binding that may already move batches itself: `loader = fabric.setup_dataloaders(loader)`."""
        if any(value.role is Role.LOADER for value in self.script.roles.values(binding.value, binding.path)):
            return False
        func = binding.value.func if isinstance(binding.value, cst.Call) else None
        return func is None or isinstance(func, cst.Attribute) and func.attr.value.startswith(("prepare", "setup"))

    def _alone(self, cell: Cell) -> None:
        """Wrap a name for the uses in its own scope."""
        loops = [loop for site in cell.sites for loop in self._over[site]]
        tree = self.script.tree
        here = all(self._owner(site) is cell.scope.node for site in cell.sites)
        binder = self._binder(cell)
        if cell.is_parameter:
            if not here or len(cell.bindings) > 1:
                self._inline(cell)
            else:
                self._add(How.NAMED if self._keeps_own(cell) else How.REBIND, cell, loops)
        elif binder is not None and (here or cell.scope is self.script.names.module):
            follows = all(tree.before(binder, site) or self._owner(site) is not cell.scope.node for site in cell.sites)
            if follows:
                self._add(How.NAMED, cell, loops)
            else:
                self._inline(cell)
        else:
            self._inline(cell)

    def _keeps_own(self, cell: Cell) -> bool:
        """Whether the function itself wants the loader it was passed, besides looping over it."""
        return any(node not in cell.sites and not self._is_neutral(node) for node in self._reads(cell))

    def _is_neutral(self, node: cst.Name) -> bool:
        """A use that a loader and a device loader serve alike: `len(loader)`, `if loader is not None`."""
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.Arg):
            call = self.script.tree.parent.get(parent)
            return isinstance(call, cst.Call) and self.script.qualified(call.func) == "builtins.len"
        return isinstance(parent, cst.Comparison | cst.ComparisonTarget | cst.If | cst.BooleanOperation)

    def _owner(self, node: cst.CSTNode) -> cst.CSTNode:
        return self.script.tree.function(node) or self.script.tree.module

    def _inline(self, cell: Cell) -> None:
        for site in cell.sites:
            self.wraps.append(Wrap(How.INLINE, "", "", [site], self._over[site]))

    def _add(self, how: How, cell: Cell, loops: list[BatchLoop]) -> None:
        name = cell.name if how is How.REBIND else self._free(device_name(cell.name))
        wrap = Wrap(how, cell.name, name, list(cell.sites) if how is How.NAMED else [], list(dict.fromkeys(loops)))
        wrap.bound = None if cell.is_parameter else self._binder(cell)
        wrap.above = self._above(cell.sites) if cell.sites else None
        uses = sorted([*cell.sites, *(call for call, _ in cell.passed)], key=self.script.tree.order.__getitem__)
        wrap.first, wrap.shared = next(iter(uses), None), bool(cell.passed) and how is How.REBIND
        self.wraps.append(wrap)

    def _above(self, sites: Sequence[cst.CSTNode]) -> cst.CSTNode:
        """The statement above which a name serves all these uses: out of every loop of the function."""
        tree = self.script.tree
        chains = [[s for s in (site, *tree.ancestors(site)) if self._is_member(s)] for site in sites]
        first = chains[0]
        function = tree.function(sites[0])
        place: cst.CSTNode = first[0]
        for outer in first:
            if outer is function or isinstance(outer, cst.FunctionDef | cst.ClassDef):
                break
            holder = tree.parent.get(place)
            together = all(holder in tree.ancestors(site) for site in sites) if holder is not None else True
            if not together or isinstance(outer, cst.For | cst.While):
                place = outer
        return place

    def _is_member(self, node: cst.CSTNode) -> bool:
        return isinstance(node, cst.BaseStatement) and isinstance(
            self.script.tree.parent.get(node), cst.IndentedBlock | cst.Module
        )

    def _free(self, name: str) -> str:
        taken = {scope_name for scope in self.script.names.all_scopes() for scope_name in scope.names}
        while name in taken:
            name = f"xla_{name}"
        return name


def device_name(name: str) -> str:
    """A name for the device loader of a loader: `train_loader` -> `train_device_loader`."""
    found = re.fullmatch(r"(.*?)_?(?:data_?)?(?:loader|iter|dl)(s?)(\d*)(_.*)?", name)
    if found is None:
        stem = name.removesuffix("_data").removesuffix("_set")
        return f"{stem}_device_loader"
    before, plural, number, after = found.groups(default="")
    stem = f"{before}_" if before else ""
    return f"{stem}device_loader{plural}{number}{after}"
