"""The inputs of the step: what a workflow says below `with:`, as `action.yml` hands it on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from migrate.migration import MigrateError


@dataclass(frozen=True)
class Inputs:
    """What is asked for. `docs/action.md` says what each means."""

    mode: str
    paths: tuple[str, ...]
    folder: str
    """Below the workspace."""
    target: str | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    safety: str | None
    fail_on: str
    base: str
    token: str


def read_inputs(environment: Mapping[str, str]) -> Inputs:
    """Of the variables `INPUT_...`. Raises MigrateError for a value that is not one of those there are."""

    def one(name: str) -> str:
        return environment.get(f"INPUT_{name}", "").strip()

    def chosen(name: str, values: Sequence[str]) -> str:
        value = one(name) or values[0]
        if value not in values:
            called = name.lower().replace("_", "-")
            raise MigrateError(f"the input `{called}` is one of {', '.join(values)}, and not {value}")
        return value

    def names(name: str) -> tuple[str, ...]:
        return tuple(one(name).replace(",", " ").split())

    return Inputs(
        mode=chosen("MODE", ("check", "fix", "pr")),
        paths=tuple(line.strip() for line in one("PATHS").splitlines() if line.strip()) or (".",),
        folder=one("WORKING_DIRECTORY"),
        target=one("TARGET") or None,
        select=names("SELECT"),
        ignore=names("IGNORE"),
        safety=chosen("SAFETY", ("review", "exact")) if one("SAFETY") else None,
        fail_on=chosen("FAIL_ON", ("any", "error", "never")),
        base=one("BASE"),
        token=one("TOKEN"),
    )
