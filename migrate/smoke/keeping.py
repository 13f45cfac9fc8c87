"""Keeps what the original did, so that a second proof after an edit of the migrated half costs that half only.

A run is known by all that it depends on: the job, the files of its folder (sources by their text, others by size and
time), the environment, and this tool. What it reads from elsewhere is not known, so nothing is kept for longer than a
day.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from migrate.smoke.record import Run
from migrate.smoke.run import Job
from migrate.smoke.workspace import ENTRIES_IN_ALL, LEFT_OUT

DAY = 86_400.0
MOST = 64
"""Runs that are kept, the latest."""
TEXT = 1 << 20
"""Bytes up to which a source is known by its text."""


def recall(job: Job, folder: Path, without: Path | None, execute: Callable[[Job], Run]) -> Run:
    """The run of a job, from `folder` where it is kept; else it is executed, and kept where it came to its end.

    `without`: a file that the job does not read although it is in its folder, the migrated script.
    """
    if job.network:
        return execute(job)
    place = folder / f"{identify(job, without)}.run"
    with contextlib.suppress(Exception):  # of whatever an interrupted or older tool has left there
        if time.time() - place.stat().st_mtime < DAY:
            kept = pickle.loads(place.read_bytes())
            if isinstance(kept, Run):
                return kept
    ran = execute(job)
    if ran.ok:
        with contextlib.suppress(OSError):
            keep(ran, place)
    return ran


def keep(ran: Run, place: Path) -> None:
    """Write a run in one piece, and remove the oldest beyond the limit."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=place.parent)
    with os.fdopen(handle, "wb") as file:
        pickle.dump(ran, file)
    os.replace(scratch, place)
    for old in sorted(place.parent.glob("*.run"), key=lambda path: -path.stat().st_mtime)[MOST:]:
        old.unlink(missing_ok=True)


def identify(job: Job, without: Path | None) -> str:
    """A name for a job by all that its run depends on."""
    digest = hashlib.sha256(own_text())
    about = {name: value for name, value in sorted(vars(job).items()) if name not in ("variables", "given", "replaced")}
    digest.update(repr(about).encode())
    for contents in (job.variables, job.given, job.replaced):
        digest.update(repr(sorted(contents.items(), key=str)).encode())
    for line in describe_folder(job.root or job.script.parent, without):
        digest.update(line)
    return digest.hexdigest()[:40]


def describe_folder(top: Path, without: Path | None) -> Iterator[bytes]:
    """Each file of a folder: its path, and its text or its size and time."""
    left = ENTRIES_IN_ALL
    for above, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted(names):
            path, left = Path(above, name), left - 1
            if left < 0:
                return
            if without is not None and path.absolute() == without.absolute():
                continue
            with contextlib.suppress(OSError):
                about = path.stat()
                plain = path.suffix == ".py" and about.st_size <= TEXT
                known = path.read_bytes() if plain else f"{about.st_size} {about.st_mtime_ns}".encode()
                yield str(path.relative_to(top)).encode() + b"\0" + known + b"\0"


@cache
def own_text() -> bytes:
    """This tool's own sources, as a digest: what observes a run decides what is kept of it."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()
