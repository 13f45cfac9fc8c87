"""torch_xla.core.xla_model: devices, marks, optimizer steps, ranks, what goes between processes and files."""

from __future__ import annotations

import io
import sys
import threading
from typing import Any

import torch
import torch_xla.utils.utils as xu
from tc_migrate_child import standin
from tc_migrate_child.standin import world
from tc_migrate_child.standin.collectives import (  # noqa: F401
    all_gather,
    all_reduce,
    all_to_all,
    collective_broadcast,
    collective_permute,
    parameters_and_buffers,
    reduce_scatter,
)

_closures: list[Any] = []
_seed = 101  # what the generator of a fresh torch_xla process starts from


def is_xla_tensor(tensor: Any) -> bool:
    return bool(standin.device.is_xla(tensor))


def _device(n: int | None = None) -> Any:
    world.used = True
    if n not in (None, 0):
        raise RuntimeError(f"the stand-in has one device in each process, not {n}")
    return torch.device("xla", 0)


def xla_device(n: int | None = None, devkind: str | None = None) -> Any:
    return _device(n)


def get_xla_supported_devices(devkind: Any = None, max_devices: Any = None) -> list[str]:
    return ["xla:0"]


def _hardware() -> str:
    if not world.on_gpu:
        return "CPU"
    return "CUDA" if standin.version >= (2, 2) else "GPU"


def xla_real_devices(devices: Any = None) -> list[str]:
    return [f"{_hardware()}:{world.rank}" for _ in devices or get_xla_supported_devices()]


def xla_device_hw(device: Any) -> str:
    return _hardware()


def xla_device_kind(device: Any = None) -> str:
    return torch.cuda.get_device_name(world.rank) if world.on_gpu else "cpu"


def xrt_world_size(defval: int = 1) -> int:
    return world.size


def get_ordinal(defval: int = 0) -> int:
    return world.rank


def get_local_ordinal(defval: int = 0) -> int:
    return world.rank


def is_master_ordinal(local: bool = True) -> bool:
    return world.rank == 0


def master_print(*args: Any, fd: Any = None, local: bool = False, flush: bool = False) -> None:
    if is_master_ordinal(local=local):
        print(*args, file=fd or sys.stdout, flush=flush)


def _end_graph(wait: bool = False) -> None:
    """End the graph, then run what was to wait for that. The closures may add further ones, for the next mark."""
    standin.device.mark()
    if wait:
        standin.device.wait()
    waiting, _closures[:] = list(_closures), []
    for closure in waiting:
        closure()


def mark_step(wait: bool = False, reset_scope: bool = True) -> None:
    if standin.version >= (2, 8):
        sys.modules["torch_xla"].sync(wait, reset_scope)
    else:
        _end_graph(wait)


def _mark() -> None:
    """A mark by torch_xla's own code."""
    if standin.version >= (2, 8):
        sys.modules["torch_xla"].sync()
    else:
        mark_step()


def add_step_closure(closure: Any, args: Any = (), run_async: bool = False) -> None:
    def run() -> None:
        if run_async:
            threading.Thread(target=closure, args=args).start()
        else:
            closure(*args)

    _closures.append(run)


def wait_device_ops(devices: Any = ()) -> None:
    standin.device.wait()


def _fetch_gradients(optimizer: Any) -> list[Any]:
    return [
        parameter.grad.data
        for group in optimizer.__getstate__()["param_groups"]
        for parameter in group["params"]
        if isinstance(parameter, torch.Tensor) and parameter.grad is not None
    ]


def reduce_gradients(optimizer: Any, groups: Any = None, pin_layout: bool = True) -> None:
    if world.size > 1:
        all_reduce("sum", _fetch_gradients(optimizer), scale=1.0 / world.size, groups=groups)


def optimizer_step(
    optimizer: Any,
    barrier: bool = False,
    optimizer_args: Any = None,
    groups: Any = None,
    pin_layout: bool = True,
) -> Any:
    reduce_gradients(optimizer, groups=groups)
    loss = optimizer.step(**(optimizer_args or {}))
    if barrier:
        _mark()
    return loss


def broadcast_master_param(model: Any) -> None:
    collective_broadcast(parameters_and_buffers(model))
    _mark()


