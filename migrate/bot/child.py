"""Runs one piece of work in a process of its own with limits, while its parent watches.

The child is forked: what the parent has loaded need not be loaded again for each job. It ends with its parent, so
nobody goes on with a job that is somebody else's by then.
"""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from migrate.bot.jobs import Claim, GiveUp, Outcome, Postpone, Work
from migrate.bot.redaction import redact

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_LARGEST_ERROR = 2_000
"""Characters, the last ones."""


@dataclass(frozen=True)
class Bounds:
    """What one job may cost."""

    memory: int = 2 * 1024**3
    """Bytes."""
    processor: int = 900
    """Seconds of work."""
    seconds: float = 1_800
    """On the clock."""


class Child:
    """Work that goes on beside this process, which must have one thread only and no open connection to a database."""

    def __init__(self, work: Work, claim: Claim, bounds: Bounds) -> None:
        """Not started yet: whoever starts it knows it already, and ends it when an interrupt comes in between."""
        context = multiprocessing.get_context("fork")
        self._answers, self._sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_run, args=(work, claim, bounds, os.getpid(), self._sender))

    def start(self) -> None:
        """Begin the work."""
        # What Python runs around a fork swallows exceptions: a Ctrl-C that comes there would be lost.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
        self._sender.close()

    @property
    def signs(self) -> list[Connection | int]:
        """What `multiprocessing.connection.wait` wakes up by when it has answered or ended."""
        return [self._answers, self._process.sentinel]

    def wait(self, seconds: float) -> bool:
        """Whether it has answered or ended, after so many seconds at most."""
        return bool(wait(self.signs, seconds))

    def result(self) -> Outcome | Exception:
        """What the work gave or raised, told as `Postpone`, `GiveUp` or another Exception. Waits for the end."""
        try:
            said = json.loads(self._answers.recv_bytes()) if self._answers.poll() else None
        except (EOFError, OSError, ValueError):
            said = None
        self.kill()  # before it is waited for: until then its number names the group of what it started
        return _read(said) if said is not None else RuntimeError(_tell_end(self._process))

    def kill(self) -> None:
        """End it now, with all processes that it started."""
        number = self._process.pid
        if number is not None:
            with suppress(ProcessLookupError, PermissionError):
                if os.getpgid(number) == number:
                    os.killpg(number, signal.SIGKILL)
            self._process.kill()
            self._process.join()
        self._answers.close()


def _run(work: Work, claim: Claim, bounds: Bounds, parent: int, sender: Connection) -> None:
    os.setsid()  # a group that can be ended as one; Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    end_with_parent(parent, signal.SIGKILL)
    _limit(bounds)
    try:
        said: dict[str, object] = {"done": asdict(work(claim))}
    except Postpone as error:
        said = {"postpone": [error.until, error.reason, error.is_limit]}
    except GiveUp as error:
        said = {"give_up": str(error)}
    except BaseException:
        said = {"error": redact(traceback.format_exc())[-_LARGEST_ERROR:]}
    sender.send_bytes(json.dumps(said).encode())
    sender.close()


def end_with_parent(parent: int, number: signal.Signals) -> None:
    """Linux sends this process a signal when its parent ends. Elsewhere a thread looks out for that and kills it, as
    far as Python lets it run. `parent`: its number, as the parent itself knew it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
    else:
        threading.Thread(target=_outlive, args=(multiprocessing.parent_process(),), daemon=True).start()
    if os.getppid() != parent:  # it ended before that
        os.kill(os.getpid(), number)


def hide_memory() -> None:
    """Keep this process and those forked from it from other processes of the same user: no environment, no memory, no
    core. Linux only; what is started as a program of its own is as open as ever."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _outlive(parent: BaseProcess) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGKILL)


def _limit(bounds: Bounds) -> None:
    """Where the system has no such limit it decides by itself."""
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_DATA: bounds.memory, resource.RLIMIT_CPU: bounds.processor}
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, hard) if hard == resource.RLIM_INFINITY else (min(most, hard), hard))


def _read(said: dict[str, object]) -> Outcome | Exception:
    readers: dict[str, Callable[..., Outcome | Exception]] = {
        "done": lambda value: Outcome(**value),
        "postpone": lambda value: Postpone(*value),
        "give_up": GiveUp,
        "error": RuntimeError,
    }
    ((kind, value),) = said.items()
    return readers[kind](value)


def _tell_end(process: BaseProcess) -> str:
    code = process.exitcode
    if code is None or code >= 0:
        return f"the job's process ended with {code} and said nothing"
    return f"the job's process was ended by {signal.Signals(-code).name}"
