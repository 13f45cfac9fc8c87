"""One repository with every attack at once, from the delivery to the pull request: nothing runs, leaks or hangs.

Each attack by itself, and that it works where nobody is protected, is in `test_git_attacks`, `test_survey`,
`test_settings`, `test_plan` and `test_receiver`. Here the honest script beside all of them is migrated and proposed.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.bot.overview import look
from tests.bot import payloads
from tests.bot.app_site import BRANCH, NAME, PR, SETTINGS, AppSite, migrated
from tests.bot.hostile import NAMES, careless, commit, endless, hostile, links
from tests.bot.hub import Hub
from tests.bot.receivers import deliver
from tests.bot.repositories import git, listing, run
from tests.bot.test_app_whole import Whole, running
from tests.bot.test_git_attacks import worked
from tests.bot.test_plan import KNOWN_TAGS, Page, rendered
from tests.bot.test_settings import BOMB
from tests.bot.test_survey import SCRIPT

ENVIRONMENT = {"GITHUB_TOKEN": "ghs_ofTheEnvironment0123456789", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMIofTheOperator"}
"""What the operator has in his; and a git that runs hooks and filters."""


@pytest.fixture
def fired(tmp_path: Path) -> Path:
    """The file that any of the attacks makes when it succeeds."""
    return tmp_path / "fired"


@pytest.fixture
def whole(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Whole]:
    (tmp_path / "theirs").mkdir()
    for name, value in {**ENVIRONMENT, "GIT_CONFIG_GLOBAL": careless(tmp_path / "theirs")}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "bot").mkdir()
    with running(AppSite(hub, tmp_path / "bot"), tmp_path / "bot") as made:
        yield made


def test_a_repository_with_every_attack(whole: Whole, hub: Hub, tmp_path: Path, fired: Path) -> None:
    base = commit(whole.app.bare, hostile(tmp_path / "theirs", fired))
    assert unprotected(whole.app.bare, tmp_path, fired) == {"monitor", "filter", "submodule", "import", "link"}
    assert whole.push("one") == 202
    whole.wait(1)
    assert not fired.exists()
    check_what_is_proposed(whole.app, hub, base)
    check_what_it_says(whole.app, hub)
    check_that_no_secret_is_told(whole, hub)


def unprotected(bare: Path, folder: Path, fired: Path) -> set[str]:
    """Which of the attacks do what they are made for, where nobody is careful."""
    done = set()
    run(folder, "clone", "--quiet", str(bare), "clone")
    clone = folder / "clone"
    run(clone / "in", "status")
    done |= {"monitor"} if worked(fired) else set()
    run(folder, "clone", "--quiet", str(bare), "again", GIT_CONFIG_GLOBAL=os.environ["GIT_CONFIG_GLOBAL"])
    done |= {"filter"} if worked(fired) else set()
    run(clone, "-c", "protocol.ext.allow=always", "submodule", "update", "--init")
    done |= {"submodule"} if worked(fired) else set()
    subprocess.run([sys.executable, "-c", "import torch"], cwd=clone, capture_output=True, timeout=60)
    done |= {"import"} if worked(fired) else set()
    is_read = (clone / "leak.py").read_bytes() == Path("/etc/passwd").read_bytes()
    return done | ({"link"} if is_read else set())


def check_what_is_proposed(app: AppSite, hub: Hub, base: str) -> None:
    """The honest scripts, those with odd names among them, and of what was left out the reason."""
    (pull,) = hub.state.pulls.values()
    assert (pull["head"], pull["base"]) == (BRANCH, "main")
    assert app.held("honest/train.py") == migrated()
    before, after = listing(app.bare, base), listing(app.bare, BRANCH)
    touched = {os.fsdecode(path) for path in after if before.get(path) != after[path]}
    assert {"honest/train.py", "setup.py", "shout.py", *NAMES} <= touched
    assert {before[os.fsencode(path)].split()[0] for path in touched} == {b"100644"}
    assert all(path.endswith((".py", ".ipynb")) for path in touched)
    assert not touched & {*endless(), *links(), "line\n::error::.py"}
    assert before.keys() == after.keys()
    shown = "".join(Page(rendered(pull["body"])).code)
    assert [path for path in ("long.py", "leak.py", "odd.py", "deep0.py", *NAMES) if path not in shown] == []


def check_what_it_says(app: AppSite, hub: Hub) -> None:
    """Text, which acts on nothing."""
    (pull,) = hub.state.pulls.values()
    (check,) = hub.state.checks.values()
    for text in (pull["body"], check["output"]["summary"]):
        page = Page(rendered(text))
        assert page.tags.keys() <= KNOWN_TAGS
        assert [link for link in page.links if not link.startswith(f"{hub.url}/{NAME}/blob/")] == []
        assert not re.search(r"@\w|(?<!&)#\d", "\n".join(page.texts))
        assert text.count("<!-- tc-migrate:v1") <= 1
        assert not re.search(r"(?m)^\s*::", text)
    assert "octocat" not in git(app.bare, "log", "--format=%B", f"main..{BRANCH}").decode()


def check_that_no_secret_is_told(whole: Whole, hub: Hub) -> None:
    """To the forge, in the branch, the log, the queue, or in a file that is left: tokens, key, environment, files."""
    tokens = [*hub.tokens, *(base64.b64encode(f"x-access-token:{each}".encode()).decode() for each in hub.tokens)]
    passwd = Path("/etc/passwd").read_text().splitlines()[0]
    secrets = [*tokens, passwd, *ENVIRONMENT.values(), *whole.app.config.key.splitlines()[1:3]]
    assert len(tokens) >= 4
    state, bare = hub.state, whole.app.bare
    told = repr([state.pulls, state.checks, state.comments, state.reviews]).encode()
    branch = git(bare, "log", "-p", "--text", "--format=fuller", f"main..{BRANCH}")
    places = {str(path): path.read_bytes() for path in whole.folder.rglob("*") if path.is_file()}
    del places[str(whole.folder / "queue.json")]  # the worker's settings, the key among them, made by the test itself
    assert {str(whole.log), str(whole.folder / "queue.db")} <= places.keys()
    for place, data in {**places, "forge": told, "branch": branch}.items():
        assert [each for each in secrets if each.encode() in data] == [], place
    assert str(whole.folder).encode() not in told
    assert list(whole.app.config.folder.iterdir()) == []


@pytest.mark.parametrize("name", ["..", ".git"])
def test_a_tree_that_leads_elsewhere_is_refused_as_a_whole(whole: Whole, hub: Hub, name: str) -> None:
    bare = whole.app.bare
    inner = git(bare, "hash-object", "-w", "--stdin", given=SCRIPT)
    folder = git(bare, "mktree", given=b"100644 blob " + inner + b"\ttrain.py\n")
    tree = b"40000 " + name.encode() + b"\0" + bytes.fromhex(folder.decode())
    id = git(bare, "hash-object", "-t", "tree", "--literally", "-w", "--stdin", given=tree).decode()
    git(bare, "update-ref", "refs/heads/main", git(bare, "commit-tree", "-m", "made", id).decode())
    whole.push("one")
    wait_for_failure(whole)
    assert (hub.state.pulls, whole.app.tip) == ({}, "")
    assert [check["conclusion"] for check in hub.state.checks.values()] == ["failure"]
    assert "git fetch" in str(dict(look(whole.queue).jobs[0]))
    assert "attempt 1" in look(whole.queue).failures[0]["text"], "another attempt would mend nothing"


def wait_for_failure(whole: Whole) -> None:
    """Until the job is given up."""
    end = time.monotonic() + 200
    while look(whole.queue).states["dead"] == 0:
        assert time.monotonic() < end, whole.tell()
        time.sleep(0.05)


def test_a_bomb_for_its_settings_is_answered_and_the_next_commit_is_migrated(whole: Whole, hub: Hub) -> None:
    whole.app.commit({SETTINGS: BOMB.encode(), "train.py": SCRIPT})
    whole.push("one")
    whole.wait(1)
    (check,) = hub.state.checks.values()
    assert (check["conclusion"], hub.state.pulls) == ("failure", {})
    whole.app.commit({**PR, "train.py": SCRIPT})
    whole.push("two")
    whole.wait(2)
    assert whole.app.held() == migrated()


def test_forged_and_repeated_deliveries_and_a_flood_of_comments(whole: Whole, hub: Hub) -> None:
    whole.app.commit({**PR, "train.py": SCRIPT})
    forged = {"X_Hub_Signature_256": payloads.sign(b"{}", "another secret")}
    assert deliver(whole.port, "forged", "push", payloads.push(NAME), **forged).status == 401
    for _ in range(3):
        assert whole.push("one") == 202
    whole.wait(1)
    assert look(whole.queue).states["done"] == 1
    for number in range(40):
        comment = payloads.comment("/tc-migrate close", NAME, 1, "mallory", 1_000 + number)
        deliver(whole.port, f"flood{number}", "issue_comment", comment)
    wait_for_quiet(whole)
    assert 1 < look(whole.queue).states["done"] <= 1 + 10
    assert hub.state.pulls[1]["state"] == "open"
    assert hub.state.comments.get(1, []) == []
    assert {each for said in hub.state.reactions.values() for each in said} == {"-1"}


def wait_for_quiet(whole: Whole) -> None:
    """Until no job is left."""
    end = time.monotonic() + 200
    while any(look(whole.queue).states[each] for each in ("ready", "running")):
        assert time.monotonic() < end, whole.tell()
        time.sleep(0.05)
