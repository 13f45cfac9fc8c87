"""Finds ranks that wait for each other for good, and says where each of them is.

XLA would end the process after ten seconds with a message of its own, which names no line and no rank. Ranks that
compute, compile or read data are told from ranks that wait by the processor time that the process uses, and on a busy
machine by its threads that want some.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from .. import observe
from .turns import Rank, State, Turns

LOOK = 0.2
"""Seconds between two looks."""
PATIENCE = 3.0
"""Seconds for which nothing may happen."""
IDLE = 0.2
"""Share of one processor's time below which the process waits: looking after the ranks takes a twentieth. Also the
share of looks at which one of its threads may want a processor."""
FILE = "ranks.json"
"""In the folder of results: what `migrate.smoke.run` reads."""


def start(table: Turns, results: str) -> None:
    """Watch the ranks of this process."""
    threading.Thread(target=watch, args=(table, Path(results) / FILE), daemon=True).start()


def watch(table: Turns, place: Path) -> None:
    """Look several times a second; end the process when its ranks stand."""
    since, moves, used, busy = time.monotonic(), table.moves, time.process_time(), 0
    while not table.ended:
        time.sleep(LOOK)
        now, moved = time.monotonic(), table.moves
        waited = now - since
        busy += runnable()
        if moved != moves:
            since, moves, used, busy = now, moved, time.process_time(), 0
        elif waited >= 1:
            # Should XLA end the process first, this is known at least.
            write(table, place, "waiting")
            if waited >= PATIENCE:
                if time.process_time() - used < IDLE * waited and busy < IDLE * waited / LOOK:
                    judge(table, place)
                since, used, busy = now, time.process_time(), 0


def runnable() -> bool:
    """Whether a thread of this process but the one that asks runs, or waits for a processor; False if unknown."""
    own = str(threading.get_native_id())
    with contextlib.suppress(OSError):
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(OSError), open(f"/proc/self/task/{thread}/stat", "rb") as file:
                if thread != own and file.read().rpartition(b")")[2].split()[0] == b"R":
                    return True
    return False


def judge(table: Turns, place: Path) -> None:
    """Nothing happens any more: end the process if that is because ranks wait for each other."""
    live = [rank for rank in table.ranks if rank.state is not State.ENDED]
    if live and all(rank.state in (State.MEETING, State.EXECUTING) for rank in live):
        give_up(table, place, "apart")
    owner = table.owner
    others = any(rank is not owner and rank.state is not State.ENDED for rank in live)
    # A graph was executed that came through no gate, and the rank has not come back from it.
    if owner is not None and owner.state is State.PYTHON and others and table.lookups() > table.seen:
        give_up(table, place, "ungated")


def give_up(table: Turns, place: Path, what: str) -> None:
    """Write where the ranks are, and end the process."""
    write(table, place, what)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


def write(table: Turns, place: Path, what: str) -> None:
    """What was found, and for each rank what it does."""
    scratch = place.with_suffix(".partial")
    scratch.write_text(json.dumps({"what": what, "ranks": [describe(rank) for rank in table.ranks]}))
    scratch.rename(place)


def describe(rank: Rank) -> dict[str, Any]:
    """Where a rank is: at its gate, or wherever its thread runs."""
    site, call = rank.site, rank.call
    if rank.state is State.PYTHON:
        site, call = observe.log().site(sys._current_frames().get(rank.thread)), ""
    return {"rank": rank.number, "state": rank.state.value, "site": site, "call": call}
