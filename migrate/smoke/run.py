"""Runs one training script in a child process, under observation, and says what it computed.

The child has an environment variable list of its own, a temporary home and working folder, no standard input, and a
process group that is killed as a whole when its time is over. That keeps a script from disturbing the machine by
accident; it is no protection against a hostile one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import codemods
from migrate.smoke.environments import Environment
from migrate.smoke.record import Backend, Ending, Run, Side, read_worker
from migrate.smoke.variables import CHILD, child_variables, torchrun_variables

API = Path(codemods.__file__).parent / "kit" / "data" / "torch_xla_api.json"
"""Every public name of torch_xla with its signatures: what the stand-in is made of."""

READS_RANK = re.compile(r"""["'](?:LOCAL_RANK|RANK|WORLD_SIZE)["']|env://|init_process_group|smdistributed""")
"""Scripts that torchrun, or a launcher like it, is meant to start."""

NEEDS_APEX = re.compile(r"\bamp\.initialize\(|\bapex\.parallel\b")
"""Scripts that do not run without NVIDIA's apex, so that a stand-in has to be there."""


class Launch(Enum):
    """How a script is started."""

    MAIN = "main"
    """As `python script.py` does."""
    MP_FN = "mp_fn"
    """As the Training Compiler's launcher does: imported as a module, then `_mp_fn(0)` is called."""


@dataclass(frozen=True)
class Limits:
    """How far a script may go."""

    seconds: float = 120.0
    steps: int | None = None
    """Steps of the first optimizer after which the script is stopped; None: let it end by itself."""


@dataclass(frozen=True)
class Job:
    """One script to run, and how."""

    script: Path
    side: Side
    environment: Environment
    arguments: tuple[str, ...] = ()
    launch: Launch = Launch.MAIN
    limits: Limits = Limits()
    backend: Backend = Backend.TORCH_XLA
    """What serves torch_xla; without meaning for an original."""
    version: str = ""
    """The torch_xla whose names the stand-in has: "1.13", "2.9"."""
    predict: bool = False
    """Whether the stand-in records operations and predicts graphs; tensors are plain ones otherwise."""
    accelerator: str = "cpu"
    """"cuda": the GPU itself serves an original's CUDA calls, and the stand-in's XLA devices."""
    workers: int = 1
    """Training processes: ranks of the original, XLA devices of the stand-in."""
    seed: int = 0
    threads: int = 1
    force_float32: bool = True
    """Turn autocast off, so that both sides can be compared."""
    double: bool = False
    """Compute in float64."""
    perturb: float = 0.0
    """Relative size of a random change of every parameter at every step: measures how far rounding carries."""
    fake_data: bool = False
    """Serve well-known data sets by random tensors of their shapes."""


def run(job: Job) -> Run:
    """Run a script in a child process and observe its training.

    Raises OSError when the child cannot be started; whatever the script does is told by the result.
    """
    folder = Path(tempfile.mkdtemp(prefix="tc-migrate-smoke-"))
    try:
        results, work = folder / "results", folder / "work"
        for place in (results, work, folder / "home"):
            place.mkdir()
        text = job.script.read_text(encoding="utf-8", errors="replace")
        order = {
            "side": job.side.value,
            "backend": "native" if job.side is Side.CUDA else job.backend.value,
            "version": job.version,
            "api": str(API),
            "predict": job.predict,
            "accelerator": job.accelerator,
            "workers": job.workers,
            "script": str(job.script.resolve()),
            "results": str(results),
            "steps": job.limits.steps,
            "seed": job.seed,
            "threads": job.threads,
            "force_float32": job.force_float32,
            "double": job.double,
            "perturb": job.perturb,
            "fake_data": job.fake_data,
            "apex": NEEDS_APEX.search(text) is not None,
        }
        (folder / "order.json").write_text(json.dumps(order), encoding="utf-8")
        variables = child_variables(folder, job.side)
        # No launcher sets these for a migrated script: one that still reads them has to fail.
        if job.side is Side.CUDA and READS_RANK.search(text):
            variables.update(torchrun_variables())
        python, script = str(job.environment.python), str(job.script.resolve())
        command = [python, str(CHILD / "launch.py"), job.launch.value, script, *job.arguments]
        began = time.monotonic()
        status = execute(command, variables, work, folder / "output.txt", job.limits.seconds)
        seconds = time.monotonic() - began
        output = (folder / "output.txt").read_text(encoding="utf-8", errors="replace")[-20_000:]
        seen = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(results.glob("observed-*.json"))]
        return conclude(job, status, seconds, output, seen)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def execute(command: list[str], variables: dict[str, str], folder: Path, output: Path, seconds: float) -> int | None:
    """Run a command to its end; its exit status, or None when it had to be killed after `seconds`."""
    with output.open("wb") as file:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            cwd=folder,
            env=variables,
            start_new_session=True,
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            # The group outlives its leader as long as a worker does; the group's number is free otherwise.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def conclude(job: Job, status: int | None, seconds: float, output: str, seen: list[dict[str, Any]]) -> Run:
    """Make one result of what the processes of a run wrote: each of the workers is to have trained."""
    trained = [result for result in seen if result["steps"] or result["losses"]]
    expected = len(trained) == job.workers
    reason = ""
    if status is None:
        ending, reason = Ending.TIMED_OUT, f"was ended after {job.limits.seconds:.0f} s"
    elif expected and all(result["stopped"] for result in trained):
        ending = Ending.STOPPED  # a worker that was stopped may have made its parent fail
    elif expected and all(result["complete"] for result in trained) and status == 0:
        ending = Ending.ENDED
    else:
        ending = Ending.FAILED
        reason = f"trained in {len(trained)} processes" if status == 0 else f"exit status {status}"
    workers = sorted((read_worker(result) for result in trained), key=lambda worker: worker.rank)
    backend = None if job.side is Side.CUDA else job.backend
    return Run(job.side, ending, seconds, output, tuple(workers) if expected else (), backend, reason)
