"""Compose training programs, migrate them, judge the migrations, print the figures.

    python -m tests.generate singles                   each choice by itself
    python -m tests.generate pairwise                  every two values together, original and migrated both run
    python -m tests.generate smallest                  those of the page: which faults are still there?
    python -m tests.generate random --count 1000 --seed 5
    python -m tests.generate random --static           milliseconds each: what can be seen without running
    python -m tests.generate show "device=index order=optimizer_first"    the files, migrated, and the judgement
    python -m tests.generate shrink "..."              the smallest program of the same fault
    python -m tests.generate metamorphic --count 200   do equivalent spellings give the same migration?
    python -m tests.generate report --journal FILE     the figures as Markdown

`--journal FILE` remembers what was judged, a line each: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from codemods.kit.targets import Target
from tests.generate import metamorphic, report
from tests.generate.compose import compose
from tests.generate.grammar import Vector, pairwise, parse, random_vector, singles, spell
from tests.generate.journal import Journal
from tests.generate.running import Runner, write
from tests.generate.shrink import shrink
from tests.generate.verdict import judge, migrate

PAGE = Path(__file__).parents[2] / "docs" / "strangers.md"


def vectors(words: argparse.Namespace) -> Iterator[Vector]:
    """The vectors of a campaign."""
    if words.what == "random":
        chance = random.Random(words.seed)
        yield from (random_vector(chance, words.density) for _ in range(words.count or 100))
    else:
        found = {"pairwise": lambda: pairwise(words.seed), "singles": lambda: list(singles()), "smallest": smallest}
        yield from found[words.what]()[: words.count or None]


def smallest() -> list[Vector]:
    """The programs that the page lists, each the smallest of a fault that was found."""
    return [parse(text) for text in re.findall(r"(?m)\| `([a-z_]+=[^`]*)` \|$", PAGE.read_text(encoding="utf-8"))]


def campaign(words: argparse.Namespace, target: Target, runner: Runner | None) -> int:
    """Judge one program after the other until the time is up. The number of silent faults."""
    journal = Journal(words.journal)
    until = time.monotonic() + words.seconds
    for vector in vectors(words):
        if time.monotonic() > until:
            print("stopped: the time is up")
            break
        if spell(vector) in journal:
            continue
        judgement = judge(vector, target, runner)
        journal.add(judgement)
        if judgement.outcome in ("silent, wrong", "invalid"):
            print(f"{judgement.outcome}: {judgement.invalid or judgement.faults[0]}\n    {spell(vector)}", flush=True)
    print(report.figures(journal.judgements))
    return sum(judgement.outcome == "silent, wrong" for judgement in journal.judgements)


def show(vector: Vector, target: Target, runner: Runner | None, folder: Path | None) -> int:
    """Print a program, its migration and the judgement; write both into a folder where one is named."""
    migrated = migrate(compose(vector), target)
    for path, migration in migrated.migrations.items():
        print(f"# --- {path}\n{migration.source}\n# --- {path}, migrated\n{migration.result}")
        for note in migration.notes:
            print(f"# {path}:{note.line}: {note.severity.value} {note.rule}: {note.message}")
    if folder is not None:
        write(folder, migrated.original)
    judgement = judge(vector, target, runner)
    print(f"# {judgement.outcome}", *judgement.faults, *judgement.details, judgement.invalid, sep="\n# ")
    return judgement.outcome != "right"


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.generate", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "what", choices=["singles", "smallest", "pairwise", "random", "show", "shrink", "metamorphic", "report"]
    )
    parser.add_argument("vector", nargs="?", default="", help="of `show` and `shrink`: what is not the simplest")
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--density", type=float, default=0.0, help="of `random`: the share of choices not the simplest")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="when to stop")
    parser.add_argument("--target", default="torch-xla==2.9")
    parser.add_argument("--static", action="store_true", help="run nothing")
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--write", type=Path, help="of `show` and `shrink`: a folder for the program")
    words = parser.parse_intermixed_args()
    target = Target.parse(words.target)
    if words.what == "report":
        print(report.figures(Journal(words.journal).judgements, by_dimension=True))
        return 0
    if words.what == "metamorphic":
        return metamorphic.campaign(words.count or 100, words.seed, target)
    runner = None if words.static else Runner()
    try:
        if words.what in ("show", "shrink"):
            vector = parse(words.vector)
            if words.what == "shrink":
                vector = shrink(vector, lambda vector, wanted: judge(vector, target, runner, wanted))
                print(f"# {spell(vector)}")
            return show(vector, target, runner, words.write)
        return 1 if campaign(words, target, runner) else 0
    finally:
        if runner is not None:
            runner.close()


if __name__ == "__main__":
    sys.exit(main())
