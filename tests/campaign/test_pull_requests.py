"""A campaign at a forge: pull requests opened, looked at again, merged and closed."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tests.bot.hub import Hub
from tests.bot.repositories import git
from tests.campaign.account import OWNER, PULLS, TOKEN, Account
from tests.campaign.fleet import BRANCH


def standings(rows: dict[str, dict[str, object]]) -> list[object]:
    return [row["standing"] for row in rows.values()]


def test_by_default_nothing_is_written(account: Account, hub: Hub) -> None:
    rows = account.run("--org", OWNER)
    assert standings(rows) == ["changes"] * 3
    assert hub.writes == []
    patches = sorted(path.name for path in (account.folder / ".tc-migrate/xla/patches").iterdir())
    assert patches[:2] == ["0001-octo-r0.md", "0001-octo-r0.patch"]
    assert not (account.folder / ".tc-migrate/xla/work").exists()


def test_lists_leave_out_what_nobody_wants_changed(account: Account) -> None:
    for name, facts in {
        "old": {"archived": True}, "fork": {"fork": True}, "form": {"is_template": True}, "broken": {"disabled": True},
        "no": {"topics": ["no-tc-migrate", "cuda"]}, "yes": {"topics": ["cuda"]},
    }.items():  # fmt: skip
        account.add(f"{OWNER}/{name}", **facts)
    assert list(account.run("--org", OWNER, "--exclude", "r[1-9]")) == ["octo/r0", "octo/yes"]
    assert list(account.run("--user", OWNER, "--topic", "cuda", "--folder", "a")) == ["octo/yes"]
    assert list(account.run("--topic", "cuda", "--folder", "b")) == ["octo/yes"]
    rows = account.run("--org", OWNER, "--include", "o*/f*", "--include", "old", "--archived", "--forks", "--templates",
                       "--folder", "c")  # fmt: skip
    assert list(rows) == ["octo/fork", "octo/form", "octo/old"]


def test_no_more_pull_requests_are_opened_than_asked_for(account: Account, hub: Hub) -> None:
    rows = account.run("--org", OWNER, "--pr", "--draft", "--max-prs", "1")
    assert sorted(standings(rows)) == ["changes"] * 2 + ["pr"]
    assert len(hub.state.pulls) == 1
    assert all(pull["draft"] for pull in hub.state.pulls.values())
    assert standings(account.run("--pr", "--max-prs", "1")).count("pr") == 2
    assert standings(account.run("--pr")) == ["pr"] * 3
    assert {name: len(found) for name, found in account.pulls.items()} == dict.fromkeys(account.names, 1)
    hub.requests.clear()
    account.run("--pr")
    assert hub.requests == [], "nothing has changed"


def test_only_what_has_changed_is_brought_up_to_date(account: Account, hub: Hub) -> None:
    account.run("--org", OWNER, "--pr")
    account.commit("octo/r2", "model.cuda()\n")
    hub.requests.clear()
    assert standings(account.run("--pr")) == ["pr"] * 3
    assert hub.requests.count("PUSH") == 1
    assert len(hub.state.pulls) == 3


def test_limits_of_the_forge_are_waited_for(account: Account, hub: Hub) -> None:
    hub.faults = {PULLS: ["429", "502"]}
    assert standings(account.run("--org", OWNER, "--pr")) == ["pr"] * 3
    assert "waiting until" in account.told
    assert {name: len(found) for name, found in account.pulls.items()} == dict.fromkeys(account.names, 1)


def test_a_limit_that_is_too_long_leaves_the_rest_to_another_run(account: Account, hub: Hub) -> None:
    account.run(account.names[0], "--pr")
    hub.faults = {PULLS: ["primary"]}
    rows = account.run(*account.names, "--pr", "--wait", "1", code=2)
    assert sorted(standings(rows)) == ["error"] * 2 + ["pr"]
    assert {row["error"] for row in rows.values()} == {"", "limit"}
    assert standings(account.call("retry", "xla", "--pr", "--pause", "0")) == ["pr"] * 3


def test_one_failure_never_stops_the_others(account: Account, hub: Hub) -> None:
    hub.faults = {PULLS: ["403"]}
    rows = account.run("--org", OWNER, "--pr", code=2)
    assert sorted(standings(rows)) == ["error"] + ["pr"] * 2
    (failed,) = (row for row in rows.values() if row["standing"] == "error")
    assert (failed["error"], failed["retryable"]) == ("denied", False)
    hub.requests.clear()
    assert standings(account.run("--pr", "--only", "failed")) == ["pr"] * 3
    assert hub.requests.count(PULLS) == 1


def test_a_missing_repository_is_an_error_of_its_own(account: Account) -> None:
    rows = account.run("octo/r0", "octo/nobody", "--pr", "--timeout", "60", code=2)
    assert (rows["octo/r0"]["standing"], rows["octo/nobody"]["error"]) == ("pr", "git")


def test_killed_again_and_again_it_opens_one_pull_request_in_each(account: Account, hub: Hub) -> None:
    chance = random.Random(5)
    for number in range(6):
        process = account.start("xla", *account.names, "--pr", "--pause", "0", "-j", "2")
        end = chance.randint(20 * number, 20 * number + 20) if number else 3
        while process.poll() is None and len(hub.requests) < end:
            time.sleep(0.01)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    rows = account.run("--pr")
    assert standings(rows) == ["pr"] * 3
    assert {name: len(found) for name, found in account.pulls.items()} == dict.fromkeys(account.names, 1)
    assert [row["number"] for row in rows.values()] == [account.pulls[name][0]["number"] for name in rows]


def test_the_token_is_in_nothing_that_is_kept(account: Account, hub: Hub) -> None:
    hub.faults = {PULLS: ["echo"]}
    account.run("--org", OWNER, "--pr", "--report", "a.html", "--report", "a.md", code=2)
    kept = [path for path in account.folder.rglob("*") if path.is_file()]
    assert len(kept) > 5
    assert not [path for path in kept if TOKEN.encode() in path.read_bytes()]


# --- afterwards -----------------------------------------------------------------------------------------------------


@pytest.fixture
def opened(account: Account) -> Account:
    """With a pull request in each."""
    account.run("--org", OWNER, "--pr")
    return account


def test_what_people_have_done_is_found_out(opened: Account, hub: Hub) -> None:
    opened.pulls["octo/r0"][0]["state"] = "closed"
    opened.pulls["octo/r1"][0].update(state="closed", merged_at="2026-01-01T00:00:00Z")
    mine = opened.push_as_person("octo/r2")
    hub.requests.clear()
    assert standings(opened.call("status", "xla")) == ["pr"] * 3
    assert hub.requests == []
    rows = opened.call("update", "xla")
    assert standings(rows) == ["closed", "merged", "edited"]
    assert hub.writes == []
    for name in opened.names:
        opened.commit(name, "x = 1\n")
    assert standings(opened.run("--pr")) == ["closed", "merged", "edited"], "the same is said once"
    assert hub.state.tip("octo/r2", BRANCH) == mine
    assert len(hub.state.pulls) == 3
    assert standings(opened.run("octo/r0", "--pr", "--again")) == ["pr"]


def test_only_what_is_green_is_merged(opened: Account, hub: Hub) -> None:
    tips = {name: hub.state.tip(name, BRANCH) for name in opened.names}
    hub.state.statuses = {tips["octo/r0"]: "success", tips["octo/r1"]: "failure"}
    rows = opened.call("merge", "xla", "--yes", "--pause", "0", code=1)
    assert standings(rows) == ["merged", "pr", "pr"]
    assert rows["octo/r1"]["reason"] == "its checks are not green"
    assert rows["octo/r2"]["reason"].startswith("it has no checks:")
    hub.state.statuses[opened.push_as_person("octo/r1")] = "success"
    assert standings(opened.call("merge", "xla", "octo/r1", "--yes", "--pause", "0")) == ["edited"]
    assert hub.state.tip("octo/r0", BRANCH) == ""
    assert b"xla_device" in git(opened.bare("octo/r0"), "cat-file", "blob", "main:train.py")
    rows = opened.call("merge", "xla", "octo/r2", "--unchecked", "--yes", "--pause", "0")
    assert standings(rows) == ["merged"]
    assert standings(opened.run("--pr", "octo/r0")) == ["merged"]


def test_a_draft_is_not_merged(account: Account, hub: Hub) -> None:
    account.run("octo/r0", "--pr", "--draft")
    rows = account.call("merge", "xla", "--unchecked", "--yes", "--pause", "0", code=2)
    assert standings(rows) == ["pr"]


def test_ours_are_closed_with_their_branches_and_a_persons_are_left(opened: Account, hub: Hub) -> None:
    mine = opened.push_as_person("octo/r1")
    rows = opened.call("close", "xla", "--yes", "--pause", "0")
    assert standings(rows) == ["closed", "edited", "closed"]
    assert [hub.state.tip(name, BRANCH) for name in opened.names] == ["", mine, ""]
    assert [pull["state"] for pull in hub.state.pulls.values()].count("open") == 1
    hub.requests.clear()
    opened.call("close", "xla", "--yes")
    opened.run("--pr")
    assert hub.writes == []


def test_nothing_is_closed_or_merged_unasked(opened: Account, hub: Hub) -> None:
    hub.requests.clear()
    for what in ("close", "merge"):
        process = opened.start(what, "xla")
        _, told = process.communicate("n\n", timeout=300)
        assert process.returncode == 130
        assert f"{what} 3 pull requests or branches? [y/N]" in told
    assert hub.requests == []


# --- texts ----------------------------------------------------------------------------------------------------------


def test_a_text_of_the_users_own(account: Account, hub: Hub) -> None:
    folder = account.folder / ".tc-migrate/xla"
    folder.mkdir(parents=True)
    (folder / "PR.md").write_text("# Move {repository} off CUDA\n\nFor our trial. {summary}\n\n{body}\n\nAsk @team.\n")
    account.run("octo/r0", "--pr")
    (pull,) = hub.state.pulls.values()
    assert pull["title"] == "Move octo/r0 off CUDA"
    assert pull["body"].startswith("<!-- tc-migrate:v1 recipe=smtc ")
    assert "\nFor our trial. **1 file to be migrated" in pull["body"]
    assert "### Try it before you merge" in pull["body"]
    assert pull["body"].endswith("Ask @team.\n")
    (folder / "PR.md").write_text("# Another\n\n{body}\n")
    account.run("--pr")
    assert pull["body"].count("Ask @team") == 0
    assert len(hub.state.pulls) == 1


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# One\n{unknown}\n", "# One\n" + "x" * 30_000], ids=["empty", "blank", "unknown", "long"]
)
def test_texts_that_cannot_be(account: Account, text: str, hub: Hub) -> None:
    folder = Path(account.folder / ".tc-migrate/xla")
    folder.mkdir(parents=True)
    (folder / "PR.md").write_text(text)
    process = account.start("xla", "octo/r0", "--pr")
    _, told = process.communicate(timeout=300)
    assert process.returncode == 2
    assert "PR.md: " in told
    assert hub.requests == []
