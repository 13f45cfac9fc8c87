"""A run whose time was over is judged by the steps that it finished, and never reads like a failed migration."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codemods.kit.targets import XLA
from migrate.smoke.cut import cut, finished_steps, say_cut
from migrate.smoke.environments import Environment
from migrate.smoke.judgement import Verdict
from migrate.smoke.missing import imported, missing_modules
from migrate.smoke.proof import Natives, Options, judge_pair, prove
from migrate.smoke.record import Ending, Run, Side
from migrate.smoke.run import Limits
from tests.smoke.test_ends import TRAINED, run_of

REASON = "had not ended after 300 s, with 3 optimizer steps done, at train.py:9; --timeout gives it longer"


def slow(run: Run, steps: int = 3) -> Run:
    return replace(cut(run, steps), ending=Ending.TIMED_OUT, reason=REASON)


ORIGINAL, MIGRATED = run_of(TRAINED), run_of(TRAINED, Side.XLA)


@pytest.mark.parametrize(
    ("original", "migrated", "steps"),
    [
        pytest.param(ORIGINAL, MIGRATED, 0, id="neither"),
        pytest.param(ORIGINAL, slow(MIGRATED), 3, id="the migrated"),
        pytest.param(slow(ORIGINAL, 2), slow(MIGRATED), 2, id="both"),
        pytest.param(slow(ORIGINAL), replace(MIGRATED, ending=Ending.FAILED), 0, id="the other failed"),
        pytest.param(ORIGINAL, replace(slow(MIGRATED), workers=()), 0, id="nothing is known"),
    ],
)
def test_how_many_steps_can_be_judged(original: Run, migrated: Run, steps: int) -> None:
    assert finished_steps(original, migrated) == steps


def test_the_steps_that_are_the_same_are_said_and_prove_nothing() -> None:
    pair = judge_pair(1, "", Natives(ORIGINAL, ORIGINAL, ORIGINAL), slow(MIGRATED), strict=False)
    assert pair.verdict is Verdict.UNPROVED
    assert pair.reasons[0] == (
        f"judged by the first 3 optimizer steps: the same; the migrated script {REASON}, -n 3 asks for no more"
    )
    assert pair.comparison is not None
    assert str(pair.comparison.evidence.losses) == "3 of 3"


def test_another_training_is_seen_in_what_was_finished() -> None:
    other = replace(TRAINED, losses=((0, 1.0), (1, 0.9), *TRAINED.losses[2:]))
    pair = judge_pair(1, "", Natives(ORIGINAL, ORIGINAL, ORIGINAL), slow(run_of(other, Side.XLA)), strict=False)
    assert pair.verdict is Verdict.DIVERGED
    assert not pair.doubtful, "it would take as long again"


def test_without_measured_noise_a_late_difference_is_not_called_another_training() -> None:
    other = replace(TRAINED, losses=((0, 1.0), (1, 0.5), (2, 0.3), (3, 0.2)))
    pair = judge_pair(1, "", Natives(slow(ORIGINAL)), run_of(other, Side.XLA), strict=False)
    assert pair.verdict is Verdict.UNPROVED
    assert "not the same, by more than the smallest tolerance" in pair.reasons[0]
    assert say_cut(slow(ORIGINAL), MIGRATED, 1, True).startswith("judged by the first step: the same; the original had")


def test_imports_that_are_caught_or_late_are_not_needed() -> None:
    text = "import numpy as np\nfrom timm.layers import x\nfrom . import own\n"
    text += "try:\n    import wandb\nexcept ImportError: pass\n"
    text += "if True:\n    import tqdm\ndef f():\n    import never\n"
    assert sorted(imported(text)) == ["numpy", "timm", "tqdm"]


def test_what_an_interpreter_lacks(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("")
    texts = ("import no_such_module, json, beside", "from another_one.deep import x")
    assert missing_modules(texts, tmp_path, Path(sys.executable)) == ("another_one", "no_such_module")


SLOW = """\
import time
import torch

def work(step):
    if step == 4:
        time.sleep(600)

torch.manual_seed(0)
model = torch.nn.Linear(3, 3).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(9):
    loss = model(torch.randn(4, 3).cuda()).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    work(step)
"""


@pytest.mark.real_xla
def test_a_script_that_waits(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    environment("2.9")
    (tmp_path / "train.py").write_text(SLOW)
    options = Options(target=XLA, backend="oracle", limits=Limits(seconds=20))
    found = prove(tmp_path / "train.py", (), options)
    assert found.verdict is Verdict.UNPROVED, found.reasons
    assert "judged by the first 5 optimizer steps: the same" in found.reasons[0]
    assert "at train.py:6 in work" in found.reasons[0]
