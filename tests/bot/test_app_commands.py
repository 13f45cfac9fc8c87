"""`/tc-migrate ...` in a conversation: who may, what is done, what is answered, and how often."""

from __future__ import annotations

import copy

import pytest

from migrate.bot.git.remote import GitError
from migrate.bot.jobs import Postpone
from migrate.bot.marker import read_marker
from tests.bot import payloads
from tests.bot.app_site import BRANCH, FILES, NAME, PR, SETTINGS, AppSite, Snapshot, migrated
from tests.bot.hub import Hub
from tests.bot.hub_state import say
from tests.bot.repositories import git
from tests.bot.test_survey import SCRIPT

FEATURE = {**FILES, "train.py": SCRIPT + b"print(model)\n"}


@pytest.fixture
def proposed(app: AppSite) -> AppSite:
    """The bot has a pull request open: number 1."""
    app.commit({**FILES, **PR})
    app.push()
    return app


def written(hub: Hub, since: int = 0) -> list[str]:
    """The writes that anybody can see."""
    return [each for each in hub.writes[since:] if "access_tokens" not in each]


def answers(hub: Hub, number: int = 1) -> list[str]:
    """What the bot has said, without its hidden line."""
    return [each.partition(" -->\n")[2] for each in hub.state.comments.get(number, []) if each.by == "tc-migrate[bot]"]


# --- who may ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word", ["run", "check", "rebase", "suggest", "explain TC401", "ignore TC401", "close", "help"]
)
def test_who_may_not_write_gets_a_reaction_and_no_more(proposed: AppSite, hub: Hub, word: str) -> None:
    asked = len(hub.writes)
    assert proposed.say(word, login="mallory").note == f"{word.split()[0]}: mallory may not write there"
    assert proposed.say(word, login="stranger").note == f"{word.split()[0]}: stranger may not write there"
    assert hub.state.reactions == {99: ["-1"]}
    assert set(written(hub, asked)) == {"POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions"}


def test_the_permission_is_that_of_the_moment(proposed: AppSite, hub: Hub) -> None:
    hub.state.permissions["alice"] = "read"
    assert proposed.say("close").note == "close: alice may not write there"
    assert hub.state.pulls[1]["state"] == "open"


def test_a_comment_that_was_deleted_asks_for_nothing(proposed: AppSite, hub: Hub) -> None:
    hub.state.gone.add(99)
    assert proposed.say("close").note.startswith("close: the comment is gone")
    assert hub.state.pulls[1]["state"] == "open"


def test_a_command_in_an_issue(proposed: AppSite, hub: Hub) -> None:
    payload = payloads.comment("/tc-migrate close", NAME, 1)
    del payload["issue"]["pull_request"]
    asked = len(hub.writes)
    assert proposed.do("issue_comment", payload).note == "a command in an issue: they are for pull requests"
    assert written(hub, asked) == []


# --- run, rebase --------------------------------------------------------------------------------------------------


def test_run_proposes_again_what_was_closed(proposed: AppSite, hub: Hub) -> None:
    hub.state.pulls[1]["state"] = "closed"
    outcome = proposed.say("run")
    assert (outcome.note, outcome.pull_request) == ("run: opened", f"{hub.url}/{NAME}/pull/2")
    assert hub.state.reactions[99] == ["eyes", "rocket"]
    (said,) = answers(hub)
    assert said == f"#2 is the migration of `main` at {hub.state.tip(NAME, 'main')}.\n"


def test_run_opens_one_without_mode_pr(app: AppSite, hub: Hub) -> None:
    app.commit(FILES)
    app.open_pull(FEATURE)
    assert app.say("run", 50).note == "run: opened"
    assert app.held() == migrated()
    assert len(answers(hub, 50)) == 1


def test_run_leaves_a_persons_branch_and_rebase_takes_it(proposed: AppSite, hub: Hub) -> None:
    theirs = proposed.push_as_person()
    assert proposed.say("run").note.startswith("run: handed off")
    assert proposed.tip == theirs
    assert f"`/tc-migrate rebase {theirs[:12]}`" in answers(hub)[-1]
    assert proposed.say(f"rebase {theirs[:12]}", id=100).note == "rebase: updated"
    assert proposed.held() == migrated()


