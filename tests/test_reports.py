"""Reports: each is valid where a standard says what valid is, says everything once, and survives odd scripts."""

from __future__ import annotations

import gzip
import json
import random
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from codemods.kit.rules import Change, Note, Safety, Severity
from migrate.cli import main
from migrate.findings import MANUAL, Effort, findings
from migrate.migration import Migration, Status
from migrate.registry import rules
from migrate.render import as_sarif
from migrate.render.as_markdown import SIZE
from migrate.render.blocks import find_blocks
from migrate.render.diff import find_hunks
from migrate.render.entry import Entry, Run
from migrate.render.fingerprint import line_hashes
from migrate.render.formats import FORMATS, open_report, parse_destination
from migrate.render.sections import sections
from migrate.render.side_by_side import pair_lines
from migrate.render.tally import Shares
from tests.goldens import cases
from tests.test_render import STDLIB, edit_at_random

SCHEMAS = Path(__file__).parent / "schemas"
RENDER = Path(__file__).parent.parent / "migrate" / "render"
RUN = Run("1.2.3", "smtc==1.13")
RULES = sorted(rules())
HOSTILE = "</script><script>alert(1)</script> <!-- ]]> & \" ' \x00 \x1b[31m \ud800 \U0001f525 | `x` @someone #1 %0A"


def made(
    name: str = "train.py", source: str = "", result: str = "", status: Status = Status.MIGRATED, seed: int = 0
) -> Entry:
    """A file whose every changed line has an edit of some rule, and with a few notes."""
    dice = random.Random(seed)
    result = result or source
    hunks = find_hunks(source, result)
    last = max(1, len(source.splitlines()))  # what is added at the end belongs to the last line
    lines = [min(block.start + 1, last) for block in find_blocks(hunks)]
    changes = tuple(
        Change(
            dice.choice(RULES), line, dice.choice([Safety.EXACT, Safety.REVIEW]), f"edit {line}", "device", ("seen",)
        )
        for line in lines
        if dice.random() < 0.8
    )
    notes = tuple(
        Note(
            dice.choice(RULES),
            dice.randint(1, max(1, source.count("\n"))),
            severity,
            "a note",
            "do it",
            "a book",
            "device",
        )
        for severity in Severity
    )
    return Entry(Migration(name, "smtc", status, source, result, changes, notes), name, result, hunks)


def hostile() -> Entry:
    """A script, a path and messages that try to break out of the report."""
    source, result = f"old = '''{HOSTILE}'''\n", f"new = '''{HOSTILE}'''\n"
    changes = (Change("TC101", 1, Safety.EXACT, HOSTILE, "device", (HOSTILE,)),)
    notes = (Note("TC990", 1, Severity.ERROR, HOSTILE, HOSTILE, "", "leftovers"),)
    name = "a folder/" + HOSTILE.replace("/", "").replace("\ud800", "\udcff") + ".py"
    migration = Migration(name, "smtc", Status.MIGRATED, source, result, changes, notes)
    return Entry(migration, name, result, find_hunks(source, result))


def rendered(form: str, *entries: Entry) -> str:
    report = open_report(form, RUN)
    return "".join([*(report.add(entry) for entry in entries), *report.close()])


def golden_entries(seed: int = 0) -> list[Entry]:
    found = cases("scripts")
    return [made(case.id, case.source, case.expected("smtc"), seed=seed + at) for at, case in enumerate(found)]


def failed(status: Status) -> Entry:
    migration = Migration("broken.py", "smtc", status, "x", "x", reason="does not parse: a reason", traceback="where")
    return Entry(migration, "broken.py", "x")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="tc-migrate", catch_exceptions=False)


# --- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_a_run_without_files_and_one_of_odd_files_are_reported(form: str) -> None:
    assert rendered(form)
    text = rendered(form, hostile(), failed(Status.FAILED), failed(Status.SKIPPED), made(source="x = 1\n"))
    text.encode("utf-8", "backslashreplace")
    assert "broken.py" in text


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"markdown"}))
def test_every_rule_that_needs_a_person_is_in_every_report(form: str) -> None:
    entries = golden_entries()
    text = rendered(form, *entries)
    for entry in entries:
        for finding in findings(entry.migration):
            if finding.kind != "exact":
                assert finding.rule in text


