"""A GitHub App as itself: its tokens, each for one repository and no more rights than a job needs, and its webhook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from github import GithubIntegration
from github.Auth import AppAuth

from migrate.forge.faults import told

READ: Mapping[str, str] = MappingProxyType({"contents": "read"})
"""To look at a repository and say nothing."""
PUBLISH: Mapping[str, str] = MappingProxyType({"contents": "write", "pull_requests": "write", "checks": "write"})
"""For a branch, a pull request with labels and comments, and a check run."""
EVENTS = frozenset({"push", "pull_request", "issue_comment", "check_run", "check_suite"})
"""What an App has to subscribe to; those of its installations come by themselves."""
_NEXT = re.compile(r'<[^>]*[?&]cursor=([^&>]+)[^>]*>;\s*rel="next"')


@dataclass(frozen=True)
class Token:
    """A token and its end."""

    text: str = field(repr=False)
    expires: datetime


@dataclass(frozen=True)
class Registration:
    """What an App is, as the forge knows it."""

    slug: str
    """Its name in addresses. As a user it is `slug[bot]`."""
    owner: str
    permissions: Mapping[str, str]
    events: frozenset[str]

    def missing(self) -> list[str]:
        """What the bot needs and the App does not have: `contents: write`, `event push`."""
        rights = [
            f"{name}: {level}" for name, level in PUBLISH.items() if self.permissions.get(name) not in (level, "admin")
        ]
        return rights + [f"event {name}" for name in sorted(EVENTS - self.events)]


@dataclass(frozen=True)
class Delivery:
    """One try to deliver a webhook."""

    id: int
    guid: str
    """The same for all tries; the header `X-GitHub-Delivery`."""
    event: str
    delivered: datetime
    is_ok: bool


class App:
    """A GitHub App, which is installed in accounts. Its key signs a token of five minutes for every request."""

    def __init__(
        self, number: int, key: str, url: str = "https://api.github.com", *, pause: float | None = 1.0
    ) -> None:
        """`key`: the private key as PEM text; `pause`: seconds between writes. Nothing is asked yet."""
        self._github = GithubIntegration(
            auth=AppAuth(number, key), base_url=url, retry=None, lazy=True, seconds_between_writes=pause
        )

    def close(self) -> None:
        """Let go of the connection. The next request makes another."""
        self._github.close()

    def mint(self, installation: int, repository: str, rights: Mapping[str, str]) -> Token:
        """A token for one repository (`owner/name`) of an installation. Raises ForgeError."""
        name = repository.rpartition("/")[2]
        with told(f"a token for {repository}"):
            _, data = self._ask(
                "POST",
                f"/app/installations/{installation}/access_tokens",
                input={"repositories": [name], "permissions": dict(rights)},
            )
            return Token(data["token"], _time(data["expires_at"]))

    def look_up(self) -> Registration:
        """What the App is. Raises ForgeError, also `Denied` for a number and a key that do not belong together."""
        with told("the App"):
            _, data = self._ask("GET", "/app")
            owner = data["owner"].get("login") or data["owner"]["slug"]  # an enterprise has no login
            return Registration(data["slug"], owner, dict(data["permissions"]), frozenset(data["events"]))

    def deliveries(self) -> Iterator[list[Delivery]]:
        """All tries that the forge still knows, the newest first, page by page. Raises ForgeError."""
        cursor: dict[str, Any] = {}
        while True:
            with told("deliveries of the webhook"):
                headers, data = self._ask("GET", "/app/hook/deliveries", parameters={"per_page": 100, **cursor})
                page = [_delivery(each) for each in data]
                following = _NEXT.search(headers.get("link") or "")
            yield page
            if following is None or not page:
                return
            cursor = {"cursor": unquote(following[1])}

    def redeliver(self, delivery: int) -> None:
        """Ask the forge to deliver once more. Raises ForgeError."""
        with told(f"delivery {delivery} once more"):
            self._ask("POST", f"/app/hook/deliveries/{delivery}/attempts")

    def _ask(self, *words: Any, **more: Any) -> tuple[dict[str, Any], Any]:
        return self._github.requester.requestJsonAndCheck(*words, **more)


def _delivery(data: Mapping[str, Any]) -> Delivery:
    code = data["status_code"]
    return Delivery(
        data["id"],
        data["guid"],
        data["event"],
        _time(data["delivered_at"]),
        data["status"] == "OK" or (isinstance(code, int) and 200 <= code < 300),
    )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
