"""Reads `/tc-migrate run` and the like out of a comment. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

WORDS = ("run", "check", "rebase", "suggest", "explain", "ignore", "drop", "close", "help")
_TAKES_ONE = ("explain", "ignore", "drop")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_LARGEST = 65_536
"""Characters of a comment that are looked at: GitHub allows no more."""
_LONGEST = 300
"""Characters of a line that may be a command."""
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_QUOTED = re.compile(r" {0,3}>|\t| {4}")
_CALL = re.compile(r" {0,3}/tc-migrate(?=\s|$)(.*)$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ARGUMENT = re.compile(r"[^\s\x00-\x1f\x7f]{1,200}")


@dataclass(frozen=True)
class Command:
    """What somebody wants."""

    word: str
    """One of WORDS."""
    argument: str = ""
    """The rule of `explain`, the path or rule of `ignore`, the commit that `rebase` may drop.

    Not checked any further: it is text from a stranger."""
    problem: str = ""
    """Why it is answered with `help` when something else was meant."""


def read_command(comment: str) -> Command | None:
    """The command a comment begins with; None when it has none.

    Only the first line of the writer's own counts: quotations, code and hidden comments above it are passed over, so a
    command that is quoted or shown as an example is none.
    """
    line = _first_line(_COMMENT.sub("", comment[:_LARGEST]))
    found = _CALL.match(line) if len(line) <= _LONGEST else None
    return _parse(found[1].split()) if found is not None else None


def _first_line(text: str) -> str:
    fence, quoted = "", False
    # Not `splitlines`: a quotation must not go out of its line by a separator that GitHub takes for a character.
    for line in re.split(r"\r\n|\r|\n", text):
        opened = _FENCE.match(line)
        if fence:
            if opened is not None and opened[1].startswith(fence) and not line[opened.end() :].strip():
                fence = ""
        elif opened is not None:
            fence = opened[1]
        elif not line.strip():
            quoted = False
        elif quoted or _QUOTED.match(line):
            quoted = True  # and so are the lines up to the next empty one: GitHub shows them inside the quotation
        else:
            return line
    return ""


def _parse(words: list[str]) -> Command:
    if not words:
        return Command("help")
    word, *rest = words
    word = word.lower()
    if word not in WORDS:
        return Command("help", problem="there is no such command")
    if word == "rebase" and rest:
        is_commit = len(rest) == 1 and _COMMIT.fullmatch(rest[0].lower())
        problem = "`rebase` takes nothing after it, or the last commit of the branch that may be dropped"
        return Command(word, rest[0].lower()) if is_commit else Command("help", problem=problem)
    if len(rest) != (word in _TAKES_ONE):
        return Command("help", problem=f"`{word}` takes {'one word' if word in _TAKES_ONE else 'nothing'} after it")
    if rest and not _ARGUMENT.fullmatch(rest[0]):
        return Command("help", problem=f"what `{word}` is given is too long")
    return Command(word, *rest)
