"""What a run over unchanged files has said is said again, as it was: nothing is read, migrated or reported anew.

Of a run that is remembered everything it wrote to its two streams is kept, in order and byte for byte, so that no
report can tell the second run from the first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import RawIOBase, TextIOWrapper
from typing import Any, TextIO

from migrate.batch.again import Standing
from migrate.batch.digests import digest
from migrate.cache import Cache

_LARGEST = 16 * 1024 * 1024
"""Bytes. What is more than this is made anew: the cache has room for other things."""


class Replay:
    """What is remembered of a run with the same words on the command line."""

    def __init__(self, cache: Cache, standing: Standing, words: str, read: Sequence[str]) -> None:
        """`words`: the command line. `read`: what the run depends on besides the command line and the files that are
        `standing`: settings, lists of packages."""
        self._cache, self._standing = cache, standing
        self._key = digest("said", words, os.getcwd(), *(f"{each.encoding} {each.errors}" for each in _streams()))
        self._state = digest(self._standing.digest, *read)

    def say_again(self) -> int | None:
        """Say what the last run said, if all is as it was then. The exit code; None when this run has to be made."""
        state, code, said = self._cache.get([self._key]).get(self._key, (b"", 0, ()))
        if state != self._state:
            return None
        for number, data in said:
            stream = _streams()[number]
            stream.buffer.write(data)
            stream.flush()
        return int(code)

    def say(self, work: Callable[[], tuple[int, bool]]) -> int:
        """Do the work, and remember what it says. `work` gives the exit code, and whether it would come to the same
        the next time. The exit code."""
        if not self._standing.is_settled:
            return work()[0]
        said: list[tuple[int, bytes]] = []
        out, err = (_copied(stream, number, said) for number, stream in enumerate(_streams()))
        with redirect_stdout(out), redirect_stderr(err):
            code, is_lasting = work()
        if is_lasting and sum(len(data) for _, data in said) <= _LARGEST:
            self._cache.put(self._key, (self._state, code, tuple(said)))
        return code


class _Copied(RawIOBase):
    """Hands on what is written to a stream, and keeps it."""

    def __init__(self, stream: TextIO, number: int, said: list[tuple[int, bytes]]) -> None:
        self._stream, self._number, self._said = stream, number, said

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: Any) -> int:
        """All of it, at once."""
        self._said.append((self._number, bytes(data)))
        self._stream.buffer.write(data)
        self._stream.buffer.flush()
        return len(data)


def _copied(stream: TextIO, number: int, said: list[tuple[int, bytes]]) -> TextIO:
    stream.flush()
    copied: Any = _Copied(stream, number, said)  # TextIOWrapper takes it, its types do not know
    return TextIOWrapper(copied, encoding=stream.encoding, errors=stream.errors, write_through=True)


def _streams() -> tuple[TextIO, TextIO]:
    return sys.stdout, sys.stderr


def can_replay() -> bool:
    """Whether both streams take bytes and nobody watches: for a person at a terminal there are colours and a bar."""
    return all(hasattr(stream, "buffer") and not stream.isatty() for stream in _streams())
