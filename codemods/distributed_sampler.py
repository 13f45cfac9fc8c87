"""Distributed samplers: which process trains on which samples.

`DistributedSampler(dataset)` asks the default process group how many processes there are. The migrated script has
none, so the sampler is told: `num_replicas` and `rank` of the XLA runtime. Arguments the script passes itself stay,
unless they say how many processes a configuration asks for (`opt["world_size"]`, `len(gpu_ids)`): a launcher starts as
many as there are devices, and shares cut for another number leave data out.

A script that used `DataParallel` was one process that split each batch over the GPUs. It becomes one process a
device, so the data has to be split between them to keep the training: the training loader gets a `DistributedSampler`
in the place of its shuffling, the batch size, which was for all GPUs together, is divided by the number of processes,
and the epoch loop tells the sampler the epoch. A step then still averages over the same number of samples. A person
should read it: the order of the samples is another one, and a batch size that does not divide is rounded down.
Where the loop is in another function or file than the loader, it tells `loader.sampler` by its own name of the loader.
Where nothing counts the epochs, as in `while True:`, the sampler counts itself.

A script that started several processes already but gave its training loader no sampler went through the whole data
set in each of them. That may be meant (the data is split elsewhere) or not; it stays so, and a note says it.
Evaluation loaders stay as they are: every process evaluates on all of it, with the same result."""

from __future__ import annotations

import re

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.entry import read_entry
from codemods.kit.environment import Quantity
from codemods.kit.epochs import epoch_loops, epochs_around, is_repeated, tellings
from codemods.kit.guards import is_rank, last_name
from codemods.kit.launch import Launch
from codemods.kit.loaders import Loader
from codemods.kit.loops import BatchLoop, Loop
from codemods.kit.meaning.epochs import Telling
from codemods.kit.names import Binding, argument
from codemods.kit.phrases import TORCH, Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.steps import exclusive

_SAMPLERS = ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler")
_COUNTS = re.compile(r"world_?size|num_replicas|n_?procs|(?:num|n)_?(?:gpu|device)s?|^gpus$|^n?nodes$", re.IGNORECASE)
_LISTS = re.compile(r"gpu|device", re.IGNORECASE)
_DEEPEST = 3
_DOCUMENT = "torch 2.1 utils/data/distributed.py DistributedSampler"


