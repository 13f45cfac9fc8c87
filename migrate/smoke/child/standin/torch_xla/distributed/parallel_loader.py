"""torch_xla.distributed.parallel_loader: data loaders that upload their batches and mark each step."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from typing import Any

import torch
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
from tc_migrate_child import standin


class PerDeviceLoader:
    """One pass: marks before every batch, the first one too, and at the end."""

    def __init__(self, loader: Any, device: Any) -> None:
        self._loader, self._device = loader, device
        self._wanted = loader.batches_per_execution - 1
        self._yielded = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.next()

    def __len__(self) -> int:
        return int(self._loader.per_device_samples())

    def next(self) -> Any:
        if xp.get_tracer_marked_step():
            xp.set_tracer_marked_step(False)
            self._yielded += 1
        elif self._wanted <= self._yielded:
            self._yielded = 0
            xm._mark()
        else:
            self._yielded += 1
        item = self._loader.next_item(self._device)
        if item is None:
            xm._mark()
            raise StopIteration
        return item


class ParallelLoader:
    """Reads batches when they are asked for; torch_xla's own reads ahead, in threads. One pass and no more."""

    def __init__(
        self,
        cpu_loader: Any,
        devices: Any,
        batchdim: int = 0,
        batches_per_execution: int = 1,
        loader_prefetch_size: int = 16,
        device_prefetch_size: int = 8,
        host_to_device_transfer_threads: int = 1,
        input_sharding: Any = None,
    ) -> None:
        self._cpu_loader, self._devices = cpu_loader, [torch.device(device) for device in devices]
        self._batches_per_execution = batches_per_execution
        if input_sharding is not None:
            raise NotImplementedError("the stand-in has no sharding of a batch over the devices of a process")
        self._batches: Iterator[Any] | None = None
        self._done = False

    def per_device_loader(self, device: Any) -> PerDeviceLoader:
        return PerDeviceLoader(self, torch.device(device))

    def per_device_samples(self) -> int:
        return len(self._cpu_loader) // len(self._devices)

    def next_item(self, device: Any) -> Any:
        """The next batch on the device; None at the end."""
        if self._done:
            return None
        try:
            if self._batches is None:
                refuse_wrapped_twice(self._cpu_loader)
                self._batches = iter(self._cpu_loader)
            with torch.no_grad():
                return xm.send_cpu_data_to_device([next(self._batches)], device)[0]
        except StopIteration:
            pass
        except Exception as error:
            end_early(error)
        self._done = True
        return None

    def close(self) -> None:
        self._done = True

    @property
    def batches_per_execution(self) -> int:
        return self._batches_per_execution


class MpDeviceLoader:
    """A loader for one device that can be passed over again and again."""

    def __init__(self, loader: Any, device: Any, **kwargs: Any) -> None:
        self._loader, self._device, self._parallel_loader_kwargs = loader, device, kwargs
        self._parallel_loader: ParallelLoader | None = None

    def __iter__(self) -> Iterator[Any]:
        if self._parallel_loader is not None:
            self._parallel_loader.close()
        self._parallel_loader = ParallelLoader(self._loader, [self._device], **self._parallel_loader_kwargs)
        return self._parallel_loader.per_device_loader(self._device)

    def __len__(self) -> int:
        return len(self._loader)


def refuse_wrapped_twice(loader: Any) -> None:
    """In 2.6 and later the thread that reads a loader of a loader fails at the inner one's mark."""
    if standin.version >= (2, 6) and isinstance(loader, (MpDeviceLoader, PerDeviceLoader)):
        raise RuntimeError("a device loader that reads a device loader: torch_xla gives no batch of it")


def end_early(error: Exception) -> None:
    """What an exception in the data set does: from 2.6 on the pass just ends, before it never does."""
    if standin.version < (2, 6):
        raise RuntimeError("the data set raised; on this version of torch_xla the loader waits for ever") from error
    print("Exception in thread Thread-1 (_loader_worker):", file=sys.stderr)
    traceback.print_exception(type(error), error, error.__traceback__)
