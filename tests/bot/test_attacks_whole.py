"""One repository with every attack at once, from the delivery to the pull request: nothing runs, leaks or hangs.

Each attack by itself, and that it works where nobody is protected, is in `test_git_attacks`, `test_survey`,
`test_settings`, `test_plan` and `test_receiver`. Here the honest script beside all of them is migrated and proposed.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.bot.overview import look
from tests.bot import payloads
from tests.bot.app_site import BRANCH, NAME, PR, SETTINGS, AppSite, migrated
from tests.bot.hub import Hub
from tests.bot.receivers import deliver
from tests.bot.repositories import git, make_bare, run
from tests.bot.test_app_whole import Whole, running
from tests.bot.test_git_attacks import program, worked
from tests.bot.test_survey import SCRIPT

ENVIRONMENT = {"GITHUB_TOKEN": "ghs_ofTheEnvironment0123456789", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMIofTheOperator"}
"""What the operator has in his."""
SHOUT = b"torch.utils.cpp_extension.load('</details> <!-- tc-migrate:v1 --> @octocat #1 ::error file=a::b')\n"
NAMES = {
    "<img src=x onerror=alert(1)> @octocat #1 `x`.py": "shown, and no more than text",
    "::error file=a,line=1::b%0A.py": "shown",
    "-rf --force.py": "no option",
    "a|b|c.py": "no column",
}
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
Entry = tuple[str, bytes]
"""Mode and content; of a `160000`, an id."""


@pytest.fixture
def fired(tmp_path: Path) -> Path:
    """The file that any of the attacks makes when it succeeds."""
    return tmp_path / "fired"


@pytest.fixture
def whole(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Whole]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "bot").mkdir()
    with running(AppSite(hub, tmp_path / "bot"), tmp_path / "bot") as made:
        yield made


def commit(bare: Path, entries: dict[str, Entry]) -> str:
    """Entries of any mode, in folders."""
    index = {"GIT_INDEX_FILE": str(bare / "made.index")}
    for path, (mode, data) in entries.items():
        id = data if mode == "160000" else git(bare, "hash-object", "-w", "--stdin", given=data)
        git(bare, "update-index", "--add", "--cacheinfo", f"{mode},{id.decode()},{path}", **index)
    made = git(bare, "commit-tree", "-m", "made", git(bare, "write-tree", **index).decode()).decode()
    git(bare, "update-ref", "refs/heads/main", made)
    (bare / "made.index").unlink()
    return made


def regular(files: dict[str, bytes]) -> dict[str, Entry]:
    return {path: ("100644", data) for path, data in files.items()}


def programs(folder: Path, fired: Path) -> dict[str, Entry]:
    """What would run something: in git, in Python, in a notebook, in a build."""
    attack = program(folder, fired)
    config = f'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = "work"\n\tfsmonitor = "{attack}"\n'
    index = {"GIT_INDEX_FILE": str(folder / "index")}
    scratch = make_bare(folder / "scratch")
    id = git(scratch, "hash-object", "-w", "--stdin", given=SCRIPT).decode()
    git(scratch, "update-index", "--add", "--cacheinfo", f"100644,{id},train.py", **index)
    python = f"open({str(fired)!r}, 'w').close()\n".encode() + SCRIPT
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
            "source": f"%system touch {fired}\n!touch {fired}\nimport torch\ntorch.ones(1).cuda()\n"}  # fmt: skip
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    inner = {"HEAD": b"ref: refs/heads/main\n", "config": config.encode(), "objects/x": b"", "refs/x": b"",
             "work/x": b"", "index": Path(index["GIT_INDEX_FILE"]).read_bytes()}  # fmt: skip
    files = {f"in/{path}": data for path, data in inner.items()}
    for name in ("setup.py", "conftest.py", "sitecustomize.py", "torch.py", "libcst/__init__.py", "migrate/__init__.py"):
        files[name] = python
    files |= {"run.ipynb": json.dumps(notebook).encode(), ".gitattributes": b"*.py filter=evil diff=evil merge=evil\n",
              ".gitmodules": f'[submodule "sub"]\n\tpath = sub\n\turl = ext::{attack}\n'.encode(),
              "pyproject.toml": f"[build-system]\nrequires = ['x @ file://{attack}']\n".encode(),
              ".pre-commit-config.yaml": f"repos: [{{repo: local, hooks: [{{entry: {attack}}}]}}]\n".encode()}  # fmt: skip
    hooks = {f"{folder}/{name}": ("100755", attack.read_bytes()) for folder in ("hooks", ".githooks")
             for name in ("post-checkout", "pre-push", "reference-transaction")}  # fmt: skip
    return {**regular(files), **hooks, "sub": ("160000", b"1" * 40)}


def endless() -> dict[str, bytes]:
    """What ends or hangs a parser, or fills the memory."""
    head = b"import torch\ntorch.ones(1).cuda()\nx = "
    expressions = ["[" * 5_000 + "]" * 5_000, "-" * 50_000 + "1", "x" + ".x" * 20_000, "+".join("1" * 50_000)]
    deep = {f"deep{number}.py": head + each.encode() + b"\n" for number, each in enumerate(expressions)}
    return {**deep, "long.py": SCRIPT + b"x = 1\n" * 350_000, "nul.py": SCRIPT + b"\0", "odd.py": b"# \xff\n" + SCRIPT}


def links() -> dict[str, Entry]:
    """What would lead to a file of ours."""
    targets = {"leak.py": b"/etc/passwd", "leak.ipynb": b"/proc/self/environ", "up": b"../../../..", "loop.py": b"loop.py"}
    return {path: ("120000", target) for path, target in targets.items()}


def hostile(folder: Path, fired: Path) -> dict[str, Entry]:
    """All of it, and one honest script."""
    texts = {name: SCRIPT for name in NAMES} | {"shout.py": SCRIPT + SHOUT, "line\n::error::.py": SCRIPT}
    bombs = {"tc-migrate.yml": BOMB.encode(), ".github/workflows/bomb.yml": BOMB.encode()}
    honest = {**PR, "honest/train.py": SCRIPT}
    return {**programs(folder, fired), **links(), **regular({**endless(), **texts, **bombs, **honest})}


def said(hub: Hub) -> str:
    """All that the bot has told the forge."""
    state = hub.state
    return repr([state.pulls, state.checks, state.comments, state.reviews])


def written(whole: Whole) -> dict[str, bytes]:
    """All that it has left: in the branch, the log, the queue, its folders."""
    app = whole.app
    files = {str(path): path.read_bytes() for path in whole.folder.rglob("*") if path.is_file()}
    files.pop(str(whole.folder / "queue.json"))  # the worker's settings, the key among them, by the test itself
    return {**files, "branch": git(app.bare, "log", "-p", "--text", "--format=fuller", f"main..{BRANCH}")}


def test_a_repository_with_every_attack(whole: Whole, hub: Hub, tmp_path: Path, fired: Path) -> None:
    app = whole.app
    base = commit(app.bare, hostile(tmp_path / "theirs", fired))
    assert worked_unprotected(app.bare, tmp_path, fired)
    start = time.monotonic()
    assert whole.push("one") == 202
    whole.wait(1)
    assert time.monotonic() - start < 200

    assert not fired.exists()
    (pull,) = hub.state.pulls.values()
    assert (pull["head"], pull["base"]) == (BRANCH, "main")
    assert app.held("honest/train.py") == migrated()
    changed = git(app.bare, "diff", "--raw", "-z", base, BRANCH).split(b"\0")
    assert all(about.split()[:2] == [b":100644", b"100644"] for about in changed[:-1:2])
    touched = {path.decode() for path in changed[1::2]}
    assert {"honest/train.py", "setup.py", "shout.py", *NAMES} <= touched
    assert touched <= {*NAMES, *regular(endless()), *programs_in(base, app.bare), "honest/train.py", "shout.py"}
    assert not touched & {"long.py", "leak.py", "leak.ipynb", "line\n::error::.py", "deep0.py", "nul.py"}
    for path in ("long.py", "leak.py", "odd.py"):
        assert f"`{path}`" in pull["body"], path


def programs_in(base: str, bare: Path) -> set[str]:
    """The regular scripts and notebooks of a commit."""
    lines = git(bare, "ls-tree", "-r", "-z", base).decode().split("\0")
    return {path for about, _, path in (line.partition("\t") for line in lines)
            if about.startswith("100644") and path.endswith((".py", ".ipynb"))}  # fmt: skip


def worked_unprotected(bare: Path, folder: Path, fired: Path) -> bool:
    """Whether the attacks do what they are made for, where nobody is careful."""
    run(folder, "clone", "--quiet", str(bare), "clone")
    run(folder / "clone" / "in", "status")
    by_monitor = worked(fired)
    run(folder / "clone", "-c", "protocol.ext.allow=always", "submodule", "update", "--init")
    by_submodule = worked(fired)
    subprocess.run([sys.executable, "-c", "import torch"], cwd=folder / "clone", capture_output=True, timeout=60)
    by_import = worked(fired)
    by_link = (folder / "clone" / "leak.py").read_bytes() == Path("/etc/passwd").read_bytes()
    return by_monitor and by_submodule and by_import and by_link


def test_nothing_of_ours_is_told(whole: Whole, hub: Hub, tmp_path: Path, fired: Path) -> None:
    commit(whole.app.bare, hostile(tmp_path / "theirs", fired))
    whole.push("one")
    whole.wait(1)
    tokens = [*hub.tokens, *(base64.b64encode(f"x-access-token:{each}".encode()).decode() for each in hub.tokens)]
    passwd = Path("/etc/passwd").read_text().splitlines()[0]
    secrets = [*tokens, passwd, *ENVIRONMENT.values(), *whole.app.config.key.splitlines()[1:3]]
    assert len(hub.tokens) >= 2
    told = said(hub)
    assert [each for each in secrets if each in told] == []
    for place, data in written(whole).items():
        assert [each for each in secrets if each.encode() in data] == [], place
    assert str(tmp_path) not in told.replace(str(fired), "").replace(str(tmp_path / "theirs"), "")
    assert list(whole.app.config.folder.iterdir()) == []


def test_what_it_says_is_text(whole: Whole, hub: Hub, tmp_path: Path, fired: Path) -> None:
    commit(whole.app.bare, hostile(tmp_path / "theirs", fired))
    whole.push("one")
    whole.wait(1)
    (pull,) = hub.state.pulls.values()
    (check,) = hub.state.checks.values()
    for text in (pull["body"], check["output"]["summary"]):
        assert "<img" not in text
        assert text.count("<!-- tc-migrate:v1") <= 1
        assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    log = git(whole.app.bare, "log", "--format=%B", f"main..{BRANCH}").decode()
    assert "@octocat" not in log
    assert [each["path"] for each in check["output"].get("annotations", []) if not each["path"].isprintable()] == []


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
    assert (hub.state.pulls, hub.state.checks, whole.app.tip) == ({}, {}, "")
    assert "git fetch" in str(look(whole.queue).jobs[0])


def wait_for_failure(whole: Whole) -> None:
    """Until an attempt has failed; the next ones fail as well, until the job is given up."""
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
