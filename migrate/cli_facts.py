"""The sub-command `facts`: what was understood of programs, before anything is trusted."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import click

from migrate.cli_formats import format_option
from migrate.unseen import visible

if TYPE_CHECKING:
    from codemods.kit.links import Links
    from codemods.kit.targets import Target
    from migrate.engine.understood import Understood

_PIPED = 100
"""Columns where there is no terminal."""
_NOTHING = "launch\n  one process, one device\n"


class _Failed(click.ClickException):
    exit_code = 2


@click.command(short_help="Print what is understood of a script or a project.")
@click.argument("path", metavar="PATH", type=click.Path(allow_dash=True))
@click.option("--long", "whole", is_flag=True, help="Every name with its role and the chain that shows it.")
@click.option("--why", "line", type=click.IntRange(1), metavar="LINE", help="Why the script's LINE is edited or noted.")
@format_option()
def facts(path: str, whole: bool, line: int | None, form: str) -> None:
    """Print what was understood of PATH: what starts, what trains, with what, on what, and what was not understood.

    PATH is a script or a notebook, which is read with the files it imports, `-` for standard input, or a folder. The
    scripts of a folder are read as one project: what one hands to another is followed.
    """
    from migrate.config import load_config, settle
    from migrate.migration import MigrateError

    if (whole or line) and form == "json":
        raise click.UsageError("--long and --why are text: no --format json")
    if line and path != "-" and Path(path).is_dir():
        raise click.UsageError("--why asks about a line of a script: name the script")
    try:
        config = load_config(Path.cwd() if path == "-" else Path(path).absolute())
        config.use_models()
        target, _ = settle(config)
    except MigrateError as error:
        raise _Failed(str(error)) from error
    texts, names = _read(path)
    if whole or line:
        _say_long(path, texts, names) if whole else _say_why(line or 0, texts, target)
        return
    found = [(files, what) for files, what in _programs(path, texts, names) if what.trains]
    (_say_json if form == "json" else _say_text)(found, texts, names)


def _read(path: str) -> tuple[dict[str, str], dict[str, str]]:
    """The texts by path in their project, the script that was given first, and what they are called."""
    from migrate.cli_verify import read_folder, read_script
    from migrate.files import Unreadable, decode
    from migrate.notebooks.prepared import prepare

    trouble: list[str] = []
    if path == "-":
        try:
            texts, names = {"-": decode(sys.stdin.buffer.read(), Path("-")).text}, {"-": "-"}
        except Unreadable as error:
            raise _Failed(f"-: {error}") from error
    else:
        texts, names = (read_folder if Path(path).is_dir() else read_script)(path, trouble)
    # LibCST's native parser can crash the process on hostile input: the pipeline's gate says what it may be given.
    reasons = {name: reason for name, text in texts.items() if (reason := prepare(name, text).reason)}
    trouble += [f"{names[name]}: {reason}" for name, reason in reasons.items()]
    if trouble and not Path(path).is_dir() and (not texts or next(iter(texts)) in reasons):
        raise _Failed(trouble[0])
    for line in trouble:
        click.echo(line, err=True)
    kept = {name: text for name, text in texts.items() if name not in reasons}
    return kept, names


# --- the summary ------------------------------------------------------------------------------------------------------


def _programs(path: str, texts: dict[str, str], names: dict[str, str]) -> Iterator[tuple[list[str], Understood]]:
    """The files of each program, by what they are called, and what was understood of it."""
    from migrate.engine.originals import execute_original
    from migrate.engine.understanding import understood
    from migrate.judged_text import Text, modern
    from migrate.pipeline import garbage_left
    from migrate.project import find_whole_programs

    folder = path != "-" and Path(path).is_dir()
    together = [[*own, *beside] for own, beside in find_whole_programs(texts)] if folder else [list(texts)]
    for files in together:
        codes = {name: modern(Text(name, texts[name]).code) for name in files}
        with garbage_left():
            found = understood(execute_original(codes), codes)
        yield [names[name] for name in files], found.moved(lambda name: names.get(name, name), lambda _, line: line)


def _say_text(found: list[tuple[list[str], Understood]], texts: dict[str, str], names: dict[str, str]) -> None:
    from migrate.judged_text import Text
    from migrate.notebooks.cells import is_notebook
    from migrate.render.understood import line_of, understood_lines

    known = {called: name for name, called in names.items() if is_notebook(name) and name in texts}
    cells = {called: Text(name, texts[name]) for called, name in known.items()}

    def place(path: str, line: int) -> str:
        return str(cells[path].place(line)) if path in cells else line_of(path, line)

    shown = sys.stdout.isatty()
    width = shutil.get_terminal_size((_PIPED, 24)).columns if shown else _PIPED
    lines = [line for _, what in found for line in understood_lines(what, width, place)]
    if not found:
        lines = ["nothing that trains was found"]
    if not shown:
        click.echo("\n".join(lines).rstrip("\n"))
        return
    from rich.console import Console

    from migrate.render.terminal import understood_text

    Console(highlight=False).print(understood_text("\n".join(lines).rstrip("\n")), soft_wrap=True)


def _say_json(found: list[tuple[list[str], Understood]], texts: dict[str, str], names: dict[str, str]) -> None:
    from migrate import __version__
    from migrate.judged_text import Text

    read = {called: Text(name, texts[name]) for name, called in names.items() if name in texts}

    def line(path: str, line: int) -> int:
        return read[path].line(line) if path in read else line

    programs = [{"files": files, **what.moved(str, line).to_dict()} for files, what in found]
    click.echo(json.dumps({"tool": "tc-migrate", "version": __version__, "programs": programs}, indent=2))


# --- why a line is edited ---------------------------------------------------------------------------------------------


def _say_why(line: int, texts: dict[str, str], target: Target) -> None:
    from migrate.findings import findings
    from migrate.project import migrate_project

    _, migration = next(iter(migrate_project(texts, target=target)))
    found = [one for one in findings(migration) if one.line == line]
    for one in found:
        click.echo(f"{one.rule} {one.kind}: {one.message}")
        for step in one.evidence:
            click.echo(f"  because {visible(step)}")
        if not one.evidence:
            click.echo(f"  because of how it is written; tc-migrate explain {one.rule}")
    if not found:
        near = sorted({one.line for one in findings(migration)}, key=lambda each: abs(each - line))[:3]
        click.echo(f"nothing is edited or said at line {line} for {target.name}"
                   + (f"; the nearest lines are {', '.join(map(str, sorted(near)))}" if near else ""))  # fmt: skip


# --- the long form ----------------------------------------------------------------------------------------------------


def _say_long(path: str, texts: dict[str, str], names: dict[str, str]) -> None:
    from migrate.engine.originals import by_itself
    from migrate.project import link

    if path == "-" or not Path(path).is_dir():
        name, text = next(iter(texts.items()))
        click.echo(_long(path, text, by_itself(text, name)).rstrip("\n"))
        return
    linked = link(texts)
    for name in linked.summaries:
        said = _long(names[name], texts[name], linked.links(name))
        if said != _NOTHING:
            click.echo(f"{name}\n{indent(said, '  ')}")


def _long(path: str, source: str, links: Links) -> str:
    """The facts of a script; those of a notebook's cells, which are read as one, with the cell and the line in it."""
    import re

    from libcst import ParserSyntaxError

    from codemods.kit.report import describe
    from migrate.judged_text import modern
    from migrate.notebooks.cells import NotANotebook, is_notebook
    from migrate.notebooks.joined import join, open_notebook, place_of

    try:
        if not is_notebook(path):
            return describe(modern(source), links)
        joined = join(open_notebook(source))
        said = describe(joined.script, links)
    except (NotANotebook, ParserSyntaxError) as error:
        raise _Failed(f"{path}: {getattr(error, 'message', error)}") from error
    return re.sub(r"\bline (\d+)", lambda match: str(place_of(*joined.place(int(match[1])))), said)
