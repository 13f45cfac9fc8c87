"""The parts of a campaign by themselves: sources, what is remembered, what is still to do, reports."""

from __future__ import annotations

import json
import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from cmarkgfm import github_flavored_markdown_to_html as as_html
from rich.console import Console

from codemods.kit.targets import Target
from migrate import __version__
from migrate.bot.git.commits import Author
from migrate.bot.marker import Marker
from migrate.bot.plan import Plan
from migrate.bot.request import Request
from migrate.bot.steps import Step
from migrate.campaign.order import Order, Reach
from migrate.campaign.outcome import after_analysis, after_write, is_to_write
from migrate.campaign.proposal import Note, Proposal, read_note, read_proposal
from migrate.campaign.record import Record, Result, Stage
from migrate.campaign.report import make_report
from migrate.campaign.sources import Kind, Source, is_wanted, parse_lines, parse_source
from migrate.campaign.state import State
from migrate.campaign.trouble import KINDS
from migrate.migration import MigrateError
from migrate.render import campaign_rows
from migrate.render.campaign_html import render_html
from migrate.render.campaign_json import render_json
from migrate.render.campaign_markdown import render_markdown
from migrate.render.campaign_table import render_table

WEB = "https://github.com"
SCHEMA = json.loads((Path(campaign_rows.__file__).parent / "campaign.schema.json").read_text())
ORDER = Order(Path("/nowhere"), Request(), Author("tc-migrate", "bot@example.org"))
HOSTILE = "a`|<script>alert(1)</script>@everyone#1\x1b[31m\n::error::x"


