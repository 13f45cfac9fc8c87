"""The forge becomes what the plan says, once: whoever was there before, whatever fails, wherever a run is ended."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from migrate.bot.git.store import BranchMoved
from migrate.bot.marker import read_marker
from migrate.bot.publish import Outcome, publish
from migrate.bot.standing import Wishes
from tests.bot.hub import Hub
from tests.bot.migrations import RESULT
from tests.bot.repositories import git
from tests.bot.site import BOT, BRANCH, MANY, NAME, NOTHING, OTHER, Site

PULLS = "POST /repos/{owner}/{repo}/pulls"


def test_twice_is_once(site: Site, hub: Hub) -> None:
    first = site.run(MANY)
    before, asked = copy.deepcopy(site.standing), len(hub.writes)
    again = site.run(MANY)
    assert (first.outcome, again.outcome) == (Outcome.OPENED, Outcome.UNCHANGED)
    assert first.number == again.number == 1
    assert site.standing == before
    assert len(hub.writes) == asked
    assert hub.writes[:3] == ["PUSH", PULLS, "POST /repos/{owner}/{repo}/issues/{issue_number}/labels"]
    (pull,) = hub.state.pulls.values()
    assert (pull["head"], pull["base"], pull["labels"], pull["draft"]) == (BRANCH, "main", ["tc-migrate"], False)
    assert pull["body"].startswith("<!-- tc-migrate:v1 recipe=smtc ")
    assert git(site.bare, "show", f"{BRANCH}:train.py").decode() == RESULT.removesuffix("\n")


def test_a_check_run_has_each_annotation_once(site: Site, hub: Hub) -> None:
    site.run(MANY)
    (check,) = hub.state.checks.values()
    assert (check["name"], check["status"], check["conclusion"]) == ("tc-migrate", "completed", "neutral")
    assert check["head_sha"] == hub.state.tip(NAME, "main")
    said = [annotation["message"].split("\n")[0] for annotation in check["annotations"]]
    assert len(said) == len(set(said)) == 120
    portions = [each for each in hub.writes if each.startswith("PATCH /repos/{owner}/{repo}/check-runs/")]
    assert len(portions) == 4  # of 50, 50 and 20 annotations, and the result


def test_a_draft(site: Site, hub: Hub) -> None:
    site.run(draft=True)
    assert hub.state.pulls[1]["draft"] is True


def test_a_base_that_moved(site: Site, hub: Hub) -> None:
    site.run()
    old = site.tip
    base = site.move_base()
    assert site.run().outcome is Outcome.UPDATED
    assert list(hub.state.pulls) == [1]
    marker = read_marker(hub.state.pulls[1]["body"])
    assert marker is not None
    assert marker.base == base
    assert site.tip != old
    assert git(site.bare, "rev-parse", f"{site.tip}~2").decode() == base


def test_other_edits(site: Site, hub: Hub) -> None:
    site.run()
    assert site.run(OTHER).outcome is Outcome.UPDATED
    assert list(hub.state.pulls) == [1]
    assert git(site.bare, "show", f"{BRANCH}:train.py").decode().endswith("done = True")


# --- people -------------------------------------------------------------------------------------------------------


def test_the_same_is_not_proposed_again(site: Site, hub: Hub) -> None:
    site.run()
    hub.state.pulls[1]["state"] = "closed"
    asked = len(hub.writes)
    again = site.run()
    assert (again.outcome, again.reason) == (Outcome.SILENT, "the same was closed as pull request 1")
    site.move_base()
    assert site.run().outcome is Outcome.SILENT
    assert [each for each in hub.writes[asked:] if "check-runs" not in each] == []
    assert list(hub.state.pulls) == [1]


def test_other_edits_are_proposed_after_a_closed_one(site: Site, hub: Hub) -> None:
    site.run()
    hub.state.pulls[1]["state"] = "closed"
    assert site.run(OTHER).outcome is Outcome.OPENED
    assert site.run(OTHER).outcome is Outcome.UNCHANGED
    assert [each["state"] for each in hub.state.pulls.values()] == ["closed", "open"]


def test_on_demand_the_same_is_proposed_again(site: Site, hub: Hub) -> None:
    site.run()
    hub.state.pulls[1]["state"] = "closed"
    assert site.run(anew=True).outcome is Outcome.OPENED
    assert site.run().outcome is Outcome.UNCHANGED
    assert len(hub.state.pulls) == 2


def test_what_was_merged_and_taken_back_is_not_proposed_again(site: Site, hub: Hub) -> None:
    site.run()
    hub.state.pulls[1].update(state="closed", merged_at="2026-01-01T00:00:00Z")
    assert site.run().reason == "the same was merged as pull request 1"


AMENDED = {"GIT_AUTHOR_NAME": BOT.name, "GIT_AUTHOR_EMAIL": BOT.email}


@pytest.mark.parametrize("variables", [{}, AMENDED], ids=["a commit", "an amended commit"])
def test_a_branch_with_a_persons_commit_is_theirs(site: Site, hub: Hub, variables: dict[str, str]) -> None:
    site.run()
    body, theirs = hub.state.pulls[1]["body"], site.push_as_person(**variables)
    site.move_base()
    for _ in range(2):
        found = site.run(OTHER)
        assert (found.outcome, found.number) == (Outcome.HANDED_OFF, 1)
    assert site.tip == theirs
    assert hub.state.pulls[1]["body"] == body
    assert len(hub.state.comments[1]) == 1
    assert site.run(NOTHING).outcome is Outcome.HANDED_OFF
    assert hub.state.pulls[1]["state"] == "open"
    assert site.run(OTHER, force=True).outcome is Outcome.UPDATED
    assert site.tip != theirs


def test_a_branch_that_is_somebodys_from_the_start(site: Site, hub: Hub) -> None:
    git(site.bare, "branch", BRANCH, "main")
    theirs = site.push_as_person()
    assert site.run().outcome is Outcome.HANDED_OFF
    assert (site.tip, hub.state.pulls, hub.state.comments) == (theirs, {}, {})


@pytest.mark.parametrize("change", [{"body": "mine now"}, {"base": "release"}], ids=["body", "base"])
def test_a_pull_request_that_a_person_took_over(site: Site, hub: Hub, change: dict[str, str]) -> None:
    site.run()
    hub.state.pulls[1].update(change)
    before = copy.deepcopy(hub.state.pulls)
    site.move_base()
    assert site.run(OTHER).outcome is Outcome.HANDED_OFF
    assert hub.state.pulls == before


def test_a_forks_pull_request_is_not_ours(site: Site, hub: Hub) -> None:
    site.run()
    hub.state.pulls[1]["head_repository"] = "owner/a-fork"
    assert site.run().number == 2


def test_a_push_between_look_and_write_is_not_lost(site: Site, hub: Hub) -> None:
    site.run()
    plan, work = site.plan(OTHER)
    head = work.store.head

    def look(*arguments: Any) -> str | None:
        found = head(*arguments)
        site.push_as_person()
        return found

    work.store.head = look  # type: ignore[method-assign]
    with pytest.raises(BranchMoved):
        publish(plan, Wishes("main"), work, site.forge)
    assert git(site.bare, "log", "-1", "--format=%ae", BRANCH) == b"someone@example.org"
    assert site.run(OTHER).outcome is Outcome.HANDED_OFF


# --- nothing to propose -------------------------------------------------------------------------------------------


def test_nothing_to_propose(site: Site, hub: Hub) -> None:
    assert site.run(NOTHING).outcome is Outcome.NOTHING
    assert (site.tip, hub.state.pulls) == ("", {})
    assert [each["conclusion"] for each in hub.state.checks.values()] == ["success"]


def test_our_own_is_closed_when_nothing_is_left_and_comes_back_with_the_edits(site: Site, hub: Hub) -> None:
    site.run()
    assert site.run(NOTHING).outcome is Outcome.CLOSED
    assert site.run(NOTHING).outcome is Outcome.NOTHING
    assert [each["state"] for each in hub.state.pulls.values()] == ["closed"]
    assert site.run().outcome is Outcome.OPENED


def test_what_others_opened_is_not_closed(site: Site, hub: Hub) -> None:
    site.run()
    hub.state.pulls[1]["body"] = "mine"
    site.run(NOTHING)
    assert hub.state.pulls[1]["state"] == "open"
