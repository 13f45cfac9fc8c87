"""What counts as the same training. Needs no torch."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.smoke.compare import Comparison, compare
from migrate.smoke.environments import Environment
from migrate.smoke.record import Backend, Ending, Graphs, Parameter, Run, Side, Worker
from migrate.smoke.run import Job, conclude

ORIGINAL = Worker(
    steps=(3,),
    losses=((0, 1.0), (1, 0.5), (2, 0.25)),
    gradients=(3.0, 2.0, 1.0),
    parameters=(Parameter((2,), 5.0, (3.0, 4.0)), Parameter((1,), 1.0, (1.0,)), Parameter((1,), 1e-9, (1e-9,))),
)


def compare_workers(original: Worker, migrated: Worker) -> Comparison:
    return compare(
        Run(Side.CUDA, Ending.ENDED, 1.0, "", (original,)),
        Run(Side.XLA, Ending.ENDED, 1.0, "", (migrated,), Backend.TORCH_XLA),
    )


FURTHER, FURTHER_BIAS = Parameter((2,), 5.3, (3.0, 4.4)), Parameter((1,), 1.1, (1.1,))


def test_rounding_is_the_same_training() -> None:
    near = replace(ORIGINAL, losses=((0, 1.0 + 1e-5), (1, 0.5), (2, 0.25)), gradients=(3.0001, 2.0, 1.0))
    comparison = compare_workers(ORIGINAL, near)
    assert comparison.same
    assert comparison.loss_difference == pytest.approx(1e-5, rel=1e-3)
    assert comparison.divergent_step is None


def test_a_parameter_of_pure_rounding_does_not_count() -> None:
    flipped = replace(ORIGINAL, parameters=(*ORIGINAL.parameters[:2], Parameter((1,), 0.1, (-0.1,))))
    assert compare_workers(ORIGINAL, flipped).same


def test_losses_near_zero_are_not_measured_against_themselves() -> None:
    left = replace(ORIGINAL, losses=((0, 1e-9),))
    assert compare_workers(left, replace(ORIGINAL, losses=((0, 3e-9),))).same


@pytest.mark.parametrize(
    ("other", "reason", "step"),
    [
        pytest.param({"losses": ((0, 1.0), (1, 0.51), (2, 0.3))}, "loss of step 2", 2, id="a loss"),
        pytest.param({"losses": ((0, 1.0), (1, math.nan), (2, 0.25))}, "loss of step 2", 2, id="a loss of NaN"),
        pytest.param({"losses": ORIGINAL.losses[:2]}, "losses: 3", None, id="a loss missing"),
        pytest.param({"steps": (2,)}, "optimizer steps: 3 in the original, 2 migrated", None, id="a step missing"),
        pytest.param({"steps": (3, 3)}, "3 in the original, 3 + 3 migrated", None, id="a second optimizer"),
        pytest.param({"gradients": (1.5, 2.0, 1.0)}, "gradient of step 1", 1, id="a gradient divided twice"),
        pytest.param({"parameters": ()}, "final parameters", None, id="other parameters"),
        pytest.param(
            {"parameters": (FURTHER, FURTHER_BIAS, ORIGINAL.parameters[2])}, "final parameters", None, id="another end"
        ),
    ],
)
def test_other_training(other: dict[str, object], reason: str, step: int | None) -> None:
    comparison = compare_workers(ORIGINAL, replace(ORIGINAL, **other))  # type: ignore[arg-type]
    assert not comparison.same
    assert any(reason in said for said in comparison.reasons), comparison.reasons
    assert comparison.divergent_step == step


def test_a_run_that_failed_is_never_the_same() -> None:
    done = Run(Side.CUDA, Ending.ENDED, 1.0, "", (ORIGINAL,))
    failed = Run(Side.XLA, Ending.FAILED, 1.0, "Traceback\nValueError: no\n\n", (ORIGINAL,), Backend.TORCH_XLA)
    assert compare(done, failed).reasons == ("the xla run failed: ValueError: no",)


def test_nothing_trained_is_nothing_proved() -> None:
    assert not compare_workers(Worker(), Worker()).same


SEEN = {
    "complete": True, "stopped": False, "steps": [1], "losses": [[0, 1.0]], "gradients": [1.0],
    "parameters": [], "graphs": [], "counters": {}, "versions": {},
}  # fmt: skip


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
    job = Job(Path("train.py"), Side.CUDA, Environment("", Path("python")))
    assert conclude(job, status, 1.0, "", seen).ending is ending


def test_late_graphs_are_counted_by_step() -> None:
    graphs = tuple(Graphs(min(step, 2), 2 * step) for step in range(10))
    assert replace(ORIGINAL, graphs=graphs).late_graphs == (Graphs(0, 2),) * 3
