"""What is logged or kept holds no credential, whatever brought it there, and no line that pretends to be another."""

from __future__ import annotations

import logging
import os
import sys

from migrate.bot.redaction import LogLines, conceal, redact


def logged(message: str, *arguments: object, error: BaseException | None = None) -> str:
    about = (type(error), error, error.__traceback__) if error else None
    return LogLines().format(logging.LogRecord("name", logging.ERROR, "file", 1, message, arguments, about))


def test_what_was_concealed_is_not_shown() -> None:
    assert redact("a hunter2-hunter2 b") == "a hunter2-hunter2 b"
    conceal("hunter2-hunter2", "", "on")
    assert redact("a hunter2-hunter2 b on") == "a *** b on"


def test_arguments_and_tracebacks_are_looked_through_too() -> None:
    conceal("hunter2-hunter2")
    try:
        raise ValueError("of hunter2-hunter2 and ghs_abcdefghijklmnopqrstuv")
    except ValueError:
        said = logged("%s failed", "hunter2-hunter2", error=sys.exc_info()[1])
    assert said.splitlines()[0].endswith(f"ERROR name[{os.getpid()}]: *** failed")
    assert said.splitlines()[-1] == "    ValueError: of *** and ***"


def test_nothing_pretends_to_be_a_line_of_the_log() -> None:
    said = logged("a\n2026-01-01 00:00:00,000 INFO name[1]: all is well\x1b[2J\u202e\r")
    assert said.splitlines()[1].startswith("    2026-01-01")
    assert said.endswith("all is well\\x1b[2J\\u202e\\r")
