"""The door for webhooks: who gets in, what is answered, and what the operator's page shows."""

from __future__ import annotations

import base64
import html.parser
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from migrate.bot.dashboard import write_page
from migrate.bot.jobs import Asked, Job, Outcome
from migrate.bot.overview import look
from migrate.bot.queue import Queue
from migrate.bot.receiver import HELD, LARGEST, Door, is_authentic, make_app
from tests.bot.payloads import BOT, comment, push, sign
from tests.bot.receivers import SECRET, ask, deliver, serving

PASSWORD = "of the operator"
LOGIN = {"Authorization": "Basic " + base64.b64encode(f"me:{PASSWORD}".encode()).decode()}
EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202e\x1b[31m&amp;"


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    return Queue(tmp_path / "queue.db")


@pytest.fixture
def port(queue: Queue) -> Iterator[int]:
    with serving(make_app(queue, Door(["an older secret", SECRET], password=PASSWORD))) as port:
        yield port


def kept(queue: Queue) -> tuple[int, int]:
    overview = look(queue)
    return overview.deliveries, sum(overview.states.values())


def test_a_delivery_is_stored_and_acknowledged(port: int, queue: Queue) -> None:
    assert deliver(port, "one", "push", push()).status == 202
    claim = queue.claim()
    assert claim is not None
    assert (claim.job.kind, claim.job.repository, claim.job.installation) == ("push", "octo/train", 42)


def test_a_replay_is_acknowledged_and_does_nothing(port: int, queue: Queue) -> None:
    assert [deliver(port, "one", "push", push()).status for _ in range(5)] == [202] * 5
    assert deliver(port, "one", "push", push("octo/other")).body == "known already\n"
    assert kept(queue) == (1, 1)


def test_events_that_ask_for_nothing_are_acknowledged(port: int, queue: Queue) -> None:
    assert deliver(port, "1", "ping", {"zen": "Keep it logically awesome."}).status == 202
    assert deliver(port, "2", "star", {}).status == 202
    assert deliver(port, "3", "issue_comment", {**comment("/tc-migrate run"), "sender": BOT}).status == 202
    assert kept(queue) == (3, 0)


BODY = b'{"ref": "refs/heads/main"}'


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "sha256=",
        "sha256=" + "0" * 64,
        sign(BODY, "another secret"),
        sign(BODY, ""),
        sign(BODY + b" ", SECRET),
        sign(BODY, SECRET).upper(),
        sign(BODY, SECRET).removeprefix("sha256="),
        sign(BODY, SECRET)[:-1],
        sign(BODY, SECRET) + "\xe9",
    ],
)
def test_a_forged_signature(port: int, queue: Queue, signature: str) -> None:
    assert deliver(port, "one", "push", BODY, X_Hub_Signature_256=signature).status == 401
    assert kept(queue) == (0, 0)


def test_the_older_signature_of_sha1_is_no_signature(port: int) -> None:
    answer = deliver(port, "one", "push", BODY, X_Hub_Signature_256="", X_Hub_Signature=sign(BODY, SECRET))
    assert answer.status == 401


def test_two_secrets_while_one_replaces_the_other(port: int) -> None:
    assert deliver(port, "one", "ping", BODY, X_Hub_Signature_256=sign(BODY, "an older secret")).status == 202
    assert not is_authentic(BODY, sign(BODY, "x"), [SECRET, "an older secret"])


@pytest.mark.parametrize("secrets", [[], [""], [SECRET, ""]])
def test_without_a_secret_there_is_no_door(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="secret"):
        Door(secrets)


DEEP = b'{"a":' * 100_000 + b"1" + b"}" * 100_000


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"payload=%7B%7D", DEEP, b'{"a": ' + b"9" * 5_000 + b"}"]
)
def test_what_is_no_json_object(port: int, queue: Queue, body: bytes) -> None:
    assert deliver(port, "one", "push", body).status == 400
    assert kept(queue) == (0, 0)


@pytest.mark.parametrize(
    "changed",
    [
        {"X_GitHub_Delivery": ""},
        {"X_GitHub_Event": ""},
        {"X_GitHub_Delivery": "a b"},
        {"X_GitHub_Delivery": "x" * 65},
        {"X_GitHub_Event": "../push"},
        {"Content_Type": "application/x-www-form-urlencoded"},
        {"Content_Type": ""},
    ],
)
def test_wrong_headers(port: int, queue: Queue, changed: dict[str, str]) -> None:
    assert deliver(port, "one", "push", push(), **changed).status == 400
    assert kept(queue) == (0, 0)