def test_the_files_of_several_reports_of_one_run_are_written_beside_the_diff(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import torch\nx = torch.zeros(2).cuda()\n")
    names = ["a.json", "b.sarif", "c.html", "d.md", "e.xml"]
    reports = [word for name in names for word in ("--report", str(tmp_path / name))]
    result = call(str(script), *reports, "--report", f"github={tmp_path / 'f.txt'}")
    assert result.exit_code == 0
    assert result.stdout.startswith("--- ")
    assert json.loads((tmp_path / "a.json").read_text())["files"][0]["diff"] == result.stdout
    for name in (*names, "f.txt"):
        assert (tmp_path / name).stat().st_size > 20
    assert script.read_text() == "import torch\nx = torch.zeros(2).cuda()\n"


@pytest.mark.parametrize("report", ["out.pdf", "pdf=out", "/no/such/folder/x.json"])
def test_a_report_that_cannot_be_is_said_before_the_work(tmp_path: Path, report: str) -> None:
    (tmp_path / "x.py").write_text("import torch\nx = torch.zeros(2).cuda()\n")
    result = call(str(tmp_path), "--report", report)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_destinations() -> None:
    assert parse_destination("sarif=a=b.json") == ("sarif", "a=b.json")
    assert parse_destination("results/x.SARIF") == ("sarif", "results/x.SARIF")
    assert parse_destination("a=b.html") == ("html", "a=b.html")
    with pytest.raises(ValueError, match=r"names no format.*sarif"):
        parse_destination("report")


# --- JSON -------------------------------------------------------------------------------------------------------------


def schema(path: Path) -> jsonschema.Validator:
    loaded = json.loads(path.read_text(encoding="utf-8"))
    kind = jsonschema.validators.validator_for(loaded)
    kind.check_schema(loaded)
    return kind(loaded)


def test_json_is_as_its_schema_says() -> None:
    entries = [*golden_entries(), hostile(), failed(Status.FAILED), made(source="x = 1\n")]
    report = json.loads(rendered("json", *entries))
    schema(RENDER / "report.schema.json").validate(report)
    assert [file["path"] for file in report["files"]] == [entry.migration.path for entry in entries]
    schema(RENDER / "report.schema.json").validate(json.loads(rendered("json")))


def test_the_json_schema_refuses_what_is_not_in_it() -> None:
    report = json.loads(rendered("json", made(source="a\n", result="b\n")))
    report["files"][0]["surprise"] = 1
    with pytest.raises(jsonschema.ValidationError, match="surprise"):
        schema(RENDER / "report.schema.json").validate(report)


# --- SARIF ------------------------------------------------------------------------------------------------------------


def test_sarif_is_valid_and_as_github_wants_it() -> None:
    entries = [*golden_entries(), hostile(), failed(Status.FAILED), failed(Status.SKIPPED)]
    text = rendered("sarif", *entries)
    log = json.loads(text)
    schema(SCHEMAS / "sarif-2.1.0.json").validate(log)
    run = log["runs"][0]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for rule in run["tool"]["driver"]["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["markdown"]
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        location = result["locations"][0]["physicalLocation"]
        assert location["region"]["startLine"] >= 1
        assert re.fullmatch(r"[\w./%~-]+", location["artifactLocation"]["uri"])
        assert re.fullmatch(r"[0-9a-f]+:\d+", result["partialFingerprints"]["primaryLocationLineHash"])
    assert len(run["invocations"][0]["toolExecutionNotifications"]) == 2
    assert len(run["results"]) == sum(len(findings(entry.migration)) for entry in entries)
    assert len(gzip.compress(text.encode())) < 10_000_000


def fixed(source: str, results: list[dict[str, object]]) -> str:
    """`source` with the fixes of all results, each replacement once."""
    lines = [*re.findall(r"[^\n]*\n|[^\n]+", source), ""]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    wanted = set()
    for result in results:
        for fix in result.get("fixes", ()):
            for replacement in fix["artifactChanges"][0]["replacements"]:
                region = replacement["deletedRegion"]
                begin = starts[region["startLine"] - 1] + region["startColumn"] - 1
                end = starts[region["endLine"] - 1] + region["endColumn"] - 1
                wanted.add((begin, end, replacement["insertedContent"]["text"]))
    text = source
    for begin, end, inserted in sorted(wanted, reverse=True):
        text = text[:begin] + inserted + text[end:]
    return text


@pytest.mark.parametrize("seed", range(20))
def test_the_fixes_of_a_file_together_are_its_migration(seed: int) -> None:
    dice = random.Random(seed)
    source = dice.choice(sorted(STDLIB.glob("*.py"))).read_text(encoding="utf-8", errors="replace")
    source = dice.choice([source, source.rstrip("\n"), source.replace("\n", "\r\n")])
    entry = made("x.py", source, edit_at_random(source, dice), seed=seed)
    results = json.loads(rendered("sarif", entry))["runs"][0]["results"]
    if any(finding.edited for finding in findings(entry.migration)):
        assert fixed(source, results) == entry.migration.result


def test_of_too_many_results_the_gravest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(as_sarif, "MOST_RESULTS", 5)
    entries = golden_entries()
    run = json.loads(rendered("sarif", *entries))["runs"][0]
    assert len(run["results"]) == 5
    assert {result["level"] for result in run["results"]} == {"error"}
    assert "left out" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


@pytest.mark.parametrize(
    ("text", "hashes"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (" a\nb\n  \t\tc\n d", ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]),
    ],
)
def test_lines_are_hashed_as_githubs_upload_action_does(text: str, hashes: list[str]) -> None:
    assert line_hashes(text) == hashes


def test_equal_lines_are_counted() -> None:
    found = line_hashes("Lorem ipsum dolor sit amet.\n" * 10)
    assert found[0] == "a7f2ff13bc495cf2:1"
    assert found[5] == "a7f2ff13bc495cf2:6"
    assert found[-1] == "c129715d7a2bc9a3:1"
    assert line_hashes("a\r\nb\rc\n") == line_hashes("a\nb\nc\n")


# --- for CI and pull requests -----------------------------------------------------------------------------------------


def test_junit_counts_what_it_holds() -> None:
    entries = [*golden_entries(), hostile(), failed(Status.FAILED), failed(Status.SKIPPED), made(source="x\n")]
    suite = ET.fromstring(rendered("junit", *entries)).find("testsuite")
    assert suite is not None
    for kind, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.attrib[kind]) == len(list(suite.iter(tag)))
    assert int(suite.attrib["tests"]) == len(list(suite.iter("testcase"))) == len(entries)
    assert int(suite.attrib["errors"]) == int(suite.attrib["skipped"]) == 1


