"""A few of the programs that are broken on purpose, and of those that are changed harmlessly (`tests/smoke/breakages`).

All of them are run by `python -m tests.smoke.breakages`; docs/smoke.md has what came of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from codemods.kit.targets import XLA
from migrate import migrate
from migrate.smoke.environments import Environment
from tests.smoke.breakages.__main__ import Change, changes, check
from tests.smoke.breakages.plants import UNSEEN
from tests.smoke.breakages.programs import PROGRAMS, text_of

SAMPLE = (
    "mlp: checkpoint of the first weights",
    "mlp: an epoch less",
    "average: the average never moves",
    "shadow: the shadow of biases never moves",
    "schedule: warm-up a step late",
    "average: linear interpolation",
    "conv: scaled by multiplication",
)
EACH = {change.full_name: change for change in changes()}


def test_there_are_as_many_as_the_page_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "smoke.md").read_text(encoding="utf-8")
    faults = [change for change in EACH.values() if not change.harmless and change.full_name not in UNSEEN]
    harmless = [change for change in EACH.values() if change.harmless]
    assert len(EACH) == len(list(changes())), "two have one name"
    assert (len(faults) >= 60, len(harmless) >= 40, len(PROGRAMS) >= 12) == (True, True, True)
    row = re.search(r"^\| \*\*all\*\* \| \d+ of (\d+) \| .*? \| \d+ of (\d+) \|", page, re.MULTILINE)
    assert row is not None
    assert (int(row[1]), int(row[2])) == (len(faults), len(harmless))


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_changes_its_program(program: str) -> None:
    text = migrate(text_of(program), target=XLA.name).result
    for change in EACH.values():
        if change.program == program:
            compile(change.apply(text), change.full_name, "exec")


@pytest.mark.real_xla
@pytest.mark.parametrize("name", SAMPLE)
def test_the_verdict_is_right(
    name: str, environment: Callable[[str], Environment], tmp_path_factory: pytest.TempPathFactory
) -> None:
    environment("2.9")
    change: Change = EACH[name]
    folder = tmp_path_factory.getbasetemp() / "planted"
    folder.mkdir(exist_ok=True)
    outcome = check(change, folder, "oracle" if change.harmless else "standin")
    assert outcome.right, (outcome.verdict, outcome.reason)
