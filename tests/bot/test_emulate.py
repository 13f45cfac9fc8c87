"""A second opinion: the bot's requests, taken by the GitHub of `emulate`. Where that differs from GitHub it is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.bot.app_work import AppConfig, AppWork
from migrate.bot.events import read_event
from migrate.bot.jobs import Claim
from migrate.bot.publish import Outcome, say_once
from migrate.bot.report_check import report_check
from migrate.bot.visit import Rights
from migrate.forge.faults import Denied, Missing, Refused, Unavailable
from migrate.forge.github import Forge
from migrate.forge.tokens import PUBLISH, READ, App
from tests.bot import payloads
from tests.bot.app_site import SETTINGS, make_key, migrated
from tests.bot.emulate import INSTALLATION, NUMBER, OWNER, Emulated, serve
from tests.bot.emulated_site import FILES, EmulatedSite, serve_git
from tests.bot.migrations import NOTE, train
from tests.bot.repositories import git
from tests.bot.site import BOT, BRANCH, MANY, NOTHING, OTHER
from tests.bot.test_survey import SCRIPT

MARKER = "<!-- tc-migrate:v1 said=test -->\n"
NOTED = {"train.py": train(notes=(NOTE,))}


@pytest.fixture(scope="module")
def emulated() -> Iterator[Emulated]:
    with serve() as server:
        yield server


@pytest.fixture
def site(emulated: Emulated, tmp_path: Path) -> EmulatedSite:
    return EmulatedSite(emulated.make(tmp_path), tmp_path)


# --- the App --------------------------------------------------------------------------------------------------------


def test_a_token_is_for_one_repository_and_its_rights(emulated: Emulated, site: EmulatedSite, tmp_path: Path) -> None:
    other = emulated.make(tmp_path / "other")
    token = emulated.app.mint(INSTALLATION, site.repository.name, READ)
    assert token.text.startswith("ghs_")
    assert token.expires.tzinfo is not None
    elsewhere = Forge(other.name, token.text, emulated.url, pause=0)
    with pytest.raises((Denied, Missing)):
        elsewhere.pull_requests(BRANCH)
    reader = Forge(site.repository.name, token.text, emulated.url, pause=0)
    assert reader.look_up().default_branch == "main"
    with pytest.raises(Denied):
        reader.open_pull_request(BRANCH, "main", "title", "body", draft=False)


@pytest.mark.parametrize("rights", list(Rights), ids=lambda each: each.name)
def test_the_rights_of_jobs_are_rights(site: EmulatedSite, rights: Rights) -> None:
    site.enter(rights.value)


def test_more_rights_than_the_installation_has_are_refused(emulated: Emulated, site: EmulatedSite) -> None:
    with pytest.raises(Refused, match=r"422.*not granted"):
        emulated.app.mint(INSTALLATION, site.repository.name, {"administration": "write"})


def test_a_repository_and_an_installation_that_are_not_there(emulated: Emulated, site: EmulatedSite) -> None:
    with pytest.raises(Refused, match="not accessible"):
        emulated.app.mint(INSTALLATION, f"{OWNER}/nowhere", READ)
    with pytest.raises(Missing):
        emulated.app.mint(INSTALLATION + 1, site.repository.name, READ)


def test_another_key_is_not_the_apps(emulated: Emulated, site: EmulatedSite) -> None:
    stranger = App(NUMBER + 1, make_key()[0], emulated.url, pause=0)
    with pytest.raises((Denied, Missing)):
        stranger.mint(INSTALLATION, site.repository.name, READ)


def test_the_app_itself(emulated: Emulated) -> None:
    # emulate: `owner` is null. GitHub describes an account there, always.
    with pytest.raises(Unavailable, match="not an answer"):
        emulated.app.look_up()


# --- pull requests --------------------------------------------------------------------------------------------------


def test_a_job_opens_one_pull_request_and_its_repetition_nothing(site: EmulatedSite) -> None:
    assert site.run() is Outcome.OPENED
    assert site.run() is Outcome.UNCHANGED
    (pull,) = site.forge.pull_requests(BRANCH)
    assert (pull.is_open, pull.is_merged, pull.base, pull.branch, pull.head) == (True, False, "main", BRANCH, site.tip)
    assert "tc-migrate" in pull.body
    assert site.forge.signature(site.tip).author == BOT.email


def test_other_edits_update_it_and_no_edits_close_it(site: EmulatedSite) -> None:
    site.run()
    before = site.tip
    assert site.run(OTHER) is Outcome.UPDATED
    assert site.tip != before
    assert site.run(NOTHING) is Outcome.CLOSED
    (pull,) = site.forge.pull_requests(BRANCH)
    assert not pull.is_open
    assert site.run(NOTHING) is Outcome.NOTHING


def test_what_a_person_closed_is_not_proposed_again(site: EmulatedSite) -> None:
    site.run()
    site.forge.close(1)
    assert site.run() is Outcome.SILENT
    assert site.run(OTHER) is Outcome.OPENED


def test_a_branch_with_a_persons_commit_is_left_alone_and_that_is_said_once(site: EmulatedSite) -> None:
    site.run()
    mine = site.commit(BRANCH, {**FILES, "train.py": b"mine = 1\n"})
    assert [site.run(OTHER), site.run(OTHER)] == [Outcome.HANDED_OFF] * 2
    assert site.tip == mine
    assert len(site.forge.comments(1)) == 1


def test_a_second_pull_request_of_a_branch(site: EmulatedSite) -> None:
    site.run()
    # emulate: 201, a second one. GitHub: 422, which `publish` turns into the one that there is (test_publish).
    second = site.forge.open_pull_request(BRANCH, "main", "again", "body", draft=True)
    assert second.number == 2


def test_labels(site: EmulatedSite) -> None:
    site.run()
    # emulate: 403, it wants `issues`. GitHub takes `pull_requests` as well, for a pull request.
    with pytest.raises(Denied):
        site.forge.add_labels(1, ["tc-migrate"])
    site.enter({**PUBLISH, "issues": "write"}).add_labels(1, ["tc-migrate", "cuda"])
    assert site.forge.pull_request(1).labels == {"tc-migrate", "cuda"}


# --- a whole job ----------------------------------------------------------------------------------------------------


def test_the_work_of_a_push(emulated: Emulated, site: EmulatedSite, tmp_path: Path) -> None:
    settings = {SETTINGS: b"mode: pr\nlabels: []\n"}  # no labels: see test_labels
    (job,) = read_event("push", payloads.push(site.repository.name)).jobs
    with serve_git(site.repository, BRANCH) as web:
        config = AppConfig(app_id=NUMBER, key=make_key()[0], name="tc-migrate", api=emulated.url, web=web,
                           folder=tmp_path / "work", pause=0)  # fmt: skip
        said = []
        for files in ({"train.py": SCRIPT}, {"train.py": SCRIPT}, {"train.py": SCRIPT, "more.py": SCRIPT}):
            site.commit("main", {**files, **settings})
            said.append(AppWork(config)(Claim(1, job, 1, "lease")).note)
    assert said == ["opened", "unchanged", "updated"]
    (pull,) = site.forge.pull_requests(BRANCH)
    assert pull.is_open
    assert git(site.repository.bare, "cat-file", "blob", f"{BRANCH}:more.py") + b"\n" == migrated()


# --- what is said ---------------------------------------------------------------------------------------------------


def test_a_comment_is_made_once(site: EmulatedSite) -> None:
    site.run()
    for _ in range(2):
        say_once(site.forge, 1, MARKER, "Hello.\r\nA second line.\n")
    (comment,) = site.forge.comments(1)
    assert comment.body.startswith(MARKER)
    assert comment.written is not None


def test_a_reaction(site: EmulatedSite) -> None:
    site.run()
    say_once(site.forge, 1, MARKER, "Hello.")
    # emulate: 404, it has no reactions. GitHub: 201.
    with pytest.raises(Missing):
        site.forge.react(1, "eyes")


def test_a_review(site: EmulatedSite) -> None:
    site.run()
    site.forge.review(1, site.tip, "Edits.", [])
    (review,) = site.forge.reviews(1)
    assert (review.body, review.commit) == ("Edits.", site.tip)
    # emulate: 422, it wants `position`, which GitHub is closing down for `line` and `side`.
    remark = {"path": "train.py", "line": 3, "side": "RIGHT", "body": "```suggestion\nx\n```"}
    with pytest.raises(Refused):
        site.forge.review(1, site.tip, "Edits.", [remark])


# --- checks and people ----------------------------------------------------------------------------------------------


def test_a_check_run_with_annotations_is_made_once(site: EmulatedSite) -> None:
    plan, _ = site.plan(NOTED)
    assert len(plan.annotations) > 1
    for _ in range(2):
        report_check(plan, site.forge)
    (run,) = site.forge.check_runs(site.base, "tc-migrate")
    assert run.is_complete
    # emulate: the result, which names no annotations, takes those away that were there. GitHub adds to them.
    assert run.annotations == 0


def test_annotations_of_a_check_run_that_is_not_finished(site: EmulatedSite) -> None:
    plan, _ = site.plan(MANY)
    run = site.forge.start_check(site.base, "tc-migrate", "mine")
    assert (run.is_complete, run.external_id) == (False, "mine")
    site.forge.annotate(run.id, "title", "summary", [each.payload() for each in plan.annotations[:50]])
    (found,) = site.forge.check_runs(site.base, "tc-migrate")
    assert found.annotations == 50
    # emulate: 51 are taken. GitHub: 422, so `portions` never makes so many (test_checks).
    site.forge.annotate(run.id, "title", "summary", [each.payload() for each in plan.annotations[:51]])


def test_a_failure_is_told_by_a_right_that_is_missing(site: EmulatedSite) -> None:
    plan, _ = site.plan(NOTED)
    with pytest.raises(Denied, match="403"):
        report_check(plan, site.enter(READ))


@pytest.mark.parametrize(
    ("permission", "may"),
    # emulate: `permission` is `push` and `pull`, which GitHub calls `write` and `read` there.
    [("admin", True), ("maintain", True), ("push", False), ("triage", False), ("pull", False)],
)
def test_who_may_write(site: EmulatedSite, permission: str, may: bool) -> None:
    site.repository.allow("alice", permission)
    assert site.enter(READ).may_write("alice") is may


def test_a_stranger_may_not_write(site: EmulatedSite) -> None:
    # emulate: 404. GitHub: `read` or `none`. Either is a no.
    assert not site.enter(READ).may_write("mallory")
    assert not site.enter(READ).may_write("nobody-at-all")


def test_the_number_of_the_bot(site: EmulatedSite) -> None:
    assert site.enter(READ).number_of("tc-migrate[bot]") > 0
