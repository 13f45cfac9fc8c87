"""The repositories of an account or a topic at GitHub, a page at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from github import Github
from github.Auth import Token
from github.Repository import Repository

from migrate.forge.faults import told
from migrate.forge.values import RepositoryFacts

_PAGE = 100


@dataclass(frozen=True)
class Listed:
    """One repository of a list."""

    name: str
    """`owner/name`."""
    facts: RepositoryFacts


class Listing:
    """The requests. Each raises ForgeError."""

    def __init__(self, token: str, url: str = "https://api.github.com", *, pause: float = 0.25) -> None:
        """Without a token only what is public is seen, and little of it an hour. `pause`: seconds between requests."""
        auth = Token(token) if token else None
        self._github = Github(
            auth=auth, base_url=url, retry=None, per_page=_PAGE, lazy=True, seconds_between_requests=pause
        )

    def of_organisation(self, name: str) -> Iterator[Listed]:
        """All that the token may see."""
        with told(f"the repositories of {name}"):
            for each in self._github.get_organization(name).get_repos(type="all", sort="full_name", direction="asc"):
                yield _listed(each)

    def of_user(self, name: str) -> Iterator[Listed]:
        """Those that somebody owns."""
        with told(f"the repositories of {name}"):
            for each in self._github.get_user(name).get_repos(type="owner", sort="full_name", direction="asc"):
                yield _listed(each)

    def of_topic(self, topic: str) -> Iterator[Listed]:
        """Those of a topic, of all accounts. GitHub finds 1,000 at most."""
        with told(f"the repositories of topic {topic}"):
            for each in self._github.search_repositories(f"topic:{topic}", sort="stars", order="desc"):
                yield _listed(each)


def _listed(found: Repository) -> Listed:
    facts = RepositoryFacts(
        found.default_branch,
        found.fork,
        found.archived,
        bool(found.disabled),
        bool(found.is_template),
        frozenset(found.topics or ()),
    )
    return Listed(found.full_name, facts)