def test_rebase_asks_before_it_drops_a_commit_of_a_person(proposed: AppSite, hub: Hub) -> None:
    theirs = proposed.push_as_person()
    assert proposed.say("rebase").note.startswith("rebase: handed off")
    assert f"`/tc-migrate rebase {theirs[:12]}` makes the branch anew and **drops them" in answers(hub)[-1]
    newer = proposed.push_as_person()
    assert proposed.say(f"rebase {theirs}", id=100).note.startswith("rebase: handed off"), (
        "that is not the last any more"
    )
    assert proposed.tip == newer
    assert f"`/tc-migrate rebase {newer[:12]}`" in answers(hub)[-1]


def test_rebase_of_a_branch_that_is_the_bots_needs_no_word(proposed: AppSite, hub: Hub) -> None:
    proposed.commit({**FILES, **PR, "README.md": b"# Two\n"})
    assert proposed.say("rebase").note == "rebase: updated"


def test_rebase_does_not_open_what_was_closed(proposed: AppSite, hub: Hub) -> None:
    hub.state.pulls[1]["state"] = "closed"
    proposed.say("rebase")
    assert answers(hub) == [
        "Nothing is changed: the same was closed as pull request 1. `/tc-migrate run` proposes it again.\n"
    ]


# --- check, suggest -----------------------------------------------------------------------------------------------


def test_check_in_the_bots_own(proposed: AppSite, hub: Hub) -> None:
    base = proposed.commit({**FILES, **PR, "more.py": SCRIPT})
    tip = proposed.tip
    proposed.say("check")
    assert proposed.tip == tip
    assert [check["head_sha"] for check in hub.state.checks.values()][-1] == base
    assert f"/{NAME}/commit/{base}" in answers(hub)[0]


def test_check_leaves_the_button(app: AppSite, hub: Hub) -> None:
    app.commit(FILES)
    app.push()
    app.press(hub.state.tip(NAME, "main"))
    hub.state.pulls[1]["state"] = "closed"
    app.say("check")
    assert [len(check["actions"]) for check in hub.state.checks.values()] == [1, 0, 1]


@pytest.mark.parametrize("fork", [False, True])
def test_check_of_somebodys_pull_request(app: AppSite, hub: Hub, fork: bool) -> None:
    """By the settings of the base, whatever the head says."""
    app.commit({**FILES, SETTINGS: b"target: torch-xla==2.9\n"})
    head = app.open_pull({**FEATURE, SETTINGS: b"enabled: false\n"}, fork=fork)
    app.say("check", 50)
    (check,) = hub.state.checks.values()
    assert (check["head_sha"], check["output"]["title"]) == (
        head,
        "Migrate training scripts to PyTorch/XLA (torch_xla 2.9)",
    )
    assert check["actions"] == []
    assert "1 file to be migrated" in answers(hub, 50)[0]


@pytest.mark.parametrize("fork", [False, True])
def test_suggest_in_somebodys_pull_request(app: AppSite, hub: Hub, fork: bool) -> None:
    app.commit(FILES)
    head = app.open_pull(FEATURE, fork=fork)
    for id in (98, 99):
        assert app.say("suggest", 50, id=id).note.endswith(f" suggestions for {head[:12]}")
    (review,) = hub.state.reviews[50]
    assert review["commit_id"] == head
    assert any(".to(device)" in each["body"] for each in review["comments"])
    assert hub.state.reactions == {98: ["eyes", "rocket"], 99: ["eyes", "rocket"]}
    assert (answers(hub, 50), app.tip) == ([], "")


def test_nothing_to_suggest(app: AppSite, hub: Hub) -> None:
    app.commit(FILES)
    app.open_pull(FEATURE)
    hub.state.files[50][0]["patch"] = "@@ -90,0 +90,1 @@\n+print(model)"
    app.say("suggest", 50)
    assert answers(hub, 50)[0].startswith("There is nothing to suggest for the lines that this changes. ")


def test_suggest_in_the_bots_own(proposed: AppSite, hub: Hub) -> None:
    proposed.say("suggest")
    assert answers(hub) == ["Suggestions are for an open pull request of yours.\n"]


# --- drop -------------------------------------------------------------------------------------------------------------


