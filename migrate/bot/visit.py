"""A repository for the time of one job: tokens for it, each with no more rights than it is for, and a store."""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from migrate.bot.app_config import AppConfig
from migrate.bot.git.commits import Author
from migrate.bot.git.remote import Remote
from migrate.bot.git.store import Store
from migrate.bot.jobs import GiveUp, Job
from migrate.bot.place import Place
from migrate.bot.redaction import conceal
from migrate.forge import tokens
from migrate.forge.faults import Missing, Refused
from migrate.forge.github import Forge
from migrate.forge.pacing import Pacer
from migrate.forge.values import RepositoryFacts
from migrate.migration import MigrateError

OPT_OUT = "no-tc-migrate"
"""A topic by which the owners of a repository keep the bot away."""


class Rights(Enum):
    """What a token is for, and what it may do."""

    LOOK = {**tokens.READ, "pull_requests": "read"}
    """To read the repository, and what was proposed to it."""
    REPORT = {"checks": "write"}
    """For a check run, and for nothing else."""
    ANSWER = {"pull_requests": "write"}
    """For comments, reviews and reactions."""
    PUSH = {"contents": "write"}
    """To delete a branch."""
    PUBLISH = dict(tokens.PUBLISH)
    """For a branch, its pull request, and a check run."""


class Unwelcome(MigrateError):
    """The bot has nothing to do in a repository, or nothing any more. The message says why."""


class Visit:
    """The repository of a job. Nothing of it is kept between two jobs."""

    def __init__(self, config: AppConfig, job: Job, folder: Path) -> None:
        """`folder`: an empty one, which is deleted after the job. Raises GitError."""
        self.config, self.job, self.folder = config, job, folder
        self.store = Store(folder / "store")
        self._app = tokens.App(config.app_id, config.key, config.api, pause=0)
        self._pacer = Pacer(config.pause, config.folder / f"pace-{job.installation}")
        self._places: dict[Rights, Place] = {}
        self._forges: dict[Rights, Forge] = {}

    def place(self, rights: Rights) -> Place:
        """The repository, with a token that is minted when it is needed first. Raises Unwelcome and ForgeError."""
        if rights not in self._places:
            self._places[rights] = self.enter(self.job.repository, rights)
        return self._places[rights]

    def forge(self, rights: Rights) -> Forge:
        """The repository at the forge. Raises Unwelcome and ForgeError."""
        if rights not in self._forges:
            self._forges[rights] = self.place(rights).forge(self.config.pause, minted=True, pacer=self._pacer)
        return self._forges[rights]

    def enter(self, repository: str, rights: Rights) -> Place:
        """A repository of the same installation. Raises Unwelcome when the App is not there, GiveUp when it has been
        given fewer rights than it asks for, and ForgeError."""
        if self.job.installation is None:
            raise Unwelcome("the delivery named no installation of the App")
        try:
            self._pacer.wait()
            token = self._app.mint(self.job.installation, repository, rights.value)
        except (Missing, Refused) as error:
            if "permission" in str(error).lower():
                raise GiveUp(f"the App has not the rights that it needs: {error}") from error
            raise Unwelcome(f"the App is not there, or not any more: {error}") from error
        place = Place(repository, token.text, self.config.api, self.config.web)
        conceal(*place.remote.secrets)
        return place

    @property
    def remote(self) -> Remote:
        """To fetch from. Raises Unwelcome and ForgeError."""
        return self.place(Rights.LOOK).remote

    @cached_property
    def facts(self) -> RepositoryFacts:
        """What the repository is now: a payload may be days old. Raises Unwelcome and ForgeError."""
        return self.forge(Rights.LOOK).look_up()

    @cached_property
    def author(self) -> Author:
        """The bot, as the forge links its commits to it. Raises Unwelcome and ForgeError."""
        user = f"{self.config.name}[bot]"
        number = self.forge(Rights.LOOK).number_of(user)
        return Author(user, f"{number}+{user}@users.noreply.{urlsplit(self.config.web).hostname}")

    def check_welcome(self) -> None:
        """Raises Unwelcome for a repository that is left alone, and ForgeError."""
        facts = self.facts
        reasons = {
            "archived: nobody can push to it": facts.is_archived,
            "disabled": facts.is_disabled,
            "a template: it is nobody's code yet": facts.is_template,
            f"kept away by the topic {OPT_OUT}": OPT_OUT in facts.topics,
        }
        for reason, holds in reasons.items():
            if holds:
                raise Unwelcome(f"the repository is {reason}")