# --- sources --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("octo/r", Kind.FORGE, "octo/r"),
        ("https://github.com/octo/r.git", Kind.FORGE, "octo/r"),
        ("https://github.com/octo/r/", Kind.FORGE, "octo/r"),
        ("https://example.org/octo/r.git", Kind.URL, "https://example.org/octo/r.git"),
        ("folder", Kind.LOCAL, "folder"),
        ("./gone", Kind.LOCAL, "gone"),
        ("folder/gone", Kind.LOCAL, "folder/gone"),
        ("/gone", Kind.LOCAL, "/gone"),
    ],
)
def test_where_a_repository_is(
    text: str, kind: Kind, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    source = parse_source(text, WEB)
    assert (source.kind, source.name) == (kind, name)


@pytest.mark.parametrize(
    "text",
    ["", "word", "git@github.com:octo/r", "http://example.org/r", "ssh://example.org/r", "ext::sh -c true",
     "https://me:secret@example.org/r", "octo/r/s\n", "-x"],
)  # fmt: skip
def test_what_is_none(text: str) -> None:
    with pytest.raises(MigrateError) as caught:
        parse_source(text, WEB)
    assert "secret" not in str(caught.value)


def test_any_name_of_a_folder_comes_back_from_the_state(tmp_path: Path) -> None:
    names = [b"a b", b"\xe9\xff", "ü€".encode(), b"50%", b"x?y#z", b"-rf"]
    sources = [parse_source(str(tmp_path / os.fsdecode(name)), WEB) for name in names]
    state = State(tmp_path / "state.db")
    assert state.add([*sources, *sources]) == [1, 2, 3, 4, 5, 6]
    found = [record.source.path for record in State(tmp_path / "state.db").records().values()]
    assert found == [tmp_path / os.fsdecode(name) for name in names]


def test_the_forge_makes_no_difference_of_case(tmp_path: Path) -> None:
    state = State(tmp_path / "state.db")
    assert state.add([Source(Kind.FORGE, "octo/r"), Source(Kind.FORGE, "Octo/R")]) == [1]
    assert state.add(Source(Kind.LOCAL, f"file:///{name}") for name in "aA") == [2, 3]


def test_lists_have_comments() -> None:
    assert [each.text for each in parse_lines(["# x\n", "\n", " octo/r \n"], WEB)] == ["octo/r"]


def test_patterns_are_of_the_name_or_of_all_of_it() -> None:
    assert is_wanted("octo/train", ["train*"], [])
    assert is_wanted("octo/train", ["octo/*"], ["other"])
    assert not is_wanted("octo/train", ["octo"], [])
    assert not is_wanted("octo/train", [], ["tr*"])


# --- what is remembered ---------------------------------------------------------------------------------------------


def test_all_of_a_record_comes_back(tmp_path: Path) -> None:
    state = State(tmp_path / "state.db")
    (number,) = state.add([Source(Kind.FORGE, "octo/r")])
    record = replace(
        state.records()[number], stage=Stage.PR, result=Result.CHANGES, reason="x", retryable=True, number=7,
        counts={"edits": 3}, seconds=1.5, tip="a" * 40, proposed="b", base="main", commit="c" * 40,
    )  # fmt: skip
    state.write(number, record)
    assert replace(state.records()[number], changed=0.0) == record
    state.write(number, record.failed("git", "token ghs_" + "x" * 36 + " \udc80", retryable=False))
    assert "ghs_" not in state.records()[number].reason


def test_a_state_of_another_version_is_not_touched(tmp_path: Path) -> None:
    State(tmp_path / "state.db")
    with sqlite3.connect(tmp_path / "state.db") as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(MigrateError, match="another version"):
        State(tmp_path / "state.db")


def test_a_run_that_was_ended_is_the_same_run(tmp_path: Path) -> None:
    state = State(tmp_path / "state.db")
    (number,) = state.add([Source(Kind.FORGE, "octo/r")])
    assert not state.begin_run()
    assert (state.begin(number), state.begin(number)) == (1, 2)
    assert (state.reserve(1, 2), state.reserve(1, 2), state.reserve(1, 2)) == (True, True, False)
    again = State(tmp_path / "state.db")
    assert again.begin_run()
    assert again.begin(number) == 3
    assert not again.reserve(1, 2)
    again.reserve(-1, None)
    assert again.reserve(1, 2)
    again.end_run()
    assert not again.begin_run()
    assert (again.begin(number), again.reserve(1, 1)) == (1, True)


# --- what is still to do --------------------------------------------------------------------------------------------


def record(kind: Kind = Kind.FORGE, stage: Stage = Stage.ANALYSED, result: Result = Result.CHANGES) -> Record:
    """One that was analysed, and proposed if it has come so far, by what `ORDER` asks."""
    made = Record(Source(kind, "octo/r"), stage, result, tool=__version__, options=ORDER.options, commit="a" * 40)
    return replace(made, proposed=made.fingerprint) if stage is not Stage.ANALYSED else made


@pytest.mark.parametrize(
    ("known", "reach", "is_met"),
    [
        (record(), Reach.ANALYSE, True),
        (record(), Reach.PUSH, False),
        (record(result=Result.CLEAN), Reach.PR, True),
        (record(result=Result.SKIPPED), Reach.PR, True),
        (record(stage=Stage.QUEUED, result=Result.UNKNOWN), Reach.ANALYSE, False),
        (record(stage=Stage.ERROR), Reach.ANALYSE, False),
        (record(stage=Stage.PUSHED), Reach.PUSH, True),
        (record(stage=Stage.PUSHED), Reach.PR, False),
        (record(Kind.LOCAL, Stage.PUSHED), Reach.PR, True),
        (record(stage=Stage.PR), Reach.PR, True),
        (record(stage=Stage.PR, result=Result.CLEAN), Reach.PR, False),
        (replace(record(stage=Stage.PR), commit="b" * 40), Reach.PR, False),
        (record(stage=Stage.CLOSED), Reach.PR, True),
        (record(stage=Stage.EDITED), Reach.PUSH, True),
        (replace(record(), tool="0"), Reach.ANALYSE, False),
    ],
)  # fmt: skip
def test_what_is_done_is_not_done_again(known: Record, reach: Reach, is_met: bool) -> None:
    assert replace(ORDER, reach=reach).is_met(known) is is_met


def test_options_that_make_a_difference_make_one() -> None:
    wishes = [Request(base="x"), Request(labels=("a",)), Request(target=Target.parse("torch-xla"))]
    others = [replace(ORDER, request=wish) for wish in wishes] + [replace(ORDER, text="# A\n")]
    assert len({each.options for each in (ORDER, *others)}) == len(others) + 1
    same = replace(ORDER, reach=Reach.PR, token="t", jobs=9, most=1, request=Request(draft=True, anew=True, force=True))
    assert same.options == ORDER.options


def test_a_dry_run_forgets_no_pull_request() -> None:
    before = replace(record(stage=Stage.PR), number=3)
    known = {"tool": __version__, "options": "o", "commit": "b" * 40, "changes": "x"}
    after = after_analysis(before, Note("changes", known))
    assert (after.stage, after.number) == (Stage.PR, 3)
    assert not replace(ORDER, reach=Reach.PR).is_met(after), "the pull request is not of this commit"
    done = after_write(after, Note("pr", {"number": 3, "tip": "c"}))
    assert done.proposed == done.fingerprint
    assert is_to_write(replace(ORDER, reach=Reach.PR), before, Note("clean", known)), "it is closed"
    assert not is_to_write(ORDER, before, Note("changes", known))


def test_what_an_analysis_leaves_for_the_write_is_what_it_found(tmp_path: Path) -> None:
    steps = (Step("one\n", {"a.py": "x = 1\n", "\udce9.py": "\ud800"}), Step("two\n", {"a.py": "x = 2\r\n"}))
    marker = Marker("smtc", "a" * 40, "0.1.0", "b" * 32, ("TC101", "old/*"))
    plan = Plan(marker, "tc-migrate/smtc", "Title", f"{marker}Body", steps, (), "neutral", "summary")
    made = Proposal(plan, "main", ("one", "two"), True, ("old",))
    made.write(tmp_path)
    assert read_proposal(tmp_path) == made
    note = Note("pr", {"number": 1}, opened=True)
    note.write(tmp_path)
    assert read_note(tmp_path) == note


# --- reports --------------------------------------------------------------------------------------------------------


@pytest.fixture
def rows() -> list[Record]:
    """One of each stage and result, with names that are made to do harm."""
    source = Source(Kind.FORGE, HOSTILE)
    counts = {"edits": 1234, "review": 5, "migrated": 2, "notes": 1, "errors": 1, "unread": 1}
    made = [replace(record(stage=stage), source=source, counts=counts, reason=HOSTILE) for stage in Stage]
    made += [replace(record(result=result), source=source) for result in Result if result is not Result.UNKNOWN]
    made += [record().failed(kind, HOSTILE, retryable=True) for kind in KINDS]
    return [replace(each, number=12, url="https://github.com/octo/r/pull/12") for each in made if _is_shown(each)]


def _is_shown(each: Record) -> bool:
    return each.stage is not Stage.ANALYSED or each.result is not Result.UNKNOWN


def test_json_is_as_its_schema_says(rows: list[Record]) -> None:
    said = json.loads(render_json(make_report("xla", rows)))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(said, SCHEMA)
    assert sum(said["counts"].values()) == len(said["repositories"]) == len(rows)
    assert set(SCHEMA["$defs"]["standing"]["enum"]) == set(campaign_rows.STANDINGS)
    assert set(SCHEMA["$defs"]["repository"]["properties"]["error"]["enum"]) == {"", *KINDS}


def test_markdown_is_no_markup_of_a_repositorys(rows: list[Record]) -> None:
    text = render_markdown(make_report("xla", rows))
    page = as_html(text)
    assert page.count("<tr>") == len(rows) + 1
    assert "<script" not in page
    assert "@everyone" not in text
    assert "1,234 edits (5 to review) in 2 files, 1 note (1 error), 1 file not read" in text


def test_the_page_is_no_markup_of_a_repositorys(rows: list[Record]) -> None:
    page = render_html(make_report("xla", rows))
    assert "<script" not in page
    assert page.count('href="https://github.com/octo/r/pull/12">#12</a>') == len(rows)
    assert "default-src 'none'" in page
    hostile = replace(rows[0], url="javascript:alert(1)")
    assert "javascript:" not in render_html(make_report("xla", [hostile]))


def test_the_table_says_what_is_left_to_act_on(rows: list[Record]) -> None:
    console = Console(width=160, color_system=None, highlight=False)
    with console.capture() as text:
        console.print(render_table(make_report("xla", rows), whole=False))
    assert "\x1b" not in text.get()
    assert "without work not listed: --all" in " ".join(text.get().split())
    with console.capture() as whole:
        console.print(render_table(make_report("xla", rows), whole=True))
    assert whole.get().count("#12") == len(rows)


def test_an_empty_campaign_has_reports() -> None:
    report = make_report("xla", [])
    assert report.closing_line == "0 repositories"
    jsonschema.validate(json.loads(render_json(report)), SCHEMA)
    assert "0 repositories" in render_markdown(report)
    assert "0 repositories" in render_html(report)
