"""The words of the answers to commands, in Markdown. They are the same when a job is done again."""

from __future__ import annotations

from difflib import get_close_matches

from migrate.aliases import ALIASES
from migrate.bot.left_out import is_rule
from migrate.bot.place import Place
from migrate.bot.publish import Outcome, Published
from migrate.bot.reading import Reading
from migrate.bot.settings import PATH
from migrate.registry import codemods, rules
from migrate.render.catalogue import explain_alias, explain_codemod, explain_rule
from migrate.render.markdown import code, escape, fence


def tell_published(published: Published, reading: Reading) -> str:
    """What came of a proposal. It does not say what was new: another run may have done a part of it."""
    if published.outcome in (Outcome.NOTHING, Outcome.CLOSED):
        return "There is nothing to migrate.\n"
    if published.outcome in (Outcome.SILENT, Outcome.HANDED_OFF):
        return f"Nothing is changed: {escape(published.reason)}.{_advise(published)}\n"
    return f"#{published.number} is the migration of {code(reading.base.branch)} at {reading.base.commit}.\n"


def _advise(published: Published) -> str:
    """What else can be done. Commits of people are dropped only by who has named the last of them."""
    if published.outcome is Outcome.SILENT:
        return " `/tc-migrate run` proposes it again."
    if not published.theirs:
        return ""
    return (
        f" The last of them is {published.theirs}. `/tc-migrate rebase {published.theirs[:12]}` makes the branch anew "
        "and **drops them for good**; once there is another commit, that is asked again."
    )


def tell_place(reading: Reading, place: Place) -> str:
    """What there is to do in a commit, and where it is said line by line."""
    plan = reading.plan
    link = f"{place.web}/{place.repository}/commit/{plan.marker.base}"
    return f"{plan.summary}\nLine by line: the check of commit [{plan.marker.base[:12]}]({link}).\n"


def tell_remedy(word: str) -> str:
    """How to leave something out for ever."""
    quoted = word.replace("'", "''")
    line = f"{'ignore' if is_rule(word) else 'exclude'}: ['{quoted}']"
    return f"For ever, in {code(PATH)}:\n\n{fence(line, 'yaml')}"


def explain(word: str) -> str:
    """A rule, an alias or a codemod, as `tc-migrate explain` does."""
    known, by_name = rules(), {codemod.name(): codemod for codemod in codemods()}
    id, name = word.upper(), word.lower().replace("-", "_")
    if id in known:
        rule, owner = known[id]
        return fence(explain_rule(rule, by_name.get(owner)))
    if id in ALIASES:
        return fence(explain_alias(id, known))
    if name in by_name:
        return fence(explain_codemod(by_name[name]))
    nearest = get_close_matches(word, [*known, *ALIASES, *by_name], 1, 0.0)[0]
    return f"There is no rule or codemod {code(word)}; the nearest is `{nearest}`.\n"
