"""Ends worker processes without the interpreter's own clean-up.

After a script's work is done, a process that has gloo's threads behind it, or a loader of torch_xla half read, aborts
there now and then ("Fatal Python error: Aborted", no Python frame), and its parent takes that for a failure. Forked
workers leave like this anyway; here those that are spawned do too.
"""

from __future__ import annotations

import atexit
import functools
import os
import sys
from multiprocessing.process import BaseProcess
from typing import Any


def install() -> None:
    """Make every process that multiprocessing starts leave right after its work and its exit functions."""
    bootstrap = BaseProcess._bootstrap  # type: ignore[attr-defined]

    @functools.wraps(bootstrap)
    def work_and_leave(self: BaseProcess, *arguments: Any, **options: Any) -> None:
        code = bootstrap(self, *arguments, **options)
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    BaseProcess._bootstrap = work_and_leave  # type: ignore[attr-defined]
