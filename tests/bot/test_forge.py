"""The door to GitHub: what is asked is as GitHub describes it, what fails says when to try again, no token is told."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
import traceback
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from github import Auth, BadCredentialsException, Github

from migrate.bot.publish import Outcome
from migrate.bot.review import post_review, shown_in
from migrate.bot.suggestions import Review, suggest
from migrate.forge import faults, settling
from migrate.forge.faults import Denied, ForgeError, Missing, RateLimited, Refused, Unavailable
from migrate.forge.github import Forge
from migrate.forge.pacing import Pacer
from migrate.forge.tokens import PUBLISH, READ, App
from tests.bot import contract
from tests.bot.hub import Hub
from tests.bot.site import BRANCH, NAME, ONE, TOKEN, Site

PULLS = "GET /repos/{owner}/{repo}/pulls"


# --- faults -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "kind", "least", "most"),
    [
        ("primary", RateLimited, 1790, 1802),
        ("secondary", RateLimited, 37, 37),
        ("secondary, silent", RateLimited, 60, 60),
        ("429", RateLimited, 5, 5),
        ("502", Unavailable, 1, 60),
        ("drop", Unavailable, 1, 60),
        ("page", Unavailable, 1, 60),
        ("elsewhere", Unavailable, 1, 60),
    ],
)
def test_a_fault_that_passes_says_when_to_try_again(
    site: Site, hub: Hub, fault: str, kind: type[ForgeError], least: float, most: float
) -> None:
    hub.faults = {PULLS: [fault]}
    with pytest.raises(kind) as caught:
        site.forge.pull_requests(BRANCH)
    assert caught.value.wait is not None
    assert least <= caught.value.wait <= most
    assert hub.requests == [PULLS]  # it is not tried again here
    assert site.forge.pull_requests(BRANCH) == []


@pytest.mark.parametrize(("fault", "kind"), [("403", Denied), ("401", Denied), ("404", Missing), ("echo", Refused)])
def test_a_fault_that_stays_says_so(site: Site, hub: Hub, fault: str, kind: type[ForgeError]) -> None:
    hub.faults = {PULLS: [fault]}
    with pytest.raises(kind) as caught:
        site.forge.pull_requests(BRANCH)
    assert caught.value.wait is None


@pytest.mark.parametrize("fault", ["401", "404"])
def test_a_token_that_was_just_minted_is_asked_again(site: Site, hub: Hub, fault: str) -> None:
    for number, minted in ((3, True), (1, False)):
        forge = Forge(NAME, TOKEN, hub.url, pause=0, minted=minted)
        hub.faults = {PULLS: [fault] * number}
        if minted:
            assert forge.pull_requests(BRANCH) == []
        else:
            with pytest.raises((Denied, Missing)):
                forge.pull_requests(BRANCH)
    hub.faults = {PULLS: [fault] * 9}
    with pytest.raises((Denied, Missing)):
        Forge(NAME, TOKEN, hub.url, pause=0, minted=True).pull_requests(BRANCH)
    assert len(hub.faults[PULLS]) == 5, "four times, and no more"


def test_a_label_just_after_the_pull_request_is_asked_again(site: Site, hub: Hub) -> None:
    hub.faults = {"POST /repos/{owner}/{repo}/issues/{issue_number}/labels": ["404"]}
    assert site.run().outcome is Outcome.OPENED
    assert hub.state.pulls[1]["labels"] == ["tc-migrate"]


def test_what_was_made_a_while_ago_is_not(site: Site, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    forge = Forge(NAME, TOKEN, hub.url, pause=0, minted=True)
    now = time.monotonic()
    monkeypatch.setattr(settling, "time", SimpleNamespace(monotonic=lambda: now + 60))
    hub.faults = {PULLS: ["404"]}
    with pytest.raises(Missing):
        forge.pull_requests(BRANCH)


def test_writes_are_a_pause_apart_whoever_makes_them(tmp_path: Path) -> None:
    """Two processes, and two connections of each."""
    words = "import sys, time; from pathlib import Path; from migrate.forge.pacing import Pacer\n"
    words += "for _ in range(3):\n for pacer in [Pacer(0.2, Path(sys.argv[1])) for _ in range(2)]:\n"
    words += "  pacer.wait(); print(time.time(), flush=True)\n"
    command = [sys.executable, "-c", words, str(tmp_path / "pace")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    times = sorted(float(line) for each in running for line in each.communicate()[0].split())
    assert len(times) == 12
    assert times[-1] - times[0] >= 11 * 0.2 - 0.05
    assert Pacer(0.2, tmp_path / "pace")._reserve() <= time.time() + 0.4


def test_a_time_of_another_clock_holds_nobody_up(tmp_path: Path) -> None:
    for text in ("9999999999", "x", ""):
        (tmp_path / "pace").write_text(text)
        assert Pacer(1, tmp_path / "pace")._reserve() <= time.time() + 1


def test_the_forges_clock_counts(monkeypatch: pytest.MonkeyPatch, site: Site, hub: Hub) -> None:
    hub.faults = {PULLS: ["primary"]}
    monkeypatch.setattr(faults, "time", SimpleNamespace(time=lambda: time.time() + 86_400))
    with pytest.raises(RateLimited) as caught:
        site.forge.pull_requests(BRANCH)
    assert caught.value.wait is not None
    assert 1790 <= caught.value.wait <= 1802


@pytest.mark.parametrize("fault", ["echo", "drop", "page", "401", "elsewhere"])
def test_no_token_is_told(site: Site, hub: Hub, fault: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    hub.faults = {PULLS: [fault]}
    with pytest.raises(ForgeError) as caught:
        site.forge.pull_requests(BRANCH)
    site.forge.pull_requests(BRANCH)
    told = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(site.forge) + str(caught.value)
    assert TOKEN not in told
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_forge_that_is_not_there(site: Site) -> None:
    with pytest.raises(Unavailable):
        Forge(NAME, TOKEN, "http://127.0.0.1:9", pause=0).pull_requests(BRANCH)


# --- tokens of an App ---------------------------------------------------------------------------------------------


def make_key() -> tuple[str, bytes]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public


def test_a_token_is_for_one_repository_and_its_job(site: Site, hub: Hub) -> None:
    private, hub.apps[7] = make_key()
    app = App(7, private, hub.url)
    token = app.mint(3, NAME, READ)
    assert isinstance(token.expires, datetime)
    assert token.text not in repr(token)
    assert hub.tokens[token.text] == (NAME, {"metadata": "read", "contents": "read"})
    reader = Forge(NAME, token.text, hub.url, pause=0)
    reader.signature(hub.state.tip(NAME, "main"))
    with pytest.raises(Denied):
        reader.open_pull_request("x", "main", "t", "b", draft=False)
    with pytest.raises(Missing):
        Forge("owner/other", token.text, hub.url, pause=0).pull_requests(BRANCH)
    site.forge = Forge(NAME, app.mint(3, NAME, PUBLISH).text, hub.url, pause=0)
    assert site.run().number == 1


def test_another_key_mints_nothing(site: Site, hub: Hub) -> None:
    private, _ = make_key()
    _, hub.apps[7] = make_key()
    with pytest.raises(Denied) as caught:
        App(7, private, hub.url).mint(3, NAME, READ)
    assert "PRIVATE" not in str(caught.value)


def test_the_hub_refuses_what_github_refuses(hub: Hub) -> None:
    """A request that is signed for too long: the hub's check can fail."""
    private, hub.apps[7] = make_key()
    hub.state.repositories.append(NAME)
    now = int(time.time())
    long = jwt.encode({"iat": now, "exp": now + 3600, "iss": "7"}, private, "RS256")
    github = Github(auth=Auth.AppAuthToken(long), base_url=hub.url, retry=None)
    asked = {"repositories": ["name"], "permissions": dict(READ)}
    with pytest.raises(BadCredentialsException):
        github.requester.requestJsonAndCheck("POST", "/app/installations/3/access_tokens", input=asked)
    assert App(7, private, hub.url).mint(3, NAME, READ)


