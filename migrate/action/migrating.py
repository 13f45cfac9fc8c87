"""The modes `check` and `fix`: the files of the checkout."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from migrate.action.inputs import Inputs
from migrate.action.job import Job
from migrate.cli_output import Filed, Outcome, Output, Several, report_trouble
from migrate.cli_run import Options, run
from migrate.discover import expand
from migrate.migration import MigrateError
from migrate.render.as_github import GithubReport
from migrate.render.as_markdown import MarkdownReport
from migrate.render.as_sarif import SarifReport
from migrate.render.entry import Run

SUMMARY_SIZE = 1_000_000
"""Bytes; the runner takes no more than 1 MiB."""
SUMMARY_ROWS = 1_000
"""Of a table."""


class Annotations:
    """What a person should read, kept until the runner takes commands."""

    def __init__(self, about: Run) -> None:
        self.report = GithubReport(about)

    def show(self, outcome: Outcome) -> None:
        """Take in one file. Its trouble also goes to the log, with the traceback."""
        report_trouble(outcome.migration, True)
        self.report.add(outcome.entry)

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """All files are in."""


def migrate(inputs: Inputs, job: Job) -> int:
    """Say what there is to migrate, or migrate it. The exit code, as `fail-on` has it. Raises MigrateError."""
    _enter(job.workspace, inputs.folder, inputs.paths)
    # Not in the checkout: a link of that name could lead anywhere, and a step after this one may commit what is there.
    sarif = Path(tempfile.mkdtemp(prefix="tc-migrate-", dir=job.environment.get("RUNNER_TEMP")), "tc-migrate.sarif")
    annotations: list[Annotations] = []

    def open_output(about: Run) -> Output:
        annotations.append(Annotations(about))
        outputs: list[Output] = [annotations[0], Filed(SarifReport(about), sarif)]
        if job.summary is not None:
            outputs.append(Filed(MarkdownReport(about, SUMMARY_SIZE, SUMMARY_ROWS), job.summary))
        return Several(outputs)

    code = run(_options(inputs), open_output)
    report = annotations[0].report
    if inputs.fail_on == "never":
        code = 0
    elif code:
        # Edits that nobody has to read have no annotation: a step that fails for them alone would not say why.
        job.say("error", f"{report.counted}: the summary of the job shows it")
    job.commands.extend(report.close())
    counts = report.tally.counts
    job.set_outputs(changed=str(counts.migrated), errors=str(counts.errors), sarif=str(sarif))
    return code


def _enter(workspace: Path, inside: str, paths: tuple[str, ...]) -> None:
    """Make the checkout the current folder. Raises MigrateError for what is not there, and for a link out of it: who
    proposes a commit may have put it where the workflow names a file."""
    folder, top = workspace / inside, Path(os.path.realpath(workspace))
    try:
        os.chdir(folder)
    except OSError as error:
        raise MigrateError(f"working-directory {folder}: {error.strerror}") from error
    missing = [str(path) for path in expand(paths) if not os.path.lexists(path)]
    if missing:
        raise MigrateError(f"paths: there is no {', '.join(missing)}")
    real = {path: Path(os.path.realpath(path)) for path in (Path(), *expand(paths))}
    if outside := [str(path) for path, found in real.items() if not found.is_relative_to(top)]:
        raise MigrateError(f"paths: {', '.join(outside)} leads out of the workspace and is not read")


def _options(inputs: Inputs) -> Options:
    is_fix = inputs.mode == "fix"
    return Options(
        paths=inputs.paths,
        write=is_fix,
        force=is_fix,  # the checkout is the job's own, and changed files are what it asks for
        check=not is_fix and inputs.fail_on == "any",
        target=inputs.target,
        select=inputs.select,
        ignore=inputs.ignore,
        safety=inputs.safety,
        cache=False,
    )