def test_the_largest_delivery_is_taken(port: int) -> None:
    body = b'{"a": "' + b"x" * (LARGEST - 9) + b'"}'
    assert len(body) == LARGEST
    assert deliver(port, "one", "ping", body).status == 202


def test_a_larger_one_is_refused_before_it_has_come(port: int) -> None:
    """Only the headers are sent: the answer does not wait for the body."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(f"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: {LARGEST + 1}\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_one_that_does_not_say_its_size_is_cut_off(port: int) -> None:
    """It is answered at the limit, and the connection closed."""
    chunk = b"100000\r\n" + b"x" * 1024**2 + b"\r\n"
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.sendall(chunk * (LARGEST // 1024**2))
        connection.sendall(b"1\r\nx\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 413")
        while connection.recv(10_000):
            pass


@pytest.mark.parametrize(("number", "status"), [("7", 202), ("", 202), ("8", 400), ("7 ", 202), ("seven", 400)])
def test_a_delivery_for_another_app(queue: Queue, number: str, status: int) -> None:
    with serving(make_app(queue, Door([SECRET], number=7))) as port:
        answer = deliver(port, "one", "push", push(), X_GitHub_Hook_Installation_Target_ID=number)
    assert (answer.status, kept(queue)) == (status, (1, 1) if status == 202 else (0, 0))


@contextmanager
def holding(port: int, many: int) -> Iterator[list[socket.socket]]:
    """Callers who send almost all of a largest delivery and then wait."""
    body = b"x" * (LARGEST - 1)
    with ExitStack() as stack:
        callers = [stack.enter_context(socket.create_connection(("127.0.0.1", port), 30)) for _ in range(many)]
        for caller in callers:
            caller.sendall(f"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: {LARGEST}\r\n\r\n".encode() + body)
        wait_until_held(port, many * len(body))
        yield callers


def read_figure(port: int, name: str) -> float:
    lines = ask(port, "GET", "/metrics", headers=LOGIN).body.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))


def wait_until_held(port: int, size: int) -> None:
    end = time.monotonic() + 200
    while read_figure(port, "tc_migrate_webhook_bytes") != size:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_all_bodies_together_are_bounded(port: int, queue: Queue) -> None:
    """Who comes when there is no room is told to come again, and there is room again when the others are gone."""
    with holding(port, HELD // LARGEST) as callers:
        answer = deliver(port, "one", "ping", b"x" * 9)
        assert answer.status == 503
        assert {name.lower(): value for name, value in answer.headers.items()}["retry-after"] == "30"
        assert ask(port, "GET", "/healthz").status == 200
        assert deliver(port, "small", "ping", {}).status == 202  # what is left is enough for it
        for caller in callers:
            caller.sendall(b"x")
            assert caller.recv(100).startswith(b"HTTP/1.1 401")
        wait_until_held(port, 0)


def test_who_goes_away_leaves_the_room(port: int) -> None:
    for _ in range(2):
        with holding(port, HELD // LARGEST):
            pass
        wait_until_held(port, 0)


def test_what_cannot_be_stored_is_not_acknowledged(port: int, queue: Queue) -> None:
    with queue.transaction() as db:
        db.execute("DROP TABLE job")
        db.execute("DROP TABLE delivery")
    assert deliver(port, "one", "push", push()).status == 503
    assert ask(port, "GET", "/healthz").status == 503


def test_a_flood_of_comments(port: int, queue: Queue) -> None:
    for number in range(30):
        given = comment("/tc-migrate run", id=number + 1, login="mallory")
        assert deliver(port, f"d{number}", "issue_comment", given).status == 202
    assert kept(queue) == (30, 10)


# --- what is shown ------------------------------------------------------------------------------------------------


def test_health(port: int) -> None:
    assert ask(port, "GET", "/healthz").body == "ok\n"


@pytest.mark.parametrize("path", ["/", "/metrics"])
@pytest.mark.parametrize("value", ["", "Basic", "Basic !", "Basic bWU6eA==", "Bearer " + PASSWORD, "Basic bWU6"])
def test_the_page_and_the_figures_are_for_the_operator(port: int, path: str, value: str) -> None:
    answer = ask(port, "GET", path, headers={"Authorization": value} if value else {})
    assert (answer.status, answer.body) == (401, "a password, please\n")


def test_without_a_password_they_are_not_there(queue: Queue) -> None:
    with serving(make_app(queue, Door([SECRET]))) as port:
        assert [ask(port, "GET", path, headers=LOGIN).status for path in ("/", "/metrics", "/docs")] == [404] * 3
        assert ask(port, "GET", "/webhook").status == 405


def test_the_figures(port: int) -> None:
    deliver(port, "one", "push", push())
    deliver(port, "two", "push", BODY, X_Hub_Signature_256="")
    said = ask(port, "GET", "/metrics", headers=LOGIN).body
    for line in (
        'tc_migrate_jobs{state="ready"} 1.0',
        'tc_migrate_jobs{state="dead"} 0.0',
        "tc_migrate_alerts 0.0",
        "tc_migrate_alerts_unsettled 0.0",
        "tc_migrate_deliveries 1.0",
        'tc_migrate_webhook_answers_total{status="202"} 1.0',
        'tc_migrate_webhook_answers_total{status="401"} 1.0',
    ):
        assert line in said.splitlines()


class Elements(html.parser.HTMLParser):
    """Which elements a page has, with their attributes, and the text of all cells."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def fill(queue: Queue) -> None:
    jobs = (Job(EVIL, EVIL, "1"), Job("push", "octo/a", "2"), Job("push", "octo/b", "3"), Job("push", "octo/c", "4"))
    queue.accept("one", "push", Asked(jobs))
    addresses = (
        "javascript:alert(1)",
        "https://github.com/octo/a/pull/1?'\"><script>x</script>",
        "https://github.com/\u202e",
    )
    for address in addresses:
        claim = queue.claim()
        assert claim is not None
        queue.finish(claim, Outcome(EVIL, address))
    claim = queue.claim()
    assert claim is not None
    queue.fail(claim, EVIL, final=True)


