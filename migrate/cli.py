"""The command `tc-migrate`. Only click is imported up front: `--help` must not wait for a parser it does not need."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from migrate.cli_campaign import campaign
from migrate.cli_completion import complete_names, complete_target
from migrate.cli_doctor import doctor
from migrate.cli_facts import facts
from migrate.cli_formats import format_option
from migrate.cli_guard import Guard
from migrate.cli_lsp import lsp
from migrate.cli_pr import pr
from migrate.cli_rules import explain, rules
from migrate.cli_serve import serve, worker
from migrate.cli_smoke import smoke
from migrate.cli_verify import verify
from migrate.cli_words import refuse_empty, split_names, suggest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

EPILOG = """
\b
On a terminal everything is shown in colour. When standard output is piped or
redirected it carries the patch alone (`tc-migrate train.py | git apply`
works), and notes and counts go to standard error.

\b
Exit codes:
  0  done, or nothing to do
  1  --check found work, or a note of severity `error` remains
     (never with --exit-zero)
  2  a file could not be read, parsed, migrated or written, or a wrong option;
     so too when standard output is closed or its disk is full
  130  stopped by Ctrl-C

\b
In a script:
  # tc-migrate: off            near the top: leave this file alone
  # tc-migrate: ignore[TC201]  leave this line alone (`ignore`: for all rules)

