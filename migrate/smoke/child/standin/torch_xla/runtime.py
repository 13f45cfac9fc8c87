"""torch_xla.runtime: the processes and devices."""

from __future__ import annotations

import os
from typing import Any

import torch_xla.core.xla_model as xm
from tc_migrate_child.standin import world


def device_type() -> str:
    return os.environ.get("PJRT_DEVICE") or xm._hardware()


def set_device_type(pjrt_device: str) -> None:
    os.environ["PJRT_DEVICE"] = pjrt_device


def using_pjrt() -> bool:
    return True


def xla_device(n: Any = None, devkind: Any = None) -> Any:
    return xm._device(n)


def world_size() -> int:
    return world.size


def global_ordinal() -> int:
    return world.rank


def local_ordinal() -> int:
    return world.rank


def global_device_count() -> int:
    return world.size


def local_device_count() -> int:
    return world.size


def addressable_device_count() -> int:
    return 1


def local_process_count() -> int:
    return world.size


def process_count() -> int:
    return world.size


def process_index() -> int:
    return world.rank


def host_index() -> int:
    return 0


def is_spmd() -> bool:
    return False


def is_bf16_supported() -> bool:
    return True
