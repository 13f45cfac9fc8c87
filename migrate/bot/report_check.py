"""A plan as a check run of the commit that was migrated: begun once, and gone on with where another run was ended."""

from __future__ import annotations

from migrate.batch.digests import digest
from migrate.bot.checks import MOST, portions
from migrate.bot.plan import Plan
from migrate.forge.github import Forge

NAME = "tc-migrate"


def report_check(plan: Plan, forge: Forge) -> None:
    """Bring the check run about. It has a result only when all annotations are there. Raises ForgeError."""
    base, id = plan.marker.base, identify(plan)
    runs = forge.check_runs(base, NAME)
    run = next((each for each in runs if each.external_id == id), None) or forge.start_check(base, NAME, id)
    if run.is_complete:
        return
    # GitHub adds the annotations of each request to those before, so their number says where to go on.
    for portion in portions(plan.annotations[:MOST][run.annotations :]):
        forge.annotate(run.id, plan.title, plan.summary, portion)
    forge.conclude(run.id, plan.title, plan.summary, plan.conclusion)


def identify(plan: Plan) -> str:
    """By which the run is found again: the same for the same result, whoever reports it."""
    said = [str(part) for each in plan.annotations for part in each.payload().values()]
    return digest("check", plan.conclusion, plan.title, plan.summary, *said).hex()
