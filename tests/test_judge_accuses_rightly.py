"""What the judge said of programs that are right, beside the fault of the same kind that he must say."""

from __future__ import annotations

import pytest

from migrate.engine.correspondence import Lines
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
    ("asked", "parts"),
    [("args.data is not None", False), ("xr.global_ordinal() == 0", True), ("random.random() < 0.5", True)],
)
def test_what_is_picked_by_chance_does_not_part_what_an_option_decided(asked: str, parts: bool) -> None:
    """One of several values is picked, and which they are an option has decided, alike in all processes."""
    found = said({"train.py": _CONFIGURED.format(asked=asked)})
    assert bool([one for one in found if "in some processes only" in one]) is parts, found


def test_a_line_that_was_put_in_is_no_line_that_is_gone() -> None:
    """It has no word of it: it stands beside the line above. One that was moved and edited is found again."""
    before = "def main():\n    loss.backward()\n    step()\n\nkind = cuda(random.normal(0, 1, size))\nnet = Net()\nend()\n"
    after = (
        "def main():\n    loss.backward()\n    reduce(optimizer)\n    step()\n"
        "    kind = move(random.normal(0, 1, size))\n    net = Net()\n\nend()\n"
    )
    lines = Lines({"train.py": before}, {"train.py": after})
    assert [lines.source_line("train.py", at) for at in range(1, 7)] == [1, 2, 2, 3, 5, 6]
