"""Diffs that apply, notes in the script that never change it, and the words of a run."""

from __future__ import annotations

import ast
import io
import random
import re
import subprocess
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from codemods.kit.rules import Change, Note, Safety, Severity
from migrate.lines import split_lines
from migrate.migration import Migration, Status
from migrate.partial import find_trouble
from migrate.render.annotate import annotate
from migrate.render.diff import apply_hunks, find_hunks, unified_diff
from migrate.render.matching import find_opcodes, map_lines
from migrate.render.report import closing_line, count, in_one_line, list_remarks, remark_lines
from migrate.render.terminal import closing_text, diff_text, remark_table
from migrate.unseen import escape

STDLIB = Path(sysconfig.get_path("stdlib"))


def note(
    line: int, rule: str = "TC412", message: str = "costs a sync", severity: str = "warning", advice: str = ""
) -> Note:
    return Note(rule, line, Severity(severity), message, advice, "", "logging")


def change(line: int, safety: str = "exact") -> Change:
    return Change("TC204", line, Safety(safety), "wraps the loader", "data_loader")


def edit_at_random(text: str, dice: random.Random) -> str:
    """A few lines replaced, removed and added."""
    lines = split_lines(text)
    for _ in range(dice.randint(0, 5)):
        place = dice.randint(0, len(lines))
        lines[place : place + dice.randint(0, 2)] = [f"new {dice.random()}{dice.choice(ENDS)}"] * dice.randint(0, 2)
    return "".join(lines)


ENDS = ("\n", "\r\n", "\n", " \n", "\x0c\n", "\u2028\n")
NAMES = ("train.py", "my scripts/train one.py", 'odd"\\\t\né.py', "été/ü.py")


@pytest.mark.parametrize("tool", [("git", "apply", "-"), ("patch", "-p1", "--binary", "--quiet")], ids=["git", "patch"])
@pytest.mark.parametrize("seed", range(12))
def test_a_diff_is_a_patch_that_gives_the_result(tmp_path: Path, tool: tuple[str, ...], seed: int) -> None:
    dice = random.Random(seed)
    source = "".join(f"line {dice.randint(0, 9)}{dice.choice(ENDS)}" for _ in range(dice.randint(0, 40)))
    source += dice.choice(("", "no end", "\r", "a\rb"))
    result = edit_at_random(source, dice) + dice.choice(("", "no end"))
    name = NAMES[seed % len(NAMES)]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(source.encode())
    patch = unified_diff(name, source, result)
    if not patch:
        assert source == result
        return
    done = subprocess.run(tool, cwd=tmp_path, input=patch.encode(), capture_output=True, timeout=30)
    assert done.returncode == 0, done.stderr.decode() + patch
    assert path.read_bytes() == result.encode()


def test_a_diff_says_where_and_marks_a_missing_newline() -> None:
    source = "import a\n\n\nclass Trainer:\n    def run(self):\n        b\n        c\n        d\n        e"
    assert unified_diff("x.py", source, source.replace("        e", "        f")) == (
        "--- a/x.py\n+++ b/x.py\n@@ -6,4 +6,4 @@ def run(self):\n         b\n         c\n         d\n"
        "-        e\n\\ No newline at end of file\n+        f\n\\ No newline at end of file\n"
    )
    assert unified_diff("x.py", source, source) == ""


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("context", [1, 3])
def test_hunks_can_be_taken_alone(seed: int, context: int) -> None:
    dice = random.Random(seed)
    source = "".join(f"line {number}\n" for number in range(60))
    result = edit_at_random(source, dice)
    hunks = find_hunks(source, result, context)
    assert apply_hunks(source, hunks) == result
    assert apply_hunks(source, []) == source
    some = [hunk for hunk in hunks if dice.random() < 0.5]
    rest = find_hunks(apply_hunks(source, some), result, context)
    assert sum(mark == "+" for hunk in some + rest for mark, _ in hunk.lines) == sum(
        mark == "+" for hunk in hunks for mark, _ in hunk.lines
    )


