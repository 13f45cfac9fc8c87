"""How a command ends that something stops: Ctrl-C, a closed pipe, a full disk, what may not be read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

import click

INTERRUPTED = 130
"""As a shell says it of what Ctrl-C has ended."""
TROUBLE = 2
"""What the world refuses. 1 means that something was found, and 0 that all is done."""


class Trouble(click.ClickException):
    """What the user asked for cannot be: one line, exit code 2."""

    exit_code = TROUBLE


class Guard(click.Command):
    """A command that ends with a sentence and a code that says what happened, never with a traceback for what the
    world did. It stands before `Group` among the bases of a group."""

    def make_context(self, *words: Any, **more: Any) -> click.Context:
        """Read the command line; `--help` speaks here already."""
        with _told():
            return super().make_context(*words, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Do what is asked."""
        with _told():
            return super().invoke(ctx)

    def main(self, *words: Any, **more: Any) -> Any:
        """The whole command. The process ends here unless `standalone_mode` is false."""
        run: Callable[..., Any] = super().main
        if not more.pop("standalone_mode", True):
            return run(*words, standalone_mode=False, **more)
        _open_closed()
        code: Any = TROUBLE
        try:
            code = run(*words, standalone_mode=False, **more) or 0
        except click.ClickException as error:
            with _silenced():
                error.show()
        except (click.Abort, KeyboardInterrupt):
            code = INTERRUPTED
            with _silenced():
                click.echo("stopped", err=True)
        with _silenced():
            sys.stderr.flush()
        sys.exit(code)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except (click.ClickException, click.Abort):
        raise
    except click.exceptions.Exit:
        _flush()
        raise
    except KeyboardInterrupt as error:
        raise click.Abort from error  # before click writes an empty line
    except OSError as error:
        with suppress(Trouble):
            _flush()  # what was said before stays said
        raise Trouble(_sentence(error)) from error
    except Exception as error:
        from migrate.migration import MigrateError  # only now: `--help` needs none of the engine

        if isinstance(error, MigrateError):
            raise Trouble(str(error)) from error
        raise


def _flush() -> None:
    try:
        sys.stdout.flush()
    except OSError as error:
        _discard(sys.stdout, 1)
        raise Trouble(_sentence(error)) from error


def _sentence(error: OSError) -> str:
    if isinstance(error, BrokenPipeError):
        return "who reads standard output has closed it"
    what = (error.strerror or str(error)).lower()
    return f"{error.filename}: {what}" if error.filename else f"standard output, or a file, cannot be written: {what}"


def _open_closed() -> None:
    """A stream that is closed from the start takes what it is given: another file must not come by its number."""
    for name, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            with suppress(OSError):
                os.fstat(number)
                continue
            opened = os.open(os.devnull, os.O_RDWR)
            os.dup2(opened, number)
            setattr(sys, name, open(number, "r+" if number == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115


def _discard(stream: TextIO, number: int) -> None:
    """What a stream still holds goes nowhere: Python would try to write it at the end, and fail again."""
    with suppress(OSError, ValueError, AttributeError):
        if stream.fileno() == number:
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)


@contextmanager
def _silenced() -> Iterator[None]:
    """Standard error may be what failed: then nothing can be said."""
    try:
        yield
    except (OSError, KeyboardInterrupt):
        _discard(sys.stderr, 2)
