"""The sub-command `doctor`: say which known failures the log of a training job shows."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from migrate.cli_completion import complete_target
from migrate.cli_formats import format_option

if TYPE_CHECKING:
    from codemods.kit.targets import Target
    from migrate.doctor.diagnosis import Diagnosis
    from migrate.doctor.scan import Scan
    from migrate.render.doctor_text import Causes

EPILOG = """
\b
Exit codes:
  0  no known failure
  1  a known failure was found
  2  a log or a script could not be read, or a wrong option

\b
tc-migrate doctor job.log
aws logs filter-log-events --log-group-name /aws/sagemaker/TrainingJobs \\
  --log-stream-name-prefix JOB | tc-migrate doctor -
tc-migrate doctor exported/ --script train.py --launcher launch.py
"""


class _Failed(click.ClickException):
    exit_code = 2


@click.command(
    short_help="Say why a training job failed, from its log.",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "--script", "scripts", multiple=True, type=click.Path(), help="The training script: what in it explains it?"
)
@click.option(
    "--launcher", "launchers", multiple=True, type=click.Path(), help="The script or notebook with the estimator."
)
@click.option(
    "--target",
    metavar="TARGET",
    default="smtc",
    show_default=True,
    shell_complete=complete_target,
    help="What the job was meant for.",
)
@format_option()
@click.pass_context
def doctor(
    ctx: click.Context, /, logs: tuple[str, ...], scripts: tuple[str, ...], launchers: tuple[str, ...], target: str,
    form: str,
) -> None:  # fmt: skip
    """Name the known failures that LOG shows, the root cause first, with what mends them.

    LOG is a file, `-` for standard input, or a folder of logs, as CloudWatch exports them; .gz too. All logs given are
    those of one job. A log is read as a stream: it may have any size.
    """
    from codemods.kit.targets import Launcher, Target
    from migrate.doctor.diagnosis import diagnose
    from migrate.render.doctor_text import visible

    try:
        chosen = Target.parse(target)
    except ValueError as error:
        raise _Failed(str(error)) from error
    scans, unread = _read(logs)
    diagnosis = diagnose(scans, compiled=chosen.launcher is Launcher.SAGEMAKER)
    paths = (*scripts, *launchers)
    causes, trouble = _explain(diagnosis, paths, chosen) if paths else (None, False)
    for log, reason in unread:
        click.echo(f"{visible(log)}: {reason}", err=True)
    if scans or form == "json":
        _report(diagnosis, causes, unread, chosen, form == "json")
    ctx.exit(2 if unread or trouble else int(bool(diagnosis.findings)))


def _read(paths: Sequence[str]) -> tuple[list[Scan], list[tuple[str, str]]]:
    """What each log shows, and those that could not be read to their end, with the reason."""
    from migrate.doctor.scan import Scan
    from migrate.logs import Unreadable, find_logs

    scans, unread = [], []
    for log in find_logs(paths):
        scan = Scan(log.name)
        whole = True
        try:
            for block in log.read():
                scan.feed(block)
        except Unreadable as error:
            unread.append((log.name, str(error)))
            whole = False
        scan.close()
        if whole or scan.bytes:
            scans.append(scan)
    if not scans and not unread:
        unread.append((", ".join(paths), "no log in this folder"))
    return scans, unread


def _explain(diagnosis: Diagnosis, paths: tuple[str, ...], target: Target) -> tuple[Causes, bool]:
    """What in the scripts explains the findings, and whether one of the scripts could not be read."""
    from migrate.cli_batch import Batch, gather
    from migrate.cli_output import report_trouble
    from migrate.config import Config
    from migrate.doctor.explain import explain
    from migrate.registry import ALL

    with gather(paths, Config(), Batch(verify=False)) as files:
        made = [outcome.migration for outcome, _ in files.migrate(target, ALL)]
    troubled = [report_trouble(migration, False) for migration in made]
    return explain(diagnosis.findings, made), any(troubled)


def _report(
    diagnosis: Diagnosis, causes: Causes | None, unread: list[tuple[str, str]], target: Target, as_json: bool
) -> None:
    from migrate import __version__
    from migrate.render.doctor_json import render_json
    from migrate.render.doctor_text import closing_line, diagnosis_lines

    if as_json:
        click.echo(render_json(diagnosis, causes, unread, __version__, target.name), nl=False)
        return
    if sys.stdout.isatty():
        from rich.console import Console

        from migrate.render.terminal import diagnosis_text

        console = Console(highlight=False)
        console.print(diagnosis_text("\n".join(diagnosis_lines(diagnosis, causes, console.width))), soft_wrap=True)
    else:
        click.echo("\n".join(diagnosis_lines(diagnosis, causes)))
    click.echo(closing_line(diagnosis), err=True)
