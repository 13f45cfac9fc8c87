"""A project migrated as one program: index each file, link what they hand each other, then rewrite each with that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codemods.kit.summary import Summary
from codemods.kit.targets import Target
from migrate.linking import Linked
from migrate.migration import Migration
from migrate.pipeline import migrate, summarise
from migrate.registry import ALL, Selection


def link(sources: Mapping[str, str]) -> Linked:
    """Join the files of a project. `sources` by path relative to its folder, `/` between the parts."""
    summaries: dict[str, Summary] = {}
    for path, source in sources.items():
        summary = summarise(source) if _matters(path, source) else None
        if summary is not None:
            summaries[path] = summary
    return Linked(summaries)


def migrate_project(
    sources: Mapping[str, str], *, target: Target, select: Selection = ALL
) -> Iterator[tuple[str, Migration]]:
    """Migrate every file of a project, each with what the others say about it, in the order given."""
    linked = link(sources)
    for path, source in sources.items():
        yield path, migrate(source, path=path, target=target, select=select, links=linked.links(path))


def _matters(path: str, source: str) -> bool:
    """Whether a file may have a part in training, or hand on what others import through it."""
    words = ("torch", "cuda", ".backward(", ".step(", ".to(")
    return path.endswith("__init__.py") or any(word in source for word in words)
