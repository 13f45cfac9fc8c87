"""The deliveries taken and the jobs to do: one SQLite file that several processes work on, any of which may die.

A job is done at least once. Who claims it holds it under a lease, alone in its repository; when the lease is not
extended the job is somebody else's. Attempts are counted when a job is claimed, so one that kills its worker ends too.
"""

from __future__ import annotations

import json
import logging
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from migrate.bot.jobs import Asked, Claim, Job, Outcome
from migrate.bot.queue_schema import SCHEMA, VERSION
from migrate.bot.redaction import redact
from migrate.bot.turns import find_next, hold

_LOG = logging.getLogger("tc-migrate.queue")
_BUSY = 30_000
"""Milliseconds to wait for another process's transaction."""
_LONGEST_NOTE = 2_000
"""Characters."""
_HOUR, _DAY = 3_600.0, 86_400.0


@dataclass(frozen=True)
class Limits:
    """How much of what is allowed. Times are in seconds."""

    lease: float = 60
    """From a claim or its extension to the time when the job is somebody else's."""
    attempts: int = 5
    backoff: float = 30
    """After the first failed attempt; twice as long after each further one, an hour at most."""
    patience: float = 3 * _DAY
    """After which a job is not postponed any more."""
    keep: float = 7 * _DAY
    """GitHub delivers again what is three days old at most, so a delivery is known for longer than that."""
    of_installation: int = 1_000
    """Jobs of one installation at once."""
    commands_of_one: int = 10
    """In comments, of one person, in an hour. More are dropped, and so is what somebody says in the hour after one was
    refused for want of the right. There is no limit for a repository: strangers would use it up."""


