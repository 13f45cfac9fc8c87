"""Networks that run again: what comes of it is the same as when every call is followed, with less work."""

import pytest

from codemods.kit.meaning import repeats
from codemods.kit.meaning.execution import Execution
from tests.meaning.programs import gradients, kinds, run, said, steps

_LARGE = """
import torch
import torch.nn as nn
import torch_xla, torch_xla.core.xla_model as xm
from options import flag
from data import loader


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(4, 4), nn.Linear(4, 4)
        self.last = nn.ReLU() if flag else None

    def forward(self, x, mask=None):
        y = self.one(x)
        for _ in range(6):
            y = y + self.two(y * 2 - 1).view(x.size(0), x.size(1))
        {inside}
        return self.last(y) if self.last else y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(8)])
        self.head = nn.Sequential(nn.Linear(4, 4), Block())

    def forward(self, x):
        found = []
        for block in self.blocks:
            x = block(x)
            found.append(x)
        return self.head(x), found


device = torch_xla.device()
net = Net().to(device)
frozen = Net().to(device)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for epoch in range(3):
    for x, y in loader:
        x = x.to(device)
        made, found = net(x)
        with torch.no_grad():
            made, found = net(x)
            target, _ = frozen(x)
        made, found = net({given})
        optimizer.zero_grad()
        ((made - target).sum() + found[0].sum()).backward()
        xm.optimizer_step(optimizer)
        torch_xla.sync()
"""


def _run(repeats_after: int, inside: str = "pass", given: str = "x") -> Execution:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "REPEATS", repeats_after)
        patch.setattr(repeats, "WORTH", 40)
        return run(_LARGE.format(inside=inside, given=given))


def test_a_network_that_runs_again_comes_out_the_same_with_less_work() -> None:
    short, long = _run(0), _run(10**9)
    assert short.steps < 0.5 * long.steps
    assert said(short) == said(long) == []
    assert gradients(short) == gradients(long)
    assert [len(one.gradients) for one in steps(short)] == [len(one.gradients) for one in steps(long)]


def test_reads_of_a_network_happen_each_time_it_runs() -> None:
    short, long = (_run(after, "print(y.sum().item())") for after in (0, 10**9))
    assert set(kinds(short)) == set(kinds(long))
    for kind in ("read", "early read"):
        found = [{(one.site, one.loops) for one in execution.record.of(kind)} for execution in (short, long)]
        assert found[0] == found[1]


def test_a_network_that_gets_something_else_is_followed_again() -> None:
    assert any("host" in message for _, message in said(_run(0, given="x.cpu()")))


def test_a_network_that_keeps_something_is_followed_each_time() -> None:
    assert _run(0, "self.kept = y").steps > 1.5 * _run(0).steps


def test_a_network_that_was_set_otherwise_is_followed_again() -> None:
    inside = "y = y if self.all else y.cpu()"
    text = _LARGE.replace("self.one, self.two", "self.all = True\n        self.one, self.two", 1)
    text = text.replace("made, found = net({given})", "net.blocks[0].all = False\n        made, found = net(x)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "REPEATS", 0)
        assert any("host" in message for _, message in said(run(text.format(inside=inside))))


def test_what_a_network_takes_of_its_own_lists_is_told_as_it_was() -> None:
    text = "for kept in self.kept_elsewhere: y = y + kept.abs().sum()"
    short, long = (_run(after, text.replace("self.kept_elsewhere", "loader.kept")) for after in (0, 10**9))
    assert {type(one.about) for one in short.record.of("fetch")} == {type(one.about) for one in long.record.of("fetch")}
    assert "fetch" in kinds(short)
