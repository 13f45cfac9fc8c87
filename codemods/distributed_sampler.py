"""Distributed samplers: which process trains on which samples.

`DistributedSampler(dataset)` asks the default process group how many processes there are. The migrated script has
none, so the sampler is told: `num_replicas` and `rank` of the XLA runtime. Arguments the script passes itself stay.

A script that used `DataParallel` was one process that split each batch over the GPUs. It becomes one process a
device, so the data has to be split between them to keep the training: the training loader gets a `DistributedSampler`
in the place of its shuffling, the batch size, which was for all GPUs together, is divided by the number of processes,
and the epoch loop tells the sampler the epoch. A step then still averages over the same number of samples. A person
should read it: the order of the samples is another one, and a batch size that does not divide is rounded down.

A script that started several processes already but gave its training loader no sampler went through the whole data
set in each of them. That may be meant (the data is split elsewhere) or not; it stays so, and a note says it.
Evaluation loaders stay as they are: every process evaluates on all of it, with the same result."""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.launch import Launch
from codemods.kit.loaders import Loader
from codemods.kit.loops import BatchLoop, Loop
from codemods.kit.names import argument
from codemods.kit.phrases import TORCH, Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_SAMPLERS = ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler")
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
        if not self.script.distributed:
            return
        self._own_samplers()
        links = self.script.links
        self._parallel = self.script.launch.kind is Launch.DATA_PARALLEL or links.parallel
        for loader in self.script.loaders.built:
            elsewhere = self.script.tree.order[loader.call] in links.trained
            if loader.trains or elsewhere:
                self._split(loader)
            elif loader.evaluates and self._parallel:
                self.note("TC226", loader.call, "each process evaluates on all of this data")

    # --- samplers there are -------------------------------------------------------------------------------------------

    def _tell(self, call: cst.Call) -> None:
        if any(arg.star for arg in call.args):
            return
        missing = [
            (keyword, idiom)
            for position, keyword, idiom in ((1, "num_replicas", Idiom.WORLD_SIZE), (2, "rank", Idiom.ORDINAL))
            if argument(call, position, keyword) is None
        ]
        if not missing:
            return
        edit = self.edit("TC220", call, "there is no process group to ask: the sampler is told")

        def told(updated: cst.Call) -> cst.Call:
            for keyword, idiom in missing:
                updated = build.with_keyword(updated, keyword, edit.say(idiom))
            return updated

        edit.replace(call, told)
        assign = self.script.tree.small_statement(call)
        whole = assign.value if isinstance(assign, cst.Assign) and isinstance(assign.value, cst.Call) else call
        room, indent = self.script.tree.room(whole), self.script.module.default_indent
        edit.replace(whole, lambda updated: build.fitted(updated, room, indent))

    def _own_samplers(self) -> None:
        """Samplers of classes of the script that derive from DistributedSampler and are not told their rank."""
        names = self.script.names
        for class_ in self.script.tree.all(cst.ClassDef):
            if any(names.qualified(base.value) in _SAMPLERS for base in class_.bases):
                for call in self.script.tree.all(cst.Call):
                    told = argument(call, 2, "rank") is not None
                    if names.local_class(call.func) is class_ and not told:
                        self.note("TC225", call, f"{class_.name.value} asks the process group for its rank")

    # --- training loaders ---------------------------------------------------------------------------------------------

    def _split(self, loader: Loader) -> None:
        sampler = loader.value("sampler")
        own = sampler is not None or loader.value("batch_sampler") is not None or loader.iterable
        if not self._parallel:
            if not own and not loader.opaque:
                self.note("TC223", loader.call, "every process trains on the whole data, as in the original")
            return
        size = loader.value("batch_size")
        if own or loader.opaque or size is None or loader.dataset is None or self._is_told(sampler):
            if not self._is_told(sampler):
                self.note("TC224", loader.call, "this loader fed all GPUs at once: each process now gets all of it")
            return
        self._share(loader, loader.dataset, size)

    def _is_told(self, sampler: cst.BaseExpression | None) -> bool:
        if sampler is None:
            return False
        return any(value.of.endswith("DistributedSampler") for value in self.script.roles.values(sampler))

    def _share(self, loader: Loader, dataset: cst.BaseExpression, size: cst.BaseExpression) -> None:
        """Give a loader of one process for all GPUs the share of one process a device."""
        call = loader.call
        edit = self.edit("TC221", call, "one batch for all GPUs: a sampler splits the data, the batch size is divided")
        edit.need(TORCH)
        stem = self._stem(loader)
        source: build.Hole = dataset
        if not isinstance(dataset, cst.Name | cst.Attribute):
            source = self._free(f"{stem}dataset")
            edit.before(call, build.statements(f"{source} = {{dataset}}", dataset=dataset))
            edit.replace(dataset, cst.Name(source))
        sampler = self._free(f"{stem}sampler")
        edit.before(call, self._sampler(edit, loader, sampler, source))
        shuffle, size_arg = loader.argument("shuffle"), loader.argument("batch_size")
        assert size_arg is not None
        world = edit.say(Idiom.WORLD_SIZE)
        edit.replace(size, lambda updated: build.expression("{size} // {world}", size=updated, world=world))
        room, indent = self.script.tree.room(call), self.script.module.default_indent
        edit.replace(call, lambda updated: build.fitted(_fed_by(updated, shuffle, sampler), room, indent))
        self._set_epoch(loader, sampler)

    def _sampler(self, edit: Edit, loader: Loader, name: str, source: build.Hole) -> list[cst.BaseStatement]:
        shuffle = loader.value("shuffle")
        world, rank = edit.say(Idiom.WORLD_SIZE), edit.say(Idiom.ORDINAL)
        holes: dict[str, build.Hole] = {"dataset": source, "world": world, "rank": rank}
        mixed = ""
        if loader.constant("shuffle") is not True:
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

    def _free(self, name: str) -> str:
        taken = {bound for scope in self.script.names.all_scopes() for bound in scope.names}
        while name in taken:
            name += "_"
        return name

    # --- epochs -------------------------------------------------------------------------------------------------------

    def _set_epoch(self, loader: Loader, sampler: str) -> None:
        tree = self.script.tree
        owner = tree.function(loader.call)
        told: set[Loop] = set()
        if not loader.trains:
            self.note("TC223", loader.call, "the epoch loop is in another file: call sampler.set_epoch(epoch) there")
        for loop in loader.loops:
            if not loop.trains:
                continue
            for epochs in self._epoch_loops(loop):
                if tree.function(epochs) is not owner or epochs in told:
                    self.note("TC223", loader.call, "no epoch loop sees the new sampler: call its set_epoch(epoch)")
                    continue
                told.add(epochs)
                assert isinstance(epochs.target, cst.Name)
                edit = self.edit("TC222", epochs, "the sampler shuffles anew each epoch")
                edit.before(_first(epochs), f"{sampler}.set_epoch({epochs.target.value})")

    def _epoch_loops(self, loop: BatchLoop) -> list[cst.For]:
        """The loops over epochs around a batch loop: of its function, or of those that call it."""
        starts: list[Loop | None] = [loop.epochs]
        if loop.epochs is None and loop.function is not None:
            starts = [self.script.tree.loop(call) for call in self.script.roles.call_sites(loop.function)]
        found = []
        for start in starts:
            while start is not None and not self._counts(start):
                start = self.script.tree.loop(start)
            if isinstance(start, cst.For):
                found.append(start)
        return found

    def _counts(self, loop: Loop) -> bool:
        if not isinstance(loop, cst.For) or not isinstance(loop.target, cst.Name):
            return False
        name = self.script.qualified(loop.iter.func) if isinstance(loop.iter, cst.Call) else None
        return name in ("builtins.range", "tqdm.trange", "itertools.count") or "epoch" in loop.target.value


def _first(loop: cst.For) -> cst.CSTNode:
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