class Queue:
    """A connection to the file. Threads may share it; after a fork the child needs its own."""

    def __init__(self, path: Path, limits: Limits | None = None, clock: Callable[[], float] = time.time) -> None:
        """Opens the file, or makes it. Raises `sqlite3.Error` for one that is not a queue of this version."""
        self.path, self.limits = path, limits or Limits()
        self._clock, self._lock = clock, threading.Lock()
        self._open: sqlite3.Connection | None = None
        with self._lock:
            self._connect()

    def close(self) -> None:
        """Let go of the file. The next use opens it again."""
        with self._lock:
            if self._open is not None:
                self._open.close()
            self._open = None

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[sqlite3.Connection]:
        """All or nothing of what the block does; on the disk when it is left. Who only reads keeps nobody waiting."""
        with self._lock:
            connection = self._open or self._connect()
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _connect(self) -> sqlite3.Connection:
        self.path.touch(0o600)  # it names private repositories
        connection = sqlite3.connect(self.path, _BUSY / 1000, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        for setting in ("journal_mode = WAL", "synchronous = FULL"):
            connection.execute(f"PRAGMA {setting}")
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            connection.close()
            raise sqlite3.DatabaseError(f"{self.path}: written by another version of tc-migrate ({version})")
        for statement in SCHEMA:
            connection.execute(statement)
        connection.execute("COMMIT")
        self._open = connection
        return connection

    # --- what comes in ------------------------------------------------------------------------------------------------

    def accept(self, delivery: str, event: str, asked: Asked) -> bool:
        """Keep a delivery and its jobs. False for one that was kept before: then nothing is done."""
        now = self._clock()
        with self.transaction() as db:
            new = "INSERT INTO delivery VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            if not db.execute(new, (delivery, event, now)).rowcount:
                return False
            self._drop(db, asked)
            for job in asked.jobs:
                if not self._is_done(db, job) and (job.kind != "command" or self._may_command(db, job, now - _HOUR)):
                    self._add(db, delivery, job, now)
        return True

    def known(self, deliveries: Iterable[str]) -> set[str]:
        """Which of these were accepted, as far as they are kept."""
        one = "SELECT id FROM delivery WHERE id = ?"
        with self.transaction(write=False) as db:
            return {row["id"] for each in deliveries if (row := db.execute(one, (each,)).fetchone()) is not None}

    def _drop(self, db: sqlite3.Connection, asked: Asked) -> None:
        gone = "DELETE FROM job WHERE state = 'ready' AND"
        db.executemany(f"{gone} repository = ?", [(name,) for name in asked.left])
        if asked.left_installation is not None:
            db.execute(f"{gone} installation = ?", (asked.left_installation,))

    def _may_command(self, db: sqlite3.Connection, job: Job, since: float) -> bool:
        refused = "SELECT 1 FROM stranger WHERE repository = ? AND sender = ? AND refused > ?"
        if db.execute(refused, (job.repository, job.sender, since)).fetchone():
            return False
        counted = "SELECT count(*) FROM job WHERE kind = 'command' AND created > ? AND sender = ?"
        return bool(db.execute(counted, (since, job.sender)).fetchone()[0] < self.limits.commands_of_one)

    def _is_done(self, db: sqlite3.Connection, job: Job) -> bool:
        """Whether it is an act that was done: a caught delivery, sent again under another id."""
        return bool(job.act and db.execute("SELECT 1 FROM act WHERE act = ?", (job.act,)).fetchone())

    def _add(self, db: sqlite3.Connection, delivery: str, job: Job, now: float) -> None:
        """What is asked for anew has all its attempts again, but no earlier than a rate limit allows."""
        db.execute(
            """INSERT INTO job (delivery, kind, key, repository, installation, sender, details, urgency,
                                not_before, created, changed)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (key) WHERE state = 'ready' DO UPDATE SET
                   delivery = excluded.delivery, installation = excluded.installation, sender = excluded.sender,
                   details = excluded.details, attempts = 0, created = excluded.created, changed = excluded.changed""",
            (delivery, job.kind, job.key, job.repository, job.installation, job.sender, json.dumps(dict(job.details)),
             job.urgency, now, now, now),
        )  # fmt: skip

    # --- what is done -------------------------------------------------------------------------------------------------

    def claim(self) -> Claim | None:
        """The next job, for the time of a lease; None when there is none to do now."""
        now, lease = self._clock(), secrets.token_hex(8)
        with self.transaction() as db:
            self._recover(db, now)
            row = find_next(db, now, self.limits.of_installation)
            if row is None:
                return None
            db.execute(
                """UPDATE job SET state = 'running', attempts = attempts + 1, lease = ?, lease_until = ?, changed = ?
                   WHERE id = ?""",
                (lease, now + self.limits.lease, now, row["id"]),
            )
        return Claim(row["id"], _read_job(row), row["attempts"] + 1, lease)

    def extend(self, claim: Claim) -> bool:
        """Hold a job for longer. False when it is somebody else's by now: then let go of it at once."""
        until = self._clock() + self.limits.lease
        with self.transaction() as db:
            held = "UPDATE job SET lease_until = ? WHERE id = ? AND lease = ? AND state = 'running'"
            return bool(db.execute(held, (until, claim.id, claim.lease)).rowcount)

    def finish(self, claim: Claim, outcome: Outcome) -> bool:
        """The job is done. False when it was somebody else's by then, as of `fail`, `postpone` and `release`."""
        with self.transaction() as db:
            row = self._held(db, claim)
            if row is not None:
                self._set(db, row, "done", outcome.note, pull_request=outcome.pull_request)
                self._remember(db, claim.job, outcome)
        return row is not None

    def fail(self, claim: Claim, error: str, *, final: bool = False) -> bool:
        """An attempt went wrong. It is tried again later, unless `final` or it was the last."""
        with self.transaction() as db:
            row = self._held(db, claim)
            if row is not None:
                self._retry(db, row, self._clock(), error, final=final)
        return row is not None

    def postpone(self, claim: Claim, until: float, reason: str, *, is_limit: bool = False) -> bool:
        """The job can go on at a time (seconds since the epoch) and no sooner. This was no attempt. `is_limit`: nothing
        of its installation can."""
        now = self._clock()
        with self.transaction() as db:
            row = self._held(db, claim)
            if row is None:
                return False
            if is_limit:
                hold(db, claim.job.installation, until)
            if until > row["created"] + self.limits.patience:
                self._bury(db, row, now, f"waited too long: {reason}")
            else:
                self._wait(db, row, until, reason, row["attempts"] - 1)
        return True

    def release(self, claim: Claim) -> bool:
        """Give a job back undone, because the worker stops. This was no attempt."""
        with self.transaction() as db:
            row = self._held(db, claim)
            if row is not None:
                self._wait(db, row, self._clock(), "the worker stopped", row["attempts"] - 1)
        return row is not None

    def recover(self) -> None:
        """Take back what is held by workers that do not extend it any more. Each claim does so too."""
        with self.transaction() as db:
            self._recover(db, self._clock())

    def prune(self) -> None:
        """Forget what is older than is kept. Jobs that are not done stay."""
        before = self._clock() - self.limits.keep
        with self.transaction() as db:
            db.execute("DELETE FROM delivery WHERE received < ?", (before,))
            db.execute("DELETE FROM job WHERE state IN ('done', 'dead') AND changed < ?", (before,))
            db.execute("DELETE FROM alert WHERE raised < ?", (before,))
            db.execute("DELETE FROM stranger WHERE refused < ?", (before,))

    def _remember(self, db: sqlite3.Connection, job: Job, outcome: Outcome) -> None:
        """An act that was done is not done again; a button that came to nothing may be pressed again."""
        if outcome.is_refused:
            refused = "INSERT OR REPLACE INTO stranger VALUES (?, ?, ?)"
            db.execute(refused, (job.repository, job.sender, self._clock()))
        if job.act and (job.kind == "command" or outcome.pull_request):
            db.execute("INSERT OR IGNORE INTO act VALUES (?, ?)", (job.act, self._clock()))

    # --- states -------------------------------------------------------------------------------------------------------

    def _held(self, db: sqlite3.Connection, claim: Claim) -> sqlite3.Row | None:
        held = "SELECT * FROM job WHERE id = ? AND lease = ? AND state = 'running'"
        row: sqlite3.Row | None = db.execute(held, (claim.id, claim.lease)).fetchone()
        return row

    def _recover(self, db: sqlite3.Connection, now: float) -> None:
        for row in db.execute("SELECT * FROM job WHERE state = 'running' AND lease_until <= ?", (now,)).fetchall():
            self._retry(db, row, now, "the worker died or hung")

    def _retry(self, db: sqlite3.Connection, row: sqlite3.Row, now: float, error: str, *, final: bool = False) -> None:
        if final or row["attempts"] >= self.limits.attempts:
            self._bury(db, row, now, error)
        else:
            pause = min(self.limits.backoff * 2.0 ** (row["attempts"] - 1), _HOUR)
            self._wait(db, row, now + pause, error, row["attempts"])

    def _wait(self, db: sqlite3.Connection, row: sqlite3.Row, until: float, note: str, attempts: int) -> None:
        waiting = "UPDATE job SET not_before = max(not_before, ?) WHERE key = ? AND state = 'ready'"
        if db.execute(waiting, (until, row["key"])).rowcount:
            self._set(db, row, "done", f"asked for anew meanwhile; {note}")
        else:
            db.execute("UPDATE job SET not_before = ?, attempts = ? WHERE id = ?", (until, attempts, row["id"]))
            self._set(db, row, "ready", note)

    def _bury(self, db: sqlite3.Connection, row: sqlite3.Row, now: float, error: str) -> None:
        self._set(db, row, "dead", error)
        text = f"{row['kind']} given up at attempt {row['attempts']}: {_note(error)}"
        _LOG.error("job %d of %s: %s", row["id"], row["repository"], text)
        alert = "INSERT INTO alert (job, repository, raised, text) VALUES (?, ?, ?, ?)"
        db.execute(alert, (row["id"], row["repository"], now, text))

    def _set(self, db: sqlite3.Connection, row: sqlite3.Row, state: str, note: str, pull_request: str = "") -> None:
        db.execute(
            """UPDATE job SET state = ?, note = ?, pull_request = ?, changed = ?, lease = NULL, lease_until = NULL
               WHERE id = ?""",
            (state, _note(note), pull_request, self._clock(), row["id"]),
        )


def _note(text: str) -> str:
    """What can be kept: short, without credentials, and text that the database takes."""
    return redact(text[: 10 * _LONGEST_NOTE])[:_LONGEST_NOTE].encode("utf-8", "replace").decode()


def _read_job(row: sqlite3.Row) -> Job:
    return Job(
        row["kind"], row["repository"], row["key"], row["installation"], row["sender"], json.loads(row["details"]),
        row["urgency"],
    )  # fmt: skip
