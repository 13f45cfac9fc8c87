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
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Any

from migrate.smoke.environments import Environment
from migrate.smoke.variables import CHILD, Side, child_variables, torchrun_variables

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


class Ending(Enum):
    """How a run ended."""

    ENDED = "ended"
    """The script came to its end."""
    STOPPED = "stopped"
    """It did the optimizer steps that were asked for and was stopped there."""
    FAILED = "failed"
    """It raised, exited with a status other than 0, or trained in no process or in several; `output` says more."""
    TIMED_OUT = "timed out"


@dataclass(frozen=True)
class Limits:
    """How far a script may go."""

    seconds: float = 120.0
    steps: int | None = None
    """Steps of the first optimizer after which the script is stopped; None: let it end by itself."""


@dataclass(frozen=True)
class Parameter:
    """One trained parameter as it was left, in brief."""

    shape: tuple[int, ...]
    norm: float
    elements: tuple[float, ...]
    """At most 64 elements, spread evenly."""


@dataclass(frozen=True)
class Graphs:
    """What torch_xla compiled and executed up to one moment."""

    compiled: int
    executed: int


@dataclass(frozen=True)
class Run:
    """What one script computed."""

    side: Side
    ending: Ending
    seconds: float
    output: str
    """Standard output and error together, the last 20,000 characters."""
    steps: tuple[int, ...] = ()
    """Number of steps of each optimizer, in the order of their first step."""
    losses: tuple[tuple[int, float], ...] = ()
    """What was differentiated, in order, each with the number of steps that the first optimizer had done by then."""
    gradients: tuple[float, ...] = ()
    """Norm of all gradients as handed to the optimizer, one per step."""
    parameters: tuple[Parameter, ...] = ()
    graphs: tuple[Graphs, ...] = ()
    """After each step of the first optimizer; empty for CUDA scripts."""
    counters: dict[str, int] = field(default_factory=dict)
    """torch_xla's counters at the end: graphs, marks, and operators left to the CPU ("aten::...")."""
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether there is something to compare."""
        return self.ending in (Ending.ENDED, Ending.STOPPED)

    @property
    def late_graphs(self) -> tuple[Graphs, ...]:
        """What was compiled and executed in each step of the last third: set-up and first shapes are behind it."""
        pairs = list(pairwise(self.graphs))
        late = pairs[len(pairs) * 2 // 3 :]
        return tuple(Graphs(b.compiled - a.compiled, b.executed - a.executed) for a, b in late)


def run(
    script: Path,
    arguments: Sequence[str],
    side: Side,
    environment: Environment,
    *,
    limits: Limits | None = None,
    launch: Launch = Launch.MAIN,
    force_float32: bool = True,
    seed: int = 0,
) -> Run:
    """Run `script` on the CPU in a child process and observe its training.

    `force_float32` turns autocast off, so that both sides can be compared. Raises OSError when the child cannot be
    started; whatever the script does is told by the result.
    """
    limits = limits or Limits()
    folder = Path(tempfile.mkdtemp(prefix="tc-migrate-smoke-"))
    try:
        results, work = folder / "results", folder / "work"
        for place in (results, work, folder / "home"):
            place.mkdir()
        text = script.read_text(encoding="utf-8", errors="replace")
        order = {
            "side": side.value,
            "results": str(results),
            "steps": limits.steps,
            "seed": seed,
            "force_float32": force_float32,
            "apex": NEEDS_APEX.search(text) is not None,
        }
        (folder / "order.json").write_text(json.dumps(order), encoding="utf-8")
        variables = child_variables(folder, side)
        # No launcher sets these for a migrated script: one that still reads them has to fail.
        if side is Side.CUDA and READS_RANK.search(text):
            variables.update(torchrun_variables())
        script = script.resolve()
        command = [str(environment.python), str(CHILD / "launch.py"), launch.value, str(script), *arguments]
        began = time.monotonic()
        status = execute(command, variables, work, folder / "output.txt", limits.seconds)
        seconds = time.monotonic() - began
        output = (folder / "output.txt").read_text(encoding="utf-8", errors="replace")[-20_000:]
        seen = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(results.glob("observed-*.json"))]
        return conclude(side, status, seconds, output, seen)
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


def conclude(side: Side, status: int | None, seconds: float, output: str, seen: list[dict[str, Any]]) -> Run:
    """Make one result of what the processes of a run wrote: exactly one of them is to have trained."""
    trained = [result for result in seen if result["steps"] or result["losses"]]
    if status is None:
        ending = Ending.TIMED_OUT
    elif len(trained) == 1 and trained[0]["stopped"]:
        ending = Ending.STOPPED  # a worker that was stopped may have made its parent fail
    elif len(trained) == 1 and trained[0]["complete"] and status == 0:
        ending = Ending.ENDED
    else:
        ending = Ending.FAILED
        if status == 0:
            output += f"\n(trained in {len(trained)} processes)"
    if len(trained) != 1:
        return Run(side, ending, seconds, output)
    result = trained[0]
    return Run(
        side=side,
        ending=ending,
        seconds=seconds,
        output=output,
        steps=tuple(result["steps"]),
        losses=tuple((step, value) for step, value in result["losses"]),
        gradients=tuple(result["gradients"]),
        parameters=tuple(
            Parameter(tuple(item["shape"]), item["norm"], tuple(item["elements"])) for item in result["parameters"]
        ),
        graphs=tuple(Graphs(*pair) for pair in result["graphs"] if pair),
        counters=result["counters"],
        versions=result["versions"],
    )
