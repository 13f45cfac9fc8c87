"""Golden scripts for several devices, with two workers: the migrated one on the stand-in, the original on gloo ranks.

Every rank has to end with the same parameters, and where the original joins its processes too, rank by rank with those
of the original. This is where a lost reduction, a clip before it or an unsharded sampler shows; a real torch_xla has
one device on the CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.smoke.compare import compare
from migrate.smoke.environments import Environment
from migrate.smoke.exchanges import find_in_exchanges
from migrate.smoke.record import Backend, Ending, Run, Side
from migrate.smoke.run import Job, Launch, Limits, run

SCRIPTS = Path(__file__).parents[2] / "golden" / "scripts"

FORMS = {"smtc": (Side.SMTC, Launch.MP_FN, "2.1", "1.13"), "xla": (Side.XLA, Launch.MAIN, "2.9", "2.9")}
"""For each form: its side, who starts it, the environment's torch and the names that the stand-in has."""

LIMITS = Limits(seconds=400)
"""A machine may be busy: each run takes 15 s on an idle one."""

NOT_RUN = {"hf_trainer": "needs transformers and a data set from the network"}
"""Migrated scripts that cannot run here, with the reason."""

ONE_PROCESS = {
    "data_parallel": "nn.DataParallel splits one process's batches; its migrated twin is several processes",
    "legacy_py2": "no torch of today runs Python 2",
}
"""Originals that no second rank runs, with the reason: their migrated twins only have to agree among themselves."""

OTHER_SEED = {
    (
        "placement_tree",
        "smtc",
    ): "the original seeds the process that spawns its workers, `_mp_fn` runs that code in each"
}
"""Twins whose weights start from other numbers than the original's, with the reason: they only have to agree too."""

SAME_BATCHES = {"ddp_no_sampler_args_gpu"}
"""Scripts whose original has no sampler: each rank trains on all samples, before and after."""

ARGUMENTS = {"placement_tree": ("--multiprocessing-distributed", "--world-size", "1", "--rank", "0")}
"""Scripts whose original joins several processes only when it is told to."""

MULTIPLE = [
    (path.parent.name, form)
    for form in FORMS
    for path in sorted(SCRIPTS.glob(f"*/case.{form}.py"))
    if "_mp_fn" in (text := path.read_text(encoding="utf-8")) or "torch_xla.launch(" in text
]

pytestmark = pytest.mark.real_xla


def run_twin(name: str, form: str, ready: Callable[[str], Environment], text: str | None = None) -> Run:
    side, launch, torch_version, version = FORMS[form]
    source = SCRIPTS / name / "case.py"
    text = text or source.with_suffix(f".{form}.py").read_text(encoding="utf-8")
    return run(
        Job(
            source,
            side,
            ready(torch_version),
            ARGUMENTS.get(name, ()),
            replaced={Path(source.name): text},
            launch=launch,
            limits=LIMITS,
            backend=Backend.STANDIN,
            version=version,
            workers=2,
        )
    )


@pytest.mark.parametrize(("name", "form"), [pytest.param(*each, id="-".join(each)) for each in MULTIPLE])
def test_two_workers_train_as_two_ranks(name: str, form: str, environment: Callable[[str], Environment]) -> None:
    if name in NOT_RUN:
        pytest.skip(NOT_RUN[name])
    migrated = run_twin(name, form, environment)
    assert migrated.ok, tail(migrated)
    assert [worker.rank for worker in migrated.workers] == [0, 1]
    first, second = migrated.workers
    assert [each.elements for each in first.parameters] == [each.elements for each in second.parameters]
    assert (first.losses == second.losses) is (name in SAME_BATCHES)
    assert not list(find_in_exchanges(migrated))
    if name in ONE_PROCESS or (name, form) in OTHER_SEED:
        return
    given = ARGUMENTS.get(name, ())
    source = SCRIPTS / name / "case.py"
    original = run(Job(source, Side.CUDA, environment(FORMS[form][2]), given, limits=LIMITS, workers=2))
    assert len(original.workers) == 2, tail(original)
    comparison = compare(original, migrated)
    assert comparison.same, "\n".join((*comparison.reasons, tail(original), tail(migrated)))
    assert comparison.parameter_difference < 1e-6


