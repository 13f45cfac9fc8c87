"""Where a repository is, and the token for it. Nothing else may be fetched from or pushed to."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from git.cmd import Git
from git.exc import UnsafeProtocolError
from git.util import remove_password_if_present

from migrate.migration import MigrateError

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_HTTP = ("https", "http")
_ODD = re.compile(r"[\x00-\x20\x7f-\x9f\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""A folder may have any other name."""


class GitError(MigrateError):
    """git refused, failed, took too long or brought too much. The message holds no token and no control characters."""


@dataclass(frozen=True)
class Remote:
    """A repository somewhere else. Making one raises GitError for an address that is not allowed."""

    url: str
    """`https://host/owner/name.git`; an absolute path for a repository on this machine. Never with a password in it."""
    token: str = field(default="", repr=False)
    """For this repository alone. It reaches git through the environment: not on a command line, in a file or a log."""

    def __post_init__(self) -> None:
        trouble = self._trouble()
        if trouble:
            (shown,) = remove_password_if_present([self.url])
            raise GitError(f"{_ODD.sub('?', shown)!r} cannot be fetched: {trouble}")

    @property
    def protocol(self) -> str:
        """As git calls it: `https`, `http` or `file`."""
        return "file" if self.url.startswith("/") else urlsplit(self.url).scheme

    @property
    def origin(self) -> str:
        """`https://host/`: the addresses that the token may be sent to."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}/"

    @property
    def authorization(self) -> str:
        """The header that carries the token; nothing without one."""
        return f"Authorization: Basic {self._credential}" if self.token else ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no message may show."""
        return (self.token, self._credential) if self.token else ()

    @property
    def _credential(self) -> str:
        return base64.b64encode(f"x-access-token:{self.token}".encode()).decode()

    def _trouble(self) -> str:
        odd = _CONTROL if self.url.startswith("/") else _ODD
        if odd.search(self.url) or _ODD.search(self.token) or not self.token.isascii():
            return "blanks or control characters in the address or the token"
        try:
            Git.check_unsafe_protocols(self.url)
            parts = urlsplit(self.url)
            host, name, password, _ = parts.hostname, parts.username, parts.password, parts.port
        except (UnsafeProtocolError, ValueError):
            return "no address that is allowed"
        if self.url.startswith("/"):
            return "a token is for https" if self.token else ""
        if parts.scheme not in _HTTP or (parts.scheme == "http" and host not in _LOOPBACK):
            return "only https addresses and absolute paths are allowed"
        if name is not None or password is not None:
            return "a name or password in the address"
        return (
            ""
            if host and parts.path.strip("/") and not (parts.query or parts.fragment)
            else "no address of a repository"
        )