def test_github_commands_are_one_line_each_and_escaped() -> None:
    text = rendered("github", hostile(), failed(Status.FAILED))
    *commands, last = text.splitlines()
    assert last == "tc-migrate: 1 file would be migrated, 1 failed; 1 edit, 1 note (1 error)"
    pattern = re.compile(r"::(error|warning|notice) file=[^,:]+(,line=\d+)?,title=[^,]*::.+")
    assert commands
    assert all(pattern.fullmatch(command) for command in commands)
    assert all(len(re.findall("::", command)) == 2 for command in commands)
    assert "%250A" in commands[0]


def test_markdown_fits_into_a_comment_and_begins_with_the_errors() -> None:
    entries = golden_entries()
    many = [
        made(f"{'long folder/' * 20}{at}/{entry.name}", entry.migration.source, entry.result, seed=at)
        for at in range(30)
        for entry in entries
    ]
    text = rendered("markdown", *many)
    assert len(text.encode()) < SIZE
    assert re.search(r"\d+ more do not fit here", text)
    few = rendered("markdown", *entries)
    assert few.count("<details>") == few.count("</details>") > 5
    assert 0 < few.index("To change by hand") < few.index("To check") < few.index("Edits to review")
    assert len(re.findall("^\\| .*a note", few, flags=re.MULTILINE)) > len(entries)


