"""How a command is asked for JSON: `--format json` and `--json` are one thing everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
_ASKED = "tc-migrate.json"


def _note(ctx: click.Context, parameter: click.Parameter, asked: bool) -> None:
    ctx.meta[_ASKED] = asked


def _settle(ctx: click.Context, parameter: click.Parameter, form: str) -> str:
    if not ctx.meta.get(_ASKED):
        return form
    given = ctx.get_parameter_source("form") is not click.core.ParameterSource.DEFAULT
    if given and form != "json":
        raise click.UsageError(f"--json and --format {form} exclude each other")
    return "json"


def format_option(*forms: str, help: str = "How to report.") -> Callable[[F], F]:
    """`--format`, the first of `forms` when it is not given, and `--json` for `--format json`."""

    def decorate(command: F) -> F:
        choice = click.Choice(forms or ("text", "json"))
        default = choice.choices[0]
        named = click.option("--format", "form", type=choice, default=default, callback=_settle, help=help)
        flag = click.option("--json", is_flag=True, is_eager=True, expose_value=False, callback=_note,
                            help="The same as --format json.")  # fmt: skip
        return named(flag(command))

    return decorate
