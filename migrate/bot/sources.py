"""Between the bytes of a commit and the text of scripts: what came in one encoding goes back in the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from migrate.bot.git.commits import Draft
from migrate.bot.git.contents import Contents
from migrate.bot.settings import Settings
from migrate.bot.steps import Step
from migrate.files import SourceFile, Unreadable, decode


@dataclass(frozen=True)
class Sources:
    """The scripts of a commit as text."""

    scripts: Mapping[str, SourceFile]
    """By path."""
    skipped: Mapping[str, str]
    """By path, why a script has none."""

    @property
    def texts(self) -> dict[str, str]:
        """As `migrate_project` takes them."""
        return {path: script.text for path, script in self.scripts.items()}

    def drafts(self, steps: Iterable[Step]) -> Iterator[Draft]:
        """The commits of a plan as bytes. Raises Unwritable for a character that a script's encoding has not."""
        for step in steps:
            yield Draft(step.message, {path: self.scripts[path].encode(text) for path, text in step.files.items()})


def read_sources(contents: Contents, settings: Settings) -> Sources:
    """The scripts that the settings do not exclude. Nothing is parsed."""
    scripts: dict[str, SourceFile] = {}
    skipped = {path: reason for path, reason in contents.skipped.items() if not settings.excludes(path)}
    for path, file in sorted(contents.files.items()):
        if settings.excludes(path):
            continue
        try:
            scripts[path] = decode(file.data, Path(path))
        except Unreadable as error:
            skipped[path] = str(error)
    return Sources(scripts, skipped)
