"""Migrate any number of foreign files and mutated training scripts, and look whether a promise breaks.

    python -m tests.fuzz files --stdlib FOLDER...     every .py of the standard library and below the folders
    python -m tests.fuzz mutants --count 5000         golden scripts, changed at random (tests/mutants.py)

No pre-filter: each text goes through the whole pipeline, in a process of its own that may die without harm. Files
that name CUDA come first. Exit code 1 when anything was found; what was found is printed, and `--keep FOLDER` keeps the
texts. `--journal FILE` remembers what passed: a run that was stopped goes on where it was, and judges only the findings
again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import sysconfig
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from codemods.kit.targets import Target
from migrate.files import Unreadable, read
from migrate.migration import Status
from migrate.pipeline import migrate
from migrate.registry import codemods
from tests.mutants import mutants
from tests.untouched import CUDA_WORDS, altered_lines, foreign_ends

SECONDS = 240
"""A file that takes longer is a finding."""
PASSES = frozenset({status.value for status in Status if status is not Status.FAILED} | {"unreadable"})
"""How a file may end; everything else is a finding."""


class Verdict(NamedTuple):
    """How a text ended, the particulars, and how much was edited and noted."""

    ending: str
    detail: str
    changes: int = 0
    notes: int = 0


def judge(source: str, target: Target, foreign: bool) -> Verdict:
    """Migrate a text and check what a migration promises of any text; of a foreign one that CUDA is named in it."""
    without_cuda = foreign and not CUDA_WORDS.search(source)
    migration = migrate(source, target=target)
    if migration.status is Status.FAILED:
        return Verdict("failed", migration.reason + "\n" + migration.traceback)
    if without_cuda and migration.result != source:
        return Verdict("changed without CUDA", str(migration.changes[:1]))
    if without_cuda and migration.notes:
        return Verdict("noted without CUDA", str(migration.notes[0]))
    broken = _judge_result(source, migration.result, target) if migration.result != source else None
    return broken or Verdict(migration.status.value, migration.reason, len(migration.changes), len(migration.notes))


def _judge_result(source: str, result: str, target: Target) -> Verdict | None:
    try:
        compile(result.removeprefix("\ufeff"), "<result>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return Verdict("does not compile", str(error))
    again = migrate(result, target=target)
    if again.result != result:
        return Verdict("second run changes", str(again.changes[:1] or again.reason))
    altered = altered_lines(source, result)
    if altered:
        return Verdict("bytes changed outside edits", altered[0])
    ends = foreign_ends(source, result)
    return Verdict("foreign line ends", repr(ends)) if ends else None


def _serve(connection: Connection, target: Target, foreign: bool) -> None:
    """Judge each text that comes in, until None does."""
    codemods()
    while (text := connection.recv()) is not None:
        try:
            connection.send(judge(text, target, foreign))
        except Exception as error:
            connection.send(Verdict(f"raised {type(error).__name__}", traceback.format_exc()))


class Worker:
    """A process that judges texts; when it dies or takes too long the text is to blame, and another one follows."""

    def __init__(self, target: Target, foreign: bool) -> None:
        self.about = (target, foreign)
        self._start()

    def _start(self) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_serve, args=(theirs, *self.about), daemon=True)
        self.process.start()
        theirs.close()

    def judge(self, text: str) -> Verdict:
        """How one text ended."""
        self.connection.send(text)
        try:
            if self.connection.poll(SECONDS):
                return self.connection.recv()  # type: ignore[no-any-return]
            self.process.kill()
            ending = f"over {SECONDS} s"
        except (EOFError, ConnectionError):
            ending = ""
        self.process.join()
        code = self.process.exitcode
        self._start()
        return Verdict(ending or f"killed the process ({code})", "")


def read_files(folders: Iterable[Path], limit: int, seed: int) -> Iterator[tuple[str, str | Unreadable]]:
    """The text of every .py below the folders, or why there is none; those that name CUDA first, each part in an
    order that the seed gives."""
    found = {path for folder in folders for path in folder.rglob("*.py") if path.is_file()}
    # The standard library's folder holds what is installed, too: that is not the same on every machine.
    paths = sorted(path for path in found if "site-packages" not in path.parts)
    random.Random(seed).shuffle(paths)
    paths.sort(key=lambda path: b"cuda" not in path.read_bytes())
    for path in paths[: limit or None]:
        try:
            yield str(path), read(path).text
        except Unreadable as error:
            yield str(path), error


class Journal:
    """The texts that passed, a line each; in a file when there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []
        self.passed: dict[str, tuple[int, Verdict]] = {}
        for name, length, verdict in map(json.loads, lines):
            self.passed[name] = (length, Verdict(*verdict))

    def add(self, name: str, length: int, verdict: Verdict) -> None:
        """Remember a text of so many lines."""
        self.passed[name] = (length, verdict)
        if self.path:
            with self.path.open("a", encoding="utf-8") as file:
                print(json.dumps([name, length, verdict]), file=file)

    def print_counts(self) -> None:
        """How many texts, lines, edits and notes, and how the texts ended."""
        verdicts = [verdict for _, verdict in self.passed.values()]
        lines = sum(length for length, _ in self.passed.values())
        edits, notes = (sum(verdict[place] for verdict in verdicts) for place in (2, 3))
        print(f"passed: {len(verdicts)} texts, {lines} lines, {edits} edits, {notes} notes")
        print(f"{sum(verdict.notes > 0 for verdict in verdicts):8} with notes")
        for ending, count in Counter(verdict.ending for verdict in verdicts).most_common():
            print(f"{count:8} {ending}")


def run(
    texts: Iterable[tuple[str, str | Unreadable]], worker: Worker, keep: Path | None, until: float, journal: Journal
) -> int:
    """Judge the texts until the time is up; print the findings as they come and the counts at the end."""
    findings = 0
    for name, text in texts:
        if name in journal.passed:
            continue
        if time.monotonic() > until:
            print("stopped: the time is up")
            break
        verdict = Verdict("unreadable", str(text)) if isinstance(text, Unreadable) else worker.judge(text)
        if verdict.ending in PASSES:
            journal.add(name, 0 if isinstance(text, Unreadable) else text.count("\n"), verdict)
            continue
        findings += 1
        print(f"{name}: {verdict.ending}: {verdict.detail}", flush=True)
        if keep is not None and isinstance(text, str):
            (keep / f"{findings}.py").write_text(text, encoding="utf-8", newline="")
    journal.print_counts()
    print(f"target {worker.about[0].name}: {findings} findings")
    return findings


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("what", choices=["files", "mutants"])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--stdlib", action="store_true", help="the standard library too")
    parser.add_argument("--count", type=int, default=0, help="how many texts at most")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="when to stop")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", default="smtc")
    parser.add_argument("--keep", type=Path, help="a folder for the texts of the findings")
    parser.add_argument("--journal", type=Path, help="a file that remembers what passed, to go on later")
    words = parser.parse_intermixed_args()
    if words.keep:
        words.keep.mkdir(parents=True, exist_ok=True)
    if words.what == "mutants":
        texts: Iterable[tuple[str, str | Unreadable]] = mutants(words.count or 1000, words.seed)
    else:
        folders = words.folders + [Path(sysconfig.get_path("stdlib"))] * words.stdlib
        texts = read_files(folders, words.count, words.seed)
    worker = Worker(Target.parse(words.target), foreign=words.what == "files")
    until = time.monotonic() + words.seconds
    return 1 if run(texts, worker, words.keep, until, Journal(words.journal)) else 0


if __name__ == "__main__":
    sys.exit(main())
