"""What counts as the same training. Needs no torch."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from migrate.smoke.compare import Comparison, Tolerance, compare, measured_tolerance, same_on_all_ranks
from migrate.smoke.record import Backend, Ending, Graphs, Parameter, Run, Side, Worker

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


def native(*losses: float, **others: object) -> Run:
    worker = replace(
        ORIGINAL, steps=(len(losses),), losses=tuple(enumerate(losses)), gradients=(1.0,) * len(losses), **others
    )  # type: ignore[arg-type]
    return Run(Side.CUDA, Ending.ENDED, 1.0, "", (worker,))


def test_the_tolerance_is_ten_times_what_was_measured_up_to_there() -> None:
    allowed = measured_tolerance(native(1.0, 1.0, 1.0), native(1.0, 1.0 + 1e-4, 1.0 + 5e-5))
    assert allowed.losses == pytest.approx((Tolerance().loss, 1e-3, 1e-3), rel=1e-3)
    assert allowed.noise == pytest.approx(1e-4, rel=1e-3)
    assert allowed.chaotic_step is None
    original = native(1.0, 1.0, 1.0)
    assert compare(original, native(1.0, 1.0, 1.0008), allowed).same
    assert compare(original, native(1.0, 1.0, 1.002), allowed).divergent_step == 3
    assert compare(original, native(1.0005, 1.0, 1.0), allowed).divergent_step == 1


def test_a_training_that_is_chaotic_is_compared_up_to_there() -> None:
    allowed = measured_tolerance(native(1.0, 0.5, 0.2, 0.1), native(1.0, 0.5, 0.3, 0.2))
    assert (allowed.chaotic_step, allowed.compared_losses) == (3, 2)
    comparison = compare(native(1.0, 0.5, 0.2, 0.1), native(1.0, 0.5, 0.9, 0.9), allowed)
    assert comparison.same
    assert comparison.compared_losses == 2
    assert "from step 3 on" in comparison.notes[0]
    assert compare(native(1.0, 0.5, 0.2, 0.1), native(1.0, 0.6, 0.2, 0.1), allowed).divergent_step == 2


def test_a_disturbed_run_that_failed_measures_nothing() -> None:
    failed = replace(native(1.0, 0.5), ending=Ending.FAILED)
    assert measured_tolerance(native(1.0, 0.5), failed) == Tolerance()


def named(*names: str, first: float = 3.0) -> tuple[Parameter, ...]:
    shapes = {"weight": Parameter((2,), 5.0, (first, 4.0)), "bias": Parameter((2,), 1.0, (1.0, 1.0))}
    return tuple(replace(shapes[name], name=name) for name in names)


def test_parameters_are_paired_by_name_and_the_worst_is_named() -> None:
    left, right = named("weight", "bias"), named("bias", "weight", first=3.3)
    comparison = compare_workers(replace(ORIGINAL, parameters=left), replace(ORIGINAL, parameters=right))
    assert comparison.worst_parameter == "weight"
    assert comparison.worst_difference == pytest.approx(0.06)


RANKS = (ORIGINAL, replace(ORIGINAL, rank=1, losses=((0, 2.0), (1, 1.5), (2, 1.25))))


def several(*workers: Worker) -> Run:
    return Run(Side.XLA, Ending.ENDED, 1.0, "", workers, Backend.STANDIN)


def test_ranks_are_compared_with_ranks() -> None:
    original = Run(Side.CUDA, Ending.ENDED, 1.0, "", RANKS)
    assert compare(original, several(*RANKS)).same
    other = replace(RANKS[1], losses=((0, 2.0), (1, 1.5), (2, 1.3)))
    comparison = compare(original, several(RANKS[0], other))
    assert comparison.reasons == ("rank 1: loss of step 3: 1.25 in the original, 1.3 migrated",)


def test_one_process_is_compared_with_the_mean_of_the_ranks() -> None:
    alone = Run(Side.CUDA, Ending.ENDED, 1.0, "", (replace(ORIGINAL, losses=((0, 1.5), (1, 1.0), (2, 0.75))),))
    comparison = compare(alone, several(*RANKS))
    assert comparison.same, comparison.reasons
    assert "the mean of the ranks' losses" in comparison.notes[0]
    assert not compare(alone, several(RANKS[0], RANKS[0])).same


def test_ranks_that_end_apart_are_told() -> None:
    apart = replace(RANKS[1], parameters=(FURTHER, *ORIGINAL.parameters[1:]))
    assert same_on_all_ranks(several(*RANKS)) == []
    assert same_on_all_ranks(several(RANKS[0], apart))[0].startswith("rank 1 ended with other parameters")


def test_late_graphs_are_counted_by_step() -> None:
    graphs = tuple(Graphs(min(step, 2), 2 * step) for step in range(10))
    assert replace(ORIGINAL, graphs=graphs).late_graphs == (Graphs(0, 2),) * 3
