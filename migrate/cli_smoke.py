"""The sub-command `smoke`: run the original and the migrated script, and say whether they are the same training."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from migrate.cli_completion import complete_target
from migrate.cli_formats import format_option
from migrate.cli_words import split_names

if TYPE_CHECKING:
    from migrate.smoke.judgement import Proof
    from migrate.smoke.proof import Options, Tell

EPILOG = """
\b
Exit codes:
  0  proved: it runs, and it is the same training
  1  diverged, not proved, or trouble: a finding or a note of severity `error`
  2  could not run, or a wrong option

\b
tc-migrate smoke train.py                       migrate for smtc, run both, compare
tc-migrate smoke train.py -- --epochs 1         with arguments for the script
tc-migrate smoke train.py --migrated train_xla.py   compare with one migrated by hand
tc-migrate smoke --provision 2.9                make the environment of --backend oracle
"""

STANDARD_ERROR = 2
"""As a file descriptor, which is what a child process is given."""
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUTPUT = click.Path(dir_okay=False, writable=True, path_type=Path)


class _Failed(click.ClickException):
    exit_code = 2


@click.command(
    short_help="Run a script and its migration, and compare.",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.argument("script", required=False, type=FILE)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("-n", "--steps", type=click.IntRange(1), default=20, show_default=True, help="Optimizer steps of a run.")
@click.option(
    "--target",
    metavar="TARGET",
    shell_complete=complete_target,
    help="As for `tc-migrate`: smtc, torch-xla==2.9 and others.",
)
@click.option(
    "--backend",
    type=click.Choice(["torch_xla", "oracle", "standin"]),
    help="What serves torch_xla: the one installed, a provisioned one, or our stand-in.  [default: the first there is]",
)
@click.option(
    "--accelerator",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="cuda: the original on CUDA and the migrated one on XLA:CUDA, or an error; auto: a GPU for the stand-in only.",
)
@click.option("--python", type=FILE, metavar="PATH", help="The interpreter that has torch.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Processes of the second pair of runs, for a script that starts several; 1: no second pair.",
)
@click.option("--launch", type=click.Choice(["main", "mp_fn"]), help="How the migrated script is started.")
@click.option("--migrated", "twin", type=FILE, metavar="FILE", help="Prove this migrated script, not what we make.")
@click.option("--original", type=FILE, metavar="FILE", help="SCRIPT is migrated already; this is what it was.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder that both run in, as a copy.  [default: the script's]",
)
@click.option("--strict", is_flag=True, help="Compute in float64 and allow next to nothing.")
@click.option("--fake-data", is_flag=True, help="Serve well-known data sets by random tensors of their shapes.")
@click.option("--network", is_flag=True, help="Let the scripts use the network.")
@click.option("--env", "variables", multiple=True, metavar="NAME[=VALUE]", help="Pass a variable on. Repeatable.")
@click.option("--timeout", type=click.FloatRange(1), default=300.0, show_default=True, help="Seconds for one run.")
@click.option("--memory", type=click.FloatRange(0.1), default=8.0, show_default=True, help="GiB for one run.")
@click.option("--select", multiple=True, metavar="NAMES", callback=split_names, help="As for `tc-migrate`.")
@click.option("--ignore", multiple=True, metavar="NAMES", callback=split_names, help="As for `tc-migrate`.")
@click.option("--safety", type=click.Choice(["exact", "review"]), help="As for `tc-migrate`.")
@format_option()
@click.option("--markdown", type=OUTPUT, metavar="FILE", help="Also write the report for a pull request.")
@click.option("--html", type=OUTPUT, metavar="FILE", help="Also write a page with the loss curves.")
@click.option("--fresh", is_flag=True, help="Run the original anew, although its runs of today are kept.")
@click.option("--provision", multiple=True, metavar="VERSION", help="Make the environment of a torch_xla. Repeatable.")
@click.pass_context
def smoke(ctx: click.Context, /, script: Path | None, arguments: tuple[str, ...], **options: Any) -> None:
    """Migrate SCRIPT, run the original and the migrated one for a few steps, and compare.

    Neither is edited, and nothing is written into their folder. Without a GPU the original's CUDA calls are served by
    the CPU. What follows `--` are arguments for the script.
    """
    from migrate.migration import MigrateError

    try:
        if options["provision"]:
            _provision(options["provision"])
        if script is None:
            if options["provision"]:
                return
            raise click.UsageError("name a script")
        if script.suffix == ".ipynb":
            raise click.UsageError("a notebook cannot be run beside its original: jupyter nbconvert --to script first")
        from migrate.cli_report_files import check_reports

        inputs = [each for each in (script, options["twin"], options["original"]) if each]
        check_reports([options[name] for name in ("markdown", "html") if options[name]], inputs)
        proof = _prove(script, arguments, options)
        _report(proof, options)
    except (MigrateError, OSError) as error:
        raise _Failed(str(error)) from error
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        # Leaving in the usual way would wait for the runs that go on; each ends and is cleared away with this process.
        os._exit(130)
    ctx.exit(proof.verdict.exit_code)


def _provision(versions: tuple[str, ...]) -> None:
    from migrate.smoke.environments import provision

    for version in versions:
        # pip reports to standard error, as standard output may be read by a program.
        environment = provision(version, STANDARD_ERROR)
        click.echo(f"torch_xla {environment.version}: {environment.python}", err=True)


def _prove(script: Path, arguments: tuple[str, ...], chosen: dict[str, Any]) -> Proof:
    from migrate.smoke.proof import prove

    if chosen["original"] and chosen["twin"]:
        raise click.UsageError("--original and --migrated exclude each other")
    if chosen["original"]:
        script, chosen["twin"] = chosen["original"], script
    options = _settle(script, chosen)
    with _progress() as tell:
        return prove(script, arguments, options, tell)


def _settle(script: Path, chosen: dict[str, Any]) -> Options:
    """What the command line says, else the configuration, else the defaults."""
    from migrate.config import load_config, settle
    from migrate.smoke.environments import cache_folder
    from migrate.smoke.proof import Options
    from migrate.smoke.run import Launch, Limits

    config = load_config(script.parent)
    config.use_models()
    named = {name: chosen[name] for name in ("target", "select", "ignore", "safety")}
    target, selection = settle(config, **named, path=script)
    return Options(
        target=target,
        selection=selection,
        steps=chosen["steps"],
        backend=chosen["backend"],
        accelerator=chosen["accelerator"],
        python=chosen["python"],
        workers=chosen["workers"],
        launch=Launch(chosen["launch"]) if chosen["launch"] else None,
        root=chosen["root"],
        limits=Limits(seconds=chosen["timeout"], bytes=int(chosen["memory"] * 2**30)),
        strict=chosen["strict"],
        fake_data=chosen["fake_data"],
        network=chosen["network"],
        variables=_read_variables(chosen["variables"]),
        twin=chosen["twin"],
        keep=None if chosen["fresh"] else cache_folder().parent / "originals",
    )


def _read_variables(given: tuple[str, ...]) -> dict[str, str]:
    """`NAME=VALUE`, or `NAME` alone for the caller's own value. Raises UsageError when there is none."""
    variables = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals and name not in os.environ:
            raise click.UsageError(f"--env {name}: there is no such variable; give it a value, --env {name}=VALUE")
        variables[name] = value if equals else os.environ[name]
    return variables


