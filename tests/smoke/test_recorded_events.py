"""What the engine predicts of each line is what the line does, on a few programs.

`python -m tests.recorded_events` asks all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.smoke.environments import Environment
from migrate.smoke.record import Side
from tests.recorded_events.comparison import KINDS, compare
from tests.recorded_events.programs import programs
from tests.recorded_events.recordings import recorded

CHEAP = ("pitfalls/p01_optimizer_before_move", "pitfalls/p17_rank_zero_collective", "scripts/amp_clip_accumulate")

pytestmark = pytest.mark.real_xla


@pytest.mark.parametrize("name", CHEAP)
@pytest.mark.parametrize("side", [Side.CUDA, Side.XLA], ids=lambda side: side.value)
def test_every_deed_is_predicted_and_none_invented(
    name: str, side: Side, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    program = next(one for one in programs([name]) if one.name == name)
    texts = program.sources if side is Side.CUDA else program.migrated()
    recording = recorded(program, side, texts, environment("2.9"), tmp_path)
    assert recording is not None
    assert recording.trained, recording.ending
    found = compare(texts, program.entry, recording, cuda=side is Side.CUDA)
    assert (found.missed, found.invented, found.failure) == (set(), set(), "")
    assert [fact for fact in found.facts if not fact.right] == []
    hit = {kind for kind, _, _ in found.hit}
    assert {"forward", "backward", "step", "zero", "move", "capture"} <= hit <= set(KINDS)
