"""A second opinion: the bot's requests, taken by the GitHub of `emulate`. Where that differs from GitHub it is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.bot.body import Origin, Proposal
from migrate.bot.git.commits import Author
from migrate.bot.git.remote import Remote
from migrate.bot.plan import Plan, make_plan
from migrate.bot.publish import Outcome, Work, publish, say_once
from migrate.bot.report_check import report_check
from migrate.bot.settings import Settings
from migrate.bot.sources import read_sources
from migrate.bot.standing import Wishes
from migrate.bot.visit import Rights
from migrate.forge.faults import Denied, Missing, Refused, Unavailable
from migrate.forge.github import Forge
from migrate.forge.tokens import PUBLISH, READ, App
from migrate.migration import Migration
from tests.bot.app_site import make_key
from tests.bot.emulate import INSTALLATION, NUMBER, OWNER, Emulated, EmulatedRepository, TellingStore, serve
from tests.bot.migrations import NOTE, SOURCE, proposal, train
from tests.bot.repositories import commit_files, git
from tests.bot.site import BRANCH, MANY, NOTHING, ONE, OTHER

BOT = Author("tc-migrate[bot]", "1+tc-migrate[bot]@users.noreply.github.com")
FILES = {"train.py": SOURCE.encode(), "README.md": b"# One\n"}
MARKER = "<!-- tc-migrate:v1 said=test -->\n"
NOTED = {"train.py": train(notes=(NOTE,))}


@pytest.fixture(scope="module")
def emulated() -> Iterator[Emulated]:
    with serve() as server:
        yield server


class Place:
    """A repository with one script, and the bot there."""

    def __init__(self, repository: EmulatedRepository, folder: Path) -> None:
        self.repository, self.folder = repository, folder
        self.base = self.commit("main", FILES)
        self.forge = self.enter(PUBLISH)
        self._runs = 0

    def commit(self, branch: str, files: Mapping[str, bytes]) -> str:
        made = commit_files(self.repository.bare, dict(files), branch)
        self.repository.tell(branch)
        return made

    def enter(self, rights: Mapping[str, str]) -> Forge:
        """As a job does: with a token for this repository and these rights."""
        server, name = self.repository.server, self.repository.name
        return Forge(name, server.app.mint(INSTALLATION, name, rights).text, server.url, pause=0)

    def run(self, migrations: Mapping[str, Migration] = ONE) -> Outcome:
        """A whole job: fetch, plan, branch and pull request, check run. Without labels (below)."""
        plan, work = self.plan(migrations)
        done = publish(plan, Wishes("main"), work, self.forge)
        report_check(plan, self.forge)
        return done.outcome

    def plan(self, migrations: Mapping[str, Migration]) -> tuple[Plan, Work]:
        self._runs += 1
        store, remote = TellingStore(self.folder / f"store{self._runs}", self.repository), Remote(
            str(self.repository.bare)
        )
        contents = store.read(store.fetch(remote, "main"))
        origin = Origin(self.repository.name, contents.commit)
        plan = make_plan(migrations, Proposal(origin, proposal().target, "0.1.0"))
        return plan, Work(store, remote, contents, read_sources(contents, Settings()), BOT)

    @property
    def tip(self) -> str:
        return git(self.repository.bare, "rev-parse", BRANCH).decode()


@pytest.fixture
def place(emulated: Emulated, tmp_path: Path) -> Place:
    return Place(emulated.make(tmp_path), tmp_path)


# --- the App --------------------------------------------------------------------------------------------------------


def test_a_token_is_for_one_repository_and_its_rights(emulated: Emulated, place: Place, tmp_path: Path) -> None:
    other = emulated.make(tmp_path / "other")
    token = emulated.app.mint(INSTALLATION, place.repository.name, READ)
    assert token.text.startswith("ghs_")
    assert token.expires.tzinfo is not None
    elsewhere = Forge(other.name, token.text, emulated.url, pause=0)
    with pytest.raises((Denied, Missing)):
        elsewhere.pull_requests(BRANCH)
    reader = Forge(place.repository.name, token.text, emulated.url, pause=0)
    assert reader.look_up().default_branch == "main"
    with pytest.raises(Denied):
        reader.open_pull_request(BRANCH, "main", "title", "body", draft=False)


@pytest.mark.parametrize("rights", list(Rights), ids=lambda each: each.name)
def test_the_rights_of_jobs_are_rights(place: Place, rights: Rights) -> None:
    place.enter(rights.value)


def test_more_rights_than_the_installation_has_are_refused(emulated: Emulated, place: Place) -> None:
    with pytest.raises(Refused, match=r"422.*not granted"):
        emulated.app.mint(INSTALLATION, place.repository.name, {"administration": "write"})


def test_a_repository_and_an_installation_that_are_not_there(emulated: Emulated, place: Place) -> None:
    with pytest.raises(Refused, match="not accessible"):
        emulated.app.mint(INSTALLATION, f"{OWNER}/nowhere", READ)
    with pytest.raises(Missing):
        emulated.app.mint(INSTALLATION + 1, place.repository.name, READ)


def test_another_key_is_not_the_apps(emulated: Emulated, place: Place) -> None:
    stranger = App(NUMBER + 1, make_key()[0], emulated.url, pause=0)
    with pytest.raises((Denied, Missing)):
        stranger.mint(INSTALLATION, place.repository.name, READ)


def test_the_app_itself(emulated: Emulated) -> None:
    # emulate: `owner` is null. GitHub describes an account there, always.
    with pytest.raises(Unavailable, match="not an answer"):
        emulated.app.look_up()


# --- pull requests --------------------------------------------------------------------------------------------------


def test_a_job_opens_one_pull_request_and_its_repetition_nothing(place: Place) -> None:
    assert place.run() is Outcome.OPENED
    assert place.run() is Outcome.UNCHANGED
    (pull,) = place.forge.pull_requests(BRANCH)
    assert (pull.is_open, pull.is_merged, pull.base, pull.branch, pull.head) == (True, False, "main", BRANCH, place.tip)
    assert "tc-migrate" in pull.body
    assert place.forge.signature(place.tip).author == BOT.email


def test_other_edits_update_it_and_no_edits_close_it(place: Place) -> None:
    place.run()
    before = place.tip
    assert place.run(OTHER) is Outcome.UPDATED
    assert place.tip != before
    assert place.run(NOTHING) is Outcome.CLOSED
    (pull,) = place.forge.pull_requests(BRANCH)
    assert not pull.is_open
    assert place.run(NOTHING) is Outcome.NOTHING


def test_what_a_person_closed_is_not_proposed_again(place: Place) -> None:
    place.run()
    place.forge.close(1)
    assert place.run() is Outcome.SILENT
    assert place.run(OTHER) is Outcome.OPENED


def test_a_branch_with_a_persons_commit_is_left_alone_and_that_is_said_once(place: Place) -> None:
    place.run()
    mine = place.commit(BRANCH, {**FILES, "train.py": b"mine = 1\n"})
    assert [place.run(OTHER), place.run(OTHER)] == [Outcome.HANDED_OFF] * 2
    assert place.tip == mine
    assert len(place.forge.comments(1)) == 1


def test_a_second_pull_request_of_a_branch(place: Place) -> None:
    place.run()
    # emulate: 201, a second one. GitHub: 422, which `publish` turns into the one that there is (test_publish).
    second = place.forge.open_pull_request(BRANCH, "main", "again", "body", draft=True)
    assert second.number == 2


def test_labels(place: Place) -> None:
    place.run()
    # emulate: 403, it wants `issues`. GitHub takes `pull_requests` as well, for a pull request.
    with pytest.raises(Denied):
        place.forge.add_labels(1, ["tc-migrate"])
    place.enter({**PUBLISH, "issues": "write"}).add_labels(1, ["tc-migrate", "cuda"])
    # emulate: a pull request does not know what its issue is labelled, or does; GitHub shows the same in both.
    assert place.forge.pull_request(1).labels <= {"tc-migrate", "cuda"}


# --- what is said ---------------------------------------------------------------------------------------------------


def test_a_comment_is_made_once(place: Place) -> None:
    place.run()
    for _ in range(2):
        say_once(place.forge, 1, MARKER, "Hello.\r\nA second line.\n")
    (comment,) = place.forge.comments(1)
    assert comment.body.startswith(MARKER)
    assert comment.written is not None


def test_a_reaction(place: Place) -> None:
    place.run()
    say_once(place.forge, 1, MARKER, "Hello.")
    # emulate: 404, it has no reactions. GitHub: 201.
    with pytest.raises(Missing):
        place.forge.react(1, "eyes")


def test_a_review(place: Place) -> None:
    place.run()
    place.forge.review(1, place.tip, "Edits.", [])
    (review,) = place.forge.reviews(1)
    assert (review.body, review.commit) == ("Edits.", place.tip)
    # emulate: 422, it wants `position`, which GitHub is closing down for `line` and `side`.
    remark = {"path": "train.py", "line": 3, "side": "RIGHT", "body": "```suggestion\nx\n```"}
    with pytest.raises(Refused):
        place.forge.review(1, place.tip, "Edits.", [remark])


# --- checks and people ----------------------------------------------------------------------------------------------


def test_a_check_run_with_annotations_is_made_once(place: Place) -> None:
    plan, _ = place.plan(NOTED)
    assert len(plan.annotations) > 1
    for _ in range(2):
        report_check(plan, place.forge)
    (run,) = place.forge.check_runs(place.base, "tc-migrate")
    assert run.is_complete
    # emulate: the result, which names no annotations, takes those away that were there. GitHub adds to them.
    assert run.annotations == 0


def test_annotations_of_a_check_run_that_is_not_finished(place: Place) -> None:
    plan, _ = place.plan(MANY)
    run = place.forge.start_check(place.base, "tc-migrate", "mine")
    assert (run.is_complete, run.external_id) == (False, "mine")
    place.forge.annotate(run.id, "title", "summary", [each.payload() for each in plan.annotations[:50]])
    (found,) = place.forge.check_runs(place.base, "tc-migrate")
    assert found.annotations == 50
    # emulate: 51 are taken. GitHub: 422, so `portions` never makes so many (test_checks).
    place.forge.annotate(run.id, "title", "summary", [each.payload() for each in plan.annotations[:51]])


def test_a_failure_is_told_by_a_right_that_is_missing(place: Place) -> None:
    plan, _ = place.plan(replace_notes())
    with pytest.raises(Denied, match="403"):
        report_check(plan, place.enter(READ))


def replace_notes() -> dict[str, Migration]:
    return {"train.py": replace(train(), notes=(NOTE,))}


@pytest.mark.parametrize(
    ("permission", "may"),
    # emulate: `permission` is `push` and `pull`, which GitHub calls `write` and `read` there.
    [("admin", True), ("maintain", True), ("push", False), ("triage", False), ("pull", False)],
)
def test_who_may_write(place: Place, permission: str, may: bool) -> None:
    place.repository.allow("alice", permission)
    assert place.enter(READ).may_write("alice") is may


def test_a_stranger_may_not_write(place: Place) -> None:
    # emulate: 404. GitHub: `read` or `none`. Either is a no.
    assert not place.enter(READ).may_write("mallory")
    assert not place.enter(READ).may_write("nobody-at-all")


def test_the_number_of_the_bot(place: Place) -> None:
    assert place.enter(READ).number_of("tc-migrate[bot]") > 0
