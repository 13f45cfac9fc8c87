"""`tc-migrate serve` as an operator meets it: how it starts, what it outlives, how it ends, what it tells nobody."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from migrate.bot.credentials import KEY, Files, take_credentials
from migrate.bot.credentials import PASSWORD as DASHBOARD
from migrate.bot.credentials import SECRET as WEBHOOK
from migrate.bot.overview import look
from migrate.bot.queue import Queue
from migrate.bot.receiver import Door
from migrate.bot.serving import Deployment, ask_patiently
from migrate.cli import main
from migrate.forge.faults import Denied
from migrate.forge.tokens import EVENTS, PUBLISH, App
from tests.bot.hub import Hub
from tests.bot.load import free_port
from tests.bot.payloads import push
from tests.bot.receivers import SECRET, ask, deliver
from tests.bot.test_forge import make_key
from tests.bot.test_receiver import LOGIN, PASSWORD

ROOT = Path(__file__).parent.parent.parent
PROC = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


@pytest.fixture(scope="module")
def keys() -> tuple[str, bytes]:
    return make_key()


@pytest.fixture
def app(hub: Hub, keys: tuple[str, bytes]) -> Hub:
    """The hub, which knows the App."""
    hub.apps[7] = keys[1]
    hub.state.registration = {"permissions": {"metadata": "read", **PUBLISH}, "events": sorted(EVENTS)}
    return hub


@pytest.fixture
def environment(app: Hub, keys: tuple[str, bytes], tmp_path: Path) -> dict[str, str]:
    """What an operator sets."""
    key = tmp_path / "key.pem"
    key.touch(0o600)
    key.write_text(keys[0])
    return {
        "TC_MIGRATE_APP_ID": "7",
        "TC_MIGRATE_PRIVATE_KEY_FILE": str(key),
        "TC_MIGRATE_WEBHOOK_SECRET": f"an older secret, {SECRET}",
        "TC_MIGRATE_DASHBOARD_PASSWORD": PASSWORD,
        "TC_MIGRATE_QUEUE": str(tmp_path / "state" / "queue.db"),
        "TC_MIGRATE_SCRATCH": str(tmp_path / "scratch"),
        "TC_MIGRATE_API_URL": app.url,
        "TC_MIGRATE_WEB_URL": app.url,
        "TC_MIGRATE_PORT": str(free_port()),
    }


def call(environment: dict[str, str], *words: str) -> Result:
    return CliRunner().invoke(main, ["serve", *words], env=environment)


def wait_for(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


# --- how it starts, or does not -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("without", "message"),
    [
        ("TC_MIGRATE_PRIVATE_KEY_FILE", "no private key of the App: set TC_MIGRATE_PRIVATE_KEY_FILE or"),
        ("TC_MIGRATE_WEBHOOK_SECRET", "no secret of the webhook: set TC_MIGRATE_WEBHOOK_SECRET_FILE or"),
    ],
)
def test_without_a_secret_it_does_not_start(environment: dict[str, str], without: str, message: str) -> None:
    del environment[without]
    result = call(environment)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert message in result.output


@pytest.mark.parametrize("given", [" ", ",", " , ,"])
def test_an_empty_secret_is_none(environment: dict[str, str], given: str) -> None:
    result = call({**environment, "TC_MIGRATE_WEBHOOK_SECRET": given})
    assert result.exit_code == 2
    assert "no secret of the webhook" in result.output


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o660, 0o620, 0o601])
def test_a_key_that_others_can_read_is_refused(environment: dict[str, str], mode: int) -> None:
    Path(environment["TC_MIGRATE_PRIVATE_KEY_FILE"]).chmod(mode)
    result = call(environment)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert "others can read or write it; chmod 600" in result.output


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no private key"), ("hunter2hunter2", "the private key is not one"), ("\udcff", "not a text")],
)
def test_a_key_that_is_none(environment: dict[str, str], text: str, message: str) -> None:
    Path(environment["TC_MIGRATE_PRIVATE_KEY_FILE"]).write_bytes(text.encode("utf-8", "surrogateescape"))
    result = call(environment)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert message in result.output
    assert "hunter2" not in result.output


def test_a_secret_in_two_places(environment: dict[str, str], tmp_path: Path) -> None:
    result = call(environment, "--webhook-secret", str(tmp_path / "other"))
    assert result.exit_code == 2
    assert "two places for the secret of the webhook" in result.output


def test_a_port_that_is_taken(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        result = call({**environment, "TC_MIGRATE_PORT": port})
    assert result.exit_code == 2
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in result.output


def test_a_queue_that_is_none(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a text" * 1_000)
    result = call({**environment, "TC_MIGRATE_QUEUE": str(tmp_path / "text")})
    assert result.exit_code == 2
    assert "text cannot be used: file is not a database" in result.output


@pytest.mark.parametrize(
    "url", ["http://github.example.com/api/v3", "https://me:pass@github.example.com", "github.com"]
)
def test_a_forge_that_tokens_must_not_go_to(environment: dict[str, str], url: str) -> None:
    result = call({**environment, "TC_MIGRATE_API_URL": url})
    assert result.exit_code == 2
    assert "no https address" in result.output


def test_a_forge_that_does_not_answer_is_asked_until_it_does(app: Hub, keys: tuple[str, bytes]) -> None:
    app.faults = {"GET /app": ["502", "drop", "secondary", "page"]}
    pauses: list[float] = []
    with closing(App(7, keys[0], app.url)) as asked:
        assert ask_patiently(asked, pauses.append).slug == "octoapp"
    assert pauses == [10, 10, 37, 10]


def test_a_key_of_another_app(app: Hub, keys: tuple[str, bytes]) -> None:
    app.apps[7] = make_key()[1]
    with pytest.raises(Denied):
        ask_patiently(App(7, keys[0], app.url))


# --- what GitHub knows of it --------------------------------------------------------------------------------------


def test_the_configuration_is_checked(environment: dict[str, str], app: Hub) -> None:
    result = call(environment, "--check-config")
    assert (result.exit_code, result.output.splitlines()) == (0, [
        f"App: octoapp of octocat, number 7, at {app.url}",
        "Permissions: checks: write, contents: write, metadata: read, pull_requests: write",
        "Events: check_run, check_suite, issue_comment, pull_request, push",
        "Missing: nothing",
    ])  # fmt: skip
    assert app.requests == ["GET /app"]


def test_what_is_missing_is_said(environment: dict[str, str], app: Hub) -> None:
    app.state.registration = {"permissions": {"contents": "read", "checks": "write"}, "events": ["push"]}
    result = call(environment, "--check-config")
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == (
        "Missing: contents: write, pull_requests: write, event check_run, event check_suite, event issue_comment, "
        "event pull_request"
    )


def test_a_wrong_key_is_said(environment: dict[str, str], app: Hub) -> None:
    app.apps[7] = make_key()[1]
    result = call(environment, "--check-config")
    assert (result.exit_code, result.output) == (2, "Error: GitHub: the App: 401 Bad credentials\n")


# --- while it runs ------------------------------------------------------------------------------------------------


class Served:
    """A `tc-migrate serve` that runs, and what it has said."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path, port: int) -> None:
        self.process, self.log, self.port = process, log, port

    def is_healthy(self) -> bool:
        try:
            return ask(self.port, "GET", "/healthz").status == 200
        except OSError:
            return False

    def children(self) -> list[int]:
        number = self.process.pid
        return [int(each) for each in Path(f"/proc/{number}/task/{number}/children").read_text().split()]


