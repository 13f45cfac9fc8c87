"""`python -m tests.recorded_events [NAME|FOLDER ...] [--markdown]`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from migrate.smoke.environments import provision
from migrate.smoke.record import Side
from tests.recorded_events.comparison import KINDS, Comparison, compare
from tests.recorded_events.programs import programs
from tests.recorded_events.recordings import recorded


def main() -> None:
    """Run what was not run before, compare, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorded_events", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names of goldens, or folders of programs")
    parser.add_argument("--kept", action="store_true", help="only programs that were run before")
    parser.add_argument("--markdown", action="store_true", help="the table of the documentation")
    arguments = parser.parse_args()
    environment = provision("2.9")
    totals = {side: Counter[str]() for side in Side}
    kinds = {kind: Counter[str]() for kind in KINDS}
    facts: dict[str, Counter[str]] = {}
    trained = 0
    for program in programs(arguments.names):
        for side in (Side.CUDA, Side.XLA):
            texts = program.sources if side is Side.CUDA else program.migrated()
            recording = recorded(program, side, texts, environment, kept=arguments.kept)
            if recording is None or not recording.trained:
                break
            trained += side is Side.CUDA
            found = compare(texts, program.entry, recording, cuda=side is Side.CUDA)
            count(found, totals[side], kinds)
            for fact in found.facts:
                known = "not known" if "unknown" in fact.predicted else "right"
                facts.setdefault(fact.what, Counter())[known if fact.right else "wrong"] += 1
            if not arguments.markdown:
                show(program.name, side, recording.ending, found)
    say(trained, totals, kinds)
    print("\n| | recorded | predicted | not known | wrong |\n|---|--:|--:|--:|--:|")
    for what, sums in sorted(facts.items()):
        print(f"| {what} | {sums.total()} | {sums['right']} | {sums['not known']} | {sums['wrong']} |")


def count(found: Comparison, total: Counter[str], kinds: dict[str, Counter[str]]) -> None:
    """Add one comparison to the sums."""
    total["programs"] += 1
    for name, keys in (("hit", found.hit), ("missed", found.missed), ("invented", found.invented)):
        total[name] += len(keys)
        for key in keys:
            kinds[key[0]][name] += 1


def show(name: str, side: Side, ending: str, found: Comparison) -> None:
    """One run, and each event that was missed or invented."""
    sums = f"{len(found.hit)} hit, {len(found.missed)} missed, {len(found.invented)} invented"
    print(f"{name} {side.value}: {sums} ({ending}) {found.failure}", flush=True)
    for word, keys in (("missed", found.missed), ("invented", found.invented)):
        for kind, path, line in sorted(keys, key=lambda key: key[1:]):
            print(f"    {word} {kind} {path}:{line}")
    for fact in found.facts:
        if not fact.right:
            predicted = ", ".join(fact.predicted) or "none"
            print(f"    wrong {fact.what} {fact.path}:{fact.line}: recorded {fact.recorded}, predicted {predicted}")


def say(trained: int, totals: dict[Side, Counter[str]], kinds: dict[str, Counter[str]]) -> None:
    """The sums."""
    rows = [(side.value, total) for side, total in totals.items() if total["programs"]]
    every = sum((total for _, total in rows), Counter[str]())
    print(f"{trained} programs that train", file=sys.stderr)
    print("| | runs | recorded | predicted of them | invented |\n|---|--:|--:|--:|--:|")
    for name, total in (*rows, ("all", every), *kinds.items()):
        recorded_here = total["hit"] + total["missed"]
        predicted = total["hit"] + total["invented"]
        share = f"{100 * total['hit'] / recorded_here:.1f} %" if recorded_here else ""
        more = f"{total['invented']} ({100 * total['invented'] / predicted:.1f} %)" if predicted else "0"
        print(f"| {name} | {total['programs'] or ''} | {recorded_here} | {total['hit']} ({share}) | {more} |")


if __name__ == "__main__":
    main()
