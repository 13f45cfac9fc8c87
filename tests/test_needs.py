"""A hunk with what it needs stands by itself, and takes no more along than it must."""

from __future__ import annotations

import pytest

from migrate.needs import Needs
from migrate.partial import find_trouble
from migrate.render.diff import apply_hunks, find_hunks
from tests.goldens import Case, cases


def needs(source: str, result: str) -> Needs:
    return Needs(source, result, find_hunks(source, result, 0))


@pytest.mark.parametrize("case", cases("scripts"), ids=lambda case: case.id)
@pytest.mark.parametrize("target", ["smtc", "xla"])
def test_every_hunk_of_a_golden_stands_with_what_it_needs(case: Case, target: str) -> None:
    made = needs(*(text.lstrip("\ufeff") for text in (case.source, case.expected(target))))
    for hunk in made.hunks:
        taken = made.of(hunk)
        assert hunk in taken or "print " in case.source  # Python 2 goes as a whole
        assert not taken or find_trouble(made.source, made.result, apply_hunks(made.source, taken)) == "", hunk.header


BEFORE = """\
import torch
from torch.cuda.amp import autocast

def train(x):
    with autocast():
        y = x.cuda()
    return y

def check(x):
    a = 1
    return x.cuda()
"""
AFTER = """\
import torch
from torch_xla.amp import autocast as xla_autocast

def train(x):
    device = torch_xla.device()
    if True:
      with xla_autocast():
        y = x.to(device)
    return y

def check(x):
    device = torch_xla.device()
    a = 1
    return x.to(device)
"""


def test_takes_what_binds_its_names_and_what_would_lose_them() -> None:
    made = needs(BEFORE, AFTER)
    numbers = {hunk.old_start: [each.old_start for each in made.of(hunk)] for hunk in made.hunks}
    assert numbers[10] == [9, 10], "the device of its own function, not that of the other"
    assert numbers[1] == [1, 4], "the import goes with the line that used it"
    assert numbers[4] == [1, 4], "and the line with its import"
    assert numbers[9] == [9]


def test_python_2_goes_as_a_whole() -> None:
    made = needs("print 'a'\nx = 1\nprint 'b'\n", "print('a')\nx = 1\nprint('b')\n")
    assert [made.of(hunk) for hunk in made.hunks] == [[], []]
