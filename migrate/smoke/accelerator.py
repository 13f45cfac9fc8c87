"""Whether there is a GPU for a smoke run and torch_xla runs on it, asked of the interpreter that is to use it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from migrate.migration import MigrateError
from migrate.smoke.backends import Choice, choose, parse
from migrate.smoke.environments import Environment
from migrate.smoke.record import Backend

if TYPE_CHECKING:
    from codemods.kit.phrases import Version
    from migrate.smoke.planning import Options

DRIVERS = (Path("/dev/nvidiactl"), Path("/dev/dxg"))
"""One is there when NVIDIA's driver is loaded, the second on WSL2; without, nobody has to wait for `import torch`."""

LOOK = """\
import json, platform, torch
free = torch.cuda.is_available() and torch.version.cuda is not None
print(json.dumps({
    "device": torch.cuda.get_device_name(0) if free else "",
    "torch": torch.__version__,
    "cuda": torch.version.cuda or "",
    "cudnn": torch.backends.cudnn.version() if free else 0,
    "python": platform.python_version(),
}))
"""
"""Asks an interpreter for its GPU."""
LOOK_AT_XLA = """\
import torch_xla.core.xla_model as xm
print("device:", xm.xla_device_hw(xm.xla_device()))
"""
"""Asks a torch_xla for the kind of its device."""
ON_GPU = ("GPU", "CUDA")
"""What it answers where that is a GPU."""
PLUGIN = "import importlib.util as u; print(u.find_spec('torch_xla_cuda_plugin') is not None)"
LAST_WITH_CUDA = (2, 7)
PATIENCE = 180.0
"""Seconds for an answer."""
PAGE = "docs/gpu-smoke.md says which container or wheel has one"


@dataclass(frozen=True)
class Machine:
    """The GPU of an interpreter's torch."""

    device: str
    """Its name; empty when there is none that torch can use."""
    torch: str
    cuda: str
    cudnn: int
    python: str


def has_driver() -> bool:
    """Whether a driver for a GPU is loaded."""
    return any(driver.exists() for driver in DRIVERS)


def ask(python: Path, question: str, variables: Mapping[str, str] | None = None) -> str | None:
    """What an interpreter prints when it runs `question`; None when it fails."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PJRT_", "XRT_", "XLA_"))}
    try:
        return subprocess.run(
            [str(python), "-c", question],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
            env={**inherited, **(variables or {})},
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def look(python: Path) -> Machine | None:
    """The GPU of an interpreter's torch; None when it does not start or has no torch."""
    answer = ask(python, LOOK)
    try:
        return Machine(**json.loads((answer or "").splitlines()[-1]))
    except (IndexError, TypeError, ValueError):
        return None


def find_accelerator(environment: Environment) -> str:
    """ "cuda" when this interpreter's torch can use a GPU, else "cpu"."""
    machine = look(environment.python) if has_driver() else None
    return "cuda" if machine is not None and machine.device else "cpu"


def runtimes(version: Version | None, plugin: bool) -> Iterator[dict[str, str]]:
    """The environment variables by which a torch_xla of this version computes on the GPU: one of these, in this order.

    1.x has XRT, which makes a server of its own for as many GPUs as it is told. PJRT called the device GPU at first and
    CUDA since 2.1. From 2.3 on CUDA may be a plugin, which is registered where it is told so.
    """
    if version is None or version < (2, 0):
        yield {"GPU_NUM_DEVICES": "1"}
        return
    registered = {"XLA_REGISTER_INSTALLED_PLUGINS": "1"} if plugin else {}
    names = ("GPU",) if version < (2, 1) else ("CUDA", "GPU") if version < (2, 3) else ("CUDA",)
    for name in names:
        yield {"PJRT_DEVICE": name, "GPU_NUM_DEVICES": "1", **registered}


def choose_for(options: Options, text: str) -> Choice:
    """What a migrated script, whose text this is, runs on by these options.

    Raises MigrateError when there is none, and for `--accelerator cuda` when it would not be a GPU that it runs on.
    """
    if options.accelerator != "cuda":
        return choose(options.target, options.backend, options.python, text)
    if options.backend == "oracle":
        raise MigrateError("--accelerator cuda: the environments of --backend oracle have a torch_xla for the CPU")
    if not has_driver():
        names = " or ".join(map(str, DRIVERS))
        raise MigrateError(f"--accelerator cuda: this machine has no GPU that NVIDIA's driver serves (no {names})")
    try:
        choice = choose(options.target, options.backend or "torch_xla", options.python, text)
    except MigrateError as error:
        raise MigrateError(f"--accelerator cuda: {error}; {PAGE}") from error
    python = choice.environment.python
    machine = look(python)
    if machine is None or not machine.device:
        raise MigrateError(f"--accelerator cuda: the torch of {python} cannot use the GPU; {PAGE}")
    if choice.backend is Backend.STANDIN:
        return replace(choice, accelerator="cuda")
    runtime = find_runtime(choice)
    if runtime is None:
        version = parse(choice.version)
        gone = version is not None and version > LAST_WITH_CUDA
        why = "has none any more, 2.7 was the last one" if gone else "does not run on CUDA"
        raise MigrateError(
            f"--accelerator cuda: torch_xla {choice.version} of {python} {why}; {PAGE}, "
            "and --backend standin runs the migrated script on the GPU without XLA"
        )
    return replace(choice, accelerator="cuda", runtime=runtime)


def find_runtime(choice: Choice) -> dict[str, str] | None:
    """By which variables a real torch_xla computes on the GPU: tried. None where it does not."""
    python = choice.environment.python
    plugin = (ask(python, PLUGIN) or "").strip() == "True"
    for variables in runtimes(parse(choice.version), plugin):
        answer = ask(python, LOOK_AT_XLA, variables) or ""
        if any(line == f"device: {name}" for line in answer.splitlines() for name in ON_GPU):
            return variables
    return None
