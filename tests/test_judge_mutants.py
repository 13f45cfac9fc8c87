"""Programs broken on purpose: the judge sees at least as many as docs/verify-measured.md says, in a small sample."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from tests.judge_mutants.kinds import KINDS
from tests.judge_mutants.scoring import Outcome, judged, mutants

PAGE = Path(__file__).parent.parent / "docs" / "verify-measured.md"
SAMPLE = 2
"""Programs of each kind."""


def floor(apart: bool) -> int:
    """What the page promises, in percent."""
    promise = r"at least (\d+) % of the tuned kinds and (\d+) % of the kinds apart"
    said = re.search(promise, PAGE.read_text(encoding="utf-8"))
    assert said, f"{PAGE.name} does not say how much is caught"
    return int(said[2 if apart else 1])


@pytest.mark.parametrize("apart", [False, True])
def test_what_is_broken_is_seen(apart: bool) -> None:
    chosen = [kind for kind in KINDS.values() if kind.apart == apart]
    counted = Counter(judged(one)[0] for kind in chosen for one in islice(mutants(kind), SAMPLE))
    assert 100 * counted[Outcome.CAUGHT] >= floor(apart) * counted.total(), counted


def test_kinds_are_enough_and_a_part_of_them_is_set_apart() -> None:
    assert len(KINDS) >= 45
    assert 0.2 < sum(kind.apart for kind in KINDS.values()) / len(KINDS) < 0.5
