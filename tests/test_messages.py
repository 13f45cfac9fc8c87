"""What is said of an edit names only what its reader finds in the diff or in the source."""

from __future__ import annotations

import re

import pytest

from tests.goldens import TARGETS, Case, cases

NAME = re.compile(r"\b(?:xm|xr|pl|met|syncfree|torch_xla)\.[A-Za-z_][\w.]*\w")


@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("case", [*cases("data_parallel"), *cases("horovod")], ids=lambda case: case.id)
def test_how_gradients_are_averaged_is_not_named_wrongly(case: Case, target: str) -> None:
    made = case.migrated(target)
    for change in made.changes:
        for name in NAME.findall(change.message):
            assert name.rpartition(".")[2] in made.source + made.result, f"{change.rule} at {change.line}: {name}"
