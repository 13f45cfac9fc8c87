"""Compares how often two runs went through their loaders, and how many batches they took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from migrate.smoke.record import Pass


def compare_passes(left: Sequence[Pass], right: Sequence[Pass], exact: bool, ended: bool) -> Iterator[str]:
    """What the migrated run has less of, one sentence for each loader.

    `exact`: both have as many processes, so that their shares of the data are of one size. `ended`: neither was
    stopped, so that the last pass counts too.
    """
    for loader in sorted({item.loader for item in left}):
        before = [item.batches for item in left if item.loader == loader]
        after = [item.batches for item in right if item.loader == loader]
        if not ended:
            before = before[:-1]
        text = compare_loader(before, after, exact)
        if text:
            yield f"loader {loader + 1} {text}"


def compare_loader(before: Sequence[int], after: Sequence[int], exact: bool) -> str:
    """How the passes over one loader differ; empty when they do not."""
    for number, (wanted, given) in enumerate(zip(before, after, strict=False), start=1):
        if wanted and not given:
            return f"gives no batches in pass {number}, {wanted} in the original"
        if exact and given < wanted:
            return f"gives {given} batches in pass {number}, {wanted} in the original"
    if len(after) < len(before):
        return f"is gone through {len(after)} times, {len(before)} times in the original"
    return ""
