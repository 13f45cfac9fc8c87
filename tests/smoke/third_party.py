"""Other people's scripts, migrated and proved: `python -m tests.smoke.third_party FOLDER [--only WORD] [--write]`.

FOLDER holds the repositories of `third_party_scripts.SOURCES`, one folder each, unpacked at the commit named there;
nothing in them is changed and none of it is part of this repository. Each script runs a few steps twice: the original
on the CUDA stand-in, the migrated one on the real torch_xla of its target, both on the CPU and with the same torch.
All files of a script's project are migrated, as `tc-migrate FOLDER` would. `--write` puts the rows of what ran into
docs/scoreboard.md. Exit code 1 when a script that is expected to be proved is not.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from codemods.kit.targets import Target
from migrate.files import read_text
from migrate.migration import Migration, Status
from migrate.project import migrate_project
from migrate.smoke.compare import Comparison, compare, measured_tolerance
from migrate.smoke.environments import provision
from migrate.smoke.proof import DISTURBANCE
from migrate.smoke.record import Run, Side
from migrate.smoke.run import Job, Launch, Limits, run
from tests.smoke.third_party_scripts import ENTRIES, SOURCES, Entry

TARGETS = {"torch-xla": ("torch-xla==2.9", Side.XLA, "2.9"), "smtc": ("smtc", Side.SMTC, "2.1")}
"""Target, what the script is then, and the torch_xla that runs it."""

PAGE = Path(__file__).parents[2] / "docs" / "scoreboard.md"
HEADER = (
    "| script | target | steps | largest loss difference | gradient | graphs per step: compiled, executed | verdict |"
)


@dataclass(frozen=True)
class Result:
    """What came of one script for one target."""

    entry: Entry
    target: str
    migrations: Mapping[Path, Migration]
    original: Run | None = None
    migrated: Run | None = None
    comparison: Comparison | None = None
    measured: bool = False
    """Whether the tolerance was measured by a third run, since the usual one was not enough."""

    @property
    def proved(self) -> bool:
        """Whether both ran and trained the same; a training without a gradient shows nothing."""
        return self.comparison is not None and self.comparison.same and not self.idle

    @property
    def idle(self) -> bool:
        """Whether every gradient of the original was zero."""
        gradients = self.original.first.gradients if self.original is not None else ()
        return bool(gradients) and not any(gradients)

    @property
    def verdict(self) -> str:
        """One sentence; the first thing that went wrong."""
        if self.proved:
            return "proved, by the measured tolerance" if self.measured else "proved"
        if self.comparison is None:
            return "; ".join(item.reason for item in self.migrations.values() if item.reason) or "nothing to migrate"
        for run_, who in ((self.original, "original"), (self.migrated, "migrated")):
            if run_ is not None and not run_.ok:
                return f"{who}: {run_.reason or run_.ending.value}"
        if self.comparison.same:
            return "runs, which is all it shows: every gradient of the original is zero"
        return "diverged: " + self.comparison.reasons[0]


def main() -> int:
    """Run the scripts that were asked for and print a line for each as it ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", default=[""], help="scripts whose repository, path or target contains one")
    parser.add_argument("--packages", default="", help="a folder with the packages that scripts need beside torch")
    parser.add_argument("--write", action="store_true", help="write docs/scoreboard.md")
    parser.add_argument("--verbose", action="store_true", help="show what the scripts printed, and how they differ")
    options = parser.parse_args()
    results = []
    for entry in ENTRIES:
        for target in entry.targets:
            if not any(word in f"{entry.source}/{entry.path} {entry.arguments} {target}" for word in options.only):
                continue
            result = prove(entry, target, options.folder, options.packages)
            results.append(result)
            print(row(result), flush=True)
            if options.verbose:
                print(explain(result), flush=True)
    if options.write:
        PAGE.write_text(update(PAGE.read_text(encoding="utf-8"), [row(result) for result in results]), encoding="utf-8")
    return 0 if all(result.proved or result.entry.remark for result in results) else 1


