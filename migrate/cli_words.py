"""The words of a command line: what no option can mean by nothing, and what was meant by a word that is unknown."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from difflib import get_close_matches

import click


def split_names(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Comma-separated and repeatable options as one list of names."""
    found = tuple(name.strip() for value in values for name in value.split(",") if name.strip())
    if values and not found:
        raise click.BadParameter("it names nothing", ctx, parameter)
    return found


def refuse_empty(words: Sequence[str]) -> None:
    """Raise UsageError for a word that is empty, as a variable of a shell that is not set: taken for "not given" it
    would migrate for another target, by all rules, or all that is in the current folder."""
    before = ""
    for word in words:
        if word == "--":
            return
        name, equals, value = word.partition("=")
        if not word:
            raise click.UsageError(f"{before} is empty" if before.startswith("-") else "one of the words is empty")
        if word.startswith("--") and equals and not value:
            raise click.UsageError(f"{name} is empty")
        before = word


def suggest(paths: Sequence[str], commands: Collection[str]) -> None:
    """Raise UsageError where a path that is not there was meant for a command."""
    for number, path in enumerate(paths):
        if os.path.lexists(path):
            continue
        if path in commands:
            raise click.UsageError(f"{path!r} is a command, and goes first: tc-migrate {path} ...")
        near = get_close_matches(path, commands, n=1, cutoff=0.7) if not number else []
        if near:
            raise click.UsageError(f"there is no file or folder {path!r}; the nearest command is {near[0]!r}")
