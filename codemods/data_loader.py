"""Data loaders become device loaders.

`pl.MpDeviceLoader(loader, device)` moves the batches to the device ahead of the step that needs them, and executes the
graph of each step before it hands out the next batch: one graph a step, for training and for evaluation. So every loop
that trains, or that computes on the device without training, goes through one. Loops that only look at host data stay.

How a loader is wrapped follows from what else the script does with it. A device loader can be gone through again each
epoch and has a length, but it is no `DataLoader`, has no `.dataset`, `.sampler` or `.batch_size`, and `next(loader)` fails
(torch_xla 2.1 and 2.9 distributed/parallel_loader.py). So

- when nothing needs those, the name is bound again: `loader = pl.MpDeviceLoader(loader, device)`, right after the loader
  is made, and every loop over it is right, in the functions it is passed to as well;
- when something does, the loader keeps its name and the device loader gets its own, `train_device_loader`;
- what has no name of its own (`dataloaders[phase]`, `self.loader`, a call) is wrapped where it is gone through.

A loader that is wrapped twice gives no batches at all (torch_xla 2.9, without an error), so a loader that leaves the
function for code of another file is not bound again: whoever iterates wraps.

Moves of the batch that the device loader makes needless are removed: the line, or the call where it stands in a longer
expression. The batch is now on the device as a whole. What the script read of it on the host (`labels.numpy()`, the
lengths for `pack_padded_sequence`) gets a `.cpu()`.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.batches import Batches
from codemods.kit.codemod import Codemod
from codemods.kit.device_loaders import How, Wrap
from codemods.kit.edits import Edit
from codemods.kit.loops import BatchLoop
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

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
             document="torch_xla 2.1 distributed/parallel_loader.py: the graph is executed when the loader is asked for "
             "the next batch, which a cycle stops doing after the first pass"),
        Rule("TC209", "a device loader turns named tuples into lists", Safety.NOTE, Severity.ERROR,
             advice="unpack the batch or index it, or collate into a dict", document=_LOADER),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n"
            "from torch.utils.data import DataLoader\n"
            "\n"
            'device = torch.device("cuda")\n'
            "loader = DataLoader(dataset, batch_size=64, shuffle=True)\n"
            "for x, y in loader:\n"
            "    x, y = x.to(device), y.to(device)\n"
            "    optimizer.zero_grad()\n"
            "    criterion(model(x), y).backward()\n"
            "    optimizer.step()\n",
        ),
    )

    def rewrite(self) -> None:
        self._one_pass()
        for wrap in self.script.loaders.wraps:
            edit = self._wrap(wrap)
            if edit.allowed:
                for loop in wrap.loops:
                    self._batch(loop)
        for loop in self.script.loops.batch_loops:
            if self.script.loaders.wrapped(loop):
                self._say(loop)

    # --- wrapping -----------------------------------------------------------------------------------------------------

    def _wrap(self, wrap: Wrap) -> Edit:
        if wrap.how is How.INLINE:
            return self._wrap_in_place(wrap.sites[0])
        place, after = self._place(wrap)
        edit = self.edit("TC201", place, f"{wrap.loader} is gone through by way of a device loader")
        made = edit.say(Idiom.DEVICE_LOADER, loader=wrap.loader, device=edit.device(place))
        line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(wrap.name))], made)])
        (edit.after if after else edit.before)(place, [line])
        for site in wrap.sites:
            edit.replace(site, cst.Name(wrap.name))
        return edit

    def _wrap_in_place(self, site: cst.BaseExpression) -> Edit:
        edit = self.edit("TC201", site, "goes through a device loader")
        device = edit.device(site)
        edit.replace(site, lambda updated: edit.say(Idiom.DEVICE_LOADER, loader=updated, device=device))
        return edit

    def _place(self, wrap: Wrap) -> tuple[cst.CSTNode, bool]:
        """The statement the device loader is made beside, and whether it comes after it."""
        devices, tree = self.edits.devices, self.script.tree
        if wrap.bound is None:
            assert wrap.above is not None
            return wrap.above, False
        if devices.visible(wrap.bound) is None:
            for scope in {self.script.names.scope(wrap.bound)}:
                for bindings in scope.names.values():
                    for binding in bindings:
                        if self._follows(binding.node, wrap) and self.script.device_positions.holds(binding):
                            return binding.node, True
            if wrap.above is not None and devices.visible(wrap.above) is not None and not wrap.shared:
                return wrap.above, False
        return wrap.bound, True

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
        needless = batches.needless()
        removed: set[cst.CSTNode] = set()
        for call in needless:
            statement = self._only_moves(batches, call, set(needless))
            if statement in removed:
                continue
            edit = self.edit("TC202", call, "the batch is on the device already")
            if statement is not None:
                removed.add(statement)
                edit.replace(statement, lambda updated: None)
            else:
                self._strip(edit, batches, call, set(needless))
        for read in batches.host_reads():
            edit = self.edit("TC203", read, "the batch is on the device: read a copy on the host")
            edit.replace(read, _copied)

    def _only_moves(self, batches: Batches, call: cst.Call, needless: set[cst.Call]) -> cst.CSTNode | None:
        """The outermost statement around a move that does nothing else."""
        found: cst.CSTNode | None = None
        node: cst.CSTNode | None = self.script.tree.small_statement(call)
        while node is not None and node is not batches.loop.loop and batches.only_moves(node, needless):
            found = node
            node = self.script.tree.small_statement(self.script.tree.parent[node])
        return found

    def _strip(self, edit: Edit, batches: Batches, call: cst.Call, needless: set[cst.Call]) -> None:
        """Take a move out of an expression, with the comprehension or condition that was only there for it."""
        whole: cst.BaseExpression = call
        for outer in self.script.tree.ancestors(call):
            if not isinstance(outer, cst.BaseExpression | cst.Arg | cst.Element):
                break
            if isinstance(outer, cst.IfExp) and batches.without_moves(outer, needless) is not outer:
                whole = outer
        for outer in self.script.tree.ancestors(call):
            if isinstance(outer, cst.BaseExpression) and batches.whole(outer, needless) is not None:
                whole = outer
        if whole is call:
            edit.replace(call, _receiver)
        else:
            kept = batches.whole(whole, needless) or batches.without_moves(whole, needless)
            edit.replace(whole, kept)

    # --- notes --------------------------------------------------------------------------------------------------------

    def _say(self, loop: BatchLoop) -> None:
        for call in self.script.calls("itertools.cycle"):
            if call.args and any(self.script.tree.contains(call, feed) for feed in self.script.loaders.feeds(loop)):
                self.note("TC206", call, "after the first pass this hands out stored batches: all of them stay on the device "
                          "and no step is executed in between")  # fmt: skip

    def _one_pass(self) -> None:
        """`ParallelLoader(...).per_device_loader(device)` that an outer loop goes through again: empty the second time."""
        tree = self.script.tree
        for call in tree.all(cst.Call):
            func = call.func
            if not isinstance(func, cst.Attribute) or func.attr.value != "per_device_loader":
                continue
            made = func.value
            if not isinstance(made, cst.Call) or not (self.script.qualified(made.func) or "").endswith(".ParallelLoader"):
                continue
            assign = tree.parent.get(call)
            for loop in self.script.loops.batch_loops:
                again = loop.epochs is not None and not tree.contains(loop.epochs, call)
                feeds = self.script.loaders.feeds(loop) if again and isinstance(assign, cst.Assign) else []
                bound = {id(b.node) for feed in feeds for b in self.script.names.bindings(feed)}
                if id(assign) in bound and made.args and call.args:
                    edit = self.edit("TC204", call, "a ParallelLoader is empty after one pass: a device loader is not")
                    edit.replace(call, edit.say(Idiom.DEVICE_LOADER, loader=made.args[0].value, device=call.args[0].value))
                    break


def _receiver(updated: cst.BaseExpression) -> cst.BaseExpression:
    """`x` of `x.to(device)`."""
    if isinstance(updated, cst.Call) and isinstance(updated.func, cst.Attribute):
        return updated.func.value
    return updated


def _copied(updated: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Call(cst.Attribute(updated, cst.Name("cpu")))
