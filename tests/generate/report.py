"""The figures of a campaign, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tests.generate.dimensions import DIMENSIONS
from tests.generate.grammar import spell
from tests.generate.verdict import Judgement

OUTCOMES = ("right", "silent, wrong", "said, wrong", "said, right", "invalid")
FEW = 5
"""A value that fewer programs have says nothing."""
MORE = 1.5
"""How many times the usual share a value has to have, to be named."""
SMALL, WORST = 15, 20
"""How many choices the programs have fewer of, and how many values are named."""
STRIDE, MOST = 5, 5
"""Programs are counted by so many choices, the last row being all that have more."""


def figures(judgements: Sequence[Judgement], by_dimension: bool = False) -> str:
    """All tables."""
    parts = [_outcomes(judgements), _classes(judgements)]
    ran = [judgement.executions for judgement in judgements if judgement.ran and not judgement.faults]
    if ran:
        bounds = ((0.0, 1.3), (1.3, 2.2), (2.2, 1e9))
        counts = " / ".join(str(sum(low < count <= high for count in ran)) for low, high in bounds)
        parts.append(f"Executions a step, of those without a fault: up to 1.3 / up to 2.2 / more: {counts}\n")
    if by_dimension:
        parts += [_sizes(judgements), _dimensions(judgements)]
    return "\n".join(parts)


def _outcomes(judgements: Iterable[Judgement]) -> str:
    counted = Counter(judgement.outcome for judgement in judgements)
    total = sum(counted.values()) - counted["invalid"]
    rows = [f"| {name} | {counted[name]} | {100 * counted[name] / max(1, total):.1f} % |" for name in OUTCOMES[:-1]]
    head = "| outcome | programs | share |\n|---|---|---|"
    return (
        "\n".join([head, f"| programs | {total} | |", *rows]) + f"\n\nOriginals that do not run: {counted['invalid']}\n"
    )


def _classes(judgements: Iterable[Judgement]) -> str:
    silent: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for judgement in judgements:
        if judgement.faults:
            (said if judgement.said else silent)[judgement.faults[0]] += 1
    rows = [
        f"| {name.replace('|', ' ')} | {silent[name]} | {said[name]} |"
        for name in sorted({*silent, *said}, key=lambda name: (-silent[name], -said[name], name))
    ]
    return "\n".join(["| first fault | silent | said |\n|---|---|---|", *rows]) + "\n"


def _sizes(judgements: Iterable[Judgement]) -> str:
    """The outcomes by how many choices are not the simplest: what a program is made of hides what else is wrong."""
    counted: dict[int, Counter[str]] = {}
    for judgement in judgements:
        choices = len(spell(judgement.vector).split())
        counted.setdefault(min(choices // STRIDE, MOST), Counter())[judgement.outcome] += 1
    rows = []
    for size, outcomes in sorted(counted.items()):
        span = f"{size * STRIDE} to {size * STRIDE + STRIDE - 1}" if size < MOST else f"{MOST * STRIDE} or more"
        cells = [sum(outcomes.values()) - outcomes["invalid"], *(outcomes[name] for name in OUTCOMES[:-1])]
        rows.append(f"| {span} | {' | '.join(map(str, cells))} |")
    head = f"| choices not the simplest | programs | {' | '.join(OUTCOMES[:-1])} |\n|---|{'---|' * 5}"
    return "\n".join([head, *rows]) + "\n"


def _dimensions(judgements: Sequence[Judgement]) -> str:
    """The values whose programs are wrong without a word more often than all are, the worst first. Programs of many
    choices are left out: any of them may be to blame."""
    valid = [item for item in judgements if not item.invalid and len(spell(item.vector).split()) < SMALL]
    usual = sum(judgement.outcome == "silent, wrong" for judgement in valid) / max(1, len(valid))
    rows = []
    for name, values in DIMENSIONS.items():
        for value in values:
            mine = [judgement for judgement in valid if judgement.vector[name] == value]
            counts = [sum(judgement.outcome == outcome for judgement in mine) for outcome in OUTCOMES[1:-1]]
            if len(mine) >= FEW and counts[0] > MORE * usual * len(mine):
                rows.append(
                    (-counts[0] / len(mine), f"| {name} | {value} | {len(mine)} | {' | '.join(map(str, counts))} |")
                )
    head = f"| choice | value | programs | {' | '.join(OUTCOMES[1:-1])} |\n|---|---|---|---|---|---|"
    return "\n".join([head, *(row for _, row in sorted(rows)[:WORST])]) + "\n"
