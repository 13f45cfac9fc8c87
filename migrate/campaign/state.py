"""What is known of each repository of a campaign: one SQLite file, which may be left in the middle at any moment.

No token is ever in it. One process works on it at a time; others may read it meanwhile.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from enum import Enum
from pathlib import Path

from migrate.bot.redaction import redact
from migrate.campaign.record import Record, Result, Stage
from migrate.campaign.sources import Kind, Source
from migrate.migration import MigrateError

VERSION = 1
_BUSY = 30_000
"""Milliseconds to wait for a reader's transaction."""
_GRACE = 5.0
"""Seconds in which the children of a process that was killed come to their end."""
_LONGEST = 500
"""Characters of a reason that are kept."""


_COLUMNS = tuple(each.name for each in fields(Record) if each.name not in ("source", "counts"))
_SCHEMA = (
    f"""CREATE TABLE IF NOT EXISTS repository (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    source TEXT NOT NULL UNIQUE,
    counts TEXT NOT NULL DEFAULT '{{}}',
    stage TEXT NOT NULL DEFAULT '{Stage.QUEUED.value}',
    result TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    retryable INTEGER NOT NULL DEFAULT 0,
    base TEXT NOT NULL DEFAULT '',
    "commit" TEXT NOT NULL DEFAULT '',
    tool TEXT NOT NULL DEFAULT '',
    options TEXT NOT NULL DEFAULT '',
    changes TEXT NOT NULL DEFAULT '',
    branch TEXT NOT NULL DEFAULT '',
    tip TEXT NOT NULL DEFAULT '',
    proposed TEXT NOT NULL DEFAULT '',
    number INTEGER,
    url TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0,
    changed REAL NOT NULL DEFAULT 0
)""",
    # `opened`: pull requests, those included that are perhaps being opened.
    """CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    opened INTEGER NOT NULL DEFAULT 0,
    is_over INTEGER NOT NULL DEFAULT 0
)""",
    f"PRAGMA user_version = {VERSION}",
)


class State:
    """The file. It is open only while something is read or written: processes are forked in between."""

    def __init__(self, path: Path) -> None:
        """Make it, or go on with the one that is there. Raises MigrateError."""
        self.path = path
        with self._open(write=True) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version not in (0, VERSION):
                raise MigrateError(f"{path} was written by another version of tc-migrate")
            for statement in _SCHEMA:
                db.execute(statement)

    def add(self, sources: Iterable[Source]) -> list[int]:
        """Remember repositories, each once. Their numbers."""
        numbers = {}
        with self._open(write=True) as db:
            for row in db.execute("SELECT id, kind, source FROM repository").fetchall():
                numbers[_identify(Source(Kind(row["kind"]), row["source"]))] = int(row["id"])
            added = []
            for source in sources:
                key = _identify(source)
                if key not in numbers:
                    said = "INSERT INTO repository (kind, source) VALUES (?, ?)"
                    numbers[key] = int(db.execute(said, (source.kind.value, source.text)).lastrowid or 0)
                added.append(numbers[key])
        return list(dict.fromkeys(added))

    def records(self, numbers: Sequence[int] | None = None) -> dict[int, Record]:
        """All repositories, or those of these numbers, in the order in which they came."""
        with self._open() as db:
            rows = db.execute("SELECT * FROM repository ORDER BY id").fetchall()
        wanted = None if numbers is None else set(numbers)
        return {row["id"]: _read(row) for row in rows if wanted is None or row["id"] in wanted}

    # --- a run ------------------------------------------------------------------------------------------------------

    def begin_run(self) -> bool:
        """Begin one, or go on with the one that was ended in the middle. Whether it is the latter."""
        with self._open(write=True) as db:
            if db.execute("SELECT 1 FROM run WHERE NOT is_over").fetchone():
                return True
            db.execute("INSERT INTO run DEFAULT VALUES")
            db.execute("UPDATE repository SET attempts = 0")
            return False

    def end_run(self) -> None:
        """All was done that could be."""
        with self._open(write=True) as db:
            db.execute("UPDATE run SET is_over = 1")

    def reserve(self, change: int, most: int | None) -> bool:
        """Count a pull request that is to be opened, or was not, by 1 or -1. False when the run has opened so many."""
        with self._open(write=True) as db:
            (opened,) = db.execute("SELECT opened FROM run WHERE NOT is_over").fetchone()
            if change > 0 and most is not None and opened >= most:
                return False
            db.execute("UPDATE run SET opened = opened + ? WHERE NOT is_over", (change,))
            return True

    def begin(self, number: int) -> int:
        """Note that a repository is begun, before anything that may end this process. How often it was."""
        with self._open(write=True) as db:
            db.execute("UPDATE repository SET attempts = attempts + 1 WHERE id = ?", (number,))
            row = db.execute("SELECT attempts FROM repository WHERE id = ?", (number,)).fetchone()
            return int(row["attempts"])

    def write(self, number: int, record: Record) -> None:
        """Note what has become of a repository."""
        known = asdict(replace(record, reason=_short(record.reason), changed=time.time()))
        values = [known[name].value if isinstance(known[name], Enum) else known[name] for name in _COLUMNS]
        places = ", ".join(f'"{name}" = ?' for name in (*_COLUMNS, "counts"))
        with self._open(write=True) as db:
            said = f"UPDATE repository SET {places} WHERE id = ?"
            db.execute(said, (*values, json.dumps(known["counts"]), number))

    @contextmanager
    def _open(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        try:
            db = sqlite3.connect(self.path, timeout=_BUSY / 1000, isolation_level=None)
            try:
                db.row_factory = sqlite3.Row
                db.execute("PRAGMA synchronous = FULL")
                db.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                yield db
                db.execute("COMMIT")
            finally:
                db.close()
        except sqlite3.Error as error:
            raise MigrateError(f"{self.path}: {error}") from error


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Be the only process that works on a campaign. Raises MigrateError while another does."""
    folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + _GRACE
    with (folder / "lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > end:
                    raise MigrateError(f"{folder}: another process is working on this campaign") from error
                time.sleep(0.1)
        yield


def _identify(source: Source) -> str:
    """The same for the same repository: the forge makes no difference of case."""
    return source.text.lower() if source.kind is Kind.FORGE else source.text


def _read(row: sqlite3.Row) -> Record:
    known = {name: row[name] for name in _COLUMNS}
    known |= {"stage": Stage(row["stage"]), "result": Result(row["result"]), "retryable": bool(row["retryable"])}
    return Record(Source(Kind(row["kind"]), row["source"]), counts=json.loads(row["counts"]), **known)


def _short(reason: str) -> str:
    return redact(reason)[:_LONGEST].encode("utf-8", "backslashreplace").decode()
