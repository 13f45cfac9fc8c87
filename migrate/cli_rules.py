"""The sub-commands that teach: `rules` and `explain`."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import click

from migrate.cli_completion import complete_rule
from migrate.cli_formats import format_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from codemods.kit.rules import Rule


@click.command()
@format_option()
def rules(form: str) -> None:
    """List every rule."""
    from migrate.registry import rules as all_rules
    from migrate.render.catalogue import rule_objects, rule_table

    if form == "json":
        import json

        click.echo(json.dumps(rule_objects(all_rules()), indent=2))
    elif sys.stdout.isatty():
        _print_table(all_rules())
    else:
        click.echo(rule_table(all_rules()), nl=False)


@click.command(short_help="Explain a rule or a codemod.")
@click.argument("rule", metavar="RULE", shell_complete=complete_rule)
def explain(rule: str) -> None:
    """Explain a rule (TC401, or by its alias TS012) or a codemod (optimizer_step): what, why, examples."""
    from migrate.aliases import ALIASES
    from migrate.registry import codemods
    from migrate.registry import rules as all_rules
    from migrate.render.catalogue import WIDTH, explain_alias, explain_codemod, explain_rule

    by_name = {codemod.name(): codemod for codemod in codemods()}
    known = all_rules()
    width = max(40, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)) if sys.stdout.isatty() else WIDTH
    if rule.upper() in known:
        found, owner = known[rule.upper()]
        text = explain_rule(found, by_name.get(owner), width)
    elif rule.upper() in ALIASES:
        text = explain_alias(rule.upper(), known, width)
    elif rule.lower().replace("-", "_") in by_name:
        text = explain_codemod(by_name[rule.lower().replace("-", "_")], width)
    else:
        raise _Unknown(rule, [*known, *ALIASES, *by_name])
    _print_page(text)


class _Failed(click.ClickException):
    exit_code = 2


class _Unknown(_Failed):
    def __init__(self, name: str, known: list[str]) -> None:
        from difflib import get_close_matches

        by_lower = {each.lower(): each for each in known}
        close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.0)
        nearest = f"; the nearest is {by_lower[close[0]]!r}" if close else ""
        super().__init__(f"no rule or codemod is called {name!r}{nearest}")


def _print_table(all_rules: Mapping[str, tuple[Rule, str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from migrate.render.catalogue import HEADINGS, rule_rows

    table = Table(*HEADINGS, box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    styles = {
        "exact": "green",
        "review": "magenta",
        "note": "",
        "error": "bold red",
        "warning": "yellow",
        "info": "cyan",
    }
    for id, aliases, codemod, safety, severity, summary in rule_rows(all_rules):
        table.add_row(
            Text(id, "bold"),
            Text(aliases, "dim"),
            Text(codemod, "dim"),
            Text(safety, styles[safety]),
            Text(severity, styles.get(severity, "dim")),
            Text(summary),
        )
    Console().print(table)


def _print_page(text: str) -> None:
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    example = False
    for line in text.splitlines():
        example = line == "example" or (example and not line[:1].strip())
        colour = {"  +": "green", "  -": "red"}.get(line[:3]) if example else None
        click.secho(line, fg=colour, bold=True if line[:1].strip() else None)
