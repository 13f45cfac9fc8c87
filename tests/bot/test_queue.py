"""The queue: what is in it once, who holds it, when it is tried again, and that it outlives its processes."""

from __future__ import annotations

import multiprocessing
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.bot.jobs import Asked, Claim, Job, Outcome
from migrate.bot.overview import look
from migrate.bot.queue import Limits, Queue
from migrate.bot.redaction import redact

LIMITS = Limits(lease=60, attempts=3, backoff=10)


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(tmp_path: Path, clock: Clock) -> Queue:
    return Queue(tmp_path / "queue.db", LIMITS, clock)


def make(repository: str = "octo/a", key: str = "", kind: str = "push", **more: object) -> Job:
    return replace(Job(kind, repository, key or f"{repository} push"), **more)  # type: ignore[arg-type]


def accept(queue: Queue, *jobs: Job, delivery: str = "") -> bool:
    accept.number += 1  # type: ignore[attr-defined]
    return queue.accept(delivery or f"d{accept.number}", "push", Asked(jobs))  # type: ignore[attr-defined]


accept.number = 0  # type: ignore[attr-defined]


def claim(queue: Queue) -> Claim:
    found = queue.claim()
    assert found is not None
    return found


def states(queue: Queue) -> dict[str, int]:
    return {state: number for state, number in look(queue).states.items() if number}


def test_a_delivery_counts_once(queue: Queue) -> None:
    assert accept(queue, make(), delivery="one")
    assert not accept(queue, make("octo/b"), delivery="one")
    assert claim(queue).job == make()
    assert queue.claim() is None


def test_a_delivery_is_stored_with_its_jobs_or_not_at_all(queue: Queue) -> None:
    broken = make("octo/b", details={"x": object()})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        accept(queue, make(), broken, delivery="one")
    assert (states(queue), look(queue).deliveries) == ({}, 0)
    assert accept(queue, make(), delivery="one")


def test_what_waits_is_replaced_and_what_runs_is_not(queue: Queue) -> None:
    accept(queue, make(details={"commit": "1"}))
    accept(queue, make(details={"commit": "2"}))
    first = claim(queue)
    assert first.job.details == {"commit": "2"}
    accept(queue, make(details={"commit": "3"}))
    assert states(queue) == {"ready": 1, "running": 1}
    assert queue.finish(first, Outcome())
    assert claim(queue).job.details == {"commit": "3"}


def test_one_at_a_time_in_a_repository(queue: Queue) -> None:
    accept(queue, make("octo/a", "1"), make("Octo/A", "2"), make("octo/b", "3"))
    first, other = claim(queue), claim(queue)
    assert [first.job.repository, other.job.repository] == ["octo/a", "octo/b"]
    assert queue.claim() is None
    queue.finish(first, Outcome())
    assert claim(queue).job.repository == "Octo/A"


def test_what_is_urgent_goes_first(queue: Queue, clock: Clock) -> None:
    accept(queue, make("octo/a", urgency=2), make("octo/b", urgency=1))
    clock.now += 5
    accept(queue, make("octo/c", urgency=0))
    assert [claim(queue).job.repository for _ in range(3)] == ["octo/c", "octo/b", "octo/a"]


def test_a_failed_job_waits_longer_each_time_and_ends_with_an_alert(queue: Queue, clock: Clock) -> None:
    accept(queue, make())
    for attempt, pause in ((1, 10), (2, 20)):
        held = claim(queue)
        assert held.attempt == attempt
        queue.fail(held, "boom")
        clock.now += pause - 1
        assert queue.claim() is None
        clock.now += 1
    queue.fail(claim(queue), "boom")
    assert states(queue) == {"dead": 1}
    assert [alert["text"] for alert in look(queue).failures] == ["push given up at attempt 3: boom"]


