"""How many edits of the goldens carry evidence: `python -m tests.evidence_share`, or with a part of a golden's name."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable

from tests.goldens import TARGETS, Case, cases


def count(some: Iterable[Case]) -> tuple[Counter[str], Counter[str]]:
    """By codemod, the edits and those of them with evidence."""
    edits: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for case in some:
        for target in TARGETS:
            for change in case.migrated(target).changes:
                edits[change.codemod] += 1
                told[change.codemod] += bool(change.evidence)
    return edits, told


def main() -> None:
    """Print the share of all, and the codemods with most edits that lack it."""
    edits, told = count(case for case in cases() if all(word in case.id for word in sys.argv[1:]))
    print(f"{told.total()} of {edits.total()} edits carry evidence: {told.total() / (edits.total() or 1):.1%}")
    for name, number in sorted((edits - told).items(), key=lambda each: -each[1])[:15]:
        print(f"  {number:4} of {edits[name]:4} lack it  {name}")


if __name__ == "__main__":
    main()