def test_markdown_mentions_nobody_and_breaks_no_table() -> None:
    text = rendered("markdown", hostile())
    outside = re.sub(r"(`{3,})diff\n.*?\1|`` .*? ``|<code>.*?</code>", "", text, flags=re.DOTALL)
    assert "@someone" not in outside
    assert "<script>" not in outside
    for row in [line for line in outside.splitlines() if "TC990" in line]:
        assert len(re.findall(r"(?<!\\)\|", row)) == 5


# --- side by side -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_two_columns_hold_both_sides_in_order(seed: int) -> None:
    dice = random.Random(seed)
    source = dice.choice(sorted(STDLIB.glob("*.py"))).read_text(encoding="utf-8", errors="replace")
    for hunk in find_hunks(source, edit_at_random(source, dice)):
        pairs = pair_lines(hunk)
        old = [(pair.old.number, pair.old.text) for pair in pairs if pair.old]
        new = [(pair.new.number, pair.new.text) for pair in pairs if pair.new]
        texts = {mark: [line.rstrip("\r\n") for m, line in hunk.lines if m in (mark, " ")] for mark in "-+"}
        assert old == list(enumerate(texts["-"], hunk.old_start + 1))
        assert new == list(enumerate(texts["+"], hunk.new_start + 1))
        for pair in pairs:
            for side in filter(None, (pair.old, pair.new)):
                assert all(0 <= first < last <= len(side.text) for first, last in side.spans)


def test_every_finding_is_shown_in_one_section_that_shows_its_line() -> None:
    for entry in golden_entries():
        shown = [(finding, section) for section in sections(entry) for finding in section.findings]
        assert sorted(map(repr, (finding for finding, _ in shown))) == sorted(map(repr, findings(entry.migration)))
        for finding, section in shown:
            assert finding.line in {pair.old.number for pair in section.rows if pair.old}


def test_a_part_without_an_edit_says_which_edit_it_goes_with() -> None:
    source = "RANK = int(environ['RANK'])\n" + "a = 1\n" * 9 + "if RANK == 0:\n    b = 2\n"
    result = "a = 1\n" * 9 + "if xm.get_ordinal() == 0:\n    b = 2\n"
    changes = (Change("TC521", 1, Safety.EXACT, "asked of torch_xla", "rank"),)
    migration = Migration("x.py", "smtc", Status.MIGRATED, source, result, changes)
    titles = [section.title for section in sections(Entry(migration, "x.py", result, find_hunks(source, result)))]
    assert titles == ["line 1", "line 11: goes with TC521 at line 1"]


def test_efforts_follow_from_what_is_said() -> None:
    entry = made(source="a\nb\nc\n", result="x\nb\ny\n")
    efforts = {
        finding.kind: finding.effort
        for finding in findings(entry.migration)
        if finding.rule not in ("TC901", "TC911", "TC912")
    }
    assert efforts["error"] is Effort.CHANGE
    assert efforts["warning"] is Effort.CHECK
    assert efforts["info"] is Effort.NOTHING
    assert MANUAL == (Effort.CHECK, Effort.CHANGE, Effort.REDESIGN)


@pytest.mark.parametrize(
    ("shares", "percents"),
    [
        ((0.0, 0.0, 0.0), (0, 0, 0)),
        ((1.0, 0.0, 0.0), (100, 0, 0)),
        ((0.998, 0.001, 0.001), (98, 1, 1)),
        ((0.838, 0.095, 0.067), (83, 10, 7)),
    ],
)
def test_percents_add_up_and_hide_no_work(shares: tuple[float, float, float], percents: tuple[int, int, int]) -> None:
    assert Shares(*shares).percents == percents
