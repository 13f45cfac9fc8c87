"""Whose turn it is among the jobs of a queue: one at a time in a repository, so many in an installation, and none in an
installation that is at the forge's limit. GitHub's limits are those of an installation."""

from __future__ import annotations

import sqlite3

_NEXT = """SELECT * FROM job AS this WHERE state = 'ready' AND not_before <= :now
    AND NOT EXISTS (SELECT 1 FROM job WHERE state = 'running' AND repository = this.repository)
    AND NOT EXISTS (SELECT 1 FROM pause WHERE installation = this.installation AND until > :now)
    AND (SELECT count(*) FROM job WHERE state = 'running' AND installation = this.installation) < :most
    ORDER BY urgency, (SELECT count(*) FROM job WHERE state = 'running' AND installation = this.installation),
        not_before, id LIMIT 1"""


def find_next(db: sqlite3.Connection, now: float, most: int) -> sqlite3.Row | None:
    """The job to begin; of an installation no more than `most` are worked on at once."""
    row: sqlite3.Row | None = db.execute(_NEXT, {"now": now, "most": most}).fetchone()
    return row


def hold(db: sqlite3.Connection, installation: int | None, until: float) -> None:
    """Begin nothing of an installation before a time: each job would ask, and be told of the limit once more."""
    if installation is not None:
        said = "INSERT INTO pause VALUES (?, ?) ON CONFLICT DO UPDATE SET until = max(until, excluded.until)"
        db.execute(said, (installation, until))
