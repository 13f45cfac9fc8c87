"""Where what is migrated is read by people, and how its places are shown."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import quote

from migrate.findings import Finding
from migrate.render.markdown import code

_LONGEST_NAME = 120


@dataclass(frozen=True)
class Origin:
    """What is migrated: a commit of a repository on a forge."""

    repository: str
    """`owner/name`."""
    commit: str
    web: str = "https://github.com"
    """Where people read it, without a slash at the end."""

    def __post_init__(self) -> None:
        """Raises ValueError for what cannot stand in an address."""
        named = re.fullmatch(r"[\w.-]+/[\w.-]+", self.repository, re.ASCII)
        if not (named and re.fullmatch(r"[0-9a-f]{40}", self.commit) and re.fullmatch(r"https?://[\w.:-]+", self.web)):
            raise ValueError(f"no address of a commit can be made of {self!r}")

    def link(self, path: str, line: int) -> str:
        """The address of a line of a file as it is in the commit."""
        name = quote(os.fsencode(path.encode("utf-8", "surrogateescape")), safe="/")
        return f"{self.web}/{self.repository}/blob/{self.commit}/{name}?plain=1#L{line}"


def shown_place(path: str, finding: Finding, origin: Origin) -> str:
    """A line as a link."""
    return f"[{code(shown(path) + ':' + finding.where)}]({origin.link(path, finding.line)})"


def shown(path: str) -> str:
    """The end of a path that is long."""
    return path if len(path) <= _LONGEST_NAME else "…" + path[1 - _LONGEST_NAME :]
