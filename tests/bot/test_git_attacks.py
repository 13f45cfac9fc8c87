"""Repositories made to run a program, to read a file of ours or to bring us down. An attack is shown to work first."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from migrate.bot.git.commits import Author, Draft
from migrate.bot.git.contents import Limits
from migrate.bot.git.process import build_environment
from migrate.bot.git.remote import GitError, Remote
from migrate.bot.git.store import Store
from tests.bot.githttp import serve
from tests.bot.repositories import commit_files, commit_tree, git, make_bare, make_tree, run

BOT = Author("tc-migrate[bot]", "bot@example.org")
TRAIN = b"import torch\nmodel.cuda()\n"
TOKEN = "ghs_abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return make_bare(tmp_path / "origin")


@pytest.fixture
def fired(tmp_path: Path) -> Path:
    """The file that an attack makes when it succeeds."""
    return tmp_path / "fired"


def program(folder: Path, fired: Path) -> Path:
    """A program of the attacker's."""
    made = folder / "attack.sh"
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text(f"#!/bin/sh\ntouch '{fired}'\n")
    made.chmod(0o755)
    return made


def worked(fired: Path) -> bool:
    """Whether the attack has; it is then made undone."""
    was_there = fired.exists()
    fired.unlink(missing_ok=True)
    return was_there


def round_trip(folder: Path, where: Remote) -> str:
    """All that the bot does with a repository: fetch, read, commit, push."""
    store = Store(folder / "store", Limits(seconds=30))
    base = store.read(store.fetch(where, "main"))
    drafts = [Draft("migrated", {path: b"new of " + path.encode() for path in base.files})]
    written = store.write(base, drafts, BOT)
    store.push(where, "tc-migrate/smtc", written, expected=store.head(where, "tc-migrate/smtc"))
    assert store.describe(written).message == "migrated"
    return written


# --- what would run a program -----------------------------------------------------------------------------------------


def test_a_bare_repository_in_the_repository_with_a_monitor(origin: Path, tmp_path: Path, fired: Path) -> None:
    attack = program(tmp_path / "theirs", fired)
    config = f'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = "work"\n\tfsmonitor = "{attack}"\n'
    id = git(origin, "hash-object", "-w", "--stdin", given=TRAIN).decode()
    index = str(tmp_path / "index")
    git(origin, "update-index", "--add", "--cacheinfo", f"100644,{id},train.py", GIT_INDEX_FILE=index)
    inner = {"HEAD": b"ref: refs/heads/main\n", "config": config.encode(), "objects/x": b"", "refs/x": b"",
             "work/x": b"", "index": Path(index).read_bytes()}  # fmt: skip
    commit_files(origin, {"train.py": TRAIN, **{f"in/{path}": data for path, data in inner.items()}})
    git(tmp_path, "clone", "--quiet", str(origin), "clone")
    run(tmp_path / "clone" / "in", "status")
    assert worked(fired)
    round_trip(tmp_path, Remote(str(origin)))
    assert not worked(fired)


def test_a_repository_on_this_machine_with_hooks_and_settings(origin: Path, tmp_path: Path, fired: Path) -> None:
    commit_files(origin, {"train.py": TRAIN})
    attack = program(tmp_path / "theirs", fired)
    for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
        (origin / "hooks").mkdir(exist_ok=True)
        (origin / "hooks" / name).symlink_to(attack)
    for key in ("core.fsmonitor", "core.sshCommand", "uploadpack.packObjectsHook", "core.alternateRefsCommand"):
        git(origin, "config", key, str(attack))
    (origin / "objects" / "info" / "alternates").write_text(str(make_bare(tmp_path / "alternate") / "objects") + "\n")
    run(tmp_path, "clone", "--quiet", str(origin), "clone")
    run(tmp_path / "clone", "push", "origin", "HEAD:refs/heads/other")
    assert worked(fired)
    round_trip(tmp_path, Remote(str(origin)))
    assert not worked(fired)


