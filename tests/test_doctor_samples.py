"""`tc-migrate doctor`, failure by failure: each line of `doctor/shown/ID.txt` shows ID, none of `not_shown/ID.txt`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from migrate.aliases import ALIASES
from migrate.doctor.diagnosis import diagnose
from migrate.doctor.failures import Failure
from migrate.doctor.known import FAILURES, SIGNS
from migrate.doctor.pieces import read_text
from migrate.doctor.scan import Scan
from migrate.doctor.sieve import shape_of
from migrate.registry import rules

FOLDER = Path(__file__).parent / "doctor"
BY_OTHER_MEANS = {"TCL090", "TCL091", "STL-ckpt", "SMP001"}
"""Told by more than one message: tests/test_doctor.py has logs for them."""


def samples(kind: str) -> Iterator[tuple[str, str]]:
    for path in sorted((FOLDER / kind).glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield path.stem, line


def to_json(line: str) -> str:
    event = {"logStreamName": "job/algo-2-1678363199", "message": line, "timestamp": 1678363200000}
    return json.dumps({"events": [event, {"message": "epoch 2"}]}, separators=(",", ":"), ensure_ascii=False)


def colour_words(line: str) -> str:
    return re.sub(r"('[^']*'|\d+)", "\x1b[1;31m\\1\x1b[0m", line)


DRESSES: dict[str, Callable[[str], str]] = {
    "rank": lambda line: f"[1,mpirank:3,algo-2]<stderr>:{line}",
    "colour": lambda line: f"\x1b[34m{line}\x1b[0m",
    "coloured words": colour_words,
    "escaped colour": lambda line: f"#033[31m{line}#033[0m",
    "CRLF": lambda line: f"{line}\r",
    "after a progress bar": lambda line: f" 10%|█         | 1/10\r{line}",
    "after an escaped progress bar": lambda line: f" 10%|█         | 1/10#015{line}#015",
    "CloudWatch": to_json,
    "CloudWatch, text": lambda line: f"EVENTS\t36\t1678363200003\tjob/algo-2-1678363199\t{line}\t1678363200000",
    "compose": lambda line: f"algo-2-x7k2p  | {line}",
    "curly": lambda line: re.sub(r"'([^']*)'", "‘\\1’", line),  # noqa: RUF001
    "capitals": str.upper,
    "in a long line": lambda line: "x y " * 3_000 + line + " z" * 6_000,
    "as the reason of a failure": lambda line: f'ErrorMessage "{line}" Command "/opt/conda/bin/python3.9 train.py"',
}


def shown_by(*lines: str) -> dict[str, int]:
    """The ids of what a log shows, each with the line of the first time."""
    scan = Scan("job.log")
    scan.feed("\n".join(lines).encode())
    scan.close()
    return {finding.failure.id: finding.line for finding in diagnose([scan]).findings}


@pytest.mark.parametrize(("id", "line"), list(samples("shown")))
def test_is_shown(id: str, line: str) -> None:
    assert shown_by("epoch 1", line, "epoch 2").get(id) == 2


@pytest.mark.parametrize("dress", DRESSES)
def test_is_shown_in_whatever_it_comes(dress: str) -> None:
    """By all samples at once: those that are not found are told."""
    lost = [f"{id}: {line}" for id, line in samples("shown") if shown_by("epoch 1", DRESSES[dress](line)).get(id) != 2]
    assert lost == []


@pytest.mark.parametrize(("id", "line"), list(samples("not_shown")))
def test_is_not_shown(id: str, line: str) -> None:
    assert id not in shown_by("epoch 1", line, "epoch 2")


@pytest.mark.parametrize("kind", ["shown", "not_shown"])
def test_every_failure_has_samples(kind: str) -> None:
    assert {id for id, _ in samples(kind)} == FAILURES.keys() - BY_OTHER_MEANS


@pytest.mark.parametrize("failure", FAILURES.values(), ids=lambda failure: failure.id)
def test_every_clue_is_needed(failure: Failure) -> None:
    """Each is shown by a sample: a text that none has would be a guess."""
    texts = [read_text(line.encode()) for id, line in samples("shown") if id == failure.id]
    if failure.id not in BY_OTHER_MEANS:
        assert [clue.phrase for clue in failure.clues if not any(clue.regex.search(text) for text in texts)] == []


@pytest.mark.parametrize("failure", FAILURES.values(), ids=lambda failure: failure.id)
def test_what_is_named_exists(failure: Failure) -> None:
    assert {*failure.follows, *filter(None, [failure.part_of])} <= FAILURES.keys()
    assert failure.id not in failure.follows
    assert {*failure.rules} <= {*rules(), *ALIASES}


def test_no_failure_follows_from_itself_through_others() -> None:
    from graphlib import TopologicalSorter

    order = list(TopologicalSorter({id: failure.follows for id, failure in FAILURES.items()}).static_order())
    assert set(order) == FAILURES.keys()


def test_a_phrase_is_long_enough_to_be_rare() -> None:
    """Three letters at the least, or every block would be looked at closely."""
    clues = [clue for failure in FAILURES.values() for clue in failure.clues]
    clues += [clue for each in SIGNS.values() for clue in each]
    assert [clue.phrase for clue in clues if len(shape_of(clue.phrase.encode())) < 3] == []


def test_the_page_lists_every_failure() -> None:
    page = (FOLDER.parent.parent / "docs" / "doctor.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^\| ([A-Z]{3}\S+) \| (.*?) \|", page) == [
        (failure.id, failure.summary) for failure in FAILURES.values()
    ]
