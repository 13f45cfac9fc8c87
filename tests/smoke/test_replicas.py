"""Several real replicas in one process: goldens train as their originals' ranks do, and ranks that hang are named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codemods.kit.targets import XLA
from migrate.smoke.compare import same_on_all_ranks
from migrate.smoke.environments import Environment
from migrate.smoke.judgement import Verdict
from migrate.smoke.proof import Options, prove
from migrate.smoke.record import Backend, Ending, Side
from migrate.smoke.run import Job, run
from tests.replicas import ARGUMENTS, GOLDENS, HANGS, LIMITS, ONE_PROCESS, READ, TRAIN, measure, plant
from tests.smoke import test_workers
from tests.smoke.test_workers import SAME_BATCHES, tail

pytestmark = pytest.mark.real_xla


@pytest.mark.parametrize("name", GOLDENS)
def test_replicas_train_as_ranks_do(name: str, environment: Callable[[str], Environment]) -> None:
    outcome = measure(name, environment("2.9"))
    migrated = outcome.migrated
    assert migrated.ok, tail(migrated)
    first, second = migrated.workers
    assert (first.rank, second.rank) == (0, 1)
    assert outcome.ranks_equal
    assert (first.losses == second.losses) is (name in SAME_BATCHES)
    if name not in ONE_PROCESS:
        comparison = outcome.comparison
        assert comparison is not None
        assert comparison.same, comparison.reasons
        assert comparison.loss_difference < 1e-4
        assert comparison.parameter_difference < 1e-5


FINE = {
    "reads on one rank": {
        "total": "loss = loss * (index + 2.5)",
        "before": READ,
        "after": f"{READ}; import time; time.sleep(12 * (step == 1)); "
        "print(model(torch.ones(2, 3).to(device)).tolist())",
    },
    "what a process has to itself": {
        "end": "import os, builtins; os.environ['OWN'] = str(index); builtins.print = lambda *a: None; "
        "os.makedirs(f'r{index}', exist_ok=True); os.chdir(f'r{index}'); xm.rendezvous('set'); "
        "assert os.environ['OWN'] == str(index) and os.getcwd().endswith(f'r{index}')"
    },
    "collectives": {
        "end": "made = lambda *v: torch.tensor(v, device=device); "
        "assert xm.all_gather(made(index, 5)).tolist() == [0, 5, 1, 5]; "
        "assert xm.all_gather(made([index], [7]), dim=-1).tolist() == [[0, 1], [7, 7]]; "
        "assert xm.all_gather(made(index == 0)).tolist() == [True, False]; "
        "assert xm.reduce_scatter('sum', made(1.0, 2.0, 3.0, 4.0), 0.5, 0, 2).tolist() == [[1, 2], [3, 4]][index]; "
        "assert xm.rendezvous('all', b'x' * (index + 1)) == [b'x', b'xx']; "
        "assert xm.mesh_reduce('values', index + 1, sum) == 3; "
        "assert xm.all_reduce('max', made(1.0 + index)).item() == 2; "
        "on_host = torch.linalg.qr(xm.all_reduce('sum', torch.eye(2).to(device)))"
    },
}


@pytest.mark.parametrize("name", HANGS)
def test_ranks_at_different_graphs_are_named(
    name: str, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    edits, where = HANGS[name]
    ran = plant(tmp_path, environment("2.9"), edits)
    assert ran.ending is Ending.APART, tail(ran)
    assert ran.reason.startswith(f"the ranks ran different graphs: {where}")
    assert ran.seconds < 60


@pytest.mark.parametrize("name", FINE)
def test_what_is_fine_on_replicas(name: str, environment: Callable[[str], Environment], tmp_path: Path) -> None:
    ran = plant(tmp_path, environment("2.9"), FINE[name])
    assert ran.ok, tail(ran)
    first, second = ran.workers
    assert [each.elements for each in first.parameters] == [each.elements for each in second.parameters]


PROJECT = {
    "train.py": "import torch_xla\nfrom engine.loop import train\nimport state\n"
    "def _mp_fn(index):\n    state.rank = index\n    train()\n"
    "if __name__ == '__main__':\n    torch_xla.launch(_mp_fn)\n",
    "state.py": "rank = None\n",
    "engine/__init__.py": "",
    "engine/loop.py": "import torch, torch_xla, torch_xla.core.xla_model as xm\nimport state\n"
    "def train():\n    from engine import late\n    device = torch_xla.device()\n"
    "    model = torch.nn.Linear(2, 1).to(device)\n    xm.broadcast_master_param(model)\n"
    "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n    for step in range(3):\n"
    "        optimizer.zero_grad()\n"
    "        model(torch.full((2, 2), 1.0 + state.rank).to(device)).square().sum().backward()\n"
    "        late.seen.append(state.rank)\n        xm.optimizer_step(optimizer, barrier=True)\n"
    "    assert late.seen == [state.rank] * 3\n",
    "engine/late.py": "seen = []\n",
}


def test_each_rank_has_its_own_copy_of_the_modules(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    job = Job(tmp_path / "train.py", Side.XLA, environment("2.9"), backend=Backend.REPLICAS, version="2.9")
    ran = run(replace(job, workers=2, limits=LIMITS))
    assert ran.ok, tail(ran)
    first, second = ran.workers
    assert first.parameters == second.parameters
    assert first.losses != second.losses


def test_a_broadcast_that_is_missing_shows(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    text = TRAIN.replace("    xm.broadcast_master_param(model)\n", "")
    assert text != TRAIN
    (tmp_path / "train.py").write_text(text)
    job = Job(tmp_path / "train.py", Side.XLA, environment("2.9"), backend=Backend.REPLICAS, version="2.9", workers=2)
    ran = run(job)
    assert ran.ok, tail(ran)
    assert same_on_all_ranks(ran), "ranks that nobody seeds start from other weights"


ORIGINAL = """\
import torch, torch.distributed as dist, torch.multiprocessing as mp

