"""The commits of a migration: first what does the same as before, then what a person should read.

Not one for each rule: edits of several rules meet in one line, and half of them leave a file that does not run. These
two answer the question that a reviewer has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from migrate.findings import Effort, Finding, findings
from migrate.migration import Migration, Status
from migrate.notebooks.cells import is_notebook
from migrate.partial import find_trouble
from migrate.render.blocks import find_blocks
from migrate.render.diff import Hunk, apply_hunks, find_hunks

TITLE = "Migrate training scripts to PyTorch/XLA"
_SIGNED = ", by tc-migrate "


@dataclass(frozen=True)
class Step:
    """One commit."""

    message: str
    files: Mapping[str, str]
    """The text of each file after it, by path."""


def split(migrations: Mapping[str, Migration], version: str) -> tuple[Step, ...]:
    """One or two commits that together are the migration, the same for the same migrations; none for none."""
    migrated = {path: each for path, each in sorted(migrations.items()) if each.status is Status.MIGRATED}
    exact = {path: text for path, each in migrated.items() if (text := _exact(path, each)) != each.source}
    rest = {path: each.result for path, each in migrated.items() if exact.get(path) != each.result}
    edits = [(path, finding) for path, each in migrated.items() for finding in findings(each) if finding.edited]
    if not exact or not rest:
        return (Step(_message(TITLE, edits, exact or rest, version), exact or rest),) if migrated else ()
    first: list[tuple[str, Finding]] = []
    second: list[tuple[str, Finding]] = []
    for path, edit in edits:
        (second if edit.effort is Effort.REVIEW or path not in exact else first).append((path, edit))
    return (
        Step(_message(f"{TITLE}: same results", first, exact, version) + "\nComplete with the next commit.\n", exact),
        Step(_message(f"{TITLE}: edits to review", second, rest, version), rest),
    )


def _exact(path: str, migration: Migration) -> str:
    """The file with only the edits that do what the original did; its source when they do not stand by themselves."""
    review = [finding.line for finding in findings(migration) if finding.effort is Effort.REVIEW]
    if not review:
        return migration.result
    if is_notebook(path):
        return migration.source
    hunks = find_hunks(migration.source, migration.result, context=0)
    text = apply_hunks(migration.source, (hunk for hunk in hunks if not _covers(hunk, review)))
    return migration.source if find_trouble(migration.source, migration.result, text) else text


def _covers(hunk: Hunk, lines: Iterable[int]) -> bool:
    blocks = find_blocks([hunk])
    return any(block.covers(line) for block in blocks for line in lines)


def _message(title: str, edits: Sequence[tuple[str, Finding]], files: Mapping[str, str], version: str) -> str:
    """No word of the repository's own: what it says goes into logs and mails."""
    counts = Counter(finding.rule for _, finding in edits)
    rules = "".join(f"{rule} x{count}\n" for rule, count in sorted(counts.items()))
    number = f"{len(edits)} edit{'s' * (len(edits) != 1)} in {len(files)} file{'s' * (len(files) != 1)}"
    return f"{title}\n\n{number}{_SIGNED}{version}.\n\n{rules}"


def is_signed(message: str) -> bool:
    """Whether a commit says that it is one of these."""
    return message.startswith(TITLE) and _SIGNED in message
