"""Managers of `with` that are generators: what they do before and after the block."""

import pytest

from tests.meaning.programs import gradients, kinds, run, said, steps

_START = """
import torch, torch_xla, torch_xla.core.xla_model as xm
from contextlib import contextmanager
from options import flag
device = torch_xla.device()
net = torch.nn.Linear(1, 1).to(device)
optimizer = torch.optim.SGD(net.parameters(), 0.1)

@contextmanager
def stepped(optimizer):
    optimizer.zero_grad()
    yield net
    xm.reduce_gradients(optimizer)
    optimizer.step()
    torch_xla.sync()
"""
_LOOP = """
for x in range(3):
    with stepped(optimizer) as used:
        used(torch.ones(1, 1, device=device)).sum().backward()
"""
_RETURNED = """
def loss_of(x):
    with torch.enable_grad(), stepped(optimizer) as used:
        loss = used(x).sum()
        loss.backward()
        if flag:
            return loss
    return loss.detach()
for x in range(3):
    print(loss_of(torch.ones(1, 1, device=device)))
"""


@pytest.mark.parametrize("rest", [_LOOP, _RETURNED])
def test_what_stands_below_the_yield_runs_after_the_block(rest: str) -> None:
    execution = run(_START + rest)
    assert steps(execution)
    assert gradients(execution) <= {"local", "mean"}
    assert "mark" in kinds(execution)
    assert not said(execution)


def test_what_the_block_finds_out_holds_below_it() -> None:
    text = """
with stepped(optimizer):
    if flag:
        name = "one"
    else:
        raise SystemExit
print(name)
if flag:
    other = 1
print(other)
"""
    assert not said(run(_START + text))


def test_a_block_that_may_be_left_out_is_followed_all_the_same() -> None:
    text = """
@contextmanager
def tried():
    try:
        yield 1
    except KeyboardInterrupt:
        print("left")
with tried() as one:
    name = one
print(name)
"""
    assert not said(run(_START + text))
