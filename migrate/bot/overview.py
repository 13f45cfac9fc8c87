"""What is in the queue: for the operator's page and for Prometheus. Reads only."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from migrate.bot.queue import Queue

_SHOWN = 50
"""Rows of each table."""
_HOURS = 24
_HOUR = 3_600
_SETTLED = """EXISTS (SELECT 1 FROM job AS lost JOIN job AS later ON later.key = lost.key
    WHERE lost.id = alert.job AND later.state = 'done' AND later.changed > alert.raised)"""
STATES = ("ready", "running", "done", "dead")


@dataclass(frozen=True)
class Hour:
    """What ended in one hour."""

    begin: float
    """Seconds since the epoch."""
    done: int = 0
    dead: int = 0


@dataclass(frozen=True)
class Overview:
    """The state of the bot at one moment. Rows have the names of the tables' columns."""

    now: float
    """Seconds since the epoch."""
    states: Mapping[str, int]
    """How many jobs are in each state, without those that were pruned."""
    waiting: float
    """Seconds since the time when the job that waits longest could have been begun; 0 when none waits."""
    hours: Sequence[Hour]
    """The last day, the present hour last."""
    deliveries: int
    alerts: int
    repositories: Sequence[sqlite3.Row]
    """`repository`, `waiting`, `running`, `done`, `dead`, `changed`."""
    jobs: Sequence[sqlite3.Row]
    """The latest first."""
    pull_requests: Sequence[sqlite3.Row]
    """`repository`, `pull_request`, `note`, `changed`: what the last job of each had to say."""
    failures: Sequence[sqlite3.Row]
    """Alerts: `repository`, `raised`, `text`, and `settled`: the same was done since."""
    unsettled: int
    """How many alerts are not."""


def look(queue: Queue, now: float | None = None) -> Overview:
    """What there is to see. Raises `sqlite3.Error` when the file cannot be read."""
    now = time.time() if now is None else now
    with queue.transaction(write=False) as db:

        def rows(statement: str) -> list[sqlite3.Row]:
            return db.execute(statement, (_SHOWN,)).fetchall()

        found = dict(db.execute("SELECT state, count(*) FROM job GROUP BY state").fetchall())
        due = db.execute("SELECT min(not_before) FROM job WHERE state = 'ready'").fetchone()[0]
        return Overview(
            now,
            {state: found.get(state, 0) for state in STATES},
            max(now - due, 0.0) if due is not None else 0.0,
            _hours(db, now),
            db.execute("SELECT count(*) FROM delivery").fetchone()[0],
            db.execute("SELECT count(*) FROM alert").fetchone()[0],
            rows(
                """SELECT repository, sum(state = 'ready') AS waiting, sum(state = 'running') AS running,
                          sum(state = 'done') AS done, sum(state = 'dead') AS dead, max(changed) AS changed
                   FROM job GROUP BY repository ORDER BY changed DESC LIMIT ?"""
            ),
            rows("SELECT * FROM job ORDER BY changed DESC, id DESC LIMIT ?"),
            rows(
                """SELECT repository, pull_request, note, max(changed) AS changed
                   FROM job WHERE pull_request <> '' GROUP BY repository, pull_request ORDER BY changed DESC LIMIT ?"""
            ),
            rows(f"SELECT repository, raised, text, {_SETTLED} AS settled FROM alert ORDER BY id DESC LIMIT ?"),
            db.execute(f"SELECT count(*) FROM alert WHERE NOT {_SETTLED}").fetchone()[0],
        )


def _hours(db: sqlite3.Connection, now: float) -> list[Hour]:
    last = int(now // _HOUR)
    counted = db.execute(
        """SELECT CAST(changed / 3600 AS INTEGER) AS hour, sum(state = 'done') AS done, sum(state = 'dead') AS dead
           FROM job WHERE state IN ('done', 'dead') AND changed >= ? GROUP BY hour""",
        ((last - _HOURS + 1) * _HOUR,),
    )
    by_hour = {row["hour"]: row for row in counted}
    return [
        Hour(hour * _HOUR, by_hour[hour]["done"], by_hour[hour]["dead"]) if hour in by_hour else Hour(hour * _HOUR)
        for hour in range(last - _HOURS + 1, last + 1)
    ]
