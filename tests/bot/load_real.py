"""The whole App under fire: `python -m tests.bot.load --real`.

`tc-migrate serve` runs as it is, with its own workers, against the fake hub and real repositories, while its processes,
and now and then all of them, are killed with SIGKILL. Nothing is sent again but by GitHub's own rule: what nobody took
is delivered anew when the sweeper asks for it. In the end each repository has one pull request, which holds what the
tool makes of the last commit.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from migrate.bot.credentials import Credentials
from migrate.bot.overview import look
from migrate.bot.processes import Pauses
from migrate.bot.queue import Limits, Queue
from migrate.bot.serving import Deployment, serve, start_log
from migrate.bot.sweeper import Bounds
from tests.bot import payloads
from tests.bot.app_site import BRANCH, PR, make_key, migrated
from tests.bot.hub import Hub
from tests.bot.hub import serve as serve_hub
from tests.bot.load import free_port
from tests.bot.receivers import SECRET
from tests.bot.repositories import commit_files, git, make_bare
from tests.bot.test_survey import SCRIPT

ROOT = Path(__file__).parents[2]
LIMITS = Limits(lease=6, attempts=50, backoff=0.5, commands_of_one=10**9)
LONGEST = 300.0
"""Seconds to wait for the last job."""
COMMANDS = ("run", "check", "rebase", "help", "explain TC111")


@dataclass
class Figures:
    """What came of it."""

    repositories: int
    sent: int
    taken: int = 0
    """At the first try."""
    fetched: int = 0
    """Missed, and delivered because the sweeper asked for it."""
    kills: int = 0
    ends: int = 0
    """Of all processes at once."""
    lost: list[str] = field(default_factory=list)
    """Deliveries that never came into the queue."""
    unfinished: int = 0
    jobs: int = 0
    again: int = 0
    """Jobs that needed more than one attempt."""
    dead: int = 0
    wrong: list[str] = field(default_factory=list)
    """Repositories without the one pull request that there has to be."""
    breaches: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.sent} deliveries to {self.repositories} repositories in {self.seconds:.0f} s; "
            f"{self.kills} processes killed, and {self.ends} times all at once; {self.taken} taken at the first try, "
            f"{self.fetched} fetched by the sweeper, {len(self.lost)} lost; "
            f"{self.jobs} jobs, {self.again} of them begun more than once, {self.dead} given up, {self.unfinished} not "
            f"done; {len(self.wrong)} repositories without their one right pull request; {self.breaches} requests or "
            "answers not as GitHub describes them"
        )

    @property
    def is_right(self) -> bool:
        return not (self.lost or self.unfinished or self.dead or self.wrong or self.breaches)


class Served:
    """`serve` in a process of its own, which is started again whenever it ends."""

    def __init__(self, folder: Path, hub: Hub) -> None:
        self._folder = folder
        self._order = folder / "order.json"
        self._order.touch(0o600)
        self._order.write_text(json.dumps({"api": hub.url, "port": hub.state.hook.port, "key": make_key()[0]}))
        self._chance = random.Random(0)
        self.process = self._start()
        self.kills = self.ends = 0

    def kill_one(self) -> None:
        """One of its processes; it starts that again itself."""
        with suppress(OSError, IndexError, ValueError):  # there is none at this moment
            os.kill(self._chance.choice(self._children()), signal.SIGKILL)
            self.kills += 1

    def kill(self) -> None:
        """All of it: its processes end with the first of them. Started again as systemd does, until it stays."""
        self.process.kill()
        self.process.wait()
        self.ends += 1
        while self.process.poll() is not None:
            self.process = self._start()
            with suppress(subprocess.TimeoutExpired):  # the port may still be held by the receiver that ends
                self.process.wait(2)

    def end(self) -> int:
        """With SIGTERM. Its exit code."""
        self.process.terminate()
        return self.process.wait(60)

    def _children(self) -> list[int]:
        number = self.process.pid
        return [int(each) for each in Path(f"/proc/{number}/task/{number}/children").read_text().split()]

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.bot.load_real", str(self._order)]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=ROOT)


def run(
    folder: Path, repositories: int, deliveries: int, kills: int, ends: int, seconds: float, seed: int = 0
) -> Figures:
    """Push, comment, kill, and look at what stands in the end. `seconds`: the time in which all of that happens."""
    figures, chance = Figures(repositories, deliveries), random.Random(seed)
    with serve_hub(folder / "hub") as hub:
        names = [_make(hub, number) for number in range(repositories)]
        hub.apps[7] = make_key()[1]
        hub.state.registration = {"slug": "tc-migrate"}
        hub.state.permissions = {"alice": "write"}
        hub.state.hook.port = free_port()
        served, begun = Served(folder, hub), time.monotonic()
        strikes = dict.fromkeys(chance.sample(range(deliveries), kills), False)
        strikes |= dict.fromkeys(chance.sample(range(deliveries), ends), True)
        _wait_for_start(hub)
        with ThreadPoolExecutor(1) as killer:
            for number in range(deliveries):
                if number in strikes:
                    killer.submit(served.kill if strikes[number] else served.kill_one)
                figures.taken += _happen(hub, chance.choice(names), number, chance) == 202
                time.sleep(chance.expovariate(deliveries / seconds))
        _wait(folder, hub)
        code = served.end()
        assert code == 0, f"it ended with {code}"
        figures.kills, figures.ends = served.kills, served.ends
        figures.seconds = time.monotonic() - begun
        _judge(folder, hub, names, figures)
    return figures


def _wait_for_start(hub: Hub) -> None:
    end = time.monotonic() + LONGEST
    while "GET /app/hook/deliveries" not in hub.requests:
        assert time.monotonic() < end
        time.sleep(0.1)


def _make(hub: Hub, number: int) -> str:
    name = f"octo/r{number}"
    hub.state.repositories.append(name)
    commit_files(make_bare(hub.root / f"{name}.git"), _files(number, 0))
    return name


def _files(number: int, version: int) -> dict[str, bytes]:
    return {"train.py": SCRIPT + f"print({number}, {version})\n".encode(), **PR}


def _happen(hub: Hub, name: str, number: int, chance: random.Random) -> int:
    """Somebody pushes, comments or wants the check again; sometimes a push is said twice."""
    kind = chance.random()
    if kind < 0.3:
        with hub.lock:
            commit_files(hub.root / f"{name}.git", _files(int(name.removeprefix("octo/r")), number))
    if kind < 0.6:
        return hub.state.hook.send("push", payloads.push(name))
    if kind < 0.85:
        commit = hub.state.tip(name, "main")
        asked = {"action": "rerequested", "check_run": {"name": "tc-migrate", "head_sha": commit}}
        return hub.state.hook.send("check_run", {**payloads.payload(name), **asked})
    pulls = [each for each in list(hub.state.pulls.values()) if each["repository"] == name]
    if not pulls:
        return hub.state.hook.send("push", payloads.push(name))
    said = f"/tc-migrate {chance.choice(COMMANDS)}"
    return hub.state.hook.send("issue_comment", payloads.comment(said, name, pulls[0]["number"], id=1_000 + number))


def _wait(folder: Path, hub: Hub) -> None:
    """Until all has arrived and nothing is left to do."""
    end = time.monotonic() + LONGEST
    with closing(Queue(folder / "queue.db", LIMITS)) as queue:
        while time.monotonic() < end:
            states = look(queue).states
            if (
                not states["ready"]
                and not states["running"]
                and len(queue.known(hub.state.hook.events)) == len(hub.state.hook.events)
            ):
                return
            time.sleep(0.5)


def _judge(folder: Path, hub: Hub, names: list[str], figures: Figures) -> None:
    with closing(Queue(folder / "queue.db", LIMITS)) as queue:
        states, events = look(queue).states, hub.state.hook.events
        figures.lost = sorted(set(events) - queue.known(events))
        figures.unfinished, figures.dead = states["ready"] + states["running"], states["dead"]
        with queue.transaction(write=False) as db:
            figures.jobs = db.execute("SELECT count(*) FROM job").fetchone()[0]
            figures.again = db.execute("SELECT count(*) FROM job WHERE attempts > 1").fetchone()[0]
    figures.wrong = [name for name in names if not _is_right(hub, name)]
    figures.breaches = len(hub.breaches)
    figures.fetched = len({each["guid"] for each in hub.state.hook.tries if each["redelivery"]})


def _is_right(hub: Hub, name: str) -> bool:
    """One pull request, and its branch holds the migrated script of the last commit."""
    bare, opened = hub.root / f"{name}.git", [each for each in hub.state.pulls.values() if each["repository"] == name]
    if len(opened) != 1 or not hub.state.tip(name, BRANCH):
        return False
    base, held = (git(bare, "cat-file", "blob", f"{branch}:train.py") + b"\n" for branch in ("main", BRANCH))
    return held == migrated(base)


def show(*given: Any) -> None:
    """`run` in a folder of its own, and what came of it. Ends the process."""
    with tempfile.TemporaryDirectory() as folder:
        figures = run(Path(folder), *given)
        print(figures)
        if not figures.is_right:
            print((Path(folder) / "log").read_text()[-20_000:])
    sys.exit(not figures.is_right)


def main() -> None:
    """The process that is killed. Its order is a file, so that the key is on no command line."""
    order: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
    folder = Path(sys.argv[1]).parent
    start_log("info")
    serve(Deployment(
        7, Credentials(order["key"], (SECRET,)), folder / "queue.db", folder / "scratch", order["api"], order["api"],
        port=order["port"], limits=LIMITS, pauses=Pauses(pause=0.2, longest=0.2), sweeps=Bounds(every=5, tries=50),
        between_writes=0.0,
    ))  # fmt: skip


if __name__ == "__main__":
    main()