@pytest.mark.parametrize("seed", range(40))
def test_opcodes_cover_both_sides_and_tell_the_truth(seed: int) -> None:
    dice = random.Random(seed)
    old = [f"{dice.randint(0, 12)}" for _ in range(dice.randint(0, 30))]
    new = [line for line in old if dice.random() < 0.8]
    new[dice.randint(0, len(new)) : 0] = [f"{dice.randint(0, 15)}" for _ in range(dice.randint(0, 4))]
    i = j = 0
    for tag, i1, i2, j1, j2 in find_opcodes(old, new):
        assert (i1, j1) == (i, j)
        assert (i2 > i1, j2 > j1) == {"equal": (1, 1), "replace": (1, 1), "delete": (1, 0), "insert": (0, 1)}[tag]
        assert (tag == "equal") is (old[i1:i2] == new[j1:j2])
        i, j = i2, j2
    assert (i, j) == (len(old), len(new))


def test_the_time_of_a_diff_grows_with_the_text() -> None:
    block = [*(f"    value_{number} = {number}\n" for number in range(7)), "\n", "    )\n", "\n"]

    def seconds(times: int) -> float:
        old = [line.replace("value", f"value_{n}") for n in range(times) for line in block]
        new = [line + "# new\n" if place % 17 == 3 else line for place, line in enumerate(old)]
        start = time.process_time()
        find_opcodes(old, new)
        return time.process_time() - start

    seconds(10)
    assert seconds(1600) < 40 * max(seconds(100), 0.005)


def test_lines_are_followed_into_the_result() -> None:
    source = "a = 1\nloss.backward()\noptimizer.step()\nz = 1\ngone = 2\nend = 3\n"
    result = "import xm\na = 1\nloss.backward()\nxm.all_reduce()\nxm.optimizer_step(optimizer)\nz = 1\nend = 3\n"
    assert map_lines(source, result, [1, 2, 3, 4, 5, 6]) == {1: 2, 2: 3, 3: 5, 4: 6, 5: 7, 6: 7}


def annotated(source: str, *lines: int) -> str:
    return annotate(source, source, [note(line) for line in lines])


TODO = "# TODO(tc-migrate TC412): costs a sync"


@pytest.mark.parametrize(
    ("source", "line", "expected"),
    [
        pytest.param("a\nb\n", 2, f"a\n{TODO}\nb\n", id="above the line"),
        pytest.param("if a:\n\tb\n", 2, f"if a:\n\t{TODO}\n\tb\n", id="indented as the statement, by a tab"),
        pytest.param("f(\n  a,\n  b)\n", 2, f"{TODO}\nf(\n  a,\n  b)\n", id="not inside brackets"),
        pytest.param('x = """\na\n"""; y\n', 3, f'{TODO}\nx = """\na\n"""; y\n', id="not inside a string"),
        pytest.param("x = a + \\\n    b\n", 2, f"{TODO}\nx = a + \\\n    b\n", id="not behind a backslash"),
        pytest.param("if a:\n    b\nelif c:\n    d\n", 3, f"if a:\n    b\n{TODO}\nelif c:\n    d\n", id="above elif"),
        pytest.param("try:\n  a\nexcept E:\n  b\n", 3, f"try:\n  a\n{TODO}\nexcept E:\n  b\n", id="above except"),
        pytest.param("@a\ndef f(): b\n", 2, f"@a\n{TODO}\ndef f(): b\n", id="between decorator and def"),
        pytest.param("a\r\nb\r\n", 2, f"a\r\n{TODO}\r\nb\r\n", id="with the line's own end"),
        pytest.param("a\r\nb", 2, f"a\r\n{TODO}\r\nb", id="a last line without end"),
        pytest.param(
            "#!x\n# coding: latin-1\na\n", 1, f"#!x\n# coding: latin-1\n{TODO}\na\n", id="below the declarations"
        ),
        pytest.param("a\n\nb\n", 2, f"a\n\n{TODO}\nb\n", id="a blank line stands for the next statement"),
        pytest.param("a\n", 7, f"{TODO}\na\n", id="a line that is not there"),
    ],
)
def test_a_note_is_written_above_its_statement(source: str, line: int, expected: str) -> None:
    assert annotated(source, line) == expected
    assert (
        annotated(expected, expected.splitlines().index(next(x for x in expected.splitlines() if TODO in x)) + 2)
        == expected
    )


