"""Migrate any number of foreign files and mutated training scripts, and look whether a promise breaks.

    python -m tests.fuzz files --stdlib FOLDER...     every .py of the standard library and below the folders
    python -m tests.fuzz mutants --count 5000         golden scripts, changed at random (tests/mutants.py)

No pre-filter: each text goes through the whole pipeline, in a process of its own that may die without harm. Exit
code 1 when anything was found; what was found is printed, and `--keep FOLDER` keeps the texts.
"""

from __future__ import annotations

import argparse
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

Verdict = tuple[str, str]
"""How a file ended, and the particulars."""


def judge(source: str, target: Target, foreign: bool) -> Verdict:
    """Migrate a text and check what a migration promises of any text; of a foreign one that CUDA is named in it."""
    without_cuda = foreign and not CUDA_WORDS.search(source)
    migration = migrate(source, target=target)
    if migration.status is Status.FAILED:
        return "failed", migration.reason + "\n" + migration.traceback
    if migration.result == source:
        noted = migration.notes and without_cuda
        return ("noted without CUDA", str(migration.notes[0])) if noted else (migration.status.value, migration.reason)
    if without_cuda:
        return "changed without CUDA", str(migration.changes[:1])
    return _judge_result(source, migration.result, target) or (migration.status.value, "")


def _judge_result(source: str, result: str, target: Target) -> Verdict | None:
    try:
        compile(result.removeprefix("\ufeff"), "<result>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return "does not compile", str(error)
    again = migrate(result, target=target)
    if again.result != result:
        return "second run changes", str(again.changes[:1] or again.reason)
    altered = altered_lines(source, result)
    if altered:
        return "bytes changed outside edits", altered[0]
    ends = foreign_ends(source, result)
    return ("foreign line ends", repr(ends)) if ends else None


def _serve(connection: Connection, target: Target, foreign: bool) -> None:
    """Judge each text that comes in, until None does."""
    codemods()
    while (text := connection.recv()) is not None:
        try:
            connection.send(judge(text, target, foreign))
        except Exception as error:
            connection.send((f"raised {type(error).__name__}", traceback.format_exc()))


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
            verdict = (f"over {SECONDS} s", "")
        except (EOFError, ConnectionError):
            verdict = ("", "")
        self.process.join()
        code = self.process.exitcode
        self._start()
        return verdict if verdict[0] else (f"killed the process ({code})", "")


def read_files(folders: Iterable[Path], limit: int, seed: int) -> Iterator[tuple[str, str | Unreadable]]:
    """The text of every .py below the folders, or why there is none; in an order that the seed gives."""
    found = {path for folder in folders for path in folder.rglob("*.py") if path.is_file()}
    # The standard library's folder holds what is installed, too: that is not the same on every machine.
    paths = sorted(path for path in found if "site-packages" not in path.parts)
    random.Random(seed).shuffle(paths)
    for path in paths[: limit or None]:
        try:
            yield str(path), read(path).text
        except Unreadable as error:
            yield str(path), error


def run(texts: Iterable[tuple[str, str | Unreadable]], worker: Worker, keep: Path | None, until: float) -> int:
    """Judge the texts until the time is up; print the findings as they come and the counts at the end."""
    counted: Counter[str] = Counter()
    lines = findings = 0
    for name, text in texts:
        if time.monotonic() > until:
            print("stopped: the time is up")
            break
        verdict, detail = ("unreadable", str(text)) if isinstance(text, Unreadable) else worker.judge(text)
        counted[verdict] += 1
        lines += 0 if isinstance(text, Unreadable) else text.count("\n")
        if verdict not in PASSES:
            findings += 1
            print(f"{name}: {verdict}: {detail}", flush=True)
            if keep is not None and isinstance(text, str):
                (keep / f"{findings}.py").write_text(text, encoding="utf-8", newline="")
        if sum(counted.values()) % 1000 == 0:
            print(f"... {sum(counted.values())} files, {lines} lines, {dict(counted)}", file=sys.stderr, flush=True)
    print(f"{sum(counted.values())} texts, {lines} lines, target {worker.about[0].name}: {findings} findings")
    for verdict, count in counted.most_common():
        print(f"{count:8} {verdict}")
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
    words = parser.parse_intermixed_args()
    if words.keep:
        words.keep.mkdir(parents=True, exist_ok=True)
    if words.what == "mutants":
        texts: Iterable[tuple[str, str | Unreadable]] = mutants(words.count or 1000, words.seed)
    else:
        folders = words.folders + [Path(sysconfig.get_path("stdlib"))] * words.stdlib
        texts = read_files(folders, words.count, words.seed)
    worker = Worker(Target.parse(words.target), foreign=words.what == "files")
    return 1 if run(texts, worker, words.keep, time.monotonic() + words.seconds) else 0


if __name__ == "__main__":
    sys.exit(main())