@contextmanager
def start(environment: dict[str, str], folder: Path, *words: str) -> Iterator[Served]:
    log = folder / "log"
    command = [sys.executable, "-m", "migrate.cli", *(words or ("serve",))]
    with log.open("wb") as said:
        process = subprocess.Popen(command, env={**os.environ, **environment}, cwd=ROOT, stdout=said, stderr=said)
    try:
        yield Served(process, log, int(environment["TC_MIGRATE_PORT"]))
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def served(environment: dict[str, str], tmp_path: Path) -> Iterator[Served]:
    with start(environment, tmp_path) as served:
        wait_for(served.is_healthy)
        yield served


def is_alive(number: int) -> bool:
    return Path(f"/proc/{number}").exists()


@PROC
def test_whoever_dies_is_started_again_and_all_end_together(served: Served, environment: dict[str, str]) -> None:
    first = served.children()
    assert len(first) == 4  # receiver, two workers, sweeper
    for number in first:
        os.kill(number, signal.SIGKILL)
    # The door stays open meanwhile: who knocks waits for the next receiver.
    assert deliver(served.port, "one", "push", push()).status == 202
    wait_for(lambda: len(served.children()) == 4 and not set(served.children()) & set(first))
    for name in ("receiver", "worker 1", "worker 2", "sweeper"):
        assert f"{name} was ended by SIGKILL; started again in 1 s" in served.log.read_text()
    children = served.children()
    served.process.terminate()
    assert served.process.wait(60) == 0
    assert "does not end" not in served.log.read_text()
    assert not any(map(is_alive, children))
    with closing(Queue(Path(environment["TC_MIGRATE_QUEUE"]))) as queue:
        assert queue.known(["one"]) == {"one"}
        assert look(queue).states["running"] == 0


