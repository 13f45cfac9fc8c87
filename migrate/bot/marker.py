"""The hidden first line of what the bot writes: how it finds its own pull request again, without a database."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

_FIELDS = r"recipe=([a-z0-9.-]{1,60}) base=([0-9a-f]{40}) tool=([0-9A-Za-z.+-]{1,40}) changes=([0-9a-f]{32})"
_LEFT_OUT = r"(?: ignore=([\w.~/%,-]{1,20000}))?"
_EDITS = r"(?: edits=([\w.*]{1,20000}))?"
_MARKER = re.compile(rf"\A<!-- tc-migrate:v1 {_FIELDS}{_EDITS}{_LEFT_OUT} -->[ \t]*(?:\r?\n|\Z)", re.ASCII)


@dataclass(frozen=True)
class Marker:
    """What the line says."""

    recipe: str
    base: str
    """The commit that was migrated."""
    tool: str
    """The version of tc-migrate."""
    changes: str
    """A digest of all the edits, wherever in the files they stand."""
    left_out: tuple[str, ...] = ()
    """Rules and patterns of paths that somebody has asked to leave out."""
    edits: str = ""
    """Each of the edits, as `refused` names them: who closes the pull request does not want these again."""

    def __str__(self) -> str:
        fields = f"recipe={self.recipe} base={self.base} tool={self.tool} changes={self.changes}"
        # Two hyphens would end the comment for some readers of HTML.
        words = ",".join(quote(word, safe="/").replace("--", "-%2D") for word in self.left_out)
        edits = f" edits={self.edits}" if self.edits else ""
        line = f"<!-- tc-migrate:v1 {fields}{edits}{f' ignore={words}' if words else ''} -->\n"
        if _MARKER.match(line) is None:
            raise ValueError(f"no marker can say {self!r}")
        return line


def read_marker(body: str) -> Marker | None:
    """The marker a text begins with. One further down is somebody's quotation and counts for nothing."""
    found = _MARKER.match(body)
    if found is None:
        return None
    recipe, base, tool, changes, edits, words = found.groups()
    left_out = tuple(filter(None, map(unquote, (words or "").split(","))))
    return Marker(recipe, base, tool, changes, left_out, edits or "")
