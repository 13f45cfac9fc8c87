"""Sources and files made to break a tool: one clear line each, the others go on, exit code 2, nothing lost."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codemods.kit.script import Script
from migrate.migration import Status
from migrate.pipeline import migrate
from tests.goldens import TARGETS

HOUSE = Path(__file__).parent.parent
GOOD = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"
HEAD = "import torch\ny.cuda()\n"
DEEP = "nested too deeply"

SOURCES = {
    "5,000 nested brackets": ("x = " + "[" * 5000 + "]" * 5000, "too many nested parentheses"),
    "50,000 unary minuses": ("x = " + "-" * 50_000 + "1", DEEP),
    "20,000 links of attributes": ("x = a" + ".b" * 20_000, DEEP),
    "20,000 calls of calls": ("x = a" + "()" * 20_000, DEEP),
    "100,000 terms of a sum": ("x = " + "+".join(["1"] * 100_000), DEEP),
    "50,000 terms of an and": ("x = " + " and ".join(["a"] * 50_000), DEEP),
    "and in and": ("x = " + "(a and b and " * 150 + "c" + ")" * 150, DEEP),
    "20,000 parts of an import": ("import " + ".".join(["a"] * 20_000), DEEP),
    "20,000 parts of a from": ("from " + ".".join(["a"] * 20_000) + " import b", DEEP),
    "3,000 elifs": ("if a: pass\n" + "elif b: pass\n" * 3000, DEEP),
    "600 strings side by side": ("x = " + " ".join(["'a'"] * 600), DEEP),
    "5,000 lambdas": ("x = " + "lambda: " * 5000 + "1", DEEP),
    "a file of 2 MB": ("x = 1\n" * 400_000, "larger than 2,000,000 characters"),
    "a NUL byte": ("x = '\0'", "contains a NUL byte"),
    "a lone surrogate": ("x = '\udc80'", "does not parse"),
    "an integer of 200,000 digits": ("x = " + "1" * 200_000, "does not parse"),
    "a Python 2 script of 5,000 minuses": ("print 'x'\nx = " + "-" * 5000 + "1", "does not parse"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_that_breaks_parsers(name: str) -> None:
    text, reason = SOURCES[name]
    migration = migrate(HEAD + text, target=TARGETS["smtc"])
    assert (migration.status, migration.result) == (Status.SKIPPED, HEAD + text)
    assert reason in migration.reason
    assert "\n" not in migration.reason


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = " + "<".join(["a"] * 20_000), id="20,000 comparisons"),
        pytest.param("x = [" + "1, " * 50_000 + "]", id="a list of 50,000"),
        pytest.param("x = '" + "a" * 1_000_000 + "'", id="a line of 1 MB"),
        pytest.param("".join(" " * n + "if a:\n" for n in range(99)) + " " * 99 + "pass", id="99 levels of if"),
        pytest.param("x = " + "(" * 190 + "1" + ")" * 190, id="190 parentheses"),
        pytest.param("x = " + " and ".join(["y.cuda()"] * 150), id="150 terms of an and"),
        pytest.param("x = id(0)" + "\nx = x + x" * 200, id="an unknown number doubled 200 times"),
        pytest.param("x = 'a'" + "\nx = x + x" * 60, id="a string doubled 60 times"),
        pytest.param("x = str(id(0))" + "\nx = f'{x}{x}'" * 200, id="an unknown string doubled 200 times"),
        pytest.param("x = [1, 2]" + "\nx = x + x" * 200, id="a list doubled 200 times"),
        pytest.param("x = (1, 2)" + "\nx = x + x" * 200, id="a tuple doubled 200 times"),
        pytest.param("x = 10 ** 10 ** 10 + len(list(range(10**12)))", id="a number nobody can write down"),
    ],
)
def test_a_source_that_is_only_large(text: str) -> None:
    migration = migrate(HEAD + text, target=TARGETS["smtc"])
    assert migration.status is Status.MIGRATED, migration.reason
    assert migration.result.endswith(text) or "and" in text


def test_facts_that_raise_are_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(script: Script) -> bool:
        raise RecursionError("a fact that asks for itself")

    monkeypatch.setattr(Script, "on_cpu", property(fail))
    migration = migrate(GOOD, target=TARGETS["smtc"])
    assert (migration.status, migration.result) == (Status.FAILED, GOOD)
    assert "a fact that asks for itself" in migration.reason


def _link_outside(path: Path) -> None:
    outside = path.parent.parent / "outside.py"
    outside.write_text(GOOD)
    path.symlink_to(outside)


def _hard_link(path: Path) -> None:
    path.write_text(GOOD)
    (path.parent / "other_name.txt").hardlink_to(path)


def _read_only(path: Path) -> None:
    path.write_text(GOOD)
    path.chmod(0o444)


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the path of a socket has a hundred characters at most
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "fifo.py": (os.mkfifo, "not a regular file"),
    "socket.py": (_socket, "not a regular file"),
    "device.py": (lambda path: path.symlink_to("/dev/zero"), "a link that leads out of the project"),
    "circle.py": (lambda path: path.symlink_to("circle.py"), "too many levels of symbolic links"),
    "outside.py": (_link_outside, "outside"),
    "hard_link.py": (_hard_link, "hard links"),
    "read_only.py": (_read_only, "read-only"),
    "large.py": (lambda path: path.write_bytes(b"#" * 9_000_000), "larger than 8 MiB"),
    "utf16.py": (lambda path: path.write_text(GOOD, encoding="utf-16"), "utf-16"),
    "undeclared.py": (
        lambda path: path.write_bytes(GOOD.encode() + b"# \xe9\n"),
        "not utf-8 text: byte 0xe9 on line 4",
    ),
    "unknown.py": (lambda path: path.write_text("# coding: klingon\n" + GOOD), "unknown encoding: klingon"),
    "two_encodings.py": (
        lambda path: path.write_bytes("# coding: euc-jp\n# 日本\n".encode("euc-jp") + GOOD.encode() + b"# \xff\xe9\n"),
        "not euc_jp text",
    ),
    "new\nline\x1b.py": (lambda path: path.write_text("import torch\ntorch.cuda.(\n"), "does not parse"),
    "deep.py": (lambda path: path.write_text(HEAD + "x = " + "-" * 50_000 + "1"), DEEP),
    "chain.py": (lambda path: path.write_text(HEAD + "x = " + " and ".join(["a"] * 50_000)), DEEP),
}
"""What is put there, and what is said of it."""


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def _write(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "migrate.cli", "--write", "--no-cache", *words, str(folder)]
    return subprocess.run(command, cwd=HOUSE, capture_output=True, timeout=300, check=False)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_folder_of_hostile_files(tmp_path: Path, jobs: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    good = [b"a_first.py", b"m_\xff_surrogate.py", b"z_last.py", ("n" * 240 + ".py").encode()]
    for name in good:
        (folder / os.fsdecode(name)).write_text(GOOD)
    for name, (make, _) in FILES.items():
        make(folder / name)
    before = _contents(folder) | {"outside": (tmp_path / "outside.py").read_bytes()}
    done = _write(folder, "-j", jobs)
    assert done.returncode == 2, done.stderr
    after = _contents(folder) | {"outside": (tmp_path / "outside.py").read_bytes()}
    changed = {os.fsencode(name) for name in after if after[name] != before.get(name)}
    assert changed == set(good)
    assert after.keys() == before.keys()
    said = os.fsdecode(done.stderr)
    assert "Traceback" not in said
    for name, (_, reason) in FILES.items():
        spelt = name.encode("unicode_escape").decode()
        (line,) = [line for line in said.splitlines() if f"/{spelt}: " in line]
        assert reason in line, line


@pytest.mark.parametrize("words", [["--check"], ["--check", "--format", "github"]])
def test_a_name_cannot_pass_for_a_line_of_a_report(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "a\n::error::b\x1b[2J.py").write_text(GOOD + "model.module.cuda()\n")
    command = [sys.executable, "-m", "migrate.cli", "--no-cache", *words, str(tmp_path)]
    done = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, timeout=300, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "\x1b" not in said
    assert not any(line.startswith("::error::b") for line in said.splitlines())
    assert "\\n::error" in said or "%0A%3A%3Aerror" in said


def test_names_that_no_file_can_have_and_circles_of_links(tmp_path: Path) -> None:
    """Also where the configuration has patterns, which are matched against real paths."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.tc-migrate]\nexclude = ["old/*"]\n[tool.tc-migrate.per-file-ignores]\n"eval/*.py" = ["TC2"]\n'
    )
    (tmp_path / "circle.py").symlink_to("circle.py")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "loop").symlink_to(tmp_path / "folder")
    (tmp_path / "train.py").write_text(GOOD)
    done = _write(tmp_path, str(tmp_path / ("n" * 5000)), str(tmp_path / "train.py" / "train.py"))
    said = done.stderr.decode().splitlines()
    assert done.returncode == 2
    assert "torch_xla" in (tmp_path / "train.py").read_text()
    assert [line.rpartition(": ")[2] for line in said[:3]] == [
        "file name too long", "not a directory", "too many levels of symbolic links"
    ]  # fmt: skip


# --- the disk ------------------------------------------------------------------------------------------------------


def _on_a_small_disk(tmp_path: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run shell commands in a name space of their own, where a disk of 256 KiB is mounted on `disk`."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare")
    (tmp_path / "disk").mkdir()
    mount = "mount -t tmpfs -o size=256k none disk || exit 77; "
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount + script]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False)
    if done.returncode == 77 or "unshare failed" in done.stderr or "Operation not permitted" in done.stderr:
        pytest.skip(f"no name space of one's own: {done.stderr.strip()}")
    return done


RUN = f"PYTHONPATH={HOUSE} {sys.executable} -m migrate.cli --write --no-cache disk; echo exit $?; "


def test_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(GOOD + "# " + "x" * 50_000 + "\n")
    (tmp_path / "zero.py").write_text(GOOD)
    fill = "cp train.py zero.py disk; dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null; "
    show = "cmp disk/train.py train.py && cmp disk/zero.py zero.py && echo same; ls -A disk"
    done = _on_a_small_disk(tmp_path, fill + RUN + show)
    assert "no space left" in done.stderr, done.stderr
    assert done.stdout.split("exit ")[1].split() == ["2", "same", "fill", "train.py", "zero.py"]


def test_a_disk_that_is_read_only(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(GOOD)
    done = _on_a_small_disk(tmp_path, f"cp train.py disk; mount -o remount,ro disk; {RUN} cmp disk/train.py train.py")
    assert done.stdout.splitlines()[-1] == "exit 2", done.stdout
    assert "read-only" in done.stderr
