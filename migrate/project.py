"""A project migrated program by program: index each file, link what they hand each other, rewrite each with that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from codemods.kit.links import ALONE, Links
from codemods.kit.summary import Summary
from codemods.kit.targets import Target
from migrate.linking import Linked
from migrate.migration import Migration
from migrate.notebooks.prepared import PreparedNotebook, prepare
from migrate.pipeline import Prepared
from migrate.prefilter import matters
from migrate.programs import KEPT_LINES, View, code, companions, group, imported_names
from migrate.registry import ALL, Selection


@dataclass
class Shelf:
    """The scripts of a program. Each is parsed once as long as what lies on the shelf is not too much, else twice."""

    texts: Mapping[str, str]
    room: int = KEPT_LINES
    _kept: dict[str, Prepared | PreparedNotebook] = field(default_factory=dict)
    _lines: int = 0

    def summarise(self, path: str) -> Summary | None:
        """What a script tells the others; None when it cannot be parsed. The parsed script is kept if there is room."""
        lines = self.texts[path].count("\n")
        prepared = prepare(path, self.texts[path])
        if self._lines + lines <= self.room:
            self._lines += lines
            self._kept[path] = prepared
        return prepared.summarise()

    def __contains__(self, path: str) -> bool:
        return path in self._kept

    def take(self, path: str) -> Prepared | PreparedNotebook:
        """A script to be migrated. It is not kept any longer."""
        return self._kept.pop(path, None) or prepare(path, self.texts[path])


def link(sources: Mapping[str, str]) -> Linked:
    """Join the files of a project. `sources` by path relative to its folder, `/` between the parts."""
    summaries: dict[str, Summary] = {}
    for path, source in sources.items():
        summary = prepare(path, source).summarise() if matters(path, source) else None
        if summary is not None:
            summaries[path] = summary
    return Linked(summaries, sources)


def links_of(
    view: View, summaries: Mapping[str, Summary], sources: Mapping[str, str], beside: Mapping[str, str]
) -> Iterator[tuple[str, Links]]:
    """What each wanted file of a view is told by the others. A file by itself is told nothing.

    `beside`: texts of files that have no part in training and are run with it.
    """
    members = {path: summaries[path] for path in view.members if path in summaries}
    texts = {**{path: sources[path] for path in members}, **beside}
    linked = Linked(members, texts) if members and len(texts) > 1 else None
    for path in view.wanted:
        yield path, linked.links(path) if linked is not None else ALONE


def migrate_project(
    sources: Mapping[str, str], *, target: Target, select: Selection = ALL
) -> Iterator[tuple[str, Migration]]:
    """Migrate every file of a project, each with what the others say about it, in the order given."""
    programs = find_whole_programs(sources)
    of_file = {path: (View(files, files), beside) for files, beside in programs for path in files}
    done: dict[str, Migration] = {}
    for path, source in sources.items():
        if path not in of_file:
            yield path, prepare(path, source).migrate(path=path, target=target, select=select)
            continue
        if path not in done:
            view, beside = of_file[path]
            shelf = Shelf(sources)
            summaries = {member: found for member in view.members if (found := shelf.summarise(member)) is not None}
            for member, links in links_of(view, summaries, sources, {one: sources[one] for one in beside}):
                done[member] = shelf.take(member).migrate(path=member, target=target, select=select, links=links)
        yield path, done.pop(path)


def find_programs(sources: Mapping[str, str]) -> Iterable[View]:
    """The programs among the files of a project; a file that can have no part in one is in none."""
    imports = {path: imported_names(code(path, source)) for path, source in sources.items() if matters(path, source)}
    return [View(tuple(files), tuple(files)) for files in group(imports)]


def find_whole_programs(sources: Mapping[str, str]) -> Iterable[tuple[tuple[str, ...], Sequence[str]]]:
    """The files of each program, and those that have no part in training and are run with them."""
    programs = [view.members for view in find_programs(sources)]
    imports = {path: imported_names(code(path, source)) for path, source in sources.items()}
    return zip(programs, companions(programs, imports), strict=True)
