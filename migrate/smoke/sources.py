"""The texts that a smoke run migrates and looks into."""

from __future__ import annotations

import tokenize
from pathlib import Path

from migrate.migration import MigrateError


def read_script(script: Path) -> str:
    """The text of a script, in the encoding it declares. Raises MigrateError."""
    try:
        with tokenize.open(script) as file:
            return file.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise MigrateError(f"{script}: {getattr(error, 'strerror', None) or error}") from error


def read_module(path: Path) -> str | None:
    """The text of a module; None when there is none that can be read."""
    try:
        return read_script(path)
    except MigrateError:
        return None
