"""Notes written into the script itself, as comments above the lines they are about."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence

from codemods.kit.rules import Note, Severity
from migrate.lines import Outline, read_outline, split_lines
from migrate.render.matching import map_lines

# PEP 263: such a comment on one of the first two lines declares the encoding.
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
_TODO = re.compile(r"[ \t\f]*# TODO\(tc-migrate (\w+)\): ")


def annotate(source: str, result: str, notes: Sequence[Note]) -> str:
    """`result` with `# TODO(tc-migrate RULE): message` above the statement of each note.

    The notes' lines are those of `source`. A note of INFO severity leaves nothing to do and is left out; so is one
    whose rule already has its TODO there.
    """
    notes = [note for note in notes if note.severity is not Severity.INFO]
    if not notes or not result:
        return result
    lines = split_lines(result)
    if _end_of_declarations(lines) == len(lines):
        return result
    outline = read_outline(result)
    places = map_lines(source, result, {note.line for note in notes})
    todos: dict[int, list[Note]] = {}
    for note in notes:
        todos.setdefault(_anchor(places[note.line], outline, lines), []).append(note)
    for line in sorted(todos, reverse=True):
        lines[line - 1 : line - 1] = _comments(lines, line, todos[line])
    return "".join(lines)


def _anchor(line: int, outline: Outline, lines: list[str]) -> int:
    """The 1-based line to write above: the first of the statement, so that no string and no bracket is open there."""
    line = min(max(line, 1, _end_of_declarations(lines) + 1), len(lines))
    starts = [statement.first for statement in outline.statements]
    position = bisect.bisect_right(starts, line) - 1
    # Statements that share lines (`x = '''...''' ; y = 1`) begin where the first of them does.
    if position >= 0 and outline.statements[position].last >= line:
        return starts[position]
    following = starts[position + 1 :]
    return following[0] if following and not lines[line - 1].strip() else line


def _end_of_declarations(lines: list[str]) -> int:
    """How many of the first lines must stay where they are: `#!` and the declaration of the encoding."""
    end = 1 if lines[0].startswith("#!") else 0
    for number, line in enumerate(lines[:2], 1):
        if _COOKIE.match(line):
            return number
        if line.strip() and not line.lstrip().startswith("#"):
            break
    return end


def _comments(lines: list[str], line: int, notes: list[Note]) -> list[str]:
    """The comment lines to insert above the 1-based `line`."""
    text = lines[line - 1]
    indent = text[: len(text) - len(text.lstrip(" \t\f"))]
    newline = text[len(text.rstrip("\r\n")) :] or _newline(lines)
    present = _rules_above(lines, line)
    comments: list[str] = []
    for note in notes:
        if note.rule in present:
            continue
        message = " ".join(note.message.split())
        # Among the first two lines `coding:` in a message would declare an encoding.
        message = re.sub(r"coding(?=[:=])", "coding ", message)
        comments.append(f"{indent}# TODO(tc-migrate {note.rule}): {message}{newline}")
    return list(dict.fromkeys(comments))


def _rules_above(lines: list[str], line: int) -> set[str]:
    """The rules whose TODO already stands directly above the 1-based `line`."""
    rules: set[str] = set()
    for above in reversed(lines[: line - 1]):
        match = _TODO.match(above)
        if match is None:
            break
        rules.add(match[1])
    return rules


def _newline(lines: list[str]) -> str:
    first = lines[0]
    return first[len(first.rstrip("\r\n")) :] or "\n"
