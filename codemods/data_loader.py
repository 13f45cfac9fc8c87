"""Data loaders become device loaders.

`pl.MpDeviceLoader(loader, device)` moves the batches to the device ahead of the step that needs them, and executes the
graph of each step before it hands out the next batch: one graph a step, for training and for evaluation. So every loop
that trains, or that computes on the device without training, goes through one. Loops that only look at host data stay.

How a loader is wrapped follows from what else the script does with it. A device loader can be gone through again each
epoch and has a length, but it is no `DataLoader`, has no `.dataset`, `.sampler` or `.batch_size`, and `next(loader)`
fails (torch_xla 2.1 and 2.9 distributed/parallel_loader.py). So

- when nothing needs those, the name is bound again: `loader = pl.MpDeviceLoader(loader, device)`, right after the
  loader is made, and every loop over it is right, in the functions it is passed to as well;
- when something does, the loader keeps its name and the device loader gets its own, `train_device_loader`;
- what has no name of its own (`dataloaders[phase]`, `self.loader`, a call) is wrapped where it is gone through.

A loader that is wrapped twice gives no batches at all (torch_xla 2.9, without an error), so a loader that leaves the
function for code of another file is not bound again: whoever iterates wraps.

Batches that it takes apart and does not put together again, such as dicts with tuples for keys, keep their loader and
their moves (`codemods/kit/taken_apart.py`). So do batches that are on the device before anything moves them, and those
of which the host reads a part element by element, as pictures are drawn from: on the device each is an execution.

Moves of the batch that the device loader makes needless are removed: the line, or the call where it stands in a longer
expression. The batch is now on the device as a whole. What the script read of it on the host (`labels.numpy()`, the
lengths for `pack_padded_sequence`) gets a `.cpu()`.
"""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from codemods.kit import build
from codemods.kit.accelerator import is_config
from codemods.kit.batches import Batches, named_tuples
from codemods.kit.codemod import Codemod
from codemods.kit.device_loaders import How, Wrap
from codemods.kit.edits import Edit
from codemods.kit.loops import BatchLoop
from codemods.kit.names import argument, dotted
from codemods.kit.needless_moves import NeedlessMoves
from codemods.kit.phrases import Idiom
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_LOADER = "torch_xla 2.1 distributed/parallel_loader.py MpDeviceLoader"


