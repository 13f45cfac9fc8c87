"""Commits as `git fast-import` takes them: no index, no hook, no clock. The same input is the same commit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from migrate.bot.git.contents import Contents

_LATEST = 253402300799
"""The last second of the year 9999: a base that claims to be younger is not repeated."""


@dataclass(frozen=True)
class Author:
    """Who a commit is by."""

    name: str
    email: str

    def __post_init__(self) -> None:
        """Raises ValueError for what would end the line of a commit."""
        if re.search(r"[<>\x00-\x1f]", self.name + self.email) or not (self.name and self.email):
            raise ValueError(f"{self.name!r} <{self.email!r}> cannot be the author of a commit")


@dataclass(frozen=True)
class CommitFacts:
    """What is known of a commit."""

    author: Author
    """A name that no `Author` can have is shown with `?`."""
    committer: Author
    """Who made it as it is: another when somebody has amended it."""
    message: str
    seconds: int
    """When it was committed, since 1970."""
    parents: tuple[str, ...]


@dataclass(frozen=True)
class Draft:
    """A commit to be made."""

    message: str
    files: Mapping[str, bytes]
    """The new bytes of files that the base has, by path."""


def stream(ref: str, base: Contents, seconds: int, drafts: Iterable[Draft], author: Author) -> bytes:
    """The commits one on the other, the first on `base`, all dated `seconds`; `ref` is put at the last of them.

    Raises ValueError for a file that was not read from the base: nothing else is ever written.
    """
    return b"".join(_lines(ref, base, seconds, drafts, author))


def _lines(ref: str, base: Contents, seconds: int, drafts: Iterable[Draft], author: Author) -> Iterator[bytes]:
    date = min(max(seconds, 0), _LATEST)
    yield b"feature done\n"
    for number, draft in enumerate(drafts):
        yield f"commit {ref}\n".encode()
        for role in ("author", "committer"):
            yield f"{role} {author.name} <{author.email}> {date} +0000\n".encode()
        yield _data(draft.message.encode("utf-8", "replace"))
        if not number:
            yield f"from {base.commit}\n".encode()
        for path in sorted(draft.files):
            if path not in base.files:
                raise ValueError(f"{path!r} is no file that was read from {base.commit}")
            yield f"M {base.files[path].mode} inline ".encode() + _quoted(path) + b"\n" + _data(draft.files[path])
    yield b"done\n"


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _quoted(path: str) -> bytes:
    data = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + data + b'"'