def test_a_job_that_kills_its_worker_ends_too(queue: Queue, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody ever says that it failed: attempts are counted when it is claimed."""
    accept(queue, make())
    claims = 0
    for _ in range(20):
        claims += queue.claim() is not None
        clock.now += 3_600
    assert (claims, states(queue), look(queue).alerts) == (3, {"dead": 1}, 1)
    (said,) = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert said == "job 1 of octo/a: push given up at attempt 3: the worker died or hung"


def test_no_second_attempt_where_none_would_help(queue: Queue) -> None:
    accept(queue, make())
    queue.fail(claim(queue), "no such repository", final=True)
    assert (states(queue), look(queue).alerts) == ({"dead": 1}, 1)


def test_a_rate_limit_is_no_attempt(queue: Queue, clock: Clock) -> None:
    accept(queue, make())
    for _ in range(10):
        held = claim(queue)
        assert held.attempt == 1
        assert queue.postpone(held, clock.now + 600, "rate limit")
        clock.now += 599
        assert queue.claim() is None
        clock.now += 1


def test_a_rate_limit_is_that_of_the_installation(queue: Queue, clock: Clock) -> None:
    accept(queue, make("octo/a", installation=1), make("octo/b", installation=1), make("other/c", installation=2))
    queue.postpone(claim(queue), clock.now + 600, "rate limit", is_limit=True)
    accept(queue, make("octo/d", installation=1))
    assert claim(queue).job.repository == "other/c"
    clock.now += 599
    assert queue.claim() is None
    clock.now += 2
    assert [claim(queue).job.repository for _ in range(3)] == ["octo/b", "octo/d", "octo/a"]


def test_an_outage_is_not(queue: Queue, clock: Clock) -> None:
    accept(queue, make("octo/a", installation=1), make("octo/b", installation=1))
    queue.postpone(claim(queue), clock.now + 600, "no answer")
    assert claim(queue).job.repository == "octo/b"


def test_an_installation_with_much_to_do_leaves_a_worker_to_the_others(tmp_path: Path, clock: Clock) -> None:
    queue = Queue(tmp_path / "fair.db", replace(LIMITS, of_installation=1), clock)
    accept(queue, *(make(f"greedy/r{number}", installation=1) for number in range(30)))
    first = claim(queue)
    assert (first.job.installation, queue.claim()) == (1, None)
    accept(queue, make("other/a", installation=2), make("nobody/a"))
    assert {claim(queue).job.repository for _ in range(2)} == {"other/a", "nobody/a"}
    queue.finish(first, Outcome())
    assert claim(queue).job.installation == 1


def test_who_has_least_under_way_goes_first(tmp_path: Path, clock: Clock) -> None:
    queue = Queue(tmp_path / "fair.db", replace(LIMITS, of_installation=3), clock)
    accept(queue, *(make(f"greedy/r{number}", installation=1) for number in range(30)))
    claim(queue)
    accept(queue, make("other/a", installation=2))
    assert [claim(queue).job.installation for _ in range(2)] == [2, 1]


def test_what_is_asked_for_anew_waits_for_the_rate_limit(queue: Queue, clock: Clock) -> None:
    accept(queue, make())
    queue.postpone(claim(queue), clock.now + 600, "rate limit")
    accept(queue, make(details={"commit": "2"}))
    assert queue.claim() is None
    clock.now += 600
    held = claim(queue)
    accept(queue, make(details={"commit": "3"}))
    queue.postpone(held, clock.now + 600, "rate limit")
    assert (states(queue), queue.claim()) == ({"ready": 1, "done": 1}, None)
    clock.now += 600
    assert claim(queue).job.details == {"commit": "3"}


def test_patience_ends(queue: Queue, clock: Clock) -> None:
    accept(queue, make())
    queue.postpone(claim(queue), clock.now + LIMITS.patience + 1, "rate limit")
    assert (states(queue), look(queue).alerts) == ({"dead": 1}, 1)


def test_a_lease_that_ran_out_is_somebody_elses(queue: Queue, clock: Clock) -> None:
    accept(queue, make())
    first = claim(queue)
    clock.now += 50
    assert queue.extend(first)
    clock.now += 50
    assert queue.claim() is None
    clock.now += 20
    assert claim_after(queue, clock, 10).attempt == 2
    assert not queue.extend(first)
    late = [queue.finish(first, Outcome()), queue.fail(first, "x"), queue.postpone(first, 0, "x"), queue.release(first)]
    assert late == [False] * 4
    assert states(queue) == {"running": 1}


def claim_after(queue: Queue, clock: Clock, seconds: float) -> Claim:
    queue.recover()
    clock.now += seconds
    return claim(queue)


def test_a_job_given_back_is_ready_and_unharmed(queue: Queue, clock: Clock) -> None:
    accept(queue, make())
    clock.now += LIMITS.patience * 2
    assert queue.release(claim(queue))
    assert claim(queue).attempt == 1


def test_who_leaves_has_nothing_waiting(queue: Queue) -> None:
    accept(queue, make("octo/a", installation=1), make("octo/b", installation=1), make("octo/c", installation=2))
    queue.accept("x", "installation_repositories", Asked(left=frozenset({"OCTO/a"})))
    assert states(queue) == {"ready": 2}
    queue.accept("y", "installation", Asked(left_installation=1))
    assert claim(queue).job.repository == "octo/c"


def test_a_flood_of_commands(queue: Queue, clock: Clock) -> None:
    for number in range(100):
        accept(queue, make(key=f"comment:{number}", kind="command", sender="mallory"))
    assert states(queue) == {"ready": 10}
    accept(queue, make(key="comment:x", kind="command", sender="alice"))
    assert states(queue) == {"ready": 11}
    for number in range(100):
        accept(queue, make(key=f"comment:{number}y", kind="command", sender=f"one-of-many-{number}"))
    assert states(queue) == {"ready": 111}
    clock.now += 3_601
    accept(queue, make(key="comment:z", kind="command", sender="mallory"))
    assert states(queue) == {"ready": 112}


def test_strangers_do_not_silence_who_has_the_right(queue: Queue, clock: Clock) -> None:
    for number in range(60):
        accept(queue, command(number, f"stranger-{number}"))
        queue.finish(claim(queue), Outcome("may not", is_refused=True))
        accept(queue, command(100 + number, f"stranger-{number}"))
    assert states(queue) == {"done": 60}
    accept(queue, command(1_000, "alice"))
    accept(queue, command(1_001, "stranger-1", repository="octo/b"))
    assert states(queue) == {"done": 60, "ready": 2}, "of a stranger nothing is looked at for an hour, there"
    clock.now += 3_601
    accept(queue, command(1_002, "stranger-1"))
    assert states(queue) == {"done": 60, "ready": 3}


def command(comment: int, sender: str = "alice", **more: object) -> Job:
    return make(key=f"comment:{comment}", kind="command", sender=sender, details={"comment": comment}, **more)


def test_a_command_acts_once_however_late_its_delivery_is_sent_again(queue: Queue, clock: Clock) -> None:
    accept(queue, command(1))
    queue.fail(claim(queue), "boom")
    accept(queue, command(1))
    clock.now += 100
    queue.finish(claim(queue), Outcome("rebase: updated"))
    clock.now += 2 * LIMITS.keep
    queue.prune()
    accept(queue, command(1), command(2))
    assert states(queue) == {"ready": 1}
    assert claim(queue).job == command(2)


def test_a_button_acts_once_when_it_has_opened_something(queue: Queue) -> None:
    press = make(key="check:1:open-pr", kind="check", details={"button": "open-pr", "run": 5})
    for outcome in (Outcome("nothing to propose"), Outcome("opened", "https://x/pull/1")):
        accept(queue, press)
        queue.finish(claim(queue), outcome)
    accept(queue, press, replace(press, details={"button": "open-pr", "run": 6}))
    assert claim(queue).job.details["run"] == 6
    accept(queue, make(key="check:1:", kind="check", details={"button": "", "run": 5}))
    assert states(queue)["ready"] == 1


def test_what_is_old_is_forgotten_and_what_is_to_do_is_not(queue: Queue, clock: Clock) -> None:
    accept(queue, make("octo/a"), make("octo/b"), make("octo/c"), delivery="one")
    queue.finish(claim(queue), Outcome())
    queue.fail(claim(queue), "x", final=True)
    clock.now += LIMITS.keep - 1
    queue.prune()
    assert (states(queue), look(queue).deliveries) == ({"ready": 1, "done": 1, "dead": 1}, 1)
    clock.now += 2
    queue.prune()
    overview = look(queue)
    assert (states(queue), overview.deliveries, overview.alerts) == ({"ready": 1}, 0, 0)


def test_it_is_all_there_when_opened_again(queue: Queue, clock: Clock) -> None:
    accept(queue, make(details={"commit": "1", "n": 3, "yes": True, "no": None}))
    queue.close()
    again = Queue(queue.path, LIMITS, clock)
    assert claim(again).job.details == {"commit": "1", "n": 3, "yes": True, "no": None}
    assert queue.claim() is None


def test_nobody_else_on_the_machine_reads_it(queue: Queue) -> None:
    accept(queue, make())
    assert {path.stat().st_mode & 0o077 for path in queue.path.parent.glob("queue.db*")} == {0}


def test_a_file_of_another_version_is_refused(queue: Queue) -> None:
    queue.close()
    with sqlite3.connect(queue.path) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(sqlite3.DatabaseError, match="another version"):
        Queue(queue.path)


@pytest.mark.parametrize(
    "text",
    [
        "https://x-access-token:hunter2hunter2@github.com/a",
        "token ghs_hunter2hunter2hunter2",
        "token ghs_1_eyJhbGciOi.hunter2hunter2.abc",
        "token github_pat_11A_hunter2hunter2",
        "Authorization: Basic hunter2",
        "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nhunter2",
    ],
)
def test_credentials_are_not_kept(queue: Queue, text: str) -> None:
    assert "hunter2" not in redact(text)
    accept(queue, make())
    queue.fail(claim(queue), f"cannot: {text}", final=True)
    overview = look(queue)
    assert "hunter2" not in overview.jobs[0]["note"] + overview.failures[0]["text"]


def test_any_text_can_be_kept(queue: Queue) -> None:
    accept(queue, make())
    queue.fail(claim(queue), "\ud800\x00" + "x" * 100_000)
    assert 1_000 < len(look(queue).jobs[0]["note"]) <= 2_000


def take_all(path: Path, results: multiprocessing.SimpleQueue[list[int]]) -> None:
    """Opens the file with the others, adds jobs, and takes what it gets."""
    queue = Queue(path)
    for number in range(20):
        queue.accept(
            f"{multiprocessing.current_process().name}-{number % 10}", "push", Asked((make(key=f"same {number}"),))
        )
        queue.accept(f"all-{number}", "push", Asked((make(f"octo/r{number}"),)))
    taken = []
    while (held := queue.claim()) is not None:
        taken.append(held.id)
    results.put(taken)


def test_processes_open_it_at_once_and_share_the_work(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    processes = [context.Process(target=take_all, args=(tmp_path / "queue.db", results)) for _ in range(3)]
    for process in processes:
        process.start()
    taken = [number for _ in processes for number in results.get()]
    for process in processes:
        process.join()
    assert len(taken) == len(set(taken)) == 21  # each of 20 repositories once, and one of all that are in `octo/a`
