"""Runs a command shut in: with limits of time, memory, processes and output, and nothing left running at its end.

A keeper process (`child/keeper.py`) starts the command and holds it in by what the kernel grants. This side reads what
the command prints, watches the clock, and ends the keeper, which ends the rest. When the tool itself is killed, the
keeper notices, ends everything and removes the run's folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO

TOOL = Path(__file__).resolve().parents[2]
"""The folder that `migrate` is imported from."""
START = "import sys; sys.path.insert(0, sys.argv.pop()); from migrate.smoke.child.keeper import main; main()"
KEPT_OUTPUT = 64 << 10
"""Bytes kept of the beginning and of the end of what a script prints."""
FREE_SHARE = 0.8
"""Part of the memory now free that a run may take."""
GRACE = 15.0
"""Seconds that the keeper has to end everything."""


keepers: set[subprocess.Popen[bytes]] = set()
"""Those that run now, in any thread."""


class Cause(Enum):
    """What ended a command."""

    ITSELF = "itself"
    TIME = "time"
    MEMORY = "memory"
    PROCESSES = "processes"
    """It started more processes than it may."""
    DISK = "disk"
    """It nearly filled the disk."""
    UNKNOWN = "unknown"
    """The keeper was killed."""


@dataclass(frozen=True)
class Bounds:
    """What a command is held in by."""

    folder: Path
    """The only folder that it may write to."""
    results: Path
    """Where its processes say where they are."""
    seconds: float
    bytes: int
    file_bytes: int
    processes: int
    network: bool = False
    cuda: bool = False


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    cause: Cause
    status: int | None
    """Exit status, or minus the number of the signal that killed it; None when it was ended from outside."""
    output: str
    held: tuple[str, ...]
    """What really held it in: "processes", "network", "files", "attributes", "sockets"."""
    limit: int = 0
    """Bytes of memory that it could have: what the machine had free may be less than what was allowed."""
    refused: tuple[str, ...] = ()
    """What was to hold it in, and the kernel did not grant."""


def enclose(command: Sequence[str], variables: Mapping[str, str], work: Path, bounds: Bounds) -> Ended:
    """Run `command` in the folder `work` with these environment variables, to its end or to a limit.

    Raises OSError when no process can be started.
    """
    keeper = start_keeper(command, variables, work, bounds)
    assert keeper.stdout is not None
    excerpt = Excerpt()
    try:
        if not excerpt.read(keeper.stdout, bounds.seconds):
            keeper.terminate()
            excerpt.read(keeper.stdout, GRACE)
    finally:
        end(keeper)
    try:
        told = json.loads((bounds.folder / "report.json").read_text(encoding="utf-8"))
    except OSError:
        return Ended(Cause.UNKNOWN, None, excerpt.text, ())
    held, refused = tuple(told["held"]), tuple(told["refused"])
    return Ended(Cause(told["cause"]), told["status"], excerpt.text, held, told["limit"], refused)


def start_keeper(
    command: Sequence[str], variables: Mapping[str, str], work: Path, bounds: Bounds
) -> subprocess.Popen[bytes]:
    """Start the keeper of a command; it has the command's output, folder and variables."""
    settings = {
        "command": list(command),
        "tool": os.getpid(),
        "report": str(bounds.folder / "report.json"),
        "folder": str(bounds.folder),
        "results": str(bounds.results),
        "bytes": min(bounds.bytes, int(free_memory() * FREE_SHARE)),
        "file_bytes": bounds.file_bytes,
        "processes": bounds.processes,
        "network": bounds.network,
        "cuda": bounds.cuda,
    }
    path = bounds.folder / "bounds.json"
    path.write_text(json.dumps(settings), encoding="utf-8")
    # Without the site module, and blind to the script's PYTHON... variables: a plain interpreter, quickly there.
    keeper = subprocess.Popen(
        [sys.executable, "-E", "-s", "-S", "-c", START, str(path), str(TOOL)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=work,
        env=dict(variables),
        start_new_session=True,
    )
    keepers.add(keeper)
    return keeper


def end_all() -> None:
    """End every command that another thread has enclosed, at once: the user has interrupted the tool."""
    for keeper in tuple(keepers):
        keeper.send_signal(signal.SIGINT)


def end(keeper: subprocess.Popen[bytes]) -> None:
    """Have the keeper end everything at once, if it has not yet; when it does not answer, kill it."""
    if keeper.poll() is None:
        keeper.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            keeper.wait(GRACE)
    # Its group is empty by now, unless it hung or was killed.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(keeper.pid, signal.SIGKILL)
    keeper.wait()
    keepers.discard(keeper)
    if keeper.stdout is not None:
        keeper.stdout.close()


class Excerpt:
    """The beginning and the end of what a command prints; what is between is counted."""

    def __init__(self) -> None:
        self.beginning, self.end, self.size = bytearray(), bytearray(), 0

    @property
    def text(self) -> str:
        """What was kept, with a line that says how much was not."""
        left_out = self.size - len(self.beginning) - len(self.end)
        between = f"\n[... {left_out:,} bytes left out ...]\n".encode() if left_out else b""
        return bytes(self.beginning + between + self.end).decode("utf-8", "replace")

    def read(self, pipe: IO[bytes], seconds: float) -> bool:
        """Read until the other side is closed, at most for `seconds`. Whether it was closed."""
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                if selector.select(left):
                    data = os.read(pipe.fileno(), KEPT_OUTPUT)
                    if not data:
                        return True
                    self.add(data)
        return False

    def add(self, data: bytes) -> None:
        """Take in the next bytes."""
        self.size += len(data)
        room = KEPT_OUTPUT - len(self.beginning)
        self.beginning += data[:room]
        self.end += data[room:]
        del self.end[:-KEPT_OUTPUT]


def free_memory() -> int:
    """Bytes that programs can still take; the limit of no machine where the system does not tell."""
    with contextlib.suppress(OSError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return 1 << 62
