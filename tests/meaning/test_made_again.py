"""Networks that are made again, and registries that make any of their classes: the same comes of it, with less work."""

import pytest

from codemods.kit.meaning import made_again
from codemods.kit.meaning.execution import Execution
from tests.meaning.programs import gradients, run, said, steps

_BLOCKS = """
import torch
import torch.nn as nn
import torch_xla, torch_xla.core.xla_model as xm
from data import loader, sizes


class Block(nn.Module):
    def __init__(self, width, kind=nn.ReLU, norm=None):
        super().__init__()
        {inside}
        self.one, self.two = nn.Linear(width, width), nn.Linear(width, width)
        self.list = nn.ModuleList([nn.Linear(width, width) for _ in range(4)])
        self.last = kind() if norm is None else norm(width)

    def forward(self, x):
        for one in self.list:
            x = one(x)
        return self.last(self.two(self.one(x)))


class Net(nn.Module):
    made = []

    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*[Block(4) for _ in range(8)], {given})

    def forward(self, x):
        return self.blocks(x)


device = torch_xla.device()
net = Net()
other = Net()
{after}
net.to(device)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for x, y in loader:
    optimizer.zero_grad()
    net(x.to(device)).sum().backward()
    xm.optimizer_step(optimizer)
    torch_xla.sync()
"""


def _run(again_after: int, inside: str = "pass", given: str = "Block(4)", after: str = "pass") -> Execution:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made_again, "REPEATS", again_after)
        patch.setattr(made_again, "WORTH", 10)
        return run(_BLOCKS.format(inside=inside, given=given, after=after))


@pytest.mark.parametrize("given", ["Block(4)", "Block(8, nn.GELU)", "Block(4, norm=nn.LayerNorm)", "Block(sizes[0])"])
def test_what_is_made_again_is_another_one_with_less_work(given: str) -> None:
    short, long = _run(0, given=given), _run(10**9, given=given)
    assert short.steps < long.steps
    assert said(short) == said(long) == []
    assert gradients(short) == gradients(long)
    count = [len(one.about[1]) for one in long.record.of("stepped")]
    assert count == [len(one.about[1]) for one in short.record.of("stepped")]
    assert [one.gradients for one in steps(short)] == [one.gradients for one in steps(long)]


def test_each_has_weights_of_its_own() -> None:
    after = "net.to('cpu')\nother.blocks.to('xla')"
    assert said(_run(0, after=after)) == said(_run(10**9, after=after)) == []


def test_what_changes_what_was_there_is_made_each_time() -> None:
    kept = _run(0, "Net.made.append(self)", after="print(len(Net.made))")
    assert kept.steps > 1.2 * _run(0, after="print(len(Net.made))").steps


_REGISTRY = """
import torch
import torch.nn as nn
from options import config

known = {}

def register(name):
    def keep(cls):
        known[name] = cls
        return cls
    return keep

def make(name, **more):
    return known[name](**more)

@register("whole")
class Whole(nn.Module):
    def __init__(self, body, body_args, head, head_args):
        super().__init__()
        self.body, self.head = make(body, **body_args), make(head, **head_args)

    def forward(self, x):
        return self.head(self.body(x))

@register("twice")
class Twice(nn.Module):
    def __init__(self, body, body_args):
        super().__init__()
        self.body, self.other = make(body, **body_args), make(body, **body_args)

    def forward(self, x):
        return self.body(x) + self.other(x)
"""
_PART = """
@register("part{number}")
class Part{number}(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.all = nn.Sequential(*[nn.Linear(width, {number}) for _ in range(9)])

    def forward(self, x):
        return self.all(x)
"""


def test_a_registry_is_followed_to_its_end() -> None:
    parts = "".join(_PART.format(number=number) for number in range(1, 7))
    trained = "\nnet = make(config.name, **config.more)\nnet(torch.ones(4)).sum().backward()\n"
    execution = run(_REGISTRY + parts + trained)
    assert not execution.spent
    assert [event.about.reached for event in execution.record.of("backward")] != [frozenset()]


def test_classes_that_are_not_followed_are_told() -> None:
    for count, told in ((3, False), (9, True)):  # of up to six all are followed
        parts = "".join(_PART.format(number=number) for number in range(1, count + 1))
        execution = run(_REGISTRY + parts + "\nnet = make(config.name)\n")
        assert bool(execution.record.of("left out")) is told
