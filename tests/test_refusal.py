"""A script that stands on a library which splits the model is refused whole; one under a trainer is edited little."""

from __future__ import annotations

from codemods.kit.rules import Severity
from codemods.kit.targets import SMTC
from migrate.migration import Status
from migrate.pipeline import migrate
from migrate.registry import Selection
from tests.goldens import ROOT, read_text

SHARDED = read_text(ROOT / "unsupported" / "fsdp.py")
OPTIONAL = read_text(ROOT / "unsupported" / "optional_deepspeed.py")
DRIVEN = read_text(ROOT / "unsupported" / "accelerate_loop.py")


def test_a_sharded_script_is_refused_with_one_reason() -> None:
    migration = migrate(SHARDED, target=SMTC)
    assert migration.status is Status.REFUSED
    assert migration.result == migration.source
    assert migration.reason == "stands on FullyShardedDataParallel"
    assert [(note.rule, note.line, note.severity) for note in migration.notes] == [("TC901", 2, Severity.ERROR)]
    assert migration.changes == ()


def test_who_ignores_the_rule_is_not_refused() -> None:
    migration = migrate(SHARDED, target=SMTC, select=Selection(ignore=frozenset({"TC901"})))
    assert migration.status is Status.MIGRATED


def test_an_option_does_not_refuse_the_script() -> None:
    migration = migrate(OPTIONAL + "\nmodel = wrap(args, torch.nn.Linear(2, 2).cuda())\n", target=SMTC)
    assert migration.status is Status.MIGRATED
    assert "cuda" not in migration.result
    assert {note.rule for note in migration.notes} >= {"TC902"}


def test_only_cuda_calls_are_rewritten_under_a_trainer() -> None:
    migration = migrate(DRIVEN + "    torch.cuda.empty_cache()\n", target=SMTC)
    assert "optimizer.step()" in migration.result
    assert "torch.save(" in migration.result
    assert "empty_cache" not in migration.result
