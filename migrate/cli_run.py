"""One run over files: read, migrate, report, write; and what it exits with."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from codemods.kit.links import ALONE, Links
from codemods.kit.rules import Safety
from codemods.kit.targets import SMTC, Target
from migrate.cli_interactive import Review
from migrate.cli_output import TROUBLE, Json, Mode, Outcome, Output, Pipe
from migrate.config import Config, load_config
from migrate.files import (
    SourceFile,
    Unreadable,
    Unwritable,
    decode,
    find_scripts,
    project_folder,
    read,
    read_text,
    write,
)
from migrate.migration import MigrateError, Migration, Status
from migrate.pipeline import migrate
from migrate.project import link
from migrate.reach import reach
from migrate.registry import Selection
from migrate.render.annotate import annotate

STDIN = Path("-")
"""Compared by identity: a file of that name is given as ./- and is another Path."""


@dataclass(frozen=True)
class Options:
    """The command line, as click gives it."""

    paths: tuple[str, ...]
    write: bool = False
    check: bool = False
    interactive: bool = False
    target: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    safety: str | None = None
    form: str = "text"
    annotate: bool = False
    debug: bool = False

    @property
    def mode(self) -> Mode:
        """What to do with migrated files."""
        if self.interactive:
            return Mode.INTERACTIVE
        if self.write:
            return Mode.WRITE
        return Mode.CHECK if self.check else Mode.DIFF


def run(options: Options) -> int:
    """Do what the command line asks; the exit code. Raises MigrateError for a wrong option or configuration."""
    config = load_config(_common_folder(options.paths))
    target, selection = _settle(options, config)
    output = _output(options, target)
    review = Review()
    outcomes: list[Outcome] = []
    for script, links in _linked(_scripts(options.paths, config)):
        path, root = script.path, script.root
        chosen = replace(selection, ignore=selection.ignore | config.ignored_in(path))
        outcome = _migrate(script, target, chosen, links, options.annotate)
        if outcome.changes and options.interactive:
            outcome = review.choose(outcome, root)
        elif outcome.changes and options.write and path is not STDIN:
            outcome = _write(outcome, root)
        output.show(outcome)
        outcomes.append(outcome)
        if review.stopped:
            break
    output.close(outcomes)
    return _exit_code(options, outcomes)


def _settle(options: Options, config: Config) -> tuple[Target, Selection]:
    """The target and the selection: what the command line says, else the configuration, else the defaults."""
    safety = Safety(options.safety) if options.safety else config.safety or Safety.REVIEW
    try:
        target = Target.parse(options.target or config.target or SMTC.name)
        for names in config.per_file_ignores.values():
            Selection(ignore=frozenset(names))
        select, ignore = options.select or config.select, options.ignore or config.ignore
        return target, Selection(frozenset(select), frozenset(ignore), safety)
    except ValueError as error:
        raise MigrateError(str(error)) from error


def _output(options: Options, target: Target) -> Output:
    if options.form == "json":
        return Json(target.name, options.debug)
    if sys.stdout.isatty():
        # rich costs as much start-up as click: only a person at a terminal pays for it.
        from migrate.cli_terminal import Terminal

        return Terminal(options.mode, target.name, options.debug)
    return Pipe(options.mode, options.debug)


@dataclass(frozen=True)
class Script:
    """One file to migrate, as it was read."""

    path: Path
    root: Path
    """The folder that writing to it must stay in."""
    folder: Path | None
    """The folder that was given, which makes it part of a project; None for a script given by itself."""
    file: SourceFile | None
    trouble: str = ""
    """Why it could not be read."""


def _scripts(paths: tuple[str, ...], config: Config) -> Iterator[Script]:
    if "-" in paths:
        yield _read(STDIN, Path.cwd(), None)
    named = {Path(path) for path in paths}
    for path, root in find_scripts([Path(path) for path in paths if path != "-"], config.excludes):
        yield _read(path, root, None if path in named else root)


def _read(path: Path, root: Path, folder: Path | None) -> Script:
    try:
        return Script(path, root, folder, decode(sys.stdin.buffer.read(), path) if path is STDIN else read(path))
    except Unreadable as error:
        return Script(path, root, folder, None, str(error))


def _linked(scripts: Iterator[Script]) -> Iterator[tuple[Script, Links]]:
    """Each script with what other files say about it: the others of a folder that was given, and what it imports."""
    for folder, group in groupby(scripts, key=lambda script: script.folder):
        if folder is None:
            for script in group:
                yield script, _from_imports(script)
            continue
        together = list(group)
        texts = {_name(script, folder): script.file.text for script in together if script.file is not None}
        linked = link(texts)
        for script in together:
            yield script, linked.links(_name(script, folder))


def _name(script: Script, folder: Path) -> str:
    return script.path.relative_to(folder).as_posix()


def _from_imports(script: Script) -> Links:
    """What the files that a script imports say about it."""
    if script.file is None or script.path is STDIN:
        return ALONE
    path = script.path.resolve()
    top = project_folder(path)
    name = path.relative_to(top).as_posix()
    texts = reach(name, lambda other: script.file.text if script.file and other == name else read_text(top / other))
    return link(texts).links(name) if len(texts) > 1 else ALONE


def _migrate(script: Script, target: Target, selection: Selection, links: Links, annotated: bool) -> Outcome:
    name = str(script.path)
    if script.file is None:
        return Outcome(Migration(name, target.name, Status.SKIPPED, "", "", reason=script.trouble))
    migration = migrate(script.file.text, path=name, target=target, select=selection, links=links)
    final = migration.result
    if annotated and migration.status not in TROUBLE:
        final = annotate(migration.source, migration.result, migration.notes)
    return Outcome(migration, script.file, final)


def _write(outcome: Outcome, root: Path) -> Outcome:
    assert outcome.file is not None
    try:
        write(outcome.file, outcome.final, root)
    except Unwritable as error:
        return outcome.failed(f"not written: {error}")
    return outcome


def _exit_code(options: Options, outcomes: list[Outcome]) -> int:
    if any(outcome.migration.status in TROUBLE for outcome in outcomes):
        return 2
    found_work = options.check and any(outcome.changes for outcome in outcomes)
    return 1 if found_work or any(outcome.migration.has_errors for outcome in outcomes) else 0


def _common_folder(paths: tuple[str, ...]) -> Path:
    """Where the search for the configuration starts."""
    named = [os.path.abspath(path) for path in paths if path != "-"]
    common = Path(os.path.commonpath(named)) if named else Path.cwd()
    return common if common.is_dir() else common.parent
