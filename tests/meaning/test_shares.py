"""What is too large in a network is cut out of it; what trains it is followed all the same."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from codemods.kit.meaning import execution
from codemods.kit.targets import Target
from migrate.engine.judge import judge

LARGE = "\n".join("        x = x * 1.5 + 2.0" for _ in range(3_000))
PROGRAM = """
    import torch, torch_xla, torch.nn as nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 1)
    {making}
        def forward(self, x):
            x = self.layer(x)
    {running}
            return x

    class Own(torch.optim.SGD):
        def step(self, closure=None):
            x = 1.0
    {stepping}

    net = Net()
    optimizer = Own(net.parameters(), 0.1)
    net.to(torch_xla.device())
    for x in [torch.ones(2, 4), torch.ones(2, 4)]:
        optimizer.zero_grad()
        net(x.to(torch_xla.device())).sum().backward()
        optimizer.step()
        torch_xla.sync()
"""
PLACES = ("making", "running", "stepping")


@pytest.mark.parametrize("place", PLACES)
def test_what_trains_a_large_network_is_followed(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "MAX_STEPS", 16_000)
    text = dedent(PROGRAM).format(**(dict.fromkeys(PLACES, "") | {place: LARGE}))
    ran = execution.execute({"train.py": ast.parse(text)}, ["train.py"], cuda=False)
    assert {one.kind for one in ran.record.events} >= {"cut", "backward", "step"}
    assert ran.cuts
    assert not ran.spent
    found = judge({"train.py": text}, target=Target.parse("torch-xla==2.9"))
    messages = [one.message for one in found.findings]
    assert any("too large to be followed" in one for one in messages)
    assert any("parameters of before the move" in one for one in messages), messages


def test_a_part_is_cut_out_where_it_was_cut_out_of_the_original(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "MAX_STEPS", 16_000)
    text = dedent(PROGRAM).format(making="", running=LARGE, stepping="")
    first = execution.execute({"train.py": ast.parse(text)}, ["train.py"], cuda=True)
    monkeypatch.undo()
    again = execution.execute({"train.py": ast.parse(text)}, ["train.py"], cuda=False, cuts=first.cuts)
    assert again.cuts == first.cuts
    assert not execution.execute({"train.py": ast.parse(text)}, ["train.py"], cuda=False).cuts
