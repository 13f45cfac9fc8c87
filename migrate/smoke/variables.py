"""The environment variables of a smoke run's child process: what its side needs, and none of the caller's secrets."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from pathlib import Path

from migrate.smoke.record import Side

CHILD = Path(__file__).resolve().parent / "child"

KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""What a child gets of the caller's variables."""


def child_variables(
    folder: Path,
    work: Path,
    side: Side,
    accelerator: str,
    workers: int,
    network: bool,
    passed: Mapping[str, str],
    runtime: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The environment variables of a child that works in `work`; its other places are under `folder`.

    `runtime`: by which a real torch_xla runs on the GPU. Those that the user `passed` on are added last.
    Their PYTHONPATH is searched after ours.
    """
    variables = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    variables |= {
        "TC_MIGRATE_SMOKE": str(folder / "order.json"),
        "PYTHONPATH": str(CHILD / "site"),
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",
        "NCCL_SOCKET_IFNAME": "lo",
        # Scripted functions would keep the device's own random numbers and devices.
        "PYTORCH_JIT": "0",
        # Nothing is sent to services on the network, and no window is opened.
        "WANDB_MODE": "disabled",
        "MPLBACKEND": "Agg",
        # What a SageMaker container sets, for scripts that read it without asking.
        "SM_MODEL_DIR": str(folder / "model"),
        "SM_OUTPUT_DATA_DIR": str(folder / "model"),
        "SM_CHANNEL_TRAINING": str(work),
        "SM_CHANNEL_TRAIN": str(work),
        "SM_CHANNEL_TEST": str(work),
        "SM_HOSTS": '["algo-1"]',
        "SM_CURRENT_HOST": "algo-1",
        "SM_NUM_GPUS": str(workers),
    }
    if not network:
        variables["HF_HUB_OFFLINE"] = "1"
    if accelerator != "cuda":
        # No GPU is touched, even where there is one.
        variables["CUDA_VISIBLE_DEVICES"] = ""
    else:
        # Both sides in float32 proper: XLA rounds products to TF32 where torch does not, and the other way round.
        variables["NVIDIA_TF32_OVERRIDE"] = "0"
        if "CUDA_VISIBLE_DEVICES" in os.environ:
            variables["CUDA_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]
    if side is Side.CUDA:
        variables["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    elif runtime:
        variables |= runtime
    else:
        variables |= {
            "PJRT_DEVICE": accelerator.upper(),
            "GPU_NUM_DEVICES": str(workers),
            # Each graph runs a few times only: on 2.9 a script took 12 s with these and 31 s without.
            "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
        }
    if side is Side.SMTC:
        # Functionalization came with torch_xla 2.0. In 2.1 it makes the syncfree optimizers step by gradients as they
        # were before they were clipped in place; 1.13, which 2.1 stands in for, has neither the one nor the other.
        variables["XLA_DISABLE_FUNCTIONALIZATION"] = "1"
    searched = [variables["PYTHONPATH"], passed.get("PYTHONPATH", "")]
    return variables | dict(passed) | {"PYTHONPATH": os.pathsep.join(filter(None, searched))}


def replica_variables(workers: int) -> dict[str, str]:
    """What a torch_xla needs for several devices of the CPU in one process.

    Its pool has too few threads for four of them: their collectives would wait for a thread that one of them has.
    """
    return {"CPU_NUM_DEVICES": str(workers), "XLA_THREAD_POOL_SIZE": str(8 * workers)}


def torchrun_variables(workers: int = 1) -> dict[str, str]:
    """What torchrun sets in the only worker of a world of one; for several all but the rank, which `launch.py` adds."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ranks = {"RANK": "0", "LOCAL_RANK": "0"} if workers == 1 else {}
    return {
        **ranks,
        "WORLD_SIZE": str(workers),
        "LOCAL_WORLD_SIZE": str(workers),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }
