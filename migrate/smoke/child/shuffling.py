"""Gives every shuffling sampler the same order of samples, whichever class it is.

A migration may have to put DistributedSampler in the place of `shuffle=True` (a DataParallel script becomes one process
per device). Each draws a permutation with a seed of its own making, so the batches differ and with them the losses,
though neither training is better. Installed on both sides, this makes the k-th shuffle of a sampler over n samples one
and the same permutation. What a migration can get wrong stays visible: no shuffle at all, a shard of the wrong size,
and a forgotten `set_epoch`, which repeats the first permutation.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any


def install(torch: Any) -> None:
    """Replace the seeds of RandomSampler and DistributedSampler."""
    install_random_sampler(torch)
    install_distributed_sampler()


def install_random_sampler(torch: Any) -> None:
    """The sampler behind `shuffle=True`. One with a generator of its own, or with replacement, stays as it is."""
    sampler = importlib.import_module("torch.utils.data").RandomSampler
    shuffle = sampler.__iter__

    def shuffle_alike(self: Any) -> Iterator[int]:
        count = len(self.data_source)
        if self.replacement or self.generator is not None or self.num_samples != count:
            return shuffle(self)  # type: ignore[no-any-return]
        self.shuffles = getattr(self, "shuffles", -1) + 1
        generator = torch.Generator()
        generator.manual_seed(self.shuffles)
        return iter(torch.randperm(count, generator=generator).tolist())

    sampler.__iter__ = shuffle_alike


def install_distributed_sampler() -> None:
    """Its permutation depends on `seed + epoch`. Epochs are numbered as they come: scripts count from 0 or from 1."""
    sampler = importlib.import_module("torch.utils.data.distributed").DistributedSampler
    shuffle = sampler.__iter__

    def shuffle_alike(self: Any) -> Iterator[int]:
        seed, epoch = self.seed, self.epoch
        epochs = self.__dict__.setdefault("epochs_seen", {})
        self.seed, self.epoch = 0, epochs.setdefault(epoch, len(epochs))
        try:
            return shuffle(self)  # type: ignore[no-any-return]
        finally:
            self.seed, self.epoch = seed, epoch

    sampler.__iter__ = shuffle_alike
