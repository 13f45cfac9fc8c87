"""The disk: encodings byte for byte, writing whole or not at all, which files are scripts."""

from __future__ import annotations

import multiprocessing
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate import files
from migrate.discover import find_scripts
from migrate.files import Unreadable, Unwritable, read, sweep, write


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        pytest.param("x = 'é'\n".encode(), "utf-8", id="no declaration means utf-8"),
        pytest.param(b"\xef\xbb\xbfx = 1\n", "utf-8", id="BOM"),
        pytest.param(b"\xef\xbb\xbf# coding: utf-8\nx = '\xc3\xa9'\n", "utf-8", id="BOM and cookie"),
        pytest.param("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "iso-8859-1", id="latin-1 cookie"),
        pytest.param(
            "#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\n# ж\n".encode("cp1251"), "cp1251", id="line 2"
        ),
        pytest.param(b"a\r\nb\rc\nd", "utf-8", id="every end of line, none at the end"),
        pytest.param(b"", "utf-8", id="empty"),
    ],
)
def test_reads_and_encodes_back_the_same_bytes(tmp_path: Path, data: bytes, encoding: str) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(data)
    file = read(path)
    assert file.encoding == encoding
    assert not file.text.startswith("\ufeff")
    assert file.encode(file.text) == data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"x = 1\ny = 2\nz = '\xe9'\n", "not utf-8 text: byte 0xe9 on line 3", id="latin-1 undeclared"),
        pytest.param(b"x = '\xe9'\n", "not utf-8 text: byte 0xe9 on line 1", id="on the first line"),
        pytest.param(b"# coding: klingon\n", "unknown encoding: klingon", id="unknown encoding"),
        pytest.param(b"# coding: rot13\n", "not a text encoding", id="not a text encoding"),
        pytest.param("x = 1\n".encode("utf-16"), "utf-16", id="utf-16"),
        pytest.param(b"\xef\xbb\xbf# coding: latin-1\n", "encoding problem: utf-8", id="BOM against cookie"),
        pytest.param(b"# coding: utf-7\nx = '+AGE-'\n", "does not encode back", id="a codec with two spellings"),
    ],
)
def test_refuses_what_it_could_not_write_back(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(data)
    with pytest.raises(Unreadable) as caught:
        read(path)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(path) not in str(caught.value)


def test_refuses_what_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "large.py").write_text("x = 1\n" * 10)
    monkeypatch.setattr(files, "LARGEST", 20)
    reasons = {}
    for name in ("missing.py", "pipe.py", "large.py"):
        with pytest.raises(Unreadable) as caught:
            read(tmp_path / name)
        reasons[name] = str(caught.value)
    assert reasons["missing.py"] == "no such file or directory"
    assert reasons["pipe.py"] == "not a regular file"
    assert reasons["large.py"].startswith("larger than")


