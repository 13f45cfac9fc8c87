"""The environment variables of a smoke run's child process: what its side needs, and none of the caller's secrets."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from migrate.smoke.record import Side

CHILD = Path(__file__).resolve().parent / "child"

KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""What a child gets of the caller's variables."""


def child_variables(folder: Path, side: Side) -> dict[str, str]:
    """The environment variables of a child; all its places are under `folder`."""
    variables = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    variables |= {
        "TC_MIGRATE_SMOKE": str(folder / "order.json"),
        "PYTHONPATH": str(CHILD / "site"),
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder),
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",
        # Scripted functions would keep the device's own random numbers and devices.
        "PYTORCH_JIT": "0",
        # No GPU is touched, even where there is one.
        "CUDA_VISIBLE_DEVICES": "",
        # Nothing is sent to services on the network.
        "HF_HUB_OFFLINE": "1",
        "WANDB_MODE": "disabled",
        # What a SageMaker container sets, for scripts that read it without asking.
        "SM_MODEL_DIR": str(folder / "work"),
        "SM_OUTPUT_DATA_DIR": str(folder / "work"),
        "SM_CHANNEL_TRAINING": str(folder / "work"),
        "SM_CHANNEL_TRAIN": str(folder / "work"),
        "SM_CHANNEL_TEST": str(folder / "work"),
        "SM_HOSTS": '["algo-1"]',
        "SM_CURRENT_HOST": "algo-1",
        "SM_NUM_GPUS": "1",
    }
    if side is Side.CUDA:
        variables["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    else:
        variables |= {
            "PJRT_DEVICE": "CPU",
            "GPU_NUM_DEVICES": "1",
            # Each graph runs a few times only: on 2.9 a script took 12 s with these and 31 s without.
            "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
        }
    if side is Side.SMTC:
        # Functionalization came with torch_xla 2.0. In 2.1 it makes the syncfree optimizers step by gradients as they
        # were before they were clipped in place; 1.13, which 2.1 stands in for, has neither the one nor the other.
        variables["XLA_DISABLE_FUNCTIONALIZATION"] = "1"
    return variables


def torchrun_variables() -> dict[str, str]:
    """What torchrun sets in the only worker of a world of one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return {
        "RANK": "0",
        "LOCAL_RANK": "0",
        "WORLD_SIZE": "1",
        "LOCAL_WORLD_SIZE": "1",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }
