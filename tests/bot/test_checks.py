"""Annotations and suggestions: in portions that GitHub takes, at lines that it shows, harmless whatever they quote."""

from __future__ import annotations

import json

import pytest

from codemods.kit.rules import Note, Severity
from migrate.bot.checks import AT_ONCE, MOST, annotate, portions
from migrate.bot.plan import make_plan
from migrate.bot.suggestions import Suggestion, shown_lines, suggest
from migrate.migration import Migration, Status
from migrate.project import migrate_project
from migrate.render.as_github import GithubReport
from migrate.render.entry import Entry, Run
from tests.bot.migrations import HOSTILE, NOTE, RESULT, SOURCE, hostile, left, proposal, train
from tests.goldens import ROOT, TARGETS, project_sources

ALL_OF_IT = [range(1, 100)]


def many(number: int) -> Migration:
    notes = tuple(
        Note("TC203", line, Severity.WARNING, f"note {line}", "", "", "loader") for line in range(1, number + 1)
    )
    return Migration("many.py", "smtc", Status.UNCHANGED, "\n" * number, "\n" * number, notes=notes)


# --- annotations --------------------------------------------------------------------------------------------------


def test_what_a_person_should_read_is_annotated_the_gravest_first() -> None:
    migrations = {"train.py": train(notes=(NOTE,)), "deep.py": left("deep.py", Status.SKIPPED, "nested too deeply")}
    said = [(each.path, each.line, each.level, each.title, each.message) for each in annotate(migrations)]
    assert said == [
        ("train.py", 4, "failure", "tc-migrate TC911", "a kernel of its own\nwrite it anew"),
        ("deep.py", 1, "warning", "tc-migrate: skipped", "nested too deeply"),
        ("train.py", 7, "warning", "tc-migrate TC401", "review: steps through xm.optimizer_step"),
    ]


@pytest.mark.parametrize("number", [0, 1, 49, 50, 51, 100, 499, 700])
def test_no_request_has_more_than_fifty(number: int) -> None:
    found = annotate({"many.py": many(number)})
    lists = list(portions(found))
    assert len(found) == number
    assert sum(map(len, lists)) == min(number, MOST)
    assert all(0 < len(each) <= AT_ONCE for each in lists)
    plan = make_plan({"many.py": many(number)}, proposal())
    assert ("more remarks" in plan.summary) == (number > MOST)
    assert len(plan.summary) < 65_535


def test_annotations_of_hostile_files_are_plain_and_small() -> None:
    names = ["caf\udce9.py", "new\nline.py", "\u202egpj.py", "a|b`.py"]
    found = annotate(
        {name: hostile(name) for name in names} | {"long.py": left("long.py", Status.FAILED, "x" * 90_000)}
    )
    payloads = [payload for portion in portions(found) for payload in portion]
    assert {payload["path"] for payload in payloads} == {"a|b`.py", "long.py"}
    for payload in payloads:
        json.dumps(payload).encode("ascii")
        text = payload["title"] + payload["message"]
        assert not any(char in text for char in "\x00\x1b\u202e\r")
        assert len(payload["message"]) <= 4_000


def test_workflow_commands_end_where_they_should() -> None:
    for name in ("a\n::error::x.py", "a,line=9::x.py", "a%0A::error::x.py", "a:b.py"):
        report = GithubReport(Run("1", "smtc"))
        text = report.add(Entry(hostile(name), name)) + "".join(report.close())
        lines = text.split("\n")
        assert len(lines) == 4
        assert sorted(line.partition(" ")[0] for line in lines[:2]) == ["::error", "::warning"]
        properties = [line[2:].partition("::")[0] for line in lines[:2]]
        assert all(each.count(",") == 2 and each.count("=") >= 3 for each in properties)
        assert "\r" not in text


# --- suggestions --------------------------------------------------------------------------------------------------


