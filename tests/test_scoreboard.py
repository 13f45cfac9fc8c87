"""The scoreboard can fail: what it says of results that are complete, half done or left as they were."""

from __future__ import annotations

import json
from dataclasses import replace

from codemods.kit.links import ALONE
from codemods.kit.rules import Note, Severity
from codemods.kit.targets import XLA
from migrate.migration import Migration
from migrate.pipeline import migrate
from tests.scoreboard.score import score
from tests.scoreboard.texts import lost_imports
from tests.scoreboard.training import Training, judge
from tests.training_script import TRAIN

BY_HAND = """\
import torch

weight = torch.zeros(3, device="cuda", requires_grad=True)
while True:
    total(weight).backward()
"""


def judged(migration: Migration) -> Training:
    return judge(migration, ALONE, ALONE, XLA, {})


def test_a_migrated_loop_is_complete() -> None:
    found = judged(migrate(TRAIN, target=XLA))
    assert (found.complete, found.noted, found.lost) == (1, 0, [])
    assert found.found == {"optimizer built in the file": 1}


def test_a_loop_left_as_it_was_is_lost() -> None:
    done = migrate(TRAIN, target=XLA)
    lost = judged(replace(done, result=TRAIN, notes=())).lost
    assert lost == ["-:8: the step at line 12 of the result is not averaged"]


def test_a_loop_that_nothing_executes_is_lost() -> None:
    done = migrate(TRAIN, target=XLA)
    half = TRAIN.replace("import torch\n", "import torch\nimport torch_xla.core.xla_model as xm\n", 1)
    half = half.replace("optimizer.step()", "xm.optimizer_step(optimizer)")
    assert judged(replace(done, result=half, notes=())).lost == ["-:8: nothing executes the graph of an iteration"]


def test_a_note_in_the_loop_says_why_not() -> None:
    done = replace(migrate(TRAIN, target=XLA), result=TRAIN)
    note = Note("TC931", 12, Severity.WARNING, "", "", "", "")
    for rule, severity, noted in (
        ("TC931", Severity.WARNING, 1),
        ("TC432", Severity.WARNING, 0),
        ("TC934", Severity.INFO, 0),
    ):
        found = judged(replace(done, notes=(replace(note, rule=rule, severity=severity),)))
        assert (found.noted, len(found.lost)) == (noted, 1 - noted)


def test_a_loop_that_is_not_understood_is_seen_all_the_same() -> None:
    done = migrate(TRAIN, target=XLA)
    odd = BY_HAND.replace("total(weight).backward()", "torch.cuda.run(lambda: 0)\n    helper.backward(weight)")
    found = judged(replace(done, source=odd, result=odd, notes=()))
    assert sum(found.found.values()) == found.complete + found.noted + len(found.lost) == 1


def test_imports_that_a_migration_breaks_are_lost() -> None:
    before = {"a.py": "from b import f\nfrom c import g\n", "b.py": "def f():\n    pass\n", "c.py": "g = 1\n"}
    assert lost_imports(before, before) == (2, [])
    assert lost_imports(before, {**before, "b.py": "def h():\n    pass\n"}) == (1, ["a.py: b.f"])


def test_a_project_is_counted() -> None:
    found = score({"train.py": TRAIN, "notes.py": "x = 1\n", "bad.py": None}, XLA)
    assert (found.files, found.relevant, found.ended["migrated"], found.ended["unreadable"]) == (3, 1, 1, 1)
    assert found.sites == {"rewritten": 2}
    assert json.loads(json.dumps(found.plain()))["loops"]["found"] == {"optimizer built in the file": 1}
    assert (found.compiled, found.loops.complete, found.broken) == (1, 1, {})
