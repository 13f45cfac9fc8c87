"""The plan of the device loaders: for each loop over batches that computes on the device, where its loader is wrapped.

A `DataLoader` is wrapped once, and in one of three ways:

REBIND  `loader = pl.MpDeviceLoader(loader, device)` after the loader is bound (or, for a parameter, above the loop):
        every loop over the name is right. Only when nothing that sees the name wants what a device loader has not
        (`.dataset`, `.sampler`, `next(loader)`), which has to be known for every function it is passed to.
NAMED   `device_loader = pl.MpDeviceLoader(loader, device)`: the loops go through the new name, the rest keeps it.
INLINE  `for batch in pl.MpDeviceLoader(self.loader, device):` when there is no plain name to bind.

The convention that keeps two files from wrapping twice: a loader that leaves the function for code that is not in this
file is not rebound; who iterates wraps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.feeds import Feeds
from codemods.kit.host_options import host_option, may_be_host
from codemods.kit.loader_uses import Cell, LoaderUses
from codemods.kit.loops import BatchLoop
from codemods.kit.names import Binding
from codemods.kit.roles import Role

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

    option: str = ""
    """The condition under which it is one: the model stays on the host without it."""
    may_be_host: str = ""
    """What the batches move to, where that may be the host."""

    @property
    def place(self) -> cst.CSTNode:
        """The statement it is made beside, or the expression it is made in."""
        return self.bound or self.above or self.sites[0]


class Plan:
    """Wraps for the loops that compute on the device."""

    def __init__(self, script: Script, feeds: Feeds, loops: Sequence[BatchLoop]) -> None:
        self.script = script
        self.feeds = feeds
        self.wraps: list[Wrap] = []
        self.loops: set[BatchLoop] = set()
        self._over: dict[cst.BaseExpression, list[BatchLoop]] = {}
        for loop in loops:
            leaves = feeds.of(loop)
            if leaves and not any(map(feeds.is_device_loader, leaves)) and not self._is_fed_generator(loop):
                self.loops.add(loop)
                for leaf in leaves:
                    self._over.setdefault(leaf, []).append(loop)
        self._uses = LoaderUses(script, self._over)
        if self._over:
            self._decide()

    def _is_fed_generator(self, loop: BatchLoop) -> bool:
        """A loop of a generator over its parameter: who calls the generator passes it the device loader."""
        tree, function = self.script.tree, loop.function
        if function is None or not any(tree.function(found) is function for found in tree.all(cst.Yield)):
            return False
        return any(b.kind == "parameter" for leaf in self.feeds.of(loop) for b in self.script.names.bindings(leaf))

    def _decide(self) -> None:
        self._uses.read([leaf for leaf in self._over if isinstance(leaf, cst.Name)])
        done: set[Cell] = set()
        for cell in self._uses.cells:
            if cell not in done and (group := self._shared(cell)):
                done |= group
                for root in group:
                    if not root.is_parameter:
                        loops = [loop for one in group for site in one.sites for loop in self._over[site]]
                        self._add(How.REBIND, root, loops)
        for cell in self._uses.cells:
            if cell.sites and cell not in done:
                self._alone(cell)
        named = {site for cell in self._uses.cells for site in cell.sites}
        for leaf, loops in self._over.items():
            if leaf not in named:
                self.wraps.append(Wrap(How.INLINE, "", "", [leaf], loops))
        self._follow_options()
        order = self.script.tree.order
        self.wraps.sort(key=lambda wrap: (order[wrap.place], order[wrap.first or wrap.place]))

    def _follow_options(self) -> None:
        """Batches go to the device under the option by which the model does; their moves stay where it cannot be
        written."""
        for wrap in list(self.wraps):
            option = host_option(self.script, wrap.loops, wrap.place)
            if option is None:
                self.wraps.remove(wrap)
                self.loops.difference_update(wrap.loops)
            else:
                wrap.option, wrap.may_be_host = option, may_be_host(self.script, wrap.loops)

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
            queue += [outer for outer in self._uses.cells if any(inner is cell for _, inner in outer.passed)]
        fits = all(not cell.keeps and (cell.is_parameter or self._binder(cell) is not None) for cell in group)
        bound = any(not cell.is_parameter for cell in group)  # `trainer.train(loader)` names no function that is known
        return group if fits and bound and any(cell.sites for cell in group) else None

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
                if not isinstance(node, cst.If | cst.Try | cst.With) or any(tree.contains(node, u) for u in cell.uses):
                    return None
                return tree.statement(node)
        return None

    def _is_unknown(self, binding: Binding) -> bool:
        """A binding that may already move batches itself: `loader = fabric.setup_dataloaders(loader)`."""
        if any(value.role is Role.LOADER for value in self.script.roles.values(binding.value, binding.path)):
            return False
        func = binding.value.func if isinstance(binding.value, cst.Call) else None
        return func is None or (isinstance(func, cst.Attribute) and func.attr.value.startswith(("prepare", "setup")))

    def _alone(self, cell: Cell) -> None:
        """Wrap a name for the uses in its own scope."""
        loops = [loop for site in cell.sites for loop in self._over[site]]
        own = [site for site in cell.sites if self._owner(site) is cell.scope.node]
        here = len(own) == len(cell.sites)
        binder = self._binder(cell)
        if cell.is_parameter and here and len(cell.bindings) == 1:
            self._add(How.NAMED if self._keeps_own(cell) else How.REBIND, cell, loops)
        elif (
            binder is not None
            and not cell.is_parameter
            and (here or cell.scope is self.script.names.module)
            and all(self.script.tree.before(binder, site) for site in own)
        ):
            self._add(How.NAMED, cell, loops)
        elif here and all(binding.kind == "import" for binding in cell.bindings):
            self._add(How.NAMED, cell, loops)  # made in another file: named here, once for all epochs
        else:
            self._inline(cell)

    def _keeps_own(self, cell: Cell) -> bool:
        """Whether the function itself wants the loader it was passed, besides looping over it."""
        reads = self._uses.reads(cell)
        return cell.told or any(node not in cell.sites and not self._uses.is_neutral(node) for node in reads)

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
        wrap.first = min(cell.uses, key=self.script.tree.order.__getitem__, default=None)
        wrap.shared = bool(cell.passed) and how is How.REBIND
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