def test_a_note_follows_its_line_into_the_result() -> None:
    source, result = "a\nx.item()\n", "import xm\nfor x in y:\n    a\n    x.item()\n"
    assert annotate(source, result, [note(2)]) == f"import xm\nfor x in y:\n    a\n    {TODO}\n    x.item()\n"


def test_several_notes_share_a_place_once_each() -> None:
    notes = [note(1, "TC412"), note(1, "TC412", "another thing"), note(1, "TC412"), note(1, "TC101", "moves")]
    once = annotate("a\n", "a\n", notes)
    assert once.splitlines() == [
        TODO, "# TODO(tc-migrate TC412): another thing", "# TODO(tc-migrate TC101): moves", "a",
    ]  # fmt: skip
    shifted = [note(4, each.rule, each.message) for each in notes]
    assert annotate(once, once, shifted) == once


def test_a_todo_is_something_to_do() -> None:
    notes = [note(1, severity="info", advice="nothing"), note(1, "TC101", severity="error")]
    assert annotate("a\n", "a\n", notes) == "# TODO(tc-migrate TC101): costs a sync\na\n"


def test_a_message_cannot_declare_an_encoding() -> None:
    text = annotate("a = 'é'\n", "a = 'é'\n", [note(1, message="pass encoding=klingon\nto open")])
    assert text.splitlines()[0] == "# TODO(tc-migrate TC412): pass encoding =klingon to open"
    compile(text.encode(), "x", "exec")


@pytest.mark.parametrize(
    "name", ["argparse.py", "dataclasses.py", "textwrap.py", "typing.py", "lib2to3/pgen2/tokenize.py"]
)
def test_notes_anywhere_never_change_a_script(name: str) -> None:
    path = STDLIB / name
    if not path.exists():
        pytest.skip(f"this Python has no {name}")
    source = path.read_text(encoding="utf-8")
    result = annotated(source, *range(1, len(split_lines(source)) + 1, 3))
    assert result.count("TODO(tc-migrate") > 50
    assert ast.dump(ast.parse(result)) == ast.dump(ast.parse(source))
    kept = [line for line in result.splitlines() if "TODO(tc-migrate" not in line]
    assert kept == source.splitlines()


def migration(status: str = "migrated", changes: Sequence[Change] = (), notes: Sequence[Note] = ()) -> Migration:
    return Migration("train.py", "smtc", Status(status), "", "", tuple(changes), tuple(notes))


@pytest.mark.parametrize(
    ("migrations", "expected"),
    [
        pytest.param([], "no Python file or notebook found", id="nothing"),
        pytest.param([migration("unchanged")], "1 file unchanged", id="one unchanged"),
        pytest.param([migration(changes=[change(1)])], "1 file migrated; 1 edit", id="one edit"),
        pytest.param(
            [
                migration(changes=[change(1), change(2, "review")]),
                migration(notes=[note(1), note(2, severity="error"), note(3, severity="info")]),
                migration("unchanged"),
                migration("skipped"),
                migration("failed"),
                migration("refused"),
            ],
            "2 files migrated, 1 unchanged, 1 refused, 1 skipped, 1 failed; "
            "2 edits (1 to review), 3 notes (1 error, 1 warning)",
            id="everything",
        ),
    ],
)
def test_the_closing_line_counts(migrations: list[Migration], expected: str) -> None:
    assert closing_line(count(migrations)) == expected


def test_remarks_are_notes_and_edits_to_review_by_line() -> None:
    found = list_remarks(
        migration(changes=[change(9), change(5, "review")], notes=[note(7, advice="log every\n100 steps"), note(2)])
    )
    assert list(remark_lines("train.py", found)) == [
        "train.py:2: warning TC412: costs a sync",
        "train.py:5: review TC204: wraps the loader",
        "train.py:7: warning TC412: costs a sync",
        "    log every 100 steps",
    ]


