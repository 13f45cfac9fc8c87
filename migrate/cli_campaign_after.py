"""What `tc-migrate campaign update|close|merge` does. It loads the bot, so it is imported only when one runs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from migrate.bot.patience import Patience
from migrate.bot.request import Request
from migrate.campaign.afterwards import Desk
from migrate.campaign.order import Order
from migrate.campaign.record import Record, Stage
from migrate.campaign.report import make_row
from migrate.campaign.state import alone
from migrate.cli_campaign_report import check_options, write_reports
from migrate.cli_campaign_run import find_folder, named, open_state
from migrate.cli_forge import guard, read_author, read_connection
from migrate.migration import MigrateError
from migrate.render.report import in_one_line

_ABOUT = {"update": tuple(Stage), "close": (Stage.PR, Stage.PUSHED, Stage.CLOSED), "merge": (Stage.PR,)}
"""The repositories that each is about."""


def after(name: str, sources: Sequence[str], options: dict[str, Any], what: str) -> int:
    """Do it, one repository after the other: what fails in one is said, and the others go on. The exit code."""
    check_options(options)
    state, failed = open_state(name, options), 0
    order = _order(name, options)
    with alone(order.folder):
        chosen = named(state, sources, options).items()
        records = {number: record for number, record in chosen if record.stage in _ABOUT[what]}
        _confirm(what, records.values(), options)
        for number, record in records.items():
            try:
                done = _do(what, record, order, options)
            except MigrateError as error:
                failed += 1
                click.echo(in_one_line(f"{record.source.name}: {error}"), err=True)
                continue
            if done != record:
                state.write(number, done)
                _tell(done)
    left = list(named(state, sources, options).values())
    write_reports(name, left, options)
    return 2 if failed else int(what == "merge" and any(record.stage is Stage.PR for record in left))


def _order(name: str, options: dict[str, Any]) -> Order:
    connection = read_connection(options)
    guard(connection)
    return Order(
        find_folder(name, options),
        Request(),
        read_author(options),
        token=connection.token,
        api=connection.api,
        web=connection.web,
        pause=options["pause"],
    )


def _confirm(what: str, records: Iterable[Record], options: dict[str, Any]) -> None:
    """Raises Abort when a person does not want it."""
    number = sum(record.stage in (Stage.PR, Stage.PUSHED) for record in records)
    if what != "update" and number and not options["yes"]:
        many = "pull request or branch" if number == 1 else "pull requests or branches"
        click.confirm(f"{what} {number} {many}?", abort=True, err=True)


def _do(what: str, record: Record, order: Order, options: dict[str, Any]) -> Record:
    patience = Patience(60 * options["wait"], lambda line: click.echo(line, err=True))
    with tempfile.TemporaryDirectory(prefix="tc-migrate-") as folder:
        desk = Desk(order, Path(folder) / "store", patience)
        if what == "merge":
            return desk.merge(record, options["method"], unchecked=options["unchecked"])
        return desk.close(record) if what == "close" else desk.refresh(record)


def _tell(record: Record) -> None:
    row = make_row(record)
    said = ", ".join(filter(None, (row.link, row.reason)))
    click.echo(in_one_line(f"{row.name}: {row.standing}{f' ({said})' if said else ''}"), err=True)
