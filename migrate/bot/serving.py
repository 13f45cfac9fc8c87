"""The App as an operator starts it: receiver, workers and sweeper, made from one description of where and with what."""

from __future__ import annotations

import logging
import os
import socket
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from migrate.bot.app_work import AppConfig, AppWork
from migrate.bot.child import hide_memory
from migrate.bot.credentials import Credentials
from migrate.bot.processes import Pauses, Task, keep_running
from migrate.bot.queue import Limits, Queue
from migrate.bot.receiver import Door, listen, make_app
from migrate.bot.receiver import serve as serve_app
from migrate.bot.redaction import LogLines
from migrate.bot.sweeper import Bounds, Sweeper
from migrate.bot.worker import Worker
from migrate.forge.faults import ForgeError
from migrate.forge.tokens import App, Registration
from migrate.migration import MigrateError

_LOG = logging.getLogger("tc-migrate")
_GRACE = 5
"""Seconds that a job may go on when its worker is to end. Then it is given back, and done again by the next one."""
_LONGEST_PAUSE = 60.0
"""Seconds between two questions to a forge that does not answer."""


class StartError(MigrateError):
    """The App cannot be started like this."""


@dataclass(frozen=True)
class Deployment:
    """Where the App runs."""

    number: int
    """The App's id."""
    credentials: Credentials
    queue: Path
    """The file that all its processes share."""
    scratch: Path
    """The folder for what is fetched. A job leaves nothing there."""
    api: str = "https://api.github.com"
    web: str = "https://github.com"
    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 2
    """Jobs beside each other."""
    jobs: int = 1
    """Processes that migrate the scripts of one job."""
    limits: Limits = field(default_factory=Limits)
    pauses: Pauses = field(default_factory=Pauses)
    sweeps: Bounds = field(default_factory=Bounds)
    between_writes: float = 1.0
    """Seconds, of which GitHub wants one at least."""

    @property
    def app(self) -> App:
        """The App at its forge. Nothing is asked yet."""
        return App(self.number, self.credentials.key, self.api, pause=self.between_writes)

    def open_queue(self) -> Queue:
        """The file, for the process that calls this."""
        # Of several workers one is always left for the others.
        return Queue(self.queue, replace(self.limits, of_installation=max(1, self.workers - 1)))


def serve(deployment: Deployment) -> None:
    """All of it, until SIGTERM or Ctrl-C. Raises StartError, and ForgeError for a key that is not the App's."""
    hide_memory()
    _open(deployment)
    listening = _listen(deployment)
    name = ask_patiently(deployment.app).slug
    _LOG.info("%s serves http://%s:%d/webhook", name, deployment.host, deployment.port)
    works = [Task(f"worker {number}", partial(_work, deployment, name, listening))
             for number in range(1, deployment.workers + 1)]  # fmt: skip
    receives = Task("receiver", partial(_receive, deployment, name, listening))
    sweeps = Task("sweeper", partial(_sweep, deployment, listening))
    keep_running([receives, *works, sweeps], deployment.pauses)
    _LOG.info("stopped")


def work(deployment: Deployment) -> None:
    """One more worker, beside those of `serve`, until SIGTERM or Ctrl-C. Raises as `serve` does."""
    hide_memory()
    _open(deployment)
    name = ask_patiently(deployment.app).slug
    keep_running([Task("worker", partial(_work, deployment, name))], deployment.pauses)


def ask_patiently(app: App, sleep: Callable[[float], None] = time.sleep) -> Registration:
    """What the App is, as soon as the forge answers. Raises ForgeError when it refuses."""
    pause = 1.0
    while True:
        try:
            with closing(app):
                return app.look_up()
        except ForgeError as error:
            if error.wait is None:
                raise
            _LOG.warning("%s; asked again in %.0f s", error, max(pause, error.wait))
            sleep(max(pause, error.wait))
            pause = min(2 * pause, _LONGEST_PAUSE)


def start_log(level: str) -> None:
    """One log for all that is said, on standard error."""
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(LogLines())
    logging.basicConfig(level=level.upper(), handlers=[lines])
    logging.captureWarnings(True)
    for chatty in ("urllib3", "github", "asyncio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _receive(deployment: Deployment, name: str, listening: socket.socket) -> None:
    secrets, password = deployment.credentials.webhook, deployment.credentials.password
    door = Door(secrets, name, deployment.number, password)
    serve_app(make_app(deployment.open_queue(), door), listening)


def _work(deployment: Deployment, name: str, listening: socket.socket | None = None) -> None:
    if listening is not None:
        listening.close()
    config = AppConfig(
        app_id=deployment.number, key=deployment.credentials.key, name=name, api=deployment.api, web=deployment.web,
        folder=deployment.scratch, jobs=deployment.jobs, pause=deployment.between_writes,
        attempts=deployment.limits.attempts,
    )  # fmt: skip
    Worker(deployment.open_queue(), AppWork(config), grace=_GRACE).run()


def _sweep(deployment: Deployment, listening: socket.socket) -> None:
    listening.close()
    Sweeper(deployment.open_queue(), deployment.app, deployment.sweeps).run()


def _open(deployment: Deployment) -> None:
    """See that the files can be used, before processes try and die of it."""
    try:
        deployment.queue.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        deployment.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        with closing(deployment.open_queue()) as queue:
            queue.recover()
    except sqlite3.Error as error:
        raise StartError(f"{deployment.queue} cannot be used: {error}") from error
    except OSError as error:
        raise StartError(f"{error.filename}: {error.strerror}") from error
    # Others could put links there, and what is left in it is deleted.
    found = deployment.scratch.stat()
    if found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise StartError(f"{deployment.scratch}: has to be yours alone; chmod 700 {deployment.scratch}")


def _listen(deployment: Deployment) -> socket.socket:
    try:
        return listen(deployment.host, deployment.port)
    except OSError as error:
        raise StartError(f"cannot listen on {deployment.host} port {deployment.port}: {error.strerror}") from error
