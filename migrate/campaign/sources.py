"""Where the repositories of a campaign are: on this machine, at an address, or at the forge by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from migrate.bot.git.remote import Remote
from migrate.bot.place import is_name
from migrate.migration import MigrateError
from migrate.render.report import in_one_line


class Kind(Enum):
    """How a repository is reached."""

    LOCAL = "local"
    """A folder of this machine."""
    URL = "url"
    """git alone: branches can be pushed, and no more."""
    FORGE = "forge"


@dataclass(frozen=True)
class Source:
    """One repository."""

    kind: Kind
    text: str
    """`owner/name`, an https address, or a `file:` address, in which any name can be written."""

    @property
    def name(self) -> str:
        """For people, in one line."""
        if self.kind is not Kind.LOCAL:
            return self.text
        inside = os.path.relpath(self.path)
        shown = str(self.path) if inside.startswith(os.pardir) else inside
        return in_one_line(shown).encode("utf-8", "backslashreplace").decode()

    @property
    def path(self) -> Path:
        """Of a folder of this machine."""
        return Path(os.fsdecode(unquote_to_bytes(self.text.removeprefix("file://"))))

    def remote(self) -> Remote:
        """For git, where no token is needed. Raises GitError for an address that is not allowed."""
        return Remote(str(self.path) if self.kind is Kind.LOCAL else self.text)


def parse_source(text: str, web: str) -> Source:
    """What a person has written. `web`: the address of the forge. Raises MigrateError for what is no repository."""
    text = text.strip()
    if "://" in text:
        return _parse_address(text, web)
    path = os.path.expanduser(text)
    # In a folder that there is, somebody has mistyped another.
    is_here = os.path.lexists(path) or path.startswith(("/", ".")) or os.path.lexists(os.path.dirname(path))
    if text and is_here:
        return Source(Kind.LOCAL, Path(os.path.abspath(path)).as_uri())
    if is_name(text):
        return Source(Kind.FORGE, text)
    raise MigrateError(f"{text!r} is no repository: give a folder, an https address or OWNER/REPO")


def _parse_address(text: str, web: str) -> Source:
    parts = urlsplit(text)
    if parts.scheme == "file" and not parts.netloc:
        return Source(Kind.LOCAL, Path(os.fsdecode(unquote_to_bytes(parts.path))).as_uri())
    url = text.rstrip("/")
    name = parts.path.strip("/").removesuffix(".git")
    if url.startswith(f"{web}/") and is_name(name):
        return Source(Kind.FORGE, name)
    Remote(url)  # raises for what must not be fetched
    return Source(Kind.URL, url)


def parse_lines(lines: Iterable[str], web: str) -> Iterator[Source]:
    """The sources of a list, one a line; blank lines and those that begin with `#` are none."""
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            yield parse_source(line, web)


def is_wanted(name: str, include: Iterable[str], exclude: Iterable[str]) -> bool:
    """Whether a repository of a list is one that was asked for, by patterns of `owner/name` or of the name alone."""
    included, short = tuple(include), name.rpartition("/")[2]

    def matches(patterns: Iterable[str]) -> bool:
        return any(fnmatch(name, pattern) or fnmatch(short, pattern) for pattern in patterns)

    return (not included or matches(included)) and not matches(exclude)
