"""Whether there is a GPU for a smoke run, asked of the interpreter that is to use it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from migrate.smoke.environments import Environment

DRIVER = Path("/dev/nvidiactl")
"""There whenever NVIDIA's driver is loaded; without it nobody has to wait for `import torch`."""

QUESTION = "import torch; print(torch.cuda.is_available() and torch.version.cuda is not None)"


def find_accelerator(environment: Environment) -> str:
    """ "cuda" when this interpreter's torch can use a GPU, else "cpu"."""
    if not DRIVER.exists():
        return "cpu"
    try:
        answer = subprocess.run(
            [str(environment.python), "-c", QUESTION], capture_output=True, text=True, timeout=120, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return "cpu"
    return "cuda" if answer.strip() == "True" else "cpu"