def test_settings_of_who_runs_the_bot(
    origin: Path, tmp_path: Path, fired: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_files(origin, {"train.py": TRAIN, ".gitattributes": b"*.py filter=evil diff=evil\n"})
    attack = program(tmp_path / "theirs", fired)
    (tmp_path / "hooks").mkdir()
    for name in ("reference-transaction", "pre-push", "post-checkout"):
        (tmp_path / "hooks" / name).symlink_to(attack)
    settings = (
        f'[core]\n\thooksPath = "{tmp_path}/hooks"\n[filter "evil"]\n\tsmudge = "{attack}"\n\tclean = "{attack}"\n'
    )
    (tmp_path / ".gitconfig").write_text(settings)
    variables = {"HOME": str(tmp_path), "GIT_CONFIG_GLOBAL": str(tmp_path / ".gitconfig"),
                 "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": str(attack),
                 "GIT_SSH_COMMAND": str(attack), "GIT_EXTERNAL_DIFF": str(attack), "GIT_PAGER": str(attack),
                 "GIT_TEMPLATE_DIR": str(tmp_path)}  # fmt: skip
    git(tmp_path, "clone", "--quiet", str(origin), "clone", **variables)
    assert worked(fired)
    for name, value in (variables | {"GIT_DIR": str(tmp_path / "nowhere"), "GIT_WORK_TREE": "/"}).items():
        monkeypatch.setenv(name, value)
    round_trip(tmp_path, Remote(str(origin)))
    assert not worked(fired)


def test_a_submodule_whose_address_is_a_command(origin: Path, tmp_path: Path, fired: Path) -> None:
    attack = program(tmp_path / "theirs", fired)
    modules = f'[submodule "sub"]\n\tpath = sub\n\turl = ext::{attack}\n'.encode()
    commit_tree(origin, [("100644", ".gitmodules", modules), ("160000", "sub", b"1" * 40), ("100644", "t.py", TRAIN)])
    allowed = ["-c", "protocol.ext.allow=always"]
    run(tmp_path, *allowed, "clone", "--quiet", "--recurse-submodules", str(origin), "clone")
    assert worked(fired)
    round_trip(tmp_path, Remote(str(origin)))
    assert not worked(fired)


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c touch% /tmp/x",
        "ext::/bin/true",
        "-u/bin/true",
        "--upload-pack=/bin/true",
        "ssh://git@github.com/a/b",
        "git@github.com:a/b",
        "git://github.com/a/b",
        "http://github.com/a/b",
        "file:///etc",
        "relative/path",
        "",
        "https://",
        "https://github.com/",
        "https://user:secret@github.com/a/b",
        "https://secret@github.com/a/b",
        "https://github.com/a/b?x=1",
        "https://github.com/a/b\nX: y",
        "https://github.com:x/a/b",
        "/tmp/a b\x00",
    ],
)
def test_an_address_that_is_not_allowed(url: str) -> None:
    with pytest.raises(GitError, match="cannot be fetched") as caught:
        Remote(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("token", ["a\nX-Header: y", "a b", "\u00e9", "a\x7f"])
def test_a_token_that_would_add_a_header(token: str) -> None:
    with pytest.raises(GitError, match="blanks or control characters"):
        Remote("https://github.com/a/b", token)


def test_git_sees_nothing_of_the_environment_but_the_way_to_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", "/usr/bin")
    bare = build_environment(tmp_path)
    for name in (
        "LD_PRELOAD",
        "GIT_TRACE",
        "GIT_DIR",
        "GIT_CONFIG_PARAMETERS",
        "GIT_SSH",
        "GITHUB_TOKEN",
        "HOME",
        "TZ",
    ):
        monkeypatch.setenv(name, "/attack")
    assert build_environment(tmp_path) == bare
    assert "/attack" not in bare.values()
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    assert build_environment(tmp_path) == bare | {"HTTPS_PROXY": "http://proxy:3128"}


# --- what would read or write another file ----------------------------------------------------------------------------


def test_a_link_is_not_followed(origin: Path, tmp_path: Path) -> None:
    commit = commit_tree(origin, [("120000", "leak.py", b"/etc/passwd"), ("100644", "train.py", TRAIN)])
    store = Store(tmp_path / "store")
    contents = store.read(store.fetch(Remote(str(origin)), "main"))
    assert (sorted(contents.files), dict(contents.skipped)) == (["train.py"], {"leak.py": "a link"})
    with pytest.raises(GitError, match=r"leak\.py: a link"):
        store.read_file(commit, "leak.py")


@pytest.mark.parametrize("name", ["..", ".git", ".GIT", "a/../../x.py", "/etc/x.py", "."])
def test_a_name_that_leads_elsewhere_is_not_fetched(origin: Path, tmp_path: Path, name: str) -> None:
    inner = make_tree(origin, [("100644", "x.py", TRAIN)])
    is_folder = "/" not in name
    entry = ("40000", name, inner.encode()) if is_folder else ("100644", name, TRAIN)
    commit_tree(origin, [entry])
    with pytest.raises(GitError, match=r"git fetch: .*(fsck|unpack|index-pack)"):
        Store(tmp_path / "store").fetch(Remote(str(origin)), "main")


@pytest.mark.parametrize("name", ["..", ".git", ".GIT", "."])
def test_a_name_that_leads_elsewhere_is_not_read_either(tmp_path: Path, name: str) -> None:
    """As if it had come in all the same."""
    store = Store(tmp_path / "store")
    inner = make_tree(store.folder, [("100644", "x.py", TRAIN)])
    commit = commit_tree(store.folder, [("40000", name, inner.encode())])
    contents = store.read(commit, wanted=lambda path: True)
    assert (dict(contents.files), list(contents.skipped)) == ({}, [f"{name}/x.py"])


# --- what would never end ---------------------------------------------------------------------------------------------


def test_a_few_trees_that_unfold_to_a_billion_files(origin: Path, tmp_path: Path) -> None:
    tree = make_tree(origin, [("100644", f"{number}.py", TRAIN) for number in range(10)])
    for _ in range(9):
        tree = make_tree(origin, [("40000", str(number), tree.encode()) for number in range(10)])
    commit = git(origin, "commit-tree", "-m", "bomb", tree).decode()
    git(origin, "update-ref", "refs/heads/main", commit)
    store = Store(tmp_path / "store", Limits(list_bytes=2_000_000, seconds=20))
    start = time.monotonic()
    store.fetch(Remote(str(origin)), "main")
    with pytest.raises(GitError, match=r"brings more than is allowed|takes longer"):
        store.read(commit)
    assert time.monotonic() - start < 60


def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", Limits(seconds=1.5))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(GitError, match=r"git fetch takes longer than 1\.5 seconds"):
            store.fetch(Remote(f"http://127.0.0.1:{silent.getsockname()[1]}/a/b"), "main")
    end = time.monotonic() + 60
    while any(str(store.folder) in each for each in processes()) and time.monotonic() < end:
        time.sleep(0.02)  # what was killed takes a moment to go
    assert time.monotonic() < end


def processes() -> list[str]:
    """The environments of the processes there are."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            found.append(environment.read_text(errors="replace"))
        except OSError:
            continue
    return [each for each in found if "GIT_DIR=" in each]


# --- the token --------------------------------------------------------------------------------------------------------


def test_the_token_opens_the_repository_and_is_nowhere_to_be_read(
    origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_files(origin, {"train.py": TRAIN})
    git(origin, "config", "http.receivepack", "true")
    (tmp_path / "bin").mkdir()
    real = next(folder for folder in os.environ["PATH"].split(":") if (Path(folder) / "git").exists())
    spy = tmp_path / "bin" / "git"
    spy.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/arguments\nexec {real}/git "$@"\n')
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with serve(tmp_path, TOKEN) as server:
        where = Remote(f"{server.url}/origin", TOKEN)
        written = round_trip(tmp_path, where)
        assert git(origin, "rev-parse", "tc-migrate/smtc").decode() == written
        with pytest.raises(GitError, match=r"Authentication failed|could not read"):
            Store(tmp_path / "other").fetch(Remote(where.url), "main")
        with pytest.raises(GitError, match="git fetch") as caught:
            Store(tmp_path / "other").fetch(Remote(where.url, TOKEN[::-1]), "main")
        server.complaint = "".join(f"remote: you sent {each}\n" for each in (TOKEN, where.authorization))
        with pytest.raises(GitError, match=r"you sent \*\*\*") as echoed:
            Store(tmp_path / "other").fetch(where, "main")
    arguments = (tmp_path / "arguments").read_text()
    assert "fetch" in arguments
    assert "push" in arguments
    files = b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    for secret in (*where.secrets, TOKEN[::-1]):
        assert secret not in arguments + repr(where) + str(caught.value) + str(echoed.value)
        assert secret.encode() not in files


def test_the_token_is_not_sent_elsewhere(origin: Path, tmp_path: Path) -> None:
    commit_files(origin, {"train.py": TRAIN})
    with serve(tmp_path, TOKEN) as server, serve(tmp_path, TOKEN) as other:
        server.redirect_to = other.url
        with pytest.raises(GitError, match="git fetch"):
            Store(tmp_path / "store").fetch(Remote(f"{server.url}/origin", TOKEN), "main")
        assert server.authorizations
        assert not other.authorizations
