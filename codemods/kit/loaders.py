"""Data loaders: where they are built and with what, which loops go through them, and which of those loops get their
batches from a device loader once the script is migrated.

The plan of the device loaders is a fact of the source alone (`Wrap`): it depends on no target and on no edit, so that
every codemod can ask `wrapped(loop)` and get the same answer, whichever codemods run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.accelerator import XLA_DEVICES, is_config
from codemods.kit.device_loaders import Plan, Wrap
from codemods.kit.feeds import Feeds
from codemods.kit.graph_batches import holds_graphs
from codemods.kit.loops import BatchLoop, Loop
from codemods.kit.names import argument
from codemods.kit.roles import DEVICE_LOADERS, Role
from codemods.kit.taken_apart import loses_its_batches

if TYPE_CHECKING:
    from codemods.kit.script import Script

DATA_LOADERS = ("torch.utils.data.DataLoader", "torch_geometric.loader.DataLoader", "torchdata.StatefulDataLoader")
_POSITIONS = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory",
              "drop_last")  # fmt: skip


@dataclass(eq=False)
class Loader:
    """One place where a data loader is built."""

    call: cst.Call
    loops: tuple[BatchLoop, ...]
    """The loops that go through it."""
    iterable: bool
    """Whether its dataset is an `IterableDataset`, which takes no sampler."""

    @property
    def trains(self) -> bool:
        """Whether a loop that trains goes through it."""
        return any(loop.trains for loop in self.loops)

    @property
    def evaluates(self) -> bool:
        """Whether a loop that does not train goes through it."""
        return any(not loop.trains for loop in self.loops)

    @property
    def dataset(self) -> cst.BaseExpression | None:
        return self.value("dataset")

    @property
    def opaque(self) -> bool:
        """Whether arguments are hidden in `*args` or `**kwargs`."""
        return any(arg.star for arg in self.call.args)

    def argument(self, keyword: str) -> cst.Arg | None:
        """An argument of the constructor by its keyword, however it was passed; None when absent or hidden."""
        position = _POSITIONS.index(keyword) if keyword in _POSITIONS else None
        return argument(self.call, position, keyword)

    def value(self, keyword: str) -> cst.BaseExpression | None:
        """The value of an argument; None when absent, hidden, or the literal `None`."""
        found = self.argument(keyword)
        if found is None or (isinstance(found.value, cst.Name) and found.value.value == "None"):
            return None
        return found.value

    def constant(self, keyword: str) -> bool | None:
        """`True` or `False` when the argument is that literal, else None."""
        found = self.value(keyword)
        if isinstance(found, cst.Name) and found.value in ("True", "False"):
            return found.value == "True"
        return None


class Loaders:
    """The data loaders of a script, and the plan of its device loaders."""

    def __init__(self, script: Script) -> None:
        self.script = script

    @cached_property
    def built(self) -> list[Loader]:
        """Every place where a data loader is built, in source order."""
        loops: dict[cst.CSTNode, list[BatchLoop]] = {}
        for loop in self.script.loops.batch_loops:
            for feed in self.feeds(loop):
                for value in self.script.roles.values(feed):
                    if value.role in (Role.LOADER, Role.ITERATOR) and loop not in loops.setdefault(value.origin, []):
                        loops[value.origin].append(loop)
        calls = [call for call in self.script.tree.all(cst.Call) if self._builds(call)]
        return [Loader(call, tuple(loops.get(call, ())), self._is_iterable(call)) for call in calls]

    def _builds(self, call: cst.Call) -> bool:
        if not isinstance(call.func, cst.Name | cst.Attribute):
            return False
        return self.script.qualified(call.func) in DATA_LOADERS

    def _is_iterable(self, call: cst.Call) -> bool:
        found = argument(call, 0, "dataset")
        names = self.script.names
        for value in self.script.roles.values(found.value) if found else ():
            if not isinstance(value.origin, cst.Call):
                continue
            class_ = names.local_class(value.origin.func)
            bases = [names.qualified(base.value) for base in class_.bases] if class_ else []
            if "torch.utils.data.IterableDataset" in bases:
                return True
        return False

    def seen_training(self, loader: Loader) -> bool:
        """Whether a backward went through its batches when the program was executed abstractly, however passed."""
        meaning = self.script.links.meaning
        key = self.script.roles.key(loader.call)
        return meaning is not None and key in meaning.trained

    def worker_moves(self, loader: Loader) -> list[cst.Call]:
        """Moves to the accelerator in what the workers of a loader run: its dataset, its `collate_fn`."""
        names, roles = self.script.names, self.script.roles
        functions: set[cst.FunctionDef | None] = set()
        collate, dataset = loader.value("collate_fn"), loader.dataset
        if collate is not None:
            functions.add(names.local_function(collate))
            classes = [value.origin for value in roles.values(collate) if isinstance(value.origin, cst.ClassDef)]
            functions |= {names.method(class_, "__call__") for class_ in classes}
        for value in roles.values(dataset) if dataset is not None else ():
            class_ = names.local_class(value.origin.func) if isinstance(value.origin, cst.Call) else None
            if class_ is not None:
                functions |= {names.method(class_, method) for method in ("__getitem__", "__getitems__", "__iter__")}
        return [call for call in self.moves if self.script.tree.function(call) in functions - {None}]

    # --- the plan of the device loaders -----------------------------------------------------------------------------

    @cached_property
    def plan(self) -> Plan:
        """Where the loaders of the loops that compute on the device are wrapped."""
        loops = [loop for loop in self.script.loops.batch_loops if self.on_device(loop) and loop not in self.disputed]
        plain = [loop for loop in loops if not holds_graphs(self.script, loop, self.feeds(loop))]
        return Plan(self.script, self.source, [loop for loop in plain if loop not in self.by_hand])

    @cached_property
    def by_hand(self) -> list[BatchLoop]:
        """Loops on the device whose batches no device loader would hand out as they are wanted: they move them."""
        loops = [loop for loop in self.script.loops.batch_loops if self.on_device(loop)]
        return [loop for loop in loops if loses_its_batches(self.script, loop, self.feeds(loop))]

    @cached_property
    def disputed(self) -> list[BatchLoop]:
        """Loops whose batches go to a device that is the accelerator for some callers only: a device loader would fail
        for the others, and the moves serve both."""
        disputes = self.script.links.disputes
        functions = {function for (function, _), found in disputes.items() if found.role is Role.DEVICE}
        classes = {name.rpartition(".")[0] for name in functions if name.endswith(".__init__")}
        return [loop for loop in self.script.loops.batch_loops if functions and self._is_in(loop, functions, classes)]

    def _is_in(self, loop: BatchLoop, functions: set[str], classes: set[str]) -> bool:
        if loop.function is None:
            return False
        name = self.script.tree.qualname(loop.function)
        return name in functions or name.rpartition(".")[0] in classes

    @property
    def wraps(self) -> list[Wrap]:
        """The device loaders the migrated script makes, in source order of their first use."""
        return self.plan.wraps

    def wrapped(self, loop: BatchLoop) -> bool:
        """Whether the migrated loop gets its batches from a device loader: already in the source, or by the plan."""
        return self.fed(loop) or loop in self.plan.loops

    def may_stay(self, loop: BatchLoop) -> bool:
        """Whether an option may leave the batches of a loop on the host: no device loader executes its graph then."""
        if any(loop in wrap.loops and (wrap.option or wrap.may_be_host) for wrap in self.wraps):
            return True
        made = self.script.calls(*DEVICE_LOADERS) if self.wrapped(loop) else ()  # an earlier run wrote it
        return any(isinstance(self.script.tree.parent.get(call), cst.IfExp) for call in made)

    def fed(self, loop: BatchLoop) -> bool:
        """Whether the loop of the source already gets its batches from a device loader."""
        return loop.on_device_loader or any(map(self.source.is_device_loader, self.feeds(loop)))

    def feeds(self, loop: BatchLoop) -> list[cst.BaseExpression]:
        """The expressions of the loaders a loop goes through: `loader` of `for b in enumerate(tqdm(loader))`, or of the
        `iter(loader)` whose `next()` its body calls."""
        return self.source.of(loop)

    @cached_property
    def source(self) -> Feeds:
        """Which expressions the batches of a loop come from."""
        return Feeds(self.script)

    # --- which loops compute on the device ----------------------------------------------------------------------------

    def on_device(self, loop: BatchLoop) -> bool:
        """Whether the batches of a loop are computed with on the accelerator: it trains, moves them there or runs the
        model. A loop that already executes its graph itself (`xm.mark_step()`) was migrated by hand in another form.

        A loop that moves nothing, over a loader that is made elsewhere, may get its batches on the device.
        """
        if not self.accelerated or (loop.marks and not self.fed(loop)) or self._is_prefetched(loop):
            return False
        loader = loop.loader
        if loader is not None and isinstance(loader.origin, cst.Call) and loader.of != "unknown":
            return loop.trains or loop.loop in self._moving_loops or loop.loop in self._running_loops
        return loop.loop in self._moving_loops

    def _is_prefetched(self, loop: BatchLoop) -> bool:
        """Whether the loader may be an object of another file that puts its batches on the device itself: a second
        device loader around it would run it beside the training, in a thread of its own."""
        values = (value for feed in self.feeds(loop) for value in self.script.roles.values(feed))
        return any(value.of.rpartition(":")[2] in self.script.links.prefetching for value in values)

    def runs_elsewhere(self, loop: BatchLoop) -> bool:
        """Whether a loop runs a model over a loader of another file, on a device that only the callers know:
        `next(model.parameters()).device`. It gets no device loader, and a mark does no harm on any device."""
        loader = loop.loader
        known = loader is not None and loader.of in (*DATA_LOADERS, *DEVICE_LOADERS)
        return self.accelerated and known and not loop.marks and loop.loop in self._running_loops

    @cached_property
    def accelerated(self) -> bool:
        """Whether the script computes on an accelerator that it handles itself."""
        names = self.script.names
        if names.calls("accelerate.Accelerator") or not self.script.loops.batch_loops:
            return False
        if self.moves or self._handed_moves or names.calls(*XLA_DEVICES):
            return True
        return any(True for library in ("torch.cuda", "torch.accelerator") for _ in names.uses(library))

    @cached_property
    def moves(self) -> list[cst.Call]:
        """Calls that move something to the accelerator: `x.cuda(...)`, `x.to(device)`."""
        positions = self.script.device_positions
        found: list[cst.Call] = []
        for call in self.script.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and self.script.qualified(call.func) is None:
                if call.func.attr.value == "cuda":
                    found.append(call)
                elif call.func.attr.value == "to" and (target := argument(call, 0, "device")) is not None:
                    value = target.value
                    if self.script.accelerator.means(value) or positions.is_index(value) or is_config(value):
                        found.append(call)
        return found

    @cached_property
    def _handed_moves(self) -> list[cst.Call]:
        """Calls of functions in other files that move what they are given: `to_device(batch, device)`."""
        calls = self.script.tree.calls_numbered(self.script.links.moves)
        other = self.script.accelerator.is_other
        return [call for call in calls if not any(other(arg.value) for arg in call.args)]

    @cached_property
    def moving(self) -> frozenset[cst.Call]:
        """`moves`, to look up."""
        return frozenset(self.moves)

    @cached_property
    def _moving_loops(self) -> set[Loop]:
        return self._loops_around([*self.moves, *self._handed_moves])

    @cached_property
    def _running_loops(self) -> set[Loop]:
        script = self.script
        calls = [call for call in script.tree.all(cst.Call) if isinstance(call.func, cst.Name | cst.Attribute)]
        runs = [call for call in calls if not script.qualified(call.func) and script.is_a(call.func, Role.MODEL)]
        return self._loops_around(runs)

    def _loops_around(self, calls: list[cst.Call]) -> set[Loop]:
        """Loops whose body, or a function of the script it calls, makes one of these calls."""
        tree = self.script.tree
        loops: set[Loop] = set()
        functions: set[cst.FunctionDef] = set()
        for call in calls:
            self._note_loops(call, loops)
            function = tree.function(call)
            if function is not None and tree.loop(call) is None:
                functions.add(function)
        for function in functions:
            for call in self.script.roles.call_sites(function):
                self._note_loops(call, loops)
        return loops

    def _note_loops(self, node: cst.CSTNode, loops: set[Loop]) -> None:
        loop = self.script.tree.loop(node)
        while loop is not None:
            loops.add(loop)
            loop = self.script.tree.loop(loop)
