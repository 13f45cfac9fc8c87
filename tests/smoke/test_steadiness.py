"""An original that is another training each time it is run: where the randomness comes from, and what is still said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codemods.kit.targets import XLA
from migrate.smoke.compare import Tolerance, compare
from migrate.smoke.environments import Environment
from migrate.smoke.judgement import Pair, Verdict
from migrate.smoke.proof import Options, prove
from migrate.smoke.record import Backend, Ending, Run, Side
from migrate.smoke.run import Job, Limits, run
from migrate.smoke.steadiness import judge_steadiness
from tests.smoke.test_ends import TRAINED, run_of


def test_two_equal_runs_are_steady() -> None:
    found = judge_steadiness(run_of(TRAINED), run_of(TRAINED), Tolerance())
    assert (found.step, found.lacks, found.notes) == (None, (), ())


@pytest.mark.parametrize(
    ("other", "step", "how"),
    [
        pytest.param({"losses": (*TRAINED.losses[:2], (2, 0.4), (3, 0.25))}, 3, "loss 0.3333333 and 0.4", id="a loss"),
        pytest.param({"gradients": (4.0, 3.1, 2.0, 1.0)}, 2, "norm of the gradient 3 and 3.1", id="a gradient"),
        pytest.param({"steps": (3,)}, 4, "4 and 3 optimizer steps", id="a step"),
    ],
)
def test_two_runs_that_differ(other: dict[str, object], step: int, how: str) -> None:
    original = run_of(replace(TRAINED, sources=(("os.urandom()", "train.py:3"),)))
    found = judge_steadiness(original, run_of(replace(TRAINED, **other)), Tolerance())  # type: ignore[arg-type]
    assert (found.step, found.how) == (step, how)
    assert f"two runs of the original differ from step {step} on ({how})" in found.lacks[0]
    assert "os.urandom() (train.py:3)" in found.lacks[0]


def test_what_comes_before_is_compared_and_nothing_is_proved() -> None:
    other = replace(TRAINED, losses=(*TRAINED.losses[:3], (3, 0.9)))
    steadiness = judge_steadiness(run_of(TRAINED), run_of(other), Tolerance())
    tolerance = steadiness.limit(Tolerance(each={}), run_of(TRAINED))
    assert (tolerance.compared_losses, tolerance.compared_gradients, tolerance.unsteady_step) == (3, 3, 4)

    def judged(migrated: Run) -> Pair:
        return Pair(
            1, "", run_of(TRAINED), migrated, compare(run_of(TRAINED), migrated, tolerance), steadiness=steadiness
        )

    same = judged(Run(Side.XLA, Ending.ENDED, 1.0, "", (other,), Backend.TORCH_XLA))
    assert same.verdict is Verdict.UNPROVED
    assert same.reasons[0].startswith("two runs of the original differ from step 4 on")
    assert not same.doubtful
    early = replace(TRAINED, losses=((0, 1.0), (1, 0.9), *TRAINED.losses[2:]))
    assert judged(run_of(early, Side.XLA)).verdict is Verdict.DIVERGED


def test_a_second_run_that_fails_is_told() -> None:
    failed = replace(run_of(TRAINED), ending=Ending.FAILED, reason="raised KeyError")
    assert "the second run failed: raised KeyError" in judge_steadiness(run_of(TRAINED), failed, Tolerance()).lacks[0]


# --- with a torch -------------------------------------------------------------------------------------------------

SCRIPT = """\
import os, random, secrets, time
import numpy as np
import torch

class Thing:
    pass

{seed}
model = torch.nn.Linear(3, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    x = torch.tensor({draw}, dtype=torch.float32).reshape(4, 3).cuda()
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
DRAWN = "[random.random() for _ in range(12)]"
PINNED = {
    "default_rng": ("rng = np.random.default_rng()", "rng.random(12)", "numpy.random.default_rng() without a seed"),
    "RandomState": ("rng = np.random.RandomState()", "rng.rand(12)", "numpy.random.RandomState() without a seed"),
    "Random": ("rng = random.Random()", "[rng.random() for _ in range(12)]", "random.Random() without a seed"),
    "the clock": ("random.seed(time.time())", DRAWN, "random.seed() seeded by the clock"),
    "the clock in torch": ("torch.manual_seed(int(time.time()))", DRAWN, "torch.manual_seed() seeded by the clock"),
    "urandom": ("random.seed(int.from_bytes(os.urandom(4), 'little'))", DRAWN, "os.urandom()"),
    "secrets": ("random.seed(secrets.randbits(32))", DRAWN, "the system's random numbers"),
    "seed of none": ("random.seed()", DRAWN, "random.seed() without a seed"),
    "torch.seed": ("torch.seed()", DRAWN, "torch.seed()"),
}


def run_script(folder: Path, seed: str, draw: str, environment: Environment) -> Run:
    script = folder / "train.py"
    script.write_text(SCRIPT.format(seed=seed, draw=draw))
    ran = run(Job(script, Side.CUDA, environment, limits=Limits(seconds=120)))
    assert ran.ok, (ran.reason, ran.output)
    return ran


@pytest.mark.real_xla
@pytest.mark.parametrize("name", PINNED)
def test_what_comes_from_outside_is_pinned_and_named(
    name: str, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    seed, draw, what = PINNED[name]
    first, again = (run_script(tmp_path, seed, draw, environment("2.9")) for _ in range(2))
    assert first.first.losses == again.first.losses
    assert first.first.sources == ((what, "train.py:8"),)


@pytest.mark.real_xla
def test_seeds_of_the_script_are_left_alone(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    seed = "random.seed(5); np.random.seed(5); torch.manual_seed(5); rng = np.random.default_rng(5)"
    first = run_script(tmp_path, seed, DRAWN, environment("2.9")).first
    assert first.sources == ()
    other = run_script(tmp_path, seed.replace("5", "6"), DRAWN, environment("2.9")).first
    assert first.losses != other.losses


@pytest.mark.real_xla
def test_an_order_by_addresses_is_not_proved(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    environment("2.9")
    script = tmp_path / "train.py"
    order = "[each.value for each in {*things}]"
    seed = "torch.manual_seed(0)\nthings = [Thing() for _ in range(12)]"
    seed += "\nfor value, each in enumerate(things): each.value = value + hash(each) % 97"
    script.write_text(SCRIPT.format(seed=seed, draw=order))
    found = prove(script, (), Options(target=XLA, backend="oracle", steps=5))
    assert found.verdict is Verdict.UNPROVED, found.reasons
    assert "two runs of the original differ from step 1 on" in found.reasons[0]
    assert "the order of a set of objects" in found.reasons[0]
