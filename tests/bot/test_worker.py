"""The worker: what becomes of jobs that end well, badly, or not at all; and of those whose worker is killed."""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from migrate.bot.child import Bounds
from migrate.bot.jobs import Asked, Claim, GiveUp, Job, Outcome, Postpone, Work
from migrate.bot.overview import look
from migrate.bot.queue import Limits, Queue
from migrate.bot.worker import Worker
from tests.bot.load import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers fork")
LIMITS = Limits(lease=2, attempts=3, backoff=0)
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    queue = Queue(tmp_path / "queue.db", LIMITS)
    add(queue)
    return queue


def add(queue: Queue, repository: str = "octo/a") -> None:
    queue.accept(repository, "push", Asked((Job("push", repository, repository, 1, details={"n": 3}),)))


def ending(queue: Queue, work: Work, **bounds: float) -> tuple[str, str]:
    """The state and the note of the job after one go."""
    assert Worker(queue, work, Bounds(**bounds)).run_one()  # type: ignore[arg-type]
    row = look(queue).jobs[0]
    return row["state"], row["note"]


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


# --- how a job ends -----------------------------------------------------------------------------------------------


def test_a_job_is_done_in_a_process_of_its_own(queue: Queue) -> None:
    def work(claim: Claim) -> Outcome:
        return Outcome(f"{claim.job.repository} {claim.job.details['n']} {os.getpid()}", "https://example.com/pull/1")

    state, note = ending(queue, work)
    assert (state, note.split()[:2]) == ("done", ["octo/a", "3"])
    assert int(note.split()[2]) != os.getpid()
    assert look(queue).pull_requests[0]["pull_request"] == "https://example.com/pull/1"
    assert not Worker(queue, work).run_one()


def test_an_error_is_told_and_tried_again(queue: Queue) -> None:
    def work(claim: Claim) -> Outcome:
        raise ValueError("bad token ghs_hunter2hunter2hunter2")

    state, note = ending(queue, work)
    assert (state, note.splitlines()[-1]) == ("ready", "ValueError: bad token ***")
    ending(queue, work)
    assert ending(queue, work)[0] == "dead"


def test_giving_up(queue: Queue) -> None:
    def work(claim: Claim) -> Outcome:
        raise GiveUp("the repository is gone")

    assert ending(queue, work) == ("dead", "the repository is gone")
    assert look(queue).alerts == 1


def test_waiting_for_a_rate_limit(queue: Queue) -> None:
    def work(claim: Claim) -> Outcome:
        raise Postpone(time.time() + 100, "rate limit", is_limit=True)

    assert ending(queue, work) == ("ready", "rate limit")
    with queue.transaction() as db:
        assert [row["installation"] for row in db.execute("SELECT installation FROM pause")] == [1]
    assert not Worker(queue, work).run_one()


def test_too_much_memory(queue: Queue) -> None:
    def work(claim: Claim) -> Outcome:
        return Outcome(str(len(bytearray(3 * 1024**3))))

    state, note = ending(queue, work, memory=1024**3)
    assert (state, note.splitlines()[-1]) == ("ready", "MemoryError")


def spin(claim: Claim) -> Outcome:
    while True:
        pass


def test_too_much_work(queue: Queue) -> None:
    assert ending(queue, spin, processor=1) == ("ready", "the job's process was ended by SIGXCPU")


def test_too_much_time(queue: Queue) -> None:
    def work(claim: Claim) -> Outcome:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        time.sleep(600)
        return Outcome()

    assert ending(queue, work, seconds=1) == ("ready", "the job took longer than 1 seconds")


def test_a_crash(queue: Queue) -> None:
    def work(claim: Claim) -> Outcome:
        faulthandler.disable()  # pytest's, which would say much
        os.kill(os.getpid(), signal.SIGSEGV)
        return Outcome()

    for state in ("ready", "ready", "dead"):
        assert ending(queue, work) == (state, "the job's process was ended by SIGSEGV")


def test_an_end_without_a_word(queue: Queue) -> None:
    def work(claim: Claim) -> Outcome:
        os._exit(0)

    assert ending(queue, work) == ("ready", "the job's process ended with 0 and said nothing")


