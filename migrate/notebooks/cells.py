"""The JSON of a notebook: where the source of each cell stands in it, and the same text with other sources.

Only the text of a cell that changes is written anew, in the style of the file; every other byte is the author's.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from codemods.kit.rules import Place

_BLANK = re.compile(r"[ \t\n\r]*")
_ESCAPED = re.compile(r"\\u(?:[1-9a-fA-F]|0[1-9a-fA-F]|00[89a-fA-F])")
"""An escape of a character that need not be escaped."""
_value_at = json.JSONDecoder().raw_decode
Span = tuple[int, int]


def is_notebook(path: str) -> bool:
    """Whether a file of that name is a notebook."""
    return path.endswith(".ipynb")


class NotANotebook(Exception):
    """Text that is no notebook this tool can read; the reason in one line."""


@dataclass(frozen=True)
class Cell:
    """One cell."""

    number: int
    """1-based, all kinds of cells counted, as an editor shows them."""
    is_code: bool
    ran: int | None
    """The number in `In [7]:`; None when it did not run."""
    source: str
    span: Span
    """Where the value of its `source` is in the text of the notebook."""
    pieces: tuple[Span, ...]
    """Where the JSON strings of the source are: the lines, or the one text."""

    @property
    def title(self) -> str:
        """`cell 3 [In 7]`."""
        return Place(self.number, self.ran).cell_title


@dataclass(frozen=True)
class Notebook:
    """A notebook as text, and its cells."""

    text: str
    cells: tuple[Cell, ...]
    language: str
    """Of its kernel; `python` when it does not say."""

    @property
    def code(self) -> list[Cell]:
        """Its code cells."""
        return [cell for cell in self.cells if cell.is_code]

    def line(self, cell: Cell, line: int) -> int:
        """The 1-based line of the file that has a 1-based line of a cell."""
        left = line
        for start, _ in cell.pieces:
            left -= max(1, _value(self.text, start).count("\n"))
            if left <= 0:
                return self._line_at(start)
        return self._line_at(cell.pieces[-1][0] if cell.pieces else cell.span[0])

    def with_sources(self, sources: Mapping[int, str]) -> str:
        """The text of the notebook with other sources, by the numbers of their cells."""
        parts: list[str] = []
        done = 0
        for cell in self.cells:
            if cell.number in sources and sources[cell.number] != cell.source:
                start, end = cell.span
                parts += [self.text[done:start], self._written(cell, sources[cell.number])]
                done = end
        return "".join([*parts, self.text[done:]])

    def _written(self, cell: Cell, source: str) -> str:
        """The value of `source` as this file would write it: lines that stay keep their spelling."""
        if self.text[cell.span[0]] == '"':
            return self._spelled(source)
        lines = re.findall(r"[^\n]*\n|[^\n]+", source)
        if not lines:
            return "[]"
        known = {_value(self.text, start): self.text[start:end] for start, end in cell.pieces}
        before, joint, after = self._layout(cell)
        return f"[{before}{joint.join(known.get(line) or self._spelled(line) for line in lines)}{after}]"

    def _layout(self, cell: Cell) -> tuple[str, str, str]:
        """What stands before, between and after the lines of a source."""
        shown = cell if cell.pieces else next((other for other in self.cells if other.pieces), None)
        if shown is None or self.text[shown.span[0]] == '"':
            return "", ", ", ""
        (first, end), (_, last) = shown.pieces[0], shown.pieces[-1]
        before, after = self.text[shown.span[0] + 1 : first], self.text[last : shown.span[1] - 1]
        if len(shown.pieces) > 1:
            return before, self.text[end : shown.pieces[1][0]], after
        return before, f",{before}" if before else self._joint, after

    @cached_property
    def _joint(self) -> str:
        """What stands between two lines anywhere in the file."""
        several = (cell.pieces for cell in self.cells if len(cell.pieces) > 1)
        return next((self.text[one[1] : two[0]] for one, two, *_ in several), ", ")

    def _spelled(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=self._is_ascii)

    @cached_property
    def _is_ascii(self) -> bool:
        return self.text.isascii() and _ESCAPED.search(self.text) is not None

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(r"\n", self.text))]

    def _line_at(self, position: int) -> int:
        return bisect_right(self._line_starts, position)


def read_notebook(text: str) -> Notebook:
    """The cells of a notebook. Raises NotANotebook."""
    try:
        whole = json.loads(text)
        members = dict(_members(text, _skip(text, 0)))
    except (ValueError, RecursionError) as error:
        raise NotANotebook(f"not a notebook: {error}") from error
    version = whole.get("nbformat") if isinstance(whole, dict) else None
    if not isinstance(version, int):
        raise NotANotebook("not a notebook: it does not say its nbformat")
    if version != 4:
        raise NotANotebook(f"nbformat {version}: bring it to 4 first (jupyter nbconvert --to notebook --inplace)")
    if not isinstance(whole.get("cells"), list):
        raise NotANotebook("not a notebook: it has no list of cells")
    spans = zip(_elements(text, members["cells"][0]), whole["cells"], strict=True)
    cells = [_cell(text, number, span, each) for number, (span, each) in enumerate(spans, 1)]
    return Notebook(text, tuple(cells), _language(whole.get("metadata")))


def _cell(text: str, number: int, span: Span, cell: object) -> Cell:
    source = cell.get("source") if isinstance(cell, dict) else None
    is_lines = isinstance(source, list) and all(isinstance(line, str) for line in source)
    if not isinstance(cell, dict) or not (isinstance(source, str) or is_lines):
        raise NotANotebook(f"not a notebook: cell {number} has no source")
    place = dict(_members(text, span[0]))["source"]
    pieces = tuple(_elements(text, place[0])) if is_lines else (place,)
    ran = cell.get("execution_count")
    is_code = cell.get("cell_type") == "code"
    return Cell(number, is_code, ran if isinstance(ran, int) else None, "".join(source or ()), place, pieces)


def _language(metadata: object) -> str:
    """What the kernel speaks, by what the notebook says of it, the last run first."""
    known = metadata if isinstance(metadata, dict) else {}
    for key, name in (("language_info", "name"), ("kernelspec", "language"), ("kernelspec", "name")):
        about = known.get(key)
        found = about.get(name) if isinstance(about, dict) else None
        if isinstance(found, str) and found:
            # A kernel is called as one likes: only the names that no Python kernel has tell.
            if (key, name) != ("kernelspec", "name") or found in _OTHER_KERNELS:
                return _OTHER_KERNELS.get(found, found)
    return "python"


_OTHER_KERNELS = {"ir": "R", "spylon-kernel": "Scala", "apache_toree_scala": "Scala"}


def _value(text: str, at: int) -> str:
    value, _ = _value_at(text, at)
    return str(value)


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    assert blank is not None
    return blank.end()


def _members(text: str, at: int) -> Iterator[tuple[str, Span]]:
    """The keys of the JSON object at a position, each with where its value is. The text is known to be JSON."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _value_at(text, at)
        at = _skip(text, _skip(text, at) + 1)
        _, end = _value_at(text, at)
        yield key, (at, end)
        at = _after_comma(text, end)


def _elements(text: str, at: int) -> list[Span]:
    """Where the elements of the JSON list at a position are."""
    found = []
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _value_at(text, at)
        found.append((at, end))
        at = _after_comma(text, end)
    return found


def _after_comma(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at
