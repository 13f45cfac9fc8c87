"""An optimizer of float32 masters: what averages its own gradients ahead of the copy averages none."""

from __future__ import annotations

from codemods.kit.targets import Target
from migrate.engine.certificate import Standing
from migrate.engine.judge import judge
from migrate.project import migrate_project
from tests.goldens import ROOT, read_text

GOLDEN = ROOT / "projects" / "float32_masters"
FILES = ("halves.py", "loop.py", "train.py")
TARGET = Target.parse("torch-xla==2.9")
REDUCED = """        filled = [p for p in self.params if p.grad is not None]
        for p in filled:
            p.grad = p.grad.clone()  # else what is made of it loses the average
        xm.all_reduce(xm.REDUCE_SUM, [p.grad for p in filled], scale=1.0 / xr.world_size())
"""


def said(instead: str) -> list[str]:
    """What the judge finds violated where this stands in the place of the reduction."""
    before = {name: read_text(GOLDEN / name) for name in FILES}
    after = {path: one.result for path, one in migrate_project(before, target=TARGET)}
    assert after["loop.py"].count(REDUCED) == 2
    after["loop.py"] = after["loop.py"].replace(REDUCED, instead)
    found = judge(after, before, target=TARGET).findings
    return [one.message for one in found if one.standing is Standing.VIOLATED]


def test_the_gradients_of_the_network_are_averaged() -> None:
    assert not said(REDUCED)


def test_those_of_the_optimizer_are_not_there_yet() -> None:
    found = said("        xm.reduce_gradients(self.optimizer)\n")
    assert any("has no gradients yet" in one for one in found), found
    assert any("as each process has them" in one for one in found), found


def test_nothing_is_averaged() -> None:
    found = said("")
    assert any("as each process has them" in one for one in found), found
