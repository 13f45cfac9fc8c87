"""What is concluded from how a command ended and what its processes saw. Needs no torch."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.smoke.enclosure import Cause, Ended
from migrate.smoke.environments import Environment
from migrate.smoke.record import Ending, Side
from migrate.smoke.run import Job, conclude
from migrate.smoke.workspace import Workspace

SEEN = {
    "complete": True, "stopped": False, "steps": [1], "losses": [[0, 1.0]], "gradients": [1.0],
    "parameters": [], "graphs": [], "counters": {}, "versions": {},
}  # fmt: skip
HERE = Path("/user")
SPACE = Workspace(HERE, Path("/mirror/user"), Path("/mirror/user/train.py"), Path("/mirror"))


@pytest.mark.parametrize(
    ("status", "seen", "ending"),
    [
        pytest.param(0, [SEEN], Ending.ENDED, id="trained and ended"),
        pytest.param(0, [SEEN, {**SEEN, "steps": [], "losses": []}], Ending.ENDED, id="its parent did not train"),
        pytest.param(1, [SEEN], Ending.FAILED, id="exit status"),
        pytest.param(0, [{**SEEN, "complete": False}], Ending.FAILED, id="raised"),
        pytest.param(0, [SEEN, SEEN], Ending.FAILED, id="trained in two processes"),
        pytest.param(0, [], Ending.FAILED, id="did not train"),
        pytest.param(1, [{**SEEN, "stopped": True}], Ending.STOPPED, id="parent of a stopped worker fails"),
        pytest.param(None, [SEEN], Ending.TIMED_OUT, id="killed"),
    ],
)
def test_how_a_run_ended(status: int | None, seen: list[dict[str, object]], ending: Ending) -> None:
    job = Job(HERE / "train.py", Side.CUDA, Environment("", Path("python")))
    ended = Ended(Cause.TIME if status is None else Cause.ITSELF, status, "", ())
    assert conclude(job, SPACE, ended, 1.0, seen, []).ending is ending


def test_workers_are_in_the_order_of_their_ranks() -> None:
    job = Job(HERE / "train.py", Side.XLA, Environment("", Path("python")), workers=2)
    ended = Ended(Cause.ITSELF, 0, "", ())
    ran = conclude(job, SPACE, ended, 1.0, [{**SEEN, "rank": 1}, {**SEEN, "rank": 0}], [])
    assert [worker.rank for worker in ran.workers] == [0, 1]
