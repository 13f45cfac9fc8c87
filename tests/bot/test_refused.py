"""What somebody has refused is not proposed again, edit by edit; what is new is, if it stands without the rest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from migrate.bot.marker import Marker, read_marker
from migrate.bot.plan import make_plan
from migrate.bot.refused import hold_back, remember_edits
from migrate.forge.values import PullRequest
from migrate.migration import Migration, Status
from tests.bot.app_site import BRANCH, FILES, NAME, PR, AppSite
from tests.bot.hub import Hub
from tests.bot.migrations import COMMIT, RESULT, SOURCE, proposal, train
from tests.bot.repositories import git
from tests.bot.test_survey import SCRIPT

UNRELATED = b"import torch\n\n\ndef double(x):\n    return 2 * x.cuda()\n"


def pull(body: str, number: int = 1, *, is_open: bool = False, is_merged: bool = False) -> PullRequest:
    return PullRequest(number, is_open, is_merged, "main", body, frozenset())


def known(*migrations: Migration, **more: bool) -> dict[str, PullRequest]:
    """What one pull request with these says."""
    plan = make_plan({each.path: each for each in migrations}, proposal())
    return dict(remember_edits([pull(plan.body, **more)], "smtc"))


def made(source: str, result: str, path: str = "a.py") -> Migration:
    return Migration(path, "smtc", Status.MIGRATED, source, result)


# --- as owners see it ---------------------------------------------------------------------------------------------


def test_what_was_refused_stays_away_when_something_else_is_proposed(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    hub.state.pulls[1]["state"] = "closed"
    git(app.bare, "update-ref", "-d", f"refs/heads/{BRANCH}")
    app.commit({**FILES, **PR, "other.py": UNRELATED})
    assert app.push().note == "opened"
    assert app.held() == SCRIPT
    assert app.held("other.py") != UNRELATED
    body = hub.state.pulls[2]["body"]
    assert "edits held back: the same, or what they cannot do without, was closed as pull request 1." in body
    assert "`train.py" not in body
    (check,) = (each for each in hub.state.checks.values() if each["head_sha"] == hub.state.tip(NAME, "main"))
    assert "held back" in check["output"]["summary"]
    assert app.push().note == "unchanged"


def test_run_proposes_it_and_the_next_push_does_not_take_it_back(app: AppSite, hub: Hub) -> None:
    app.commit({**FILES, **PR})
    app.push()
    hub.state.pulls[1]["state"] = "closed"
    files = {**FILES, **PR, "other.py": UNRELATED}
    app.commit(files)
    app.push()
    app.say("run", 2)
    assert app.held() != SCRIPT
    app.commit({**files, "README.md": b"# Two\n"})
    assert app.push().note == "updated"
    assert app.held() != SCRIPT


# --- edit by edit -------------------------------------------------------------------------------------------------


def test_the_same_is_held_back_wherever_it_has_gone() -> None:
    refused = known(train())
    moved = replace(train(), source="print(1)\n" + SOURCE, result="print(1)\n" + RESULT)
    offer = hold_back({"train.py": moved}, refused)
    assert (dict(offer.migrations), offer.edits) == ({}, "")
    assert (offer.held, offer.by) == (3, refused[next(iter(refused))])


def test_another_file_with_the_same_lines_is_another_edit() -> None:
    assert hold_back({"b.py": train("b.py")}, known(train())).held == 0


def test_a_new_edit_beside_a_refused_one_is_offered_alone() -> None:
    offer = hold_back({"a.py": made("a\nb\n", "A\nB\n")}, known(made("a\n", "A\n")))
    assert (offer.migrations["a.py"].result, offer.held) == ("a\nB\n", 1)


def test_a_new_import_does_not_bring_a_refused_one() -> None:
    before, after = made("x = 1\n", "import a\nx = 1\n"), made("x = 1\ny\n", "import a\nimport b\nx = 1\nb.y\n")
    assert hold_back({"a.py": after}, known(before)).migrations["a.py"].result == "import b\nx = 1\nb.y\n"


def test_what_does_not_stand_without_a_refused_edit_is_held_back_too() -> None:
    before, after = made("x = 1\n", "import a\nx = 1\n"), made("x = 1\ny\n", "import a\nx = 1\na.y\n")
    offer = hold_back({"a.py": after}, known(before))
    assert (dict(offer.migrations), offer.held) == ({}, 2)


def test_another_result_of_the_same_lines_is_another_edit() -> None:
    assert hold_back({"a.py": made("a\n", "C\n")}, known(made("a\n", "A\n"))).held == 0


def test_findings_of_what_is_held_back_are_not_told() -> None:
    less = replace(train(), result=SOURCE.replace("optimizer.step()", "next_step(optimizer)"))
    more = replace(train(), result=RESULT.replace("xm.optimizer_step(optimizer)", "next_step(optimizer)"))
    left = hold_back({"train.py": more}, known(less)).migrations["train.py"]
    assert [each.rule for each in left.changes] == ["TC111", "TC111"]


# --- by which pull request ----------------------------------------------------------------------------------------


def test_an_open_pull_request_refuses_nothing_and_goes_before_older_ones() -> None:
    body = make_plan({"train.py": train()}, proposal()).body
    found = remember_edits([pull(body, 2, is_open=True), pull(body, 1)], "smtc")
    assert hold_back({"train.py": train()}, found).held == 0


def test_what_was_merged_may_come_again_but_not_when_all_of_it_was_taken_back() -> None:
    merged = known(train(), is_merged=True)
    assert hold_back({"train.py": train()}, merged).held == 3
    once_more = made(SOURCE.split("optimizer =")[0], RESULT.split("optimizer =")[0], "train.py")
    assert hold_back({"train.py": once_more}, merged).held == 0


def test_more_than_a_marker_can_name_is_refused_as_a_whole() -> None:
    source = "".join(f"a{number}\n\n" for number in range(2_500))
    many = made(source, source.replace("a", "b"))
    refused = known(many)
    assert list(refused) == ["*"]
    assert hold_back({"train.py": train()}, refused).held == 3


@pytest.mark.parametrize("edits", ["", "*", "aB3_.x09" * 2_000])
def test_the_marker_keeps_them(edits: str) -> None:
    marker = Marker("smtc", COMMIT, "0.1.0", "0" * 32, ("TC401",), edits)
    assert read_marker(f"{marker}text") == marker
    assert f"{marker}".count("--") == 2
