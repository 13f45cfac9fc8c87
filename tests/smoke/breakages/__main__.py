"""`python -m tests.smoke.breakages [NAME ...] [--backend oracle] [--third 0|1|2] [--write]`: runs them, prints what
came of each.

A third of both lists, chosen by a digest of the names, is kept apart: what the verdict makes of it is counted once,
when the rest is as it should be.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codemods.kit.targets import XLA
from migrate import migrate
from migrate.smoke.judgement import Verdict
from migrate.smoke.proof import Options, prove
from migrate.smoke.run import Limits
from tests.smoke.breakages.harmless import HARMLESS
from tests.smoke.breakages.plants import PLANTS, UNSEEN
from tests.smoke.breakages.programs import PROGRAMS, text_of

PAGE = Path(__file__).parents[3] / "docs" / "smoke.md"
BEGIN, END = "<!-- breakages: begin -->\n", "<!-- breakages: end -->\n"


@dataclass(frozen=True)
class Change:
    """One change of one migrated program."""

    program: str
    name: str
    old: str
    new: str
    harmless: bool

    @property
    def full_name(self) -> str:
        return f"{self.program}: {self.name}"

    @property
    def third(self) -> int:
        """Which third it belongs to; 0 is the one that is kept apart."""
        return zlib.crc32(self.full_name.encode()) % 3

    def apply(self, text: str) -> str:
        """The changed program. Raises ValueError where there is nothing to change."""
        if self.old not in text:
            raise ValueError(f"{self.full_name}: {self.old!r} is not in the migrated program")
        return text.replace(self.old, self.new)


@dataclass(frozen=True)
class Outcome:
    """What the verdict made of it."""

    change: Change
    verdict: Verdict
    reason: str
    seconds: float

    @property
    def right(self) -> bool:
        """A fault is caught where nothing is called proved; a harmless change, where it is."""
        return (self.verdict is Verdict.PROVED) == self.change.harmless or self.change.full_name in UNSEEN


def changes() -> Iterator[Change]:
    """All of them."""
    for harmless, table in ((False, PLANTS), (True, HARMLESS)):
        for program, rows in table.items():
            yield from (Change(program, *row, harmless) for row in rows)


def check(change: Change, folder: Path, backend: str) -> Outcome:
    """Run the original, or recall what it did, and the changed program."""
    began = time.monotonic()
    place = folder / change.program
    place.mkdir(exist_ok=True)
    script, twin = place / "train.py", folder / "twin.py"
    source = text_of(change.program)
    if not script.exists():
        script.write_text(source, encoding="utf-8")
    twin.write_text(change.apply(migrate(source, target=XLA.name).result), encoding="utf-8")
    options = Options(target=XLA, backend=backend, twin=twin, keep=folder / "kept", limits=Limits(seconds=120))
    found = prove(script, (), options)
    return Outcome(change, found.verdict, next(iter(found.reasons), ""), time.monotonic() - began)


def unchanged(program: str) -> Change:
    """The migrated program as it is."""
    return Change(program, "as it is", "import torch\n", "import torch\n", True)


def table(outcomes: list[Outcome]) -> Iterator[str]:
    """The table of docs/smoke.md: what was found of each program, and what was not."""
    yield "| program | faults caught | of them kept apart | harmless changes proved | of them kept apart |"
    yield "|---|---|---|---|---|"
    for program in (*PROGRAMS, ""):
        cells = []
        for harmless in (False, True):
            own = [
                each for each in outcomes if each.change.harmless is harmless and program in ("", each.change.program)
            ]
            own = [each for each in own if each.change.full_name not in UNSEEN]
            for some in (own, [each for each in own if each.change.third == 0]):
                cells.append(f"{sum(each.right for each in some)} of {len(some)}")
        yield f"| {program or '**all**'} | {' | '.join(cells)} |"
    wrong = [each for each in outcomes if not each.right]
    yield ""
    yield from (f"- {each.change.full_name}: {each.verdict.value}" for each in wrong)
    yield from (f"- {name}: not observable, {reason}" for name, reason in UNSEEN.items())


def main() -> None:
    """Check those that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", help="programs; all by default")
    parser.add_argument("--backend", help="[default: standin for faults, oracle, which rounds, for harmless changes]")
    parser.add_argument("--only", choices=("faults", "harmless"))
    parser.add_argument("--third", type=int, choices=(0, 1, 2), action="append", help="0 is kept apart")
    parser.add_argument("--write", action="store_true", help="write the table of docs/smoke.md")
    arguments = parser.parse_args()
    outcomes = []
    with tempfile.TemporaryDirectory() as name:
        for change in changes():
            wanted = change.program in (arguments.programs or PROGRAMS)
            if arguments.only and change.harmless != (arguments.only == "harmless"):
                continue
            if not wanted or change.third not in (arguments.third or (0, 1, 2)):
                continue
            outcome = check(change, Path(name), arguments.backend or ("oracle" if change.harmless else "standin"))
            outcomes.append(outcome)
            told = f"{'  ' if outcome.right else '!!'} {change.full_name}: {outcome.verdict.value}"
            print(f"{told}: {outcome.reason[:140]} ({outcome.seconds:.0f} s)", flush=True)
    lines = list(table(outcomes))
    print("\n".join(lines))
    if arguments.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + rest.partition(END)[2], encoding="utf-8")
    sys.exit(not all(outcome.right for outcome in outcomes))


if __name__ == "__main__":
    main()
