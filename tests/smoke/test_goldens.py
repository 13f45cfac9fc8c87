"""Each golden script trains the same before and after, and no rule finds an error in it.

The original runs on a stand-in for CUDA, the migrated script on real torch_xla, both on the torch of that environment,
since initial weights may differ between releases.
Workers are one: an original that spawns or is started by torchrun finds one GPU.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.smoke.compare import compare
from migrate.smoke.environments import Environment
from migrate.smoke.findings import find
from migrate.smoke.record import Run, Side
from migrate.smoke.run import Job, Launch, Limits, run

SCRIPTS = Path(__file__).parents[2] / "golden" / "scripts"
SIDES = {"smtc": (Side.SMTC, "2.1"), "xla": (Side.XLA, "2.9")}
TWINS = [(path.parent.name, path.name.split(".")[1]) for path in sorted(SCRIPTS.glob("*/case.*.py"))]

NOT_RUN = {
    "hf_trainer": "needs transformers and a data set from the network",
}
"""Migrated scripts that cannot run here, with the reason."""

ONLY_MIGRATED = {"legacy_py2": (18,)}
"""Python 2 scripts, which no torch of today runs, with the optimizer steps the migrated one takes."""

ONE_GRAPH = {
    "amp",
    "data_parallel",
    "ddp_spawn",
    "epoch_functions",
    "gan",
    "optimizer_before_move",
    "placement_tree",
    "single_gpu",
    "smddp",
    "trainer_class",
}
"""Scripts whose usual step executes one graph: they read little from the device, or what they read can be put off.

The others accumulate gradients, or read several values in each step where the script needs them.
"""

RECOMPILES = {"durations_read_one_by_one", "lbfgs_closure", "tensor_type_by_option"}
"""Scripts whose step is another graph each time: lengths are read from the device (TC974), the optimizer decides on the
host, a buffer is resized (TC937)."""

pytestmark = pytest.mark.real_xla


@pytest.mark.parametrize(("name", "target"), [pytest.param(*twin, id="-".join(twin)) for twin in TWINS])
def test_trains_the_same(name: str, target: str, environment: Callable[[str], Environment]) -> None:
    if name in NOT_RUN:
        pytest.skip(NOT_RUN[name])
    side, version = SIDES[target]
    twin = SCRIPTS / name / f"case.{target}.py"
    limits = Limits(seconds=400)
    migrated = run(Job(twin, side, environment(version), launch=launch_for(twin, side), limits=limits))
    if name in ONLY_MIGRATED:
        assert (migrated.ok, migrated.first.steps) == (True, ONLY_MIGRATED[name]), tail(migrated)
        return
    original = run(Job(SCRIPTS / name / "case.py", Side.CUDA, environment(version), limits=limits))
    comparison = compare(original, migrated)
    assert comparison.same, "\n".join((*comparison.reasons, tail(original), tail(migrated)))
    assert [finding for finding in find(original, migrated) if finding.error] == []
    check_graphs(name, migrated)


def check_graphs(name: str, migrated: Run) -> None:
    """The usual late step compiles nothing, and executes one graph where the source allows it.

    The usual one, since evaluation and log lines between two steps have graphs of their own.
    """
    late = migrated.first.late_graphs
    if not late or name in RECOMPILES:
        return
    assert statistics.median_low(step.compiled for step in late) == 0, f"compiles on and on: {late}"
    if name in ONE_GRAPH:
        assert statistics.median_low(step.executed for step in late) == 1, f"more than one graph a step: {late}"


def launch_for(script: Path, side: Side) -> Launch:
    """As the Training Compiler's launcher starts it, where a script is made for that launcher."""
    launched = re.search(r"^def _mp_fn\(", script.read_text(encoding="utf-8"), re.MULTILINE)
    return Launch.MP_FN if side is Side.SMTC and launched else Launch.MAIN


def tail(ran: Run) -> str:
    return f"--- {ran.side.value}, {ran.ending.value} after {ran.seconds:.0f} s\n{ran.output[-2000:]}"


def test_tables_name_scripts_that_exist() -> None:
    names = {path.parent.name for path in SCRIPTS.glob("*/case.py")}
    assert ONE_GRAPH | RECOMPILES | set(NOT_RUN) <= names
