"""`/tc-migrate ...` in the conversation of a pull request: who may, what is done, what is answered."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from migrate.bot.answers import answer
from migrate.bot.body import COMMANDS
from migrate.bot.command_texts import explain, tell_place, tell_published, tell_remedy
from migrate.bot.jobs import Outcome
from migrate.bot.left_out import MOST, find_word, leave_out
from migrate.bot.proposing import delete_branch, open_base, propose, tell
from migrate.bot.publish import Outcome as Came
from migrate.bot.publish import Published, is_by
from migrate.bot.reading import Base, is_own, read
from migrate.bot.refused import edits_at
from migrate.bot.report_check import report_check
from migrate.bot.review import post_review, shown_in
from migrate.bot.suggestions import suggest
from migrate.bot.visit import Rights, Unwelcome, Visit
from migrate.forge.faults import Denied, Missing
from migrate.forge.github import Forge
from migrate.forge.values import PullRequest
from migrate.render.markdown import code, escape

Reply = tuple[str, Outcome]
"""What is answered, in Markdown, and what the operator is told; the review is the answer to `suggest`."""
_NOT_MINE = "This is no pull request of mine, or not any more.\n"


def obey(visit: Visit) -> Outcome:
    """Do as the comment says. Raises GitError and ForgeError."""
    details, sender = visit.job.details, visit.job.sender
    number, comment, word = int(details["number"] or 0), int(details["comment"] or 0), str(details["command"])
    if not details.get("is_pull_request"):
        return Outcome("a command in an issue: they are for pull requests")
    forge = visit.forge(Rights.ANSWER)
    try:
        if not forge.may_write(sender):
            _react(forge, comment, "-1")
            return Outcome(f"{word}: {sender} may not write there", is_refused=True)
        _react(forge, comment, "eyes")
    except Missing as error:
        return Outcome(f"{word}: the comment is gone: {error}")
    try:
        text, outcome = _COMMANDS[word](visit, visit.forge(Rights.LOOK).pull_request(number))
    except Unwelcome as error:
        text, outcome = f"Nothing is done: {escape(str(error))}.\n", Outcome(str(error))
    bot = f"{visit.config.name}[bot]"
    is_answered = not text or answer(forge, number, comment, text, bot)
    _react(forge, comment, "rocket" if is_answered else "confused")
    return Outcome(f"{word}: {outcome.note}", outcome.pull_request)


def _run(visit: Visit, here: PullRequest) -> Reply:
    return _propose(visit, anew=True)


def _rebase(visit: Visit, here: PullRequest) -> Reply:
    return _propose(visit, drops=str(visit.job.details["argument"]))


def _propose(visit: Visit, *, anew: bool = False, drops: str = "") -> Reply:
    reading = read(visit, open_base(visit), anew=anew)
    published = propose(visit, reading, anew=anew, drops=drops)
    return tell_published(published, reading), tell(visit, published)


def _check(visit: Visit, here: PullRequest) -> Reply:
    """Of the branch that is migrated; in somebody's pull request, of what it proposes."""
    base = open_base(visit)
    commit = base.commit if is_own(here) else here.head
    reading = read(visit, base, commit)
    report_check(reading.plan, visit.forge(Rights.REPORT), button=base.offers(commit))
    return tell_place(reading, visit.place(Rights.LOOK)), Outcome(f"checked {reading.plan.marker.base[:12]}")


def _suggest(visit: Visit, here: PullRequest) -> Reply:
    if is_own(here) or not here.is_open:
        return "Suggestions are for an open pull request of yours.\n", Outcome("no pull request for suggestions")
    reading = read(visit, open_base(visit), here.head)
    forge = visit.forge(Rights.ANSWER)
    found = suggest(reading.survey.migrations, shown_in(forge.patches(here.number)))
    if found.suggestions:
        post_review(forge, here.number, here.head, found)
        return "", Outcome(f"{len(found.suggestions)} suggestions for {here.head[:12]}")
    places = f" {found.left} elsewhere in its files: `/tc-migrate check` tells them." if found.left else ""
    return f"There is nothing to suggest for the lines that this changes.{places}\n", Outcome("nothing to suggest")


