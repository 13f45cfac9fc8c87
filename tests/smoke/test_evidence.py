"""No verdict without evidence: what was compared, of how much, and when that is too little. Needs no torch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from migrate.smoke.compare import Tolerance, compare
from migrate.smoke.evidence import Evidence, Share
from migrate.smoke.judgement import Pair, Proof, Verdict
from migrate.smoke.record import Backend, Ending, Parameter, Run, Side, Worker

WEIGHT = Parameter((1,), 1.0, (1.0,), "weight")
MEAN, COUNT = Parameter((2,), 5.0, (3.0, 4.0), "norm.running_mean"), Parameter((), 4.0, (4.0,), "norm.count")
TRAINED = Worker(
    steps=(4,),
    losses=tuple((step, 1.0 / (step + 1)) for step in range(4)),
    gradients=(4.0, 3.0, 2.0, 1.0),
    parameters=(WEIGHT,),
    buffers=(MEAN, COUNT),
)


def pair_of(left: tuple[Worker, ...], right: tuple[Worker, ...], tolerance: Tolerance | None = None) -> Pair:
    original = Run(Side.CUDA, Ending.ENDED, 1.0, "", left)
    migrated = Run(Side.XLA, Ending.ENDED, 1.0, "", right, Backend.REPLICAS)
    return Pair(len(right), "", original, migrated, compare(original, migrated, tolerance))


def evidence_of(pair: Pair) -> Evidence:
    assert pair.comparison is not None
    return pair.comparison.evidence


def test_a_verdict_says_what_it_rests_on() -> None:
    pair = pair_of((TRAINED,), (TRAINED,))
    assert pair.verdict is Verdict.PROVED
    assert str(evidence_of(pair)) == (
        "4 of 4 optimizer steps, 4 of 4 losses, 4 of 4 gradient norms, 1 of 1 final parameters, 2 of 2 buffers"
    )


@pytest.mark.parametrize(
    ("tolerance", "lacking"),
    [
        pytest.param(Tolerance(compared_losses=0, chaotic_step=1), "nothing was compared", id="no loss"),
        pytest.param(Tolerance(compared_losses=2, chaotic_step=3), "too little was compared: 2 of 4", id="two steps"),
        pytest.param(Tolerance(compared_gradients=0), "0 of 4 norms of gradients", id="no gradient"),
    ],
)
def test_too_little_proves_nothing(tolerance: Tolerance, lacking: str) -> None:
    pair = pair_of((TRAINED,), (TRAINED,), tolerance)
    proof = Proof("train.py", "torch-xla==2.9", None, 4, (pair,))
    assert (pair.verdict, proof.verdict) == (Verdict.UNPROVED, Verdict.UNPROVED)
    assert any(lacking in reason for reason in proof.reasons)
    assert proof.verdict.exit_code == 1


def test_a_training_that_moves_nothing_proves_nothing() -> None:
    idle = replace(TRAINED, gradients=(0.0,) * 4)
    assert pair_of((idle,), (idle,)).reasons == ("nothing was trained: every gradient of the original is zero",)


def test_a_short_training_is_compared_whole() -> None:
    short = replace(TRAINED, steps=(1,), losses=((0, 1.0),), gradients=(1.0,))
    assert pair_of((short,), (short,)).verdict is Verdict.PROVED


def test_a_difference_counts_for_more_than_little_evidence() -> None:
    other = replace(TRAINED, losses=((0, 2.0), *TRAINED.losses[1:]))
    assert pair_of((TRAINED,), (other,), Tolerance(compared_losses=2)).verdict is Verdict.DIVERGED


def test_of_several_ranks_the_least_counts() -> None:
    ranks = (TRAINED, replace(TRAINED, rank=1, losses=TRAINED.losses[:3]))
    evidence = evidence_of(pair_of((TRAINED, replace(TRAINED, rank=1)), ranks))
    assert (evidence.losses, evidence.steps) == (Share(3, 4), Share(3, 4))


def test_replicas_without_parameters_agree_on_nothing() -> None:
    bare = replace(TRAINED, parameters=())
    pair = replace(pair_of((bare,), (bare, bare)), original=None, comparison=None, ranks_only=True)
    assert pair.verdict is Verdict.UNPROVED
    assert pair.reasons == ("nothing was compared: no optimizer holds parameters (2 processes)",)


def test_buffers_are_compared_on_rank_0() -> None:
    """DDP writes rank 0's statistics over those of the others; one process has those of all batches."""
    moved = replace(TRAINED, buffers=(Parameter((2,), 5.0, (4.0, 3.0), MEAN.name), replace(COUNT, elements=(8.0,))))
    assert "final buffers differ" in pair_of((TRAINED,), (moved,)).reasons[0]
    second = replace(TRAINED, rank=1)
    assert pair_of((TRAINED, second), (TRAINED, replace(moved, rank=1))).verdict is Verdict.PROVED
    assert pair_of((TRAINED,), (moved, replace(moved, rank=1))).verdict is Verdict.PROVED
    renamed = replace(TRAINED, buffers=(replace(MEAN, name="other"),))
    assert str(evidence_of(pair_of((TRAINED,), (renamed,)))).endswith("0 of 2 buffers")


def test_ranks_that_never_were_one_model_may_stay_apart() -> None:
    other = replace(TRAINED, rank=1, parameters=(Parameter((1,), 2.0, (2.0,), "weight"),))
    assert pair_of((TRAINED, other), (TRAINED, other)).verdict is Verdict.PROVED
    assert pair_of((TRAINED, replace(TRAINED, rank=1)), (TRAINED, other)).verdict is Verdict.DIVERGED


def test_ranks_at_different_graphs_diverge() -> None:
    still = Run(Side.XLA, Ending.APART, 1.0, "", (), Backend.REPLICAS, "the ranks ran different graphs: ...")
    pair = Pair(2, "", None, still, None, ranks_only=True)
    assert pair.verdict is Verdict.DIVERGED
    assert pair.reasons == ("the ranks ran different graphs: ... (2 processes)",)