def shown(renderable: RenderableType, width: int = 60) -> str:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system="truecolor", width=width, highlight=False)
    console.print(renderable, soft_wrap=True, end="")
    return stream.getvalue()


def plain(coloured: str) -> str:
    return Text.from_ansi(coloured).plain


def test_the_coloured_diff_has_the_characters_of_the_plain_one() -> None:
    source = "def f():  # @@ odd\n" + "    pass\n" * 5 + "    long = '" + "x" * 200 + "'\n    optimizer.step()"
    result = source.replace("optimizer.step()", "xm.optimizer_step(optimizer)").replace("long", "[bold]long")
    text = shown(diff_text("--- a/x.py\n+++ b/x.py\n", find_hunks(source, result)))
    assert plain(text).rstrip("\n") == unified_diff("x.py", source, result).rstrip("\n")
    assert "\x1b[31m-" in text
    assert "\x1b[32m+" in text


def test_the_words_that_differ_are_underlined_also_when_a_line_is_added() -> None:
    source, result = "a = 1\nx = f(device, old)\n", "a = 1\nimport new\nx = f(device, xm.new)\n"
    underlined = re.findall(r"\x1b\[1;4;3[12]m(.*?)\x1b", shown(diff_text("", find_hunks(source, result))))
    assert underlined == ["old", "xm.new"]
    moved = shown(diff_text("", find_hunks("    save(model, path)\n", "save(model, path)\n")))
    assert "\x1b[1;4" not in moved


@pytest.mark.parametrize("char", ["\u202e", "\u2066", "\u200f", "\u061c", "\ufeff", "\x1b", "\x9b"])
def test_what_acts_and_does_not_show_is_spelt(char: str) -> None:
    """What a browser or a terminal turns around is not what is run."""
    line = f"a = 'x{char}y'\n"
    spelt = ascii(char)[1:-1]
    text = shown(diff_text("", find_hunks("a\n", line)))
    assert f"x{spelt}y" in text
    assert escape(line) == f"a = &#x27;x{spelt}y&#x27;\n"
    assert in_one_line(f"x{char}y.py") == f"x{spelt}y.py"


def test_a_script_cannot_send_escapes_to_the_terminal() -> None:
    text = shown(diff_text("", find_hunks("a\n", "a = '\x1b]0;title\x07'\n")))
    assert "\x1b]" not in text
    assert "\x07" not in text


def test_a_long_message_is_wrapped_under_itself() -> None:
    remarks = list_remarks(migration(notes=[note(12, message="word " * 20, advice="do this")]))
    lines = plain(shown(remark_table("train.py", remarks))).splitlines()
    assert lines[1].startswith("train.py:12  warning  TC412  word")
    indent = lines[1].index("word")
    assert len(lines) > 4
    assert all(line[:indent].strip() == "" for line in lines[2:])
    assert any(line.strip() == "do this" for line in lines)


def test_the_closing_line_marks_what_is_grave() -> None:
    text = shown(closing_text("1 file migrated; 2 edits (1 to review), 3 notes (1 error)"), 100)
    assert plain(text).strip() == "1 file migrated; 2 edits (1 to review), 3 notes (1 error)"
    assert "\x1b[1;31m1 error\x1b[0m" in text


@pytest.mark.parametrize(
    ("partial", "trouble"),
    [
        pytest.param("import a\na.b(c)\n", "", id="all of the source"),
        pytest.param("import x\nx.y(c)\n", "", id="all of the result"),
        pytest.param("import a\nx.y(c)\n", "use what the others define: x", id="an edit without its import"),
        pytest.param("import x\na.b(c)\n", "use what the others define: a", id="an import removed, its use left"),
        pytest.param("import x\nif x:\n", "do not compile without the others: expected", id="an empty suite"),
        pytest.param(
            "import x\nreturn x\n", "do not compile without the others: 'return' outside", id="return outside"
        ),
    ],
)
def test_a_part_of_a_migration_must_stand(partial: str, trouble: str) -> None:
    found = find_trouble("import a\na.b(c)\n", "import x\nx.y(c)\n", partial)
    assert found.startswith(trouble)
    assert bool(found) is bool(trouble)