# --- people, reviews ----------------------------------------------------------------------------------------------


def test_who_may_command(site: Site, hub: Hub) -> None:
    hub.state.permissions = {"ann": "admin", "wil": "write", "rea": "read", "non": "none"}
    assert [site.forge.may_write(name) for name in ("ann", "wil", "rea", "non", "stranger")] == [
        True, True, False, False, False]  # fmt: skip
    assert site.forge.may_write("../../../../user") is False


def test_suggestions_are_posted_once_for_a_head(site: Site, hub: Hub) -> None:
    site.run()
    lines = ONE["train.py"].source.count("\n")
    hub.state.files[1] = [{"filename": "train.py", "patch": f"@@ -0,0 +1,{lines} @@\n+x"}, {"filename": "logo.png"}]
    review = suggest(ONE, shown_in(site.forge.patches(1)))
    assert review.suggestions
    heads = [site.tip, site.tip, hub.state.tip(NAME, "main")]
    assert [post_review(site.forge, 1, head, review) for head in heads] == [True, False, True]
    posted = hub.state.reviews[1]
    assert [each["commit_id"] for each in posted] == [heads[0], heads[2]]
    assert [each["event"] for each in posted] == ["COMMENT", "COMMENT"]
    assert [each["path"] for each in posted[0]["comments"]] == ["train.py"] * len(review.suggestions)
    assert post_review(site.forge, 1, "0" * 40, Review((), 3)) is False


def test_many_pull_requests_are_read_page_by_page(site: Site, hub: Hub) -> None:
    site.run()
    pull = hub.state.pulls[1]
    hub.state.pulls |= {number: {**pull, "number": number, "state": "closed"} for number in range(2, 251)}
    hub.requests.clear()
    assert [each.number for each in site.forge.pull_requests(BRANCH)] == list(range(250, 0, -1))
    assert hub.requests == [PULLS] * 3


# --- the description ----------------------------------------------------------------------------------------------


def test_the_description_judges() -> None:
    key = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"
    note = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    said = {"title": "t", "summary": "s"}
    assert contract.breaches(key, "request", {"output": {**said, "annotations": [note] * 50}}) == []
    assert contract.breaches(key, "request", {"output": {**said, "annotations": [note] * 51}})
    bad = {**note, "annotation_level": "bad"}
    assert contract.breaches(key, "request", {"output": {**said, "annotations": [bad]}})
    assert contract.breaches("POST /repos/{owner}/{repo}/pulls", "request", {"base": "main"})
    assert contract.breaches(PULLS, "query", {"stat": "all"})
    assert contract.find("DELETE", "/repos/a/b/pulls") is None


def test_the_tool_itself_does_not_load_the_door() -> None:
    code = "import sys, migrate.cli; sys.exit(any(name in sys.modules for name in ('github', 'requests')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
