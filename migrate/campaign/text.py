"""The user's own text of a campaign's pull requests: the first line is the title, `{names}` stand for what is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from migrate import __version__
from migrate.bot.body import Proposal, write_body
from migrate.bot.origin import Origin
from migrate.bot.plan import Plan
from migrate.bot.sections import LARGEST, size
from migrate.bot.survey import Survey
from migrate.migration import MigrateError
from migrate.render.markdown import clip, escape

PLACEHOLDERS = {
    "title": "the title that it has without a text of yours",
    "body": "the body that it has without a text of yours, shorter where it must be",
    "summary": "how many files and edits, in a line",
    "repository": "owner/name",
    "base": "the branch it is to be merged into",
    "target": "what the scripts are migrated for",
    "version": "of tc-migrate",
}
_NAMED = re.compile(r"\{([a-z_]+)\}")
_LONGEST_TITLE = 256
_LONGEST = 30_000
"""Characters of a text: the body has to fit beside it."""


def check_text(text: str) -> None:
    """Raises MigrateError for a text without a title, one that is too long, and a name that stands for nothing."""
    if size(text) > _LONGEST:
        raise MigrateError(f"PR.md: it has more than {_LONGEST:,} characters")
    if not _split(text)[0]:
        raise MigrateError("PR.md: its first line is the title; it is empty")
    for name in _NAMED.findall(text):
        if name not in PLACEHOLDERS:
            raise MigrateError(f"PR.md: there is no {{{name}}}; known are {', '.join(PLACEHOLDERS)}")


def write_text(text: str, plan: Plan, survey: Survey, origin: Origin, base: str) -> Plan:
    """The plan with this text instead of its own. The hidden first line of its body stays."""
    title, body = _split(text)
    known = {
        "title": plan.title,
        "summary": plan.summary.strip(),
        "repository": escape(origin.repository),
        "base": escape(base),
        "target": survey.settings.target.name,
        "version": __version__,
    }
    marker = str(plan.marker)
    room = LARGEST - size(marker) - size(_fill(body, {**known, "body": ""})) - 1
    settings, skipped = survey.settings, survey.sources.skipped
    proposal = Proposal(origin, settings.target, __version__, (), skipped, False, settings.left_out)
    known["body"] = write_body(survey.migrations, proposal, room) if "{body}" in body else ""
    # The first body only: a second would not fit.
    filled = _fill(body.replace("{body}", "\0", 1).replace("{body}", "").replace("\0", "{body}"), known)
    return replace(plan, title=clip(_fill(title, known), _LONGEST_TITLE), body=marker + filled)


def _split(text: str) -> tuple[str, str]:
    title, _, body = text.lstrip().partition("\n")
    return title.lstrip("#").strip(), body.strip() + "\n"


def _fill(text: str, known: Mapping[str, str]) -> str:
    return _NAMED.sub(lambda match: known.get(match[1], match[0]), text)
