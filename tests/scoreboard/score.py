"""One project, migrated for one target and held to the promises."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from codemods.kit.links import Links
from codemods.kit.targets import Target
from migrate.migration import Migration, Status
from migrate.modernise import modernise
from migrate.pipeline import migrate
from migrate.project import link, migrate_project
from tests.cuda_sites import cuda_sites, silent_leftovers
from tests.scoreboard.texts import lost_imports, parsed
from tests.scoreboard.training import Training, judge
from tests.xla_names import check_names


@dataclass
class Score:
    """What happened to one project, or to all of them, for one target."""

    files: int = 0
    relevant: int = 0
    """Files that mention torch; the counts below are of these."""
    ended: Counter[str] = field(default_factory=Counter)
    """By status."""
    edits: int = 0
    notes: int = 0
    compiled: int = 0
    """Results that compile."""
    sites: Counter[str] = field(default_factory=Counter)
    """Constructs of CUDA in the sources: rewritten, noted, silent, or in a file that is refused or skipped."""
    loops: Training = field(default_factory=Training)
    imports: int = 0
    """Imports from files of the project that resolve in the results."""
    broken: dict[str, list[str]] = field(default_factory=dict)
    """Promises that were broken, with where."""
    seconds: float = 0.0
    """CPU time of the migration alone."""

    def add(self, other: Score, project: str) -> None:
        """Count another project in."""
        for name in ("files", "relevant", "edits", "notes", "compiled", "imports", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.ended += other.ended
        self.sites += other.sites
        self.loops.add(other.loops)
        for what, where in other.broken.items():
            self.broken.setdefault(what, []).extend(f"{project}/{each}" for each in where)

    def plain(self) -> dict[str, object]:
        """The score as JSON has it."""
        return {**vars(self), "loops": vars(self.loops)}  # `asdict` makes counts of a Counter's pairs


def score(project: Mapping[str, str | None], target: Target) -> Score:
    """Migrate every file of a project and hold what comes out to the promises."""
    texts = {path: text for path, text in project.items() if text is not None}
    found = Score(files=len(project))
    found.ended["unreadable"] += len(project) - len(texts)
    begin = time.process_time()
    migrations = dict(migrate_project(texts, target=target))
    found.seconds = time.process_time() - begin
    results = {path: migration.result for path, migration in migrations.items()}
    before, again = link(texts), link(results)
    for path, migration in migrations.items():
        if "torch" not in texts[path]:
            continue
        found.relevant += 1
        found.ended[migration.status.value] += 1
        found.edits += len(migration.changes)
        found.notes += len(migration.notes)
        found.compiled += _compiles(migration.result)
        found.sites += _sites(migration)
        training = judge(migration, before.links(path), again.links(path), target, results)
        found.loops.add(training)
        for what, trouble in [*_problems(migration, target, again.links(path)), *(("loops", x) for x in training.lost)]:
            found.broken.setdefault(what, []).append(trouble if what == "loops" else f"{path}: {trouble}")
    found.imports, lost = lost_imports(texts, results)
    if lost:
        found.broken["imports"] = lost
    return found


def _problems(migration: Migration, target: Target, links: Links) -> Iterator[tuple[str, str]]:
    """Each promise a migration breaks, with the detail. `links`: what the migrated others say about it."""
    if migration.status is Status.FAILED:
        yield "failed", migration.reason
    if migration.status is Status.MIGRATED:
        if not _compiles(migration.result):
            yield "does not compile", ""
        if names := check_names(migration.result, target):
            yield "names that do not exist", names[0]
        if migrate(migration.result, target=target, links=links).result != migration.result:
            yield "second run changes it", ""
    if migration.status in (Status.MIGRATED, Status.UNCHANGED) and (left := silent_leftovers(migration)):
        yield "silent leftovers", str(left[0])


def _sites(migration: Migration) -> Counter[str]:
    """Constructs of CUDA in the source, by what became of them."""
    source = migration.source if parsed(migration.source) is not None else modernise(migration.source)[0]
    if parsed(source) is None:
        return Counter()
    before = len(cuda_sites(source))
    if migration.status in (Status.REFUSED, Status.SKIPPED):
        return Counter(refused=before)
    left, silent = len(cuda_sites(migration.result)), len(silent_leftovers(migration))
    return Counter(rewritten=max(before - left, 0), noted=left - silent, silent=silent)


def _compiles(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source.removeprefix("\ufeff"), "<migrated>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True
