"""Connections that say nothing keep nobody out, with no web server before the receiver."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from migrate.bot import connections
from migrate.bot.queue import Queue
from migrate.bot.receiver import Door, make_app
from tests.bot.payloads import push
from tests.bot.receivers import SECRET, ask, deliver, serving


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    with serving(make_app(Queue(tmp_path / "queue.db"), Door([SECRET]))) as port:
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 30)


@pytest.mark.parametrize("said", [b"", b"POST /webhook HTTP/1.1\r\nHost: x\r\n"], ids=["nothing", "half a head"])
def test_hundreds_of_them_keep_no_delivery_out(port: int, monkeypatch: pytest.MonkeyPatch, said: bytes) -> None:
    with ExitStack() as stack:
        silent = [stack.enter_context(connect(port)) for _ in range(210)]
        for each in silent:
            each.sendall(said)
        assert [deliver(port, f"d{number}", "push", push()).status for number in range(20)] == [202] * 20


def test_of_too_many_the_oldest_go(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_YOUNG", -1.0)
    monkeypatch.setattr(connections, "_WAITING", 5)
    with ExitStack() as stack:
        silent = [stack.enter_context(connect(port)) for _ in range(20)]
        assert silent[0].recv(1) == b""
        silent[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert silent[-1].recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize("before", [b"", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"], ids=["first", "after an answer"])
def test_a_head_has_its_time(port: int, monkeypatch: pytest.MonkeyPatch, before: bytes) -> None:
    monkeypatch.setattr(connections, "_HEAD", 0.3)
    with connect(port) as slow:
        slow.sendall(before + b"GET /heal")
        data = b"."
        while data:
            data = slow.recv(4_096)


def test_an_address_of_elsewhere_has_a_hundred(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_OF_PEER", 3)
    monkeypatch.setattr(connections.Connection, "_is_here", False)
    with ExitStack() as stack:
        several = [stack.enter_context(connect(port)) for _ in range(4)]
        assert several[-1].recv(1) == b""
    assert ask(port, "GET", "/healthz").status == 200
