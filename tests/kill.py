"""Kill runs of `tc-migrate --write` at random points and look at every file: the original or the finished result.

    python -m tests.kill --files 2000 --kills 50            kill -9; figures in docs/reliability.md
    python -m tests.kill --files 2000 --kills 50 -- -j 2    with more words for tc-migrate

A run that was killed is followed by the next one over what it left; when most files are finished they are put back. The
tool must not be edited meanwhile. With TMPDIR=/dev/shm it is quicker: fsync costs nothing there.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from migrate.migration import Status
from tests.goldens import cases

HOUSE = Path(__file__).parent.parent
LONGEST = 25
"""Lines of a script: short ones, so that much of a run is writing."""


@dataclass
class Trial:
    """A folder of scripts, what they are and what they become."""

    folder: Path
    words: tuple[str, ...] = ()
    """More words for tc-migrate."""
    originals: dict[str, bytes] = field(default_factory=dict)
    finished: dict[str, bytes] = field(default_factory=dict)

    def prepare(self, files: int) -> float:
        """Write the scripts, migrate them once undisturbed, put them back. Seconds that the writing took."""
        found = [case for case in cases() if case.source.count("\n") <= LONGEST and case.project is None]
        found = [case for case in found if case.migrated("smtc").status is Status.MIGRATED]
        for number in range(files):
            text = found[number % len(found)].source
            end = "" if text.endswith("\n") else "\n"
            self.originals[f"part{number % 10}/script{number}.py"] = f"{text}{end}# {number}\n".encode()
        self.put_back()
        process = self.start()
        self.wait_for_writes(process)
        began = time.monotonic()
        process.wait()
        took = time.monotonic() - began
        self.finished = self.read()
        self.put_back()
        return took

    def put_back(self) -> None:
        """Every file as it was."""
        for name, data in self.originals.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def read(self) -> dict[str, bytes]:
        """The scripts as they are now."""
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in self.folder.rglob("*.py")
                if ".tc-migrate-" not in str(path.relative_to(self.folder))}  # fmt: skip

    def start(self) -> subprocess.Popen[bytes]:
        """A run of tc-migrate, in a process group of its own."""
        words = [sys.executable, "-m", "migrate.cli", "--write", *self.words, str(self.folder)]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(words, cwd=HOUSE, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)

    def wait_for_writes(self, process: subprocess.Popen[bytes], many: int = 1) -> None:
        """Until so many files have changed or the run ends."""
        names = sorted(self.originals)
        before = {name: (self.folder / name).stat().st_ino for name in names}
        while process.poll() is None:
            if sum((self.folder / name).stat().st_ino != before[name] for name in names) >= many:
                return
            time.sleep(0.002)

    def broken(self) -> list[str]:
        """Files that are neither what they were nor what they become, that are gone, or that are new."""
        now = self.read()
        wrong = [name for name, data in now.items() if data not in (self.originals.get(name), self.finished.get(name))]
        return wrong + sorted(self.originals.keys() - now.keys())

    def written(self) -> int:
        """How many files are finished."""
        return sum(data == self.finished[name] != self.originals[name] for name, data in self.read().items())

    def leftovers(self) -> list[Path]:
        """Unfinished files of killed runs."""
        return list(self.folder.rglob(".tc-migrate-*"))


def kill_runs(trial: Trial, kills: int, chance: random.Random) -> tuple[int, int, list[str]]:
    """Kill so many runs: how many were killed while they wrote, how many left something, and what is broken."""
    amid = left = 0
    broken: list[str] = []
    for number in range(kills):
        before = trial.written()
        process = trial.start()
        if number % 5:
            # By what it has done, not by the clock: the next run may be slower or faster.
            trial.wait_for_writes(process, chance.randint(1, len(trial.originals) - before - 1))
        else:
            time.sleep(chance.uniform(0, 2))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        broken += trial.broken()
        left += bool(trial.leftovers())
        after = trial.written()
        amid += before < after < len(trial.originals)
        if after > len(trial.originals) * 3 // 4:
            trial.put_back()
    trial.start().wait()
    return amid, left, broken + trial.broken() + [str(path) for path in trial.leftovers()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.kill", description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("words", nargs="*", help="more words for tc-migrate, after --")
    given = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="kill-"))
    try:
        trial = Trial(folder, tuple(given.words))
        took = trial.prepare(given.files)
        print(f"{given.files} files; writing them takes {took:.1f} s", flush=True)
        amid, left, broken = kill_runs(trial, given.kills, random.Random(given.seed))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{given.kills} runs killed, {amid} of them while they wrote; {left} left unfinished files, all swept away")
    print(f"{len(broken)} files broken: {broken[:10]}" if broken else "every file was the original or the result")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