def prove(entry: Entry, target: str, folder: Path, packages: str) -> Result:
    """Migrate one script with its project, run both and compare."""
    name, side, version = TARGETS[target]
    environment = provision(version, output=sys.stderr.fileno())
    with tempfile.TemporaryDirectory(prefix="third-party-") as scratch:
        root = Path(scratch) / entry.source
        shutil.copytree(folder / entry.source / entry.root, root, ignore=shutil.ignore_patterns(".git"))
        entry.prepare(root, environment.python)
        migrations = migrate_folder(root, Target.parse(name))
        replaced = {path: item.result for path, item in migrations.items() if item.status is Status.MIGRATED}
        script = Path(entry.path).relative_to(entry.root)
        if script not in replaced:
            return Result(entry, target, {script: migrations[script]})
        limits = Limits(seconds=entry.seconds, steps=entry.steps)
        arguments = tuple(entry.arguments.split())
        common = {"arguments": arguments, "root": root, "limits": limits, "fake_data": True}
        common["variables"] = {"PYTHONPATH": packages} if packages else {}
        native = Job(root / script, Side.CUDA, environment, **common)
        original = run(native)
        text = replaced.get(script, "")
        launch = Launch.MP_FN if side is Side.SMTC and re.search(r"^def _mp_fn\(", text, re.M) else Launch.MAIN
        migrated = run(Job(root / script, side, environment, replaced=replaced, launch=launch, **common))
        comparison, measured = compare(original, migrated), False
        if original.ok and migrated.ok and not comparison.same:
            # How far rounding alone carries this training.
            tolerance = measured_tolerance(original, run(replace(native, perturb=DISTURBANCE)))
            comparison, measured = compare(original, migrated, tolerance), True
        return Result(entry, target, migrations, original, migrated, comparison, measured)


def migrate_folder(root: Path, target: Target) -> dict[Path, Migration]:
    """Every Python file of a project, migrated as one program, by its path in it."""
    paths = sorted(root.rglob("*.py"))
    texts = {path.relative_to(root).as_posix(): text for path in paths if (text := read_text(path)) is not None}
    return {Path(path): migration for path, migration in migrate_project(texts, target=target)}


def row(result: Result) -> str:
    """One row of the table."""
    repository, commit = SOURCES[result.entry.source]
    script = f"[{repository}/{result.entry.path}](https://github.com/{repository}/blob/{commit}/{result.entry.path})"
    arguments = f" `{result.entry.arguments}`" if result.entry.arguments else ""
    run_, comparison = result.migrated, result.comparison
    ran = run_ is not None and run_.ok and comparison is not None
    steps = "-"
    if run_ is not None and run_.ok:
        steps = " + ".join(map(str, run_.first.steps)) or "none: updates by hand"
    verdict = f"**{result.verdict}**" if result.proved else result.verdict.replace("|", "\\|")
    cells = (
        f"{script} {commit[:7]}{arguments}",
        result.target,
        steps,
        f"{comparison.loss_difference:.1e}" if ran and comparison else "-",
        f"{comparison.gradient_difference:.1e}" if ran and comparison else "-",
        graphs(run_) if run_ is not None else "-",
        f"{verdict}. {result.entry.remark}" if result.entry.remark else verdict,
    )
    return "| " + " | ".join(cells) + " |"


def graphs(ran: Run) -> str:
    """Graphs compiled and executed in the usual late step."""
    late = ran.first.late_graphs
    if not late:
        return "-"
    return f"{statistics.median_low(s.compiled for s in late)}, {statistics.median_low(s.executed for s in late)}"


def update(page: str, rows: list[str]) -> str:
    """The page with these rows in the place of older ones for the same script and target, or at the table's end."""

    def key(line: str) -> str:
        return "|".join(line.split("|")[1:3])

    before, rest = page.split(HEADER + "\n", 1)
    rule, *lines = rest.split("\n")
    end = next((index for index, line in enumerate(lines) if not line.startswith("|")), len(lines))
    table = {key(line): line for line in lines[:end]} | {key(line): line for line in rows}
    return before + "\n".join([HEADER, rule, *(table[name] for name in sorted(table)), *lines[end:]])


def explain(result: Result) -> str:
    """Everything one wants to see when a proof failed."""
    parts = list(result.comparison.reasons) if result.comparison else []
    for ran in (result.original, result.migrated):
        if ran is not None:
            losses = [f"{value:.7g}" for _, value in ran.first.losses][:8]
            counters = {name: value for name, value in ran.first.counters.items() if name.startswith("aten::")}
            parts += [f"--- {ran.side.value} {ran.ending.value} {ran.seconds:.0f} s, losses {losses} {counters or ''}"]
            parts += [ran.output[-700:]] if not result.proved else []
    return "\n".join(parts)


if __name__ == "__main__":
    raise SystemExit(main())
