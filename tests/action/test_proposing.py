"""The mode `pr`: what the step asks of `tc-migrate pr`, and where it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from migrate import migrate
from tests.action.conftest import SCRIPT, Checkout, Done
from tests.bot.hub import Hub
from tests.bot.repositories import commit_files, git
from tests.bot.site import BRANCH, NAME, TOKEN, Site

PUSH = {"GITHUB_REF_TYPE": "branch", "GITHUB_REF_NAME": "main"}


@pytest.fixture(autouse=True)
def script(site: Site) -> None:
    """The base has a script to migrate."""
    commit_files(site.bare, {"train.py": SCRIPT.encode()})


def propose(checkout: Checkout, hub: Hub, variables: dict[str, str] = PUSH, **inputs: str) -> Done:
    about = {"GITHUB_API_URL": hub.url, "GITHUB_SERVER_URL": hub.url, "GITHUB_REPOSITORY": NAME, **variables}
    return checkout.step(variables=about, **{"mode": "pr", "token": TOKEN, **inputs})


def said(done: Done, level: str = "error") -> str:
    (command,) = done.log.annotations(level)
    return command.data


def test_it_is_opened_and_then_left(checkout: Checkout, site: Site, hub: Hub) -> None:
    done = propose(checkout, hub)
    assert (done.code, done.log.commands) == (0, [])
    assert done.outputs == {"pull-request": f"{hub.url}/{NAME}/pull/1"}
    assert done.summary == f"**tc-migrate**: [opened]({hub.url}/{NAME}/pull/1)\n"
    assert hub.state.pulls[1]["base"] == "main"
    hub.state.pulls[1]["state"] = "closed"
    assert "the same was closed as pull request 1" in propose(checkout, hub).summary
    assert list(hub.state.pulls) == [1]
    assert list(checkout.folder.iterdir()) == [checkout.folder / ".git"]


def test_inputs_reach_it(checkout: Checkout, site: Site, hub: Hub) -> None:
    git(site.bare, "branch", "release", "main")
    inputs = {"base": "release", "target": "torch-xla==2.9", "select": "TC1", "ignore": "TC999", "safety": "exact"}
    assert "TC999" in said(propose(checkout, hub, **inputs))
    assert propose(checkout, hub, **inputs | {"ignore": "TC2,TC3"}).code == 0
    assert hub.state.pulls[1]["base"] == "release"
    found = git(site.bare, "cat-file", "blob", "tc-migrate/torch-xla-2.9:train.py").decode()
    assert found + "\n" == migrate(SCRIPT, target="torch-xla==2.9").result


def test_there_may_be_nothing_to_propose(checkout: Checkout, site: Site, hub: Hub) -> None:
    commit_files(site.bare, {".github/tc-migrate.yml": b"enabled: false\n"})
    done = propose(checkout, hub)
    assert (done.code, done.outputs, hub.state.pulls) == (0, {"pull-request": ""}, {})
    assert "enabled: false" in done.summary


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"pull_request": {"head": {"repo": {"full_name": "other/name"}}}}, "may only read"),
        ({"pull_request": {"head": {"repo": None}}}, "may only read"),
        ({"pull_request": {"head": {"repo": {"full_name": NAME}}}}, ""),
        ({"ref": "refs/heads/main"}, ""),
    ],
    ids=["fork", "fork that is gone", "own", "push"],
)
def test_not_for_the_pull_request_of_a_fork(
    checkout: Checkout, hub: Hub, tmp_path: Path, event: dict[str, object], reason: str
) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))
    done = propose(checkout, hub, {"GITHUB_BASE_REF": "main", "GITHUB_EVENT_PATH": str(path)})
    assert done.code == (2 if reason else 0)
    if reason:
        assert reason in said(done)
        assert hub.requests == []


def test_not_to_a_branch_of_its_own(checkout: Checkout, hub: Hub) -> None:
    done = propose(checkout, hub, PUSH | {"GITHUB_REF_NAME": BRANCH})
    assert (done.code, hub.requests) == (0, [])
    assert "tc-migrate's own" in said(done, "notice")


def test_a_tag_is_no_branch(checkout: Checkout, hub: Hub) -> None:
    done = propose(checkout, hub, {"GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "v1"})
    assert done.code == 2
    assert "input `base`" in said(done)


@pytest.mark.parametrize(
    ("token", "why"), [("", "no token"), ("ghs_" + "wrong" * 8, "Authentication failed")], ids=["none", "wrong"]
)
def test_a_token_that_does_not_do(checkout: Checkout, hub: Hub, token: str, why: str) -> None:
    done = propose(checkout, hub, token=token)
    assert done.code == 2
    assert why in said(done)
    assert not token or not any(token in line for line in [*done.log.lines, said(done), done.summary])


@pytest.mark.parametrize("contents", ["read", "write"])
def test_a_token_that_may_only_read(checkout: Checkout, hub: Hub, contents: str) -> None:
    hub.allow(TOKEN, NAME, contents=contents, pull_requests="read")
    done = propose(checkout, hub)
    assert done.code == 2
    assert "the job needs `contents: write` and `pull-requests: write`" in said(done)
    assert hub.state.pulls == {}
