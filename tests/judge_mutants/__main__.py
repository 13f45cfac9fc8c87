"""Prints, for each kind of breakage, in how many programs it was planted and what the judge made of it.

python -m tests.judge_mutants [--apart] [--kinds NAME ...] [--markdown] [--most N] [--missed FILE] [--diffs]
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections import Counter
from itertools import islice

from tests.judge_mutants.kinds import KINDS, Kind
from tests.judge_mutants.scoring import Mutant, Outcome, judged, mutants

CAUGHT, ELSEWHERE, MISSED = Outcome


def main() -> None:
    """Plant, judge, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.judge_mutants", description=__doc__)
    parser.add_argument("--apart", action="store_true", help="the kinds that nobody mended by yet")
    parser.add_argument("--kinds", nargs="*", help="only these")
    parser.add_argument("--markdown", action="store_true", help="the table as Markdown")
    parser.add_argument("--missed", help="a file for what was missed: the change, and what the judge said")
    parser.add_argument("--most", type=int, help="so many programs for each kind; without it all")
    parser.add_argument("--diffs", action="store_true", help="print what is planted, and judge nothing")
    options = parser.parse_args()
    chosen = [one for one in KINDS.values() if one.apart == options.apart]
    chosen = [one for one in chosen if not options.kinds or one.name in options.kinds]
    chosen.sort(key=lambda one: (one.obligation, one.name))
    table: dict[Kind, Counter[Outcome]] = {}
    missed: list[str] = []
    for kind in chosen:
        made = list(islice(mutants(kind), options.most))
        if options.diffs:
            print("".join(f"## {kind.name} {one.program.name}\n{_diff(one)}" for one in made))
            continue
        table[kind] = _scored(made, missed)
        print(f"{kind.name}: {dict(table[kind])}", file=sys.stderr, flush=True)
    if not options.diffs:
        print(_table(table, options.markdown))
    if options.missed:
        with open(options.missed, "w", encoding="utf-8") as file:
            file.write("\n".join(missed))


def _scored(made: list[Mutant], missed: list[str]) -> Counter[Outcome]:
    counted: Counter[Outcome] = Counter()
    for one in made:
        outcome, found = judged(one)
        counted[outcome] += 1
        if outcome is not CAUGHT:
            said = "; ".join(f"{each.standing.value} {each.path}:{each.line} {each.message}" for each in found)
            missed.append(
                f"## {one.kind.name} ({outcome.value}) in {one.program.name}\nBroken: {one.kind.about} "
                f"Lines {sorted(one.changed)}.\n```diff\n{_diff(one)}```\nThe judge: {said or 'nothing new'}\n"
            )
    return counted


def _diff(one: Mutant) -> str:
    before, after = one.source.text.splitlines(), one.text.splitlines()
    lines = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
    return "".join(f"{line}\n" for line in lines)


def _table(table: dict[Kind, Counter[Outcome]], markdown: bool) -> str:
    rows = [("", "kind", "planted", "caught", "elsewhere", "missed", "share")]
    for kind, counted in table.items():
        rows.append((str(kind.obligation), kind.name, *_numbers(counted)))
    rows.append(("", "all", *_numbers(sum(table.values(), Counter()))))
    if not markdown:
        return "\n".join("{:2} {:34} {:>8} {:>7} {:>9} {:>7} {:>6}".format(*row) for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ("---",) * 2 + ("--:",) * 5, *rows[1:]])


def _numbers(counted: Counter[Outcome]) -> tuple[str, str, str, str, str]:
    planted = sum(counted.values())
    share = f"{100 * counted[CAUGHT] / planted:.0f}%" if planted else ""
    return str(planted), str(counted[CAUGHT]), str(counted[ELSEWHERE]), str(counted[MISSED]), share


if __name__ == "__main__":
    main()
