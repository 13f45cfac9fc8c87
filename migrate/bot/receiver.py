"""The door for GitHub's webhooks: what is authentic is stored, and only then acknowledged. No work is done here."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import logging
import re
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import anyio
import anyio.to_thread
import uvicorn
from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from migrate.bot.connections import Connection
from migrate.bot.dashboard import HEADERS, write_page
from migrate.bot.events import read_event
from migrate.bot.overview import look
from migrate.bot.queue import Queue

_LOG = logging.getLogger("tc-migrate.receiver")
LARGEST = 25 * 1024**2
"""Bytes of a delivery: GitHub sends no more."""
HELD = 8 * LARGEST
"""Bytes of all deliveries that are held at once. Whoever would bring more is told to come again."""
_READ_AT_ONCE = 4
"""Deliveries that are taken apart beside each other: as values they are several times as large."""
_SLOWEST = 30
"""Seconds for all of a delivery to come."""
_MOST_AT_ONCE = 400
"""Connections. Of those that say nothing, `connections` keeps a few."""
_AGAIN = 30
"""Seconds to wait for whoever came when there was no room."""
_CLOSING = 5
"""Seconds for answers that are on their way when the receiver is to end."""
_DELIVERY, _EVENT = re.compile(r"[0-9A-Za-z-]{1,64}"), re.compile(r"[a-z_]{1,64}")


@dataclass(frozen=True)
class Door:
    """What the receiver has to know."""

    secrets: Sequence[str] = field(repr=False)
    """Of the webhook; two while one replaces the other."""
    app: str = "tc-migrate"
    """The App's own name, in whose doings there is nothing to do."""
    number: int | None = None
    """Of the App. GitHub says in a header for which App a delivery is."""
    password: str = field(default="", repr=False)
    """For the page and the figures, with any name. Without one they are not served: they name private repositories."""

    def __post_init__(self) -> None:
        if not self.secrets or not all(self.secrets):
            raise ValueError("a webhook without a secret would take orders from everybody")


def make_app(queue: Queue, door: Door) -> Starlette:
    """`POST /webhook`, `/healthz`, and behind the password `/` and `/metrics`."""
    receiver = _Receiver(queue, door)
    return Starlette(
        routes=[
            Route("/webhook", receiver.take, methods=["POST"]),
            Route("/healthz", receiver.tell_health),
            Route("/metrics", receiver.tell_figures),
            Route("/", receiver.show),
        ]
    )


def listen(host: str, port: int) -> socket.socket:
    """The socket to serve on. Kept open by who starts receivers, it lets callers wait from one to the next.

    Raises OSError.
    """
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=128)


def serve(app: Starlette, listening: socket.socket) -> None:
    """Until SIGTERM or Ctrl-C. One process is enough: it only writes to the queue."""
    uvicorn.Server(make_config(app)).run([listening])


