"""A small part of `python -m tests.fuzz`: a sample of the standard library, and mutated golden scripts."""

from __future__ import annotations

import os
import random
import signal
import sysconfig
import warnings
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from migrate.files import Unreadable
from migrate.migration import Migration, Status
from tests import fuzz
from tests.fuzz import PASSES, Verdict, Worker, judge, read_files
from tests.goldens import TARGETS
from tests.mutants import MUTATIONS, mutant
from tests.untouched import altered_lines, foreign_ends

SMTC = TARGETS["smtc"]


def test_a_sample_of_the_standard_library() -> None:
    """Not by chance: the same files every time on one Python."""
    judged = 0
    for name, text in read_files([Path(sysconfig.get_path("stdlib"))], limit=60, seed=1):
        if isinstance(text, Unreadable) or len(text) > 40_000:
            continue
        verdict, detail, *_ = judge(text, SMTC, foreign=True)
        assert verdict in ("unchanged", "skipped"), f"{name}: {verdict}: {detail}"
        judged += 1
    assert judged > 30


@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_mutants_are_not_broken(chance: random.Random) -> None:
    """Whatever is migrated compiles and keeps its bytes; that a second run changes nothing is asked of scripts that
    make sense, which mutants often do not."""
    text = mutant(chance)
    assume(text is not None)
    assert text is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict, detail, *_ = judge(text, SMTC, foreign=False)
    assert verdict in PASSES | {"second run changes"}, f"{verdict}: {detail}\n{text}"


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__)
def test_a_mutation_changes_most_texts(mutate: object) -> None:
    text = "import torch\n\n\ndef f(x):\n    y = x.cuda()\n    return y + 1\n"
    assert callable(mutate)
    changed = [mutate(text, random.Random(seed)) != text for seed in range(20)]
    assert sum(changed) > 10


# --- the checks can fail -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "result", "verdict"),
    [
        ("x = 1\n", "x = (\n", "does not compile"),
        ("x = 1\n", "x = 2\n", "changed without CUDA"),
        ("cuda = 1\n", "cuda = 2\n", "second run changes"),
    ],
)
def test_a_broken_promise_is_seen(monkeypatch: pytest.MonkeyPatch, source: str, result: str, verdict: str) -> None:
    def broken(text: str, *, target: object) -> Migration:
        return Migration("-", "smtc", Status.MIGRATED, text, result if text == source else text + "# again\n")

    monkeypatch.setattr(fuzz, "migrate", broken)
    if verdict == "does not compile":
        assert fuzz._judge_result(source, result, SMTC) is not None
    assert judge(source, SMTC, foreign=verdict != "does not compile")[0] == verdict


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("a\nb  \nc\nd\n", "a\nb\nc\nD\n"),
        ("a\r\nb\r\nc\nd\n", "a\nb\nc\nD\n"),
        ("a\n\x0cb\nc\nd\n", "a\nb\nc\nD\n"),
    ],
)
def test_altered_bytes_are_seen(source: str, result: str) -> None:
    assert altered_lines(source, result)
    assert altered_lines(source, source) == []


def test_foreign_ends_are_seen() -> None:
    assert foreign_ends("a\r\nb\r\n", "a\r\nc\nb\r\n") == {"\n"}


def test_a_run_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What passed is not judged again; a finding is."""
    verdicts = {"good": Verdict("migrated", "", 2, 1), "bad": Verdict("failed", "")}
    asked: list[str] = []

    class Judge:
        about = (SMTC, True)

        def judge(self, text: str) -> Verdict:
            asked.append(text)
            return verdicts[text]

    for findings in (1, 1):
        journal = fuzz.Journal(tmp_path / "journal")
        texts = [("a.py", "good"), ("b.py", "bad")]
        assert fuzz.run(texts, cast(Worker, Judge()), None, float("inf"), journal) == findings
        assert "1 texts, 0 lines, 2 edits, 1 notes" in capsys.readouterr().out
    assert asked == ["good", "bad", "bad"]


def test_a_text_that_kills_the_process_is_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next text goes to a new process."""

    def serve(connection: object, target: object, foreign: bool) -> None:
        text = connection.recv()  # type: ignore[attr-defined]
        if text == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        connection.send(("unchanged", ""))  # type: ignore[attr-defined]

    monkeypatch.setattr(fuzz, "_serve", serve)
    worker = Worker(SMTC, foreign=True)
    assert worker.judge("die")[0] == "killed the process (-9)"
    assert worker.judge("live")[0] == "unchanged"
    worker.process.kill()
