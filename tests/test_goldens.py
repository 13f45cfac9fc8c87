"""Every golden comes out as written down, and the promises hold over all of them."""

from __future__ import annotations

import ast
import re

import pytest

from migrate.migration import Status
from migrate.registry import ALL
from tests.cuda_sites import silent_leftovers
from tests.goldens import ROOT, TARGETS, Case, bless, cases, is_output, judged_programs, notes_text, read_text
from tests.visits import Visit
from tests.xla_names import check_names

CASES = cases()
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
VISIT = Visit()
XLA_NAME = re.compile(r"\b(?:xm|xmp|xr|pl|met|syncfree|torch_xla)\.[A-Za-z_][\w.]*\w")


@EACH
def test_comes_out_as_written_down(case: Case, blessing: bool) -> None:
    if blessing:
        bless(case)
    for target in TARGETS:
        migration = case.migrated(target)
        assert migration.status is not Status.FAILED, migration.reason + "\n" + migration.traceback
        assert migration.result == case.expected(target), f"{target} differs"
    assert notes_text(case) == (read_text(case.notes) if case.notes.exists() else "")


@VISIT.for_each_target
def compiles(case: Case, target: str) -> None:
    migration = case.migrated(target)
    if migration.status is Status.MIGRATED:
        compile(migration.result.removeprefix("\ufeff"), case.id, "exec", dont_inherit=True)
        ast.parse(migration.result.removeprefix("\ufeff"), feature_version=TARGETS[target].python)


@VISIT.for_each_target
def second_run_changes_nothing(case: Case, target: str) -> None:
    assert case.again(target).result == case.migrated(target).result


@VISIT.for_each_target
def every_torch_xla_name_exists(case: Case, target: str) -> None:
    migration = case.migrated(target)
    if migration.status is Status.MIGRATED:
        assert check_names(migration.result, TARGETS[target]) == []


@VISIT.for_each_target
def every_change_is_reported(case: Case, target: str) -> None:
    migration = case.migrated(target)
    assert bool(migration.changes) == (migration.result != migration.source) or not migration.changes


@VISIT.for_each_target
def messages_name_what_is_there(case: Case, target: str) -> None:
    """What is said of the result is in it. What a note advises stands behind its first colon, or is its advice."""
    migration = case.migrated(target)
    said = [(each.rule, each.line, each.message) for each in migration.changes]
    said += [(each.rule, each.line, each.message.partition(": ")[0]) for each in migration.notes]
    wrong = [(*where, name) for *where, text in said for name in XLA_NAME.findall(text)
             if name.rpartition(".")[2] not in migration.result]  # fmt: skip
    assert wrong == []


@VISIT.for_each_target
def nothing_of_cuda_is_left_silently(case: Case, target: str) -> None:
    migration = case.migrated(target)
    if case.alone is ALL and migration.status in (Status.MIGRATED, Status.UNCHANGED):
        assert silent_leftovers(migration) == []


@EACH
def test_keeps_every_promise(case: Case) -> None:
    VISIT.of(case)


def test_no_stray_files() -> None:
    sources = {case.path for case in CASES}
    expected = {program.file for program in judged_programs()}
    expected |= {case.output(target) for case in CASES for target in TARGETS} | {case.notes for case in CASES}
    strays = [
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and path not in sources
        and path not in expected
        and "__pycache__" not in path.parts
        and path.parent.name != "notebooks"  # tests/test_notebooks.py looks after them
    ]
    assert strays == []
    assert all(path in expected for path in ROOT.rglob("*.py") if is_output(path))
