"""The sub-command `pr`: open or update one repository's pull request, by hand or in a workflow."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from migrate.cli_forge import (
    connection_options,
    guard,
    missing_extra,
    read_author,
    read_connection,
    request_options,
)
from migrate.cli_formats import format_option

if TYPE_CHECKING:
    from migrate.bot.patience import Patience
    from migrate.bot.place import Place
    from migrate.bot.plan import Plan
    from migrate.bot.publish import Published
    from migrate.bot.request import Answer, Request

EPILOG = """
\b
The token is read from GITHUB_TOKEN or GH_TOKEN. It needs to read and write
`contents` and `pull requests` of the repository; --dry-run needs one only for
a repository that is not public.

\b
Exit codes:
  0  the pull request is as it should be, or there is none to be: a line says
  2  it could not be done, or a wrong option
  130  stopped by Ctrl-C

\b
tc-migrate pr octo/trainer --dry-run           what would be proposed
tc-migrate pr octo/trainer --draft             open it, or bring it up to date
tc-migrate pr octo/trainer --target torch-xla==2.9 --base develop
"""


@click.command(
    short_help="Open or update the pull request of a repository at GitHub.",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.argument("repository", metavar="OWNER/REPO")
@click.option("--base", metavar="BRANCH", default="", help="The branch to migrate.  [default: the repository's own]")
@request_options
@click.option("--draft", is_flag=True, help="Open it as a draft.")
@click.option("--again", is_flag=True, help="Propose also what somebody has closed before.")
@click.option("--force", is_flag=True, help="Make the branch anew, though somebody has pushed to it: that is dropped.")
@click.option("--dry-run", is_flag=True, help="Print the text and the diff of the pull request, and write nothing.")
@format_option()
@connection_options
@click.option("-j", "--jobs", type=click.IntRange(0), default=0, help="Worker processes.  [default: one for each core]")
@click.pass_context
def pr(ctx: click.Context, /, repository: str, **options: Any) -> None:
    """Migrate the scripts of OWNER/REPO and propose it as a pull request.

    Nothing of the repository is run or checked out. There is one pull request for each target: a second run brings it
    up to date, says nothing when somebody has closed the same, and leaves a branch alone that somebody has pushed to.
    """
    try:
        said = _propose(repository, options)
    except ModuleNotFoundError as error:
        raise missing_extra(error) from error
    click.echo(json.dumps(said) if options["form"] == "json" else said["text"])


def _propose(repository: str, options: dict[str, Any]) -> dict[str, Any]:
    """What came of it, as JSON has it."""
    import tempfile
    from pathlib import Path

    from migrate.batch.run import cores
    from migrate.bot.git.store import Store
    from migrate.bot.request import Unwanted, answer

    connection = read_connection(options)
    guard(connection)
    place = connection.place(repository)
    if not (place.token or options["dry_run"]):
        raise click.UsageError("no token: set GITHUB_TOKEN or GH_TOKEN")
    request = _request(options)
    with tempfile.TemporaryDirectory(prefix="tc-migrate-") as folder:
        store, forge = Store(Path(folder) / "store"), place.forge(options["pause"]) if place.token else None
        try:
            found = _patience(options).do(
                lambda: answer(request, store, place.remote, forge, jobs=options["jobs"] or cores())
            )
        except Unwanted as error:
            return _said(place, "nothing to propose", reason=str(error))
        plan = found.survey.plan(place.origin(found.survey.contents.commit), answers=False)
        _echo(plan, options)
        if options["dry_run"]:
            return {**_said(place, "dry run"), "text": _draft(plan, found), "title": plan.title, "body": plan.body}
        published = _publish(plan, request, found, place, options)
    return _said(place, published.outcome.value, published.number, published.reason, plan.branch)


def _request(options: dict[str, Any]) -> Request:
    from migrate.bot.request import Request
    from migrate.cli_forge import read_wanted

    kept = {name: options[name] for name in ("base", "draft", "force")}
    return Request(**read_wanted(options), **kept, anew=options["again"])


def _publish(plan: Plan, request: Request, found: Answer, place: Place, options: dict[str, Any]) -> Published:
    from migrate.bot.publish import publish

    forge, work = place.forge(options["pause"]), found.work(read_author(options))
    return _patience(options).do(lambda: publish(plan, request.wishes(found), work, forge))


def _patience(options: dict[str, Any]) -> Patience:
    from migrate.bot.patience import Patience

    return Patience(60 * options["wait"], lambda line: click.echo(line, err=True))


def _echo(plan: Plan, options: dict[str, Any]) -> None:
    """The counts, for a person who watches."""
    if options["form"] != "json":
        click.echo(plan.summary.strip().strip("*"), err=True)


def _draft(plan: Plan, found: Answer) -> str:
    """The pull request as text: title, body, and a patch."""
    from migrate.bot.refused import hold_back
    from migrate.render.diff import find_hunks
    from migrate.render.entry import Entry

    migrations = hold_back(found.survey.migrations, found.survey.refused, found.survey.settings.left_out).migrations
    patches = [
        Entry(each, path, each.result, find_hunks(each.source, each.result)).patch
        for path, each in sorted(migrations.items())
    ]
    _, _, body = plan.body.partition("\n")  # without the hidden line, which says nothing to a person
    text = f"# {plan.title}\n\n{body}\n{''.join(patches)}" if not plan.is_empty else "nothing to propose"
    return text.encode("utf-8", "backslashreplace").decode()


def _said(place: Place, outcome: str, number: int | None = None, reason: str = "", branch: str = "") -> dict[str, Any]:
    url = place.pull_request(number) if number is not None else ""
    text = " ".join(filter(None, (outcome, url))) + (f": {reason}" if reason else "")
    return {
        "repository": place.repository, "outcome": outcome, "number": number, "url": url, "branch": branch,
        "reason": reason, "text": text,
    }  # fmt: skip