class DistributedSampler(Codemod):
    """Split the data between the processes."""

    STAGE = Stage.DATA
    RULES = (
        Rule("TC220", "DistributedSampler is told the number of processes and its rank", Safety.EXACT,
             document=_DOCUMENT),
        Rule("TC221", "a loader that fed all GPUs at once feeds its process's share", Safety.REVIEW,
             document=_DOCUMENT),
        Rule("TC222", "the epoch loop tells the sampler the epoch", Safety.REVIEW, document=_DOCUMENT),
        Rule("TC223", "the training data is not split between the processes", Safety.NOTE, Severity.WARNING,
             advice="pass sampler=DistributedSampler(...) if the data is not split elsewhere", document=_DOCUMENT),
        Rule("TC224", "what fed all GPUs at once now feeds each process in full", Safety.NOTE, Severity.ERROR,
             advice="split the data by rank and divide the batch size by the number of processes", document=_DOCUMENT),
        Rule("TC225", "a sampler of the script's own asks the process group", Safety.NOTE, Severity.ERROR,
             advice="pass it the number of processes and the rank", document=_DOCUMENT),
        Rule("TC227", "the sampler is not told the epoch", Safety.NOTE, Severity.WARNING,
             advice="call sampler.set_epoch(epoch) at the head of each epoch: without it all have the same order",
             document=_DOCUMENT),
        Rule("TC226", "every process evaluates on the whole data", Safety.NOTE, Severity.INFO,
             advice="nothing is wrong; to share the work, give the loader a DistributedSampler and reduce the metric"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="""\
import torch.distributed as dist
from torch.utils.data.distributed import DistributedSampler

dist.init_process_group("nccl")
sampler = DistributedSampler(dataset)
""",
            smtc="""\
import torch.distributed as dist
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm

dist.init_process_group("nccl")
sampler = DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
""",
            xla="""\
import torch.distributed as dist
from torch.utils.data.distributed import DistributedSampler
import torch_xla.runtime as xr

dist.init_process_group("nccl")
sampler = DistributedSampler(dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal())
""",
        ),
        Example(
            before="""\
import torch
from torch.utils.data import DataLoader

model = torch.nn.DataParallel(model).cuda()
train_loader = DataLoader(train_set, batch_size=256, shuffle=True)
for epoch in range(90):
    for x, y in train_loader:
        criterion(model(x), y.cuda()).backward()
""",
            smtc="""\
import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm

model = torch.nn.DataParallel(model).cuda()
train_sampler = torch.utils.data.distributed.DistributedSampler(
    train_set, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
)
train_loader = DataLoader(train_set, batch_size=256 // xm.xrt_world_size(), sampler=train_sampler)
for epoch in range(90):
    train_sampler.set_epoch(epoch)
    for x, y in train_loader:
        criterion(model(x), y.cuda()).backward()
""",
            xla="""\
import torch
from torch.utils.data import DataLoader
import torch_xla.runtime as xr

model = torch.nn.DataParallel(model).cuda()
train_sampler = torch.utils.data.distributed.DistributedSampler(
    train_set, num_replicas=xr.world_size(), rank=xr.global_ordinal()
)
train_loader = DataLoader(train_set, batch_size=256 // xr.world_size(), sampler=train_sampler)
for epoch in range(90):
    train_sampler.set_epoch(epoch)
    for x, y in train_loader:
        criterion(model(x), y.cuda()).backward()
""",
        ),
    )

    def rewrite(self) -> None:
        for call in self.script.calls(*_SAMPLERS):
            self._tell(call)
        self._own_samplers()
        if not self.script.distributed:
            return
        links = self.script.links
        self._told: set[tuple[Loop, str]] = set()
        self._given: dict[str, list[cst.Call]] = {}
        for loader in self.script.loaders.built:
            self._epochs(loader)
            seen = self.script.loaders.seen_training(loader) and not self._holds_training(loader)
            elsewhere = seen or self.script.tree.order[loader.call] in links.trained
            if loader.trains or elsewhere:
                self._split(loader)
            elif loader.evaluates and self.script.data_parallel and not self._holds_training(loader):
                self.note("TC226", loader.call, "each process evaluates on all of this data")
            elif self.script.data_parallel and not loader.evaluates and self._is_drawn_from(loader):
                self.note("TC224", loader.call, "each process draws from all of the data, as the one for all GPUs did")
        for telling in tellings(self.script):
            self._tell_elsewhere(telling)
        for loop in self.script.loops.train_loops() if self.script.data_parallel else ():
            if loop.loader is None and loop.steps and self._goes_through_data(loop):
                self.note("TC224", loop.loop, "its batches fed all GPUs: each process now trains on all of them")

    def _holds_training(self, loader: Loader) -> bool:
        """Whether a loop that trains on what a batch holds stands in one of its loops."""
        inner = [loop.loop for loop in self.script.loops.train_loops()]
        return any(self.script.tree.contains(loop.loop.body, each) for loop in loader.loops for each in inner)

    def _goes_through_data(self, loop: BatchLoop) -> bool:
        """Whether a loop without a loader takes its batches from what it goes through, and does not only count."""
        if loop.iterable is None:
            return False
        calls = self.script.tree.inside(loop.iterable, cst.Call)
        return not any(isinstance(call.func, cst.Name) and call.func.value == "range" for call in calls)

    def _epochs(self, loader: Loader) -> None:
        """Say where the sampler of a training loader gives every epoch the same order."""
        sampler = loader.value("sampler")
        if sampler is None or self._has_epochs() or not any(map(self._is_repeated, loader.loops)):
            return
        if self._is_told_elsewhere(loader):
            return
        named = isinstance(sampler, cst.Name | cst.Attribute)
        made = [binding.value for binding in self.script.names.bindings(sampler)] if named else [sampler]
        arms = [arm for one in made for arm in ((one.body, one.orelse) if isinstance(one, cst.IfExp) else (one,))]
        for call in arms:
            if isinstance(call, cst.Call) and self.script.qualified(call.func) in _SAMPLERS:
                shuffle = argument(call, 3, "shuffle")
                if shuffle is None or build.code_of(shuffle.value) != "False":
                    self.note("TC227", call, "every epoch goes through the samples in the same order")

    def _is_repeated(self, loop: BatchLoop) -> bool:
        """Whether a loop that trains runs once an epoch: in a loop, or in a function that loops call."""
        if not loop.trains or loop.function is None or loop.epochs is not None:
            return loop.trains and loop.epochs is not None
        tree = self.script.tree
        sites = self.script.roles.call_sites(loop.function)
        elsewhere = tree.qualname(loop.function) in self.script.links.repeated
        return elsewhere or any(tree.loop(site) is not None for site in sites)

    def _has_epochs(self) -> bool:
        """Whether a sampler is told the epoch somewhere."""
        return any(
            isinstance(call.func, cst.Attribute) and call.func.attr.value == "set_epoch"
            for call in self.script.tree.all(cst.Call)
        )

    def _is_drawn_from(self, loader: Loader) -> bool:
        """Whether batches are taken one by one, `iter(loader)`, where no loop of this file shows what for."""
        if self._is_told(loader.value("sampler")):
            return False
        drawn = (call.args[0].value for call in self.script.calls("builtins.iter") if call.args)
        return any(value.origin is loader.call for node in drawn for value in self.script.roles.values(node))

    # --- samplers there are -------------------------------------------------------------------------------------------

    def _tell(self, call: cst.Call) -> None:
        if any(arg.star for arg in call.args):
            return
        told_before = self._of_configuration(call)
        missing = [
            (keyword, idiom)
            for position, keyword, idiom in ((1, "num_replicas", Idiom.WORLD_SIZE), (2, "rank", Idiom.ORDINAL))
            if argument(call, position, keyword) is None
        ]
        if not missing and not told_before:
            return
        why = "there is no process group to ask: the sampler is told"
        why = "it is told how many processes run, whatever was asked for" if told_before else why
        edit = self.edit("TC220", call, why)
        given = {argument(call, 1, "num_replicas"): Idiom.WORLD_SIZE, argument(call, 2, "rank"): Idiom.ORDINAL}
        for arg, idiom in given.items() if told_before else ():
            if arg is not None:
                edit.replace(arg.value, lambda updated, idiom=idiom: edit.say(idiom))

        def told(updated: cst.Call) -> cst.Call:
            for keyword, idiom in missing:
                updated = build.with_keyword(updated, keyword, edit.say(idiom))
            return updated

        edit.replace(call, told)
        assign = self.script.tree.small_statement(call)
        whole = assign.value if isinstance(assign, cst.Assign) and isinstance(assign.value, cst.Call) else call
        tree = self.script.tree
        room, indent = tree.room(whole), tree.line_indent(whole) + tree.indent
        edit.replace(whole, lambda updated: build.fitted(updated, room, indent))

    def _of_configuration(self, call: cst.Call) -> bool:
        """Whether a sampler cuts its shares for as many processes as a configuration asks for, `opt["world_size"]` or
        `len(gpu_ids)`, where a launcher decides how many there are."""
        count, rank = argument(call, 1, "num_replicas"), argument(call, 2, "rank")
        spawned = self.script.launch.kind is Launch.SPAWN or self.script.links.several
        if not spawned or count is None or not self._is_asked_for(count.value, 0):
            return False
        return rank is None or is_rank(self.script, rank.value)

    def _is_asked_for(self, node: cst.BaseExpression, depth: int) -> bool:
        script = self.script
        if script.ranks.quantity(node) is not None or depth > _DEEPEST:
            return False
        if isinstance(node, cst.Call) and script.qualified(node.func) in ("builtins.int", "builtins.len") and node.args:
            own = node.args[0].value
            listed = script.qualified(node.func) == "builtins.len"
            return _LISTS.search(last_name(own)) is not None if listed else self._is_asked_for(own, depth + 1)
        if isinstance(node, cst.BinaryOperation):
            return isinstance(node.operator, cst.Multiply) and all(
                isinstance(side, cst.Integer) or _COUNTS.search(last_name(side)) for side in (node.left, node.right)
            )
        bindings = script.names.bindings(node) if isinstance(node, cst.Name) else []
        values = [binding.value for binding in bindings if binding.kind == "assign" and not binding.path]
        if bindings and len(values) == len(bindings):
            return all(value is not None and self._is_asked_for(value, depth + 1) for value in values)
        return not bindings and _COUNTS.search(last_name(node)) is not None

    def _own_samplers(self) -> None:
        """Classes of the script that derive from DistributedSampler: told where they call its constructor."""
        names = self.script.names
        for class_ in self.script.tree.all(cst.ClassDef):
            if not any(names.qualified(base.value) in _SAMPLERS for base in class_.bases):
                continue
            init = names.method(class_, "__init__")
            sites = [call for call in self.script.tree.all(cst.Call) if names.local_class(call.func) is class_]
            if init is None:
                for site in sites:
                    self._tell(site)
            elif not any(self._tell_base(init, call) for call in self.script.tree.all(cst.Call)):
                for site in sites:
                    if argument(site, 2, "rank") is None:
                        self.note("TC225", site, f"{class_.name.value} asks the process group for its rank")

    def _tell_base(self, init: cst.FunctionDef, call: cst.Call) -> bool:
        """Tell the constructor that a subclass calls, unless it passes ranks of its own; whether it is told."""
        func, tree = call.func, self.script.tree
        if not isinstance(func, cst.Attribute) or func.attr.value != "__init__" or tree.function(call) is not init:
            return False
        given = init.params.star_kwarg
        passed = next((arg.value for arg in call.args if arg.star == "**"), None)
        if argument(call, 1, "num_replicas") is not None or argument(call, 2, "rank") is not None:
            return False
        if given is None or not isinstance(passed, cst.Name) or passed.value != given.name.value:
            self._tell(call)
            return not any(arg.star for arg in call.args)
        if f'{passed.value}.setdefault("num_replicas"' in build.code_of(init):
            return True
        edit = self.edit("TC220", call, "there is no process group to ask: the sampler is told")
        for keyword, idiom in (("num_replicas", Idiom.WORLD_SIZE), ("rank", Idiom.ORDINAL)):
            told = build.expression(f'{given.name.value}.setdefault("{keyword}", {{said}})', said=edit.say(idiom))
            edit.before(call, [cst.SimpleStatementLine([cst.Expr(told)])])
        return True

    # --- training loaders ---------------------------------------------------------------------------------------------

    def _split(self, loader: Loader) -> None:
        sampler = loader.value("sampler")
        own = sampler is not None or loader.value("batch_sampler") is not None or loader.iterable or loader.opaque
        if self._in_one_process(loader.call):
            return
        if not self.script.data_parallel:
            if not own and not self._takes_share(loader):
                self.note("TC223", loader.call, "every process trains on the whole data, as in the original")
            return
        if self._is_shared(loader):
            self._share(loader)
        elif not self._is_told(sampler):
            self.note("TC224", loader.call, "this loader fed all GPUs at once: each process now gets all of it")

    def _in_one_process(self, call: cst.Call) -> bool:
        return self.script.group.joins(call) is False or self.script.group.is_without(call)

    def _takes_share(self, loader: Loader) -> bool:
        """Whether the data is told the rank and the number of processes: it cuts its share itself."""
        data = loader.dataset
        bindings = self.script.names.bindings(data) if isinstance(data, cst.Name | cst.Attribute) else []
        for value in (data, *(one.value for one in bindings if one.kind == "assign")):
            given = value.args if isinstance(value, cst.Call) else ()
            if {self.script.ranks.quantity(arg.value) for arg in given} >= {Quantity.RANK, Quantity.WORLD_SIZE}:
                return True
        return False

    def _is_shared(self, loader: Loader) -> bool:
        """Whether a loader of one process for all GPUs can be given the share of one process."""
        own = loader.value("batch_sampler") is not None or loader.iterable or loader.opaque
        if own or loader.value("batch_size") is None or loader.dataset is None:
            return False
        return loader.value("sampler") is None or self._no_sampler(loader) is not None

    def _no_sampler(self, loader: Loader) -> cst.Assign | None:
        """The `train_sampler = None` that a loader's `sampler=train_sampler` reads, once the data is there."""
        tree, sampler, dataset = self.script.tree, loader.value("sampler"), loader.dataset
        bindings = [b for b in self._bindings(sampler) if not exclusive(tree, b.node, loader.call)]
        assign = bindings[0].node if len(bindings) == 1 else None
        if not isinstance(assign, cst.Assign) or build.code_of(assign.value) != "None" or len(assign.targets) != 1:
            return None
        line, block = tree.statement(assign), tree.statement(loader.call)
        late = any(tree.before(assign, binding.node) for binding in self._bindings(dataset))
        stands = line in tree.block(block or loader.call) and tree.before(assign, loader.call)
        return assign if stands and not late else None

    def _bindings(self, node: cst.BaseExpression | None) -> list[Binding]:
        return self.script.names.bindings(node) if isinstance(node, cst.Name) else []

    def _is_told(self, sampler: cst.BaseExpression | None) -> bool:
        if sampler is None:
            return False
        return any(value.of.endswith("DistributedSampler") for value in self.script.roles.values(sampler))

    def _share(self, loader: Loader) -> None:
        """Give a loader of one process for all GPUs the share of one process a device."""
        call, dataset, size = loader.call, loader.dataset, loader.value("batch_size")
        assert dataset is not None
        assert size is not None
        edit = self.edit("TC221", call, "one batch for all GPUs: a sampler splits the data, the batch size is divided")
        edit.need(TORCH)
        stem = self._stem(loader)
        source: build.Hole = dataset
        if not isinstance(dataset, cst.Name | cst.Attribute):
            source = self._free(f"{stem}dataset", call)
            edit.before(call, build.statements(f"{source} = {{dataset}}", dataset=dataset))
            edit.replace(dataset, cst.Name(source))
        world = edit.say(Idiom.WORLD_SIZE)
        edit.replace(size, lambda updated: build.expression("{size} // {world}", size=updated, world=world))
        absent, shuffle = self._no_sampler(loader), loader.argument("shuffle")
        if absent is not None:
            sampler = build.code_of(absent.targets[0].target)
            made = self._sampler(edit, loader, sampler, source)[0]
            edit.replace(absent, cst.ensure_type(made, cst.SimpleStatementLine).body[0])
        else:
            sampler = self._free(f"{stem}sampler", call)
            edit.before(call, self._sampler(edit, loader, sampler, source))
            tree = self.script.tree
            room, indent = tree.room(call), tree.line_indent(call) + tree.indent
            edit.replace(call, lambda updated: build.fitted(_fed_by(updated, shuffle, sampler), room, indent))
        if not self._is_told_elsewhere(loader):
            self._set_epoch(loader, sampler)

    def _sampler(self, edit: Edit, loader: Loader, name: str, source: build.Hole) -> list[cst.BaseStatement]:
        shuffle = loader.value("shuffle")
        world, rank = edit.say(Idiom.WORLD_SIZE), edit.say(Idiom.ORDINAL)
        holes: dict[str, build.Hole] = {"dataset": source, "world": world, "rank": rank}
        mixed = ""
        asks = isinstance(shuffle, cst.Comparison) and self._no_sampler(loader) is not None  # `train_sampler is None`
        if loader.constant("shuffle") is not True and not asks:
            mixed = ", shuffle={shuffle}"
            holes["shuffle"] = shuffle if shuffle is not None else "False"
        return build.statements(
            f"{name} = torch.utils.data.distributed.DistributedSampler(\n"
            f"{self.script.module.default_indent}{{dataset}}, num_replicas={{world}}, rank={{rank}}{mixed}\n)",
            **holes,
        )

    def _stem(self, loader: Loader) -> str:
        """`train_` for a loader bound to `train_loader`."""
        statement = self.script.tree.small_statement(loader.call)
        if isinstance(statement, cst.Assign) and isinstance(statement.targets[0].target, cst.Name):
            first, _, rest = statement.targets[0].target.value.partition("_")
            return f"{first}_" if rest else "train_"
        return "train_"

    def _free(self, name: str, call: cst.Call) -> str:
        """A name that nothing has where the call runs: the other arms of its `if` may."""
        tree, function = self.script.tree, self.script.tree.function(call)

        def is_taken(name: str) -> bool:
            bindings = [b for scope in self.script.names.all_scopes() for b in scope.names.get(name, ())]
            others = [other for other in self._given.get(name, ()) if tree.function(other) is function]
            given = [other for other in others if self._keeper(other) != self._keeper(call)]
            own = any(tree.function(b.node) is not function or not exclusive(tree, b.node, call) for b in bindings)
            return own or not all(exclusive(tree, other, call) for other in given)

        while is_taken(name):
            name += "_"
        self._given.setdefault(name, []).append(call)
        return name

    def _keeper(self, call: cst.Call) -> str | cst.Call:
        """What a loader is bound to: two that are bound to one name take turns. Else the loader itself."""
        assign = self.script.tree.small_statement(call)
        target = assign.targets[0].target if isinstance(assign, cst.Assign) else None
        return target.value if isinstance(target, cst.Name) else call

    # --- epochs -------------------------------------------------------------------------------------------------------

    def _set_epoch(self, loader: Loader, sampler: str) -> None:
        tree = self.script.tree
        owner = tree.function(loader.call)
        if not loader.trains:
            self._set_epoch_of_calls(loader, sampler)
        for loop in loader.loops:
            if not loop.trains:
                continue
            found = epoch_loops(self.script, loop)
            if not found and loader.value("shuffle") is not None and not self._goes_through(loop):
                message = "batches are drawn step by step: nothing tells the new sampler that it starts anew"
                self.note("TC227", loader.call, message)
            elif not found and loader.value("shuffle") is not None and is_repeated(self.script, loop):
                self.note("TC227", loader.call, "nothing counts the epochs: the new sampler has the same order in each")
            for epochs, epoch in found:
                if tree.function(epochs) is not owner or not self._is_always_shared(loader):
                    self.note("TC223", loader.call, _UNSEEN)
                else:
                    self._tell_epoch(loader, sampler, epochs, epoch)

    def _set_epoch_of_calls(self, loader: Loader, sampler: str) -> None:
        """The batches are gone through elsewhere: `for epoch in ...: train(model, loader)` tells the sampler all the
        same."""
        tree = self.script.tree
        found: dict[Loop, str] = {}
        for call in tree.all(cst.Call):
            if tree.function(call) is not tree.function(loader.call):
                continue
            passed = any(v.origin is loader.call for arg in call.args for v in self.script.roles.values(arg.value))
            around = epochs_around(self.script, tree.loop(call)) if passed else None
            if around is not None and not tree.contains(around[0], loader.call):
                found.update([around])
        if not self._is_always_shared(loader):
            found.clear()
        for epochs, epoch in found.items():
            self._tell_epoch(loader, sampler, epochs, epoch)
        if not found:
            elsewhere = tree.order[loader.call] in self.script.links.trained
            message = "the epoch loop is in another file: call sampler.set_epoch(epoch) there"
            self.note("TC223", loader.call, message if elsewhere else _UNSEEN)

    def _tell_epoch(self, loader: Loader, sampler: str, epochs: Loop, epoch: str) -> None:
        absent = self._no_sampler(loader)
        made = self.script.tree.contains(epochs, absent or loader.call)
        if (epochs, sampler) in self._told and not made:
            return
        self._told.add((epochs, sampler))
        edit = self.edit("TC222", epochs, "the sampler shuffles anew each epoch")
        told = f"{sampler}.set_epoch({epoch})"
        if not made:
            edit.before(_first(epochs), told)
        elif absent is not None:
            edit.after(absent, told)
        else:
            edit.before(loader.call, told)  # made anew in each epoch, right above

    def _tell_elsewhere(self, telling: Telling) -> None:
        """Tell the sampler of a loader that is made elsewhere, by what names the loader here."""
        place = self.script.tree.statement_numbered(telling.statement)
        sampler = f"{telling.loader}.sampler"
        told = f"{sampler}.set_epoch({telling.epoch or f'{sampler}.epoch + 1'})"
        if telling.some or not self._is_started():
            told = f'if hasattr({sampler}, "set_epoch"):\n{self.script.module.default_indent}{told}'
        if place is not None:
            edit = self.edit("TC222", place, "the sampler shuffles anew each epoch")
            edit.before(_first(place) if telling.head and isinstance(place, cst.For | cst.While) else place, told)

    def _is_started(self) -> bool:
        """Whether the processes are known to be started, by this script or by one that imports it: only then does a
        loader of another file get a sampler."""
        entry = read_entry(self.script)
        return self.script.links.started or entry.guard is not None or bool(entry.starts)

    def _is_told_elsewhere(self, loader: Loader) -> bool:
        """Whether the program tells the sampler of a loader wherever it is gone through again."""
        meaning = self.script.links.meaning
        key = self.script.roles.key(loader.call)
        return meaning is not None and key in meaning.told

    def _goes_through(self, loop: BatchLoop) -> bool:
        """Whether a loop goes through its loader once: it does not count steps and take each batch by `next`."""
        return loop.iterable is not None and self.script.roles.loader(loop.iterable) is not None

    def _is_always_shared(self, loader: Loader) -> bool:
        """Whether whatever else may stand in this loader's name gets a sampler of the same name."""
        built = {each.call: each for each in self.script.loaders.built}
        assign = self.script.tree.small_statement(loader.call)
        target = assign.targets[0].target if isinstance(assign, cst.Assign) else None
        others = [binding.value for binding in self._bindings(target) if binding.value is not loader.call]
        loaders = [built[value] for value in others if isinstance(value, cst.Call) and value in built]
        return all(map(self._is_shared, loaders))


_UNSEEN = "no epoch loop sees the new sampler: call its set_epoch(epoch)"


def _first(loop: Loop) -> cst.CSTNode:
    return loop.body.body[0]


def _fed_by(call: cst.Call, shuffle: cst.Arg | None, sampler: str) -> cst.Call:
    """The loader with the sampler in the place of its shuffling."""
    for index, arg in enumerate(call.args):
        keyword = arg.keyword.value if arg.keyword is not None else ""
        if keyword == "shuffle":
            new = arg.with_changes(keyword=cst.Name("sampler"), value=cst.Name(sampler))
            return call.with_changes(args=[*call.args[:index], new, *call.args[index + 1 :]])
    if shuffle is not None and len(call.args) > 2 and call.args[2].keyword is None:
        args = list(call.args)
        args[2] = args[2].with_changes(value=cst.Name("False"))
        call = call.with_changes(args=args)
    return build.with_keyword(call, "sampler", sampler)
