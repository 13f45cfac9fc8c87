"""`--statistics` and `--exit-zero`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrate import migrate
from migrate.cli import main

SOURCE = """\
import torch

model = torch.nn.Linear(3, 3).cuda()
other = torch.nn.Linear(3, 3).cuda()
torch.cuda.set_per_process_memory_fraction(0.5)
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SOURCE)
    return "train.py"


def call(*arguments: str, input: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=input, prog_name="tc-migrate", catch_exceptions=False)


def test_counts_each_rule_instead_of_showing_it(script: str) -> None:
    found = call(script, "--statistics")
    done = migrate(SOURCE)
    expected = Counter(each.rule for each in (*done.changes, *done.notes))
    rows = [line.split()[:2] for line in found.stdout.splitlines()]
    assert {rule: int(number) for number, rule in rows} == expected
    assert [int(number) for number, _ in rows] == sorted(expected.values(), reverse=True)
    assert "1 file migrated" in found.stderr
    assert Path(script).read_text() == SOURCE


def test_as_json(script: str) -> None:
    found = json.loads(call(script, "--statistics", "--format", "json").stdout)
    assert [sorted(each) for each in found] == [["count", "kind", "rule", "summary"]] * len(found)
    assert sum(each["count"] for each in found) == len(migrate(SOURCE).changes) + len(migrate(SOURCE).notes)


def test_counts_while_writing(script: str) -> None:
    assert "TC1" in call(script, "--statistics", "--write").stdout
    assert Path(script).read_text() == migrate(SOURCE).result
    assert call(script, "--statistics", "--check").exit_code == 0


def test_a_file_in_trouble_is_named(script: str) -> None:
    Path("broken.py").write_text("import torch\n)(\n")
    found = call(script, "broken.py", "--statistics", "--exit-zero")
    assert "broken.py: does not parse" in found.stderr
    assert found.exit_code == 2, "--exit-zero hides no trouble"


@pytest.mark.parametrize("words", [["--check"], ["--check", "--statistics"], ["--check", "--format", "json"]])
def test_exit_zero(script: str, words: list[str]) -> None:
    assert call(script, *words).exit_code == 1
    assert call(script, *words, "--exit-zero").exit_code == 0


@pytest.mark.parametrize("words", [["--format", "sarif"], ["--interactive"]])
def test_is_a_report_of_its_own(script: str, words: list[str]) -> None:
    assert call(script, "--statistics", *words).exit_code == 2


def test_does_not_mix_with_a_script_on_standard_output() -> None:
    assert call("-", "--statistics", "--write", input=SOURCE).exit_code == 2
    assert "TC1" in call("-", "--statistics", input=SOURCE).stdout