def test_drop_leaves_out_one_edit_for_good(proposed: AppSite, hub: Hub) -> None:
    line = SCRIPT.decode().splitlines().index("    optimizer.step()") + 1
    outcome = proposed.say(f"drop train.py:{line}")
    assert outcome.note == "drop: updated"
    assert b"    optimizer.step()\n" in proposed.held()
    assert b".to(device)" in proposed.held()
    assert answers(hub)[0].startswith(f"The edit at `train.py:{line}` is left out here")
    assert "1 edit by itself" in hub.state.pulls[1]["body"]
    proposed.commit({**FILES, **PR, "train.py": b"# moved\n" + SCRIPT})
    assert proposed.push().note == "updated"
    assert b"    optimizer.step()\n" in proposed.held()


def test_drop_of_what_is_no_edit(proposed: AppSite, hub: Hub) -> None:
    for number, (word, said) in enumerate({"train.py:1": "no edit at", "gone.py:3": "no edit at",
                                           "TC999": "no rule, codemod or script"}.items()):  # fmt: skip
        proposed.say(f"drop {word}", id=200 + number)
        assert said in answers(hub)[-1]
    proposed.say("drop TC401", id=300)
    assert "`TC401` is left out here" in answers(hub)[-1]


# --- explain, help ------------------------------------------------------------------------------------------------


def test_explain(proposed: AppSite, hub: Hub) -> None:
    for number, word in enumerate(("TC401", "ts012", "optimizer-step", "TC4O1", "</td>@octo")):
        proposed.say(f"explain {word}", id=100 + number)
    rule, alias, codemod, unknown, hostile = answers(hub)
    assert rule.startswith("```\nTC401  ")
    assert alias.startswith("```\nTS012  ")
    assert codemod.startswith("```\ncodemod optimizer_step\n")
    assert unknown.startswith("There is no rule or codemod `TC4O1`; the nearest is `TC")
    assert "@octo" not in hostile
    assert "</td>" not in hostile


def test_help(proposed: AppSite, hub: Hub) -> None:
    proposed.say("help")
    proposed.say("dance", id=100)
    plain, problem = answers(hub)
    assert plain.startswith("### Commands")
    assert problem.startswith("There is no such command.\n\n### Commands")


# --- ignore -------------------------------------------------------------------------------------------------------


def test_a_rule_that_is_ignored_stays_so(proposed: AppSite, hub: Hub) -> None:
    assert "xm.optimizer_step" in proposed.held().decode()
    assert proposed.say("ignore tc401").note == "ignore: updated"
    assert "xm.optimizer_step" not in proposed.held().decode()
    assert answers(hub)[0].startswith("`TC401` is left out here from now on.")
    assert "### Left out on request\n\n`TC401`\n" in hub.state.pulls[1]["body"]
    proposed.commit({**FILES, **PR, "more.py": SCRIPT})
    proposed.push()
    assert "xm.optimizer_step" not in proposed.held("more.py").decode()
    hub.state.pulls[1]["state"] = "closed"
    proposed.say("run", id=100)
    marker = read_marker(hub.state.pulls[2]["body"])
    assert marker is not None
    assert marker.left_out == ("TC401",)


def test_a_path_that_is_ignored(proposed: AppSite, hub: Hub) -> None:
    proposed.commit({**FILES, **PR, "old stuff/caf\u00e9.py": SCRIPT})
    proposed.say("ignore caf\u00e9.py")
    proposed.say("ignore TC111", id=100)
    marker = read_marker(hub.state.pulls[1]["body"])
    assert marker is not None
    assert marker.left_out == ("caf\u00e9.py", "TC111")
    assert "old stuff" not in git(proposed.bare, "diff", "--name-only", "main", BRANCH).decode()
    assert "exclude: ['caf\u00e9.py']" in answers(hub)[0]


def test_all_of_it_ignored_closes_the_pull_request(proposed: AppSite, hub: Hub) -> None:
    proposed.say("ignore train.py")
    assert hub.state.pulls[1]["state"] == "closed"
    assert proposed.push().note == "nothing to propose"


def test_what_was_ignored_can_be_had_back(proposed: AppSite, hub: Hub) -> None:
    proposed.say("ignore TC401")
    body = hub.state.pulls[1]["body"]
    hub.state.pulls[1]["body"] = body.replace(" ignore=TC401", "")
    proposed.say("run", id=100)
    assert proposed.held() == migrated()
    assert "Left out" not in hub.state.pulls[1]["body"]


