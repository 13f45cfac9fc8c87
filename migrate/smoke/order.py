"""Rules over what leads to a step of an optimizer: reduce, unscale, clip, step, in this order and once each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from migrate.smoke.finding import USUAL, Finding, usual
from migrate.smoke.record import Run, Worker
from migrate.smoke.steps import Update, split


@dataclass(frozen=True)
class Rule:
    """One way in which an update can be wrong."""

    kind: str
    text: str
    """A sentence; {} is how many updates of how many."""
    broken: Callable[[Update], bool]
    alone: bool = True
    """Whether it is an error in one process too. What only matters to several is a warning there, unless the script
    calls the reduction by itself: then it is meant for several."""


REDUCE_MISSING = Rule(
    "reduce-missing", "{} steps are taken with gradients that no other rank has seen", lambda update: not update.reduced
)
RULES = (
    Rule(
        "reduce-twice",
        "before {} steps the same gradients are reduced more than once",
        lambda update: len(update.last_reduces) > 1,
    ),
    Rule(
        "reduce-in-accumulation",
        "before {} steps gradients are reduced while they are still accumulated",
        lambda update: update.reduced_early,
    ),
    Rule(
        "clip-before-reduce",
        "before {} steps gradients are clipped and then reduced: each rank clips its own",
        lambda update: update.before("clip", "reduce"),
        alone=False,
    ),
    Rule(
        "unscale-before-reduce",
        "before {} steps gradients are unscaled and then reduced: ranks may skip different steps",
        lambda update: update.before("unscale", "reduce"),
        alone=False,
    ),
    Rule(
        "clip-before-unscale",
        "before {} steps gradients are clipped while they are still scaled",
        lambda update: update.before("clip", "unscale"),
    ),
    Rule(
        "unscale-twice",
        "before {} steps gradients are unscaled more than once",
        lambda update: update.count("unscale") > 1,
    ),
    Rule(
        "update-missing",
        "after {} steps the gradient scaler is not updated",
        lambda update: update.count("unscale") > 0 and not update.scaler_updated and not update.last,
    ),
)


def find_in_order(original: Run | None, migrated: Run) -> Iterator[Finding]:
    """What the rules find on any rank; silent where the original breaks the same rule: that is the script's own."""
    own = {finding.kind for finding in find_in_worker(original.first, RULES)} if original is not None else set()
    rules = (REDUCE_MISSING, *RULES) if len(migrated.workers) > 1 else RULES
    for worker in migrated.workers:
        for finding in find_in_worker(worker, rules, several=len(migrated.workers) > 1):
            if finding.kind not in own:
                yield finding


def find_in_worker(worker: Worker, rules: Sequence[Rule], several: bool = False) -> Iterator[Finding]:
    """What the rules find in one process."""
    updates = split(worker.events)
    for rule in rules:
        wrong = [update for update in updates if rule.broken(update)]
        if not wrong or len(wrong) < USUAL * len(updates):
            continue
        error = rule.alone or several or any(update.explicit_reduce for update in wrong)
        yield Finding(
            rule.kind,
            error,
            rule.text.format(f"{len(wrong)} of {len(updates)}"),
            usual(update.site_of(rule.kind) for update in wrong),
        )
