"""What the pages about SageMaker show is what comes out, and what they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from migrate.aliases import ALIASES
from migrate.cli import main
from migrate.doctor.known import FAILURES
from migrate.registry import rules
from tests.goldens import ROOT

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {name: (DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("sagemaker-journey", "sagemaker-errata")}
EACH = pytest.mark.parametrize("page", list(PAGES))


@EACH
def test_the_rules_named_are_there(page: str) -> None:
    known = {*rules(), *ALIASES, *FAILURES}
    named = re.findall(r"\b(?:TC\d{3}|TS\d{3}|SM\d{3}|LC\d\d|DBG\d{3}|NCL\d{3})\b", PAGES[page])
    assert named
    assert sorted(set(named) - known) == []


@EACH
def test_linked_pages_exist(page: str) -> None:
    links = re.findall(r"\]\(([\w/.-]+)\)", PAGES[page])
    assert [link for link in links if not (DOCS / link).exists()] == []


def test_the_diffs_are_what_comes_out() -> None:
    project = ROOT / "projects/first_job"
    before = [path.read_text() for path in (project / "launch.py", project / "src/train.py")]
    after = [path.read_text() for path in (project / "launch.smtc.py", project / "src/train.smtc.py")]
    shown = re.findall(r"```diff\n(.*?)```", PAGES["sagemaker-journey"], re.DOTALL)
    assert len(shown) == len(before)
    for diff, old, new in zip(shown, before, after, strict=True):
        for line in diff.splitlines():
            assert line[1:] in (old if line[0] == "-" else new).splitlines(), line
            assert line[0] != "-" or line[1:] not in new.splitlines()


@EACH
def test_the_options_shown_exist(page: str) -> None:
    blocks = re.findall(r"```\n(.*?)```|`(tc-migrate [^`]*)`", PAGES[page], re.DOTALL)
    for command in re.findall(r"tc-migrate [^\n`]*", "\n".join(one or other for one, other in blocks)):
        words = command.split(" -- ")[0].split()
        sub = [words[1]] if words[1] in ("smoke", "doctor", "explain", "rules") else []
        text = CliRunner().invoke(main, [*sub, "--help"]).stdout
        assert [word for word in words if word.startswith("--") and word not in text] == [], command


def test_the_note_shown_is_said() -> None:
    said = (ROOT / "projects/first_job/launch.notes").read_text()
    (shown,) = re.findall(r"launch.py:13: error (SM014): (.*)", PAGES["sagemaker-journey"])
    assert f"smtc:13: error {shown[0]} {shown[1]}\n" in said