def test_the_page_shows_everything_and_runs_nothing(port: int, queue: Queue) -> None:
    fill(queue)
    answer = ask(port, "GET", "/", headers=LOGIN)
    page = Elements()
    page.feed(answer.body)
    allowed = (
        "html head meta title style body main header h1 h2 dl div dt dd p figure figcaption svg line rect "
        "table thead tbody tr th td time span a details summary pre"
    ).split()
    assert {tag for tag, _ in page.elements} <= set(allowed)
    names = {name for _, attributes in page.elements for name in attributes}
    assert not [name for name in names if name.startswith("on") or name in ("style", "src")]
    links = [attributes["href"] for tag, attributes in page.elements if tag == "a"]
    assert [str(link)[:31] for link in links] == ["https://github.com/octo/a/pull/"]
    assert "<script>alert(1)</script>" in page.text
    assert not re.search("[\u202e\x1b]", answer.body)
    for title in ("Failures", "Pull requests", "Repositories", "Jobs", "octo/c", "given up"):
        assert title in page.text


def test_the_pages_policy_lets_its_own_style_in_and_nothing_else(port: int) -> None:
    answer = ask(port, "GET", "/", headers=LOGIN)
    headers = {name.lower(): value for name, value in answer.headers.items()}
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_an_empty_page_says_so(port: int) -> None:
    assert ask(port, "GET", "/", headers=LOGIN).body.count(">None.</p>") == 4


def test_the_page_says_whether_there_is_something_to_do(queue: Queue) -> None:
    def judged(now: float) -> str:
        return write_page(look(queue, now)).partition("</h1>")[2].partition("</p>")[0].partition(">")[2]

    now = time.time()
    assert judged(now) == "All is well"
    job = Job("push", "octo/a", "octo/a push")
    queue.accept("one", "push", Asked((job,)))
    assert judged(now + 60) == "All is well"
    assert judged(now + 3_700) == "a job has waited for 61 min: are there workers?"
    claim = queue.claim()
    assert claim is not None
    queue.fail(claim, "an error", final=True)
    assert judged(now) == "1 given up, not done since"
    queue.accept("two", "push", Asked((job,)))
    claim = queue.claim()
    assert claim is not None
    queue.finish(claim, Outcome("done"))
    assert judged(now) == "All is well"
    assert "done since" in write_page(look(queue))
