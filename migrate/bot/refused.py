"""Edits that somebody has said no to by closing their pull request: each is remembered by itself, and held back.

An edit is a file, the lines it replaces, and what they become. Pull requests name theirs in the hidden marker, so
nothing has to be kept elsewhere, and what is new is offered without what was refused. Pure.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from migrate.batch.digests import digest
from migrate.bot.marker import read_marker
from migrate.forge.values import PullRequest
from migrate.migration import Migration, Status
from migrate.notebooks.cells import is_notebook
from migrate.partial import find_trouble
from migrate.render.blocks import find_blocks
from migrate.render.diff import Hunk, apply_hunks, find_hunks

Known = Mapping[str, PullRequest]
"""By edit, the newest pull request that has it, open or not."""
_ALL = "*"
"""Of a pull request with more edits than a marker can name: a no to it is a no to everything."""
_MOST, _SIZE = 2_000, 8
EDIT = "edit:"
"""What a word begins with by which somebody has left out one edit; its name follows."""


@dataclass(frozen=True)
class Offer:
    """What may be offered."""

    migrations: Mapping[str, Migration]
    """Those that are left, by path, as far as they are left."""
    edits: str
    """The edits in them, as a marker names them."""
    held: int = 0
    """How many edits are held back: they, or what they cannot do without, were refused."""
    by: PullRequest | None = None
    """The newest pull request with which they were refused."""


def remember_edits(pull_requests: Iterable[PullRequest], recipe: str) -> Known:
    """What is known of the edits of a recipe; the pull requests are given newest first."""
    found: dict[str, PullRequest] = {}
    for each in pull_requests:
        marker = read_marker(each.body)
        if marker is not None and marker.recipe == recipe:
            for edit in _names(marker.edits):
                found.setdefault(edit, each)
    return found


def hold_back(migrations: Mapping[str, Migration], known: Known, left_out: Collection[str] = ()) -> Offer:
    """The migrations without what was refused, or left out by `EDIT` words. A file whose other edits do not stand alone
    is held back as a whole."""
    parts = {path: _Part(path, each) for path, each in sorted(migrations.items()) if each.status is Status.MIGRATED}
    there = {edit for part in parts.values() for edit in part.edits.values()}
    refusals = {edit: by for edit in there if (by := _refuser(edit, known, there)) is not None}
    unwanted = {*refusals, *(word.removeprefix(EDIT) for word in left_out if word.startswith(EDIT))}
    kept = {path: part.without(unwanted) for path, part in parts.items()}
    changed = {path for path, part in parts.items() if kept[path] != list(part.edits)}
    left = dict(migrations)
    # The judge has read the whole: what he says of a program is not said of a part of it.
    doubtful = [migrations[path].certificate for path in changed]
    for path, each in migrations.items():
        if path in changed and not kept[path]:
            del left[path]
        elif path in changed:
            left[path] = parts[path].only(kept[path])
        elif changed and each.certificate in doubtful:
            left[path] = replace(each, certificate=None)
    return Offer(
        left,
        _write([edit for path, part in parts.items() for hunk, edit in part.edits.items() if hunk in kept[path]]),
        sum(len(part.edits) - len(kept[path]) for path, part in parts.items()),
        max(refusals.values(), key=lambda each: each.number, default=None),
    )


def edits_at(path: str, migration: Migration, line: int) -> list[str]:
    """The words that leave out the edits at a line of the source."""
    edits = _Part(path, migration).edits.items()
    return [EDIT + edit for hunk, edit in edits if any(block.covers(line) for block in find_blocks([hunk]))]


@dataclass(frozen=True)
class _Part:
    """A migrated file, edit by edit."""

    path: str
    migration: Migration
    edits: dict[Hunk, str] = field(init=False)

    def __post_init__(self) -> None:
        hunks = find_hunks(self.migration.source, self.migration.result, context=0)
        edits = {part: _name(self.path, part) for hunk in hunks for part in _split(hunk)}
        object.__setattr__(self, "edits", edits)

    def without(self, unwanted: Collection[str]) -> list[Hunk]:
        """The edits that may be offered."""
        kept = [hunk for hunk, edit in self.edits.items() if edit not in unwanted]
        source, result = self.migration.source, self.migration.result
        if len(kept) < len(self.edits) and (
            is_notebook(self.path) or find_trouble(source, result, apply_hunks(source, kept))
        ):
            return []
        return kept

    def only(self, kept: list[Hunk]) -> Migration:
        """The migration with no more than these edits."""
        blocks = find_blocks(kept)
        changes = [each for each in self.migration.changes if any(block.covers(each.line) for block in blocks)]
        result = apply_hunks(self.migration.source, kept)
        return replace(self.migration, result=result, changes=tuple(changes), certificate=None)


def _refuser(edit: str, known: Known, there: set[str]) -> PullRequest | None:
    """The pull request with which an edit was refused. Of a merged one it was so when all its edits are to do again."""
    found = max((known[name] for name in (edit, _ALL) if name in known), key=lambda each: each.number, default=None)
    if found is None or found.is_open:
        return None
    marker = read_marker(found.body)
    if found.is_merged and (marker is None or not there.issuperset(_names(marker.edits))):
        return None
    return found


def _split(hunk: Hunk) -> Iterator[Hunk]:
    """One edit for each line where lines are replaced one by one, or where only imports are put in."""
    old = [line for mark, line in hunk.lines if mark == "-"]
    new = [line for mark, line in hunk.lines if mark == "+"]
    if not old and all(line.startswith(("import ", "from ")) and line.endswith("\n") for line in new):
        for number, line in enumerate(new):
            yield replace(hunk, new_start=hunk.new_start + number, lines=(("+", line),))
    elif len(old) == len(new) > 1 and all(map(_is_indented_alike, old, new)):
        for number, (before, after) in enumerate(zip(old, new, strict=True)):
            start, end = hunk.old_start + number, hunk.new_start + number
            yield replace(hunk, old_start=start, new_start=end, lines=(("-", before), ("+", after)))
    else:
        yield hunk


def _is_indented_alike(one: str, other: str) -> bool:
    return one[: len(one) - len(one.lstrip())] == other[: len(other) - len(other.lstrip())]


def _name(path: str, hunk: Hunk) -> str:
    found = digest("edit", path, *(mark + line for mark, line in hunk.lines))
    return base64.b64encode(found[: _SIZE * 3 // 4], b"_.").decode()


def _write(edits: Iterable[str]) -> str:
    found = list(dict.fromkeys(edits))
    return _ALL if len(found) > _MOST else "".join(found)


def _names(edits: str) -> list[str]:
    return [_ALL] if edits == _ALL else [edits[start : start + _SIZE] for start in range(0, len(edits), _SIZE)]
