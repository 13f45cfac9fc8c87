"""Worker processes for the parsing of what strangers wrote: nothing of ours is in them, and little can be done there.

A parser is no sandbox. Whoever finds a hole in LibCST's has a process without environment and without the memory of
the bot, that writes no file and, where the kernel grants it, has no network.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import forkserver

from migrate.batch.limits import become_worker, share_of_memory
from migrate.smoke.child.kernel import enter_namespaces, forbid_writes

_PROCESSOR = 1_800
"""Seconds of work of one worker."""
_FILES = 64
"""Open at once."""
_KEPT = ("LANG", "LC_ALL", "PATH", "TMPDIR", "TZ")


def start_confined(workers: int) -> Executor:
    """Workers that share no memory with this process: it may hold keys and tokens. As `migrate.batch` starts them."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["migrate.batch.tasks"])
    with _without_surroundings():
        forkserver.ensure_running()
        return ProcessPoolExecutor(workers, context, initializer=_become, initargs=(share_of_memory(workers),))


@contextmanager
def _without_surroundings() -> Iterator[None]:
    """No variables, and no folder that modules could be imported from: Python would look for `multiprocessing` there
    first. Only while this process has one thread."""
    variables, folder = dict(os.environ), os.getcwd()
    os.environ.clear()
    os.environ.update({name: variables[name] for name in _KEPT if name in variables}, PYTHONSAFEPATH="1")
    os.chdir("/")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(variables)
        os.chdir(folder)


def _become(memory: int) -> None:
    # A user namespace, which an ordinary user needs for it, is given to processes of one thread only.
    with suppress(OSError):
        enter_namespaces(processes=False, network=True)
    with suppress(OSError):
        forbid_writes([], [os.devnull])
    become_worker(memory)
    for kind, most in ((resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_NOFILE, _FILES), (resource.RLIMIT_CPU, _PROCESSOR)):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most, most) if hard == resource.RLIM_INFINITY else (min(most, hard),) * 2)
