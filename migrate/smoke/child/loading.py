"""Makes every DataLoader load in the training process, and counts its passes and batches.

Loading in worker processes costs seconds and draws random numbers of their own. A pass is counted where a batch is
taken, so a loader that wraps another one, as torch_xla's do, is seen by what it takes from that one.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any

from . import double

passes: list[list[Any]] = []
"""[loader, batches, trained, shapes] of each pass so far; `shapes` is a set of what the batches look like."""


def install(torch: Any, steps: Callable[[], int], in_double: bool) -> None:
    """Patch DataLoader; `steps` tells the steps of the first optimizer, `in_double` whether float64 is wanted."""
    data = importlib.import_module("torch.utils.data")
    load_in_process(data.DataLoader)
    count_passes(torch, data, steps, in_double)


def load_in_process(loader: Any) -> None:
    """Ignore what is about worker processes."""
    start = loader.__init__

    @functools.wraps(start)
    def load(self: Any, dataset: Any, *arguments: Any, **options: Any) -> None:
        # DataLoader(dataset, batch_size, shuffle, sampler, batch_sampler, num_workers, ...), torch 2.1 to 2.9.
        if len(arguments) > 4:
            arguments = (*arguments[:4], 0, *arguments[5:])
        else:
            options["num_workers"] = 0
        for name in ("persistent_workers", "prefetch_factor", "multiprocessing_context", "timeout"):
            options.pop(name, None)
        start(self, dataset, *arguments, **options)

    loader.__init__ = load


def count_passes(torch: Any, data: Any, steps: Callable[[], int], in_double: bool) -> None:
    """Note each iterator that a loader gives, and each batch that is taken from it."""
    begin = data.DataLoader.__iter__
    iterator = importlib.import_module("torch.utils.data.dataloader")._BaseDataLoaderIter
    take = iterator.__next__

    def begin_pass(self: Any) -> Any:
        batches = begin(self)
        number = self.__dict__.setdefault("number", len({noted[0] for noted in passes}))
        batches.noted = [number, 0, False, set()]
        batches.began = steps()
        passes.append(batches.noted)
        return batches

    def take_batch(self: Any) -> Any:
        noted = getattr(self, "noted", None)
        if noted is not None:
            noted[2] = noted[2] or steps() > self.began
        batch = double.widen(torch, take(self)) if in_double else take(self)
        if noted is not None:
            noted[1] += 1
            noted[3].add(look(torch, batch))
        return batch

    data.DataLoader.__iter__ = begin_pass
    iterator.__next__ = take_batch


def look(torch: Any, batch: Any) -> Any:
    """The shapes and types of the tensors in a batch, hashable: one graph serves batches that look the same."""
    if isinstance(batch, torch.Tensor):
        return tuple(batch.shape), str(batch.dtype)
    if isinstance(batch, Mapping):
        return tuple((str(key), look(torch, value)) for key, value in batch.items())
    if isinstance(batch, (list, tuple)):
        return tuple(look(torch, value) for value in batch)
    return type(batch).__name__


def summarise() -> list[list[Any]]:
    """The passes, with the number of different shapes of their batches."""
    return [[loader, batches, trained, len(shapes)] for loader, batches, trained, shapes in passes]
