"""Sizes and places that make another graph: each was tried on torch_xla 2.1 and 2.9, and counted in compilations."""

import pytest

from codemods.kit.targets import Target
from migrate.engine.judge import judge

_LOOP = """
import random
import numpy as np
import torch, torch_xla
from torch import nn
from torch.nn import functional as F
import torch_xla.core.xla_model as xm

device = torch_xla.device()
net = nn.Linear(8, 8).to(device)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
counts = torch.tensor([1, 2, 3, 4]).to(device)
host = torch.tensor([1, 2, 3, 4])
held = torch.randn(1000, 8).to(device)
for step in range(900):
    x = torch.randn(4, 8, device=device)
    {line}
    loss = net(x).mean()
    optimizer.zero_grad()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
"""


def _costs(line: str, before: str | None = None) -> list[str]:
    text = _LOOP.format(line=line)
    original = {"train.py": _LOOP.format(line=before)} if before is not None else None
    found = judge({"train.py": text}, original, target=Target.parse("torch-xla==2.9"))
    return [one.message for one in found.findings if one.line == 17]


_READ = (
    "x = x[:1].repeat(counts[2], 1)",
    "x = x[:1].repeat((counts[2], 1))",
    "x = x[:1].expand(counts[2], 8)",
    "x = torch.repeat_interleave(x, counts, dim=0)",
    "x = x.repeat_interleave(counts, 0)",
    "x = x[: counts[2]]",
    "x = x.narrow(0, 0, counts[2])",
    "x = x + torch.zeros(counts[0], 8, device=device)",
    "x = x + torch.zeros((counts[0], 8), device=device)",
    "x = x + x.new_zeros(1) + x.new_ones(counts[0], 8)",
    "x = x + torch.full((counts[0], 8), 2.0, device=device)",
    "x = x + torch.randn(size=(counts[0], 8), device=device)",
    "x = x.split((counts[0], counts[2]))[0]",
)


@pytest.mark.parametrize("line", _READ)
def test_a_size_lies_on_the_device(line: str) -> None:
    assert any("takes a size that is on the device" in one for one in _costs(line))


@pytest.mark.parametrize(
    "line",
    [
        "x = x.repeat(2, 1)",
        "x = x.expand(x.size(0), 8)",
        "x = torch.repeat_interleave(x, 2, dim=0)",
        "x = torch.repeat_interleave(x, counts, dim=0, output_size=10)",
        "x = torch.repeat_interleave(x.cpu(), host, dim=0)",
        "x = x[: host[2]]",
        "x = x + torch.full((4, 8), 2.0, device=device) * counts[0]",
        "x = x + torch.normal(held[0], held[1]) + torch.zeros(4, 8, device=device)",
        "x = x.view(len(x), -1)",
        "x = x * (torch.arange(4, device=device) < counts[2]).float()[:, None]",
    ],
)
def test_a_size_is_known_to_the_host(line: str) -> None:
    assert not any("size that is on the device" in one for one in _costs(line))


@pytest.mark.parametrize("number", ["random.randint(1, 4)", "int(random.uniform(1, 4))", "np.random.randint(1, 4)"])
def test_a_size_is_drawn(number: str) -> None:
    for line in (
        f"x = x[:1].expand({number}, 8)",
        f"x = x + torch.ones({number}, 1, device=device).sum()",
        f"x = x + torch.arange({number}, device=device).sum()",
    ):
        assert any("drawn anew each time" in one for one in _costs(line)), line
    assert any("slice whose bounds are other numbers" in one for one in _costs(f"x = x[:{number}]"))
    assert not any("drawn" in one for one in _costs(f"x = x * {number}"))
    assert not any("drawn" in one for one in _costs(f"some = torch.ones({number})"))


def test_an_index_that_counts_compiles_a_network() -> None:
    assert any("an index that is another number" in one for one in _costs("x = x + held[step]"))
    for line in (
        "x = torch.stack([held[one] for one in range(step % 7)])",
        "x = x + sum(x[:, i].mean() for i, _ in enumerate(host))",
        "x = x + host[step]",
        "x = x + held.index_select(0, torch.tensor([step]).to(device))",
    ):
        assert not any("an index that is" in one for one in _costs(line)), line


def test_a_number_of_a_loop_that_is_part_of_a_step_is_no_other_graph() -> None:
    inner = "for i in range(len(x)): x = x.roll(i, 0)"
    assert not any("another number in each iteration" in one for one in _costs(inner))
    outer = "x = x.roll(step, 0)"
    assert any("another number in each iteration" in one for one in _costs(outer, outer))


_DRAWS = """
import os
import random
import numpy as np
import torch, torch_xla
from torch import nn
import torch_xla.core.xla_model as xm, torch_xla.runtime as xr

def _mp_fn(rank):
    {start}
    net = nn.Linear(8, 8).to("xla")
    xm.broadcast_master_param(net)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for step in range(100):
        x = torch.randn(4, 8, device="xla")
        {line}
        loss = net(x).mean()
        optimizer.zero_grad()
        loss.backward()
        {cut}
        xm.reduce_gradients(optimizer)
        optimizer.step()
        torch_xla.sync()

if __name__ == "__main__":
    {outside}
    torch_xla.launch(_mp_fn)
"""
_BRANCH = "x = x * 2 if random.random() < 0.5 else x + 1"
_STATED = "each process draws for itself what it computes here"


def _drawn(
    line: str, start: str = "pass", outside: str = "pass", cut: str = "pass", target: str = "torch-xla==2.9"
) -> list[str]:
    text = _DRAWS.format(line=line, start=start, outside=outside, cut=cut)
    found = judge({"train.py": text}, None, target=Target.parse(target))
    return [f"{one.standing.value} {one.line}" for one in found.findings if _STATED in one.message]


@pytest.mark.parametrize(
    "line",
    [
        _BRANCH,
        "x = x * 2 if np.random.rand() < 0.5 else x + 1",
        "x = x[: random.randint(1, 4)]",
        "x = x[:1].expand(random.randint(1, 4), 8)",
        "x = x + torch.ones(np.random.randint(1, 4), 1, device='xla').sum()",
    ],
)
def test_processes_draw_other_graphs_for_themselves(line: str) -> None:
    """Run on two replicas of 2.9: a branch and a slice stand still at the mark."""
    assert _drawn(line) == ["violated 16"]
    assert _drawn(line, start="random.seed(rank); np.random.seed(rank)") == ["violated 16"]
    assert not _drawn(line, start="random.seed(3); np.random.seed(3)")
    assert _drawn(line, target="smtc") == ["cost 16"]


def test_a_seed_of_the_first_process_is_none_of_those_it_starts() -> None:
    assert _drawn(_BRANCH, outside="random.seed(0)") == ["violated 16"]
    module = _DRAWS.format(line=_BRANCH, start="pass", outside="pass", cut="pass")
    module = module.replace("def _mp_fn", "random.seed(0)\ndef _mp_fn")
    found = judge({"train.py": module}, None, target=Target.parse("torch-xla==2.9"))
    assert not [one for one in found.findings if _STATED in one.message]


def test_what_is_executed_before_the_collective_may_differ() -> None:
    assert not _drawn(_BRANCH, cut="torch_xla.sync()")
    assert not _drawn("if random.random() < 0.1: print(x.mean().item())")
    assert not _drawn("x = x * random.random()")
