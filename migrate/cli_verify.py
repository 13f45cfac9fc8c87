"""The sub-command `verify`: judge programs on torch_xla, whoever wrote them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from migrate.cli_completion import complete_target
from migrate.cli_formats import format_option

if TYPE_CHECKING:
    from codemods.kit.targets import Target
    from migrate.engine.certificate import Certificate
    from migrate.judging import Shown

EPILOG = """
\b
Exit codes:
  0  everything that is owed is shown (at whatever cost)
  1  something does not hold, or was not shown
  2  a file could not be read or parsed, or a wrong option

\b
tc-migrate verify train_xla.py                        a script by itself
tc-migrate verify train_xla.py --original train.py    against what it was made from
tc-migrate verify xla/ --original cuda/               all programs of a folder
"""
_WIDTH = 100


class _Failed(click.ClickException):
    exit_code = 2


@dataclass(frozen=True)
class Program:
    """Files that run on torch_xla, and what they were made from."""

    texts: dict[str, str]
    """By path in their project."""
    names: dict[str, str]
    """What they are called, by path."""
    original: dict[str, str] | None
    """By the same paths; None to judge it by itself."""


@dataclass(frozen=True)
class Verified:
    """A program and its certificate."""

    program: Program
    certificate: Certificate
    shown: Shown


@click.command(
    short_help="Judge whether a program on torch_xla trains as it should.",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.argument("path", type=click.Path(exists=True))
@click.option(
    "--original", type=click.Path(exists=True), help="The program on CUDA it was made from: a script, or a folder."
)
@click.option(
    "--target",
    metavar="TARGET",
    default=None,
    shell_complete=complete_target,
    help="The torch_xla it runs on.  [default: the configured one, else smtc]",
)
@format_option("text", "json", "sarif")
@click.pass_context
def verify(ctx: click.Context, /, path: str, original: str | None, target: str | None, form: str) -> None:
    """Execute PATH abstractly, every process and every branch of it, and say what is shown of its training loops.

    PATH is a script or a notebook, which is read with the files it imports, or a folder. With --original what the
    program on CUDA does is compared with it: files are matched by the same relative paths. Nothing is run.
    """
    from migrate.config import load_config, settle
    from migrate.migration import MigrateError

    if original is not None and os.path.isdir(path) != os.path.isdir(original):
        raise _Failed("PATH and --original are two scripts or two folders")
    try:
        start = Path(path) if os.path.isdir(path) else Path(path).absolute().parent
        config = load_config(start)
        config.use_models()
        chosen, _ = settle(config, target=target)
    except MigrateError as error:
        raise _Failed(str(error)) from error
    programs, trouble = _read(path, original)
    found = [_judged(program, chosen) for program in programs]
    for line in trouble:
        click.echo(line, err=True)
    _REPORTS[form](found, chosen)
    ctx.exit(2 if trouble else int(any(one.certificate.violated or one.certificate.open for one in found)))


def _judged(program: Program, target: Target) -> Verified:
    from migrate.judging import Shown, judge_texts
    from migrate.migration import Migration, Status

    before = program.original or {}
    whole = {
        path: Migration(path, target.name, Status.UNCHANGED, before.get(path, ""), text)
        for path, text in program.texts.items()
    }
    return Verified(program, judge_texts(program.texts, program.original, target), Shown(whole, program.names))


# --- what is read -----------------------------------------------------------------------------------------------------


def _read(path: str, original: str | None) -> tuple[list[Program], list[str]]:
    """The programs of a path, and what cannot be read or parsed."""
    from migrate.judging import uses_xla
    from migrate.notebooks.prepared import prepare
    from migrate.project import find_whole_programs

    trouble: list[str] = []
    if not os.path.isdir(path):
        texts, names = read_script(path, trouble)
        before = _named_as(path, texts, original, trouble) if original is not None and texts else None
        found = [Program(texts, names, before)] if texts else []
    else:
        texts, names = read_folder(path, trouble)
        before = read_folder(original, trouble)[0] if original is not None else None
        found = []
        for names_of, beside in find_whole_programs(texts):
            members = {name: texts[name] for name in (*names_of, *beside)}
            if any(uses_xla(text) for text in members.values()):
                own = {name: before[name] for name in members if name in before} if before is not None else None
                found.append(Program(members, names, own))
    for program in found:
        reasons = ((program.names[name], prepare(name, text).reason) for name, text in program.texts.items())
        trouble += [f"{name}: {reason}" for name, reason in reasons if reason]
    return found, trouble


def read_script(path: str, trouble: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """A script and the files it imports by path in its project, the script first; and what they are called."""
    from migrate.discover import project_folder
    from migrate.files import Unreadable, read, read_text
    from migrate.programs import code
    from migrate.reach import imported, reach

    script = Path(path).resolve()
    top = project_folder(script)
    name = script.relative_to(top).as_posix()
    try:
        text = read(script).text
    except Unreadable as error:
        trouble.append(f"{path}: {error}")
        return {}, {}
    found = reach(
        name,
        lambda other: text if other == name else read_text(top / other),
        lambda other, its: list(imported(other, code(other, its))),
    )
    return found, {other: path if other == name else os.path.relpath(top / other) for other in found}


def _named_as(path: str, texts: dict[str, str], original: str, trouble: list[str]) -> dict[str, str]:
    """An original script with what it imports, as if it stood where the script that was made of it stands."""
    found, _ = read_script(original, trouble)
    if not found:
        return {}
    mine, its = next(iter(texts)), next(iter(found))
    own, folder = Path(mine).parent, os.path.dirname(its) or "."
    moved = {Path(os.path.normpath(own / os.path.relpath(each, folder))).as_posix(): text
             for each, text in found.items() if each != its}  # fmt: skip
    return {**moved, mine: found[its]}


def read_folder(path: str, trouble: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The scripts and notebooks of a folder by path in it, and what they are called."""
    from migrate.discover import find_scripts
    from migrate.files import Unreadable, read

    texts, names = {}, {}
    for found in find_scripts([Path(path)], included=lambda name: name.endswith((".py", ".ipynb"))):
        inside = Path(found.name).relative_to(found.root).as_posix()
        try:
            texts[inside], names[inside] = read(Path(found.name)).text, found.name
        except Unreadable as error:
            trouble.append(f"{found.name}: {error}")
    return texts, names