def applied(source: str, suggestions: tuple[Suggestion, ...]) -> str:
    """The text after all suggestions are taken, as GitHub does it."""
    lines = source.split("\n")
    for suggestion in sorted(suggestions, key=lambda each: -each.first):
        fence = suggestion.body.partition("suggestion\n")[0].rpartition("\n")[2]
        new = suggestion.body.partition("suggestion\n")[2].rpartition(fence)[0]
        lines[suggestion.first - 1 : suggestion.last] = new.removesuffix("\n").split("\n") if new else []
    return "\n".join(lines)


def test_a_patch_tells_which_lines_it_shows() -> None:
    patch = "@@ -1,3 +1,4 @@ def f():\n a\n+@@ -1 +9 @@\n b\n c\n@@ -10 +12 @@\n-x\n+y\n@@ -20,2 +22,0 @@\n-x\n"
    assert shown_lines(patch) == [range(1, 5), range(12, 13), range(22, 22)]
    assert shown_lines("") == []


def test_all_suggestions_taken_are_the_migration() -> None:
    review = suggest({"train.py": train()}, {"train.py": ALL_OF_IT})
    assert (review.left, len(review.suggestions)) == (0, 3)
    assert applied(SOURCE, review.suggestions) == RESULT
    assert [each.payload() for each in review.suggestions][1] == {
        "path": "train.py",
        "line": 3,
        "side": "RIGHT",
        "body": "**TC111** (exact) .cuda() is .to(device)\n**TC111** (exact) a device for it\n\n"
        "```suggestion\ndevice = xm.xla_device()\nmodel = Net().to(device)\n```\n",
    }


def test_only_lines_that_the_pull_request_shows_are_suggested() -> None:
    assert suggest({"train.py": train()}, {}).suggestions == ()
    assert suggest({"train.py": train()}, {"train.py": [range(4, 6), range(8, 9)]}).left == 3
    # Without the import the others would not run: then none is.
    assert suggest({"train.py": train()}, {"train.py": [range(3, 8)]}).suggestions == ()
    both = suggest({"train.py": train()}, {"train.py": [range(1, 4)]})
    assert [(each.first, each.last) for each in both.suggestions] == [(2, 2), (3, 3)]
    assert both.left == 1


def test_a_review_is_never_longer_than_one_can_read() -> None:
    migrations = {f"{number:02}.py": train() for number in range(30)}
    review = suggest(migrations, dict.fromkeys(migrations, ALL_OF_IT))
    assert (len(review.suggestions), review.left) == (18, 90 - 18)


def test_ends_of_lines_and_fences() -> None:
    crlf = Migration("a.py", "smtc", Status.MIGRATED, "a = 1\r\nb = 2\r\n", "a = 1\r\nb = '```'\r\nc = 3\r\n")
    (suggestion,) = suggest({"a.py": crlf}, {"a.py": ALL_OF_IT}).suggestions
    assert suggestion.body == "\n````suggestion\nb = '```'\nc = 3\n````\n"
    (gone,) = suggest(
        {"a.py": Migration("a.py", "smtc", Status.MIGRATED, "a\nb\n", "a\n")}, {"a.py": ALL_OF_IT}
    ).suggestions
    assert (gone.first, gone.body) == (2, "\n```suggestion\n```\n")
    end = Migration("a.py", "smtc", Status.MIGRATED, "a = 1", "a = 1\nb = 2\n")
    (last,) = suggest({"a.py": end}, {"a.py": ALL_OF_IT}).suggestions
    assert (last.first, last.last) == (1, 1)
    quoted = suggest({"a.py": hostile("a.py")}, {"a.py": ALL_OF_IT}).suggestions
    assert all(
        "\n# heading" not in each.body.partition("````suggestion")[0] and HOSTILE not in each.body for each in quoted
    )


@pytest.mark.parametrize("folder", sorted(path.name for path in (ROOT / "projects").iterdir())[:12])
def test_the_suggestions_for_a_project_are_its_migration(folder: str) -> None:
    sources = project_sources(ROOT / "projects" / folder)
    for path, migration in migrate_project(sources, target=TARGETS["xla"]):
        review = suggest({path: migration}, {path: [range(1, 10_000)]})
        if review.suggestions and not review.left:
            assert applied(migration.source, review.suggestions) == migration.result
