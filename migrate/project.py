"""A project migrated program by program: index each file, link what they hand each other, rewrite each with that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from codemods.kit.links import ALONE, Links
from codemods.kit.summary import Summary
from codemods.kit.targets import Target
from migrate.linking import Linked
from migrate.migration import Migration
from migrate.pipeline import Prepared, summarise
from migrate.prefilter import Look, look
from migrate.programs import group, imported_names
from migrate.registry import ALL, Selection

KEPT_LINES = 4_000
"""Lines of scripts that are kept parsed between index and rewrite: at some 15 kB a line they bound the memory."""


@dataclass(frozen=True)
class View:
    """Files that are linked together, and those of them that are migrated with what comes of it."""

    members: tuple[str, ...]
    wanted: tuple[str, ...]


@dataclass
class Shelf:
    """The scripts of a program. Each is parsed once as long as what lies on the shelf is not too much, else twice."""

    texts: Mapping[str, str]
    room: int = KEPT_LINES
    _kept: dict[str, Prepared] = field(default_factory=dict)
    _lines: int = 0

    def summarise(self, path: str) -> Summary | None:
        """What a script tells the others; None when it cannot be parsed. The parsed script is kept if there is room."""
        lines = self.texts[path].count("\n")
        prepared = Prepared(self.texts[path])
        if self._lines + lines <= self.room:
            self._lines += lines
            self._kept[path] = prepared
        return prepared.summarise()

    def __contains__(self, path: str) -> bool:
        return path in self._kept

    def take(self, path: str) -> Prepared:
        """A script to be migrated. It is not kept any longer."""
        return self._kept.pop(path, None) or Prepared(self.texts[path])


def link(sources: Mapping[str, str]) -> Linked:
    """Join the files of a project. `sources` by path relative to its folder, `/` between the parts."""
    summaries: dict[str, Summary] = {}
    for path, source in sources.items():
        summary = summarise(source) if matters(path, source) else None
        if summary is not None:
            summaries[path] = summary
    return Linked(summaries)


def links_of(view: View, summaries: Mapping[str, Summary]) -> Iterator[tuple[str, Links]]:
    """What each wanted file of a view is told by the others. A file by itself is told nothing."""
    members = {path: summaries[path] for path in view.members if path in summaries}
    linked = Linked(members) if len(view.members) > 1 else None
    for path in view.wanted:
        yield path, linked.links(path) if linked is not None else ALONE


def migrate_project(
    sources: Mapping[str, str], *, target: Target, select: Selection = ALL
) -> Iterator[tuple[str, Migration]]:
    """Migrate every file of a project, each with what the others say about it, in the order given."""
    of_file = {path: view for view in find_programs(sources) for path in view.members}
    done: dict[str, Migration] = {}
    for path, source in sources.items():
        if path not in of_file:
            yield path, Prepared(source).migrate(path=path, target=target, select=select)
            continue
        if path not in done:
            view = of_file[path]
            shelf = Shelf(sources)
            summaries = {member: found for member in view.members if (found := shelf.summarise(member)) is not None}
            for member, links in links_of(view, summaries):
                done[member] = shelf.take(member).migrate(path=member, target=target, select=select, links=links)
        yield path, done.pop(path)


def find_programs(sources: Mapping[str, str]) -> Iterable[View]:
    """The programs among the files of a project; a file that can have no part in one is in none."""
    imports = {path: imported_names(source) for path, source in sources.items() if matters(path, source)}
    return [View(tuple(files), tuple(files)) for files in group(imports)]


def matters(path: str, source: str) -> bool:
    """Whether a file may have a part in training, or hand on what others import through it."""
    return look(path, source.encode("utf-8", "surrogatepass")) is not Look.NOTHING
