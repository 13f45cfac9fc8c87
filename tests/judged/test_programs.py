"""Reduced programs that were once migrated wrong without a word: each is mended now, or said at its line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codemods.kit.rules import Severity
from codemods.kit.targets import Target
from migrate.engine.certificate import Standing
from migrate.engine.judge import judge
from migrate.project import migrate_project

HERE = Path(__file__).parent
EXPECTED: dict[str, dict[str, dict[str, Any]]] = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
"""By program and target. `said`: a rule or an obligation, `path:line` of the original, words of the message. `quiet`:
the same, which must not be said. `has` and `lacks`: a file and text of its migration. `again`: a second migration
changes nothing. `open`: why it is not right yet."""
TARGETS = ("torch-xla==2.9", "smtc")


def cases() -> Iterator[Any]:
    for name, targets in EXPECTED.items():
        for target, expected in targets.items():
            marks = [pytest.mark.xfail(reason=expected["open"], strict=True)] if "open" in expected else []
            yield pytest.param(name, target, expected, marks=marks, id=f"{name}-{target}")


def is_said(messages: list[tuple[str, str, str]], rule: str, place: str, words: str = "") -> bool:
    return any(one[:2] == (rule, place) and words in one[2] for one in messages)


@pytest.mark.parametrize(("name", "target", "expected"), list(cases()))
def test_it_is_mended_or_said(name: str, target: str, expected: dict[str, Any]) -> None:
    folder = HERE / "programs" / name
    sources = {one.relative_to(folder).as_posix(): one.read_text("utf-8") for one in sorted(folder.rglob("*.py"))}
    migrations = dict(migrate_project(sources, target=Target.parse(target)))
    texts = {path: one.result for path, one in migrations.items()}
    messages = [
        (note.rule, f"{path}:{note.line}", note.message)
        for path, one in migrations.items()
        for note in one.notes
        if note.severity in (Severity.WARNING, Severity.ERROR)
    ]
    for finding in judge(texts, sources, target=Target.parse(target)).findings:
        if finding.standing is not Standing.SHOWN:
            messages.append((finding.obligation, f"{finding.path}:{finding.source_line}", finding.message))
    failed = [f"not said: {one}" for one in expected.get("said", ()) if not is_said(messages, *one)]
    failed += [f"said: {one}" for one in expected.get("quiet", ()) if is_said(messages, *one)]
    failed += [f"{path} lacks {text}" for path, text in expected.get("has", ()) if text not in texts[path]]
    failed += [f"{path} has {text}" for path, text in expected.get("lacks", ()) if text in texts[path]]
    if expected.get("again"):
        second = dict(migrate_project(texts, target=Target.parse(target)))
        failed += [f"{path} changes again" for path, one in second.items() if one.result != texts[path]]
    assert not failed, failed


def test_every_program_is_expected_something_for_each_target() -> None:
    assert set(EXPECTED) == {one.name for one in (HERE / "programs").iterdir() if one.is_dir()}
    for targets in EXPECTED.values():
        assert set(targets) == set(TARGETS)
        assert all(one.keys() & {"said", "has", "lacks"} for one in targets.values())
