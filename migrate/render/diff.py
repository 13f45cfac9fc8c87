"""Unified diffs that `git apply` and `patch -p1` take, and the choice of some of their hunks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from migrate.render.matching import Opcode, find_opcodes

CONTEXT = 3
"""Unchanged lines shown around a change, as git does."""

# What git shows behind `@@` for Python (git userdiff.c, driver "python").
_HEADING = re.compile(r"[ \t]*(?:class|(?:async[ \t]+)?def)[ \t]")
_NO_NEWLINE = "\\ No newline at end of file\n"


@dataclass(frozen=True)
class Hunk:
    """Changes that stand together, with the lines around them."""

    old_start: int
    """0-based index of the first source line shown; `new_start` the same in the result."""
    new_start: int
    lines: tuple[tuple[str, str], ...]
    """A mark, one of `" "`, `"-"` and `"+"`, and the line with its end."""
    heading: str = ""
    """The function or class the hunk lies in."""
    cell: str = ""
    """The title of the cell whose lines these are; empty when they are the lines of a file."""

    @property
    def old_count(self) -> int:
        """How many source lines are shown."""
        return sum(mark != "+" for mark, _ in self.lines)

    @property
    def new_count(self) -> int:
        """How many result lines are shown."""
        return sum(mark != "-" for mark, _ in self.lines)

    @property
    def header(self) -> str:
        """The `@@` line, without its end. Of a cell it is none that `git apply` would take for a file's."""
        if self.cell:
            return f"@@ {self.cell}, line {self.old_start + 1} @@ {self.heading}".rstrip()
        old, new = _span(self.old_start, self.old_count), _span(self.new_start, self.new_count)
        return f"@@ -{old} +{new} @@ {self.heading}".rstrip()

    @property
    def body(self) -> str:
        """The marked lines, every one ending in LF."""
        return "".join(mark + (line if line.endswith("\n") else line + "\n" + _NO_NEWLINE) for mark, line in self.lines)

    def shows(self, line: int) -> bool:
        """Whether the hunk changes, or stands where it would change, the 1-based source `line`."""
        position = self.old_start + 1
        for mark, _ in self.lines:
            if mark != " " and position == line:
                return True
            position += mark != "+"
        return False


def unified_diff(name: str, source: str, result: str) -> str:
    """The patch from `source` to `result`, or nothing when they are equal. `name`: relative, parts joined by `/`."""
    hunks = find_hunks(source, result)
    if not hunks:
        return ""
    return file_header(name) + "".join(f"{hunk.header}\n{hunk.body}" for hunk in hunks)


def file_header(name: str) -> str:
    """The two lines that say which file a patch is for."""
    return f"--- {_quote('a/' + name)}\n+++ {_quote('b/' + name)}\n"


def notebook_header(name: str) -> str:
    """The line above the cells of a notebook. `git apply` passes over it and them: cells are not lines of the file."""
    return f"=== {name}\n"


def find_hunks(source: str, result: str, context: int = CONTEXT, cell: str = "") -> list[Hunk]:
    """The hunks from `source` to `result`, in order; changes less than two contexts apart share one. `cell`: the title
    of the cell that the two texts are of."""
    old, new = _patch_lines(source), _patch_lines(result)
    hunks = [_hunk(group, old, new) for group in _groups(find_opcodes(old, new), context)]
    return [replace(hunk, cell=cell) for hunk in hunks] if cell else hunks


def apply_hunks(source: str, hunks: Iterable[Hunk]) -> str:
    """`source` with only these of its hunks applied. They are as `find_hunks` gave them, in order."""
    old = _patch_lines(source)
    done = 0
    pieces: list[str] = []
    for hunk in hunks:
        pieces += old[done : hunk.old_start]
        pieces += [line for mark, line in hunk.lines if mark != "-"]
        done = hunk.old_start + hunk.old_count
    return "".join(pieces + old[done:])


def _patch_lines(text: str) -> list[str]:
    # To patch and git a line ends with LF only: a lone CR or a form feed is a character of the line.
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _groups(opcodes: list[Opcode], context: int) -> Iterator[list[Opcode]]:
    """The opcodes cut at each long unchanged stretch, as `SequenceMatcher.get_grouped_opcodes`."""
    group: list[Opcode] = []
    for position, (tag, i1, i2, j1, j2) in enumerate(opcodes):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        before, after = position > 0, position < len(opcodes) - 1
        if before and after and i2 - i1 <= 2 * context:
            group.append((tag, i1, i2, j1, j2))
            continue
        if before:
            keep = min(context, i2 - i1)
            yield [*group, (tag, i1, i1 + keep, j1, j1 + keep)]
            group = []
        if after:
            keep = min(context, i2 - i1)
            group = [(tag, i2 - keep, i2, j2 - keep, j2)]
    if any(opcode[0] != "equal" for opcode in group):
        yield group


def _hunk(group: list[Opcode], old: list[str], new: list[str]) -> Hunk:
    lines: list[tuple[str, str]] = []
    for tag, i1, i2, j1, j2 in group:
        if tag == "equal":
            lines += [(" ", line) for line in old[i1:i2]]
        else:
            lines += [("-", line) for line in old[i1:i2]] + [("+", line) for line in new[j1:j2]]
    start = group[0][1]
    heading = next((line for line in reversed(old[:start]) if _HEADING.match(line)), "")
    # git shows no more than 80 bytes of it; what stands behind `@@ ` is a comment to every reader of patches.
    return Hunk(start, group[0][3], tuple(lines), heading.strip()[:78])


def _span(start: int, count: int) -> str:
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _quote(name: str) -> str:
    """`name` as git and GNU patch read it back: C quotes around odd bytes, a tab after a name with blanks."""
    if not re.search(r'[\x00-\x1f\x7f"\\\ud800-\udfff]', name):
        return name + "\t" if " " in name else name
    escapes = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    quoted = "".join(escapes.get(char) or _octal(char) for char in name)
    return f'"{quoted}"'


def _octal(char: str) -> str:
    if " " <= char < "\x7f":
        return char
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