def test_a_lost_reduction_is_seen(environment: Callable[[str], Environment]) -> None:
    text = (SCRIPTS / "ddp_spawn" / "case.xla.py").read_text(encoding="utf-8")
    assert "xm.optimizer_step(optimizer, barrier=True)" in text
    lost = text.replace("xm.optimizer_step(optimizer, barrier=True)", "optimizer.step()")
    ran = run_twin("ddp_spawn", "xla", environment, lost)
    assert ran.ok, tail(ran)
    first, second = ran.workers
    assert [each.elements for each in first.parameters] != [each.elements for each in second.parameters]


COLLECTIVES = """\
import torch, torch_xla, torch_xla.core.xla_model as xm, torch_xla.core.functions as xf
def _mp_fn(index):
    device = torch.device("xla")
    rank, other = index, 1 - index
    assert xm.get_local_ordinal() == rank and xm.is_master_ordinal() == (rank == 0)
    def made(*values):
        return torch.tensor(values, device=device)
    single = made(1.0 + rank, 2.0)
    assert xm.all_reduce("sum", single, scale=0.5).tolist() == [1.5, 2.0] and single.tolist() == [1.0 + rank, 2.0]
    both = [made(1.0 + rank), made(2 + rank)]
    assert xm.all_reduce(xm.REDUCE_MAX, both) is both and [each.item() for each in both] == [2.0, 3]
    assert xm.all_reduce("mul", made(2 + rank)).item() == 6
    assert xm.all_reduce("and", made(3, 2 - rank)).tolist() == [3, 0]
    assert xm.all_reduce("or", made(rank == 0)).item() is True and xm.all_reduce("min", made(rank + 0.5)).item() == 0.5
    try:
        xm.all_reduce("mean", made(1.0))
        raise SystemExit("no such reduction")
    except RuntimeError:
        pass
    assert xm.all_gather(made(rank, 5)).tolist() == [0, 5, 1, 5]
    assert xm.all_gather(made([rank], [7]), dim=-1).tolist() == [[0, 1], [7, 7]]
    assert xm.reduce_scatter("sum", made(1.0, 2.0, 3.0, 4.0), 0.5, 0, 2).tolist() == ([1, 2] if rank == 0 else [3, 4])
    tensor = made(10.0 + rank)
    xm.collective_broadcast([tensor], root_ordinal=1)
    assert tensor.item() == 11
    assert xm.mesh_reduce("values", rank + 1, sum) == 3
    assert xm.rendezvous("here", b"x" * (rank + 1)) == [b"x", b"xx"]
    assert xm.all_to_all(made(rank, 10 + rank), 0, 0, 2).tolist() == [10 * rank, 10 * rank + 1]
    norm, batch = xf.SyncBatchNorm(3).to(device), torch.arange(24.0).reshape(8, 3)
    wide = torch.nn.BatchNorm1d(3)
    expected = wide(batch)
    mine = norm(batch[4 * rank : 4 * rank + 4].to(device))
    assert torch.allclose(mine.cpu(), expected[4 * rank : 4 * rank + 4], atol=1e-5)
    assert torch.allclose(norm.running_var.cpu(), wide.running_var, atol=1e-4)
    model = torch.nn.Linear(3, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(batch[rank].to(device)).sum().backward()
    xm.optimizer_step(optimizer, barrier=True)
    print("done", rank)
"""

JOINED = """\
import torch, torch_xla, torch.distributed as dist, torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_backend
def _mp_fn(index):
    assert not dist.is_initialized()
    dist.init_process_group("xla", init_method="xla://")
    assert (dist.get_rank(), dist.get_world_size()) == (index, 2)
    device = torch_xla.device()
    value = torch.tensor([1.0 + index], device=device)
    dist.all_reduce(value)
    assert value.item() == 3
    torch.manual_seed(index)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 1).to(device), gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        model(torch.randn(4, 3).to(device)).square().sum().backward()
        optimizer.step()
        torch_xla.sync()
if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
"""


