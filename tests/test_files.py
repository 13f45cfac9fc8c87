"""The disk: encodings byte for byte, writing whole or not at all, which files are scripts."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from migrate import files
from migrate.files import Unreadable, Unwritable, find_scripts, read, write


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


def test_a_read_only_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everything
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
    names = [path.relative_to(tmp_path).as_posix() for path, root in found if root == tmp_path]
    assert names == ["a/deep/y.py", "a/z.py", "a.py", "b.py", "data.py/inner.py", "env/cartpole.py"]


def test_a_named_file_is_taken_once_whatever_its_name(tmp_path: Path) -> None:
    for name in ("train", "x.py"):
        (tmp_path / name).write_text("")
    paths = [tmp_path / "train", tmp_path / "x.py", tmp_path, tmp_path / "gone.py"]
    assert [path.name for path, _ in find_scripts(paths)] == ["train", "x.py", "gone.py"]


def test_a_folder_that_cannot_be_listed_is_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locked").mkdir()
    (tmp_path / "a.py").write_text("")
    scan = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = [path for path, _ in find_scripts([tmp_path])]
    assert [path.name for path in found] == ["a.py", "locked"]
    with pytest.raises(Unreadable, match="cannot be listed"):
        read(found[1])
