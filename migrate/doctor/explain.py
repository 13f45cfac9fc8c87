"""Where in the scripts of a job a finding has its cause: what a migration of them finds under the finding's rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from migrate.aliases import aliases_of, is_called
from migrate.doctor.diagnosis import Finding
from migrate.findings import findings
from migrate.migration import Migration


@dataclass(frozen=True)
class Cause:
    """One place in a script or a launcher that can have brought a failure about."""

    path: str
    line: int
    where: str
    """The line; in a notebook the cell and the line in it."""
    rule: str
    aliases: tuple[str, ...]
    """Those of the rule that the failure names."""
    message: str
    edited: bool
    """Whether `tc-migrate --write` mends it."""


def explain(found: Iterable[Finding], migrations: Sequence[Migration]) -> dict[str, tuple[Cause, ...]]:
    """The causes of each finding, by the id of its failure; those that a person has to mend first."""
    return {finding.failure.id: tuple(_causes(finding, migrations)) for finding in found}


def _causes(finding: Finding, migrations: Sequence[Migration]) -> list[Cause]:
    words = finding.failure.rules
    if not words:
        return []
    causes = [
        Cause(migration.path, each.line, each.where, each.rule, _named(each.rule, words), each.message, each.edited)
        for migration in migrations
        for each in findings(migration)
        if is_called(each.rule, words)
    ]
    return sorted(causes, key=lambda cause: cause.edited)


def _named(rule: str, words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(alias for alias in aliases_of(rule) if alias.startswith(words))