def test_writes_in_the_files_encoding_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes("# coding: latin-1\r\nx = 'é'\r\n".encode("latin-1"))
    path.chmod(0o751)
    file = read(path)
    write(file, file.text.replace("x =", "y ="), tmp_path)
    assert path.read_bytes() == "# coding: latin-1\r\ny = 'é'\r\n".encode("latin-1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert os.listdir(tmp_path) == ["train.py"]


def test_a_write_that_fails_leaves_the_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    file = read(path)

    def refuse(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(Unwritable, match="no space left"):
        write(file, "x = 2\n", tmp_path)
    assert path.read_text() == "x = 1\n"
    assert os.listdir(tmp_path) == ["train.py"]


def test_does_not_write_a_character_the_encoding_lacks(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"# coding: ascii\n")
    with pytest.raises(Unwritable, match="'é' cannot be written in ascii"):
        write(read(path), "# coding: ascii\n# é\n", tmp_path)
    assert path.read_bytes() == b"# coding: ascii\n"


def test_does_not_overwrite_what_changed_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    file = read(path)
    path.write_text("x = 'mine'\n")
    with pytest.raises(Unwritable, match="changed on disk"):
        write(file, "x = 2\n", tmp_path)
    assert path.read_text() == "x = 'mine'\n"


def test_writes_through_a_link_inside_the_root_and_not_out_of_it(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside.py"
    root.mkdir()
    outside.write_text("x = 1\n")
    (root / "real.py").write_text("x = 1\n")
    (root / "inside.py").symlink_to("real.py")
    (root / "leaving.py").symlink_to(outside)
    write(read(root / "inside.py"), "x = 2\n", root)
    assert (root / "inside.py").is_symlink()
    assert (root / "real.py").read_text() == "x = 2\n"
    with pytest.raises(Unwritable, match="outside"):
        write(read(root / "leaving.py"), "x = 2\n", root)
    assert outside.read_text() == "x = 1\n"


def test_a_backup_holds_what_was_there_and_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    path.chmod(0o640)
    for number in (2, 3, 4):
        write(read(path), f"x = {number}\n", tmp_path, backup=True)
    found = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert found == {
        "train.py": "x = 4\n",
        "train.py.orig": "x = 1\n",
        "train.py.orig.1": "x = 2\n",
        "train.py.orig.2": "x = 3\n",
    }
    assert stat.S_IMODE((tmp_path / "train.py.orig").stat().st_mode) == 0o640


def test_a_hard_link_is_not_parted(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    (tmp_path / "same.py").hardlink_to(path)
    with pytest.raises(Unwritable, match="one of 2 names of the same file"):
        write(read(path), "x = 2\n", tmp_path)
    assert (tmp_path / "same.py").samefile(path)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes here")
def test_extended_attributes_stay(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError as error:
        pytest.skip(f"not on this disk: {error}")
    write(read(path), "x = 2\n", tmp_path)
    assert os.getxattr(path, "user.note") == b"mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    os.chown(path, 1234, 2345)
    path.chmod(0o4750)
    write(read(path), "x = 2\n", tmp_path)
    status = path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 2345, 0o4750)


def _delete(path: Path) -> None:
    path.unlink()


def _delete_folder(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()


def _folder_becomes_a_file(path: Path) -> None:
    _delete_folder(path)
    path.parent.write_text("")


def _becomes_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _becomes_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _becomes_a_circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (_delete, "no such file"),
        (_delete_folder, "no such file"),
        (_folder_becomes_a_file, "not a directory"),
        (_becomes_a_folder, "not a regular file"),
        (_becomes_a_pipe, "not a regular file"),
        (_becomes_a_circle, "too many levels of symbolic links"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_became_something_else_meanwhile_stays_so(
    tmp_path: Path, happens: Callable[[Path], None], reason: str
) -> None:
    path = tmp_path / "folder" / "train.py"
    path.parent.mkdir()
    path.write_text("x = 1\n")
    file = read(path)
    happens(path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Unwritable, match=reason):
        write(file, "x = 2\n", tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_change_in_the_last_moment_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    file = read(path)
    sync = os.fsync

    def save_meanwhile(descriptor: int) -> None:
        path.write_text("x = 'mine'\n")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", save_meanwhile)
    with pytest.raises(Unwritable, match="changed on disk"):
        write(file, "x = 2\n", tmp_path)
    assert path.read_text() == "x = 'mine'\n"


def test_what_a_killed_run_left_is_swept_and_no_more(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for name in (f".tc-migrate-{ended.pid}-abc", f".tc-migrate-{os.getpid()}-abc", ".tc-migrate-mine", ".tc-migrate.d"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text("x =")
    sweep(tmp_path)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted([".tc-migrate-mine", ".tc-migrate.d", f".tc-migrate-{os.getpid()}-abc"])


def test_git_does_not_see_unfinished_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `git add --all` would find them after a kill in the middle of a write."""
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    seen: list[str] = []

    def look(source: Path, target: Path) -> None:
        words = ["git", "-C", str(tmp_path), "status", "--porcelain", "--untracked-files=all"]
        seen.append(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "replace", look)
    with pytest.raises(Unwritable, match="input/output error"):
        write(read(path), "x = 2\n", tmp_path)
    assert seen == ["?? train.py\n"]


@pytest.mark.parametrize("user", [None, 65534] if os.geteuid() == 0 else [None])
def test_what_the_user_may_not_read_or_write(user: int | None) -> None:
    """In a process of its own, which is nobody's when the tests are root's: root may do everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in ("secret.py", "closed/train.py", "fixed/train.py"):
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text("x = 1\n")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, user if user is not None else -1, -1)
        process = multiprocessing.get_context("fork").Process(target=_be_refused, args=(folder, user))
        process.start()
        process.join()
        for path in ("closed", "fixed"):
            (folder / path).chmod(0o755)
        assert process.exitcode == 0
        assert (folder / "fixed/train.py").read_text() == "x = 1\n"


def _be_refused(folder: Path, user: int | None) -> None:
    if user is not None:
        os.setgid(user)
        os.setuid(user)
    elif os.geteuid() == 0:
        return
    os.chdir("/")
    fixed = read(folder / "fixed/train.py")
    (folder / "secret.py").chmod(0)
    (folder / "closed").chmod(0)
    (folder / "fixed").chmod(0o555)
    for path in ("secret.py", "closed/train.py"):
        with pytest.raises(Unreadable, match="permission denied"):
            read(folder / path)
    with pytest.raises(Unwritable, match="permission denied"):
        write(fixed, "x = 2\n", folder)


def test_a_read_only_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    path.chmod(0o444)  # for root as well, who may write everything
    with pytest.raises(Unwritable, match="read-only"):
        write(read(path), "x = 2\n", tmp_path)
    assert path.read_text() == "x = 1\n"


def test_finds_the_scripts_of_a_folder_sorted_and_without_foreign_ones(tmp_path: Path) -> None:
    for name in (
        "b.py", "a.py", "a/z.py", "a/deep/y.py", "notes.txt", "env/cartpole.py", "data.py/inner.py",
        ".hidden.py", ".git/hook.py", "__pycache__/a.py", "venv/lib/x.py", "mine/pyvenv.cfg", "mine/lib/x.py",
        "old/bin/activate", "old/lib/x.py", "lib/site-packages/x.py", "third_party/x.py", "skip_me.py",
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    found = find_scripts([tmp_path], lambda path: path.name in ("third_party", "skip_me.py"))
    names = [Path(name).relative_to(tmp_path).as_posix() for name, root, _ in found if root == tmp_path]
    assert names == ["a/deep/y.py", "a/z.py", "a.py", "b.py", "data.py/inner.py", "env/cartpole.py"]


def test_a_named_file_is_taken_once_whatever_its_name(tmp_path: Path) -> None:
    for name in ("train", "x.py"):
        (tmp_path / name).write_text("")
    paths = [tmp_path / "train", tmp_path / "x.py", tmp_path, tmp_path / "gone.py"]
    assert [Path(found.name).name for found in find_scripts(paths)] == ["train", "x.py", "gone.py"]


def test_a_folder_that_cannot_be_listed_is_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locked").mkdir()
    (tmp_path / "a.py").write_text("")
    scan = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = [Path(found.name) for found in find_scripts([tmp_path])]
    assert [path.name for path in found] == ["a.py", "locked"]
    with pytest.raises(Unreadable, match="cannot be listed"):
        read(found[1])
