"""The disk: which files are scripts, their text byte for byte, and writing them back whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import tempfile
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from migrate.migration import MigrateError

LARGEST = 8 * 1024 * 1024
"""Bytes. What is larger is data written as Python; the largest of CPython's own modules has a tenth of it."""

_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages", "venv"})
# A folder called `env` may well hold a reinforcement learning environment: look inside instead.
_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
_ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta", "bin/activate")


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
    mode: int
    """Permission bits."""

    def encode(self, text: str) -> bytes:
        """The bytes of `text` in this file. Raises Unwritable for a character the encoding does not have."""
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise Unwritable(f"{error.object[error.start]!r} cannot be written in {self.encoding}") from error


def read(path: Path) -> SourceFile:
    """The script at `path`. Raises Unreadable with the reason in one line, without the path."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise Unreadable("a folder that cannot be listed")
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("not a regular file")
        if status.st_size > LARGEST:
            raise Unreadable(f"larger than {LARGEST // 1024 // 1024} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(_reason(error)) from error
    return decode(data, path, stat.S_IMODE(status.st_mode))


def decode(data: bytes, path: Path, mode: int = 0o644) -> SourceFile:
    """The script whose bytes are `data`. Raises Unreadable when they are not text, or would not come back the same."""
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
    return SourceFile(path, text, encoding, bom, mode)


def read_text(path: Path) -> str | None:
    """The text of the script at `path`; None when there is none, or it is not text."""
    try:
        return read(path).text
    except Unreadable:
        return None


def project_folder(script: Path) -> Path:
    """The nearest folder at or above a script's that looks like the top of a project; else the script's own."""
    for folder in script.parents:
        if folder == Path.home():
            break
        if any((folder / mark).exists() for mark in _PROJECT_MARKS):
            return folder
    return script.parent


def write(file: SourceFile, text: str, root: Path) -> None:
    """Put `text` into the file, whole or not at all; its mode stays, its owner where the system lets us.

    Raises Unwritable when the file changed since it was read, is read-only, is a link that leads out of the folder
    `root`, or the disk refuses.
    """
    data = file.encode(text)
    try:
        real = file.path.resolve(strict=True)
        if not real.is_relative_to(root.resolve(strict=True)):
            raise Unwritable(f"a link to {real}, outside {root}")
        if not os.access(real, os.W_OK):
            raise Unwritable("read-only")
        if real.read_bytes() != file.encode(file.text):
            raise Unwritable("changed on disk since it was read")
        _replace(real, data, file.mode)
    except OSError as error:
        raise Unwritable(_reason(error)) from error


def find_scripts(
    paths: Iterable[Path], excluded: Callable[[Path], bool] = lambda path: False
) -> Iterator[tuple[Path, Path]]:
    """The scripts that `paths` name, each once and with its root: the folder given, or the folder of the file given.

    Of a folder: every `.py` below it, sorted; not hidden ones, virtual environments, links to folders, nor what
    `excluded` says. A file that is named itself is taken whatever its name. Nothing is raised: what is not there
    is for `read` to say.
    """
    seen: set[Path] = set()
    for path in paths:
        folder = os.path.isdir(path)
        found = _walk(path, excluded) if folder else iter((path,))
        root = path if folder else path.parent
        for script in found:
            if script not in seen:
                seen.add(script)
                yield script, root


def _walk(folder: Path, excluded: Callable[[Path], bool]) -> Iterator[Path]:
    scripts: list[Path] = []
    unlisted: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=unlisted.append):
        here = Path(parent)
        folders[:] = [name for name in folders if not _skips(here / name) and not excluded(here / name)]
        found = (here / name for name in names if name.endswith(".py") and not name.startswith("."))
        scripts += [path for path in found if not excluded(path)]
    # A folder that cannot be listed is handed on like a script: `read` says so, and nothing is silently left out.
    scripts += [Path(error.filename) for error in unlisted]
    # By parts, so that a folder's files stay together.
    return iter(sorted(scripts, key=lambda path: path.parts))


def _skips(folder: Path) -> bool:
    if folder.name.startswith("."):
        return True
    if any((folder / mark).exists() for mark in _ENVIRONMENT_MARKS):
        return True
    return folder.name in _SKIPPED_FOLDERS


def _replace(path: Path, data: bytes, mode: int) -> None:
    """Write beside `path` and rename over it: a reader sees the old file or the new one. Raises OSError."""
    owner = path.stat()
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            with contextlib.suppress(OSError, AttributeError):
                # Only root may give files away, and Windows has no fchown: then the file is the user's own.
                os.fchown(stream.fileno(), owner.st_uid, owner.st_gid)
            # After the change of owner, which clears the set-user-id bits.
            os.chmod(name, mode)
            os.fsync(stream.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


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
