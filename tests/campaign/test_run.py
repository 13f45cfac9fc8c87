"""A run with work that goes wrong in every way: nothing that one repository does ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.bot.git.commits import Author
from migrate.bot.jobs import Postpone
from migrate.bot.request import Request
from migrate.campaign import run as runs
from migrate.campaign.order import Order, Reach
from migrate.campaign.proposal import Note
from migrate.campaign.record import Record, Stage
from migrate.campaign.run import Run
from migrate.campaign.sources import Kind, Source
from migrate.campaign.state import State
from migrate.campaign.trouble import tell_error

ROOT = Path(__file__).parents[2]
KNOWN = {"tool": "1", "options": "o"}
Work = Callable[[Order, Record, Path], Note]


class Made:
    """A campaign whose work is made up, by the name of the repository."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.order = folder, Order(folder, Request(), Author("x", "x@example.org"), Reach.PR, pause=0.0)
        self.state = State(folder / "state.db")
        self.said: list[str] = []
        self.analyses: dict[str, Work] = {}
        self.writes: dict[str, Work] = {}
        monkeypatch.setattr(runs, "_LATER", 0.01)
        monkeypatch.setattr(runs, "analyse", lambda order, number, *rest: self._do(self.analyses, order, *rest))
        monkeypatch.setattr(runs, "bring_about", lambda *rest: self._do(self.writes, *rest))

    def _do(self, works: dict[str, Work], order: Order, record: Record, folder: Path) -> Note:
        self.count(record.source.text)
        found = works.get(record.source.text)
        done = Note("changes", {**KNOWN, "changes": "c"}) if works is self.analyses else Note("pr", {}, opened=True)
        return found(order, record, folder) if found is not None else done

    def count(self, name: str) -> None:
        """Note in a file, as it is done in a child, that something was begun."""
        with (self.folder / "begun").open("a") as begun:
            begun.write(f"{name}\n")

    def begun(self, name: str) -> int:
        """How often."""
        return (self.folder / "begun").read_text().splitlines().count(name)

    def go(self, *names: str, **options: object) -> dict[str, Record]:
        """A run."""
        order = replace(self.order, **options)  # type: ignore[arg-type]
        numbers = self.state.add(Source(Kind.FORGE, name) for name in names)
        Run(order, self.state, lambda number, record: None, self.said.append).go(numbers)
        return {record.source.text: record for record in self.state.records(numbers).values()}


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """One without repositories."""
    return Made(tmp_path, monkeypatch)


def die(order: Order, record: Record, folder: Path) -> Note:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def hang(order: Order, record: Record, folder: Path) -> Note:
    time.sleep(60)
    raise AssertionError


def fail(order: Order, record: Record, folder: Path) -> Note:
    raise ZeroDivisionError("a mistake of ours, with ghs_" + "x" * 36)


def be_in_trouble(order: Order, record: Record, folder: Path) -> Note:
    return tell_error("unavailable", "502", retryable=True)


def say_nothing(order: Order, record: Record, folder: Path) -> Note:
    os._exit(0)


@pytest.mark.parametrize("place", ["analyses", "writes"])
def test_whatever_one_does_the_others_go_on(made: Made, place: str) -> None:
    bad = {"a/die": die, "a/hang": hang, "a/fail": fail, "a/trouble": be_in_trouble, "a/silent": say_nothing}
    getattr(made, place).update(bad)
    found = made.go("a/1", *bad, "a/2", jobs=3, seconds=2.0)
    assert {name: (each.stage, each.error) for name, each in found.items()} == {
        "a/1": (Stage.PR, ""),
        "a/2": (Stage.PR, ""),
        **dict.fromkeys(("a/die", "a/hang", "a/fail", "a/silent"), (Stage.ERROR, "died")),
        "a/trouble": (Stage.ERROR, "unavailable"),
    }
    assert "SIGKILL" in found["a/die"].reason
    assert "longer than 2 seconds" in found["a/hang"].reason
    assert "ghs_" not in found["a/fail"].reason
    assert found["a/trouble"].retryable
    assert not (made.folder / "work").exists()


def test_what_is_worth_it_is_tried_three_times(made: Made) -> None:
    def recover(order: Order, record: Record, folder: Path) -> Note:
        return Note("pr", {}) if made.begun("a/1") > 5 else be_in_trouble(order, record, folder)

    made.writes["a/1"] = recover
    assert made.go("a/1")["a/1"].stage is Stage.PR
    assert made.begun("a/1") == 6, "each attempt is an analysis and a write"


def test_a_repository_with_which_the_run_ends_each_time_is_given_up(made: Made) -> None:
    (number,) = made.state.add([Source(Kind.FORGE, "a/1")])
    made.state.begin_run()
    for _ in range(5):
        made.state.begin(number)
    found = made.go("a/1", "a/2")
    assert (found["a/1"].error, found["a/2"].stage) == ("lost", Stage.PR)
    assert made.go("a/1", "a/2")["a/1"].stage is Stage.PR, "another run begins anew"


def test_a_limit_holds_all_writes_up_and_no_analysis(made: Made) -> None:
    until = time.time() + 1.0

    def limited(order: Order, record: Record, folder: Path) -> Note:
        if time.time() < until:
            raise Postpone(until, "too many requests")
        return Note("pr", {}, opened=True)

    made.writes.update(dict.fromkeys(("a/1", "a/2", "a/3"), limited))
    found = made.go("a/1", "a/2", "a/3", jobs=2)
    assert {each.stage for each in found.values()} == {Stage.PR}
    assert time.time() >= until
    assert len(made.said) == 1, "who waits does not ask again"
    assert "too many requests; waiting until " in made.said[0]


def test_a_limit_that_is_too_long_is_left_to_another_run(made: Made) -> None:
    def limited(order: Order, record: Record, folder: Path) -> Note:
        raise Postpone(time.time() + 3_600, "too many requests")

    made.writes["a/2"] = limited
    found = made.go("a/1", "a/2", "a/3", wait=60.0)
    assert [each.stage for each in found.values()] == [Stage.PR, Stage.ERROR, Stage.ERROR]
    assert {each.error for each in found.values()} == {"", "limit"}
    made.writes.clear()
    assert {each.stage for each in made.go("a/1", "a/2", "a/3").values()} == {Stage.PR}


def test_pull_requests_that_were_there_do_not_count(made: Made) -> None:
    made.writes["a/1"] = lambda *rest: Note("pr", {})
    found = made.go("a/1", "a/2", "a/3", most=1)
    assert [each.stage for each in found.values()] == [Stage.PR, Stage.PR, Stage.ANALYSED]
    assert found["a/3"].reason == "left for another run by --max-prs"


def test_an_interrupt_around_a_fork_is_not_lost() -> None:
    """What Python calls before and after a fork may raise what it wants: it is printed, and passed over."""
    code = """\
import os, signal
from migrate.bot.child import Bounds, Child
from migrate.bot.jobs import Claim, Job, Outcome
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    Child(lambda claim: Outcome(), Claim(1, Job("", "", ""), 1, ""), Bounds()).start()
    print("lost")
except KeyboardInterrupt:
    print("seen")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("seen\n", "")