class DataLoader(Codemod):
    """Go through data loaders by way of device loaders."""

    STAGE = Stage.DATA
    RULES = (
        Rule("TC201", "a data loader is wrapped in pl.MpDeviceLoader", Safety.EXACT, document=_LOADER),
        Rule("TC202", "moves of a batch that is on the device already are removed", Safety.EXACT, document=_LOADER),
        Rule("TC203", "tensors of a batch that are read on the host get .cpu()", Safety.EXACT, document=_LOADER),
        Rule("TC204", "a one-pass ParallelLoader becomes pl.MpDeviceLoader", Safety.REVIEW,
             document="torch_xla 2.1 distributed/parallel_loader.py PerDeviceLoader"),
        Rule("TC206", "itertools.cycle keeps every batch on the device", Safety.NOTE, Severity.WARNING,
             advice="write a generator that goes through the loader again and again: `while True: yield from loader`",
             document="torch_xla 2.1 distributed/parallel_loader.py: the graph is executed when the loader is asked "
             "for the next batch, which a cycle stops doing after the first pass"),
        Rule("TC209", "a named tuple is made again of the list that a device loader turns it into", Safety.REVIEW,
             document=_LOADER),
        Rule("TC212", "a part of a batch is moved by itself, where others stay on the host", Safety.EXACT,
             document=_LOADER),
        Rule("TC211", "datasets and collate functions leave their samples on the host", Safety.EXACT,
             document="measured on torch_xla 2.1 and 2.9: a worker process that makes a tensor on the device hangs"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="""\
import torch
from torch.utils.data import DataLoader

device = torch.device("cuda")
loader = DataLoader(dataset, batch_size=64, shuffle=True)
for x, y in loader:
    x, y = x.to(device), y.to(device)
    optimizer.zero_grad()
    criterion(model(x), y).backward()
    optimizer.step()
""",
            smtc="""\
import torch
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl

device = torch.device("cuda")
loader = DataLoader(dataset, batch_size=64, shuffle=True)
loader = pl.MpDeviceLoader(loader, device)
for x, y in loader:
    optimizer.zero_grad()
    criterion(model(x), y).backward()
    optimizer.step()
""",
            xla="""\
import torch
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl

device = torch.device("cuda")
loader = DataLoader(dataset, batch_size=64, shuffle=True)
loader = pl.MpDeviceLoader(loader, device)
for x, y in loader:
    optimizer.zero_grad()
    criterion(model(x), y).backward()
    optimizer.step()
""",
        ),
        Example(
            before="""\
import torch


def train(model, train_loader, optimizer, device):
    model.train()
    for data, target in train_loader:
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        torch.nn.functional.nll_loss(model(data), target).backward()
        optimizer.step()
    print(len(train_loader.dataset))
""",
            smtc="""\
import torch
import torch_xla.distributed.parallel_loader as pl


def train(model, train_loader, optimizer, device):
    model.train()
    train_device_loader = pl.MpDeviceLoader(train_loader, device)
    for data, target in train_device_loader:
        optimizer.zero_grad()
        torch.nn.functional.nll_loss(model(data), target).backward()
        optimizer.step()
    print(len(train_loader.dataset))
""",
            xla="""\
import torch
import torch_xla.distributed.parallel_loader as pl


def train(model, train_loader, optimizer, device):
    model.train()
    train_device_loader = pl.MpDeviceLoader(train_loader, device)
    for data, target in train_device_loader:
        optimizer.zero_grad()
        torch.nn.functional.nll_loss(model(data), target).backward()
        optimizer.step()
    print(len(train_loader.dataset))
""",
        ),
    )

    def rewrite(self) -> None:
        self._one_pass()
        wrapped: set[BatchLoop] = set()
        for wrap in self.script.loaders.wraps:
            edit = self._wrap(wrap)
            if edit.allowed:
                for loop in wrap.loops:
                    if loop not in wrapped:  # two loaders may reach one loop
                        self._batch(loop)
                wrapped.update(wrap.loops)
        self._workers(wrapped)
        for loop in self.script.loaders.by_hand:
            self._scattered(loop)
        for loop in self.script.loops.batch_loops:
            if self.script.loaders.wrapped(loop):
                self._say(loop)

    # --- wrapping -----------------------------------------------------------------------------------------------------

    def _wrap(self, wrap: Wrap) -> Edit:
        if wrap.how is How.INLINE:
            return self._wrap_in_place(wrap)
        place, after, device = self._place(wrap)
        device = device or self._configured(wrap.loops, place)
        edit = self.edit("TC201", place, f"{wrap.loader} is gone through by way of a device loader")
        made = edit.say(Idiom.DEVICE_LOADER, loader=wrap.loader, device=device or edit.device(place))
        made = self._or_itself(wrap, made, cst.Name(wrap.loader))
        line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(wrap.name))], made)])
        (edit.after if after else edit.before)(place, [line])
        for site in wrap.sites:
            edit.replace(site, cst.Name(wrap.name))
        return edit

    def _wrap_in_place(self, wrap: Wrap) -> Edit:
        site = wrap.sites[0]
        edit = self.edit("TC201", site, "goes through a device loader")
        device = self._configured(wrap.loops, site) or edit.device(site)
        tree = self.script.tree
        room, indent = tree.room(site), tree.line_indent(site) + tree.indent

        def wrapped(updated: cst.BaseExpression) -> cst.BaseExpression:
            made = edit.say(Idiom.DEVICE_LOADER, loader=updated, device=device)
            made = self._or_itself(wrap, made, updated)
            return build.fitted(made, room, indent) if isinstance(made, cst.Call) else made

        edit.replace(site, wrapped, Stage.PRECISION)  # below what else happens to a loader made here: its sampler
        return edit

    def _or_itself(self, wrap: Wrap, made: cst.BaseExpression, loader: cst.BaseExpression) -> cst.BaseExpression:
        """The device loader where an option, or the device itself, has the model on the accelerator; else the loader:
        there is no device loader for the host."""
        option = wrap.option
        if not option and isinstance(made, cst.Call) and wrap.may_be_host:
            own = wrap.may_be_host.startswith("self.")  # seen in each method, also where another file binds it
            device = wrap.may_be_host if own else build.code_of(made.args[1].value)
            option = f"{device}.type == {self.quoted('xla')}"
        if not option:
            return made
        return build.expression("{made} if {option} else {loader}", made=made, option=option, loader=loader)

    def _configured(self, loops: list[BatchLoop], place: cst.CSTNode) -> str:
        """`args.device` where the loops move to that, and nothing at this place holds the device by itself."""
        tree = self.script.tree
        if self.edits.devices.visible(place) is not None:
            return ""
        for call in self.script.loaders.moves:
            target = argument(call, 0, "device")
            if target is None or not is_config(target.value) or tree.function(call) is not tree.function(place):
                continue
            if any(tree.contains(loop.loop.body, call) for loop in loops):
                return dotted(target.value) or ""
        return ""

    def _place(self, wrap: Wrap) -> tuple[cst.CSTNode, bool, str]:
        """The statement the device loader is made beside, whether it comes after it, and the device if that needs one
        that is bound between the loader and its first use."""
        devices = self.edits.devices
        if wrap.bound is None:
            assert wrap.above is not None
            return wrap.above, False, ""
        if devices.visible(wrap.bound) is None:
            for name, bindings in self.script.names.scope(wrap.bound).names.items():
                for binding in bindings:
                    follows = self._follows(binding.node, wrap) and self._may_be_at(binding.node, wrap)
                    if follows and self.script.device_positions.holds(binding):
                        return binding.node, True, name
            if wrap.above is not None and devices.visible(wrap.above) is not None and not wrap.shared:
                if self._may_be_at(wrap.above, wrap):
                    return wrap.above, False, ""
        return wrap.bound, True, ""

    def _may_be_at(self, node: cst.CSTNode, wrap: Wrap) -> bool:
        """A cell of a notebook that is run again must not wrap again what another cell has made."""
        assert wrap.bound is not None
        return wrap.how is not How.REBIND or self.script.cells.together(node, wrap.bound)

    def _follows(self, node: cst.CSTNode, wrap: Wrap) -> bool:
        """Whether a statement stands between the binding of the loader and its first use, in the same block."""
        tree = self.script.tree
        assert wrap.bound is not None
        own, other = tree.statement(wrap.bound), tree.statement(node)
        if own is None or other is None or tree.parent.get(own) is not tree.parent.get(other):
            return False
        return tree.before(own, other) and (wrap.first is None or tree.before(other, wrap.first))

    # --- batches ------------------------------------------------------------------------------------------------------

    def _batch(self, loop: BatchLoop) -> None:
        batches = Batches(self.script, loop)
        moves = NeedlessMoves(self.script, batches)
        gone: dict[cst.CSTNode, Edit] = {}
        for call in moves.calls:
            statement = moves.statement(call)
            whole = moves.expression(call)
            edit = gone.get(statement or whole)
            if edit is None:
                edit = gone[statement or whole] = self.edit("TC202", call, "the batch is on the device already")
                if statement is None and whole is call:
                    edit.replace(call, _receiver)
                elif statement is None:
                    edit.replace(whole, moves.left_of(whole))
            for inner in moves.statements(call):  # an `if` around it may be dissolved, and its body stay
                edit.remove(inner)
        for read in batches.host_reads():
            edit = self.edit("TC203", read, "the batch is on the device: read a copy on the host")
            edit.replace(read, _copied)
        self._name_fields(batches)

    def _scattered(self, loop: BatchLoop) -> None:
        """What `DataParallel` moved of a batch, where no device loader does."""
        script = self.script
        receivers = (call.func.value for call in script.loaders.moves if isinstance(call.func, cst.Attribute))
        moved = set(map(build.code_of, receivers))
        for call in script.tree.inside(loop.loop.body, cst.Call):
            given = [arg.value for arg in call.args if isinstance(arg.value, cst.Name) and arg.value.value not in moved]
            if not given or script.qualified(call.func) or not script.is_a(call.func, Role.MODEL):
                continue
            for name in given:
                bound = script.names.bindings(name)
                if bound and all(one.node is loop.loop for one in bound):
                    edit = self.edit("TC212", name, f"{name.value} is moved: no DataParallel does it any more")
                    edit.replace(name, build.expression("{name}.to({device})", name=name, device=edit.device(name)))

    def _name_fields(self, batches: Batches) -> None:
        """`batch.images`, where a class of named tuples has that field: a device loader hands out plain lists."""
        used = batches.fields_read()
        for name, fields in used.items():
            makers = [maker for maker, known in self._named.items() if fields <= known]
            first = batches.loop.loop.body.body[0]
            if len(makers) == 1:
                edit = self.edit("TC209", first, f"the batch is a {makers[0]} again")
                edit.before(first, f"{name} = {makers[0]}(*{name})")

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        return named_tuples(self.script)

    def _workers(self, wrapped: set[BatchLoop]) -> None:
        """Samples that are moved where they are made: now the device loader moves them."""
        done: set[cst.Call] = set()
        for loader in self.script.loaders.built if wrapped else ():
            if not loader.loops or not wrapped.issuperset(loader.loops):
                continue
            for call in self.script.loaders.worker_moves(loader):
                if call in done or not isinstance(call.func, cst.Attribute):
                    continue
                done.add(call)
                edit = self.edit("TC211", call, "the device loader moves the batch")
                assign = self.script.tree.parent.get(call)
                if isinstance(assign, cst.Assign) and assign.targets[0].target.deep_equals(call.func.value):
                    edit.remove(assign)
                else:
                    edit.replace(call, _receiver)

    # --- notes --------------------------------------------------------------------------------------------------------

    def _say(self, loop: BatchLoop) -> None:
        for call in self.script.calls("itertools.cycle"):
            if call.args and any(self.script.tree.contains(call, feed) for feed in self.script.loaders.feeds(loop)):
                message = "after one pass this hands out stored batches: they stay on the device, no step is executed"
                self.note("TC206", call, message)

    def _one_pass(self) -> None:
        """`ParallelLoader(...).per_device_loader(device)` that an outer loop goes through again, when it is empty."""
        tree = self.script.tree
        for call in tree.all(cst.Call):
            func = call.func
            if not isinstance(func, cst.Attribute) or func.attr.value != "per_device_loader":
                continue
            made = func.value
            name = self.script.qualified(made.func) if isinstance(made, cst.Call) else None
            if not isinstance(made, cst.Call) or not (name or "").endswith(".ParallelLoader"):
                continue
            loop = self._repeated(call)
            if loop is not None and made.args and call.args:
                edit = self.edit("TC204", call, "a ParallelLoader is empty after one pass: a device loader is not")
                device = call.args[0].value
                edit.replace(call, edit.say(Idiom.DEVICE_LOADER, loader=made.args[0].value, device=device))

    def _repeated(self, call: cst.Call) -> BatchLoop | None:
        """The loop that an outer loop has go through the same loader again."""
        assign = self.script.tree.parent.get(call)
        for loop in self.script.loops.batch_loops:
            if loop.epochs is None or loop.iterable is None or self.script.tree.contains(loop.epochs, call):
                continue
            for node in walk(loop.iterable):
                if isinstance(node, cst.Name) and any(b.node is assign for b in self.script.names.bindings(node)):
                    return loop
        return None


def _receiver(updated: cst.BaseExpression) -> cst.BaseExpression:
    """`x` of `x.to(device)`."""
    if isinstance(updated, cst.Call) and isinstance(updated.func, cst.Attribute):
        return updated.func.value
    return updated


def _copied(updated: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Call(cst.Attribute(updated, cst.Name("cpu")))
