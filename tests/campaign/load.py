"""A campaign over many repositories that is killed again and again: is each accounted for, is one pushed twice?

    python -m tests.campaign.load 200 --kills 12

Each run is ended with SIGKILL, its whole process group at once, at a random moment; the next goes on. The last is left
to come to its end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bot.repositories import git
from tests.campaign.fleet import BRANCH, Member, make_fleet, pushes


@dataclass
class Figures:
    """What came of it."""

    repositories: int
    kills: int = 0
    again: int = 0
    """Repositories that were worked on more than once, because a kill came before it was noted."""
    wrong: list[str] = field(default_factory=list)
    """What is not as it has to be."""
    standings: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def __str__(self) -> str:
        standings = ", ".join(f"{number} {standing}" for standing, number in self.standings.most_common())
        return (
            f"{self.repositories} repositories, {self.kills} kills, in {self.seconds:.0f} s "
            f"({60 * self.repositories / self.seconds:.0f} a minute): {standings}; "
            f"{self.again} worked on again, {len(self.wrong)} wrong"
        )


def run(folder: Path, size: int, kills: int, seed: int = 0) -> Figures:
    """Make the repositories, kill, count."""
    chance, members = random.Random(seed), make_fleet(folder / "repositories", size)
    listed = folder / "list"
    listed.write_bytes(b"".join(os.fsencode(member.path) + b"\n" for member in members))
    words = ["xla", "--push", "--folder", str(folder / "campaigns"), "--format", "json"]
    figures, begun = Figures(size), time.monotonic()
    told: Counter[str] = Counter()
    for number in range(kills):
        # Some come while it starts, most while it works.
        lines = 0 if number % 4 == 0 else chance.randint(1, max(2 * size // kills, 2))
        told += _run_and_kill([*words, "--repos-file", str(listed)], lines, chance.uniform(0.0, 1.5))
        figures.kills += 1
    last = subprocess.run(
        [sys.executable, "-m", "migrate.cli", "campaign", *words, "--repos-file", str(listed)], capture_output=True
    )
    figures.seconds = time.monotonic() - begun
    figures.again = sum(count > 1 for count in told.values())
    _judge(members, json.loads(last.stdout)["repositories"], figures)
    if last.returncode != 2:
        figures.wrong.append(f"exit code {last.returncode}: {last.stderr[-1000:]!r}")
    return figures


def _run_and_kill(words: list[str], lines: int, seconds: float) -> Counter[str]:
    """Let it work until it has told of so many repositories and so many seconds more. Those it told of."""
    process = subprocess.Popen(
        [sys.executable, "-m", "migrate.cli", "campaign", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr is not None
    told: Counter[str] = Counter()
    timer = threading.Timer(seconds, _kill, (process,))
    if not lines:
        timer.start()
    for line in process.stderr:
        told[line.split(b"] ", 1)[-1].split(b": ")[0].decode()] += 1
        if told.total() == lines:
            timer.start()
    timer.cancel()
    process.wait()
    return told


def _kill(process: subprocess.Popen[bytes]) -> None:
    """All of it that belongs together, with no time for anything."""
    os.killpg(process.pid, signal.SIGKILL)


def _judge(members: list[Member], rows: list[dict[str, Any]], figures: Figures) -> None:
    figures.standings.update(row["standing"] for row in rows)
    if len(rows) != len(members):
        figures.wrong.append(f"{len(rows)} repositories of {len(members)} are accounted for")
    for member, row in zip(members, rows, strict=False):
        figures.wrong += [f"{member.path.name}: {each}" for each in _faults(member, row)]


def _faults(member: Member, row: dict[str, Any]) -> list[str]:
    """What is not as it has to be with one repository."""
    found = []
    if row["standing"] != member.expected:
        found.append(f"{row['standing']} instead of {member.expected} ({row['reason']})")
    if (member.path / "fired").exists():
        found.append("a program of its own was run")
    if member.kind == "work tree" and (member.path / "train.py").read_text() != "unsaved = True\n":
        found.append("its working tree was touched")
    if member.expected == "pushed":
        held = git(member.path, "cat-file", "blob", f"{BRANCH}:train.py") + b"\n"
        if held != member.result:
            found.append("its branch holds something else")
    if len(pushes(member)) != (member.expected in ("pushed", "edited")):
        found.append(f"its branch was moved {len(pushes(member))} times")
    return found


def main() -> None:
    """Measure, and say it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", type=int, nargs="?", default=200)
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = run(Path(folder), given.size, given.kills, given.seed)
    print(figures, *figures.wrong, sep="\n")
    sys.exit(bool(figures.wrong))


if __name__ == "__main__":
    main()
