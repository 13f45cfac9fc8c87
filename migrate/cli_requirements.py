"""The lists of packages of a folder that is migrated: found, read, and checked for the target."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from codemods.kit.rules import Rule
from codemods.kit.targets import Launcher, Target
from migrate.cli_output import Outcome
from migrate.files import SourceFile, Unreadable, read
from migrate.job_files import LARGEST, check_job
from migrate.migration import Migration, Status
from migrate.requirements import Kind, check

_PATTERNS = (
    ("requirements*.txt", Kind.PIP), ("requirements/*.txt", Kind.PIP), ("environment*.yml", Kind.CONDA),
    ("environment*.yaml", Kind.CONDA), ("pyproject.toml", Kind.PROJECT),
    ("setup.cfg", Kind.SETUP),
)  # fmt: skip
_JOB_FILES = ("*.json", "*.yml", "*.yaml", "*/*.json", "*/*.yml", "*/*.yaml")
_JOBS = Launcher.SAGEMAKER
_XLA = re.compile(r"^\s*(?:import|from)\s+torch_xla\b", re.MULTILINE)
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


def _read_jobs(folder: Path) -> Iterator[tuple[Path, SourceFile]]:
    """The files of a folder, and of those in it, that may describe jobs."""
    for path in sorted(each for pattern in _JOB_FILES for each in folder.glob(pattern)):
        with suppress(Unreadable, OSError):
            if path.is_file() and path.stat().st_size <= LARGEST:
                yield path, read(path)


def check_lists(
    folders: Iterable[Path],
    outcomes: Iterable[Outcome],
    target: Target,
    allows: Callable[[Path, Rule], bool],
    add: bool,
) -> Iterator[tuple[Outcome, Path]]:
    """What is to be said of the lists of each folder in which a script was migrated, and the folder."""
    all_ = [each.migration for each in outcomes]
    done = [each for each in all_ if each.status is Status.MIGRATED]
    jobs = {Path(each.path).parent for each in all_ if _imports_xla(each)} if target.launcher is _JOBS else set()
    migrated = [Path(each.path) for each in done]
    entries = [Path(each.path) for each in done if any(change.rule in _LAUNCHES for change in each.changes)]
    for folder in folders:
        below = sorted(job for job in jobs if job.is_relative_to(folder))
        if not below and not any(path.is_relative_to(folder) for path in migrated):
            continue
        launched = set(_modules(folder, entries)) if target.launcher is Launcher.TORCH_XLA else ()
        lists = [*_read_lists(folder), *(each for job in below if job != folder for each in _read_lists(job))]
        for path, kind, file in lists:
            may = partial(allows, path)
            installed = path.name == "requirements.txt" and path.parent in jobs
            found = check(
                file.text, path=str(path), kind=kind, target=target, add=add, allows=may, launched=launched,
                installed=installed,
            )  # fmt: skip
            if found is not None:
                yield Outcome(found, file, found.result), folder
        for path, file in _read_jobs(folder) if jobs else ():
            job = check_job(file.text, path=str(path), target=target, allows=partial(allows, path))
            if job is not None:
                yield Outcome(job, file, job.result), folder


def _imports_xla(migration: Migration) -> bool:
    """Whether a script runs on torch_xla, once it is written or already."""
    return _XLA.search(migration.result) is not None


def _modules(folder: Path, files: Iterable[Path]) -> Iterator[str]:
    """The names by which a package of a folder, or of its `src`, has some files as modules."""
    for file in files:
        for root in (folder, folder / "src"):
            if file.is_relative_to(root):
                yield ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
