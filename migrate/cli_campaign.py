"""The sub-command `campaign`: one migration in many repositories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from migrate.cli_forge import (
    Failed,
    connection_options,
    missing_extra,
    request_options,
)
from migrate.cli_formats import format_option

F = TypeVar("F", bound=Callable[..., Any])
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
EPILOG = """
\b
Nothing is written to any repository unless asked: --push pushes branches, and
--pr opens pull requests. A run that was ended anywhere is gone on with by the
next; a repository whose base, options and tool have not changed is left alone.

\b
Exit codes:
  0  all is done that was asked for
  1  merge: something is left to merge
  2  something failed in a repository, or a wrong option
  130  stopped by Ctrl-C

\b
tc-migrate campaign xla ~/src/*                 analyse clones on this machine
tc-migrate campaign xla --org octo --include 'train-*'
tc-migrate campaign xla --pr --draft --max-prs 5
tc-migrate campaign retry xla --pr              only what failed
tc-migrate campaign status xla --report xla.html
"""


class _Campaign(click.Group):
    """A group whose first word is the name of a campaign, unless it is one of its commands."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words after `campaign`."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Both ways to call it."""
        formatter.write_usage(ctx.command_path, "[OPTIONS] NAME [SOURCES]...")
        formatter.write_usage(ctx.command_path, "COMMAND NAME [OPTIONS]...", prefix="       ")


@click.group(cls=_Campaign, short_help="Migrate many repositories, and propose it.", epilog=EPILOG,
             context_settings=_SETTINGS)  # fmt: skip
def campaign() -> None:
    """Migrate many repositories: folders on this machine, https addresses, OWNER/REPO, or `-` for a list.

    Needs `pip install 'tc-migrate[bot]'`, for folders on this machine too.

    `tc-migrate campaign run --help` shows the options.
    """


def _common(command: F) -> F:
    """The options of every command of a campaign."""
    for option in reversed((
        click.argument("name", metavar="NAME"),
        click.argument("sources", nargs=-1, type=click.Path(allow_dash=True)),
        click.option("--folder", type=click.Path(file_okay=False, path_type=Path), default=Path(".tc-migrate"),
                     show_default=True, help="Where the campaigns are kept, each in a folder of its name."),
        format_option("table", "json", "markdown", "html", help="How to report on standard output."),
        click.option("--report", multiple=True, metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
                     help="Write a report to a file as well (.json, .md, .html). Repeatable."),
        click.option("--all", "whole", is_flag=True, help="List also repositories without work."),
    )):  # fmt: skip
        command = option(command)
    return command


def _work_options(command: F) -> F:
    """The options of a run."""
    for option in reversed((
        click.option("--push", is_flag=True, help="Push a branch to each repository."),
        click.option("--pr", is_flag=True, help="Open pull requests at GitHub, and push to the others."),
        click.option("--draft", is_flag=True, help="Open them as drafts."),
        click.option("--max-prs", "most", type=click.IntRange(0), metavar="N", help="Open at most N in this run."),
        click.option("--base", metavar="BRANCH", default="", help="The branch to migrate.  [default: each one's own]"),
        click.option("--again", is_flag=True, help="Propose also what somebody has closed before."),
        click.option("--force", is_flag=True, help="Make branches anew, though somebody has pushed to them."),
        click.option("-j", "--jobs", type=click.IntRange(0), default=0,
                     help="Repositories that are analysed at once.  [default: one for each core]"),
        click.option("--timeout", type=click.FloatRange(1), default=600.0, show_default=True,
                     help="Seconds for one repository."),
    )):  # fmt: skip
        command = option(command)
    return connection_options(request_options(command))


def _source_options(command: F) -> F:
    """The options that name repositories."""
    for option in reversed((
        click.option("--repos-file", multiple=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                     help="A list of sources, one a line; `#` begins a comment. Repeatable."),
        click.option("--org", multiple=True, metavar="NAME", help="The repositories of an organisation. Repeatable."),
        click.option("--user", multiple=True, metavar="NAME", help="The repositories of somebody. Repeatable."),
        click.option("--topic", multiple=True, metavar="TOPIC",
                     help="With --org or --user: only those of the topic; else those of all accounts. Repeatable."),
        click.option("--include", multiple=True, metavar="GLOB", help="Of such lists, only these names. Repeatable."),
        click.option("--exclude", multiple=True, metavar="GLOB", help="Of such lists, not these names. Repeatable."),
        click.option("--archived", is_flag=True, help="Of such lists, also archived repositories."),
        click.option("--forks", is_flag=True, help="Of such lists, also forks."),
        click.option("--templates", is_flag=True, help="Of such lists, also templates."),
        click.option("--only", type=click.Choice(["failed", "changed", "new"]),
                     help="Only what failed; what has edits to propose; what was never looked at."),
    )):  # fmt: skip
        command = option(command)
    return command


@campaign.command(short_help="Go on with a campaign, or begin one (the default).", context_settings=_SETTINGS)
@_common
@_source_options
@_work_options
@click.pass_context
def run(ctx: click.Context, /, name: str, sources: tuple[str, ...], **options: Any) -> None:
    """Analyse the SOURCES and remember them; without sources go on with all that are remembered."""
    with _told(ctx):
        from migrate.cli_campaign_run import run as run_campaign

        ctx.exit(run_campaign(name, sources, options))


@campaign.command(short_help="Try again what failed.", context_settings=_SETTINGS)
@_common
@_work_options
@click.pass_context
def retry(ctx: click.Context, /, name: str, sources: tuple[str, ...], **options: Any) -> None:
    """As `campaign NAME --only failed`."""
    with _told(ctx):
        from migrate.cli_campaign_run import run as run_campaign

        ctx.exit(run_campaign(name, sources, {**options, "only": "failed"}))


@campaign.command(short_help="Report how things stand, without asking anybody.", context_settings=_SETTINGS)
@_common
@click.pass_context
def status(ctx: click.Context, /, name: str, sources: tuple[str, ...], **options: Any) -> None:
    """Report what is known of a campaign's repositories."""
    with _told(ctx):
        from migrate.cli_campaign_run import status as report_status

        ctx.exit(report_status(name, sources, options))


@campaign.command(short_help="Ask what has become of branches and pull requests.", context_settings=_SETTINGS)
@_common
@connection_options
@click.pass_context
def update(ctx: click.Context, /, name: str, sources: tuple[str, ...], **options: Any) -> None:
    """Ask the forge which pull requests are open, merged, closed, or gone on with by somebody."""
    with _told(ctx):
        from migrate.cli_campaign_after import after

        ctx.exit(after(name, sources, options, "update"))


@campaign.command(short_help="Close pull requests and delete their branches.", context_settings=_SETTINGS)
@_common
@connection_options
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def close(ctx: click.Context, /, name: str, sources: tuple[str, ...], **options: Any) -> None:
    """Close the campaign's open pull requests and delete their branches; not those that somebody has pushed to."""
    with _told(ctx):
        from migrate.cli_campaign_after import after

        ctx.exit(after(name, sources, options, "close"))


@campaign.command(short_help="Merge pull requests whose checks are green.", context_settings=_SETTINGS)
@_common
@connection_options
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--method", type=click.Choice(["merge", "squash", "rebase"]), default="merge", show_default=True)
@click.option("--unchecked", is_flag=True, help="Also those without any check.")
@click.pass_context
def merge(ctx: click.Context, /, name: str, sources: tuple[str, ...], **options: Any) -> None:
    """Merge the campaign's open pull requests whose checks are green, and delete their branches."""
    with _told(ctx):
        from migrate.cli_campaign_after import after

        ctx.exit(after(name, sources, options, "merge"))


@contextmanager
def _told(ctx: click.Context) -> Iterator[None]:
    """Trouble in one line, exit code 2."""
    try:
        from migrate.migration import MigrateError

        yield
    except ModuleNotFoundError as error:
        raise missing_extra(error) from error
    except MigrateError as error:
        raise Failed(str(error)) from error
    except KeyboardInterrupt:
        click.echo("stopped; the same command goes on from here", err=True)
        ctx.exit(130)
