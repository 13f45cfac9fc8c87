"""Files that reports are written to: never over what is no report of ours, and whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from migrate.files import sweep, workshop
from migrate.migration import MigrateError
from migrate.repos import is_tracked

_SCRIPTS = (".py", ".pyi", ".ipynb")
_HEAD = 4096
"""Bytes of a file by which it is known."""
_OURS = re.compile(
    rb'<!doctype html>.*<meta name="generator" content="tc-migrate">|\{\s*"tool": "tc-migrate"'
    rb'|\{"\$schema": "[^"]*sarif[^"]*".*"name": "tc-migrate"|<\?xml[^>]*>\s*<testsuites name="tc-migrate"'
    rb"|::\w+ [^\n]*title=tc-migrate|tc-migrate: |## PyTorch/XLA migration for "
    rb"|# Campaign [^\n]*\n\n[^\n]*, by tc-migrate "
    rb"|\*\*[^\n]*(?:proved|trouble|diverged|could not run)\*\* [^\n]* for `",
    re.DOTALL,
)
"""How each of our reports begins."""


def check_reports(paths: Iterable[Path], inputs: Iterable[str | Path] = ()) -> None:
    """Before any work is done for them: raise MigrateError for a file that no report may be written to.

    `inputs`: the files of the run. Only a new file, an empty one, an older report of ours or a device is written.
    """
    read = {os.path.realpath(path) for path in inputs}
    seen: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if real in seen:
            raise MigrateError(f"two reports cannot be written to one file, {path}")
        seen.add(real)
        if reason := _reason(path, is_input=real in read):
            raise MigrateError(f"no report can be written to {path}: {reason}")


def write_report(path: Path, parts: Iterable[str]) -> None:
    """Put a report in place in one step: what goes wrong leaves the older one as it was. Raises MigrateError."""
    check_reports([path])  # the run took its time: another may stand there by now
    try:
        if path.exists() and not path.is_file():
            with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as device:
                device.writelines(parts)
            return
        sweep(path.absolute().parent)
        with workshop(path.absolute().parent) as folder:
            fresh = folder / path.name
            with fresh.open("x", encoding="utf-8", errors="backslashreplace", newline="") as file:
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                shutil.copymode(path, fresh)
            os.replace(fresh, path)
    except OSError as error:
        raise MigrateError(f"no report can be written to {path}: {error.strerror}") from error


def _reason(path: Path, *, is_input: bool) -> str:
    """Why a report may not be written there; empty when it may."""
    if path.is_dir() or not path.absolute().parent.is_dir():
        return "no such folder"
    if is_input:
        return "it is one of the files to migrate"
    if path.suffix.lower() in _SCRIPTS:
        return "that is the name of a script"
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return ""  # a pipe or a device, to which nothing is lost
        if path.is_symlink():
            return "it is a link"
        if is_tracked(path):
            return "git tracks it"
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except FileNotFoundError:
        return "it is a link to nowhere" if path.is_symlink() else ""
    except OSError as error:
        return str(error.strerror).lower()
    return "" if not head or _OURS.match(head) else "it is there, and no report of tc-migrate"
