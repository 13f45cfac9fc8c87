"""What goes wrong with a repository, as a note: of which kind, and whether another attempt is worth it."""

from __future__ import annotations

import time

from migrate.bot.jobs import Postpone
from migrate.campaign.proposal import Note
from migrate.forge.faults import Denied, ForgeError, Missing, RateLimited, Unavailable

KINDS = {
    "git": "git could not fetch, read or push",
    "settings": "its .github/tc-migrate.yml cannot be followed",
    "denied": "the token is none, or may not do this",
    "missing": "there is no such repository, or the token may not know of it",
    "refused": "the forge understood and does not take it",
    "unavailable": "the forge or the way to it is in trouble",
    "limit": "the forge takes no more for now",
    "moved": "its branch moved again and again",
    "died": "the process that worked on it ended or took too long",
    "lost": "the whole run ended each time that it was worked on",
}
_OF = {Denied: "denied", Missing: "missing", Unavailable: "unavailable"}


def tell_error(kind: str, reason: str, *, retryable: bool = False) -> Note:
    """A failure of one of the `KINDS`."""
    return Note("error", {"error": kind, "reason": reason, "retryable": retryable})


def tell_trouble(error: ForgeError) -> Note:
    """A failure at the forge. Raises Postpone at a limit, for which no repository can do anything."""
    if isinstance(error, RateLimited):
        raise Postpone(time.time() + (error.wait or 0.0), str(error)) from error
    return tell_error(_OF.get(type(error), "refused"), str(error), retryable=error.wait is not None)
