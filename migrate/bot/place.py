"""A repository at a forge, and how it is reached: through the interface for programs, by git, and by people."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from migrate.bot.git.remote import Remote
from migrate.bot.origin import Origin
from migrate.forge.github import Forge
from migrate.forge.pacing import Pacer
from migrate.migration import MigrateError

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}/(?!\.{1,2}$)[\w.-]{1,100}", re.ASCII)


@dataclass(frozen=True)
class Place:
    """The repository, and the token for it. Making one raises MigrateError for what is no name of a repository."""

    repository: str
    """`owner/name`."""
    token: str = field(default="", repr=False)
    api: str = "https://api.github.com"
    """Without a slash at the end, like `web`."""
    web: str = "https://github.com"
    """Where people read it, and where git fetches it from."""

    def __post_init__(self) -> None:
        if not is_name(self.repository):
            raise MigrateError(f"{self.repository!r} is no OWNER/REPO")

    @property
    def remote(self) -> Remote:
        """For git. Raises GitError for an address that is not allowed."""
        return Remote(f"{self.web}/{self.repository}.git", self.token)

    def forge(self, pause: float = 1.0, *, minted: bool = False, pacer: Pacer | None = None) -> Forge:
        """For requests. As `Forge`."""
        return Forge(self.repository, self.token, self.api, pause=pause, minted=minted, pacer=pacer)

    def origin(self, commit: str) -> Origin:
        """A commit of it, for the links of a pull request."""
        return Origin(self.repository, commit, self.web)

    def pull_request(self, number: int) -> str:
        """The address of one of its pull requests."""
        return f"{self.web}/{self.repository}/pull/{number}"


def is_name(text: str) -> bool:
    """Whether a text is `owner/name`, as GitHub takes it."""
    return _NAME.fullmatch(text) is not None
