"""How things stand at the forge, and what may be done about it: a person's word goes before the plan's. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from migrate.bot.marker import Marker, read_marker
from migrate.bot.plan import Plan, tell_refusal
from migrate.forge.values import PullRequest


class Move(Enum):
    """What to do."""

    PROPOSE = "propose"
    CLOSE = "close"
    """Our own pull request: nothing is left to propose."""
    NOTHING = "nothing"
    """There is nothing to propose, and nothing was."""
    STAY_SILENT = "stay silent"
    HAND_OFF = "hand off"


@dataclass(frozen=True)
class Wishes:
    """How a plan is to be proposed."""

    base: str
    """The branch that was migrated."""
    draft: bool = False
    """Only when it is opened: a person may have marked it as ready since."""
    labels: Sequence[str] = ()
    anew: bool = False
    """Somebody has asked for it: also when the same was closed before."""
    force: bool = False
    """Somebody has asked for it: commits of others on the branch are dropped."""
    drops: str = ""
    """The last commit of the branch, or how it begins: who named it agrees that it and those below it are dropped."""


@dataclass(frozen=True)
class Standing:
    """What there is at the forge."""

    pull_requests: Sequence[PullRequest]
    """All of the branch, open or not."""
    is_ours: bool
    """Whether the branch may be moved: there is none, or its last commit is by the bot."""


@dataclass(frozen=True)
class Verdict:
    """What to do, with which pull request that is open, and why."""

    move: Move
    open: PullRequest | None = None
    """Our own."""
    reason: str = ""


def judge(plan: Plan, standing: Standing, wishes: Wishes) -> Verdict:
    """What may be done. Nothing here depends on an earlier run's memory, so any run may be the first."""
    marked = [(each, _marker(each, plan)) for each in standing.pull_requests]
    others = [each for each, marker in marked if each.is_open and marker is None]
    ours = [each for each, marker in marked if each.is_open and marker is not None]
    elsewhere = [each for each in ours if each.base != wishes.base]
    own = next((each for each in ours if each.base == wishes.base), None)
    if others:
        return Verdict(Move.HAND_OFF, None, f"pull request {others[0].number} of the branch is somebody else's")
    if elsewhere:
        number, base = elsewhere[0].number, elsewhere[0].base
        return Verdict(Move.HAND_OFF, None, f"pull request {number} is to be merged into {base} by now")
    if plan.is_empty and own is None:
        return Verdict(Move.STAY_SILENT, None, f"the same was {plan.held_by}") if plan.held else Verdict(Move.NOTHING)
    if own is None and not wishes.anew:
        closed = [each for each, marker in marked if marker is not None and marker.changes == plan.marker.changes]
        if closed:
            return Verdict(Move.STAY_SILENT, None, f"the same was {tell_refusal(closed[0])}")
    if not (standing.is_ours or wishes.force):
        return Verdict(Move.HAND_OFF, own, f"{plan.branch} has commits that are not the bot's")
    return Verdict(Move.CLOSE if plan.is_empty else Move.PROPOSE, own)


def _marker(found: PullRequest, plan: Plan) -> Marker | None:
    marker = read_marker(found.body)
    return marker if marker is not None and marker.recipe == plan.marker.recipe else None
