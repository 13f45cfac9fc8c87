"""How a proof is made: which runs, in which order, and what is concluded from them."""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from codemods.kit.rules import Note, Severity
from codemods.kit.targets import SMTC, XLA, Target
from migrate.cli import main
from migrate.migration import MigrateError, Migration, Status
from migrate.smoke import accelerator
from migrate.smoke import proof as module
from migrate.smoke.backends import Choice
from migrate.smoke.environments import Environment
from migrate.smoke.judgement import Proof, Verdict
from migrate.smoke.proof import Options, prove
from migrate.smoke.record import Backend, Ending, Parameter, Run, Side
from migrate.smoke.run import Job, Launch
from tests.smoke.test_report import COULD_NOT_RUN, DIVERGED, FAILED, NEAR, OFF, ORIGINAL, PROVED, TROUBLE, run_of

SCRIPTS = Path(__file__).parents[2] / "golden" / "scripts"
TRAIN = """\
import torch

model = torch.nn.Linear(3, 3).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.randn(9, 4, 3):
    optimizer.zero_grad()
    loss = model(x.cuda()).sum()
    loss.backward()
    optimizer.step()
"""
REAL = Environment("2.9.0", Path("/python"))


class Machine:
    """Stands where `run` and `choose` do: remembers the jobs and answers each with a run made by hand."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.backend = Backend.TORCH_XLA
        self.original = run_of(ORIGINAL)
        self.migrated = NEAR
        self.in_double: Run | None = None
        self.too_much: Run | None = None
        self.lock = threading.Lock()

    def choose(self, target: Target, wanted: str | None, python: Path | None, text: str) -> Choice:
        return Choice(self.backend, REAL, "2.9.0", "torch_xla 2.9.0 on the CPU")

    def run(self, job: Job) -> Run:
        with self.lock:
            self.jobs.append(job)
        if job.backend is Backend.REPLICAS and self.too_much is not None:
            return self.too_much
        migrated = self.in_double if job.double and self.in_double is not None else self.migrated
        made = self.original if job.side is Side.CUDA else replace(migrated, backend=job.backend)
        return replace(made, workers=made.workers * job.workers)

    def asked(self, side: Side) -> list[Job]:
        return [job for job in self.jobs if (job.side is Side.CUDA) == (side is Side.CUDA)]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(accelerator, "choose", machine.choose)
    monkeypatch.setattr(module, "run", machine.run)
    return machine


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path / "train.py"


# --- float64 decides ---------------------------------------------------------------------------------------------


def late(run: Run, factor: float) -> Run:
    """A run whose last loss is another one."""
    step, value = run.first.losses[-1]
    return replace(run, workers=(replace(run.first, losses=(*run.first.losses[:-1], (step, value * factor))),))


@pytest.mark.parametrize(("in_double", "verdict"), [(1.0, Verdict.PROVED), (1.1, Verdict.DIVERGED)])
def test_a_late_difference_is_decided_in_float64(
    machine: Machine, script: Path, in_double: float, verdict: Verdict
) -> None:
    machine.migrated, machine.in_double = late(run_of(ORIGINAL), 1.1), late(run_of(ORIGINAL), in_double)
    found = prove(script, (), Options(target=XLA))
    assert found.verdict is verdict
    assert [job.double for job in machine.asked(Side.XLA)] == [False, True]
    assert {job.perturb for job in machine.asked(Side.CUDA) if job.double} == {0.0, 1e-15}
    (pair,) = found.pairs
    assert "in float32 loss of step 20" in pair.settled
    assert pair.comparison is not None
    assert (pair.comparison.loss_difference > 0.01) is (verdict is Verdict.DIVERGED), "figures are the verdict's"


def test_where_float64_cannot_run_float32_stands_and_says_so(machine: Machine, script: Path) -> None:
    machine.migrated, machine.in_double = late(run_of(ORIGINAL), 1.1), FAILED
    found = prove(script, (), Options(target=XLA))
    assert found.verdict is Verdict.DIVERGED
    assert "float64 could not decide: the migrated script failed: exit status 1" in found.pairs[0].settled


def test_a_first_loss_that_differs_is_no_rounding(machine: Machine, script: Path) -> None:
    machine.migrated = run_of(((0, 9.9), *ORIGINAL[1:]))
    assert prove(script, (), Options(target=XLA)).verdict is Verdict.DIVERGED
    assert not any(job.double for job in machine.jobs)


# --- which runs ---------------------------------------------------------------------------------------------------


def test_the_original_runs_twice_and_disturbed_and_the_migrated_once(machine: Machine, script: Path) -> None:
    found = prove(script, ("--lr", "1"), Options(target=XLA, steps=5))
    assert found.verdict is Verdict.PROVED
    plain, again, disturbed = machine.asked(Side.CUDA)
    assert again == plain
    assert (plain.perturb, plain.threads, plain.replaced) == (0.0, 1, {})
    assert (disturbed.perturb, disturbed.threads) == (1e-7, 2)
    (migrated,) = machine.asked(Side.XLA)
    assert migrated.script == script
    assert list(migrated.replaced) == [Path("train.py")]
    assert "torch_xla" in migrated.replaced[Path("train.py")]
    assert {job.arguments for job in machine.jobs} == {("--lr", "1")}
    assert {job.limits.steps for job in machine.jobs} == {5}
    assert {job.environment for job in machine.jobs} == {REAL}


def test_the_mirror_may_be_a_folder_above(machine: Machine, script: Path) -> None:
    prove(script, (), Options(root=script.parent.parent))
    (migrated,) = machine.asked(Side.SMTC)
    assert list(migrated.replaced) == [Path(script.parent.name, "train.py")]
    assert migrated.root == script.parent.parent


def test_a_script_outside_the_root(machine: Machine, script: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(MigrateError, match="is not in"):
        prove(script, (), Options(root=tmp_path_factory.mktemp("other")))


def test_what_the_script_imports_is_migrated_with_it(machine: Machine, script: Path) -> None:
    folder = script.parent
    script.write_text("import argparse\nfrom engine import loop\nfrom tools import timing\nloop.train()\n")
    (folder / "engine").mkdir()
    (folder / "engine" / "__init__.py").write_text("")
    (folder / "engine" / "loop.py").write_text(f"from .net import Net\n\n\ndef train():\n{indented(TRAIN)}")
    (folder / "engine" / "net.py").write_text("import torch\nx = torch.ones(1).cuda()\n")
    (folder / "tools.py").write_text("timing = 1\n")
    (folder / "other.py").write_text("import torch\nx = torch.ones(1).cuda()\n")
    found = prove(script)
    (migrated,) = machine.asked(Side.SMTC)
    assert sorted(map(str, migrated.replaced)) == ["engine/loop.py", "engine/net.py"]
    assert [module.path for module in found.modules] == ["engine/loop.py", "engine/net.py"]
    assert found.verdict is Verdict.PROVED


def indented(text: str) -> str:
    return "".join(f"    {line}" for line in text.splitlines(keepends=True))


def test_graphs_are_predicted_where_none_are_measured(machine: Machine, script: Path) -> None:
    prove(script, (), Options())
    machine.backend = Backend.STANDIN
    prove(script, (), Options())
    assert [job.predict for job in machine.asked(Side.SMTC)] == [False, True]


def test_several_processes_for_a_script_that_starts_them(machine: Machine) -> None:
    found = prove(SCRIPTS / "ddp_spawn" / "case.py", (), Options(target=SMTC))
    assert [pair.workers for pair in found.pairs] == [1, 2]
    one, two = machine.asked(Side.SMTC)
    assert (one.backend, one.workers, one.launch) == (Backend.TORCH_XLA, 1, Launch.MP_FN)
    assert (two.backend, two.workers, two.version, two.predict) == (Backend.STANDIN, 2, "1.13", False)
    assert [job.workers for job in machine.asked(Side.CUDA)] == [1, 1, 1, 2]
    assert "stand-in" in found.pairs[1].backend


def test_several_processes_are_real_replicas_where_they_can_be(machine: Machine) -> None:
    found = prove(SCRIPTS / "ddp_spawn" / "case.py", (), Options(target=XLA))
    one, two = machine.asked(Side.XLA)
    assert (one.backend, two.backend) == (Backend.TORCH_XLA, Backend.REPLICAS)
    assert (two.workers, two.version, two.environment, two.predict) == (2, "2.9.0", REAL, False)
    assert "2 devices of the CPU as 2 replicas" in found.pairs[1].backend


@pytest.mark.parametrize("beyond", [False, True])
def test_what_is_too_much_for_replicas_runs_on_the_stand_in(machine: Machine, beyond: bool) -> None:
    machine.too_much = replace(FAILED, backend=Backend.REPLICAS, reason="was killed by SIGSEGV", beyond=beyond)
    found = prove(SCRIPTS / "ddp_spawn" / "case.py", (), Options(target=XLA))
    backends = [job.backend for job in machine.asked(Side.XLA)]
    assert backends == [Backend.TORCH_XLA, Backend.REPLICAS, *[Backend.STANDIN] * beyond]
    if beyond:
        assert found.pairs[1].backend.endswith("no real replicas, since there the script failed: was killed by SIGSEGV")
    else:
        assert found.verdict is Verdict.COULD_NOT_RUN


def test_the_ranks_of_a_one_process_original_have_only_to_agree(machine: Machine) -> None:
    machine.migrated = with_parameter(NEAR, 1.0)
    found = prove(SCRIPTS / "data_parallel" / "case.py", (), Options(target=SMTC))
    assert [job.workers for job in machine.asked(Side.CUDA)] == [1, 1, 1]
    assert [(pair.workers, pair.ranks_only, pair.original is None) for pair in found.pairs] == [
        (1, False, False),
        (2, True, True),
    ]
    assert found.pairs[1].verdict is Verdict.PROVED
    apart = replace(machine.migrated, workers=(*with_parameter(NEAR, 1.0).workers, *with_parameter(NEAR, 2.0).workers))
    pair = replace(found.pairs[1], migrated=apart)
    assert pair.verdict is Verdict.DIVERGED
    assert "other parameters than rank 0" in pair.reasons[0]


def with_parameter(run: Run, value: float) -> Run:
    """The same run with one final parameter."""
    return replace(run, workers=(replace(run.first, parameters=(Parameter((1,), value, (value,), "weight"),)),))


def test_one_worker_means_no_second_pair(machine: Machine) -> None:
    found = prove(SCRIPTS / "ddp_spawn" / "case.py", (), Options(workers=1))
    assert [pair.workers for pair in found.pairs] == [1]


def test_a_twin_made_by_hand_runs_as_it_is(machine: Machine, script: Path) -> None:
    twin = script.with_name("mine.py")
    twin.write_text("import torch_xla\n")
    found = prove(script, (), Options(target=XLA, twin=twin))
    (migrated,) = machine.asked(Side.XLA)
    assert (migrated.script, migrated.replaced) == (twin, {})
    assert found.migration is None


# --- what is not run ----------------------------------------------------------------------------------------------


def test_after_a_failed_original_the_migrated_is_still_tried(machine: Machine, script: Path) -> None:
    machine.original = replace(FAILED, side=Side.CUDA, backend=None)
    found = prove(script)
    assert found.verdict is Verdict.COULD_NOT_RUN
    assert found.reasons == ("the original failed: exit status 1",)
    assert len(machine.asked(Side.CUDA)) == 1
    assert found.pairs[0].migrated.ok


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import torch\nfrom torch.distributed.fsdp import FullyShardedDataParallel\n"
         "model = FullyShardedDataParallel(net.cuda())\n", "not migrated"),
        ("import torch\nx = torch.ones(", "could not be migrated: does not parse"),
        ("print(1)\n", "nothing to migrate"),
    ],
)  # fmt: skip
def test_what_was_not_migrated_is_not_run(machine: Machine, script: Path, text: str, said: str) -> None:
    script.write_text(text)
    found = prove(script)
    assert found.verdict is Verdict.COULD_NOT_RUN
    assert said in found.reasons[0]
    assert machine.jobs == []


def test_a_script_migrated_before_runs_alone(machine: Machine) -> None:
    found = prove(SCRIPTS / "already_xla" / "case.py", (), Options(workers=1))
    assert found.verdict is Verdict.COULD_NOT_RUN
    assert "--original" in found.reasons[0]
    assert machine.asked(Side.CUDA) == []
    assert len(machine.jobs) == 1


def test_a_script_that_cannot_be_read(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "bytes.py").write_bytes(b"x = '\xff'\n")
    for name in ("none.py", "bytes.py"):
        with pytest.raises(MigrateError, match=name):
            prove(tmp_path / name)


# --- what is concluded --------------------------------------------------------------------------------------------


def test_a_migrated_script_that_fails(machine: Machine, script: Path) -> None:
    machine.migrated = FAILED
    found = prove(script)
    assert (found.verdict, found.reasons) == (Verdict.COULD_NOT_RUN, ("the migrated script failed: exit status 1",))


def test_a_migrated_script_that_trains_otherwise(machine: Machine, script: Path) -> None:
    machine.migrated = OFF
    found = prove(script)
    assert found.verdict is Verdict.DIVERGED
    assert "loss of step 7" in found.reasons[0]


def test_both_fail_alike() -> None:
    failed = replace(FAILED, side=Side.CUDA, ending=Ending.FAILED)
    pair = replace(COULD_NOT_RUN.pairs[0], original=failed)
    assert pair.reasons == ("the original and the migrated script failed: exit status 1",)


def test_a_divergence_counts_for_more_than_a_run_that_is_missing() -> None:
    verdicts = []
    for parts in ((PROVED, TROUBLE), (TROUBLE, COULD_NOT_RUN), (COULD_NOT_RUN, DIVERGED), (PROVED, PROVED)):
        verdicts.append(replace(PROVED, pairs=tuple(part.pairs[0] for part in parts)).verdict)
    assert verdicts == [Verdict.TROUBLE, Verdict.COULD_NOT_RUN, Verdict.DIVERGED, Verdict.PROVED]


def test_a_note_that_is_an_error_is_trouble() -> None:
    note = Note("TC901", 3, Severity.ERROR, "a CUDA kernel of its own", "write it in PyTorch", "", "kernels")
    migration = Migration("train.py", "smtc", Status.MIGRATED, "a", "b", notes=(note,))
    found = replace(PROVED, migration=migration)
    assert found.verdict is Verdict.TROUBLE
    assert found.reasons == ("train.py:3: TC901: a CUDA kernel of its own",)


# --- on a real torch_xla ------------------------------------------------------------------------------------------


@pytest.mark.real_xla
def test_proves_a_golden(environment: Callable[[str], Environment]) -> None:
    found = real(SCRIPTS / "single_gpu" / "case.py", environment)
    assert found.verdict is Verdict.PROVED, found.reasons
    assert found.pairs[0].migrated.backend is Backend.TORCH_XLA
    assert found.pairs[0].comparison is not None
    assert found.pairs[0].comparison.tolerance.noise is not None, "the disturbed run measured nothing"


@pytest.mark.real_xla
def test_finds_another_training(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    source = (SCRIPTS / "single_gpu" / "case.xla.py").read_text(encoding="utf-8")
    broken = source.replace("lr=", "lr=1.1 * ")
    assert broken != source
    (tmp_path / "broken.py").write_text(broken)
    found = real(SCRIPTS / "single_gpu" / "case.py", environment, twin=tmp_path / "broken.py")
    assert found.verdict is Verdict.DIVERGED, found.reasons
    assert found.pairs[0].comparison is not None
    assert found.pairs[0].comparison.divergent_step == 2


@pytest.mark.real_xla
def test_proves_a_golden_in_two_processes(environment: Callable[[str], Environment]) -> None:
    found = real(SCRIPTS / "ddp_spawn" / "case.py", environment)
    assert found.verdict is Verdict.PROVED, found.reasons
    assert [len(pair.migrated.workers) for pair in found.pairs] == [1, 2]


def real(script: Path, environment: Callable[[str], Environment], twin: Path | None = None) -> Proof:
    python = environment("2.9").python
    return prove(script, (), Options(target=XLA, steps=6, python=python, backend="torch_xla", twin=twin))


@pytest.mark.real_xla
def test_the_readme_shows_what_comes_out(
    environment: Callable[[str], Environment], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Word by word, and graphs number by number; what rounding decides is left out."""
    environment("2.9")
    root = SCRIPTS.parents[1]
    monkeypatch.chdir(root)
    block = re.search(r"```\n\$ tc-migrate (smoke .+)\n([^`]+)```", (root / "README.md").read_text(encoding="utf-8"))
    assert block
    result = CliRunner().invoke(main, shlex.split(block[1]), prog_name="tc-migrate")
    assert result.exit_code == 0
    shown, printed = (without_rounding(text) for text in (block[2], result.stdout))
    assert printed[: len(shown)] == shown


def without_rounding(text: str) -> list[str]:
    """The words of a report, with `#` for a loss, a difference, and the parameter that differs most."""
    return [re.sub(r"^(\d\.\d+(e-\d+)?|0|[\w.]+\.(weight|bias)\.?)(?=[,;)]?$)", "#", word) for word in text.split()]
