"""What `tc-migrate campaign` does. It loads the bot, so it is imported only when one of the commands runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from migrate.batch.run import cores
from migrate.bot.patience import Patience
from migrate.bot.request import Request
from migrate.campaign.listed import Wanted, find_listed
from migrate.campaign.order import Order, Reach
from migrate.campaign.record import Record, Result, Stage
from migrate.campaign.report import make_row
from migrate.campaign.run import Run
from migrate.campaign.sources import Source, parse_lines, parse_source
from migrate.campaign.state import State, alone
from migrate.campaign.text import check_text
from migrate.cli_campaign_report import check_options, write_reports
from migrate.cli_forge import Connection, guard, read_author, read_connection, read_wanted
from migrate.forge.listing import Listing
from migrate.migration import MigrateError
from migrate.render.report import in_one_line

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_LISTS = ("repos_file", "org", "user", "topic")
_ONLY: dict[str | None, Callable[[Record], bool]] = {
    None: lambda record: True,
    "failed": lambda record: record.stage is Stage.ERROR,
    "changed": lambda record: record.result is Result.CHANGES,
    "new": lambda record: record.stage is Stage.QUEUED,
}


def run(name: str, sources: Sequence[str], options: dict[str, Any]) -> int:
    """Analyse, and write where it is asked for. The exit code."""
    check_options(options)
    connection = read_connection(options)
    order = make_order(name, options, connection)
    if order.reach is Reach.PR and not order.token:
        raise click.UsageError("no token: set GITHUB_TOKEN or GH_TOKEN")
    is_named = bool(sources) or any(options.get(each) for each in _LISTS)
    with alone(order.folder):
        state = State(order.folder / "state.db")
        numbers = state.add(_find(sources, options, connection)) if is_named else list(state.records())
        if not numbers:
            raise MigrateError("no repository was found" if is_named else f"campaign {name} has no repositories yet")
        chosen = [number for number, record in state.records(numbers).items() if _ONLY[options["only"]](record)]
        _work(order, state, chosen)
    records = state.records(numbers)
    write_reports(name, list(records.values()), options)
    return 2 if any(record.stage is Stage.ERROR for record in records.values()) else 0


def status(name: str, sources: Sequence[str], options: dict[str, Any]) -> int:
    """Report. The exit code."""
    check_options(options)
    state = open_state(name, options)
    write_reports(name, list(named(state, sources, options).values()), options)
    return 0


def open_state(name: str, options: dict[str, Any]) -> State:
    """The state of a campaign that there is. Raises MigrateError."""
    path = find_folder(name, options) / "state.db"
    if not path.exists():
        raise MigrateError(f"there is no campaign {name} in {options['folder']}")
    return State(path)


def named(state: State, sources: Sequence[str], options: dict[str, Any]) -> dict[int, Record]:
    """The repositories of a campaign that somebody names; all when nobody does. Raises MigrateError."""
    records = state.records()
    if not sources:
        return records
    asked = [parse_source(text, read_connection(options).web) for text in sources]
    known = {record.source for record in records.values()}
    missing = [source.name for source in asked if source not in known]
    if missing:
        raise MigrateError(f"{missing[0]} is no repository of this campaign")
    return {number: record for number, record in records.items() if record.source in asked}


def find_folder(name: str, options: dict[str, Any]) -> Path:
    """Of a campaign. Raises UsageError for what cannot be its name."""
    if not _NAME.fullmatch(name):
        raise click.UsageError(f"{name!r} cannot be the name of a campaign: letters, digits, `.`, `_` and `-`")
    return Path(options["folder"]).absolute() / name


def make_order(name: str, options: dict[str, Any], connection: Connection) -> Order:
    """What is asked for. Raises UsageError, and MigrateError for a text that cannot be."""
    guard(connection)
    folder = find_folder(name, options)
    text = _read_text(folder / "PR.md")
    kept = {each: options[each] for each in ("base", "draft", "force")}
    return Order(
        folder,
        Request(**read_wanted(options), **kept, anew=options["again"]),
        read_author(options),
        Reach.PR if options["pr"] else Reach.PUSH if options["push"] else Reach.ANALYSE,
        text,
        connection.token,
        connection.api,
        connection.web,
        options["jobs"] or cores(),
        options["pause"],
        60 * options["wait"],
        options["timeout"],
        options["most"],
    )


def _read_text(path: Path) -> str:
    if not path.exists():
        return ""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise MigrateError(f"{path}: {error}") from error
    check_text(text)
    return text


def _find(sources: Sequence[str], options: dict[str, Any], connection: Connection) -> Iterator[Source]:
    """All that were named, in their order."""
    for text in sources:
        yield from parse_lines(sys.stdin, connection.web) if text == "-" else [parse_source(text, connection.web)]
    for path in options.get("repos_file", ()):
        try:
            yield from parse_lines(
                path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(), connection.web
            )
        except OSError as error:
            raise MigrateError(f"{path}: {error.strerror}") from error
    lists = [options.get(each, ()) for each in ("org", "user", "topic")]
    if any(lists):
        wanted = Wanted(*lists, *(options[each] for each in ("include", "exclude", "archived", "forks", "templates")))
        listing = Listing(connection.token, connection.api)
        patience = Patience(60 * options["wait"], lambda line: click.echo(line, err=True))
        yield from patience.do(lambda: list(find_listed(wanted, listing)))


def _work(order: Order, state: State, numbers: Sequence[int]) -> None:
    """The run, with a line for each repository on standard error."""
    done = 0

    def tell(number: int, record: Record) -> None:
        nonlocal done
        done += 1
        row = make_row(record)
        said = ", ".join(filter(None, (row.link, row.work, row.reason)))
        line = f"[{done}/{len(numbers)}] {row.name}: {row.standing}{f' ({said})' if said else ''}"
        click.echo(in_one_line(line), err=True)

    Run(order, state, tell, lambda line: click.echo(line, err=True)).go(numbers)
