"""Python 2 becomes Python 3 within its lines, and nothing that parses is touched."""

from __future__ import annotations

import ast
import logging

import pytest

from codemods.kit.targets import SMTC
from migrate.migration import Status
from migrate.modernise import modernise
from migrate.pipeline import migrate


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('print "loss", x\n', 'print("loss", x)\n', "print statements"),
        ('print "%d" % x,\n', "print(\"%d\" % x, end=' ')\n", "print statements"),
        ("print\nprint x\n", "print()\nprint(x)\n", "print statements"),
        ("print >>log, x\nprint 1\n", "print(x, file=log)\nprint(1)\n", "print statements"),
        ("try:\n    f()\nexcept E, e:\n    pass\n", "try:\n    f()\nexcept E as e:\n    pass\n", "except clauses"),
        ('raise ValueError, "bad"\n', 'raise ValueError("bad")\n', "raise statements"),
        ("exec code in scope\n", "exec(code, scope)\n", "exec statements"),
        ("mode = 0755\n", "mode = 0o755\n", "number literals"),
        ("s = `x`\n", "s = repr(x)\n", "backquotes"),
        ("if a <> b: pass\n", "if a != b: pass\n", "the operator <>"),
        ("x = x.cuda(async=True)\n", "x = x.cuda(non_blocking=True)\n", "async= as a keyword argument"),
        ("x = x.cuda(f(0), async = True)\n", "x = x.cuda(f(0), non_blocking = True)\n", "async= as a keyword argument"),
        ("if x:\n\ty = 1\n        z = 2\n", "if x:\n        y = 1\n        z = 2\n", "tabs in the indentation"),
        ("print 1\nfor i in xrange(3): pass\n", "print(1)\nfor i in range(3): pass\n", "xrange()"),
        ("print 1\nfor k, v in d.iteritems(): pass\n", "print(1)\nfor k, v in d.items(): pass\n", "iteritems()"),
    ],
)
def test_fixes(old: str, new: str, words: str) -> None:
    text, fixes = modernise(old)
    assert text == new
    assert words in fixes


@pytest.mark.parametrize(
    "source",
    [
        "print('parses')\n",
        "for i in xrange(3): pass\n",  # parses: whatever xrange is here
        "def update_iter(self, ...):\n    pass\n",
        "submit(job, async=True)\n",  # not a tensor's keyword
        "class A(:\n",
        "x = 'a\n",
        "\x00",
        "",
    ],
)
def test_leaves_alone(source: str) -> None:
    assert modernise(source) == (source, ())


def test_call_prints_stay_when_only_something_else_is_old() -> None:
    source = 'try:\n    print("a", b)\nexcept E, e:\n    print("c", d)\n'
    assert modernise(source) == (source.replace("E, e", "E as e"), ("except clauses",))


def test_own_xrange_stays() -> None:
    text, _ = modernise("def xrange(n):\n    print n\nxrange(3)\n")
    assert "xrange(3)" in text


def test_text_in_strings_and_comments_stays() -> None:
    source = 's = """\n\tprint 1\n"""  # print x\nif s:\n\tprint s  # x.cuda(async=True)\n        print 2\n'
    text, _ = modernise(source)
    assert text.startswith('s = """\n\tprint 1\n"""  # print x\n')
    assert text.endswith("if s:\n        print(s)  # x.cuda(async=True)\n        print(2)\n")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_a_missing_last_one_stay(end: str) -> None:
    source = end.join(["# caf\u00e9", "if x:", "    print x", "", "    print y"])
    assert modernise(source)[0] == source.replace("print x", "print(x)").replace("print y", "print(y)")


def test_several_fixes_together() -> None:
    source = "try:\n    x = x.cuda(async=True)\n    print 0777, x\nexcept IOError, e:\n    raise E, 'no'\n"
    text, fixes = modernise(source)
    ast.parse(text)
    assert fixes == (
        "async= as a keyword argument", "print statements", "except clauses", "raise statements", "number literals",
    )  # fmt: skip


def test_is_quiet(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    with caplog.at_level(logging.INFO):
        modernise("print 1\n")
        modernise("class A(:\n")
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""
    assert not [warning for warning in recwarn if "fissix" in str(warning.filename)]


def test_migration_says_so_and_counts_from_the_original() -> None:
    source = 'import torch\n\nprint "start"\nx = torch.ones(2).cuda(async=True)\n'
    migration = migrate(source, target=SMTC)
    assert migration.status is Status.MIGRATED
    assert migration.source == source
    assert "non_blocking=True" in migration.result
    note = next(note for note in migration.notes if note.rule == "TC980")
    assert "async= as a keyword argument, print statements" in note.message
    assert [change.line for change in migration.changes if change.rule in ("TC111", "TC112")] == [4]


def test_other_python_2_is_skipped() -> None:
    source = 'print "no tensors here"\n'
    assert migrate(source, target=SMTC).status is Status.SKIPPED
