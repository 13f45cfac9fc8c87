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

from migrate.bot.events import BRANCHES
from migrate.bot.place import is_name
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


_TYPES: dict[str, type | tuple[type, ...]] = {
    "number": (int, type(None)), "retryable": int, "attempts": int, "seconds": (int, float), "changed": (int, float),
}  # fmt: skip
"""Of columns that are no text."""
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
        _refuse_links(path.parent)
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
                numbers[_identify(_read_source(row["kind"], row["source"]))] = int(row["id"])
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
        try:
            return {row["id"]: _read(row) for row in rows if wanted is None or row["id"] in wanted}
        except (ValueError, TypeError, IndexError) as error:
            raise MigrateError(f"{self.path} is not as tc-migrate left it: {error}") from error

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
            except (TypeError, ValueError, IndexError) as error:  # of a value that is no number, a row that is gone
                raise MigrateError(f"{self.path} is not as tc-migrate left it: {error}") from error
            finally:
                db.close()
        except sqlite3.Error as error:
            raise MigrateError(f"{self.path}: {error}") from error


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Be the only process that works on a campaign. Raises MigrateError while another does, and for a folder or file
    that is a link."""
    _refuse_links(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MigrateError(f"{folder}: {error.strerror}") from error
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


def _refuse_links(folder: Path) -> None:
    """Somebody else may have put one there, and what is in there is written and deleted. Raises MigrateError."""
    for path in (folder.parent, folder, *(folder / name for name in ("lock", "state.db", "work", "patches"))):
        if path.is_symlink():
            raise MigrateError(f"{path} is a link: a campaign is kept in folders of its own")


def _identify(source: Source) -> str:
    """The same for the same repository: the forge makes no difference of case."""
    return source.text.lower() if source.kind is Kind.FORGE else source.text


def _read(row: sqlite3.Row) -> Record:
    known = {name: row[name] for name in _COLUMNS}
    counts = json.loads(row["counts"])
    for name, value in known.items():
        if not isinstance(value, _TYPES.get(name, str)):
            raise ValueError(f"{name} of {row['id']} is {value!r}")
    if known["branch"] and not known["branch"].startswith(BRANCHES):
        raise ValueError(f"branch of {row['id']} is {known['branch']!r}, which no campaign makes")
    if not isinstance(counts, dict) or not all(type(each) is int for each in counts.values()):
        raise ValueError(f"counts of {row['id']} are none")
    known |= {"stage": Stage(row["stage"]), "result": Result(row["result"]), "retryable": bool(row["retryable"])}
    return Record(_read_source(row["kind"], row["source"]), counts=counts, **known)


def _read_source(kind: str, text: str) -> Source:
    """Raises ValueError for what no source is written as."""
    source = Source(Kind(kind), text)
    good = {Kind.LOCAL: text.startswith("file:///"), Kind.URL: "://" in text, Kind.FORGE: is_name(text)}
    if not good[source.kind]:
        raise ValueError(f"{text!r} is no {kind} repository")
    return source


def _short(reason: str) -> str:
    return redact(reason)[:_LONGEST].encode("utf-8", "backslashreplace").decode()
