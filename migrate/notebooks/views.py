"""A migrated notebook as a person reads it: cell by cell, each like a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from migrate.migration import Migration
from migrate.notebooks.cells import NotANotebook, is_notebook, read_notebook

_BOM = "\ufeff"


def cell_views(migration: Migration, result: str) -> Iterator[tuple[str, Migration]]:
    """The cells of a notebook that change in `result`, or that something is said of: the title of each, and it as a
    migration of its own, with the lines of the cell. Nothing for a script."""
    if not is_notebook(migration.path):
        return
    try:
        before, after = read_notebook(_bare(migration.source)), read_notebook(_bare(result))
    except NotANotebook:
        return
    for old, new in zip(before.cells, after.cells, strict=True):
        changes = tuple(
            replace(each, line=each.place.line, place=None)
            for each in migration.changes
            if each.place is not None and each.place.cell == old.number
        )
        notes = tuple(
            replace(each, line=each.place.line, place=None)
            for each in migration.notes
            if each.place is not None and each.place.cell == old.number
        )
        if changes or notes or old.source != new.source:
            one, two = _ended(old.source), _ended(new.source)
            yield old.title, replace(migration, source=one, result=two, changes=changes, notes=notes)


def with_cells(text: str, sources: dict[str, str]) -> str:
    """The text of a notebook with other sources, by the titles of their cells as `cell_views` gives them."""
    notebook = read_notebook(_bare(text))
    changed = {
        cell.number: sources[cell.title].removesuffix("\n" if not cell.source.endswith("\n") else "")
        for cell in notebook.cells
        if cell.title in sources
    }
    return text[: len(text) - len(notebook.text)] + notebook.with_sources(changed)


def rewritten(migration: Migration, rewrite: Callable[[Migration], str]) -> str:
    """The result with each of its cells as `rewrite` makes it."""
    views = cell_views(migration, migration.result)
    return with_cells(migration.result, {title: rewrite(view) for title, view in views})


def _bare(text: str) -> str:
    return text.removeprefix(_BOM)


def _ended(source: str) -> str:
    """As files end, so that no diff speaks of it."""
    return source if not source or source.endswith("\n") else source + "\n"
