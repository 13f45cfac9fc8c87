"""What the judge said of programs that are right, beside the fault of the same kind that he must say."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codemods.kit.targets import Target
from migrate.engine.correspondence import Lines
from migrate.project import migrate_project
from tests.test_judge_of_whole_programs import said

_CONFIGURED = """
    import argparse, random, torch, torch_xla, torch.nn as nn
    import torch_xla.core.xla_model as xm, torch_xla.runtime as xr

    class Config:
        pass

    def _mp_fn(index, args):
        config = Config()
        first = 2
        if {asked}:
            config.data = first = 1
        names = [first, 3]
        print(names[random.randrange(2)])
        net = nn.Linear(4, 1).to(torch_xla.device())
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for step in range(10):
            loss = net(torch.ones(2, 4, device=torch_xla.device())).sum()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        print(config.data)

    if __name__ == "__main__":
        parser = argparse.ArgumentParser()
        parser.add_argument("--data", default=None)
        torch_xla.launch(_mp_fn, args=(parser.parse_args(),))
"""


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("args.data is not None", ""),
        ("xr.global_ordinal() == 0", "in some processes only"),
        ("random.random() < 0.5", "not shown that all processes have"),
    ],
)
def test_what_is_picked_by_chance_does_not_part_what_an_option_decided(asked: str, says: str) -> None:
    """One of several values is picked, and which they are an option has decided, alike in all processes."""
    found = said({"train.py": _CONFIGURED.format(asked=asked)})
    messages = ("in some processes only", "not shown that all processes have")
    assert [words for words in messages if any(words in one for one in found)] == ([says] if says else []), found


def test_a_line_that_was_put_in_is_no_line_that_is_gone() -> None:
    """It has no word of it: it stands beside the line above. One that was moved and edited is found again."""
    before = (
        "def main():\n    loss.backward()\n    step()\n\n"
        "kind = cuda(random.normal(0, 1, size))\nnet = Net()\nend()\n"
    )
    after = (
        "def main():\n    loss.backward()\n    reduce(optimizer)\n    step()\n"
        "    kind = move(random.normal(0, 1, size))\n    net = Net()\n\nend()\n"
    )
    lines = Lines({"train.py": before}, {"train.py": after})
    assert [lines.source_line("train.py", at) for at in range(1, 7)] == [1, 2, 2, 3, 5, 6]


_UTILITY = """
    import os

    import torch

    def to_device(net):
        return net.cuda()

    def clean(path):
        if input("Sure? ") == "y":
            os.remove(path)
"""
_USER = """
    import torch, torch.nn as nn
    {imports}

    net = nn.DataParallel(to_device(nn.Linear(4, 1)))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    {before}
    for x in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 4)), 8):
        optimizer.zero_grad()
        net(x[0].cuda()).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("imports", "before", "more", "asks"),
    [
        ("from utility import to_device", "pass", "", False),
        ("from utility import to_device, clean", "clean('out')", "", True),
        ("from utility import *", "clean('out')", "", True),
        ("import utility\n    from utility import to_device", "utility.clean('out')", "", True),
        ("from utility import to_device", "pass", "COMMANDS = {'clean': clean}", True),
        ("from utility import to_device", "pass", "def run(name):\n    return globals()[name]", True),
    ],
    ids=["uncalled", "imported", "by a star", "through the module", "in a table", "by its text"],
)
def test_what_nobody_calls_is_done_by_no_process(imports: str, before: str, more: str, asks: bool) -> None:
    sources = {
        "utility.py": dedent(_UTILITY) + more + "\n",
        "train.py": dedent(_USER.format(imports=imports, before=before)),
    }
    migrated = dict(migrate_project(sources, target=Target.parse("torch-xla==2.9")))
    rules = {note.rule for note in migrated["utility.py"].notes}
    assert ({"TC612", "TC613"} <= rules) is asks, rules
    assert bool({"TC612", "TC613"} & rules) is asks, rules


_LISTED = """
    import sys, torch, torch_xla, torch.nn as nn
    import torch_xla.core.xla_model as xm

    names = []
    for word in sys.argv[1:]:
        if word != "-":
            names.append(word)
    device = torch_xla.device()
    net = nn.Linear(4, 1)
    if names:
        net = net.to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for epoch in range(10):
        x = torch.ones(2, 4)
        if {asked}:
            x = x.to(device)
        loss = net(x).sum()
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
"""


@pytest.mark.parametrize("asked", ["names", "len(names)", "len(names) > 0", "not len(names) == 0"])
def test_a_length_asks_what_its_list_does(asked: str) -> None:
    assert not said({"train.py": _LISTED.format(asked=asked)})


@pytest.mark.parametrize("asked", ["not names", "len(sys.argv) > 5", "not len(names)", "True"])
def test_another_question_has_another_answer(asked: str) -> None:
    assert [one for one in said({"train.py": _LISTED.format(asked=asked)}) if "still on the host" in one]


_PHASES = """
    import enum, torch, torch_xla, torch.nn as nn
    import torch_xla.core.xla_model as xm

    class Phase(enum.Enum):
        TRAIN = 0,
        VAL = 1

    net = nn.Linear(4, 1).to(torch_xla.device())
    optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def run(phase):
        loss = net(torch.ones(2, 4, device=net.weight.device)).sum()
        if phase == Phase.TRAIN:
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)

    for epoch in range(10):
        run(Phase.TRAIN)
        with torch.no_grad():
            run(Phase.{other})
"""


@pytest.mark.parametrize(("other", "wrong"), [("VAL", False), ("TRAIN", True)])
def test_members_of_an_enumeration_may_be_tuples(other: str, wrong: bool) -> None:
    """`TRAIN = 0,` makes one: it is compared as what it is, and a phase is the one or the other."""
    found = said({"train.py": _PHASES.format(other=other)})
    assert wrong is bool([one for one in found if "gradient" in one]), found
