"""The process between the tool and a script: starts the script shut in, counts its memory, and leaves nothing behind.

It runs in the tool's own interpreter, with the standard library only. It holds the script in by what the kernel grants
here, tried out first, and says in its report what that was:

- "processes": a process namespace. Whatever the script starts, and however it detaches itself, ends with it.
  Elsewhere this process adopts orphans and kills every descendant it finds.
- "network": a network of a loopback only, unless the network was asked for.
- "files": Landlock. The script writes only in the run's own folder, to shared memory and to harmless devices.
- "attributes": a seccomp filter and a gate (`gate.py`). It changes modes, times, owners and attributes only there.
- "sockets": the same, and for names without a path Landlock or the network. It reaches only Unix sockets of its own.

This keeps a script from disturbing the machine by accident; it is no protection against a hostile one.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

from . import gate, kernel, processes
from .removal import remove

INTERVAL = 0.1
"""Seconds between two looks at memory."""
GRACE = 5.0
"""Seconds that an interrupted script has to write what it had done so far."""
LEFT_FREE = 0.1
"""Part of the disk space free at first that is not to be taken."""
DEVICES = (
    "null",
    "zero",
    "full",
    "random",
    "urandom",
    "tty",
    "ptmx",
    "nvidia*",
    "nvidia-caps/*",
    "dxg",
    "dri/*",
    "accel*",
)
"""Names under /dev that a script may write to."""
WATCHED = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT}


def main() -> None:
    """Run by `migrate.smoke.enclosure` with the path of the settings; the report is a JSON file beside them."""
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    settings = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with contextlib.suppress(OSError):
        kernel.die_with_parent(signal.SIGTERM)
    if os.getppid() != settings["tool"]:  # it ended before that
        leave(settings)
    held = find_out(settings)
    kernel_holds = {"processes": "processes" in held, "network": "network" in held}
    if any(kernel_holds.values()):
        kernel.enter_namespaces(**kernel_holds)
    if "processes" in held:
        follow_first_process(settings, held)
    else:
        with contextlib.suppress(OSError):
            kernel.adopt_orphans()
        report(settings, held, supervise(settings, held))
        if os.getppid() != settings["tool"]:
            leave(settings)


def find_out(settings: dict[str, Any]) -> list[str]:
    """What the kernel grants here of what can hold a script in."""
    network = not settings["network"]
    held = []
    if kernel.works(lambda: try_namespaces(True, False)):
        held.append("processes")
    if network and kernel.works(lambda: try_namespaces("processes" in held, True)):
        held.append("network")
    if kernel.works(lambda: forbid_writes(settings)):
        held.append("files")
    if kernel.works(gate.works):
        held.append("attributes")
        if "network" in held or ("files" in held and kernel.landlock_version() >= 6):
            held.append("sockets")
    return held


def refused(settings: dict[str, Any], held: list[str]) -> list[str]:
    """What was wanted and the kernel does not grant."""
    wanted = ("processes", "network", "files", "attributes", "sockets")
    return [name for name in wanted if name not in held and not (name == "network" and settings["network"])]


def try_namespaces(own_processes: bool, own_network: bool) -> None:
    """Raises OSError unless these namespaces can be had, and a /proc that fits them."""
    kernel.enter_namespaces(own_processes, own_network)
    if own_processes and not kernel.works(kernel.mount_own_proc):
        raise OSError("no /proc of its own")


def forbid_writes(settings: dict[str, Any]) -> None:
    """Shut the file system but for the run's folder and what every program writes to."""
    devices = [path for name in DEVICES for path in glob.glob(f"/dev/{name}")]
    # CUDA names its threads through /proc, and does not start where it cannot.
    kernel.forbid_writes(own_folders(settings), devices + ["/proc"] * settings["cuda"])


def own_folders(settings: dict[str, Any]) -> list[str]:
    """Where a script may do what it likes."""
    return [settings["folder"], "/dev/shm", "/dev/pts"]


