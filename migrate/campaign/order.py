"""What is asked of a campaign: the same for all its repositories."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from migrate import __version__
from migrate.batch.digests import digest, spell
from migrate.bot.git.commits import Author
from migrate.bot.place import Place
from migrate.bot.request import Request
from migrate.campaign.record import Record, Result, Stage
from migrate.campaign.sources import Kind, Source


class Reach(Enum):
    """How far each repository is to be brought."""

    ANALYSE = "analyse"
    """Nothing is written anywhere but to the campaign's own folder."""
    PUSH = "push"
    PR = "pr"


@dataclass(frozen=True)
class Order:
    """The order. It holds a token: it is never written down, and `options` of it is a digest without one."""

    folder: Path
    """Of the campaign."""
    request: Request
    author: Author
    reach: Reach = Reach.ANALYSE
    text: str = ""
    """The user's own text of the pull requests, with placeholders."""
    token: str = field(default="", repr=False)
    api: str = "https://api.github.com"
    web: str = "https://github.com"
    jobs: int = 1
    """Repositories that are analysed at once."""
    pause: float = 1.0
    """Seconds between two writes to the forge."""
    wait: float = 3_600.0
    """Seconds to wait for the forge's limits, at most, before writing is left to another run."""
    seconds: float = 600.0
    """For one repository, on the clock."""
    most: int | None = None
    """Pull requests to open in one run."""

    @property
    def options(self) -> str:
        """The same for the same wishes: what has been done by these need not be done again."""
        wanted = replace(self.request, draft=False, anew=False, force=False)
        return digest("campaign", spell(wanted), self.author.email, self.text).hex()

    def place(self, source: Source) -> Place:
        """Where a repository of the forge is."""
        return Place(source.text, self.token, self.api, self.web)

    def is_met(self, record: Record) -> bool:
        """Whether all that is asked for was done, if the repository's base has not moved since."""
        asked_anew = self.reach is not Reach.ANALYSE and (self.request.anew or self.request.force)
        if (record.tool, record.options) != (__version__, self.options) or record.stage is Stage.ERROR or asked_anew:
            return False
        if self.reach is Reach.ANALYSE or record.result in (Result.UNKNOWN, Result.SKIPPED):
            return record.result is not Result.UNKNOWN
        if record.result is Result.CLEAN:
            return record.stage is not Stage.PR
        done = {Stage.PR, Stage.MERGED, Stage.CLOSED, Stage.EDITED}
        if not self.opens(record.source):
            done.add(Stage.PUSHED)
        return record.stage in done and record.proposed == record.fingerprint

    def opens(self, source: Source) -> bool:
        """Whether a repository is to get a pull request; at others a branch is all there can be."""
        return self.reach is Reach.PR and source.kind is Kind.FORGE
