"""A receiver on loopback, and somebody who delivers to it."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette

from migrate.bot.receiver import make_config
from tests.bot.payloads import sign

SECRET = "a secret of this test alone"


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    body: str


def ask(port: int, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body or None, dict(headers or {}))
        answer = connection.getresponse()
        return Answer(answer.status, dict(answer.headers.items()), answer.read().decode())
    finally:
        connection.close()


def deliver(port: int, delivery: str, event: str, payload: Any, **changed: str) -> Answer:
    """As GitHub does. `changed`: headers, with `_` for `-`; an empty one is left out."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Delivery": delivery,
        "X-GitHub-Event": event,
        "X-Hub-Signature-256": sign(body, SECRET),
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }
    return ask(port, "POST", "/webhook", body, {name: value for name, value in headers.items() if value})


@contextmanager
def serving(app: Starlette) -> Iterator[int]:
    """The port of an app that runs in a thread for the time of the block."""
    config = make_config(app)
    config.host, config.port = "127.0.0.1", 0
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)
