"""The training processes of a stand-in run: which one this is, how many there are, and what they exchange.

A process group of our own joins them, not torch.distributed's default one: a script that asks whether that one is
initialised gets the answer that it gets on a real torch_xla.
"""

from __future__ import annotations

import datetime
import importlib
import os
from typing import Any

RANK, SIZE, STORE = "TC_MIGRATE_RANK", "TC_MIGRATE_WORLD_SIZE", "TC_MIGRATE_STORE"
"""Environment variables of a worker that `launch.py` starts: its rank, how many there are, the file they meet at."""

PATIENCE = datetime.timedelta(minutes=5)
"""How long a worker waits for another one in a collective."""

rank = 0
size = 1
store_path = ""
devices = 1
"""Devices of this machine, hence workers that a spawn starts."""
on_gpu = False
used = False
"""Whether the script has used an xla device: later than that it cannot start workers."""
opened: dict[str, int] = {}
"""How many stores this process has opened for each purpose."""
_group: Any = None


def enter(order: dict[str, Any]) -> None:
    """Take this process's place from the order and the environment."""
    global devices, on_gpu
    devices, on_gpu = order["workers"], order["accelerator"] == "cuda"
    if STORE in os.environ:
        become(int(os.environ[RANK]), int(os.environ[SIZE]), os.environ[STORE])


def become(own_rank: int, world_size: int, store: str) -> None:
    """Make this process one of several workers, which meet at the file `store`."""
    global rank, size, store_path
    rank, size, store_path = own_rank, world_size, store
    if on_gpu:
        importlib.import_module("torch").cuda.set_device(own_rank)


def open_store(purpose: str) -> Any:
    """A key-value store that the workers share. All open as many for the same purpose, in the same order."""
    distributed = importlib.import_module("torch.distributed")
    number = opened[purpose] = opened.get(purpose, 0) + 1
    if size == 1:
        return distributed.HashStore()
    store = distributed.FileStore(f"{store_path}-{purpose}-{number}", size)
    store.set_timeout(PATIENCE)
    return store


def group() -> Any:
    """The process group of all workers; made when it is first needed, by all of them."""
    global _group
    if _group is None:
        distributed = importlib.import_module("torch.distributed")
        store = open_store("collectives")
        if on_gpu:
            _group = distributed.ProcessGroupNCCL(store, rank, size)
        else:
            _group = distributed.ProcessGroupGloo(store, rank, size, PATIENCE)
    return _group


def members(groups: list[list[int]] | None) -> list[int]:
    """The ranks that take part in a collective of this rank. Raises NotImplementedError for a part of the world."""
    everyone = list(range(size))
    own = next((each for each in groups or [] if rank in each), everyone)
    if sorted(own) not in (everyone, [rank]):
        raise NotImplementedError(f"the stand-in's collectives join all {size} workers or one, not the ranks {own}")
    return own


def gather(tensor: Any) -> list[Any]:
    """The tensor of every rank, in rank order. All ranks give the same shape and type."""
    torch = importlib.import_module("torch")
    if size == 1:
        return [tensor]
    # Booleans and small integers are not exchanged by every backend; their bytes are.
    source = tensor.detach().contiguous()
    flat = source.reshape(-1).view(torch.uint8)
    parts = [torch.empty_like(flat) for _ in range(size)]
    group().allgather([parts], [flat]).wait()
    return [part.view(source.dtype).reshape(source.shape) for part in parts]


def gather_bytes(payload: bytes) -> list[bytes]:
    """The payload of every rank, in rank order."""
    torch = importlib.import_module("torch")
    if size == 1:
        return [payload]
    place = f"cuda:{rank}" if on_gpu else "cpu"
    length = torch.tensor([len(payload)], device=place)
    lengths = [int(each) for each in gather(length)]
    padded = torch.tensor(list(payload.ljust(max(lengths), b"\0")), dtype=torch.uint8, device=place)
    return [bytes(part.tolist())[:count] for part, count in zip(gather(padded), lengths)]


def reduce(kind: str, tensor: Any) -> Any:
    """A new tensor: "sum", "mul", "and", "or", "min" or "max" over the ranks. Raises RuntimeError for another kind."""
    torch = importlib.import_module("torch")
    combine = {
        "sum": torch.add, "mul": torch.mul, "min": torch.minimum, "max": torch.maximum,
        "and": torch.bitwise_and, "or": torch.bitwise_or,
    }.get(kind)  # fmt: skip
    if combine is None:
        raise RuntimeError(f"Invalid reduce type: {kind}")  # csrc/cross_replica_reduces.cpp
    options = {"sum": "SUM", "mul": "PRODUCT", "min": "MIN", "max": "MAX"}
    result = tensor.detach().clone()
    if size == 1:
        return result
    if kind in options and result.is_floating_point():
        distributed = importlib.import_module("torch.distributed")
        order = distributed.AllreduceOptions()
        order.reduceOp = getattr(distributed.ReduceOp, options[kind])
        flat = result.contiguous()
        group().allreduce([flat], order).wait()
        return flat
    parts = gather(result)
    total = parts[0]
    for part in parts[1:]:
        total = combine(total, part)
    return total
