"""The disk and standard input: the logs of a job, unpacked, as blocks of bytes."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from migrate.migration import MigrateError

BLOCK = 1 << 19
"""Bytes read at a time."""
STDIN = "-"
_SUFFIXES = frozenset({"", ".log", ".txt", ".json", ".jsonl", ".csv", ".tsv", ".out", ".err", ".gz", ".zst"})
"""Of the files of a folder. An export of CloudWatch has `000000.gz`, and no suffix where it was unpacked."""
_IGNORED = "aws-logs-write-test"
"""CloudWatch leaves it in the bucket to see whether it may write there."""
_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""What PowerShell writes when output is redirected."""


class Unreadable(MigrateError):
    """A log that is not there, may not be read, or is not what it seems to be."""


@dataclass(frozen=True)
class Log:
    """One log. Its name may tell the host: an export has a folder `JOB-algo-1-1678364321` for each."""

    name: str

    def read(self) -> Iterator[bytes]:
        """Its blocks. Raises Unreadable, also in the middle: a file that breaks off has given what it had."""
        try:
            if self.name == STDIN:
                yield from _blocks(sys.stdin.buffer)
                return
            with Path(self.name).open("rb") as file:
                yield from _blocks(file)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise Unreadable(f"damaged or broken off: {error}") from error
        except OSError as error:
            raise Unreadable(error.strerror or str(error)) from error


def find_logs(paths: Iterable[str]) -> Iterator[Log]:
    """The logs that `paths` name: files, `-`, and of folders every log below them, sorted. Each once."""
    seen = set()
    for path in paths:
        for name in _below(Path(path)) if path != STDIN and Path(path).is_dir() else (path,):
            if name not in seen:
                seen.add(name)
                yield Log(name)


def _below(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in inside.parts)
        if path.suffix.lower() in _SUFFIXES and path.name != _IGNORED and not hidden and path.is_file():
            yield str(path)


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, file))
    first = buffered.peek(4)[:4]
    if first.startswith(_GZIP):
        with gzip.GzipFile(fileobj=buffered) as unpacked:
            # What it gives at once: `read` would lose the end of a file that breaks off.
            yield from _as_utf_8(unpacked.read1)
    elif first.startswith(_ZSTANDARD):
        with _open_zstandard(buffered) as unpacked_too:
            yield from _as_utf_8(unpacked_too.read)
    else:
        yield from _as_utf_8(buffered.read)


def _as_utf_8(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Blocks as they are, or as UTF-8 where the mark of UTF-16 stands at the beginning."""
    block = read(BLOCK)
    is_utf_16 = block.startswith(_UTF_16)
    if not is_utf_16 and b"\0" in block[:8_000]:
        raise Unreadable("not a text")
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while block:
        yield decoder.decode(block).encode("utf-8", "replace") if is_utf_16 else block
        block = read(BLOCK)


def _open_zstandard(file: BinaryIO) -> BinaryIO:
    """Python has it from 3.14 on; before that the package zstandard. Raises Unreadable without either."""
    try:
        from compression import zstd
    except ImportError:
        try:
            import zstandard
        except ImportError as error:
            raise Unreadable("packed with zstd, for which Python 3.14 or the package zstandard is needed") from error
        return cast(BinaryIO, zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True))
    return cast(BinaryIO, zstd.open(file))