@pytest.mark.parametrize("word", ["nothing.py", "TC9999", "</td>@octo", "../../etc/passwd", "a\u202eb"])
def test_a_word_that_is_no_rule_and_no_script(proposed: AppSite, hub: Hub, word: str) -> None:
    body = hub.state.pulls[1]["body"]
    proposed.say(f"ignore {word}")
    assert answers(hub)[0].startswith("There is no rule, codemod or script ")
    assert "@octo" not in answers(hub)[0]
    assert hub.state.pulls[1]["body"] == body


def test_ignore_in_somebodys_pull_request_tells_of_the_settings(app: AppSite, hub: Hub) -> None:
    app.commit(FILES)
    app.open_pull(FEATURE)
    app.say("ignore TC401", 50)
    assert "ignore: ['TC401']" in answers(hub, 50)[0]
    assert app.tip == ""


# --- close --------------------------------------------------------------------------------------------------------


def test_close(proposed: AppSite, hub: Hub) -> None:
    for id in (98, 99):
        assert proposed.say("close", id=id).note == "close: closed and deleted"
    assert (hub.state.pulls[1]["state"], proposed.tip) == ("closed", "")
    assert proposed.push().note.startswith("silent")


def test_close_keeps_a_branch_with_a_persons_commit(proposed: AppSite, hub: Hub) -> None:
    theirs = proposed.push_as_person()
    proposed.say("close")
    assert (hub.state.pulls[1]["state"], proposed.tip) == ("closed", theirs)
    assert answers(hub) == ["Closed. The branch has a commit that is not mine, so it stays.\n"]


@pytest.mark.parametrize("fork", [False, True])
def test_what_is_somebodys_is_not_closed(proposed: AppSite, hub: Hub, fork: bool) -> None:
    proposed.open_pull(FEATURE, fork=fork)
    hub.state.pulls[50].update(head=BRANCH if fork else "feature", body=hub.state.pulls[1]["body"])
    tip = proposed.tip
    proposed.say("close", 50)
    assert (hub.state.pulls[50]["state"], proposed.tip) == ("open", tip)


# --- answers ------------------------------------------------------------------------------------------------------


def test_after_some_answers_in_an_hour_there_are_only_reactions(proposed: AppSite, hub: Hub) -> None:
    for id in range(100, 107):
        proposed.say("help", id=id)
    assert len(answers(hub)) == 5
    assert hub.state.reactions[106] == ["eyes", "confused"]
    for said in hub.state.comments[1]:
        said.at -= 3_700
    proposed.say("help", id=107)
    assert len(answers(hub)) == 6


def test_a_comment_that_looks_like_an_answer_is_none(proposed: AppSite, hub: Hub) -> None:
    hub.state.comments[1] = [say("<!-- tc-migrate:v1 answer=99 -->\nx", "mallory")] * 9
    proposed.say("help")
    assert len(answers(hub)) == 1


def test_a_command_where_the_bot_is_off_is_answered(proposed: AppSite, hub: Hub) -> None:
    proposed.commit({**FILES, SETTINGS: b"enabled: false\n"})
    proposed.say("run")
    assert "`enabled: false`" in answers(hub)[0].replace("\\", "")


def test_a_command_with_bad_settings_is_answered(proposed: AppSite, hub: Hub) -> None:
    proposed.commit({**FILES, SETTINGS: b"mode: '</td>@octo'\n"})
    proposed.say("run")
    assert ".github/tc-migrate.yml:1: mode is one of check, pr" in answers(hub)[0]


KILLED = {"check": "check", "ignore": "ignore TC401", "close": "close"}


@pytest.mark.parametrize("name", KILLED)
def test_a_command_that_is_ended_anywhere_is_finished_by_the_next(proposed: AppSite, hub: Hub, name: str) -> None:
    proposed.commit({**FILES, **PR, "more.py": SCRIPT})
    before = Snapshot(proposed)
    hub.requests.clear()
    proposed.say(KILLED[name])
    wanted, writes = copy.deepcopy(proposed.standing), list(hub.writes)
    for number in [number for number, key in enumerate(writes, 1) if "access_tokens" not in key]:
        before.restore()
        hub.requests.clear()
        hub.dies_at, hub.dies_after = number, True
        with pytest.raises((Postpone, GitError)):
            proposed.say(KILLED[name])
        hub.dies_at = None
        proposed.say(KILLED[name])
        assert proposed.standing == wanted, number