def make_config(app: Starlette) -> uvicorn.Config:
    """What connections may cost."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        limit_concurrency=_MOST_AT_ONCE,
        timeout_graceful_shutdown=_CLOSING,
        server_header=False,
        access_log=False,
        lifespan="off",
        log_config=None,
    )


def is_authentic(body: bytes | bytearray, signature: str, secrets: Sequence[str]) -> bool:
    """Whether `X-Hub-Signature-256` is of these bytes. Takes as long for a wrong signature as for a right one."""
    given = signature.encode("utf-8", "replace")
    expected = [b"sha256=" + hmac.new(secret.encode(), body, sha256).hexdigest().encode() for secret in secrets]
    return sum([hmac.compare_digest(given, each) for each in expected]) > 0


class _Receiver:
    def __init__(self, queue: Queue, door: Door) -> None:
        self._queue, self._door = queue, door
        self._registry = CollectorRegistry()
        self._registry.register(_Figures(queue))
        text = "Requests to the webhook, by the status of the answer"
        self._answers = Counter("tc_migrate_webhook_answers", text, ["status"], registry=self._registry)
        self._readers = anyio.CapacityLimiter(_READ_AT_ONCE)
        self._held = 0
        held = Gauge("tc_migrate_webhook_bytes", "Bytes of deliveries that are held now", registry=self._registry)
        held.set_function(lambda: self._held)

    async def take(self, request: Request) -> Response:
        body = bytearray()
        try:
            status, said = await self._take(request, body)
        finally:
            self._held -= len(body)
        self._answers.labels(str(status)).inc()
        # What has not come yet of a body that is refused does not have to come.
        headers = {"Connection": "close"} if status in (401, 408, 413, 503) else {}
        return PlainTextResponse(said + "\n", status, headers | ({"Retry-After": str(_AGAIN)} if status == 503 else {}))

    async def _take(self, request: Request, body: bytearray) -> tuple[int, str]:
        try:
            with anyio.fail_after(_SLOWEST):
                refusal = await self._read(request, body)
        except TimeoutError:
            return 408, "too slow"
        except ClientDisconnect:
            return 400, "not all of it came"
        if refusal is not None:
            return refusal
        headers = request.headers
        if not is_authentic(body, headers.get("x-hub-signature-256", ""), self._door.secrets):
            return 401, "the signature is missing or wrong"
        event, delivery = (headers.get(name, "") for name in ("x-github-event", "x-github-delivery"))
        if not _EVENT.fullmatch(event) or not _DELIVERY.fullmatch(delivery):
            return 400, "no X-GitHub-Event or X-GitHub-Delivery"
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return 400, "the content type of the webhook has to be application/json"
        number = self._door.number
        if number is not None and headers.get("x-github-hook-installation-target-id", str(number)) != str(number):
            return 400, "a delivery for another App"
        return await anyio.to_thread.run_sync(self._store, event, delivery, body, limiter=self._readers)

    async def _read(self, request: Request, body: bytearray) -> tuple[int, str] | None:
        """Fill the body, or say why it is not taken. No more than the largest, and of all at once, is ever held."""
        declared = request.headers.get("content-length", "")
        if declared.isascii() and declared.isdigit() and int(declared[:20]) > LARGEST:
            return 413, f"more than {LARGEST} bytes"
        async for chunk in request.stream():
            if len(body) + len(chunk) > LARGEST:
                return 413, f"more than {LARGEST} bytes"
            if self._held + len(chunk) > HELD:
                return 503, "too much at once; deliver it again"
            body += chunk
            self._held += len(chunk)
        return None

    def _store(self, event: str, delivery: str, body: bytearray) -> tuple[int, str]:
        try:
            payload = json.loads(body)
        except (ValueError, RecursionError):
            payload = None
        if not isinstance(payload, dict):
            return 400, "the body is no JSON object"
        try:
            new = self._queue.accept(delivery, event, read_event(event, payload, self._door.app))
        except sqlite3.Error:
            _LOG.exception("delivery %s could not be stored", delivery)
            return 503, "not stored; deliver it again"
        return 202, "stored" if new else "known already"

    async def tell_health(self, request: Request) -> Response:
        try:
            await run_in_threadpool(self._queue.recover)  # shows that the file can be written
        except sqlite3.Error:
            return PlainTextResponse("the database does not answer\n", 503)
        return PlainTextResponse("ok\n")

    async def tell_figures(self, request: Request) -> Response:
        refusal = self._refuse(request)
        if refusal is not None:
            return refusal
        return PlainTextResponse(await run_in_threadpool(generate_latest, self._registry))

    async def show(self, request: Request) -> Response:
        refusal = self._refuse(request)
        if refusal is not None:
            return refusal
        return HTMLResponse(write_page(await run_in_threadpool(look, self._queue)), headers=HEADERS)

    def _refuse(self, request: Request) -> Response | None:
        """The answer to who may not see this."""
        if not self._door.password:
            return PlainTextResponse("not found\n", 404)
        given = _read_password(request.headers.get("authorization", ""))
        if hmac.compare_digest(given, self._door.password.encode()):
            return None
        return PlainTextResponse("a password, please\n", 401, {"WWW-Authenticate": 'Basic realm="tc-migrate"'})


def _read_password(authorization: str) -> bytes:
    scheme, _, value = authorization.partition(" ")
    try:
        decoded = base64.b64decode(value, validate=True) if scheme.lower() == "basic" else b""
    except (binascii.Error, ValueError):
        return b""
    return decoded.partition(b":")[2]


class _Figures(Collector):
    """What is in the database now: it is shared by all processes, so no process has to count."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    def describe(self) -> Iterator[Any]:
        """Nothing, so that registering does not read the database."""
        return iter(())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        overview = look(self._queue)
        jobs = GaugeMetricFamily("tc_migrate_jobs", "Jobs by state, for as long as they are kept", labels=["state"])
        for state, number in overview.states.items():
            jobs.add_metric([state], number)
        yield jobs
        yield GaugeMetricFamily("tc_migrate_deliveries", "Deliveries that are kept", value=overview.deliveries)
        yield GaugeMetricFamily("tc_migrate_alerts", "Jobs given up, for as long as kept", value=overview.alerts)
        text = "Jobs given up that were not done since"
        yield GaugeMetricFamily("tc_migrate_alerts_unsettled", text, value=overview.unsettled)
        text = "Seconds that the longest waiting job could have been begun for"
        yield GaugeMetricFamily("tc_migrate_waiting_seconds", text, value=overview.waiting)
