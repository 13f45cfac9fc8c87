"""The tables of the queue. The two unique indexes are what keeps it right when everything else fails."""

from __future__ import annotations

VERSION = 1
SCHEMA = (
    """CREATE TABLE IF NOT EXISTS delivery (
        id TEXT PRIMARY KEY,
        event TEXT NOT NULL,
        received REAL NOT NULL
    )""",
    # `key` and `repository` differ in no more than case when they are the same to the forge.
    """CREATE TABLE IF NOT EXISTS job (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        delivery TEXT NOT NULL,
        kind TEXT NOT NULL,
        key TEXT NOT NULL COLLATE NOCASE,
        repository TEXT NOT NULL COLLATE NOCASE,
        installation INTEGER,
        sender TEXT NOT NULL COLLATE NOCASE,
        details TEXT NOT NULL,
        urgency INTEGER NOT NULL,
        state TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'running', 'done', 'dead')),
        attempts INTEGER NOT NULL DEFAULT 0,
        not_before REAL NOT NULL,
        created REAL NOT NULL,
        changed REAL NOT NULL,
        lease TEXT,
        lease_until REAL,
        note TEXT NOT NULL DEFAULT '',
        pull_request TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE UNIQUE INDEX IF NOT EXISTS one_waits ON job (key) WHERE state = 'ready'",
    "CREATE UNIQUE INDEX IF NOT EXISTS one_runs ON job (repository) WHERE state = 'running'",
    "CREATE INDEX IF NOT EXISTS next ON job (urgency, not_before, id) WHERE state = 'ready'",
    "CREATE INDEX IF NOT EXISTS by_sender ON job (sender, created) WHERE kind = 'command'",
    "CREATE INDEX IF NOT EXISTS by_repository ON job (repository, created)",
    """CREATE TABLE IF NOT EXISTS alert (
        id INTEGER PRIMARY KEY,
        job INTEGER NOT NULL,
        repository TEXT NOT NULL,
        raised REAL NOT NULL,
        text TEXT NOT NULL
    )""",
    "CREATE TABLE IF NOT EXISTS pause (installation INTEGER PRIMARY KEY, until REAL NOT NULL)",
    # What persons have done, for ever: there is little of it, and who has caught a delivery may send it in a year.
    "CREATE TABLE IF NOT EXISTS act (act TEXT PRIMARY KEY, done REAL NOT NULL)",
    """CREATE TABLE IF NOT EXISTS stranger (
        repository TEXT NOT NULL COLLATE NOCASE,
        sender TEXT NOT NULL COLLATE NOCASE,
        refused REAL NOT NULL,
        PRIMARY KEY (repository, sender)
    )""",
    f"PRAGMA user_version = {VERSION}",
)
