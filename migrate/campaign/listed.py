"""The repositories of organisations, people and topics, less those that nobody wants changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from migrate.bot.visit import OPT_OUT
from migrate.campaign.sources import Kind, Source, is_wanted
from migrate.forge.listing import Listed, Listing


@dataclass(frozen=True)
class Wanted:
    """Which repositories are asked for."""

    organisations: Sequence[str] = ()
    users: Sequence[str] = ()
    topics: Sequence[str] = ()
    """Of these organisations and users; without any, of all accounts."""
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    archived: bool = False
    forks: bool = False
    templates: bool = False

    def takes(self, found: Listed) -> bool:
        """Whether one of a list is wanted. A disabled one, and one whose owners have opted out, never is."""
        facts = found.facts
        if facts.is_disabled or OPT_OUT in facts.topics or not is_wanted(found.name, self.include, self.exclude):
            return False
        if self.topics and not facts.topics.intersection(self.topics):
            return False
        refused = (facts.is_archived, self.archived), (facts.is_fork, self.forks), (facts.is_template, self.templates)
        return all(allowed for is_so, allowed in refused if is_so)


def find_listed(wanted: Wanted, listing: Listing) -> Iterator[Source]:
    """The sources. Raises ForgeError."""
    for found in _all(wanted, listing):
        if wanted.takes(found):
            yield Source(Kind.FORGE, found.name)


def _all(wanted: Wanted, listing: Listing) -> Iterator[Listed]:
    for name in wanted.organisations:
        yield from listing.of_organisation(name)
    for name in wanted.users:
        yield from listing.of_user(name)
    if not (wanted.organisations or wanted.users):
        for topic in wanted.topics:
            yield from listing.of_topic(topic)
