"""The promises over any scripts: `python -m tests.scoreboard PATHS...` (files, or folders: each is one project).

Prints a table for each target, and what is broken below it; `--json` the same as JSON, `--markdown` as the table of
docs/scoreboard.md. Exit code 1 when a promise is broken: a file fails, a result does not compile, a second run changes
something, a name does not exist in the target, CUDA is left without a note, an import resolves no more, or a training
loop is neither migrated completely nor noted.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from codemods.kit.targets import Target
from tests.scoreboard.score import Score, score
from tests.scoreboard.texts import commit_of, sources

TARGETS = ("smtc", "torch-xla==2.9")
_COLUMNS = ("files", "relevant", "migrated", "unchanged", "refused", "skipped", "failed", "edits", "notes", "compile",
            "CUDA rewritten", "noted", "silent", "loops", "complete", "noted", "lost", "imports", "CPU s",
            "broken")  # fmt: skip
_MARKDOWN = ("project", "commit", "files", "of torch", "migrated / unchanged / refused / skipped / failed", "edits",
             "notes", "compile", "CUDA rewritten / noted / silent", "loops found / complete / noted / lost", "imports",
             "CPU s", "broken")  # fmt: skip
Scores = dict[str, dict[str, Score]]
"""By target, by project."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--target", action="append", help="one target only; may be repeated")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    targets = options.target or TARGETS
    scores: Scores = {target: {} for target in targets}
    total = {target: Score() for target in targets}
    for path in options.paths:
        project = sources(path)
        name = f"{path.name}@{commit}" if (commit := commit_of(path)) else path.name
        for target in targets:
            found = scores[target][name] = score(project, Target.parse(target))
            total[target].add(found, name)
        broken = [
            f"{what}: {one}" for target in targets for what, each in scores[target][name].broken.items() for one in each
        ]
        print(name, *dict.fromkeys(broken), sep="\n  ", file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps(_plain(scores, total), indent=1))
    else:
        for target in targets:
            (print_markdown if options.markdown else print_table)(target, scores[target], total[target])
    return 1 if any(found.broken for found in total.values()) else 0


def _plain(scores: Scores, total: dict[str, Score]) -> dict[str, object]:
    return {
        target: {
            "projects": {name: found.plain() for name, found in scores[target].items()},
            "total": total[target].plain(),
        }
        for target in scores
    }


def row(name: str, found: Score) -> list[str]:
    """The cells of one line, as in _COLUMNS."""
    ended, sites, loops = found.ended, found.sites, found.loops
    numbers = (
        found.files, found.relevant, ended["migrated"], ended["unchanged"], ended["refused"], ended["skipped"],
        ended["failed"], found.edits, found.notes, found.compiled, sites["rewritten"], sites["noted"], sites["silent"],
        loops.found.total(), loops.complete, loops.noted, len(loops.lost), found.imports,
    )  # fmt: skip
    broken = sum(map(len, found.broken.values()))
    return [name, *map(str, numbers), f"{found.seconds:.1f}", str(broken)]


def print_table(target: str, projects: dict[str, Score], total: Score) -> None:
    rows = [["project", *_COLUMNS], *(row(name, found) for name, found in projects.items()), row("total", total)]
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(rows[0]))]
    print(target)
    for name, *cells in rows:
        print("  ", name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)))
    print_loops(total)
    for what, where in sorted(total.broken.items()):
        print(f"  broken: {what}: {len(where)}")
        for line in where:
            print(f"    {line}")


def print_markdown(target: str, projects: dict[str, Score], total: Score) -> None:
    print(f"\n### {target}\n\n| {' | '.join(_MARKDOWN)} |\n|{'---|' * len(_MARKDOWN)}")
    for name, found in [*projects.items(), ("**total**", total)]:
        project, _, commit = name.partition("@")
        cells = row(name, found)[1:]
        grouped = [*cells[:2], " / ".join(cells[2:7]), *cells[7:10], " / ".join(cells[10:13]), " / ".join(cells[13:17])]
        print(f"| {' | '.join([project.replace('_', '/', 1), commit, *grouped, *cells[17:]])} |")
    print_loops(total)


def print_loops(total: Score) -> None:
    kinds = ", ".join(f"{kind} {count}" for kind, count in total.loops.found.most_common())
    print(f"\nTraining loops by evidence: {kinds or 'none'}.")


if __name__ == "__main__":
    raise SystemExit(main())
