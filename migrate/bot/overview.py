"""What is in the queue: for the operator's page and for Prometheus. Reads only."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from migrate.bot.queue import Queue

_SHOWN = 50
"""Rows of each table."""
STATES = ("ready", "running", "done", "dead")


@dataclass(frozen=True)
class Overview:
    """The state of the bot at one moment. Rows have the names of the tables' columns."""

    states: Mapping[str, int]
    """How many jobs are in each state, without those that were pruned."""
    deliveries: int
    alerts: int
    repositories: Sequence[sqlite3.Row]
    """`repository`, `waiting`, `running`, `done`, `dead`, `changed`."""
    jobs: Sequence[sqlite3.Row]
    """The latest first."""
    pull_requests: Sequence[sqlite3.Row]
    """`repository`, `pull_request`, `note`, `changed`: what the last job of each had to say."""
    failures: Sequence[sqlite3.Row]
    """Alerts: `repository`, `raised`, `text`."""


def look(queue: Queue) -> Overview:
    """What there is to see. Raises `sqlite3.Error` when the file cannot be read."""
    with queue.transaction(write=False) as db:

        def rows(statement: str) -> list[sqlite3.Row]:
            return db.execute(statement, (_SHOWN,)).fetchall()

        found = dict(db.execute("SELECT state, count(*) FROM job GROUP BY state").fetchall())
        return Overview(
            {state: found.get(state, 0) for state in STATES},
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
            rows("SELECT repository, raised, text FROM alert ORDER BY id DESC LIMIT ?"),
        )