@PROC
def test_nobody_is_left_when_it_is_killed(served: Served) -> None:
    children = served.children()
    served.process.kill()
    served.process.wait()
    wait_for(lambda: not any(map(is_alive, children)))


@PROC
def test_a_job_that_is_not_done_is_given_back(served: Served, app: Hub, environment: dict[str, str]) -> None:
    wait_for(lambda: "GET /app/hook/deliveries" in app.requests)
    with app.lock, closing(Queue(Path(environment["TC_MIGRATE_QUEUE"]))) as queue:  # the forge does not answer
        deliver(served.port, "one", "push", push())
        wait_for(lambda: look(queue).states["running"])
        served.process.terminate()
        assert served.process.wait(30) == 0
        (row,) = look(queue).jobs
    assert (row["state"], row["attempts"], row["note"]) == ("ready", 0, "the worker stopped")


@PROC
def test_one_more_worker(served: Served, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    with start(environment, tmp_path / "more", "worker") as worker:
        wait_for(lambda: "worker is process" in worker.log.read_text())
        worker.process.send_signal(signal.SIGINT)
        assert worker.process.wait(60) == 0


@PROC
def test_secrets_are_in_no_command_line_and_no_log(
    environment: dict[str, str], tmp_path: Path, keys: tuple[str, bytes]
) -> None:
    del environment["TC_MIGRATE_PRIVATE_KEY_FILE"]
    environment |= {"TC_MIGRATE_PRIVATE_KEY": keys[0].replace("\n", "\\n"), "TC_MIGRATE_LOG_LEVEL": "debug"}
    with start(environment, tmp_path) as served:
        wait_for(served.is_healthy)
        deliver(served.port, "one", "push", push())
        assert ask(served.port, "GET", "/", headers=LOGIN).status == 200
        lines = [Path(f"/proc/{number}/cmdline").read_bytes() for number in (served.process.pid, *served.children())]
        served.process.terminate()
        served.process.wait(60)
    for text in (served.log.read_text(), *map(repr, lines)):
        assert not [secret for secret in (SECRET, PASSWORD, keys[0][40:100], "eyJ") if secret in text]


def test_values_that_hold_secrets_do_not_show_them(environment: dict[str, str], keys: tuple[str, bytes]) -> None:
    held = take_credentials(Files(), {KEY: keys[0], WEBHOOK: SECRET, DASHBOARD: PASSWORD})
    for value in (held, Deployment(7, held, Path("q"), Path("s")), Door(held.webhook, password=held.password)):
        assert not [secret for secret in (SECRET, PASSWORD, "PRIVATE") if secret in repr(value)]


def test_the_environment_holds_none_of_them_any_more(environment: dict[str, str], keys: tuple[str, bytes]) -> None:
    given = {KEY: keys[0], WEBHOOK: SECRET, DASHBOARD: PASSWORD, "PATH": "/bin"}
    assert take_credentials(Files(), given).password == PASSWORD
    assert given == {"PATH": "/bin"}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not hidden")
def test_the_processes_cannot_be_looked_into() -> None:
    """Not by another process of the same user: its /proc/N/environ holds what the operator has set."""
    code = (
        "import ctypes, os; from migrate.bot.child import hide_memory; hide_memory(); "
        "get = lambda: ctypes.CDLL(None).prctl(3, 0, 0, 0, 0); print(get(), flush=True); "
        "os.fork() or print(get(), flush=True)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["0", "0"]
