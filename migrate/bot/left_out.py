"""`/tc-migrate ignore`: what somebody has asked to leave out, remembered in the bot's own pull requests.

It is in their hidden marker, so that every run finds it, by whichever door it comes, and nothing has to be kept
elsewhere. People see it in the text below.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import quote

from migrate.bot.marker import read_marker
from migrate.bot.settings import Settings
from migrate.config import matches
from migrate.forge.values import PullRequest
from migrate.registry import Selection, check_word

MOST = 30
"""Words: who wants more writes a settings file."""
_LONGEST = 300
"""Characters of one, as it stands in the marker."""


def remember(pull_requests: Iterable[PullRequest], recipe: str) -> tuple[str, ...]:
    """What the newest pull request of a recipe says; they are given newest first, open or not."""
    markers = (read_marker(each.body) for each in pull_requests)
    return next((marker.left_out for marker in markers if marker is not None and marker.recipe == recipe), ())


def leave_out(settings: Settings, words: Sequence[str]) -> Settings:
    """The settings, without these rules and paths."""
    rules = frozenset(word for word in words if is_rule(word))
    selection = settings.selection
    return replace(
        settings,
        selection=Selection(selection.select, selection.ignore | rules, selection.safety),
        exclude=(*settings.exclude, *(word for word in words if word not in rules)),
        left_out=tuple(words),
    )


def find_word(word: str, paths: Iterable[str]) -> str | None:
    """What somebody means by a word: a rule or codemod, or a pattern that is of one of the paths; None: neither."""
    for spelling in (word, word.upper()):
        if is_rule(spelling):
            return spelling
    is_name = word.isprintable() and len(quote(word)) <= _LONGEST
    return word if is_name and any(matches(path, word) for path in paths) else None


def is_rule(word: str) -> bool:
    """Whether it is a rule, an alias, the beginning of one, or a codemod."""
    try:
        check_word(word)
    except ValueError:
        return False
    return True
