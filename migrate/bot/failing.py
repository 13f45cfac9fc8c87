"""What owners are told of a job that ends badly: a failed check run, and where they asked for it an answer as well."""

from __future__ import annotations

import logging
import re

from migrate.bot.answers import answer
from migrate.bot.redaction import redact
from migrate.bot.report_check import Report, report
from migrate.bot.visit import Rights, Visit
from migrate.render.markdown import clip, code

_LOG = logging.getLogger("tc-migrate.failing")
_TITLE = "tc-migrate could not do this"
_REMEDIES = (
    (
        r"verified signatures",
        "A rule of this repository wants signed commits, and the bot cannot sign. Let its App bypass that rule for "
        "`tc-migrate/**`: Settings > Rules > Rulesets > Bypass list.",
    ),
    (
        r"GH013|GH006|hook declined|protected",
        "A rule of this repository keeps the bot from its branch. Let its App bypass it for `tc-migrate/**`: "
        "Settings > Rules > Rulesets > Bypass list.",
    ),
    (
        r"\b403\b|rights|not permitted|not accessible",
        "The App may not do that here. Who has installed it can grant what it asks for: Settings > GitHub Apps > "
        "Configure. Where its branch `tc-migrate/...` is there already, anybody can open a pull request of it.",
    ),
    (
        r"",
        "The next push tries it again, and so does `/tc-migrate run` in the conversation of a pull request. Who runs "
        "the bot sees more in its log.",
    ),
)
"""By what the error says, what to do. The last one is for all others."""


def tell_owners(visit: Visit, error: Exception) -> None:
    """Say what went wrong and what to do: once, and as far as it can be said at all. Never raises."""
    said = redact(str(error) or type(error).__name__)
    remedy = next(words for pattern, words in _REMEDIES if re.search(pattern, said))
    text = f"It ended with {code(clip(said, 500))}.\n\n{remedy}\n"
    for way in (_by_check, _by_answer):
        try:
            way(visit, text)
        except Exception as trouble:  # whatever broke the job may break this too
            _LOG.warning("%s: its owners cannot be told: %s", visit.job.repository, redact(str(trouble)))


def _by_check(visit: Visit, text: str) -> None:
    commit = visit.store.head(visit.remote, visit.facts.default_branch)
    if commit is not None:
        report(Report(commit, _TITLE, text, "failure"), visit.forge(Rights.REPORT))


def _by_answer(visit: Visit, text: str) -> None:
    details = visit.job.details
    if visit.job.kind == "command":
        forge, bot = visit.forge(Rights.ANSWER), f"{visit.config.name}[bot]"
        answer(forge, int(details["number"] or 0), int(details["comment"] or 0), f"{_TITLE}. {text}", bot)
