"""The table of docs/scoreboard.md, and the list of scripts behind it. The scripts themselves are not here to be run."""

from __future__ import annotations

from migrate.smoke.compare import compare
from migrate.smoke.record import Ending, Run, Side, Worker
from tests.smoke.third_party import HEADER, PAGE, Result, row, update
from tests.smoke.third_party_scripts import ENTRIES, SOURCES

TABLE = f"before\n\n{HEADER}\n|---|\n| a | smtc | 4 |\n| b | smtc | 5 |\n\nafter\n"


def result(losses: tuple[float, ...], gradient: float = 1.0) -> Result:
    sides = (Side.CUDA, (1.0, 0.5)), (Side.XLA, losses)
    runs = [
        Run(side, Ending.ENDED, 1.0, "", (Worker(steps=(2,), losses=tuple(enumerate(values)), gradients=(gradient,)),))
        for side, values in sides
    ]
    return Result(ENTRIES[0], "torch-xla", {}, *runs, compare(*runs))


def test_rows_replace_older_ones() -> None:
    page = update(TABLE, ["| b | smtc | 6 |", "| a | torch-xla | 7 |"])
    table = "| a | smtc | 4 |\n| a | torch-xla | 7 |\n| b | smtc | 6 |"
    assert page == f"before\n\n{HEADER}\n|---|\n{table}\n\nafter\n"


def test_a_row_says_what_happened() -> None:
    assert "**proved**" in row(result((1.0, 0.5)))
    diverged = row(result((1.0, 0.7)))
    assert "diverged: loss of step 2" in diverged
    assert "**proved**" not in diverged
    assert "every gradient of the original is zero" in row(result((1.0, 0.5), gradient=0.0))


def test_entries_are_complete() -> None:
    assert {entry.source for entry in ENTRIES} <= set(SOURCES)
    assert all(entry.path.endswith(".py") and entry.steps > 0 for entry in ENTRIES)
    assert len({(entry.source, entry.path, entry.arguments) for entry in ENTRIES}) == len(ENTRIES)


def test_the_page_has_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8").count(HEADER) == 1
