"""What is known from earlier runs, in one SQLite file in the user's cache folder.

Two tables: what a file on disk was like when it was last read, found by its path, size and times; and results, found
by a digest of all they depend on. A file belongs to one state of this tool, so nothing stale is ever found. Values are
pickled: the folder is the user's own, as is the code that runs.

Whatever is wrong with the cache (damaged, locked, not writable) is as if there were none, and is said once.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3

_LARGEST = 256 * 1024 * 1024
"""Bytes. A larger cache starts anew."""
_UNUSED_DAYS = 14
_AT_ONCE = 500
"""Values kept back before they are written, and keys asked for in one statement."""
SETTLED_NS = 2_000_000_000
"""A file changed this shortly before it was read may change again within one tick of the file system's clock."""
_CHECK = 8
_TABLES = """
create table if not exists files
    (path text primary key, size int, mtime int, ctime int, digest blob, look int, imports text) without rowid;
create table if not exists results (key blob primary key, value blob) without rowid;
"""


@dataclass(frozen=True)
class Seen:
    """A file on disk as it was when it was last read."""

    size: int
    mtime: int
    ctime: int
    """Nanoseconds, as the time before it."""
    digest: bytes
    look: int
    imports: tuple[str, ...]

    def is_still(self, now: os.stat_result) -> bool:
        """Whether the file is that of then."""
        return (self.size, self.mtime, self.ctime) == (now.st_size, now.st_mtime_ns, now.st_ctime_ns)


class Cache:
    """Results by key, and files by path. It is opened when first asked. No method raises."""

    def __init__(self, folder: Path | None = None, say: Callable[[str], None] = lambda text: None) -> None:
        """`folder`: None for the user's own cache folder. `say` is told once when the cache cannot be used."""
        self._folder, self._say = folder, say
        self._opened: sqlite3.Connection | None = None
        self._file = Path()
        self._usable = True
        self._results: dict[bytes, bytes] = {}
        self._files: dict[str, Seen] = {}

    def seen_below(self, folder: str) -> dict[str, Seen]:
        """What is known of the files below a folder, by absolute path."""
        self._write()
        beginning = folder.rstrip("/") + "/"
        found: dict[str, Seen] = {}
        base = self._base()
        if base is None:
            return found
        with self._careful("read"):
            # "0" is the character after "/".
            words = "select * from files where path >= ? and path < ?"
            for row in base.execute(words, (beginning, beginning[:-1] + "0")):
                path, size, mtime, ctime, digest, look, imports = row
                found[path] = Seen(size, mtime, ctime, digest, look, tuple(imports.split("\n")) if imports else ())
        return found

    def see(self, path: str, seen: Seen) -> None:
        """Remember what a file on disk is like, unless it may change unseen."""
        if self._usable and time.time_ns() - max(seen.mtime, seen.ctime) > SETTLED_NS:
            self._files[path] = seen
            self._write_some()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Any]:
        """The values that are known of these."""
        self._write()
        wanted = list(dict.fromkeys(keys))
        found: dict[bytes, Any] = {}
        base = self._base()
        if base is None:
            return found
        with self._careful("read"):
            for start in range(0, len(wanted), _AT_ONCE):
                some = wanted[start : start + _AT_ONCE]
                words = f"select key, value from results where key in ({','.join('?' * len(some))})"
                for key, value in base.execute(words, some):
                    check, data = value[:_CHECK], value[_CHECK:]
                    if check == _checksum(data):
                        found[key] = pickle.loads(data)
        return found

    def put(self, key: bytes, value: object) -> None:
        """Remember a value."""
        if self._usable:
            data = pickle.dumps(value, protocol=5)
            self._results[key] = _checksum(data) + data
            self._write_some()

    def close(self) -> None:
        """Write what is not yet written."""
        self._write()
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _write_some(self) -> None:
        if len(self._results) + len(self._files) >= _AT_ONCE:
            self._write()

    def _write(self) -> None:
        results, self._results = self._results, {}
        files, self._files = self._files, {}
        base = self._base() if results or files else None
        if base is None:
            return
        rows = [
            (path, seen.size, seen.mtime, seen.ctime, seen.digest, seen.look, "\n".join(seen.imports))
            for path, seen in files.items()
        ]
        with self._careful("written"):
            base.execute("begin immediate")
            base.executemany("insert or replace into results values (?, ?)", results.items())
            base.executemany("insert or replace into files values (?, ?, ?, ?, ?, ?, ?)", rows)
            base.execute("commit")

    def _base(self) -> sqlite3.Connection | None:
        """The open cache; None when it cannot be used."""
        if self._opened is None and self._usable:
            import sqlite3

            with self._careful("opened"):
                folder = self._folder or default_folder()
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._file = folder / f"results-{_tool()}.sqlite3"
                _sweep(folder, self._file)
                self._opened = sqlite3.connect(self._file, timeout=2, isolation_level=None)
                self._opened.execute("pragma synchronous = off")
                self._opened.executescript(_TABLES)
        return self._opened

    @contextmanager
    def _careful(self, what: str) -> Iterator[None]:
        """When anything goes wrong in the block, it ends there and the cache is used no more."""
        import sqlite3

        try:
            yield
        except Exception as error:  # pickle may raise anything
            self._usable = False
            if self._opened is not None:
                self._opened.close()
                self._opened = None
            if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
                with suppress(OSError):
                    self._file.unlink()  # damaged: the next run starts anew
            self._say(f"the cache could not be {what} ({error}): going on without it")


def default_folder() -> Path:
    """Where a user's caches are, as their system wants it."""
    from platformdirs import user_cache_path

    return user_cache_path("tc-migrate", appauthor=False)


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECK).digest()


def _tool() -> str:
    """What stands for the state of this tool: every module of it, LibCST's and Python's version."""
    found = [sys.version]
    for package in ("migrate", "codemods", "libcst"):
        spec = find_spec(package)
        folders = list(spec.submodule_search_locations or ()) if spec is not None else []
        # A folder of LibCST's changes when it is installed; ours also when they are being developed.
        for folder in folders:
            for parent, inner, names in os.walk(folder) if package != "libcst" else [(folder, [], ["__init__.py"])]:
                inner[:] = sorted(name for name in inner if name != "__pycache__")
                for name in sorted(names):
                    status = os.stat(os.path.join(parent, name))
                    found.append(f"{parent}/{name} {status.st_size} {status.st_mtime_ns}")
    return blake2b("\n".join(found).encode(), digest_size=8).hexdigest()


def _sweep(folder: Path, own: Path) -> None:
    """Delete the caches of other states of the tool that nobody used for long, and the own when it is too large."""
    for file in folder.glob("results-*.sqlite3"):
        with suppress(OSError):
            status = file.stat()
            is_old = file != own and time.time() - status.st_mtime > _UNUSED_DAYS * 86_400
            if is_old or status.st_size > _LARGEST:
                file.unlink()