def worker(rank, world):
    dist.init_process_group("nccl", init_method="tcp://127.0.0.1:29655", rank=rank, world_size=world)
    torch.cuda.set_device(rank)
    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 1).cuda(), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(4):
        optimizer.zero_grad()
        total = model(torch.full((4, 3), 1.0 + rank).cuda()).square().mean() * 1
        dist.all_reduce(total)
        total.backward()
        optimizer.step()
        if rank == 0:
            print(step, total.item())

if __name__ == "__main__":
    mp.spawn(worker, (torch.cuda.device_count(),), torch.cuda.device_count())
"""
TWIN = """\
import torch, torch_xla, torch_xla.core.xla_model as xm

def worker(rank):
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(4):
        optimizer.zero_grad()
        total = model(torch.full((4, 3), 1.0 + rank).to(torch_xla.device())).square().mean() * 1
        xm.all_reduce(xm.REDUCE_SUM, [total])
        total.backward()
        xm.optimizer_step(optimizer)
        if rank == 0:
            print(step, total.item())
        torch_xla.sync()

if __name__ == "__main__":
    torch_xla.launch(worker)
"""


@pytest.mark.parametrize(
    ("backend", "verdict", "words"),
    [
        ("torch_xla", Verdict.DIVERGED, "rank 0 waits at train.py:14 (item), rank 1 waits at train.py:15 (mark)"),
        ("standin", Verdict.TROUBLE, "rank 0 at train.py:14 (read), rank 1 at train.py:15 (mark)"),
    ],
)
def test_a_read_on_one_rank_is_not_proved(
    backend: str, verdict: Verdict, words: str, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    (tmp_path / "original.py").write_text(ORIGINAL)
    (tmp_path / "train.py").write_text(TWIN)
    python = environment("2.9").python
    options = Options(target=XLA, python=python, backend=backend, twin=tmp_path / "train.py", root=tmp_path)
    found = prove(tmp_path / "original.py", (), options)
    assert found.verdict is verdict, found.reasons
    assert words in found.reasons[0]
    assert found.pairs[0].verdict is Verdict.PROVED


def test_four_replicas(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    ran = plant(tmp_path, environment("2.9"), {"end": "assert xm.mesh_reduce('ranks', index, sum) == 6"}, workers=4)
    assert ran.ok, tail(ran)
    assert len({worker.parameters for worker in ran.workers}) == 1
    assert len({worker.losses for worker in ran.workers}) == 4


def test_a_rank_that_fails_is_named(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    ran = plant(tmp_path, environment("2.9"), {"total": "assert step < 2 or index == 0, 'no data'"})
    assert ran.ending is Ending.FAILED
    assert "no data" in ran.reason
    assert "rank 1 raised" in ran.output


def test_the_table_of_arguments_is_that_of_the_stand_in() -> None:
    assert ARGUMENTS == test_workers.ARGUMENTS
    assert set(test_workers.ONE_PROCESS) == ONE_PROCESS
