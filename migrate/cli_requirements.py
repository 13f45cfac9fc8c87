"""The lists of packages of a folder that is migrated: found, read, and checked for the target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from codemods.kit.rules import Rule
from codemods.kit.targets import Target
from migrate.cli_output import Outcome
from migrate.files import SourceFile, Unreadable, read
from migrate.migration import Status
from migrate.requirements import Kind, check

_PATTERNS = (
    ("requirements*.txt", Kind.PIP), ("requirements/*.txt", Kind.PIP), ("environment*.yml", Kind.CONDA),
    ("environment*.yaml", Kind.CONDA), ("pyproject.toml", Kind.PROJECT),
)  # fmt: skip


def find_lists(folder: Path) -> Iterator[tuple[Path, Kind]]:
    """The lists of packages at the top of a folder, each with how it is written."""
    for pattern, kind in _PATTERNS:
        yield from ((path, kind) for path in sorted(folder.glob(pattern)) if path.is_file())


def texts_of_lists(folders: Iterable[Path]) -> Iterator[str]:
    """The name and the text of each list of packages of some folders."""
    for folder in folders:
        for path, _, file in _read_lists(folder):
            yield from (str(path), file.text)


def _read_lists(folder: Path) -> Iterator[tuple[Path, Kind, SourceFile]]:
    """A list that cannot be read is left out: it is not what the user asked to have migrated."""
    for path, kind in find_lists(folder):
        with suppress(Unreadable):
            yield path, kind, read(path)


def check_lists(
    folders: Iterable[Path],
    outcomes: Iterable[Outcome],
    target: Target,
    allows: Callable[[Path, Rule], bool],
    add: bool,
) -> Iterator[tuple[Outcome, Path]]:
    """What is to be said of the lists of each folder in which a script was migrated, and the folder."""
    migrated = [Path(each.migration.path) for each in outcomes if each.migration.status is Status.MIGRATED]
    for folder in folders:
        if not any(path.is_relative_to(folder) for path in migrated):
            continue
        for path, kind, file in _read_lists(folder):
            found = check(file.text, path=str(path), kind=kind, target=target, add=add, allows=partial(allows, path))
            if found is not None:
                yield Outcome(found, file, found.result), folder
