"""The App's jobs at a forge: what is opened, reported, left alone, and said, in real repositories."""

from __future__ import annotations

import copy
import os
import time

import pytest

from migrate.bot.events import read_event
from migrate.bot.git.remote import GitError
from migrate.bot.jobs import Claim, GiveUp, Postpone
from migrate.forge.github import Forge
from migrate.forge.values import PullRequest
from tests.bot import payloads
from tests.bot.app_site import BOT_MAIL, BRANCH, FILES, NAME, PR, SETTINGS, AppSite, Snapshot, migrated
from tests.bot.hub import Hub
from tests.bot.repositories import commit_files, git, listing, make_bare
from tests.bot.test_survey import SCRIPT

MINT = "POST /app/installations/{installation_id}/access_tokens"


# --- a push -------------------------------------------------------------------------------------------------------


def test_a_push_is_checked_and_a_pull_request_offered(app: AppSite, hub: Hub) -> None:
    base = app.commit(FILES)
    assert app.push().note == f"checked {base[:12]}"
    (check,) = hub.state.checks.values()
    assert (check["head_sha"], check["conclusion"]) == (base, "neutral")
    assert [action["identifier"] for action in check["actions"]] == ["open-pr"]
    assert (hub.state.pulls, app.tip) == ({}, "")


def test_with_mode_pr_a_push_opens_a_pull_request_with_the_migrated_bytes(app: AppSite, hub: Hub) -> None:
    base = app.commit({**FILES, **PR, "lib/again.py": SCRIPT})
    outcome = app.push()
    assert (outcome.note, outcome.pull_request) == ("opened", f"{hub.url}/{NAME}/pull/1")
    before, after = listing(app.bare, base), listing(app.bare, app.tip)
    assert {path for path in after if before.get(path) != after[path]} == {b"train.py", b"lib/again.py"}
    assert app.held() == app.held("lib/again.py") == migrated()
    assert git(app.bare, "log", "-1", "--format=%an <%ae> %cn <%ce>", BRANCH).decode() == " ".join(
        [f"tc-migrate[bot] <{BOT_MAIL}>"] * 2
    )
    (pull,) = hub.state.pulls.values()
    assert (pull["base"], pull["head"], pull["labels"]) == ("main", BRANCH, ["tc-migrate"])
    assert [check["actions"] for check in hub.state.checks.values()] == [[]]