\b
In pyproject.toml, [tool.tc-migrate] holds target, select, ignore, safety,
verify, exclude and per-file-ignores; the command line wins.
"""


class PathsOrCommand(click.Group):
    """A group that takes paths: unless the first word is one of its commands, it is a command itself."""

    allow_interspersed_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words after `tc-migrate`."""
        if not ctx.resilient_parsing:
            refuse_empty(args)
        if args and args[0] in self.commands:
            # Left for `invoke` (and for shell completion, which reads `ctx.args` of a group).
            click.Command.parse_args(self, ctx, [])
            ctx.args = args
            return args
        return click.Command.parse_args(self, ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the sub-command, or the group's own body."""
        if not ctx.args:
            return click.Command.invoke(self, ctx)
        name, *args = ctx.args
        ctx.invoked_subcommand = name
        command = self.commands[name]
        with command.make_context(name, args, parent=ctx) as inner:
            return command.invoke(inner)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Both ways to call it."""
        formatter.write_usage(ctx.command_path, "[OPTIONS] [PATHS]...")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...", prefix="       ")


class TcMigrate(Guard, PathsOrCommand):
    """The command itself."""


class Paths(click.Argument):
    """The group's own argument, which is no part of how its commands are called."""

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Nothing: the group's usage is its own."""
        return []

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Files, and as the first word the commands too."""
        from click.shell_completion import CompletionItem

        found = super().shell_complete(ctx, incomplete)
        if ctx.params.get(self.name or "") or not isinstance(ctx.command, click.Group):
            return found
        commands = [each for each in ctx.command.commands.items() if each[0].startswith(incomplete)]
        return [*(CompletionItem(name, help=each.get_short_help_str()) for name, each in commands), *found]


def _print_version(ctx: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        from migrate import __version__

        click.echo(f"tc-migrate {__version__}")
        ctx.exit()


def _names(flag: str, help: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    given = {"multiple": True, "callback": split_names, "shell_complete": complete_names}
    return click.option(flag, metavar="NAMES", help=help, **given)  # type: ignore[arg-type]


def _off(flag: str, name: str, help: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(flag, name, is_flag=True, default=True, flag_value=False, help=help)


@click.group(
    cls=TcMigrate,
    epilog=EPILOG,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.argument("paths", cls=Paths, nargs=-1, type=click.Path(allow_dash=True))
@click.option("--write", is_flag=True, help="Write the migrated files. With `-`: print the migrated script.")
@click.option("--check", is_flag=True, help="List the files that would change; exit with 1 when there are any.")
@click.option("-i", "--interactive", is_flag=True, help="Ask about each hunk, then write those taken.")
@click.option(
    "--target",
    metavar="TARGET",
    shell_complete=complete_target,
    help="smtc (default: torch_xla 1.13), smtc==1.12, torch-xla==2.9 and others.",
)
@_names("--select", "Only these codemods, rules or beginnings of rules (`device,TC4`). Repeatable.")
@_names("--ignore", "Not these codemods, rules or beginnings of rules. Repeatable.")
@click.option(
    "--safety", type=click.Choice(["exact", "review"]), help="Highest level of edit to apply.  [default: review]"
)
@format_option(
    "text", "json", "sarif", "markdown", "html", "junit", "github", help="How to report on standard output."
)
@click.option(
    "--report",
    multiple=True,
    metavar="[FORMAT=]FILE",
    help="Write a report to a file as well (`report.html`, `sarif=out.json`). Repeatable.",
)
@click.option(
    "--annotate", is_flag=True, help="Put `# TODO(tc-migrate RULE): ...` above lines with warnings and errors."
)
@click.option(
    "--report-only", is_flag=True, help="Say what a migration comes to: shares, work by hand, CUDA code, costs."
)
@click.option("--stdin-filename", metavar="PATH", help="What `-` is called, and where its settings and imports are.")
@click.option("--statistics", is_flag=True, help="Count what each rule found, instead of showing it.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 where it would be 1; trouble with a file stays 2.")
@click.option("--requirements", is_flag=True, help="Add torch_xla to the lists of packages of the folders given.")
@click.option("--backup", is_flag=True, help="With --write or -i: keep each file as it was beside it, as NAME.orig.")
@click.option("--force", is_flag=True, help="With --write: also write files with changes that git could not give back.")
@_names("--include", "Of folders, take the files of these names instead of `*.py` and `*.ipynb`. Repeatable.")
@_names("--exclude", "Leave out files and folders of these names or paths, besides the configured ones. Repeatable.")
@click.option("-j", "--jobs", type=click.IntRange(0), default=0, help="Worker processes.  [default: one for each core]")
@click.option("--executor", default="", metavar="ADDRESS", help="Work on a dask cluster: dask://host:port.")
@click.option("--timeout", type=click.FloatRange(0), default=60.0, help="Seconds of work on one file; 0: no limit.")
@_off("--no-verify", "verify", "Do not judge whether what is migrated trains as the original does.")
@_off("--no-prefilter", "prefilter", "Parse every file, also those that show nothing of training.")
@_off("--no-cache", "cache", "Neither use nor keep what is known from earlier runs.")
@click.option(
    "--cache-dir",
    type=click.Path(file_okay=False),
    envvar="TC_MIGRATE_CACHE_DIR",
    help="Where that is kept.  [default: the user's cache folder]",
)
@click.option("--debug", is_flag=True, help="Show the traceback of a codemod that failed.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version."
)
@click.pass_context
def main(ctx: click.Context, /, paths: tuple[str, ...], **options: Any) -> None:
    """Migrate CUDA PyTorch training scripts to PyTorch/XLA.

    PATHS are scripts, notebooks, folders (every .py and .ipynb file below them) or `-` for standard input. Nothing is
    written unless asked: by default the migration is shown as a diff, with notes on what is left for a person. (A
    script whose name is that of a command below is given as ./NAME.)
    """
    if not paths:
        if any(options[name] for name in ("write", "check", "interactive")):
            raise click.UsageError("name a script, a folder, or `-` for standard input")
        click.echo(ctx.get_help())
        return
    _refuse_contradictions(paths, options)
    suggest(paths, ctx.command.list_commands(ctx) if isinstance(ctx.command, click.Group) else ())
    from migrate.cli_run import Options, run

    ctx.exit(run(Options(paths=paths, **options)))


def _refuse_contradictions(paths: tuple[str, ...], options: dict[str, Any]) -> None:
    modes = [f"--{name}" for name in ("write", "check", "interactive") if options[name]]
    if len(modes) > 1:
        raise click.UsageError(f"{' and '.join(modes)} exclude each other")
    if options["interactive"] and (options["form"] != "text" or "-" in paths):
        raise click.UsageError("--interactive needs a terminal: neither --format nor `-`")
    if options["force"] and not options["write"]:
        raise click.UsageError("--force goes with --write")
    if options["backup"] and not (options["write"] or options["interactive"]):
        raise click.UsageError("--backup goes with --write or --interactive")
    if options["report_only"] and (modes or options["statistics"]):
        raise click.UsageError("--report-only writes and lists nothing: no --write, --check, -i or --statistics")
    if options["stdin_filename"] and "-" not in paths:
        raise click.UsageError("--stdin-filename names what is read from `-`")
    if options["statistics"] and (options["interactive"] or options["form"] not in ("text", "json")):
        raise click.UsageError("--statistics is a report of its own: text or --format json")
    if options["statistics"] and options["write"] and "-" in paths:
        raise click.UsageError("--statistics and the migrated script cannot both go to standard output")


for command in (smoke, verify, doctor, pr, campaign, rules, explain, facts, lsp, serve, worker):
    main.add_command(command)

if __name__ == "__main__":
    main(prog_name="tc-migrate")