def set_rng_state(seed: int, device: Any = None) -> None:
    global _seed
    if not isinstance(seed, int):
        raise TypeError(f"_xla_set_rng_seed(): incompatible function arguments: {type(seed).__name__}, not int")
    _seed = seed


def get_rng_state(device: Any = None) -> int:
    return _seed


def get_memory_info(device: Any = None) -> dict[str, int]:
    """Zero on the CPU, as the runs on a real torch_xla answer."""
    free, total = torch.cuda.mem_get_info(world.rank) if world.on_gpu else (0, 0)
    if standin.version < (2, 4):
        return {"kb_free": free >> 10, "kb_total": total >> 10}
    return {"bytes_used": total - free, "bytes_limit": total, "peak_bytes_used": total - free}


def _to_cpu(data: Any) -> Any:
    # Whatever says that it is elsewhere: on the plain layer a computed tensor may say that it is on the CPU already.
    def is_meant(value: Any) -> bool:
        return isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter) and is_xla_tensor(value)

    found: list[Any] = []
    xu.for_each_instance_rewrite(data, is_meant, found.append)
    copies = iter(standin.device.to_host(found))
    return xu.for_each_instance_rewrite(data, is_meant, lambda tensor: next(copies))


def save(data: Any, file_or_path: Any, master_only: bool = True, global_master: bool = False) -> None:
    cpu_data = _to_cpu(data)
    if not master_only or is_master_ordinal(local=not global_master):
        torch.save(cpu_data, file_or_path)
    if standin.version < (2, 1):
        rendezvous("torch_xla.core.xla_model.save")


def send_cpu_data_to_device(datas: Any, device: Any, input_sharding: Any = None) -> Any:
    """Upload all tensors of a batch. The containers are made anew: tuples as lists, dictionaries as plain ones."""
    if input_sharding is not None:
        raise NotImplementedError("the stand-in has no sharding of a batch over the devices of a process")
    if type(datas) is torch.Tensor and standin.version >= (2, 0):
        datas = [datas]
    return xu.for_each_instance_rewrite(
        datas,
        lambda value: type(value) is torch.Tensor and value.device.type == "cpu",
        lambda tensor: standin.device.send(tensor),
    )


def rendezvous(tag: str, payload: bytes = b"", replicas: Any = ()) -> list[bytes]:
    if standin.version < (2, 1):
        # A server of the hosts did this; a process alone had none to ask.
        return world.gather_bytes(payload) if world.size > 1 else []
    return _exchange(payload)


def xla_rendezvous(payload: bytes = b"", ordinals: Any = None, tag: Any = None) -> list[bytes]:
    return _exchange(payload)


def _exchange(payload: bytes) -> list[bytes]:
    """As torch_xla 2.x does it: with the collectives of the device, so it ends graphs and makes some of its own."""
    if not isinstance(payload, bytes):
        raise TypeError(f"`payload` must be bytes, not {type(payload)}")
    _mark()
    device = _device()
    data = torch.tensor(list(payload), dtype=torch.uint8)
    size = torch.tensor([data.shape[0]], dtype=torch.int, device=device)
    sizes = all_gather(size)
    longest = torch.max(sizes)
    _mark()
    if longest.item() < 1:
        return [b""] * len(sizes)
    padded = torch.nn.functional.pad(data, (0, longest.item() - size.item())).to(device)
    shares = torch.split(all_gather(padded), int(longest))
    payloads = [share[:count] for share, count in zip(shares, sizes.cpu())]
    _mark()
    return [bytes(share.cpu().tolist()) for share in payloads]


def do_on_ordinals(target: Any, data: Any = (), ordinals: Any = (0,)) -> Any:
    running = world.rank in ordinals
    cpu_data = _to_cpu(data)
    result = target(*cpu_data) if running else None
    rendezvous("torch_xla.core.xla_model.do_on_ordinals")
    return result


def mesh_reduce(tag: str, data: Any, reduce_fn: Any) -> Any:
    """In a process alone, 1.x gives the data back as they are; 2.x calls the function."""
    cpu_data = _to_cpu(data)
    buffer = io.BytesIO()
    torch.save(cpu_data, buffer)
    received = [torch.load(io.BytesIO(each)) for each in rendezvous(tag, buffer.getvalue())]
    return reduce_fn(received) if received else cpu_data
