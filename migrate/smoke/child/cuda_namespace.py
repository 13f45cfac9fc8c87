"""The stand-in for the names of `torch.cuda` and `torch.accelerator`: devices that have nothing left to do.

There are as many as there are workers; each process remembers the one that it set.
"""

from __future__ import annotations

import collections
import contextlib
import time
from types import SimpleNamespace
from typing import Any

TENSOR_TYPES = (
    "FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "ByteTensor", "CharTensor", "ShortTensor",
    "IntTensor", "LongTensor", "BoolTensor",
)  # fmt: skip

ANSWERS: dict[str, Any] = {
    # Functions of torch.cuda and what each returns whatever it is asked.
    "is_available": True, "is_initialized": True,
    "is_current_stream_capturing": False, "is_bf16_supported": True, "can_device_access_peer": False,
    "get_device_name": "CPU stand-in for CUDA", "get_device_capability": (8, 0), "get_arch_list": ["sm_80"],
    "init": None, "_lazy_init": None, "synchronize": None, "empty_cache": None,
    "ipc_collect": None, "manual_seed": None, "manual_seed_all": None, "seed": None, "seed_all": None,
    "initial_seed": 0, "set_rng_state": None, "set_rng_state_all": None, "_is_in_bad_fork": False,
    "memory_allocated": 0, "max_memory_allocated": 0, "memory_reserved": 0, "max_memory_reserved": 0,
    "memory_cached": 0, "max_memory_cached": 0, "memory_summary": "", "reset_peak_memory_stats": None,
    "reset_max_memory_allocated": None, "reset_max_memory_cached": None, "set_per_process_memory_fraction": None,
    "mem_get_info": (16 << 30, 16 << 30), "utilization": 0, "set_stream": None,
    "cudart": SimpleNamespace(cudaProfilerStart=lambda: 0, cudaProfilerStop=lambda: 0),
}  # fmt: skip


current = 0
"""The device that this process set."""


def install(torch: Any, devices: int = 1) -> None:
    """Replace what asks for, or waits for, a device."""
    install_cuda(torch)
    install_accelerator(torch)
    numbers = [(torch.cuda, "set_device", "current_device", "device_count")]
    if hasattr(torch, "accelerator"):
        numbers += [
            (torch.accelerator, "set_device_index", "current_device_index", "device_count"),
            (torch.accelerator, "set_device_idx", "current_device_idx", "device_count"),
        ]
    for module, setter, getter, counter in numbers:
        setattr(module, setter, lambda device: select(torch, device))
        setattr(module, getter, lambda: current)
        setattr(module, counter, lambda: devices)


def select(torch: Any, device: Any) -> None:
    """Make a device the current one: its number, or any spelling of it."""
    global current
    index = device if isinstance(device, int) else torch.device(device).index
    # A negative number changes nothing, as on CUDA.
    if index is not None and index >= 0:
        current = index


def install_cuda(torch: Any) -> None:
    """The names of `torch.cuda`."""
    cuda = torch.cuda
    for name, answer in ANSWERS.items():
        setattr(cuda, name, lambda *arguments, answer=answer, **options: answer)
    for name in TENSOR_TYPES:
        setattr(cuda, name, getattr(torch, name))
    cuda.memory_stats = lambda device=None: collections.defaultdict(int)
    cuda.get_rng_state = lambda device="cuda": torch.empty(0, dtype=torch.uint8)
    cuda.get_rng_state_all = lambda: [torch.empty(0, dtype=torch.uint8)]
    cuda.get_device_properties = lambda device=None: SimpleNamespace(
        name=ANSWERS["get_device_name"], major=8, minor=0, total_memory=16 << 30, multi_processor_count=1
    )
    cuda.Stream, cuda.Event = Stream, Event
    cuda.current_stream = cuda.default_stream = lambda device=None: Stream()
    for name in ("device", "device_of", "stream"):
        setattr(cuda, name, Passing)
    for name in ("range_push", "range_pop", "mark"):
        setattr(cuda.nvtx, name, lambda *arguments: 0)
    cuda.nvtx.range = Passing
    cuda.profiler.start = cuda.profiler.stop = lambda: None


def install_accelerator(torch: Any) -> None:
    """`torch.accelerator` (torch 2.6 and later): one device, and it is CUDA."""
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None:
        return
    answers = {
        "is_available": True, "synchronize": None, "empty_cache": None,
        "memory_allocated": 0, "max_memory_allocated": 0,
    }  # fmt: skip
    for name, answer in answers.items():
        setattr(accelerator, name, lambda *arguments, answer=answer, **options: answer)
    accelerator.current_accelerator = lambda check_available=False: torch.device("cuda")
    accelerator.current_stream = lambda device=None: Stream()


class Passing(contextlib.ContextDecorator):
    """A context that changes nothing: `with torch.cuda.device(0):`, `with torch.cuda.stream(stream):`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        pass

    def __enter__(self) -> Passing:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


class Stream(Passing):
    """A CUDA stream whose work is already done."""

    cuda_stream = 0

    def is_capturing(self) -> bool:
        return False

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        pass

    def wait_event(self, event: Any) -> None:
        pass

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record()
        return event


class Event:
    """A CUDA event on the host's clock."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.time = 0.0

    def record(self, stream: Any = None) -> None:
        self.time = time.perf_counter()

    def query(self) -> bool:
        return True

    def wait(self, stream: Any = None) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds between the two records."""
        return (end.time - self.time) * 1000