@pytest.mark.parametrize("form", FORMS)
def test_collectives(form: str, environment: Callable[[str], Environment], tmp_path: Path) -> None:
    side, launch, torch_version, version = FORMS[form]
    script = tmp_path / "train.py"
    script.write_text(COLLECTIVES + ('if __name__ == "__main__":\n    torch_xla.launch(_mp_fn)\n' * (form == "xla")))
    job = Job(script, side, environment(torch_version), launch=launch, backend=Backend.STANDIN, version=version)
    ran = run(replace(job, workers=2))
    assert ran.ok, tail(ran)
    assert ran.output.count("done") == 2


def test_a_process_group_of_xla_devices(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(JOINED)
    ran = run(Job(script, Side.XLA, environment("2.9"), backend=Backend.STANDIN, version="2.9", workers=2))
    assert ran.ok, tail(ran)
    first, second = ran.workers
    assert [each.elements for each in first.parameters] == [each.elements for each in second.parameters]


RANKS = """\
import os, torch, torch.distributed as dist
dist.init_process_group("nccl")
rank = int(os.environ["LOCAL_RANK"])
assert (dist.get_rank(), dist.get_world_size(), torch.cuda.device_count()) == (rank, 2, 2)
torch.cuda.set_device(rank)
assert torch.cuda.current_device() == rank
torch.cuda.set_device(torch.device("cuda", 1 - rank))
assert torch.cuda.current_device() == 1 - rank
value = torch.tensor([float(rank)]).cuda()
dist.all_reduce(value, op=dist.ReduceOp.AVG)
assert value.item() == 0.5
torch.manual_seed(0)
batch = torch.randn(6, 3, 2)
wide, norm = torch.nn.BatchNorm1d(3), torch.nn.SyncBatchNorm(3).cuda()
both, own = batch.clone().requires_grad_(), batch[:4] if rank == 0 else batch[4:]
own = own.cuda().requires_grad_()
expected, mine = wide(both), norm(own)
where = slice(0, 4) if rank == 0 else slice(4, 6)
assert torch.allclose(mine, expected[where], atol=1e-5)
weight = torch.randn(6, 3, 2)
(expected * weight).sum().backward()
(mine * weight[where]).sum().backward()
assert torch.allclose(own.grad, both.grad[where], atol=1e-5), "the gradient goes through the statistics of all ranks"
assert torch.allclose(norm.running_var, wide.running_var, atol=1e-5)
"""


def test_an_original_that_torchrun_starts(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(RANKS)
    ran = run(Job(script, Side.CUDA, environment("2.9"), workers=2))
    assert ran.ok, tail(ran)
    assert [worker.rank for worker in ran.workers] == [0, 1]


def test_one_worker_that_fails_ends_the_others(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import torch_xla, torch_xla.core.xla_model as xm\n"
        "def _mp_fn(index):\n"
        "    if index == 1:\n"
        "        raise ValueError('no data for this rank')\n"
        "    xm.rendezvous('start')\n"
        "if __name__ == '__main__':\n"
        "    torch_xla.launch(_mp_fn)\n"
    )
    job = Job(script, Side.XLA, environment("2.9"), backend=Backend.STANDIN, version="2.9", workers=2)
    ran = run(job)
    assert ran.ending is Ending.FAILED, "not at the end of its time"
    assert "no data for this rank" in ran.output


def tail(ran: Run) -> str:
    return f"--- {ran.side.value}, {ran.ending.value} after {ran.seconds:.0f} s: {ran.reason}\n{ran.output[-2000:]}"


def test_tables_name_scripts_that_exist() -> None:
    names = {name for name, _ in MULTIPLE}
    assert set(NOT_RUN) | set(ONE_PROCESS) | set(ARGUMENTS) | SAME_BATCHES <= names
    assert set(OTHER_SEED) <= set(MULTIPLE)
