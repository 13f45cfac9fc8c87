"""The order of a step: what the check finds, and that no golden output has anything to find."""

from __future__ import annotations

import libcst as cst
import pytest

from codemods.kit.order import violations
from codemods.kit.script import read
from tests.goldens import ROOT, Case, cases
from tests.visits import Visit

HEAD = """
import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch_xla.amp import GradScaler
from torch.nn.utils import clip_grad_norm_

def _mp_fn(index):
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    for i, (x, y) in enumerate(batches):
"""
BACKWARD = "scaler.scale(loss(model(x), y)).backward()"
REDUCE = "xm.reduce_gradients(optimizer)"
UNSCALE = "scaler.unscale_(optimizer)"
CLIP = "clip_grad_norm_(model.parameters(), 1.0)"
STEP = "scaler.step(optimizer)"
UPDATE = "scaler.update()"
MARK = "xm.mark_step()"
RIGHT = [BACKWARD, REDUCE, UNSCALE, CLIP, STEP, UPDATE, MARK]


def found(lines: list[str], *, complete: bool = True) -> list[str]:
    source = HEAD + "".join(f"        {line}\n" for line in lines)
    return [violation.what for violation in violations(read(cst.parse_module(source), source), complete=complete)]


def swapped(first: str, second: str) -> list[str]:
    swap = {first: second, second: first}
    return [swap.get(line, line) for line in RIGHT]


def test_the_right_order_has_nothing_to_find() -> None:
    assert found(RIGHT) == []


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (swapped(REDUCE, UNSCALE), "reduces after unscale_"),
        (swapped(UNSCALE, CLIP), "clips before unscale_"),
        (swapped(STEP, UPDATE), "updates the scaler before its step"),
        ([BACKWARD, UNSCALE, CLIP, REDUCE, STEP, UPDATE, MARK], "reduces after clipping"),
        ([BACKWARD, REDUCE, REDUCE, STEP, UPDATE, MARK], "reduces twice"),
        ([BACKWARD, STEP, UPDATE, MARK], "gradients of this process alone"),
        ([*RIGHT, MARK], "marks twice"),
        (RIGHT[:-1], "never executes"),
        ([BACKWARD, REDUCE, "xm.optimizer_step(optimizer)", MARK], "reduces what has been reduced"),
        ([BACKWARD, CLIP, "xm.optimizer_step(optimizer)", MARK], "clips before xm.optimizer_step"),
        ([BACKWARD, "xm.optimizer_step(optimizer, barrier=True)", MARK], "marks twice"),
        ([BACKWARD, REDUCE, "if i % 4 == 0:", f"    {STEP}", f"    {UPDATE}", f"    {MARK}"], "every micro-batch"),
    ],
)
def test_finds(lines: list[str], what: str) -> None:
    assert any(what in said for said in found(lines)), found(lines)


def test_a_mark_before_a_value_is_read_is_no_second_mark() -> None:
    assert found([BACKWARD, MARK, "total += y.item()", REDUCE, STEP, UPDATE, MARK]) == []


def test_waiting_for_the_device_is_no_second_mark() -> None:
    assert found([*RIGHT, MARK, "xm.wait_device_ops()"]) == []
    assert found([*RIGHT, "if i == 9:", "    torch_xla.sync(wait=True)"]) == []


def test_in_part_of_a_migration_a_missing_reduction_is_not_counted() -> None:
    assert found([BACKWARD, STEP, UPDATE, MARK], complete=False) == []


REDUCED_BY_CALLERS = {"shapes/clipped_by_the_caller"}
"""Functions that step with gradients their callers have reduced: read alone they seem to reduce nothing."""
VISIT = Visit()


@VISIT.for_each_target
def in_order(case: Case, target: str) -> None:
    """What no rewrite has touched may be out of order as its author left it."""
    migration = case.migrated(target)
    if migration.result == migration.source:
        return
    whole = case.path.relative_to(ROOT).parts[0] in ("scripts", "shapes", "pitfalls")
    text = migration.result.removeprefix("\ufeff")
    script = read(cst.parse_module(text), text)
    assert violations(script, complete=whole and case.id not in REDUCED_BY_CALLERS) == []


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_every_golden(case: Case) -> None:
    VISIT.of(case)
