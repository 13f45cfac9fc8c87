"""How often each rule spoke in a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from codemods.kit.rules import Rule
from migrate.migration import Migration


@dataclass(frozen=True)
class RuleCount:
    """One rule and its edits, or its notes, in all files."""

    rule: str
    count: int
    kind: str
    """`exact` or `review` for edits, the severity for notes."""
    summary: str


def spoken(migration: Migration) -> Counter[tuple[str, str]]:
    """The rules of a migration and what they said, counted."""
    edits = Counter((change.rule, change.safety.value) for change in migration.changes)
    return edits + Counter((note.rule, note.severity.value) for note in migration.notes)


def rule_counts(found: Counter[tuple[str, str]], rules: Mapping[str, tuple[Rule, str]]) -> list[RuleCount]:
    """What `spoken` gave for all files together, the most frequent first."""
    counts = [RuleCount(id, number, kind, rules[id][0].summary) for (id, kind), number in found.items()]
    return sorted(counts, key=lambda each: (-each.count, each.rule, each.kind))


def statistics_lines(counts: Iterable[RuleCount]) -> Iterator[str]:
    """A line for each: how often, which rule, how far to trust it, what it does."""
    rows = list(counts)
    width = max((len(str(row.count)) for row in rows), default=0)
    kinds = max((len(row.kind) for row in rows), default=0)
    for row in rows:
        yield f"{row.count:>{width}}  {row.rule}  {row.kind:<{kinds}}  {row.summary}"
