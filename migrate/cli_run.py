"""One run over files: read, migrate, report, write; and what it exits with."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from codemods.kit.meaning.libraries import models_state
from codemods.kit.rules import Rule
from codemods.kit.targets import Target
from migrate import __version__, requirements
from migrate.batch.again import Standing
from migrate.cli_batch import Batch, Gathered, gather
from migrate.cli_interactive import Review
from migrate.cli_output import TROUBLE, Filed, Mode, Outcome, Output, Pipe, Printed, Several
from migrate.cli_replay import Replay, can_replay
from migrate.cli_report_files import check_reports
from migrate.cli_requirements import check_lists, texts_of_lists
from migrate.cli_statistics import Statistics
from migrate.cli_write import write_all
from migrate.config import Config, load_config, settle
from migrate.discover import find_scripts
from migrate.files import read_text
from migrate.migration import MigrateError, Status
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


def run(options: Options, open_output: Callable[[Run], Output] | None = None) -> int:
    """Do what the command line asks; the exit code. Raises MigrateError for a wrong option or configuration.

    `open_output`: makes what is reported to, in place of what the options ask for.
    """
    config = load_config(_common_folder(options))
    config.use_models()
    target, selection = settle(
        config, target=options.target, select=options.select, ignore=options.ignore, safety=options.safety
    )
    with gather(options.paths, config, options) as files:
        replay = _replay(options, config, files) if open_output is None else None
        code = replay.say_again() if replay is not None else None
        if code is not None:
            return code

        def work() -> tuple[int, bool]:
            made = files.migrate(target, selection, options.annotate)
            outcomes = _work(options, config, target, selection, made, open_output)
            failed = any(outcome.migration.status is Status.FAILED for outcome in outcomes)
            # What failed, or could not be read, is tried again the next time.
            return _exit_code(options, outcomes), not (failed or any(script.trouble for script in files.scripts))

        return replay.say(work) if replay is not None else work()[0]


def _replay(options: Options, config: Config, files: Gathered) -> Replay | None:
    """What an earlier run may have said; None where a run does more than speak, or depends on more than the files."""
    speaks = options.mode in (Mode.DIFF, Mode.CHECK) and not (options.report or options.report_only)
    # A script given by itself may import what is not among the files of the run.
    if files.cache is None or not (speaks and all(map(os.path.isdir, options.paths)) and can_replay()):
        return None
    standing = Standing([found.name for found in files.found], [found.status for found in files.found])
    read = [repr(config), models_state(), *texts_of_lists(_folders(options))]
    return Replay(files.cache, standing, repr(options), read) if standing.is_known else None


def _work(
    options: Options,
    config: Config,
    target: Target,
    selection: Selection,
    made: Generator[tuple[Outcome, Path], None, None],
    open_output: Callable[[Run], Output] | None,
) -> list[Outcome]:
    """Migrate, report and write; what became of each file."""
    about = Run(__version__, target.name, options.write or options.interactive)
    output = open_output(about) if open_output else _output(options, about)
    review = Review(options.backup)
    found: list[tuple[Outcome, Path | None]] = []
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
    return outcomes


def _lists(
    options: Options, config: Config, target: Target, selection: Selection, outcomes: list[Outcome]
) -> Iterator[tuple[Outcome, Path]]:
    """What the lists of packages of the folders given need, and the folder of each."""

    def allows(path: Path, rule: Rule) -> bool:
        chosen = replace(selection, ignore=selection.ignore | config.ignored_in(path))
        return chosen.allows(rule, requirements.NAME) and not config.excludes(path)

    return check_lists(_folders(options), outcomes, target, allows, options.requirements)


def _folders(options: Options) -> list[Path]:
    """The folders among the paths given."""
    return [Path(path) for path in options.paths if os.path.isdir(path)]


def _output(options: Options, about: Run) -> Output:
    """What the user watches, and the reports that are written beside it."""
    try:
        named = [parse_destination(text) for text in options.report]
    except ValueError as error:
        raise MigrateError(str(error)) from error
    check_reports((Path(file) for _, file in named), options.paths)
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
    sources = find_scripts(_folders(options), included=lambda name: name.endswith((".cu", ".cuh")))
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
