"""Two ranks leave their process group while the threads of gloo come last: on a busy machine they do now and then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.smoke.environments import Environment
from migrate.smoke.record import Side
from migrate.smoke.run import Job, run

pytestmark = pytest.mark.real_xla

SCRIPT = """\
import os, torch, torch.distributed as dist, torch.multiprocessing as mp

def come_last():
    # On one processor a thread of this class runs only while no other wants to.
    processor = min(os.sched_getaffinity(0))
    for thread in map(int, os.listdir("/proc/self/task")):
        os.sched_setaffinity(thread, {processor})
        if thread != os.getpid():
            os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))

def train(rank):
    dist.init_process_group("nccl", rank=rank, world_size=2)
    model = MODEL
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(4, 3, device=rank)).sum().backward()
    optimizer.step()
    come_last()
    count = torch.ones(1, device=rank)
    dist.all_reduce(count)
    assert count.item() == 2
    del count
    dist.destroy_process_group()

def main(rank):
    train(rank)
    print("left", rank)

if __name__ == "__main__":
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "localhost", "12355"
    mp.spawn(main, nprocs=2)
"""

MODELS = {
    "plain": "torch.nn.Linear(3, 1).to(rank)",
    "ddp": "torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 1).to(rank), device_ids=[rank])",
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("version", ["2.1", "2.9"])
def test_a_group_ends_when_its_threads_come_last(
    version: str, model: str, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.replace("MODEL", MODELS[model]))
    ran = run(Job(script, Side.CUDA, environment(version), workers=2))
    assert ran.ok, f"{ran.reason}\n{ran.output[-2000:]}"
    assert ran.output.count("left") == 2
