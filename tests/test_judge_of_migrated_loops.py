"""What the judge says of a loop that its migration made one of several processes, or of a device's batches."""

from __future__ import annotations

from textwrap import dedent

import pytest

import migrate
from codemods.kit.targets import Target
from migrate.engine.judge import judge

_TRIES = """
    import torch, sys
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    def main():
        loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8, shuffle=True, drop_last=True)
        net = nn.DataParallel(nn.Linear(8, 1)).cuda()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for (x,) in loader:
            try:
                {body}
            except {what}:
                {handled}

    main()
"""
_STEP = "optimizer.zero_grad(); loss = net(x.cuda()).mean(); loss.backward(); optimizer.step()"


def _said(text: str, target: str) -> list[str]:
    """What the judge says of the migration of a program of one file."""
    source = dedent(text)
    migrated = {"train.py": migrate.migrate(source, target=target).result}
    found = judge(migrated, {"train.py": source}, target=Target.parse(target))
    return [f"{one.line}: {one.message}" for one in (*found.violated, *found.open)]


@pytest.mark.parametrize("target", ["smtc", "torch-xla==2.9"])
@pytest.mark.parametrize(
    ("body", "what", "handled", "waits"),
    [
        (_STEP, "Exception as e", "print(e); continue", True),
        (_STEP, "RuntimeError", "pass", True),
        (_STEP, "(ValueError, IndexError)", "break", True),
        (_STEP, "Exception as e", "print(e); raise", False),
        (_STEP, "Exception", "sys.exit(1)", False),
        (_STEP, "KeyboardInterrupt", "break", False),
        ("print(len(x))", "Exception", "continue", False),
    ],
)
def test_a_step_that_one_process_leaves_out(body: str, what: str, handled: str, waits: bool, target: str) -> None:
    found = _said(_TRIES.format(body=body, what=what, handled=handled), target)
    assert bool([one for one in found if "leaves out the step" in one]) is waits, found


_PICTURES = """
    import numpy as np, torch
    import matplotlib.pyplot as plt
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    def shown(images):
        return {read}

    loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8, drop_last=True)
    net = nn.Linear(8, 1).cuda()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for (x,) in loader:
        optimizer.zero_grad()
        net(x.cuda()).mean().backward()
        optimizer.step()
        shown({given})
"""


@pytest.mark.parametrize("target", ["smtc", "torch-xla==2.9"])
@pytest.mark.parametrize(
    ("read", "given", "fails"),
    [
        ("np.array(images[0])", "x", True),
        ("np.mean([images[0], images[1]])", "x", True),
        ("plt.imshow(images)", "x", True),
        ("np.shape(images)", "x", False),
        ("np.array(images.cpu())", "x", False),
        ("np.array(images)", "x.cpu()", False),
        ("np.array({'images': images})", "x", False),
        ("np.array(images)", "x.cuda()", False),  # fails in the original as well
    ],
)
def test_an_array_of_what_a_device_loader_hands_out(read: str, given: str, fails: bool, target: str) -> None:
    found = _said(_PICTURES.format(read=read, given=given), target)
    assert bool([one for one in found if "only one on the host has it" in one]) is fails, found
