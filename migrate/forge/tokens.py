"""Tokens of a GitHub App: each for one repository, with no more rights than its job needs, for an hour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from github import GithubIntegration
from github.Auth import AppAuth

from migrate.forge.faults import told

READ: Mapping[str, str] = MappingProxyType({"contents": "read"})
"""To look at a repository and say nothing."""
PUBLISH: Mapping[str, str] = MappingProxyType({"contents": "write", "pull_requests": "write", "checks": "write"})
"""For a branch, a pull request with labels and comments, and a check run."""


@dataclass(frozen=True)
class Token:
    """A token and its end."""

    text: str = field(repr=False)
    expires: datetime


class App:
    """A GitHub App, which is installed in accounts. Its key signs a token of ten minutes for every request."""

    def __init__(self, number: int, key: str, url: str = "https://api.github.com") -> None:
        """`key`: the private key as PEM text."""
        self._github = GithubIntegration(auth=AppAuth(number, key), base_url=url, retry=None, lazy=True)

    def mint(self, installation: int, repository: str, rights: Mapping[str, str]) -> Token:
        """A token for one repository (`owner/name`) of an installation. Raises ForgeError."""
        name = repository.rpartition("/")[2]
        with told(f"a token for {repository}"):
            _, data = self._github.requester.requestJsonAndCheck(
                "POST",
                f"/app/installations/{installation}/access_tokens",
                input={"repositories": [name], "permissions": dict(rights)},
            )
            return Token(data["token"], datetime.fromisoformat(data["expires_at"].replace("Z", "+00:00")))
