"""Going on from a checkpoint: by which option, from which file, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codemods.kit.targets import XLA
from migrate.smoke.environments import Environment
from migrate.smoke.judgement import Verdict
from migrate.smoke.proof import Natives, Options, judge_pair, prove
from migrate.smoke.record import Ending, Run, Side, Written
from migrate.smoke.resume import Option, choose_checkpoint, find_options, try_resume
from migrate.smoke.run import Job
from tests.smoke.test_ends import TRAINED, run_of, value

PARSER = """\
parser.add_argument("-r", "--resume", default="", metavar="PATH")
parser.add_argument("--load-checkpoint", action="store_true")
parser.add_argument("--checkpoint-dir")
parser.add_argument("--save-every")
parser.add_argument("--epochs")
if "--restore" in sys.argv: pass
"""


def test_options_by_which_a_script_goes_on() -> None:
    assert list(find_options([PARSER])) == [
        Option("--resume", True), Option("--load-checkpoint", False), Option("--restore", False),
    ]  # fmt: skip
    assert [option.given("a.pt") for option in find_options([PARSER])] == [
        ("--resume", "a.pt"), ("--load-checkpoint",), ("--restore",),
    ]  # fmt: skip


WEIGHTS = Written("best.pt", (value("fc.weight"),))
FULL = Written("last.pt", (value("model.fc.weight"), value("optimizer.state.0.step")))
KEPT = {"best.pt": b"1", "last.pt": b"2"}


def saved(run: Run, loaded: tuple[str, ...] = ()) -> Run:
    worker = replace(run.first, files=(WEIGHTS, FULL), loaded=loaded)
    return replace(run, workers=(worker,), kept=KEPT)


def test_a_checkpoint_with_an_optimizer_goes_first() -> None:
    assert choose_checkpoint(saved(run_of(TRAINED))) == "last.pt"
    assert choose_checkpoint(run_of(TRAINED)) == ""


class Machine:
    """Answers for both programs, and remembers what it was asked."""

    def __init__(self, original: Run, migrated: Run) -> None:
        self.answers = {Side.CUDA: original, Side.XLA: migrated}
        self.jobs: list[Job] = []

    def execute(self, job: Job) -> Run:
        self.jobs.append(job)
        return self.answers[job.side]


ORIGINAL, MIGRATED = saved(run_of(TRAINED), ("last.pt",)), saved(run_of(TRAINED, Side.XLA), ("last.pt",))
OTHER = replace(MIGRATED.first, losses=((0, 1.5), *TRAINED.losses[1:]))


@pytest.mark.parametrize(
    ("original", "migrated", "said", "error"),
    [
        pytest.param(ORIGINAL, MIGRATED, "train the same for 4 steps more", False, id="same"),
        pytest.param(ORIGINAL, replace(MIGRATED, workers=(OTHER,)), "otherwise: loss of step 1", True, id="other"),
        pytest.param(ORIGINAL, saved(MIGRATED), "does not load last.pt", True, id="not loaded"),
        pytest.param(ORIGINAL, replace(MIGRATED, ending=Ending.FAILED, reason="oh"), "failed: oh; the original", True,
                     id="fails"),
        pytest.param(saved(ORIGINAL), MIGRATED, "not tried: with --resume last.pt the original does not load", False,
                     id="the original does not"),
    ],
)  # fmt: skip
def test_what_comes_of_it(original: Run, migrated: Run, said: str, error: bool) -> None:
    machine = Machine(original, migrated)
    pair = judge_pair(1, "", Natives(ORIGINAL, ORIGINAL, ORIGINAL), MIGRATED, strict=False)
    job = Job(Path("train.py"), Side.CUDA, Environment("2.9", Path("/python")))
    found = try_resume(
        pair, job, replace(job, side=Side.XLA), [PARSER.splitlines()[0], "torch.load(path)"], machine.execute
    )
    assert said in found[0]
    assert found[1] is error
    assert {each.arguments for each in machine.jobs} == {("--resume", "last.pt")}
    assert all(each.given == KEPT for each in machine.jobs)


def test_without_a_checkpoint_it_is_not_tried_and_says_why() -> None:
    pair = judge_pair(1, "", Natives(*[run_of(TRAINED)] * 3), run_of(TRAINED, Side.XLA), strict=False)
    job = Job(Path("train.py"), Side.CUDA, Environment("2.9", Path("/python")))
    machine = Machine(ORIGINAL, MIGRATED)
    assert try_resume(pair, job, job, [], machine.execute) == (
        "resume: not tried: the original saved no checkpoint in these steps", False,
    )  # fmt: skip
    pair = judge_pair(1, "", Natives(ORIGINAL, ORIGINAL, ORIGINAL), MIGRATED, strict=False)
    assert try_resume(pair, job, job, [PARSER], machine.execute) == (
        "resume: not tried: the script loads no checkpoint", False,
    )  # fmt: skip
    assert machine.jobs == []


SCRIPT = """\
import os, sys
import torch

torch.manual_seed(0)
model = torch.nn.Linear(3, 3).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
start = 0
if os.path.exists("last.pt"):
    state = torch.load("last.pt", map_location="cuda")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    start = state["epoch"]
for epoch in range(start, 3):
    for step in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 3).cuda()).pow(2).sum()
        loss.backward()
        optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch + 1}, "last.pt")
"""


@pytest.mark.real_xla
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("", "", id="as it is migrated"),
        pytest.param('    optimizer.load_state_dict(state["optimizer"])\n', "", id="the optimizer is not loaded"),
        pytest.param('state["epoch"]', "0", id="the epoch is not"),
    ],
)
def test_a_script_that_goes_on(old: str, new: str, environment: Callable[[str], Environment], tmp_path: Path) -> None:
    environment("2.9")
    (tmp_path / "train.py").write_text(SCRIPT)
    from migrate import migrate

    (tmp_path / "twin.py").write_text(migrate(SCRIPT, target="torch-xla==2.9").result.replace(old, new))
    found = prove(tmp_path / "train.py", (), Options(target=XLA, backend="oracle", twin=tmp_path / "twin.py"))
    (pair,) = found.pairs
    assert pair.comparison is not None
    assert pair.comparison.same, pair.comparison.reasons
    if old:
        assert found.verdict is Verdict.TROUBLE
        assert any("goes on otherwise" in reason for reason in found.reasons)
    else:
        assert found.verdict is Verdict.PROVED, found.reasons
        assert pair.resume == "resume: with last.pt in its place both load last.pt and train the same for 6 steps more"
