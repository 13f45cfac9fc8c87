"""The disk: the text of scripts, byte for byte, and writing them back whole or not at all."""

from __future__ import annotations

import codecs
import contextlib
import io
import itertools
import os
import re
import shutil
import stat
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from migrate.migration import MigrateError

LARGEST = 8 * 1024 * 1024
"""Bytes. What is larger is data written as Python; the largest of CPython's own modules has a tenth of it."""
LARGEST_NOTEBOOK = 64 * 1024 * 1024
"""Bytes. Notebooks hold the pictures they have drawn."""
_WORKSHOP = ".tc-migrate-"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Unreadable(MigrateError):
    """A file that is not there, not a file, too large, or not text in the encoding it declares."""


class Unwritable(MigrateError):
    """A file that may not be, or could not be, written. It is as it was."""


@dataclass(frozen=True)
class SourceFile:
    """A script as it is on disk."""

    path: Path
    text: str
    """Without the BOM; ends of lines as they are."""
    encoding: str
    """As the BOM or the `coding` comment says; else utf-8."""
    bom: bytes
    """What stands before the text: the UTF-8 byte order mark or nothing."""

    def encode(self, text: str) -> bytes:
        """The bytes of `text` in this file. Raises Unwritable for a character the encoding does not have."""
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise Unwritable(f"{error.object[error.start]!r} cannot be written in {self.encoding}") from error


def read(path: Path) -> SourceFile:
    """The script at `path`. Raises Unreadable with the reason in one line, without the path."""
    return decode(read_bytes(path), path)


def read_bytes(path: str | Path) -> bytes:
    """The bytes of the script at `path`. Raises Unreadable."""
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise Unreadable("a folder that cannot be listed")
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("not a regular file")
        largest = LARGEST_NOTEBOOK if str(path).endswith(".ipynb") else LARGEST
        if status.st_size > largest:
            raise Unreadable(f"larger than {largest // 1024 // 1024} MiB")
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Unreadable(_reason(error)) from error


def decode(data: bytes, path: Path) -> SourceFile:
    """The script whose bytes are `data`. Raises Unreadable when they are not text, or would not come back the same."""
    if data.startswith(_UTF_16):
        raise Unreadable("utf-16 or utf-32 text, which Python does not run: save it as utf-8")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        bom = b"\xef\xbb\xbf" if encoding == "utf-8-sig" else b""
        encoding = "utf-8" if bom else encoding
        text = data[len(bom) :].decode(encoding)
        faithful = text.encode(encoding) == data[len(bom) :]
    except UnicodeError as error:
        raise Unreadable(f"not {_declared(error)} text: {_where(error, data)}") from error
    except (SyntaxError, LookupError) as error:
        # detect_encoding: an unknown encoding, one that contradicts the BOM, or first lines that are not utf-8.
        raise Unreadable(_not_utf_8(data) or str(error)) from error
    if not faithful:
        # A codec with several spellings of one character (utf-7, iso-2022-jp) would rewrite untouched lines.
        raise Unreadable(f"its {encoding} text does not encode back to the same bytes")
    return SourceFile(path, text, encoding, bom)


def read_text(path: Path) -> str | None:
    """The text of the script at `path`; None when there is none, or it is not text."""
    try:
        return read(path).text
    except Unreadable:
        return None


def write(file: SourceFile, text: str, root: Path, *, backup: bool = False) -> None:
    """Put `text` into the file, whole or not at all; mode, owner and extended attributes stay as far as we may.

    With `backup` the old file stays beside it as `NAME.orig`, or `NAME.orig.1` and so on where that is taken.
    Raises Unwritable when the file changed since it was read, is read-only, has other names (hard links), is a link
    that leads out of the folder `root`, or the disk refuses. The file is then as it was.
    """
    data = file.encode(text)
    if decode(data, file.path).text != text:
        raise Unwritable(f"would not read back as the same text in {file.encoding}")
    try:
        real = Path(os.path.realpath(file.path, strict=True))
        _refuse(real, root)
        with workshop(real.parent) as folder:
            fresh = _make(folder / real.name, data, real)
            saved = _copy(real, folder) if backup else None
            # As late as can be: whoever saved the file meanwhile keeps what they wrote.
            if real.read_bytes() != file.encode(file.text):
                raise Unwritable("changed on disk since it was read")
            if saved is not None:
                _publish(saved, real)
            os.replace(fresh, real)
        _sync_folder(real.parent)
    except OSError as error:
        raise Unwritable(_reason(error)) from error


