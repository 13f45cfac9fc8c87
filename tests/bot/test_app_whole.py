"""The App end to end on loopback: webhook in, pull request at the forge out, whoever is killed in between."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from migrate.bot.overview import look
from migrate.bot.queue import Queue
from migrate.bot.receiver import Door, make_app
from tests.bot import payloads
from tests.bot.app_site import FILES, NAME, PR, AppSite, migrated
from tests.bot.app_worker import LIMITS, start
from tests.bot.hub import Hub
from tests.bot.receivers import SECRET, deliver, serving


class Whole:
    """Receiver, queue and one worker for one repository."""

    def __init__(self, app: AppSite, folder: Path, port: int) -> None:
        self.app, self.folder, self.port = app, folder, port
        self.queue = Queue(folder / "queue.db", LIMITS)
        self.log = folder / "log"
        with self.log.open("ab") as log:
            self.worker = start(folder / "queue.db", app.config, log)

    def restart(self) -> None:
        """With SIGKILL: it has no time for anything."""
        self.worker.kill()
        self.worker.wait()
        with self.log.open("ab") as log:
            self.worker = start(self.folder / "queue.db", self.app.config, log)

    def push(self, delivery: str) -> int:
        return deliver(self.port, delivery, "push", payloads.push(NAME)).status

    def wait(self, done: int) -> None:
        """Until so many jobs are done and none is left."""
        wait_for(lambda: look(self.queue).states["done"] >= done, self.tell)
        states = look(self.queue).states
        assert (states["ready"], states["running"], states["dead"]) == (0, 0, 0), self.tell()

    def tell(self) -> str:
        return f"{look(self.queue).jobs}\n{self.log.read_text()[-3000:]}"


def wait_for(holds: Callable[[], bool], tell: Callable[[], str], seconds: float = 200) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, tell()
        time.sleep(0.05)


@contextmanager
def running(app: AppSite, folder: Path) -> Iterator[Whole]:
    queue = Queue(folder / "queue.db", LIMITS)
    with serving(make_app(queue, Door([SECRET]))) as port:
        whole = Whole(app, folder, port)
        try:
            yield whole
        finally:
            whole.worker.terminate()
            whole.worker.wait(100)
            whole.queue.close()
            queue.close()


@pytest.fixture
def whole(hub: Hub, tmp_path: Path) -> Iterator[Whole]:
    app = AppSite(hub, tmp_path)
    app.commit({**FILES, **PR})
    with running(app, tmp_path) as made:
        yield made


def test_a_push_leads_to_one_pull_request_however_often_it_is_delivered(whole: Whole, hub: Hub) -> None:
    for delivery in ("one", "one", "two"):
        assert whole.push(delivery) == 202
    whole.wait(1)
    assert whole.app.held() == migrated()
    assert list(hub.state.pulls) == [1]
    assert look(whole.queue).pull_requests[0]["pull_request"] == f"{hub.url}/{NAME}/pull/1"
    asked = len(hub.writes)
    done = look(whole.queue).states["done"]
    whole.push("one")
    whole.push("three")
    whole.wait(done + 1)
    assert look(whole.queue).states["done"] == done + 1
    assert [each for each in hub.writes[asked:] if "access_tokens" not in each] == []


def test_no_token_and_no_key_is_left_anywhere(whole: Whole, hub: Hub) -> None:
    whole.push("one")
    whole.wait(1)
    hub.faults = {"GET /repos/{owner}/{repo}/pulls": ["echo"]}
    whole.push("two")
    whole.wait(2)
    assert len(hub.tokens) >= 4
    secrets = [*hub.tokens, *(base64.b64encode(f"x-access-token:{each}".encode()).decode() for each in hub.tokens)]
    secrets += whole.app.config.key.splitlines()[1:3]
    places = [path for path in whole.folder.rglob("*") if path.is_file() and path.name != "queue.json"]
    assert whole.log in places
    for path in places:
        data = path.read_bytes()
        assert [each for each in secrets if each.encode() in data] == [], path
    assert os.listdir(whole.app.config.folder) == []
    assert [each for each in secrets if each in str(hub.state)] == []


def test_a_worker_that_is_killed_in_the_middle_loses_nothing(whole: Whole, hub: Hub) -> None:
    whole.push("one")
    wait_for(lambda: "GET /repos/{owner}/{repo}" in hub.requests, whole.tell)
    whole.restart()
    whole.wait(1)
    assert whole.app.held() == migrated()
    assert list(hub.state.pulls) == [1]
    assert look(whole.queue).jobs[0]["attempts"] == 2
