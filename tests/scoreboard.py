"""The promises over any scripts: `python -m tests.scoreboard PATHS...` (files, or folders searched for .py).

For each target: how files end, outputs whose second run changes something, names the target does not have, and CUDA
constructs left without a note. Exit code 1 when anything is broken.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from codemods.kit.targets import Target
from migrate.files import Unreadable, read
from migrate.migration import Status
from migrate.pipeline import migrate
from tests.cuda_sites import silent_leftovers
from tests.xla_names import check_names

TARGETS = ("smtc", "torch-xla==2.9")


@dataclass
class Score:
    """What happened for one target."""

    ended: Counter[str] = field(default_factory=Counter)
    broken: dict[str, list[str]] = field(default_factory=dict)
    edits: int = 0
    notes: int = 0
    seconds: float = 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    files = sorted({file for path in options.paths for file in ([path] if path.is_file() else path.rglob("*.py"))})
    scores = {target: score(files, Target.parse(target)) for target in TARGETS}
    if options.json:
        print(json.dumps({target: vars(found) for target, found in scores.items()}, indent=1))
    else:
        print_table(scores)
    return 1 if any(found.broken for found in scores.values()) else 0


def score(files: list[Path], target: Target) -> Score:
    """Migrate every file that mentions torch, and hold the result to the promises."""
    found = Score()
    for path in files:
        try:
            source = read(path).text
        except Unreadable:
            found.ended["unreadable"] += 1
            continue
        if "torch" not in source:
            continue
        begin = time.process_time()
        migration = migrate(source, path=str(path), target=target)
        found.seconds += time.process_time() - begin
        found.ended[migration.status.value] += 1
        found.edits += len(migration.changes)
        found.notes += len(migration.notes)
        for what, trouble in problems(migration, target):
            found.broken.setdefault(what, []).append(f"{path}: {trouble}")
    return found


def problems(migration, target: Target):  # type: ignore[no-untyped-def]
    """Each promise a migration breaks, with the detail."""
    if migration.status is Status.FAILED:
        yield "failed", migration.reason
    if migration.status is Status.MIGRATED:
        if names := check_names(migration.result, target):
            yield "names that do not exist", names[0]
        if migrate(migration.result, target=target).result != migration.result:
            yield "second run changes it", ""
    if migration.status in (Status.MIGRATED, Status.UNCHANGED) and (left := silent_leftovers(migration)):
        yield "silent leftovers", str(left[0])


def print_table(scores: dict[str, Score]) -> None:
    for target, found in scores.items():
        ended = ", ".join(f"{count} {how}" for how, count in sorted(found.ended.items()))
        print(f"{target}: {ended}; {found.edits} edits, {found.notes} notes; {found.seconds:.1f} CPU s")
        for what, where in sorted(found.broken.items()):
            print(f"  {what}: {len(where)}")
            for line in where:
                print(f"    {line}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
