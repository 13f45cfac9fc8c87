"""One run over files: read, migrate, report, write; and what it exits with."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from codemods.kit.rules import Rule
from codemods.kit.targets import Target
from migrate import __version__, requirements
from migrate.cli_batch import Batch, migrate_paths
from migrate.cli_interactive import Review
from migrate.cli_output import TROUBLE, Filed, Mode, Outcome, Output, Pipe, Printed, Several
from migrate.cli_requirements import check_lists
from migrate.cli_statistics import Statistics
from migrate.cli_write import write_all
from migrate.config import Config, load_config, settle
from migrate.discover import find_scripts
from migrate.files import read_text
from migrate.migration import MigrateError
from migrate.registry import Selection
from migrate.render.entry import Report, Run
from migrate.render.formats import open_report, parse_destination


@dataclass(frozen=True, kw_only=True)
class Options(Batch):
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
    report: tuple[str, ...] = ()
    """`FORMAT=FILE`, or a file whose suffix says the format."""
    report_only: bool = False
    annotate: bool = False
    backup: bool = False
    force: bool = False
    requirements: bool = False
    statistics: bool = False
    exit_zero: bool = False
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
    config = load_config(_common_folder(options))
    target, selection = settle(
        config, target=options.target, select=options.select, ignore=options.ignore, safety=options.safety
    )
    output = _output(options, target)
    review = Review(options.backup)
    found: list[tuple[Outcome, Path | None]] = []
    made = migrate_paths(options.paths, target, selection, config, options, options.annotate)
    with closing(made):  # whatever happens here, workers end
        for outcome, root in made:
            if outcome.changes and options.interactive:
                outcome = review.choose(outcome, root)
            if not options.write:
                output.show(outcome)
            found.append((outcome, None if outcome.piped else root))
            if review.stopped:
                break
    outcomes = [outcome for outcome, _ in found]
    for outcome, root in () if review.stopped else _lists(options, config, target, selection, outcomes):
        if outcome.changes and options.interactive:
            outcome = review.choose(outcome, root)
        if not options.write:
            output.show(outcome)
        found.append((outcome, root))
    outcomes = [outcome for outcome, _ in found]
    if options.write:
        outcomes = []
        for outcome in write_all(found, backup=options.backup, force=options.force):
            output.show(outcome)
            outcomes.append(outcome)
    output.close(outcomes)
    return _exit_code(options, outcomes)


def _lists(
    options: Options, config: Config, target: Target, selection: Selection, outcomes: list[Outcome]
) -> Iterator[tuple[Outcome, Path]]:
    """What the lists of packages of the folders given need, and the folder of each."""

    def allows(path: Path, rule: Rule) -> bool:
        chosen = replace(selection, ignore=selection.ignore | config.ignored_in(path))
        return chosen.allows(rule, requirements.NAME) and not config.excludes(path)

    folders = [Path(path) for path in options.paths if os.path.isdir(path)]
    return check_lists(folders, outcomes, target, allows, options.requirements)


def _output(options: Options, target: Target) -> Output:
    """What the user watches, and the reports that are written beside it."""
    about = Run(__version__, target.name, options.write or options.interactive)
    try:
        named = [parse_destination(text) for text in options.report]
    except ValueError as error:
        raise MigrateError(str(error)) from error
    filed = [Filed(_report(options, form, about), Path(file)) for form, file in named]
    return Several([_watched(options, about), *filed])


def _watched(options: Options, about: Run) -> Output:
    if options.statistics:
        return Statistics(options.mode, options.debug, options.form == "json")
    if options.form != "text" or (options.report_only and not sys.stdout.isatty()):
        return Printed(_report(options, options.form, about), options.debug)
    if sys.stdout.isatty():
        # rich costs as much start-up as click: only a person at a terminal pays for it.
        from migrate.cli_terminal import Terminal, TerminalAnalysis

        if options.report_only:
            return TerminalAnalysis(_report(options, "text", about), options.debug)
        return Terminal(options.mode, about.target, options.debug)
    return Pipe(options.mode, options.debug)


def _report(options: Options, form: str, about: Run) -> Report:
    if not options.report_only:
        return open_report(form, about)
    from migrate.render.analysis_report import FORMS, AnalysisReport

    if form not in FORMS:
        raise MigrateError(f"--report-only has no form {form!r}: use {', '.join(FORMS)}")
    folders = [Path(path) for path in options.paths if os.path.isdir(path)]
    sources = find_scripts(folders, included=lambda name: name.endswith((".cu", ".cuh")))
    names = tuple(Path(os.path.relpath(found.name)).as_posix() for found in sources)
    return AnalysisReport(form, about, names, lambda path: read_text(Path(path)))


def _exit_code(options: Options, outcomes: list[Outcome]) -> int:
    if any(outcome.migration.status in TROUBLE for outcome in outcomes):
        return 2
    if options.exit_zero or options.report_only:
        return 0
    found_work = options.check and any(outcome.changes for outcome in outcomes)
    return 1 if found_work or any(outcome.migration.has_errors for outcome in outcomes) else 0


def _common_folder(options: Options) -> Path:
    """Where the search for the configuration starts."""
    paths = [path for path in (*options.paths, options.stdin_filename) if path and path != "-"]
    named = [os.path.abspath(path) for path in paths]
    common = Path(os.path.commonpath(named)) if named else Path.cwd()
    return common if os.path.isdir(common) else common.parent
