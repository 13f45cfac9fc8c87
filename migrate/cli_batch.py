"""The files that the command line names, each with what becomes of it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import cached_property
from pathlib import Path

import click

from codemods.kit.targets import Target
from migrate.batch.run import Order, Progress, Unseen, migrate_files
from migrate.batch.scan import STDIN, Script
from migrate.cache import Cache
from migrate.cli_output import TROUBLE, Outcome
from migrate.config import Config
from migrate.discover import Found, expand, find_scripts, nothing
from migrate.migration import MigrateError, Migration
from migrate.notebooks.cells import is_notebook
from migrate.notebooks.views import rewritten
from migrate.registry import Selection
from migrate.render.annotate import annotate

INCLUDED = ("*.py", "*.ipynb")
"""The files of a folder that are taken unless asked otherwise."""


@dataclass(frozen=True)
class Batch:
    """Which files are taken, how many are worked on at once, and what is remembered."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    stdin_filename: str | None = None
    jobs: int = 0
    executor: str = ""
    prefilter: bool = True
    timeout: float = 60.0
    verify: bool = True
    cache: bool = True
    cache_dir: str | None = None


@dataclass(frozen=True)
class Gathered:
    """The files that a command line names, none of them read yet."""

    paths: tuple[str, ...]
    """As they are named."""
    found: list[Found]
    """What is there, without standard input."""
    config: Config
    batch: Batch
    cache: Cache | None

    @cached_property
    def scripts(self) -> list[Script]:
        """To be migrated."""
        named = {os.path.abspath(path) for path in expand(self.paths) if not os.path.isdir(path)}
        scripts = []
        if STDIN in self.paths:
            name = str(Path(self.batch.stdin_filename)) if self.batch.stdin_filename else STDIN
            scripts.append(Script(name, Path.cwd(), None, piped=True))
        for name, root, status in self.found:
            folder = None if named and os.path.abspath(name) in named else root
            scripts.append(Script(name, root, folder, status=status))
        return scripts

    def migrate(
        self, target: Target, selection: Selection, annotated: bool = False
    ) -> Generator[tuple[Outcome, Path], None, None]:
        """Each file with its outcome, in order, and with the folder that writing to it must stay in."""
        batch, config = self.batch, self.config

        def select(script: Script) -> Selection:
            more = config.per_file_ignores and config.ignored_in(script.path)
            return replace(selection, ignore=selection.ignore | more) if more else selection

        with ExitStack() as stack:
            progress = _progress(stack, self.scripts)
            order = Order(
                target, select, batch.jobs, batch.executor, batch.prefilter, batch.timeout,
                batch.verify and config.verify, self.cache, progress or Unseen(),
            )  # fmt: skip
            found = stack.enter_context(closing(migrate_files(self.scripts, order)))
            if progress is not None:
                # Lines of a report between the lines of a bar that moves can be read by nobody.
                results = list(found)
                stack.close()
            for script, migration in found if progress is None else results:
                yield _outcome(script, migration, annotated), script.root


@contextmanager
def gather(paths: tuple[str, ...], config: Config, batch: Batch) -> Iterator[Gathered]:
    """Find the files. What is known of them from earlier runs is at hand until the block ends."""
    if batch.executor and not batch.executor.startswith("dask://"):
        raise MigrateError(f"--executor {batch.executor}: only dask://host:port is known")
    settings = replace(config, folder=config.folder or Path.cwd(), exclude=(*config.exclude, *batch.exclude))
    included = re.compile("|".join(map(translate, batch.include or INCLUDED))).match
    named = expand(path for path in paths if path != STDIN)
    found = list(find_scripts(named, settings.excludes if settings.exclude or settings.models else nothing, included))
    with ExitStack() as stack:
        cache = stack.enter_context(closing(Cache(_cache_folder(batch), _warn))) if batch.cache else None
        yield Gathered(paths, found, config, batch, cache)


def _outcome(script: Script, migration: Migration, annotated: bool) -> Outcome:
    final = migration.result
    if annotated and migration.status not in TROUBLE:
        final = _annotated(migration) if not is_notebook(migration.path) else rewritten(migration, _annotated)
    return Outcome(migration, script.file, final, script.piped)


def _annotated(migration: Migration) -> str:
    return annotate(migration.source, migration.result, migration.notes)


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
