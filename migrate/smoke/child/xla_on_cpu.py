"""Child side of a migrated script: what a real torch_xla needs to run it on the CPU in step with the original."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any


def register(callbacks: dict[str, Callable[[Any], None]], order: dict[str, Any]) -> None:
    """Say what happens after which module of torch_xla was imported."""
    from . import observe

    # torch_xla closes its client in an atexit function of its own; reading a loss has to come before that.
    callbacks["torch_xla"] = lambda torch_xla: observe.finish_at_exit()
    if order["backend"] == "standin":
        return
    if order["backend"] == "replicas":
        callbacks["torch_xla"] = lambda torch_xla: launch_threads(torch_xla, order)
    if order["accelerator"] == "cpu":
        callbacks["torch_xla.amp"] = lambda amp: replace_autocast(amp, order["side"])
        callbacks["torch_xla.core.xla_model"] = answer_memory
    callbacks["torch_xla.distributed.parallel_loader"] = read_in_lockstep


def launch_threads(torch_xla: Any, order: dict[str, Any]) -> None:
    """Have torch_xla start its ranks as threads of this process, which has a device for each."""
    from . import observe, replicas

    observe.finish_at_exit()
    replicas.install(torch_xla, order)


def answer_memory(xla_model: Any) -> None:
    """Let `xm.get_memory_info` answer zero: the CPU client raises (2.1 "not implemented", 2.9 "not supported").

    The keys are both those of 1.11-2.3 and those of 2.4 and later.
    """
    keys = ("kb_free", "kb_total", "bytes_used", "bytes_limit", "peak_bytes_used")
    xla_model.get_memory_info = lambda device=None: dict.fromkeys(keys, 0)


def replace_autocast(amp: Any, side: str) -> None:
    """Make `torch_xla.amp.autocast` usable on the CPU client.

    torch_xla 2.1 and 2.9 amp/autocast_mode.py leave an object without `device` there and fail in `__enter__`. In 1.13
    the name is an alias of torch.cuda.amp.autocast, so the Training Compiler's scripts get just that.
    """
    torch: Any = sys.modules["torch"]
    if side == "smtc":
        amp.autocast = torch.cuda.amp.autocast
        return

    class autocast(torch.autocast):  # type: ignore[misc]
        def __init__(self, device: Any, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
            super().__init__("xla", dtype=dtype or torch.bfloat16, enabled=enabled, cache_enabled=cache_enabled)

    amp.autocast = autocast


def read_in_lockstep(parallel_loader: Any) -> None:
    """Let the loader's threads read the next batch only while the training loop waits for it.

    `ParallelLoader` reads ahead in threads of its own: a data set that draws random numbers (an augmentation, a
    shuffle) would then draw them in another order than the original, or in no fixed order at all. The threads and
    queues stay, so what they do to the script stays too (a loader wrapped twice, an exception in the data set).
    """
    loader_class = parallel_loader.ParallelLoader
    start, take, close = loader_class.__init__, loader_class.next_item, loader_class.close

    def start_in_lockstep(self: Any, loader: Any, *arguments: Any, **options: Any) -> None:
        self.lockstep = Lockstep(loader)
        # With longer queues the upload thread waits until it has a queue full of batches (`_get_batch`).
        options.update(loader_prefetch_size=1, device_prefetch_size=1)
        start(self, self.lockstep, *arguments, **options)

    def ask_and_take(self: Any, device: Any) -> Any:
        self.lockstep.wanted.release()
        return take(self, device)

    def stop_and_close(self: Any) -> None:
        self.lockstep.closed = True
        self.lockstep.wanted.release()
        close(self)

    loader_class.__init__, loader_class.next_item, loader_class.close = start_in_lockstep, ask_and_take, stop_and_close


class Lockstep:
    """A loader that gives one batch for each time it was `wanted`."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader
        self.wanted = threading.Semaphore(0)
        self.closed = False

    def __iter__(self) -> Iterator[Any]:
        batches: Iterator[Any] | None = None
        while True:
            self.wanted.acquire()
            if self.closed:
                return
            batches = iter(self.loader) if batches is None else batches
            try:
                batch = next(batches)
            except StopIteration:
                return
            yield batch

    def __len__(self) -> int:
        return len(self.loader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)
