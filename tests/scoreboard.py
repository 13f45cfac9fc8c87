"""The promises over any scripts: `python -m tests.scoreboard PATHS...` (files, or folders: each is one project).

For each target: how files end, outputs whose second run changes something, names the target does not have, and CUDA
constructs left without a note. Exit code 1 when anything is broken.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from codemods.kit.links import Links
from codemods.kit.targets import Target
from migrate.files import read_text
from migrate.migration import Migration, Status
from migrate.pipeline import migrate
from migrate.project import link, migrate_project
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
    projects = [sources(path) for path in options.paths]
    scores = {target: score(projects, Target.parse(target)) for target in TARGETS}
    if options.json:
        print(json.dumps({target: vars(found) for target, found in scores.items()}, indent=1))
    else:
        print_table(scores)
    return 1 if any(found.broken for found in scores.values()) else 0


def sources(path: Path) -> dict[str, str | None]:
    """The texts of a project, or of a single script, by path; None for what cannot be read."""
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    root = path.parent if path.is_file() else path
    return {file.relative_to(root).as_posix(): read_text(file) for file in files}


def score(projects: list[dict[str, str | None]], target: Target) -> Score:
    """Migrate every file that mentions torch, each with its project, and hold the results to the promises."""
    found = Score()
    for project in projects:
        texts = {path: text for path, text in project.items() if text is not None}
        found.ended["unreadable"] += len(project) - len(texts)
        begin = time.process_time()
        migrations = dict(migrate_project(texts, target=target))
        found.seconds += time.process_time() - begin
        again = link({path: migration.result for path, migration in migrations.items()})
        for path, migration in migrations.items():
            if "torch" not in texts[path]:
                continue
            found.ended[migration.status.value] += 1
            found.edits += len(migration.changes)
            found.notes += len(migration.notes)
            for what, trouble in problems(migration, target, again.links(path)):
                found.broken.setdefault(what, []).append(f"{path}: {trouble}")
    return found


def problems(migration: Migration, target: Target, links: Links) -> Iterator[tuple[str, str]]:
    """Each promise a migration breaks, with the detail. `links`: what the migrated others say about it."""
    if migration.status is Status.FAILED:
        yield "failed", migration.reason
    if migration.status is Status.MIGRATED:
        if names := check_names(migration.result, target):
            yield "names that do not exist", names[0]
        if migrate(migration.result, target=target, links=links).result != migration.result:
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
