"""The lists of packages of a folder that is migrated: found, read, and checked for the target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from codemods.kit.rules import Rule
from codemods.kit.targets import Launcher, Target
from migrate.cli_output import Outcome
from migrate.files import SourceFile, Unreadable, read
from migrate.migration import Status
from migrate.requirements import Kind, check

_PATTERNS = (
    ("requirements*.txt", Kind.PIP), ("requirements/*.txt", Kind.PIP), ("environment*.yml", Kind.CONDA),
    ("environment*.yaml", Kind.CONDA), ("pyproject.toml", Kind.PROJECT),
    ("setup.cfg", Kind.SETUP),
)  # fmt: skip
_LAUNCHES = ("TC702", "TC703")
"""Changes that put the launch of a script under its `__main__`."""


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
    done = [each.migration for each in outcomes if each.migration.status is Status.MIGRATED]
    migrated = [Path(each.path) for each in done]
    entries = [Path(each.path) for each in done if any(change.rule in _LAUNCHES for change in each.changes)]
    for folder in folders:
        if not any(path.is_relative_to(folder) for path in migrated):
            continue
        launched = set(_modules(folder, entries)) if target.launcher is Launcher.TORCH_XLA else ()
        for path, kind, file in _read_lists(folder):
            may = partial(allows, path)
            found = check(file.text, path=str(path), kind=kind, target=target, add=add, allows=may, launched=launched)
            if found is not None:
                yield Outcome(found, file, found.result), folder


def _modules(folder: Path, files: Iterable[Path]) -> Iterator[str]:
    """The names by which a package of a folder, or of its `src`, has some files as modules."""
    for file in files:
        for root in (folder, folder / "src"):
            if file.is_relative_to(root):
                yield ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
