"""The sweeper: what was missed comes after all, once, and nothing else is asked for."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from migrate.bot.jobs import Asked, Job
from migrate.bot.overview import look
from migrate.bot.queue import Limits, Queue
from migrate.bot.receiver import Door, make_app
from migrate.bot.sweeper import Bounds, Sweeper
from migrate.forge.tokens import App
from tests.bot.hub import Hub
from tests.bot.hub_hook import Hook
from tests.bot.payloads import comment, push
from tests.bot.receivers import SECRET, serving
from tests.bot.test_forge import make_key

LIST = "GET /app/hook/deliveries"
AGAIN = "POST /app/hook/deliveries/{delivery_id}/attempts"
DAY = 86_400.0


@pytest.fixture(scope="module")
def keys() -> tuple[str, bytes]:
    return make_key()


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    return Queue(tmp_path / "queue.db", Limits(lease=0))


@pytest.fixture
def sweeper(hub: Hub, queue: Queue, keys: tuple[str, bytes]) -> Sweeper:
    return make_sweeper(hub, queue, keys)


def make_sweeper(hub: Hub, queue: Queue, keys: tuple[str, bytes], **bounds: object) -> Sweeper:
    hub.apps[7] = keys[1]
    return Sweeper(queue, App(7, keys[0], hub.url, pause=0), Bounds(**bounds))  # type: ignore[arg-type]


@pytest.fixture
def hook(hub: Hub, queue: Queue) -> Iterator[Hook]:
    """A receiver listens; set the port to 9 (nobody does) for a time in which it does not."""
    with serving(make_app(queue, Door([SECRET], number=7))) as port:
        hub.state.hook.port = port
        yield hub.state.hook


def miss(hook: Hook, number: int = 1, age: float = 0) -> None:
    port, hook.port = hook.port, 9
    assert hook.send("issue_comment", comment("/tc-migrate run", id=number)) == 502
    if age:
        hook.tries.pop(0)
        hook.note(list(hook.events)[-1], 502, age=age)
    hook.port = port


def jobs(queue: Queue) -> int:
    return sum(look(queue).states.values())


def test_what_was_missed_comes_once(hook: Hook, sweeper: Sweeper, queue: Queue, hub: Hub) -> None:
    for number in range(1, 4):
        miss(hook, number)
    assert hook.send("push", push()) == 202
    assert (sweeper.sweep(), jobs(queue)) == (3, 4)
    assert (sweeper.sweep(), jobs(queue)) == (0, 4)
    assert hub.requests == [LIST, AGAIN, AGAIN, AGAIN, LIST]
    assert [each["redelivery"] for each in hook.tries] == [True] * 3 + [False] * 4


def test_the_longest_missed_comes_first(hook: Hook, sweeper: Sweeper, queue: Queue) -> None:
    miss(hook, 1, age=DAY)
    miss(hook, 2, age=2 * DAY)
    sweeper.sweep()
    guids = [each["guid"] for each in hook.tries[1::-1]]
    assert guids == list(hook.events)[::-1]


def test_what_is_missed_again_is_asked_for_again_but_not_for_ever(
    hook: Hook, hub: Hub, queue: Queue, keys: tuple[str, bytes], caplog: pytest.LogCaptureFixture
) -> None:
    sweeper = make_sweeper(hub, queue, keys, tries=3)
    miss(hook)
    port, hook.port = hook.port, 9
    assert [sweeper.sweep() for _ in range(4)] == [1, 1, 0, 0]
    hook.port = port
    assert jobs(queue) == 0
    (said,) = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert said == f"delivery {next(iter(hook.events))} (issue_comment) failed 3 times and is lost"


def test_what_arrived_although_github_saw_no_answer_is_not_asked_for(
    hook: Hook, sweeper: Sweeper, queue: Queue
) -> None:
    assert hook.send("push", push()) == 202
    hook.tries[0].update(status="timed out", status_code=504)
    assert sweeper.sweep() == 0


def test_what_github_delivers_no_more_is_not_asked_for(hook: Hook, sweeper: Sweeper, hub: Hub) -> None:
    miss(hook, 1, age=4 * DAY)
    assert sweeper.sweep() == 0
    assert hub.requests == [LIST]


def test_all_pages_of_three_days_are_read_and_no_more(
    hook: Hook, hub: Hub, queue: Queue, keys: tuple[str, bytes], caplog: pytest.LogCaptureFixture
) -> None:
    miss(hook, 1, age=2 * DAY)
    guid = next(iter(hook.events))
    old = [{**hook.tries[0], "id": 900 + number, "delivered_at": "2020-01-01T00:00:00Z"} for number in range(300)]
    for number in range(250):
        miss(hook, 2 + number)
        hook.tries[0].update(status="OK", status_code=202)
    hook.tries += old
    assert make_sweeper(hub, queue, keys, pages=2).sweep() == 0
    assert "only the latest 200" in caplog.text
    hub.requests.clear()
    assert make_sweeper(hub, queue, keys).sweep() == 1
    assert hub.requests == [LIST] * 3 + [AGAIN]
    assert queue.known([guid]) == {guid}


def test_a_sweep_asks_for_so_many_at_most(hook: Hook, hub: Hub, queue: Queue, keys: tuple[str, bytes]) -> None:
    for number in range(1, 6):
        miss(hook, number)
    sweeper = make_sweeper(hub, queue, keys, at_once=2)
    assert [sweeper.sweep() for _ in range(4)] == [2, 2, 1, 0]


@pytest.mark.parametrize("fault", ["primary", "502", "drop", "page", "401"])
@pytest.mark.parametrize("at", [LIST, AGAIN])
def test_a_fault_ends_a_sweep_and_the_next_goes_on(
    hook: Hook, hub: Hub, sweeper: Sweeper, queue: Queue, fault: str, at: str, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(1, 4):
        miss(hook, number)
    hub.faults = {at: [fault]}
    assert sweeper.sweep() == 0
    assert caplog.records[-1].levelno == (logging.ERROR if fault == "401" else logging.WARNING)
    assert sweeper.sweep() == 3
    assert jobs(queue) == 3


def test_leases_are_taken_back_and_old_rows_forgotten(sweeper: Sweeper, queue: Queue, hub: Hub) -> None:
    queue.accept("old", "push", Asked((Job("push", "octo/a", "1"),)))
    assert queue.claim() is not None
    with queue.transaction() as db:
        db.execute("UPDATE delivery SET received = 0")
    sweeper.sweep()
    overview = look(queue)
    assert (overview.states["running"], overview.states["ready"], overview.deliveries) == (0, 1, 0)


def test_reach_is_no_longer_than_github_delivers_anew() -> None:
    assert Bounds().reach == timedelta(days=3)
    assert Bounds().reach.total_seconds() < Limits().keep