def test_the_branch_counts_and_not_the_commit_of_the_payload(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push(after="f" * 40)
    assert app.held() == migrated()


def test_a_new_installation_looks_at_its_repositories(app: AppSite, hub: Hub) -> None:
    base = app.commit(FILES)
    repositories = {"repositories": [{"full_name": NAME}]}
    app.do("installation", {**payloads.payload(NAME), "action": "created", **repositories})
    assert [check["head_sha"] for check in hub.state.checks.values()] == [base]


def test_twice_is_once(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    before = copy.deepcopy(app.standing)
    assert app.push().note == "unchanged"
    assert app.standing == before


def test_a_base_that_moved_updates_the_pull_request(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    app.commit({**FILES, **PR, "more.py": SCRIPT})
    assert app.push().note == "updated"
    assert list(hub.state.pulls) == [1]
    assert app.held("more.py") == migrated()


def test_nothing_is_left_when_a_person_migrated_it_all(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    app.commit({**FILES, **PR, "train.py": migrated()})
    assert app.push().note == "closed"
    assert hub.state.pulls[1]["state"] == "closed"
    assert list(hub.state.checks.values())[-1]["conclusion"] == "success"


def test_nothing_stays_on_the_disk(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    hub.faults = {"PUSH": ["403"] * 3}
    app.commit({**FILES, **PR, "more.py": SCRIPT})
    with pytest.raises(GitError):
        app.push()
    assert list(app.config.folder.iterdir()) == []


def test_what_killed_jobs_left_is_tidied_up(app: AppSite) -> None:
    app.commit(FILES)
    old, new = (app.config.folder / name for name in ("job-old", "job-new"))
    for folder in (old, new):
        (folder / "store").mkdir(parents=True)
    os.utime(old, (0, 0))
    app.push()
    assert list(app.config.folder.iterdir()) == [new]


# --- the button ---------------------------------------------------------------------------------------------------


def test_the_button_opens_a_pull_request_which_is_kept_up_to_date(app: AppSite, hub: Hub) -> None:
    base = app.commit(FILES)
    app.push()
    assert app.press(base).note == "opened"
    assert app.held() == migrated()
    app.commit({**FILES, "more.py": SCRIPT})
    assert app.push().note == "updated"
    assert list(hub.state.checks.values())[-1]["actions"] == []


def test_the_button_is_for_who_may_write(app: AppSite, hub: Hub) -> None:
    base = app.commit(FILES)
    assert app.press(base, "mallory").note == "mallory may not write there"
    assert [each for each in hub.writes if "access_tokens" not in each] == []


def test_a_check_that_is_wanted_again_is_finished_again(app: AppSite, hub: Hub) -> None:
    base = app.commit(FILES)
    app.push()
    before = copy.deepcopy(hub.state.checks)
    asked = len(hub.writes)
    again = {"action": "rerequested", "check_run": {"name": "tc-migrate", "head_sha": base}}
    app.do("check_run", {**payloads.payload(NAME), **again})
    assert hub.state.checks == before
    assert [each for each in hub.writes[asked:] if "access_tokens" not in each] == [
        "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"
    ]


# --- what is left alone -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fact",
    [
        {"archived": True},
        {"disabled": True},
        {"is_template": True},
        {"topics": ["ml", "no-tc-migrate"]},
    ],
    ids=lambda fact: next(iter(fact)),
)
def test_a_repository_that_is_left_alone(app: AppSite, hub: Hub, fact: dict[str, object]) -> None:
    """The payload says nothing of it: it may be days old."""
    app.commit({**FILES, **PR})
    hub.state.facts[NAME] = fact
    assert app.push().note.startswith("the repository is ")
    assert app.say("run").note.startswith("the repository is ")
    assert [each for each in hub.writes if "access_tokens" not in each] == []


def test_a_repository_without_a_commit(app: AppSite, hub: Hub) -> None:
    assert app.push().note == "the repository has no commit on main"


def test_an_app_that_is_not_installed_any_more(app: AppSite, hub: Hub) -> None:
    hub.state.repositories.clear()
    assert app.push().note.startswith("the App is not there, or not any more")
    hub.faults = {MINT: ["404"]}
    assert app.push().note.startswith("the App is not there, or not any more")


def test_a_closed_pull_request_is_not_opened_again(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    hub.state.pulls[1]["state"] = "closed"
    assert app.close().note == "pull request 1 was closed: its edits are not proposed again"
    assert app.close().pull_request == f"{hub.url}/{NAME}/pull/1", "the operator's page follows it"
    assert app.push().note == "silent: the same was closed as pull request 1"
    assert [pull["state"] for pull in hub.state.pulls.values()] == ["closed"]


def test_a_persons_commit_is_not_touched(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    theirs = app.push_as_person()
    app.commit({**FILES, **PR, "more.py": SCRIPT})
    assert app.push().note.startswith("handed off")
    assert app.tip == theirs
    assert len(hub.state.comments[1]) == 1


def test_the_branch_of_a_merged_pull_request_is_deleted(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    app.merge()
    assert app.close().note == "pull request 1 was merged, its branch is deleted"
    assert app.tip == ""
    assert app.close().note == "pull request 1 was merged, its branch is deleted"


def test_a_branch_that_went_on_after_the_merge_stays(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    app.merge()
    theirs = app.push_as_person()
    assert app.close().note == "pull request 1 was merged"
    assert app.tip == theirs


# --- settings -----------------------------------------------------------------------------------------------------


def test_settings_that_cannot_be_followed_are_told_at_their_line(app: AppSite, hub: Hub) -> None:
    base = app.commit({**FILES, SETTINGS: b"mode: pr\n\ncolour: '</td> @octo'\n"})
    assert app.push().note.startswith("its settings cannot be followed: .github/tc-migrate.yml:3: there is no 'colour'")
    (check,) = hub.state.checks.values()
    (annotation,) = check["annotations"]
    assert (check["head_sha"], check["conclusion"]) == (base, "failure")
    assert (annotation["path"], annotation["start_line"]) == (SETTINGS, 3)
    assert "there is no 'colour'" in annotation["message"]
    assert (hub.state.pulls, app.tip) == ({}, "")
    asked = len(hub.writes)
    app.push()
    assert [each for each in hub.writes[asked:] if "access_tokens" not in each] == []


def test_what_bad_settings_say_is_escaped(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, SETTINGS: b"target: '</td> @octo #1 ![x](y)'\n"})
    app.push()
    (check,) = hub.state.checks.values()
    assert "@octo" not in check["output"]["summary"]
    assert "</td>" not in check["output"]["summary"]


def test_disabled(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, SETTINGS: b"enabled: false\n"})
    assert app.push().note == "`enabled: false` in .github/tc-migrate.yml"
    assert [each for each in hub.writes if "access_tokens" not in each] == []


def account(hub: Hub, settings: bytes) -> None:
    """The repository `.github` of the account."""
    hub.state.repositories.append("octo/.github")
    commit_files(make_bare(hub.root / "octo/.github.git"), {SETTINGS: settings})


def test_without_settings_those_of_the_account_hold(app: AppSite, hub: Hub) -> None:
    account(hub, b"mode: pr\ntarget: torch-xla==2.9\n")
    app.commit(FILES)
    assert app.push().note == "opened"
    assert app.held(branch="tc-migrate/torch-xla-2.9") == migrated(target="torch-xla==2.9")


def test_its_own_settings_go_before_those_of_the_account(app: AppSite, hub: Hub) -> None:
    account(hub, b"enabled: false\n")
    app.commit({**FILES, **PR})
    assert app.push().note == "opened"


def test_bad_settings_of_the_account_are_not_quoted(app: AppSite, hub: Hub) -> None:
    """Not everybody who sees the check may read them."""
    account(hub, b"mode: pr\nsecret-plan: 1\n")
    app.commit(FILES)
    app.push()
    (check,) = hub.state.checks.values()
    assert "line 2" in check["output"]["summary"]
    assert "secret-plan" not in str(check)


# --- the forge in trouble -----------------------------------------------------------------------------------------


def test_a_rate_limit_in_the_middle_is_waited_for(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    hub.faults = {"POST /repos/{owner}/{repo}/pulls": ["primary"]}
    with pytest.raises(Postpone) as caught:
        app.push()
    assert 1700 < caught.value.until - time.time() < 1900
    assert app.push().note == "opened"
    assert app.held() == migrated()


@pytest.mark.parametrize("key", ["POST /repos/{owner}/{repo}/pulls", "PUSH"])
def test_a_forge_in_trouble_is_waited_for(app: AppSite, hub: Hub, key: str) -> None:
    app.commit({**FILES, **PR})
    hub.faults = {key: ["502"] * 2}
    with pytest.raises(Postpone):
        app.push()
    hub.faults.clear()
    app.push()
    assert list(hub.state.pulls) == [1]


def test_a_right_that_is_missing_is_told_and_not_tried_again(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    hub.faults = {"POST /repos/{owner}/{repo}/pulls": ["403"]}
    with pytest.raises(GiveUp, match="Resource not accessible"):
        app.push()


def test_a_fork_is_worked_on_when_it_says_so_itself(app: AppSite, hub: Hub) -> None:
    hub.state.facts[NAME] = {"fork": True}
    app.commit({**FILES, SETTINGS: b"mode: pr\nfork: true\n"})
    assert app.push(repository=payloads.repository(NAME, fork=True)).note == "opened"
    app.commit({**FILES, **PR})
    assert app.push().note.startswith("the repository is a fork: it is migrated where it came from")


def test_a_changed_target_closes_the_old_pull_request_with_a_word(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    app.commit({**FILES, SETTINGS: b"mode: pr\ntarget: torch-xla==2.9\n"})
    assert app.push().note == "opened"
    assert [pull["state"] for pull in hub.state.pulls.values()] == ["closed", "open"]
    assert "name another target by now, `torch-xla==2.9`" in hub.state.comments[1][0]
    assert app.tip == ""
    app.commit({**FILES, **PR})
    assert app.push().note == "opened", "nobody has refused it"
    assert [pull["state"] for pull in hub.state.pulls.values()] == ["closed", "closed", "open"]


def test_a_changed_target_leaves_what_a_person_has_taken(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    theirs = app.push_as_person()
    app.commit({**FILES, SETTINGS: b"mode: pr\ntarget: torch-xla==2.9\n"})
    app.push()
    assert (app.tip, hub.state.pulls[1]["state"]) == (theirs, "open")


def test_a_job_says_that_a_limit_is_one(app: AppSite, hub: Hub) -> None:
    app.commit(FILES)
    for fault, is_limit in (("secondary", True), ("502", False)):
        hub.faults = {"GET /repos/{owner}/{repo}": [fault]}
        with pytest.raises(Postpone) as caught:
            app.push()
        assert caught.value.is_limit is is_limit


def failed(hub: Hub) -> list[str]:
    """What failed check runs say."""
    found = (each for each in hub.state.checks.values() if each["conclusion"] == "failure")
    return [each["output"]["summary"] for each in found]


def test_owners_are_told_that_a_pull_request_is_refused(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    for _ in range(2):
        hub.faults = {"POST /repos/{owner}/{repo}/pulls": ["403"] * 9}
        with pytest.raises(GiveUp):
            app.push()
    (said,) = failed(hub)
    assert "Resource not accessible by integration" in said
    assert "The App may not do that here." in said
    app.open_pull({**FILES, "train.py": SCRIPT + b"print(model)\n"})
    with pytest.raises(GiveUp):
        app.say("run", 50)
    assert "The App may not do that here." in hub.state.comments[50][-1]


def test_a_rule_that_wants_signed_commits_is_told_at_once(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    hook = app.bare / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'error: GH013: Repository rule violations found.' >&2\n"
                    "echo '- Commits must have verified signatures.' >&2\nexit 1\n")  # fmt: skip
    hook.chmod(0o755)
    with pytest.raises(GiveUp, match="verified signatures"):
        app.push()
    (said,) = failed(hub)
    assert "wants signed commits" in said


def test_the_last_attempt_tells_what_the_others_failed_with(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    (job,) = read_event("push", payloads.push(NAME)).jobs
    for attempt in (1, app.config.attempts):
        hub.faults = {"PUSH": ["403"] * 3}
        with pytest.raises(GitError):
            app.work(Claim(1, job, attempt, "lease"))
        assert len(failed(hub)) == (attempt > 1)
    hub.faults.clear()
    app.push()
    assert [each["conclusion"] for each in hub.state.checks.values()] == ["failure", "neutral"]


def test_rights_that_were_not_granted_are_told_to_the_operator(app: AppSite, hub: Hub) -> None:
    app.commit(FILES)
    hub.faults = {MINT: ["rights"]}
    with pytest.raises(GiveUp, match="not granted"):
        app.push()


def test_a_branch_that_moves_is_looked_at_again(app: AppSite, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    app.commit({**FILES, **PR})
    app.push()
    app.commit({**FILES, **PR, "more.py": SCRIPT})
    pull_requests, theirs = Forge.pull_requests, []

    def look(forge: Forge, branch: str) -> list[PullRequest]:
        if app.tip and len(hub.writes) > asked + 1 and not theirs:
            theirs.append(app.push_as_person())
        return pull_requests(forge, branch)

    asked = len(hub.writes)
    monkeypatch.setattr(Forge, "pull_requests", look)
    assert app.push().note.startswith("handed off")
    assert [app.tip] == theirs


def test_a_job_that_is_ended_anywhere_is_finished_by_the_next(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    before = Snapshot(app)
    app.push()
    wanted, writes = copy.deepcopy(app.standing), list(hub.writes)
    for number in [number for number, key in enumerate(writes, 1) if key != MINT]:
        before.restore()
        hub.requests.clear()
        hub.dies_at, hub.dies_after = number, True
        with pytest.raises((Postpone, GitError)):
            app.push()
        hub.dies_at = None
        app.push()
        assert app.standing == wanted, number