def sweep(folder: Path) -> None:
    """Remove what a run that was killed left in a folder. Runs that are still at work keep theirs."""
    for left in folder.glob(f"{_WORKSHOP}*"):
        owner = re.fullmatch(rf"{re.escape(_WORKSHOP)}(\d{{1,9}})-.*", left.name)
        if owner is not None and not _runs(int(owner[1])):
            shutil.rmtree(left, ignore_errors=True)


def _refuse(real: Path, root: Path) -> None:
    """Raise Unwritable for a file that is not ours to replace."""
    status = real.stat()
    if not stat.S_ISREG(status.st_mode):
        raise Unwritable("not a regular file any more")
    if not real.is_relative_to(root.resolve(strict=True)):
        raise Unwritable(f"a link to {real}, outside {root}")
    # Root may write everything: for root, too, a file without any write permission is meant to stay.
    if not status.st_mode & 0o222 or not os.access(real, os.W_OK):
        raise Unwritable("read-only")
    if status.st_nlink > 1:
        raise Unwritable(f"one of {status.st_nlink} names of the same file (hard links), which writing would part")


@contextlib.contextmanager
def workshop(parent: Path) -> Iterator[Path]:
    """A folder for unfinished files, on the same disk as the finished ones, and gone at the end.

    If the run is killed it stays: git ignores it by its own `.gitignore`, and the next run sweeps it away.
    """
    prefix = f"{_WORKSHOP}{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent, ignore_cleanup_errors=True) as folder:
        Path(folder, ".gitignore").write_text("*\n")
        yield Path(folder)


def _make(path: Path, data: bytes, like: Path) -> Path:
    """Write a new file that only differs from `like` in its bytes and its date, and bring it to the disk."""
    owner = like.stat()
    with path.open("xb") as stream:
        stream.write(data)
        stream.flush()
        with contextlib.suppress(OSError, AttributeError):
            # Only root may give files away, and Windows has no fchown: then the file is the user's own.
            os.fchown(stream.fileno(), owner.st_uid, owner.st_gid)
        # After the change of owner, which clears the set-user-id bits.
        shutil.copystat(like, path)
        os.utime(path)
        os.fsync(stream.fileno())
    return path


def _copy(real: Path, folder: Path) -> Path:
    """A copy of a file, date and all, that is on the disk before the file is replaced."""
    copy = folder / f"{real.name}.orig"
    shutil.copy2(real, copy)
    with copy.open("rb") as stream:
        os.fsync(stream.fileno())
    return copy


def _publish(copy: Path, real: Path) -> None:
    """Put the copy beside the file, under a name that is free. A link is made whole and never over another file."""
    for number in itertools.count():
        name = f"{real.name}.orig.{number}" if number else f"{real.name}.orig"
        with contextlib.suppress(FileExistsError):
            os.link(copy, real.with_name(name))
            return


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk, where the system can (Windows cannot open folders)."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _runs(process: int) -> bool:
    """Whether there is such a process; where it cannot be asked without harm, there is."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _not_utf_8(data: bytes) -> str:
    """Where bytes without a declared encoding are not utf-8; empty when something else is wrong with them."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"not utf-8 text: {_where(error, data)}"
    return ""


def _declared(error: UnicodeError) -> str:
    return error.encoding if isinstance(error, UnicodeDecodeError | UnicodeEncodeError) else "decodable"


def _where(error: UnicodeError, data: bytes) -> str:
    if not isinstance(error, UnicodeDecodeError):
        return str(error)
    line = data.count(b"\n", 0, error.start) + 1
    return f"byte 0x{error.object[error.start]:02x} on line {line}"
