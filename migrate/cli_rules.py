"""The sub-commands that teach: `rules`, `explain` and `facts`."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import click

from migrate.cli_completion import complete_rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from codemods.kit.links import Links
    from codemods.kit.rules import Rule


@click.command()
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to report.")
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
    from migrate.render.catalogue import explain_alias, explain_codemod, explain_rule

    by_name = {codemod.name(): codemod for codemod in codemods()}
    known = all_rules()
    if rule.upper() in known:
        found, owner = known[rule.upper()]
        text = explain_rule(found, by_name.get(owner))
    elif rule.upper() in ALIASES:
        text = explain_alias(rule.upper(), known)
    elif rule.lower().replace("-", "_") in by_name:
        text = explain_codemod(by_name[rule.lower().replace("-", "_")])
    else:
        raise _Unknown(rule, [*known, *ALIASES, *by_name])
    _print_page(text)


@click.command(short_help="Print what is understood of a script or a project.")
@click.argument("path", metavar="PATH", type=click.Path(allow_dash=True))
def facts(path: str) -> None:
    """Print what was understood of PATH: its device, model, optimizer, loaders, loops, launch.

    PATH is a script, a notebook, `-` for standard input, or a folder. The scripts of a folder are read as one project:
    what one hands to another is followed, and each fact says from where it comes.
    """
    from migrate.config import load_config
    from migrate.discover import find_scripts
    from migrate.engine.originals import by_itself
    from migrate.files import Unreadable, decode, read
    from migrate.migration import MigrateError
    from migrate.project import link

    try:
        load_config(Path.cwd() if path == "-" else Path(path).absolute()).use_models()
    except MigrateError as error:
        raise _Failed(str(error)) from error
    if path != "-" and Path(path).is_dir():
        files = {}
        for found in find_scripts([Path(path)]):
            script = Path(found.name)
            try:
                files[script.relative_to(found.root).as_posix()] = read(script).text
            except Unreadable as error:
                click.echo(f"{script}: {error}", err=True)
        linked = link(files)
        for name in linked.summaries:
            text = _facts(name, files[name], linked.links(name))
            if text != "launch\n  one process, one device\n":
                click.echo(f"{name}\n{indent(text, '  ')}")
        return
    try:
        file = decode(sys.stdin.buffer.read(), Path("-")) if path == "-" else read(Path(path))
    except Unreadable as error:
        raise _Failed(f"{path}: {error}") from error
    click.echo(_facts(path, file.text, by_itself(file.text, path)).rstrip("\n"))


def _facts(path: str, source: str, links: Links) -> str:
    from migrate.notebooks.cells import is_notebook

    return (_facts_of_notebook if is_notebook(path) else _facts_of_script)(path, source, links)


def _facts_of_script(path: str, source: str, links: Links) -> str:
    from libcst import ParserSyntaxError

    from codemods.kit.report import describe
    from codemods.kit.targets import SMTC
    from migrate.migration import Status
    from migrate.pipeline import migrate

    # LibCST's native parser can crash the process on hostile input: the pipeline's gate says what it may be given.
    migration = migrate(source, path=path, target=SMTC)
    if migration.status is Status.SKIPPED:
        raise _Failed(f"{path}: {migration.reason}")
    try:
        return describe(source, links)
    except ParserSyntaxError as error:
        # Python 2, which the pipeline brings up to date first.
        raise _Failed(f"{path}: does not parse: {error.message}") from error


def _facts_of_notebook(path: str, source: str, links: Links) -> str:
    """The facts of its cells, which are read as one script, with the cell and the line in it for each line."""
    import re

    from migrate.notebooks.cells import NotANotebook
    from migrate.notebooks.joined import join, open_notebook, place_of

    try:
        joined = join(open_notebook(source))
    except NotANotebook as error:
        raise _Failed(f"{path}: {error}") from error

    def placed(match: re.Match[str]) -> str:
        return str(place_of(*joined.place(int(match[1]))))

    return re.sub(r"\bline (\d+)", placed, _facts_of_script(path, joined.script, links))


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
    for line in text.splitlines():
        colour = {"  +": "green", "  -": "red"}.get(line[:3])
        click.secho(line, fg=colour, bold=True if line[:1].strip() else None)
