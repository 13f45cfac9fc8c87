"""Encodings, ends of lines and odd white space: every golden in every layout, byte for byte outside the edits."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from migrate.files import decode
from migrate.lines import read_outline, split_lines
from migrate.migration import Status
from migrate.pipeline import migrate
from tests.goldens import TARGETS, Case, cases, parses
from tests.untouched import altered_lines, foreign_ends
from tests.visits import Visit

Change = Callable[[str], str]


@dataclass(frozen=True)
class Layout:
    """Another way to have the same script on disk."""

    encoding: str = "utf-8"
    changes: tuple[Change, ...] = ()
    """Of the text, in this order."""
    head: str = ""
    """Put above the text, as a line of its own."""
    bom: bytes = b""

    def bytes_of(self, text: str) -> bytes | None:
        """The file; None where the encoding lacks a character of it."""
        try:
            return self.bom + self.text_of(text).encode(self.encoding)
        except UnicodeEncodeError:
            return None

    def text_of(self, text: str) -> str:
        """What stands in the file."""
        for change in self.changes:
            text = change(text)
        return self.head + text


def words(text: str) -> str:
    """What a text says without the marks of these layouts and without white space: comments can make lines wrap."""
    text = re.sub(r"# -\*- coding: .*", "", text)
    return "".join(re.sub(r"# \^[^\r\n]*", "", text).split())


def _ends(*ends: str) -> Change:
    """Every line with the next of these ends."""

    def change(text: str) -> str:
        turn = itertools.cycle(ends)
        return "".join(re.sub(r"(\r\n|\r|\n)\Z", next(turn), line) for line in split_lines(text))

    return change


def _tabs(text: str) -> str:
    return re.sub(r"^(?: {4})+", lambda match: "\t" * (len(match[0]) // 4), text, flags=re.MULTILINE)


def _no_end(text: str) -> str:
    return text.rstrip("\r\n")


def _form_feeds(text: str) -> str:
    """As old GNU style has it: a page break on a line of its own above each function and class."""
    return re.sub(r"^(?=(?:def|class) )", "\x0c\n", text, flags=re.MULTILINE)


def _remarks(remark: str) -> Change:
    """A comment behind every simple statement that stands on one line and has none, and blanks behind that."""

    def change(text: str) -> str:
        outline = read_outline(text)
        taken = {comment.line for comment in outline.comments}
        alone = {each.first for each in outline.statements if each.first == each.last} - taken
        return "".join(
            re.sub(r"[ \t]*(\r?\n|\r)\Z", rf"  # ^{remark} \1", line) if number in alone else line
            for number, line in enumerate(split_lines(text), 1)
        )

    return change


def _cookie(encoding: str) -> str:
    return f"# -*- coding: {encoding} -*-\n"


LAYOUTS = {
    "BOM, CR LF, form feeds": Layout(changes=(_form_feeds, _ends("\r\n")), bom=b"\xef\xbb\xbf"),
    "latin-1, mixed ends, tabs": Layout("latin-1", (_remarks("é"), _tabs, _ends("\n", "\r\n")), _cookie("latin-1")),
    "cp1252, CR LF, no last end": Layout("cp1252", (_remarks("€"), _ends("\r\n"), _no_end), _cookie("cp1252")),
    "euc-jp": Layout("euc-jp", (_remarks("日本\x0b"),), _cookie("euc-jp")),
    "separators in comments, mixed ends": Layout(
        changes=(_remarks("\u2028\x85\x1c\x0b\u2029 e\u0301"), _ends("\r\n", "\n", "\n"), _no_end)
    ),
}


# With a comment in each of its branches, an `if` whose branches have become the same is kept.
KEEPS_FOR_COMMENTS = {"apex/optional"}


def changes_nothing_and_is_kept(case: Case, layout: str) -> None:
    data = LAYOUTS[layout].bytes_of(case.source)
    if data is None:
        return
    file = decode(data, Path(case.path.name))
    target = sorted(TARGETS)[len(case.id) % 2]
    links = case.links(LAYOUTS[layout].text_of)
    migration = migrate(file.text, path=case.path.name, target=TARGETS[target], select=case.alone, links=links)
    assert migration.status is not Status.FAILED, migration.reason
    assert altered_lines(file.text, migration.result) == []
    assert foreign_ends(file.text, migration.result) == set()
    written = file.encode(migration.result)
    assert decode(written, file.path).text == migration.result
    if case.id in KEEPS_FOR_COMMENTS and not LAYOUTS[layout].bom:
        return
    assert words(migration.result) == words(case.migrated(target).result)


VISIT = Visit()
for layout in LAYOUTS:
    VISIT.once(partial(changes_nothing_and_is_kept, layout=layout), f"in the layout {layout!r}")


@pytest.mark.parametrize("case", [case for case in cases() if parses(case.source)], ids=lambda case: case.id)
def test_layouts_of_a_golden(case: Case) -> None:
    VISIT.of(case)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("import torch\rx = torch.ones(1).cuda()\r", "lone CR", id="lone CR"),
        pytest.param("import torch\r\nif x:\r    y = x.cuda()\r\n", "lone CR", id="lone CR among others"),
        pytest.param("import torch\n\n\x0cdef f(x):\n    return x.cuda()\n", "form feed", id="form feed before code"),
    ],
)
def test_what_libcst_would_not_give_back_is_left_alone(text: str, reason: str) -> None:
    migration = migrate(text, target=TARGETS["smtc"])
    assert (migration.status, migration.result) == (Status.SKIPPED, text)
    assert reason in migration.reason
