"""Gradients are averaged over the processes exactly where the original's wrapper averaged them."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.execution import Execution
from codemods.kit.meaning.record import AVERAGED
from codemods.kit.meaning.steps import LOCALLY, MEAN, NONE, SUM, Step
from codemods.kit.meaning.values import VARYING, Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison, Made
from migrate.engine.obligations.kinds import REACHED
from migrate.engine.turns import innermost, loops_of


def trains_in_parallel(execution: Execution) -> bool:
    """Whether an original averages gradients over several devices."""
    return execution.several or bool(execution.record.of("wrap"))


def averaged(comparison: Comparison) -> Iterator[Finding]:
    """Each gradient that the original's wrapper averaged is averaged when it is stepped, and no other."""
    before = comparison.gradients_before
    apart = _apart_before(comparison)
    steps = [event.about for event in comparison.after.record.of("step") if isinstance(event.about, Step)]
    somewhere = {comparison.made(site) for step in steps for site, gradient in step.gradients if MEAN in gradient}
    for event in comparison.after.record.of("step"):
        step = event.about
        if not isinstance(step, Step) or not step.several:
            continue
        for site, gradient in sorted(step.gradients, key=str):
            made = comparison.made(site)
            alone, expected = comparison.before is None, before.get(made)
            if expected and MEAN in expected and made not in somewhere:
                expected = {MEAN}  # on some of the original's paths, and on none here
            message = _misreduced(set(gradient.split("/")), expected, alone, made in apart)
            if message:
                yield comparison.finding(AVERAGED, Standing.VIOLATED, event.site, message, step.optimizer, event.chain)
                break


def _apart_before(comparison: Comparison) -> set[Made]:
    """What each process of the original steps with its own gradients, where other gradients are averaged."""
    every = comparison.before.record.of("step") if comparison.before else ()
    steps = [event.about for event in every if isinstance(event.about, Step) and event.about.several]
    if not any(MEAN in gradient for step in steps for _, gradient in step.gradients):
        return set()
    own = {site for step in steps for site, gradient in step.gradients if gradient == LOCALLY}
    return {(site.path, site.line, site.function) for site in own}


def _misreduced(now: set[str], then: set[str] | None, alone: bool, apart: bool) -> str:
    expected = {MEAN} if alone or (then and MEAN in then) else then  # where there is one process only, none averages
    if SUM in now and (expected is None or SUM not in expected):
        return "gradients are summed over the processes but not divided by their number"
    if expected is None:
        return ""
    if LOCALLY in now and MEAN in expected and LOCALLY not in expected:
        return "gradients are stepped as each process has them: nothing averages them over the processes"
    if now == {MEAN} and expected <= {LOCALLY, "none"} and apart:
        return "gradients are averaged that the original kept apart in each process"
    return ""


def there(comparison: Comparison) -> Iterator[Finding]:
    """Gradients that the original stepped with are there where they are averaged."""
    before = comparison.gradients_before
    for event in comparison.after.record.of("reduced none"):
        expected = [before.get(comparison.made(site), {NONE}) for site in event.about]
        if all(MEAN in one and NONE not in one for one in expected):
            message = "nothing is averaged: what this optimizer steps has no gradients yet; several processes end here"
            yield comparison.finding(AVERAGED, Standing.VIOLATED, event.site, message, None, event.chain)


def always(comparison: Comparison) -> Iterator[Finding]:
    """Where each iteration steps, each averages its gradients."""
    for turns in loops_of(comparison.after.record.events).values():
        steps = [one for one in innermost(turns, "step") if VARYING not in one.taints]
        reduced = innermost(turns, "reduce")
        if steps and reduced and all(VARYING in one.taints for one in reduced):
            for event in reduced[:1]:
                message = "gradients are averaged in some iterations, and stepped in all"
                yield comparison.finding(AVERAGED, Standing.OPEN, event.site, message, steps[0].site, event.chain)


def in_parallel(comparison: Comparison) -> Iterator[Finding]:
    """A program that trained in several processes still does."""
    if comparison.before is None or not trains_in_parallel(comparison.before):
        return
    steps = comparison.after.record.of("step")
    spent = comparison.after.spent  # what starts them may come later
    if steps and not spent and not any(isinstance(one.about, Step) and one.about.several for one in steps):
        message = "the original trained on several devices; nothing here starts more than one process"
        files = {event.site.path for event in comparison.before.record.of("wrap")}
        first = next((event for event in steps if event.site.path in files), steps[0])
        yield comparison.finding(REACHED, Standing.OPEN, first.site, message)


def begun(comparison: Comparison) -> Iterator[Finding]:
    """All processes begin with the same weights where the original's wrapper saw to that."""
    before = comparison.before
    if before is None:
        return
    then = {_made_before(site) for event in before.record.of("begun alone") for site in event.about[1]}
    equal = {made for made, held in comparison.gradients_before.items() if MEAN in held} - then
    for event in comparison.after.record.of("begun alone"):
        optimizer, alone = event.about
        if any(comparison.made(site) in equal for site in alone):
            message = "each process begins with random weights of its own: nothing sends those of one to the others"
            yield comparison.finding(AVERAGED, Standing.VIOLATED, event.site, message, optimizer, event.chain)


def _made_before(site: Site) -> tuple[str, int, str]:
    """Where a parameter of the original was made, as `Comparison.made` says it of the result's."""
    return site.path, site.line, site.function
