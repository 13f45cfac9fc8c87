"""Pull requests for a target that the settings do not name any more: closed with a word, unless somebody is at them."""

from __future__ import annotations

from dataclasses import replace

from migrate.bot.events import BRANCHES
from migrate.bot.marker import read_marker
from migrate.bot.proposing import delete_branch
from migrate.bot.publish import is_by, say_once
from migrate.bot.reading import Base, is_own
from migrate.bot.visit import Rights, Visit
from migrate.forge.values import PullRequest

_SAID = "<!-- tc-migrate:v1 said=retired -->\n"
_WORD = """\
The settings name another target by now, `{}`, so this is closed. Nobody has refused its edits: when the settings name \
its target again, they are proposed again.
"""


def retire(visit: Visit, base: Base) -> None:
    """Close them and delete their branches. Raises GitError, BranchMoved among them, and ForgeError."""
    for branch, tip in visit.store.heads(visit.remote, BRANCHES).items():
        if branch == base.bot_branch or not is_by(visit.author, tip, visit.forge(Rights.LOOK)):
            continue
        for found in visit.forge(Rights.LOOK).pull_requests(branch):
            if found.is_open and is_own(found):
                _close(visit, found, base)
                delete_branch(visit, branch, tip)


def _close(visit: Visit, found: PullRequest, base: Base) -> None:
    forge, marker = visit.forge(Rights.ANSWER), read_marker(found.body)
    say_once(forge, found.number, _SAID, _WORD.format(base.settings.target.name))
    if marker is not None:  # without its edits: a closed one that names them has been refused
        _, _, rest = found.body.partition("\n")
        forge.write_body(found.number, f"{replace(marker, changes='0' * 32, edits='')}{rest}")
    forge.close(found.number)
