"""Whatever fails, and wherever a run is ended: the next run does what is left, and nothing twice."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from migrate.bot.git.remote import GitError
from migrate.bot.publish import Outcome
from migrate.forge.faults import ForgeError, Refused
from tests.bot.hub import FAULTS, Hub
from tests.bot.repositories import git
from tests.bot.site import BRANCH, MANY, NOTHING, ONE, OTHER, TOKEN, Site

PULLS = "POST /repos/{owner}/{repo}/pulls"


# --- what fails ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [*FAULTS, "drop", "lose"])
def test_each_fault_of_each_write_is_mended_by_the_next_run(site: Site, hub: Hub, fault: str) -> None:
    wanted = _wanted(site, hub, MANY)
    for key in dict.fromkeys(hub.writes):
        _empty(site, hub)
        hub.faults = {key: [fault] * 5}  # git asks again after a 401, and what was just made is asked for again
        with pytest.raises((ForgeError, GitError)) as caught:
            site.run(MANY)
        assert TOKEN not in str(caught.value)
        assert len(hub.faults.pop(key)) < 5
        site.run(MANY)
        assert site.standing == wanted


def test_one_that_was_opened_meanwhile_is_taken(site: Site, hub: Hub) -> None:
    """The list did not show it yet, or two runs met."""
    site.run()
    pull_requests = site.forge.pull_requests
    late = iter([[], pull_requests(BRANCH)])
    site.forge.pull_requests = lambda branch: next(late)  # type: ignore[method-assign]
    assert site.run().outcome is Outcome.UNCHANGED
    assert list(hub.state.pulls) == [1]


def test_another_refusal_is_one(site: Site, hub: Hub) -> None:
    hub.faults = {PULLS: ["echo"]}
    with pytest.raises(Refused) as caught:
        site.run()
    assert TOKEN not in str(caught.value)


# --- kills --------------------------------------------------------------------------------------------------------


def begin(site: Site) -> None:
    """Nothing was there before."""


def update(site: Site) -> None:
    site.run()
    site.move_base()


def close(site: Site) -> None:
    site.run(ONE)


def hand_off(site: Site) -> None:
    site.run()
    site.push_as_person()


KILLED: dict[str, tuple[Callable[[Site], None], dict[str, Any], int]] = {
    "opening": (begin, MANY, 8),
    "updating": (update, MANY, 7),
    "closing": (close, NOTHING, 4),
    "handing off": (hand_off, OTHER, 1),
}


@pytest.mark.parametrize("name", KILLED)
def test_a_run_that_is_ended_anywhere_is_finished_by_the_next(site: Site, hub: Hub, name: str) -> None:
    prepare, migrations, writes = KILLED[name]
    wanted = _wanted(site, hub, migrations, prepare)
    assert len(hub.writes) >= writes
    for number in range(1, writes + 1):
        for after in (False, True):
            _empty(site, hub)
            prepare(site)
            hub.requests.clear()
            hub.dies_at, hub.dies_after = number, after
            with pytest.raises((ForgeError, GitError)):
                site.run(migrations)
            hub.dies_at = None
            site.run(migrations)
            assert site.standing == wanted, (number, after)


def _wanted(site: Site, hub: Hub, migrations: Any, prepare: Callable[[Site], None] = begin) -> dict[str, Any]:
    """What stands after a run that nothing disturbs."""
    prepare(site)
    hub.requests.clear()
    site.run(migrations)
    return copy.deepcopy(site.standing)


def _empty(site: Site, hub: Hub) -> None:
    """As if no run had ever been."""
    if site.tip:
        git(site.bare, "update-ref", "-d", f"refs/heads/{BRANCH}")
    site.reset_base()
    for kept in (hub.state.pulls, hub.state.comments, hub.state.checks, hub.requests):
        kept.clear()
