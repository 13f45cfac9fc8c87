"""The last batch of an epoch: a smaller one is another shape.

XLA compiles one graph for each shape. A training loader without `drop_last=True` may end its epochs with a smaller
batch: one more compilation the first time (a full-sized one, minutes for a large model), then taken from the cache
(measured on torch_xla 2.1 and 2.9). The vendor's documents ask for `drop_last=True` for that reason.

It is not simply added, because it changes the training: the samples of the last batch are not seen, an epoch has a step
less, and schedules that count steps move. The migrated script takes the same steps as the original, so

- in one process, and in several whose data is split by a `DistributedSampler` (which pads: every process has batches of
  the same shapes), the loader stays as it is and a note says what the ragged batch costs;
- in several processes that are fed by a sampler of another kind or by an iterable dataset, the last batches of two
  processes can differ in shape. The processes then run different graphs around the same collective, and stall. There
  `drop_last=True` is added, for a person to review.

A loader that says `drop_last` itself has decided, and is left alone; so has one with a batch size of 1, or none.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.loaders import Loader
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_EVEN = ("DistributedSampler",)


class DropLast(Codemod):
    """Keep batches of one shape."""

    STAGE = Stage.DATA
    RULES = (
        Rule("TC207", "drop_last=True where processes could meet with batches of different shapes", Safety.REVIEW,
             document="SageMaker: Training Compiler, best practices; torch_xla 2.1 docs/pjrt.md"),
        Rule("TC208", "the last batch may be smaller: one more compilation", Safety.NOTE, Severity.WARNING,
             advice="pass drop_last=True if an epoch may miss the samples left over; it changes the number of steps",
             document="SageMaker: Training Compiler, best practices; measured on torch_xla 2.1 and 2.9"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="""\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset


class Shards(IterableDataset):
    def __iter__(self):
        yield from read(dist.get_rank())


dist.init_process_group("nccl")
for x, y in DataLoader(Shards(), batch_size=64):
    criterion(model(x.cuda()), y.cuda()).backward()
""",
            smtc="""\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset


class Shards(IterableDataset):
    def __iter__(self):
        yield from read(dist.get_rank())


dist.init_process_group("nccl")
for x, y in DataLoader(Shards(), batch_size=64, drop_last=True):
    criterion(model(x.cuda()), y.cuda()).backward()
""",
            xla="""\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset


class Shards(IterableDataset):
    def __iter__(self):
        yield from read(dist.get_rank())


dist.init_process_group("nccl")
for x, y in DataLoader(Shards(), batch_size=64, drop_last=True):
    criterion(model(x.cuda()), y.cuda()).backward()
""",
        ),
    )

    def rewrite(self) -> None:
        if not self.script.loaders.accelerated:
            return
        for loader in self.script.loaders.built:
            if loader.trains and self._may_end_ragged(loader):
                if self.script.distributed and self._may_differ(loader):
                    edit = self.edit("TC207", loader.call, "the last batches of two processes could differ in shape")
                    edit.replace(loader.call, lambda updated: build.with_keyword(updated, "drop_last", "True"))
                else:
                    self.note("TC208", loader.call, "the last batch of an epoch may be smaller: one more compilation")

    def _may_end_ragged(self, loader: Loader) -> bool:
        if loader.opaque or loader.argument("drop_last") is not None or loader.value("batch_sampler") is not None:
            return False
        size = loader.argument("batch_size")
        if size is None:
            return False
        if isinstance(size.value, cst.Integer) and size.value.value == "1":
            return False
        return loader.value("batch_size") is not None

    def _may_differ(self, loader: Loader) -> bool:
        """Whether nothing gives every process the same number of samples."""
        if loader.iterable:
            return True
        sampler = loader.value("sampler")
        if sampler is None:
            return False
        values = self.script.roles.values(sampler)
        return bool(values) and not any(value.of.endswith(_EVEN) for value in values)