# --- what is said -----------------------------------------------------------------------------------------------------


def _say_text(found: list[Verified], target: Target) -> None:
    from migrate.render.certificates import Certificates, certificate_lines

    whole = sys.stdout.isatty()
    width = max(40, shutil.get_terminal_size((_WIDTH, 24)).columns) if whole else _WIDTH
    lines: list[str] = []
    for each in found:
        lines += certificate_lines(each.certificate, each.shown.where, each.shown.line, width)
    every = Certificates()
    for each in found:
        every.take(each.certificate)
    lines.append(every.line or "certificate: nothing here trains on torch_xla")
    if not whole:
        click.echo("\n".join(lines))
        return
    from rich.console import Console

    from migrate.render.terminal import certificate_text

    Console(highlight=False).print(certificate_text("\n".join(lines)), soft_wrap=True)


def _say_json(found: list[Verified], target: Target) -> None:
    from migrate import __version__

    told = [each.shown.certificate(each.certificate) for each in found]
    programs = [{"files": list(each.followed), **each.to_dict()} for each in told]
    said = {"tool": "tc-migrate", "version": __version__, "target": target.name, "programs": programs}
    click.echo(json.dumps(said, indent=2))


def _say_sarif(found: list[Verified], target: Target) -> None:
    from migrate import __version__
    from migrate.judging import attach
    from migrate.registry import ALL
    from migrate.render.as_sarif import SarifReport
    from migrate.render.entry import Entry, Run

    report = SarifReport(Run(__version__, target.name))
    for each in found:
        here = tuple(replace(one, source_line=0) for one in each.certificate.findings)
        own = {path: replace(one, source=one.result) for path, one in each.shown.migrations.items()}
        told = attach(own, replace(each.certificate, findings=here), lambda path: ALL, each.program.names)
        for path, migration in told.items():
            report.add(Entry(migration, Path(each.program.names[path]).as_posix(), migration.result))
    click.echo("".join(report.close()), nl=False)


_REPORTS = {"text": _say_text, "json": _say_json, "sarif": _say_sarif}
