"""What of a text a migration must leave byte for byte: every line that it did not edit."""

from __future__ import annotations

import difflib
import re

from migrate.lines import split_lines

CUDA_WORDS = re.compile(
    r"torch|cuda|gpu|nccl|apex|horovod|deepspeed|smdistributed|smddp|pin_memory|accelerat"
    r"|megatron|fairscale|transformers|lightning|ignite|backward|xla",
    re.IGNORECASE,
)
"""A text without any of these has no CUDA use. Written without a look at the codemods, and wider than they are."""


def altered_lines(source: str, result: str) -> list[str]:
    """Lines that say the same in both texts and yet are not the same bytes: ends, trailing blanks, form feeds.

    Indentation may differ, for a line can move into a function or out of a block. The line before an edit and the one
    after it are not looked at: they may be parts of an edited statement. A line end may be gained or lost where the
    text ends, and nowhere else.
    """
    old, new = split_lines(source), split_lines(result)
    matcher = difflib.SequenceMatcher(None, [_words(line) for line in old], [_words(line) for line in new], False)
    found = []
    for tag, first, last, begin, _ in matcher.get_opcodes():
        if tag != "equal":
            continue
        for number in range(first + (first > 0), last - (last < len(old))):
            before, after = old[number], new[begin + number - first]
            at_the_end = number == len(old) - 1 or begin + number - first == len(new) - 1
            if not _same(before, after, at_the_end):
                found.append(f"line {number + 1}: {before!r} became {after!r}")
    return found


def foreign_ends(source: str, result: str) -> set[str]:
    """Ends of lines that the result has and the source has not."""
    return {_end(line) for line in split_lines(result)} - {_end(line) for line in split_lines(source)} - {""}


def _words(line: str) -> str:
    """What a line says. One empty line may stand for another one, so these count as they are."""
    return " ".join(line.split()) or line


def _same(before: str, after: str, at_the_end: bool) -> bool:
    if at_the_end:
        before, after = before.rstrip("\r\n"), after.rstrip("\r\n")
    # A form feed is no indentation: it stays with its line.
    return before.lstrip(" \t") == after.lstrip(" \t")


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
