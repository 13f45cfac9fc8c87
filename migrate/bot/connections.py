"""Connections that say nothing: each has some seconds for the head of a request, and when there are many the oldest go.

So whoever opens hundreds of them keeps nobody out, also where no web server stands before the receiver.
"""

from __future__ import annotations

import asyncio
import ipaddress
from contextlib import suppress

from uvicorn.protocols.http.h11_impl import H11Protocol

_HEAD = 10.0
"""Seconds for all of a head to come."""
_WAITING = 50
"""Connections without a head that are kept at once."""
_YOUNG = 0.25
"""Seconds for which one is kept all the same: many deliveries come at once, too."""
_OF_PEER = 100
"""Connections of one address. On this machine it is the web server's, which speaks for everybody."""


class Connection(H11Protocol):
    """One connection, as uvicorn has it."""

    _since = 0.0
    _timer: asyncio.TimerHandle | None = None
    """While the head of a request is waited for."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It is there."""
        super().connection_made(transport)
        self._look()
        peers = [each for each in self._all() if each._host == self._host]
        if len(peers) > _OF_PEER and not self._is_here:
            self._end()
        waiting = sorted((each for each in self._all() if each._timer is not None), key=lambda each: each._since)
        for each in waiting[: max(len(waiting) - _WAITING, 0)]:
            if self.loop.time() - each._since > _YOUNG:
                each._end()

    def data_received(self, data: bytes) -> None:
        """Some of a request came."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """A request is answered; another may come."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._stop()
        super().connection_lost(exc)

    def _look(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._timer is None:
            self._since = self.loop.time()
            self._timer = self.loop.call_later(_HEAD, self._end)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _end(self) -> None:
        self._stop()
        self.transport.close()

    def _all(self) -> list[Connection]:
        return [each for each in self.connections if isinstance(each, Connection)]

    @property
    def _host(self) -> str:
        return self.client[0] if self.client is not None else ""

    @property
    def _is_here(self) -> bool:
        with suppress(ValueError):
            return ipaddress.ip_address(self._host).is_loopback
        return False
