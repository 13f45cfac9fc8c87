"""The files that the command line names, each with what becomes of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

import click

from codemods.kit.targets import Target
from migrate.batch.run import Order, Progress, Unseen, migrate_files
from migrate.batch.scan import STDIN, Script
from migrate.cache import Cache
from migrate.cli_output import TROUBLE, Outcome
from migrate.config import Config
from migrate.discover import expand, find_scripts, nothing
from migrate.migration import MigrateError, Migration
from migrate.registry import Selection
from migrate.render.annotate import annotate


@dataclass(frozen=True)
class Batch:
    """How many files are worked on at once, which, and what is remembered."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    jobs: int = 0
    executor: str = ""
    prefilter: bool = True
    timeout: float = 60.0
    cache: bool = True
    cache_dir: str | None = None
    stdin_filename: str | None = None


def migrate_paths(
    paths: tuple[str, ...], target: Target, selection: Selection, config: Config, batch: Batch, annotated: bool
) -> Generator[tuple[Outcome, Path], None, None]:
    """Each file with its outcome, in order, and with the folder that writing to it must stay in."""
    if batch.executor and not batch.executor.startswith("dask://"):
        raise MigrateError(f"--executor {batch.executor}: only dask://host:port is known")
    scripts = list(_find(paths, config, batch))

    def select(script: Script) -> Selection:
        more = config.ignored_in(script.path)
        return replace(selection, ignore=selection.ignore | more) if more else selection

    with ExitStack() as stack:
        progress = _progress(stack, scripts)
        cache = stack.enter_context(closing(Cache(_cache_folder(batch), _warn))) if batch.cache else None
        order = Order(
            target, select, batch.jobs, batch.executor, batch.prefilter, batch.timeout, cache, progress or Unseen()
        )
        found = stack.enter_context(closing(migrate_files(scripts, order)))
        if progress is not None:
            # Lines of a report between the lines of a bar that moves can be read by nobody.
            results = list(found)
            stack.close()
        for script, migration in found if progress is None else results:
            yield _outcome(script, migration, annotated), script.root


def _find(paths: tuple[str, ...], config: Config, batch: Batch) -> Iterator[Script]:
    if "-" in paths:
        yield Script(Path(batch.stdin_filename) if batch.stdin_filename else STDIN, Path.cwd(), None, piped=True)
    named = list(expand(path for path in paths if path != "-"))
    config = replace(config, folder=config.folder or Path.cwd(), exclude=(*config.exclude, *batch.exclude))
    patterns = batch.include or ("*.py",)
    given = {os.path.abspath(path) for path in named if not os.path.isdir(path)}
    found = find_scripts(
        named,
        config.excludes if config.exclude else nothing,
        lambda name: any(fnmatchcase(name, pattern) for pattern in patterns),
    )
    for path, root in found:
        yield Script(path, root, None if given and os.path.abspath(path) in given else root)


def _outcome(script: Script, migration: Migration, annotated: bool) -> Outcome:
    final = migration.result
    if annotated and migration.status not in TROUBLE:
        final = annotate(migration.source, migration.result, migration.notes)
    return Outcome(migration, script.file, final, script.piped)


def _cache_folder(batch: Batch) -> Path | None:
    return Path(batch.cache_dir) if batch.cache_dir else None


def _warn(text: str) -> None:
    click.echo(text, err=True)


def _progress(stack: ExitStack, scripts: list[Script]) -> Progress | None:
    """A bar on the terminal for a run over many files; none when standard error is piped."""
    if len(scripts) < 2 or not sys.stderr.isatty():
        return None
    from migrate.cli_progress import Bar

    return stack.enter_context(Bar())
