"""GitHub's side of an App's webhook: an event is delivered once, what came of it is kept, and anew when asked for."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from tests.bot.receivers import deliver


@dataclass
class Delivered:
    """One event."""

    event: str
    body: bytes
    headers: dict[str, str]


@dataclass
class Hook:
    """The webhook of the App. What is delivered while nobody listens at `port` is missed."""

    port: int = 0
    tries: list[dict[str, Any]] = field(default_factory=list)
    """As the REST interface lists them, the newest first."""
    events: dict[str, Delivered] = field(default_factory=dict)
    """By GUID."""

    def send(self, event: str, payload: Any, **headers: str) -> int:
        """Something has happened. Gives the status of the answer, 502 when there was none."""
        guid = str(uuid.uuid4())
        self.events[guid] = Delivered(event, json.dumps(payload).encode(), headers)
        return self.deliver(guid)

    def deliver(self, guid: str, *, again: bool = False) -> int:
        """One try."""
        event = self.events[guid]
        try:
            status = deliver(self.port, guid, event.event, event.body, **event.headers).status
        except OSError:
            status = 502
        self.note(guid, status, again=again)
        return status

    def note(self, guid: str, status: int, *, again: bool = False, age: float = 0) -> None:
        """Keep what came of a try, `age` seconds ago."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - age))
        payload = json.loads(self.events[guid].body)
        self.tries.insert(0, {
            "id": len(self.tries) + 1, "guid": guid, "delivered_at": moment, "redelivery": again, "duration": 0.1,
            "status": "OK" if status < 300 else f"Invalid HTTP Response: {status}", "status_code": status,
            "event": self.events[guid].event, "action": payload.get("action"), "installation_id": 42,
            "repository_id": None,
        })  # fmt: skip

    def redeliver(self, id: int) -> bool:
        """As asked for. False for a try that is not known."""
        found = [each["guid"] for each in self.tries if each["id"] == id]
        if found:
            self.deliver(found[0], again=True)
        return bool(found)
