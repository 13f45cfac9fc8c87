"""What two runs left is compared value by value, and no figure of a report contradicts its verdict. Needs no torch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from migrate.smoke.compare import Comparison, Tolerance, compare, measured_tolerance, noise_of_ends
from migrate.smoke.ends import TITLES
from migrate.smoke.judgement import Pair, Verdict
from migrate.smoke.record import Backend, Ending, Parameter, Run, Side, Worker

KINDS = {
    "parameters": "fc.weight",
    "buffers": "norm.running_mean",
    "optimizer_state": "exp_avg of fc.weight in optimizer 1",
    "schedulers": "last_epoch of scheduler 1",
    "copies": "Net.fc.weight",
}


def value(name: str, first: float = 3.0, dtype: str = "float32") -> Parameter:
    return Parameter((2,), 5.0, (first, 4.0), name, dtype)


def left_by(kind: str, *values: Parameter) -> dict[str, object]:
    return {kind: (values,) if kind == "copies" else values}


TRAINED = Worker(
    steps=(4,),
    losses=tuple((step, 1.0 / (step + 1)) for step in range(4)),
    gradients=(4.0, 3.0, 2.0, 1.0),
    **{key: item for kind, name in KINDS.items() for key, item in left_by(kind, value(name)).items()},  # type: ignore[arg-type]
)


def run_of(worker: Worker, side: Side = Side.CUDA) -> Run:
    return Run(side, Ending.ENDED, 1.0, "", (worker,), None if side is Side.CUDA else Backend.TORCH_XLA)


def judged(migrated: Worker, original: Worker = TRAINED, disturbed: Worker | None = None) -> Pair:
    native, noisy = run_of(original), run_of(disturbed or original)
    tolerance = measured_tolerance(native, noisy, None, noise_of_ends(native.first, noisy.first))
    return Pair(1, "", native, run_of(migrated, Side.XLA), compare(native, run_of(migrated, Side.XLA), tolerance))


def comparison_of(pair: Pair) -> Comparison:
    assert pair.comparison is not None
    return pair.comparison


def test_every_kind_is_compared_and_told() -> None:
    pair = judged(TRAINED)
    assert pair.verdict is Verdict.PROVED
    evidence = comparison_of(pair).evidence
    assert {kind: str(getattr(evidence, kind)) for kind in KINDS} == dict.fromkeys(KINDS, "1 of 1")
    assert set(KINDS) == set(TITLES)


@pytest.mark.parametrize("kind", KINDS)
def test_one_value_that_is_off_is_no_proof(kind: str) -> None:
    off = replace(TRAINED, **left_by(kind, value(KINDS[kind], 3.1)))  # type: ignore[arg-type]
    pair = judged(off)
    assert pair.verdict is Verdict.DIVERGED
    assert KINDS[kind] in pair.reasons[0]
    assert "0.02 of its norm" in pair.reasons[0]


@pytest.mark.parametrize("kind", ["parameters", "optimizer_state", "schedulers"])
def test_one_value_that_is_missing_is_no_proof(kind: str) -> None:
    both = replace(TRAINED, **left_by(kind, value(KINDS[kind]), value("another")))  # type: ignore[arg-type]
    pair = judged(TRAINED, original=both)
    assert pair.verdict is Verdict.DIVERGED
    assert "the migrated run has no another" in pair.reasons[0]


@pytest.mark.parametrize("kind", ["copies", "buffers"])
def test_what_the_migrated_script_has_nothing_of_is_not_proved(kind: str) -> None:
    pair = judged(replace(TRAINED, **{kind: ()}))  # type: ignore[arg-type]
    assert pair.verdict is Verdict.UNPROVED
    assert "not compared: 0 of 1" in pair.reasons[0]


def test_another_type_is_another_training() -> None:
    pair = judged(replace(TRAINED, parameters=(value("fc.weight", dtype="bfloat16"),)))
    assert pair.verdict is Verdict.DIVERGED
    assert "type float32 (shape (2,) and type bfloat16)" in pair.reasons[0]
    assert not pair.doubtful, "float64 has no other types and would hide it"


def test_a_value_that_rounding_decides_is_not_judged_and_named() -> None:
    noisy = replace(TRAINED, parameters=(value("fc.weight"), value("fc.bias")))
    disturbed = replace(noisy, parameters=(value("fc.weight"), value("fc.bias", 3.2)))
    other = replace(noisy, parameters=(value("fc.weight"), value("fc.bias", -3.0)))
    pair = judged(other, original=noisy, disturbed=disturbed)
    assert pair.verdict is Verdict.PROVED
    found = comparison_of(pair)
    assert str(found.evidence.parameters) == "1 of 2"
    assert any("rounding alone decides 1 values" in note and "fc.bias" in note for note in found.notes)
    assert (found.worst_parameter, found.worst_difference) == ("fc.weight", 0.0), "no figure against the verdict"


@pytest.mark.parametrize("off", [0.0, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0])
@pytest.mark.parametrize("noise", [0.0, 1e-6, 1e-4, 5e-3, 0.2])
def test_no_figure_contradicts_a_proof(off: float, noise: float) -> None:
    """Whatever the noise: where it is called proved, what is shown is within what is allowed."""
    disturbed = replace(TRAINED, parameters=(value("fc.weight", 3.0 * (1 + noise)),))
    pair = judged(replace(TRAINED, parameters=(value("fc.weight", 3.0 * (1 + off)),)), disturbed=disturbed)
    found = comparison_of(pair)
    if pair.verdict is Verdict.PROVED:
        assert found.worst_difference <= max(found.tolerance.ends, 10 * 0.6 * noise) <= 0.1
    elif noise < 0.1:
        assert found.worst_difference > max(found.tolerance.ends, 10 * 0.6 * noise) * 0.999


def test_copies_are_paired_with_the_nearest() -> None:
    first, second = (value("Net.fc.weight", 3.0),), (value("Net.fc.weight", 1.0),)
    original = replace(TRAINED, copies=(first, second))
    assert judged(replace(TRAINED, copies=(second, first)), original=original).verdict is Verdict.PROVED
    assert judged(replace(TRAINED, copies=(first, first)), original=original).verdict is Verdict.DIVERGED


def test_a_moving_average_that_never_moves_is_seen_although_it_is_near() -> None:
    still = replace(TRAINED, copies=((value("Net.fc.weight", 3.0003),),))
    assert judged(still).verdict is Verdict.DIVERGED


def test_a_running_variance_may_be_the_biased_one() -> None:
    original = replace(TRAINED, buffers=(value("norm.running_var"), value("norm.running_mean")))
    biased = replace(TRAINED, buffers=(value("norm.running_var", 3.3), value("norm.running_mean")))
    assert judged(biased, original=original).verdict is Verdict.PROVED


def test_options_are_compared_as_written() -> None:
    option = "lr of group 1 of optimizer 1"
    original = replace(TRAINED, optimizer_state=(value(option, 0.1),))
    other = replace(TRAINED, optimizer_state=(value(option, 0.1001),))
    assert judged(other, original=original).verdict is Verdict.DIVERGED


def test_a_difference_that_grew_from_rounding_is_for_float64_to_decide() -> None:
    late = replace(TRAINED, losses=(*TRAINED.losses[:3], (3, 0.3)))
    assert judged(late).doubtful
    first = replace(TRAINED, losses=((0, 1.1), *TRAINED.losses[1:]))
    assert not judged(first).doubtful, "nothing was trained yet that could have grown"
    fewer = replace(TRAINED, steps=(3,))
    assert not judged(fewer).doubtful


def test_a_chaotic_training_is_for_float64_to_decide_and_else_not_proved() -> None:
    native = run_of(TRAINED)
    chaotic = Tolerance(compared_losses=3, chaotic_step=4, each={})
    pair = Pair(1, "", native, run_of(TRAINED, Side.XLA), compare(native, run_of(TRAINED, Side.XLA), chaotic))
    assert pair.doubtful
    assert pair.verdict is Verdict.UNPROVED
    assert "not compared: 0 of 1 final parameters" in pair.reasons
