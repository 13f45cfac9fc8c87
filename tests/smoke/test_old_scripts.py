"""What a smoke run does for scripts that the torch of today, or a run without a tracer, would not run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from migrate.smoke.child.tensorboard import skip_graphs
from migrate.smoke.environments import Environment
from migrate.smoke.record import Side
from migrate.smoke.run import Job, run

TORCH_0_3 = """\
import torch
from torch.autograd import Variable
model = torch.nn.Linear(2, 1).cuda()
loss = model(Variable(torch.ones(3, 2).cuda())).sum()
assert isinstance(loss.data[0], float) and loss.data[0] == loss.item()
assert loss[0] is loss, "a graph goes on"
assert torch.ones(3)[0].dim() == 0 and torch.ones(2, 3)[0, 1].item() == 1
try:
    loss.data[1]
except IndexError:
    loss[0].backward()
"""


@pytest.mark.real_xla
@pytest.mark.parametrize("version", ["2.1", "2.9"])
def test_losses_are_indexed(version: str, environment: Callable[[str], Environment], tmp_path: Path) -> None:
    script = tmp_path / "old.py"
    script.write_text(TORCH_0_3)
    ran = run(Job(script, Side.CUDA, environment(version)))
    assert ran.ok, ran.output
    assert len(ran.first.losses) == 1


def test_tensorboard_draws_no_model() -> None:
    class SummaryWriter:
        def add_graph(self, model: object, inputs: object = None, verbose: bool = False) -> None:
            raise RuntimeError("traced")

    skip_graphs(SimpleNamespace(SummaryWriter=SummaryWriter))
    SummaryWriter().add_graph("model", verbose=True)