def test_a_job_may_take_longer_than_its_lease(queue: Queue) -> None:
    def work(claim: Claim) -> Outcome:
        time.sleep(LIMITS.lease * 1.5)
        return Outcome("at last")

    assert ending(queue, work) == ("done", "at last")
    assert look(queue).jobs[0]["attempts"] == 1


def start_another(folder: Path, claim: Claim) -> Outcome:
    """A job that starts a process, as the bot's do with git."""
    other = subprocess.Popen(["sleep", "600"])
    (folder / "numbers").write_text(f"{os.getpid()} {other.pid}")
    time.sleep(600)
    return Outcome()


def is_alive(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def numbers(folder: Path) -> list[int]:
    try:
        return [int(word) for word in (folder / "numbers").read_text().split()]
    except FileNotFoundError:
        return []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_what_a_job_started_ends_with_it(queue: Queue, tmp_path: Path) -> None:
    ending(queue, partial(start_another, tmp_path), seconds=4)
    assert len(numbers(tmp_path)) == 2
    wait_for(lambda: not any(is_alive(number) for number in numbers(tmp_path)))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_a_job_that_is_somebody_elses_by_now_is_let_go(queue: Queue, tmp_path: Path) -> None:
    """The file is changed under the worker, as if it had been stopped for longer than its lease."""

    def work(claim: Claim) -> Outcome:
        (tmp_path / "numbers").write_text(str(os.getpid()))
        with Queue(queue.path).transaction() as db:
            db.execute("UPDATE job SET lease = 'of another worker'")
        time.sleep(600)
        return Outcome()

    assert ending(queue, work)[0] == "running"
    assert not any(is_alive(number) for number in numbers(tmp_path))


# --- signals ------------------------------------------------------------------------------------------------------

PROGRAM = """
import sys
from functools import partial
from pathlib import Path
from migrate.bot.queue import Limits, Queue
from migrate.bot.worker import Worker
from tests.bot.test_worker import LIMITS, start_another
folder = Path(sys.argv[1])
Worker(Queue(folder / "queue.db", LIMITS), partial(start_another, folder), idle=0.05, grace=float(sys.argv[2])).run()
"""


def start_worker(folder: Path, grace: float) -> subprocess.Popen[bytes]:
    """A worker that is in the middle of a job."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder), str(grace)], cwd=ROOT)
    wait_for(lambda: len(numbers(folder)) == 2)
    return process


def test_sigterm_gives_the_job_back(queue: Queue, tmp_path: Path) -> None:
    process = start_worker(tmp_path, 0.1)
    process.terminate()
    assert process.wait(30) == 0
    (row,) = look(queue).jobs
    assert (row["state"], row["attempts"], row["note"]) == ("ready", 0, "the worker stopped")


def test_sigterm_with_nothing_to_do(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "queue.db", LIMITS)
    queue.accept("one", "push", Asked((Job("push", "octo/a", "1", details={"comment": 1}),)))
    command = [sys.executable, "-m", "tests.bot.load", "--as", "worker", "--folder", str(tmp_path)]
    process = subprocess.Popen(command, cwd=ROOT)
    wait_for(lambda: look(queue).states["done"] == 1)
    process.terminate()
    assert process.wait(30) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the job's process ends somewhat later")
def test_sigkill_ends_the_job_too_and_it_is_done_again(queue: Queue, tmp_path: Path) -> None:
    process = start_worker(tmp_path, 9)
    process.kill()
    process.wait()
    wait_for(lambda: not is_alive(numbers(tmp_path)[0]))
    until = look(queue).jobs[0]["lease_until"]
    assert Queue(queue.path, LIMITS, lambda: until - 0.01).claim() is None
    claim = Queue(queue.path, LIMITS, lambda: until).claim()
    assert claim is not None
    assert claim.attempt == 2
    os.kill(numbers(tmp_path)[1], signal.SIGKILL)


def test_nothing_is_lost_when_everybody_is_killed_all_the_time(tmp_path: Path) -> None:
    """More of it: `python -m tests.bot.load`."""
    figures = run(tmp_path, deliveries=300, kills=12)
    assert figures.kills == 12
    assert (figures.lost, figures.at_once) == ([], 0)
