"""Many small repositories on disk: honest ones, broken ones, and ones made to stop a campaign. Made quickly."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from migrate import migrate
from tests.bot.repositories import git, make_bare

BRANCH = "tc-migrate/smtc"
SCRIPT = """\
import torch
import torch.nn as nn

model = nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.ones(1, 2).cuda()).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
RESULT = migrate(SCRIPT, target="smtc").result
BRACKETS = b"import torch\ntorch.ones(1).cuda()\nx = " + b"[" * 5_000 + b"]" * 5_000
SUM = b"import torch\ntorch.ones(1).cuda()\nx = " + b"+".join([b"1"] * 50_000)
HUGE = b"import torch\nx = 1\n" + b"# " + b"x" * 300_000
PERSON = "Someone <someone@example.org>"


@dataclass(frozen=True)
class Member:
    """One repository, and what a campaign has to make of it."""

    path: Path
    kind: str
    expected: str
    """Its standing after `--push`."""
    number: int

    @property
    def result(self) -> bytes:
        """What `train.py` has to be on the branch."""
        return _numbered(RESULT, self.number)


def make_fleet(folder: Path, size: int) -> list[Member]:
    """So many repositories, of each kind some."""
    template = make_bare(folder / "template.git")
    git(template, "config", "core.logAllRefUpdates", "true")
    kinds = list(_MAKERS)
    return [_make(folder, template, kinds[number % len(kinds)], number) for number in range(size)]


def pushes(member: Member) -> list[bytes]:
    """Each time that the branch was moved: from where, and to where."""
    inside = member.path / ".git"
    log = (inside if inside.exists() else member.path) / "logs" / "refs" / "heads" / BRANCH
    return [line.partition(b"\t")[0] for line in log.read_bytes().splitlines()] if log.exists() else []


def _make(folder: Path, template: Path, kind: str, number: int) -> Member:
    path = folder / f"{number:03} {kind}"
    expected, make = _MAKERS[kind]
    shutil.copytree(template, path, ignore=shutil.ignore_patterns("hooks"))
    path = make(path, number) or path
    return Member(path, kind, expected, number)


def _numbered(text: str, number: int) -> bytes:
    return text.replace("lr=0.1", f"lr=0.{number + 1:03}").encode()


def _commit(path: Path, files: dict[bytes, bytes], branch: str = "main", person: str = PERSON) -> None:
    """One commit of these files and no others, by their names in bytes."""
    lines = [f"reset refs/heads/{branch}\ncommit refs/heads/{branch}\ncommitter {person} 1700000000 +0000\n".encode()]
    lines.append(b"data 4\nmade")
    for name, data in files.items():
        quoted = name.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        lines.append(b'\nM 100644 inline "%b"\ndata %d\n%b' % (quoted, len(data), data))
    git(path, "fast-import", "--quiet", "--force", given=b"".join(lines) + b"\n")


def _honest(path: Path, number: int) -> None:
    _commit(path, {b"train.py": _numbered(SCRIPT, number), b"README.md": b"# %d\n" % number})


def _work_tree(path: Path, number: int) -> None:
    """With a setting by which a push would change the files that its owner works on."""
    (path / ".git").mkdir()
    for each in list(path.iterdir()):
        if each.name != ".git":
            each.rename(path / ".git" / each.name)
    git(path / ".git", "config", "core.bare", "false")
    _honest(path / ".git", number)
    git(path, "config", "receive.denyCurrentBranch", "updateInstead")
    git(path, "reset", "--hard", "--quiet")
    (path / "train.py").write_text("unsaved = True\n")


def _hooked(path: Path, number: int) -> None:
    """Whose hooks and settings run a program on whoever looks or pushes."""
    _honest(path, number)
    (path / "hooks").mkdir()
    for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
        hook = path / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch '{path}/fired'\n")
        hook.chmod(0o755)
    git(path, "config", "core.fsmonitor", f"touch '{path}/fired'")


def _foreign_names(path: Path, number: int) -> Path:
    """Names that are not UTF-8, of a file and of the repository itself; and text that is not."""
    renamed = path.with_name(path.name + os.fsdecode(b"-\xe9"))
    path.rename(renamed)
    script = _numbered(SCRIPT, number)
    _commit(renamed, {b"train.py": script, b"tr\xe9.py": script, b"latin.py": b"import torch\n# \xe9\nx.cuda()\n"})
    return renamed


def _corrupt(path: Path, number: int) -> None:
    """The one object with the script is garbage."""
    _honest(path, number)
    for pack in (path / "objects" / "pack").glob("*.pack"):
        pack.chmod(0o644)
        data = bytearray(pack.read_bytes())
        data[20:60] = bytes(40)
        pack.write_bytes(data)
    for loose in (path / "objects").glob("??/*"):
        loose.chmod(0o644)
        loose.write_bytes(b"garbage")


def _no_repository(path: Path, number: int) -> None:
    shutil.rmtree(path)
    path.mkdir()
    (path / "train.py").write_text(SCRIPT)


def _unborn(path: Path, number: int) -> None:
    """Its HEAD is a branch that there is not."""
    _commit(path, {b"train.py": SCRIPT.encode()}, "develop")


def _detached(path: Path, number: int) -> None:
    _honest(path, number)
    (path / "HEAD").write_bytes(git(path, "rev-parse", "main") + b"\n")


def _taken(path: Path, number: int) -> None:
    """A person works on a branch of the name that ours has."""
    _honest(path, number)
    _commit(path, {b"train.py": b"mine = 1\n"}, BRANCH)


def _with(files: dict[bytes, bytes]) -> Callable[[Path, int], None]:
    def make(path: Path, number: int) -> None:
        _commit(path, {b"train.py": _numbered(SCRIPT, number), **files})

    return make


_MAKERS: dict[str, tuple[str, Callable[[Path, int], Path | None]]] = {
    "honest": ("pushed", _honest),
    "clean": ("clean", lambda path, number: _commit(path, {b"a.py": b"print(%d)\n" % number})),
    "empty": ("skipped", lambda path, number: None),
    "another": ("pushed", _honest),
    "corrupt": ("error", _corrupt),
    "brackets": ("pushed", _with({b"hostile.py": BRACKETS})),
    "huge": ("pushed", _with({b"huge.py": HUGE})),
    "names": ("pushed", _foreign_names),
    "gone": ("error", lambda path, number: shutil.rmtree(path)),
    "work tree": ("pushed", _work_tree),
    "sum": ("pushed", _with({b"hostile.py": SUM})),
    "hooked": ("pushed", _hooked),
    "settings": ("error", _with({b".github/tc-migrate.yml": b"target: nowhere\n"})),
    "off": ("skipped", _with({b".github/tc-migrate.yml": b"enabled: false\n"})),
    "unborn": ("skipped", _unborn),
    "detached": ("error", _detached),
    "taken": ("edited", _taken),
    "folder": ("skipped", _no_repository),
}
