"""The loops of a program that train or evaluate, and what became of each obligation in them."""

from __future__ import annotations

from collections.abc import Iterable

from codemods.kit.meaning.record import AVERAGED, COMPILED, COST, LATEST, MEETING, ONCE, TOGETHER
from migrate.engine.certificate import Finding, LoopCertificate, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import FOLLOWED, REACHED, SHARE
from migrate.engine.obligations.unjudged import passed_over
from migrate.engine.turns import innermost, loops_of

TRAINING = (LATEST, AVERAGED, ONCE, SHARE, MEETING, TOGETHER, REACHED, FOLLOWED, COMPILED, COST)
EVALUATING = (ONCE, MEETING, TOGETHER, FOLLOWED, COMPILED, COST)


def certify(comparison: Comparison, findings: Iterable[Finding]) -> tuple[LoopCertificate, ...]:
    """A certificate for each loop that trains, followed or not, and each that runs a network."""
    made = []
    for site, turns in loops_of(comparison.after.record.events).items():
        trains = bool(innermost(turns, "backward"))
        if not trains and not innermost(turns, "forward"):
            continue
        places = {(one.site.path, one.site.line) for one in turns.events} | {(site.path, site.line)}
        worst: dict[str, Standing] = dict.fromkeys(TRAINING if trains else EVALUATING, Standing.SHOWN)
        for finding in findings:
            if (finding.path, finding.line) in places:
                worst[finding.obligation] = _worse(worst.get(finding.obligation, Standing.SHOWN), finding.standing)
        if any(one.kind == "spent" for one in turns.events):
            worst[FOLLOWED] = _worse(worst[FOLLOWED], Standing.OPEN)
        _, line = comparison.lines.source(site)
        made.append(LoopCertificate(site.path, site.line, line, trains, tuple(worst.items())))
    for loop in dict.fromkeys(one.loop for one in passed_over(comparison)):
        _, line = comparison.lines.source(loop)
        made.append(LoopCertificate(loop.path, loop.line, line, True, ((FOLLOWED, Standing.OPEN),)))
    return tuple(made)


def _worse(one: Standing, other: Standing) -> Standing:
    order = list(Standing)
    return max(one, other, key=order.index)
