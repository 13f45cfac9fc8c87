"""The judge: translation validation of a migration.

Two texts go in, an original program and what was made of it. Both are executed abstractly (`codemods.kit.meaning`), the
original with the models of CUDA, the result with those of torch_xla. What execution found wrong by itself, and what
comparing the two executions shows, is a certificate: each loop that trains with its obligations, each violation with
its lines. The judge knows nothing of what the codemods believed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from codemods.kit.meaning.execution import Execution, execute
from codemods.kit.meaning.parameters import NOT_THERE
from codemods.kit.meaning.record import BOUND, HAS, MEETING, TOGETHER, Part, Verdict
from codemods.kit.meaning.record import Finding as Known
from codemods.kit.meaning.values import Site
from codemods.kit.targets import Target
from migrate.engine.by_turns import by_turns
from migrate.engine.certificate import Certificate, Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.correspondence import Lines, entries
from migrate.engine.loops import certify
from migrate.engine.obligations.averaging import trains_in_parallel
from migrate.engine.obligations.checks import compare
from migrate.engine.obligations.kinds import REACHED
from migrate.engine.originals import execute_original

_STANDINGS = {Verdict.VIOLATED: Standing.VIOLATED, Verdict.OPEN: Standing.OPEN, Verdict.COST: Standing.COST}


def judge(migrated: Mapping[str, str], original: Mapping[str, str] | None = None, *, target: Target) -> Certificate:
    """Judge a program that runs on torch_xla.

    `migrated`: its files, path to text. `original`: the program on CUDA it was made from, by the same paths; without it
    the program is judged by itself. Never raises: what the engine cannot do is an open obligation.
    """
    lines = Lines(original or {}, migrated)
    trees = lines.trees
    legacy = target.version < (2, 0)
    before: Execution | None = None
    if original is not None:
        before = execute_original(original, legacy=legacy).execution
    several = before is not None and trains_in_parallel(before)
    cuts = before.cuts if before is not None else frozenset[Part]()
    after = _executed(trees, several=several, legacy=legacy, cuts=cuts)
    comparison = Comparison(before, after, lines, target.version)
    found = [*_by_itself(comparison), *compare(comparison)]
    findings = _sorted(found, lines)
    return Certificate(certify(comparison, findings), findings, after.steps, tuple(trees))


def _executed(
    trees: Mapping[str, ast.Module], *, several: bool, legacy: bool, cuts: frozenset[Part]
) -> Execution:
    try:
        return execute(trees, entries(trees), cuda=False, several=several, legacy=legacy, cuts=cuts)
    except (RecursionError, Exception) as error:
        return Execution(failure=f"{type(error).__name__}: {error}")


def _by_itself(comparison: Comparison) -> list[Finding]:
    """What executing the result found wrong, but for what was wrong in the original in the same way."""
    before = comparison.before
    known = (
        {(one.obligation, one.site.path, one.site.line) for one in before.record.findings.values()} if before else set()
    )
    named = (
        {(one.site.path, one.message) for one in before.record.findings.values() if one.obligation in (BOUND, HAS)}
        if before
        else set()
    )
    turns = by_turns(comparison.after.record)
    own = [
        one
        for one in comparison.after.record.spoken()
        if (one.obligation, *comparison.lines.source(one.site)) not in known
        and (one.site.path, one.message) not in named
        and not (one.obligation == TOGETHER and one.site in turns and "rendezvous waits" in one.message)
        and not (one.obligation == BOUND and comparison.lines.bound_before(one.site, one.message))
    ]
    return [
        comparison.finding(one.obligation, _STANDINGS[one.verdict], one.site, one.message, one.cause, one.chain)
        for one in _once_for_a_cause(own, comparison.lines)
    ]


def _once_for_a_cause(findings: Iterable[Known], lines: Lines) -> Iterator[Known]:
    """The first place of several: host and accelerator meet in one call of a network, or because of one tensor; or a
    variable of the file is a device that is not there."""
    seen: set[Site | str] = set()
    for one in findings:
        why: Site | str | None = None
        if one.obligation == MEETING:
            inside = next((at for at, site in enumerate(one.chain) if site.function == "forward"), 0)
            why = one.chain[inside - 1] if inside else one.cause
        elif one.message == NOT_THERE and "cuda" not in lines.text(one.site):
            why = one.site.path
        if why in seen:
            continue
        seen |= {why} if why is not None else set()
        yield one


def _sorted(found: list[Finding], lines: Lines) -> tuple[Finding, ...]:
    order = list(Standing)
    once: dict[tuple[str, ...], Finding] = {}
    for one in found:
        other = one.message if one.obligation == REACHED else ""  # these have causes of their own
        key = (one.obligation, one.path, str(one.line), other)
        if key not in once or order.index(once[key].standing) < order.index(one.standing):
            once[key] = one
    return tuple(sorted(once.values(), key=lambda one: (one.path, one.line, one.obligation)))