@contextmanager
def _progress() -> Iterator[Tell]:
    """Says on standard error what is running, in one line that goes away, if somebody is there to read it."""
    if not sys.stderr.isatty():
        yield lambda said: None
        return
    from rich.console import Console

    with Console(stderr=True).status("preparing") as status:
        running: list[str] = []

        def tell(said: str) -> None:
            running.append(said)
            status.update(f"running {' and '.join(running[-2:])}")

        yield tell


def _report(proof: Proof, options: dict[str, Any]) -> None:
    """Print the report and write the files that were asked for."""
    from migrate import __version__
    from migrate.cli_report_files import write_report

    if options["markdown"]:
        from migrate.smoke.report_markdown import render_markdown

        write_report(options["markdown"], [render_markdown(proof)])
    if options["html"]:
        from migrate.smoke.report_html import render_html

        write_report(options["html"], [render_html(proof, __version__)])
    if options["form"] == "json":
        from migrate.smoke.report_json import render_json

        click.echo(render_json(proof, __version__), nl=False)
        return
    from rich.console import Console

    from migrate.smoke.report_terminal import render_terminal

    report = render_terminal(proof)
    if sys.stdout.isatty():
        Console(highlight=False).print(report)
        return
    console = Console(highlight=False, width=120, color_system=None)
    with console.capture() as text:
        console.print(report)
    # rich fills lines up to the width.
    click.echo("\n".join(line.rstrip() for line in text.get().splitlines()))