def _explain(visit: Visit, here: PullRequest) -> Reply:
    rule = str(visit.job.details["argument"])
    return explain(rule), Outcome(rule[:50])


def _drop(visit: Visit, here: PullRequest) -> Reply:
    """One edit, by its line in the original; a rule or a file as `ignore` does."""
    path, _, line = str(visit.job.details["argument"]).rpartition(":")
    if not (path and line.isascii() and line.isdigit()):
        return _ignore(visit, here)
    base = open_base(visit)
    migration = read(visit, base).survey.migrations.get(path)
    words = edits_at(path, migration, int(line[:9])) if migration is not None else []
    if not words:
        return f"There is no edit at {code(f'{path}:{line}')}.\n", Outcome("no such edit")
    if not _is_place(here, base) or len(base.settings.left_out) + len(words) > MOST:
        return "One edit is left out in my own pull request only.\n", Outcome("not the place")
    words = list(dict.fromkeys((*base.settings.left_out, *words)))
    published = propose(visit, read(visit, replace(base, settings=leave_out(base.settings, words))))
    if published.outcome is Came.HANDED_OFF:
        return "The branch is somebody else's by now: it stays as it is.\n", tell(visit, published)
    text = f"The edit at {code(f'{path}:{line}')} is left out here from now on, and what cannot do without it.\n"
    return text, tell(visit, published)


def _is_place(here: PullRequest, base: Base) -> bool:
    """Whether a pull request is ours and open, so that it can remember what is left out."""
    return is_own(here) and here.is_open and here.branch == base.bot_branch


def _ignore(visit: Visit, here: PullRequest) -> Reply:
    """Remember it in the text of our pull request, and make that anew."""
    argument, base = str(visit.job.details["argument"]), open_base(visit)
    contents = visit.store.read(base.commit)
    word = find_word(argument, [*contents.files, *contents.skipped])
    if word is None:
        return f"There is no rule, codemod or script {code(argument)}.\n", Outcome("no such rule or script")
    words = base.settings.left_out if word in base.settings.left_out else (*base.settings.left_out, word)
    if not _is_place(here, base) or len(words) > MOST:
        return tell_remedy(word), Outcome("told of the settings")
    kept = replace(base, settings=leave_out(base.settings, words))
    published = propose(visit, read(visit, kept))
    if published.outcome is Came.HANDED_OFF:
        return tell_remedy(word), tell(visit, published)
    return f"{code(word)} is left out here from now on.\n\n{tell_remedy(word)}", tell(visit, published)


def _close(visit: Visit, here: PullRequest) -> Reply:
    """A branch with commits of others is theirs and stays."""
    if not is_own(here):
        return _NOT_MINE, Outcome("not the bot's")
    if here.is_open:
        visit.forge(Rights.ANSWER).close(here.number)
    tip = visit.store.head(visit.remote, here.branch)
    if tip is not None and not is_by(visit.author, tip, visit.forge(Rights.LOOK)):
        text = "Closed. The branch has a commit that is not mine, so it stays.\n"
        return text, tell(visit, Published(Came.CLOSED, here.number, "the branch is somebody else's"))
    if tip is not None:
        delete_branch(visit, here.branch, tip)
    outcome = Outcome("closed and deleted", visit.place(Rights.LOOK).pull_request(here.number))
    return "Closed, and the branch is deleted. The same edits are not proposed again.\n", outcome


def _help(visit: Visit, here: PullRequest) -> Reply:
    problem = str(visit.job.details.get("problem") or "")
    return f"{problem.capitalize()}.\n\n{COMMANDS}" if problem else COMMANDS, Outcome(problem)


def _react(forge: Forge, comment: int, content: str) -> None:
    """A sign for people. GitHub documents another permission for it than for all else here: it may be refused."""
    with suppress(Denied):
        forge.react(comment, content)


_COMMANDS: dict[str, Callable[[Visit, PullRequest], Reply]] = {
    "run": _run, "check": _check, "rebase": _rebase, "suggest": _suggest, "explain": _explain, "ignore": _ignore,
    "drop": _drop, "close": _close, "help": _help,
}  # fmt: skip
