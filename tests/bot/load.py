"""Deliveries while receiver and workers are killed with SIGKILL: is one lost, is one done twice at the same time?

    python -m tests.bot.load --deliveries 1500 --kills 40

Each delivery is a comment, so none replaces another. What a job does is to lock its repository as the kernel sees it,
write a line, take a moment, and write another: a job that finds the lock taken runs at the same time as another.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from migrate.bot.jobs import Claim, Outcome
from migrate.bot.overview import look
from migrate.bot.queue import Limits, Queue
from migrate.bot.receiver import Door, listen, make_app, serve
from migrate.bot.worker import Worker
from tests.bot.payloads import comment
from tests.bot.receivers import SECRET, deliver

LIMITS = Limits(lease=6, attempts=50, backoff=0.05, commands_of_one=10**9)
REPOSITORIES = 20
LONGEST = 240.0
"""Seconds to wait for the last job."""


@dataclass
class Figures:
    """What came of it."""

    sent: int
    kills: int = 0
    refused: int = 0
    """Deliveries that had to be sent again because nobody acknowledged them."""
    lost: list[str] = field(default_factory=list)
    """Acknowledged, and not done."""
    at_once: int = 0
    """Jobs that ran while another of the same repository did."""
    again: int = 0
    """Jobs that were done from the beginning to the end more than once."""
    seconds: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.sent} deliveries, {self.kills} processes killed, in {self.seconds:.0f} s: "
            f"{self.refused} sent again, {len(self.lost)} lost, {self.at_once} at the same time, "
            f"{self.again} done more than once"
        )


def work(folder: Path, claim: Claim) -> Outcome:
    """A job of this test."""
    number = claim.job.details["comment"]
    with (folder / claim.job.repository.replace("/", "-")).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _note(folder, f"at-once {number}")
            raise
        _note(folder, f"begun {number}")
        time.sleep(random.uniform(0, 0.03))
        _note(folder, f"done {number}")
    return Outcome(f"done {number}", f"https://example.com/pull/{number}")


def _note(folder: Path, line: str) -> None:
    """One write to a file that is appended to: whole, or not at all."""
    journal = os.open(folder / "journal", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(journal, f"{line}\n".encode())
    os.close(journal)


class Processes:
    """The receiver and the workers; whoever is killed is started again."""

    def __init__(self, folder: Path, port: int, workers: int) -> None:
        self.folder, self.port = folder, port
        self.running = [self._start(name) for name in ("receiver", *["worker"] * workers)]

    def kill(self, number: int) -> None:
        """With SIGKILL: it has no time for anything."""
        self.running[number].kill()
        self.running[number].wait()
        self.running[number] = self._start("receiver" if number == 0 else "worker")

    def end(self) -> list[int]:
        """With SIGTERM: each finishes what it does. Their exit codes."""
        for process in self.running:
            process.send_signal(signal.SIGTERM)
        return [process.wait(60) for process in self.running]

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.bot.load", "--as", name, "--folder", str(self.folder)]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen([*command, "--port", str(self.port)], stdout=log, stderr=log)


def run(folder: Path, deliveries: int, kills: int, workers: int = 2, port: int = 0, seed: int = 0) -> Figures:
    """Deliver, kill, and count."""
    figures, chance = Figures(deliveries), random.Random(seed)
    port = port or free_port()
    processes = Processes(folder, port, workers)
    begun = time.monotonic()
    kill_after = set(chance.sample(range(deliveries), min(kills, deliveries)))
    killer = ThreadPoolExecutor(1)  # beside the sending, so that deliveries and jobs are cut off in the middle
    try:
        for number in range(1, deliveries + 1):
            if number - 1 in kill_after:
                killer.submit(processes.kill, chance.randrange(workers + 1))
                figures.kills += 1
            figures.refused += _deliver(port, number)
            if chance.random() < 0.05:
                _deliver(port, number)  # a replay
        killer.shutdown()
        _wait(folder)
    finally:
        killer.shutdown()
        codes = processes.end()
    figures.seconds = time.monotonic() - begun
    assert codes[1:] == [0] * workers, f"workers ended with {codes}"
    _count(folder, figures)
    return figures


def _payload(number: int) -> dict[str, object]:
    name = f"octo/r{number % REPOSITORIES}"
    return comment("/tc-migrate run", name, login=f"user-{number}", id=number)


def _deliver(port: int, number: int) -> int:
    """Until it is acknowledged. How often it was not: GitHub's list of failed deliveries has these."""
    end = time.monotonic() + LONGEST
    again = 0
    while time.monotonic() < end:
        try:
            if deliver(port, f"load-{number}", "issue_comment", _payload(number)).status == 202:
                return again
        except OSError:
            time.sleep(0.05)
        again += 1
    raise TimeoutError(f"delivery {number} was never acknowledged")


def _wait(folder: Path) -> None:
    queue, end = Queue(folder / "queue.db", LIMITS), time.monotonic() + LONGEST
    while time.monotonic() < end:
        states = look(queue).states
        if not states["ready"] and not states["running"]:
            break
        time.sleep(0.2)
    queue.close()


def _count(folder: Path, figures: Figures) -> None:
    lines = Counter((folder / "journal").read_text().splitlines())
    queue = Queue(folder / "queue.db", LIMITS)
    with queue.transaction(write=False) as db:
        kept = {row["note"]: row["state"] for row in db.execute("SELECT note, state FROM job")}
    queue.close()
    for number in range(1, figures.sent + 1):
        line = f"done {number}"
        if lines[line] == 0 or kept.get(line) != "done":
            figures.lost.append(str(number))
        figures.again += lines[line] > 1
    figures.at_once = sum(many for line, many in lines.items() if line.startswith("at-once"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deliveries", type=int, help="1500 by default; 240 with --real")
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--real", action="store_true", help="the whole App: see load_real.py")
    parser.add_argument("--repositories", type=int, default=30, help="with --real")
    parser.add_argument("--ends", type=int, default=4, help="with --real: how often all processes are killed at once")
    parser.add_argument("--seconds", type=float, default=120, help="with --real: to deliver in")
    parser.add_argument("--as", dest="name", choices=("receiver", "worker"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    if given.name == "receiver":
        app = make_app(Queue(given.folder / "queue.db", LIMITS), Door([SECRET]))
        serve(app, listen("127.0.0.1", given.port))
    elif given.name == "worker":
        Worker(Queue(given.folder / "queue.db", LIMITS), partial(work, given.folder), idle=0.05).run()
    elif given.real:
        from tests.bot import load_real

        load_real.show(given.repositories, given.deliveries or 240, given.kills, given.ends, given.seconds, given.seed)
    else:
        with tempfile.TemporaryDirectory() as folder:
            figures = run(Path(folder), given.deliveries or 1500, given.kills, given.workers, given.port, given.seed)
        print(figures)
        sys.exit(bool(figures.lost or figures.at_once))


if __name__ == "__main__":
    main()
