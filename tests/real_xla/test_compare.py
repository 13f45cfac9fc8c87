"""What counts as the same training. Needs no torch."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from migrate.smoke.compare import compare
from migrate.smoke.run import Ending, Graphs, Parameter, Run, Side, conclude

ORIGINAL = Run(
    side=Side.CUDA,
    ending=Ending.ENDED,
    seconds=1.0,
    output="",
    steps=(3,),
    losses=((0, 1.0), (1, 0.5), (2, 0.25)),
    gradients=(3.0, 2.0, 1.0),
    parameters=(Parameter((2,), 5.0, (3.0, 4.0)), Parameter((1,), 1.0, (1.0,)), Parameter((1,), 1e-9, (1e-9,))),
)
MIGRATED = replace(ORIGINAL, side=Side.XLA)
FURTHER, FURTHER_BIAS = Parameter((2,), 5.3, (3.0, 4.4)), Parameter((1,), 1.1, (1.1,))


def test_rounding_is_the_same_training() -> None:
    near = replace(MIGRATED, losses=((0, 1.0 + 1e-5), (1, 0.5), (2, 0.25)), gradients=(3.0001, 2.0, 1.0))
    comparison = compare(ORIGINAL, near)
    assert comparison.same
    assert comparison.loss_difference == pytest.approx(1e-5, rel=1e-3)
    assert comparison.divergent_step is None


def test_a_parameter_of_pure_rounding_does_not_count() -> None:
    flipped = replace(MIGRATED, parameters=(*ORIGINAL.parameters[:2], Parameter((1,), 0.1, (-0.1,))))
    assert compare(ORIGINAL, flipped).same


def test_losses_near_zero_are_not_measured_against_themselves() -> None:
    left = replace(ORIGINAL, losses=((0, 1e-9),))
    assert compare(left, replace(MIGRATED, losses=((0, 3e-9),))).same


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
    comparison = compare(ORIGINAL, replace(MIGRATED, **other))  # type: ignore[arg-type]
    assert not comparison.same
    assert any(reason in said for said in comparison.reasons), comparison.reasons
    assert comparison.divergent_step == step


def test_a_run_that_failed_is_never_the_same() -> None:
    failed = replace(MIGRATED, ending=Ending.FAILED, output="Traceback\nValueError: no\n\n")
    assert compare(ORIGINAL, failed).reasons == ("the xla run failed: ValueError: no",)


def test_nothing_trained_is_nothing_proved() -> None:
    nothing = replace(ORIGINAL, steps=(), losses=(), gradients=(), parameters=())
    assert not compare(nothing, replace(nothing, side=Side.XLA)).same


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
    assert conclude(Side.CUDA, status, 1.0, "", seen).ending is ending


def test_late_graphs_are_counted_by_step() -> None:
    graphs = tuple(Graphs(min(step, 2), 2 * step) for step in range(10))
    assert replace(MIGRATED, graphs=graphs).late_graphs == (Graphs(0, 2),) * 3