def follow_first_process(settings: dict[str, Any], held: list[str]) -> None:
    """Let a forked process, the first of the new namespace, supervise; pass signals on to it and wait for its end."""
    first = os.fork()
    if first == 0:
        kernel.die_with_parent(signal.SIGKILL)
        kernel.mount_own_proc()
        with contextlib.suppress(OSError):
            kernel.mount_own_shared_memory(settings["bytes"])
        report(settings, held, supervise(settings, held))
        os._exit(0)
    while os.waitpid(first, os.WNOHANG)[0] == 0:
        received = signal.sigwait(WATCHED)
        if received != signal.SIGCHLD:
            gone = os.getppid() != settings["tool"]
            os.kill(first, signal.SIGKILL if gone else received)
            if gone:
                os.waitpid(first, 0)
                leave(settings)


def supervise(settings: dict[str, Any], held: list[str]) -> dict[str, Any]:
    """Run the script to its end or to a limit, then end everything it has started. Says how it went."""
    kernel.go_before_others()
    sockets = [*gate.LOOK_UPS, *(gate.OF_CUDA if settings["cuda"] else ())]
    guard = gate.Gate(own_folders(settings), sockets) if "attributes" in held else None
    script = os.fork()
    if script == 0:
        start(settings, held, guard)
    if guard is not None:
        with contextlib.suppress(OSError):  # then it has ended, and said why
            guard.watch(script)
    status, cause = None, "itself"
    free_at_first = free_disk(settings["folder"])
    while status is None and cause == "itself":
        received = signal.sigtimedwait(WATCHED, INTERVAL)
        status = reap(script)
        if received is not None and received.si_signo != signal.SIGCHLD:
            # SIGTERM: its time is over, it may still say how far it came. SIGINT: the user is in a hurry.
            cause = "time"
            if received.si_signo == signal.SIGTERM:
                interrupt(settings["results"])
        if status is None and cause == "itself":
            running = processes.descendants(os.getpid())
            if processes.memory(running, settings["bytes"]) > settings["bytes"]:
                cause = "memory"
            elif len(running) > settings["processes"]:
                cause = "processes"
            elif free_disk(settings["folder"]) < free_at_first * LEFT_FREE:
                cause = "disk"
    processes.end_descendants()
    return {"status": status, "cause": cause, "limit": settings["bytes"]}


def free_disk(folder: str) -> int:
    """Bytes that can still be written in a folder."""
    free = os.statvfs(folder)
    return free.f_bavail * free.f_frsize


def reap(script: int) -> int | None:
    """Take in whatever has ended. The script's exit status, or minus the number of its signal, once it has."""
    ended = None
    with contextlib.suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                break
            if process == script:
                ended = os.waitstatus_to_exitcode(status)
    return ended


def interrupt(results: str) -> None:
    """Have every observed process write where it is and what it has done, and wait for that (`interruption.py`)."""
    observed = {int(Path(path).stem.partition("-")[2]) for path in glob.glob(f"{glob.escape(results)}/where-*.txt")}
    for process in observed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGUSR2)
    until = time.monotonic() + GRACE
    while time.monotonic() < until and observed & set(processes.descendants(os.getpid())):
        signal.sigtimedwait({signal.SIGCHLD}, INTERVAL)
        reap(0)


def start(settings: dict[str, Any], held: list[str], guard: gate.Gate | None) -> None:
    """Become the script, in the forked process. Does not return."""
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (settings["file_bytes"], settings["file_bytes"]))
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, for itself
            signal.signal(ignored, signal.SIG_DFL)
        kernel.drop_capabilities()
        if "files" in held:
            forbid_writes(settings)
        if guard is not None:
            guard.close_behind()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
        os.execv(settings["command"][0], settings["command"])
    except OSError as error:
        os.write(2, f"cannot start {settings['command'][0]}: {error}\n".encode())
    finally:
        os._exit(127)


def report(settings: dict[str, Any], held: list[str], outcome: dict[str, Any]) -> None:
    """Write how it went, in one piece."""
    path = Path(settings["report"])
    scratch = path.with_suffix(".partial")
    scratch.write_text(json.dumps({"held": held, "refused": refused(settings, held), **outcome}), encoding="utf-8")
    scratch.rename(path)


def leave(settings: dict[str, Any]) -> None:
    """End with nothing left on disk: the tool, which would remove the run's folder, has been killed."""
    remove(settings["folder"])
    os._exit(1)
