"""`tc-migrate pr`: one repository's pull request from the command line."""

from __future__ import annotations

import json
import tempfile
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrate import migrate
from migrate.bot import patience
from migrate.bot.marker import read_marker
from migrate.cli import main
from tests.bot.hub import Hub
from tests.bot.repositories import commit_files, git, make_bare
from tests.bot.site import BRANCH, NAME, TOKEN, Site
from tests.bot.test_survey import SCRIPT

RESULT = migrate(SCRIPT.decode(), target="smtc").result.encode()


@pytest.fixture(autouse=True)
def script(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The base has a script that something is to be done with; no token of the machine's own is used."""
    for name in ("GH_TOKEN", "GITHUB_ACTIONS", "TC_MIGRATE_AUTHOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.setenv("GITHUB_API_URL", site.hub.url)
    monkeypatch.setenv("GITHUB_SERVER_URL", site.hub.url)
    commit_files(site.bare, {"train.py": SCRIPT, "README.md": b"# One\n"})


def call(*words: str, code: int = 0) -> Result:
    """The command for the repository, in one process."""
    result = CliRunner().invoke(
        main, ["pr", NAME, "--pause", "0", "-j", "1", *words], prog_name="tc-migrate", catch_exceptions=False
    )
    assert result.exit_code == code, result.output
    assert TOKEN not in result.output
    return result


def held(site: Site, path: str = "train.py", branch: str = BRANCH) -> bytes:
    return git(site.bare, "cat-file", "blob", f"{branch}:{path}")


def test_it_is_opened_then_left_then_brought_up_to_date(site: Site, hub: Hub) -> None:
    assert call().stdout == f"opened {hub.url}/{NAME}/pull/1\n"
    assert held(site) + b"\n" == RESULT
    assert hub.state.pulls[1]["labels"] == ["tc-migrate"]
    assert "/tc-migrate run" not in hub.state.pulls[1]["body"], "nobody reads comments"
    assert call().stdout == f"unchanged {hub.url}/{NAME}/pull/1\n"
    commit_files(site.bare, {"train.py": SCRIPT, "again.py": SCRIPT})
    assert call().stdout == f"updated {hub.url}/{NAME}/pull/1\n"
    assert held(site, "again.py") + b"\n" == RESULT
    assert list(hub.state.pulls) == [1]


def test_a_dry_run_shows_all_and_writes_nothing(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    said = call("--dry-run").stdout
    assert said.startswith("# Migrate training scripts to PyTorch/XLA (SageMaker Training Compiler)\n")
    assert "### Try it before you merge" in said
    assert "--- a/train.py\n+++ b/train.py\n@@" in said
    assert hub.writes == []
    assert json.loads(call("--dry-run", "--json").stdout)["outcome"] == "dry run"


def test_a_dry_run_hides_what_is_hidden_on_the_page() -> None:
    shown = call("--dry-run").stdout
    assert "<!--" not in shown
    assert json.loads(call("--dry-run", "--json").stdout)["body"].startswith("<!-- tc-migrate:v1 ")


@pytest.mark.parametrize("form", ["{url}/{name}", "{url}/{name}.git", "{url}/{name}/"])
def test_the_address_of_a_repository_names_it(hub: Hub, form: str) -> None:
    words = ["pr", form.format(url=hub.url, name=NAME), "--pause", "0", "-j", "1"]
    result = CliRunner().invoke(main, words, prog_name="tc-migrate", catch_exceptions=False)
    assert result.stdout == f"opened {hub.url}/{NAME}/pull/1\n"


def test_a_repository_that_may_only_be_read_says_so(hub: Hub) -> None:
    hub.faults = {"PUSH": ["403"] * 3}
    assert "(archived, or the token may only read)" in call(code=2).stderr
    hub.faults = {"POST /repos/{owner}/{repo}/pulls": ["403"]}
    assert "403 Resource not accessible by integration (archived, or" in call(code=2).stderr


def test_a_repository_with_another_name_by_now_says_so(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "renamed", True)
    assert "(renamed or transferred: give its name of now)" in call(code=2).stderr


def test_options_go_before_the_settings_of_the_repository(site: Site, hub: Hub) -> None:
    settings = b"target: torch-xla==2.9\nlabels: [theirs]\nexclude: [old]\n"
    files = {"train.py": SCRIPT, "old/train.py": SCRIPT, ".github/tc-migrate.yml": settings}
    commit_files(site.bare, files)
    call()
    assert hub.state.pulls[1]["labels"] == ["theirs"]
    assert b"torch_xla.device()" in held(site, branch="tc-migrate/torch-xla-2.9")
    assert held(site, "old/train.py", "tc-migrate/torch-xla-2.9") + b"\n" == SCRIPT
    call("--target", "smtc", "--label", "mine", "--draft")
    assert (hub.state.pulls[2]["labels"], hub.state.pulls[2]["draft"]) == (["mine"], True)
    assert held(site) + b"\n" == RESULT


def test_the_repository_may_say_no_and_another_base_may_be_named(site: Site, hub: Hub) -> None:
    commit_files(site.bare, {"train.py": SCRIPT, ".github/tc-migrate.yml": b"enabled: false\n"})
    assert "enabled: false" in call().stdout
    commit_files(site.bare, {"train.py": SCRIPT}, "develop")
    assert call("--base", "develop").stdout.startswith("opened ")
    assert hub.state.pulls[1]["base"] == "develop"


def test_settings_that_cannot_be_followed_are_shown_with_their_line(site: Site) -> None:
    commit_files(site.bare, {"train.py": SCRIPT, ".github/tc-migrate.yml": b"mode: pr\ntarget: nowhere\n"})
    assert ".github/tc-migrate.yml:2: " in call(code=2).stderr


@pytest.mark.parametrize("is_action", [False, True])
def test_a_persons_commit_is_told_from_its_own(site: Site, is_action: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_action:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
    call()
    email = git(site.bare, "log", "-1", "--format=%ae %ce", BRANCH).decode()
    assert ("github-actions[bot]" in email) is is_action
    commit_files(site.bare, {"train.py": SCRIPT, "again.py": SCRIPT})
    assert call().stdout.startswith("updated ")
    mine = site.push_as_person()
    commit_files(site.bare, {"train.py": SCRIPT, "third.py": SCRIPT})
    assert call().stdout.startswith("handed off ")
    assert site.tip == mine
    assert call("--force").stdout.startswith("updated ")
    assert site.tip != mine


def test_what_somebody_closed_is_proposed_again_only_when_asked_for(hub: Hub) -> None:
    call()
    hub.state.pulls[1]["state"] = "closed"
    assert "the same was closed as pull request 1" in call().stdout
    assert call("--again").stdout == f"opened {hub.url}/{NAME}/pull/2\n"


def test_what_somebody_has_asked_the_bot_to_leave_out_is_left_out(site: Site, hub: Hub) -> None:
    commit_files(site.bare, {"train.py": SCRIPT, "again.py": SCRIPT})
    call()
    first, _, rest = hub.state.pulls[1]["body"].partition("\n")
    marker = read_marker(f"{first}\n")
    assert marker is not None
    hub.state.pulls[1]["body"] = str(replace(marker, left_out=("again.py",))) + rest
    assert call().stdout.startswith("updated ")
    assert held(site, "again.py") + b"\n" == SCRIPT
    assert held(site) + b"\n" == RESULT


def test_it_waits_as_the_forge_asks_but_not_for_ever(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(patience.Patience.__init__, "__defaults__", (slept.append, lambda: 0.0))
    hub.faults = {"POST /repos/{owner}/{repo}/pulls": ["429", "secondary", "502"]}
    result = call()
    assert result.stdout.startswith("opened ")
    assert slept == [5.0, 37.0, 10.0]
    assert "waiting until 00:00:37 UTC" in result.stderr
    hub.faults = {"GET /repos/{owner}/{repo}/pulls": ["primary"]}
    assert "try again after 00:" in call("--wait", "20", code=2).stderr


def test_without_a_token_nothing_is_tried(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    assert "set GITHUB_TOKEN or GH_TOKEN" in call(code=2).stderr
    assert hub.requests == []


@pytest.mark.parametrize(
    "words",
    [("--author", "me"), ("--api-url", "http://example.org"), ("--target", "none"), ("--select", "TC9999")],
    ids=" ".join,
)
def test_options_that_cannot_be(words: tuple[str, ...]) -> None:
    assert call(*words, code=2).stderr


@pytest.mark.parametrize("name", ["octo", "octo/../x", "-x/y", "octo/..", "octo/name\n", "octo/a b"])
def test_names_that_are_none(name: str) -> None:
    result = CliRunner().invoke(main, ["pr", "--pause", "0", "--", name], prog_name="tc-migrate")
    assert (result.exit_code, "is no OWNER/REPO" in result.output) == (2, True)


def test_an_empty_repository_has_nothing_to_propose(hub: Hub) -> None:
    make_bare(hub.root / "owner" / "empty.git")
    hub.allow(TOKEN, "owner/empty", contents="write")
    result = CliRunner().invoke(main, ["pr", "owner/empty"], prog_name="tc-migrate", catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (0, "nothing to propose: it has no commit\n")


def test_the_token_is_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryDirectory", lambda prefix: nullcontext(str(tmp_path / "kept")))
    call()
    files = [path.read_bytes() for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert files
    assert not any(TOKEN.encode() in data for data in files)
