"""Ranks as threads, and what is said of ranks that stand still: whose turn it is, when, and why not. Needs no torch."""

from __future__ import annotations

import os
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.smoke import run as runs
from migrate.smoke.child import place
from migrate.smoke.child.replicas.belongings import Modules, attribute, contents
from migrate.smoke.child.replicas.turns import Rank, State, Turns
from migrate.smoke.child.replicas.watch import FILE, judge
from migrate.smoke.enclosure import Cause, Ended
from migrate.smoke.environments import Environment
from migrate.smoke.exchanges import find_in_exchanges
from migrate.smoke.record import Backend, Ending, Event, Run, Side, Worker
from migrate.smoke.replicas import Standstill, why_not
from migrate.smoke.run import Job, conclude, run
from tests.smoke.test_conclude import HERE, SEEN, SPACE

# --- whether threads can be the ranks -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "version", "launched", "why"),
    [
        ("torch_xla.launch(main)", (2, 9), False, ""),
        ("torch_xla.launch(main)", (2, 8), False, ""),
        ("os.environ['TOKENIZERS_PARALLELISM'] = 'false'; os.chdir(folder)", (2, 9), False, ""),
        ("torch_xla.launch(main)", (2, 1), False, "real replicas need torch_xla 2.8 or newer"),
        ("torch_xla.launch(main)", None, False, "real replicas need torch_xla 2.8 or newer"),
        ("def _mp_fn(index): ...", (2, 9), True, "a launcher outside the script starts its processes"),
        ("signal.signal(signal.SIGTERM, save)", (2, 9), False, "the script sets a signal handler"),
        ("xmp.spawn(f, start_method='fork')", (2, 9), False, "the script forks its processes"),
        ("dist.init_process_group('xla')", (2, 9), False, "the script joins a process group"),
        ("threading.Thread(target=prefetch).start()", (2, 9), False, "the script starts threads of its own"),
        ("mp.Process(target=log).start()", (2, 9), False, "the script starts processes of its own"),
    ],
)
def test_why_there_are_no_replicas(text: str, version: tuple[int, int] | None, launched: bool, why: str) -> None:
    assert why_not(text, version, launched).startswith(why)
    assert bool(why) is bool(why_not(text, version, launched))


# --- ranks that stand still ---------------------------------------------------------------------------------------


def seen(what: str, *ranks: tuple[str, str, str]) -> Standstill:
    described = [
        {"rank": number, "state": state, "site": site, "call": call} for number, (state, site, call) in enumerate(ranks)
    ]
    return Standstill.read({"what": what, "ranks": described})


def test_each_rank_is_named_with_its_line() -> None:
    still = seen("apart", ("executing", "train.py:33", "item"), ("meeting", "train.py:22", "mark"), ("ended", "", ""))
    assert still.sentence == (
        "the ranks ran different graphs: rank 0 waits at train.py:33 (item), rank 1 waits at train.py:22 (mark), "
        "rank 2 has ended"
    )
    alike = seen("apart", ("executing", "train.py:22", "mark"), ("executing", "train.py:22", "mark"))
    assert "rank 1 waits at train.py:22 (mark): on one line, so look for a batch of another shape" in alike.sentence
    ungated = seen("ungated", ("python", "train.py:9", ""), ("meeting", "", "mark"))
    assert ungated.sentence.endswith("rank 0 is at train.py:9, rank 1 waits outside the script (mark)")


@pytest.mark.parametrize(
    ("what", "status", "ending", "beyond"),
    [
        pytest.param("apart", 1, Ending.APART, False, id="the watching thread ended it"),
        pytest.param("waiting", -6, Ending.APART, True, id="XLA ended it first"),
        pytest.param("waiting", 1, Ending.FAILED, False, id="it failed while another waited"),
        pytest.param("waiting", -11, Ending.FAILED, True, id="a crash"),
        pytest.param("ungated", 1, Ending.FAILED, True, id="a wait that no gate saw"),
    ],
)
def test_how_replicas_ended(what: str, status: int, ending: Ending, beyond: bool) -> None:
    job = Job(HERE / "train.py", Side.XLA, Environment("", Path("python")), backend=Backend.REPLICAS, workers=2)
    still = seen(what, ("executing", "train.py:33", "item"), ("meeting", "train.py:22", "mark"))
    ran = conclude(job, SPACE, Ended(Cause.ITSELF, status, "", ()), 1.0, [{**SEEN, "complete": False}], [], still)
    assert ran.ending is ending
    assert ran.beyond is (beyond and ending is not Ending.APART)
    if ending is Ending.APART:
        assert ran.reason == still.sentence


def test_a_standstill_is_believed_when_it_happens_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(HERE / "train.py", Side.XLA, Environment("", Path("python")), backend=Backend.REPLICAS, workers=2)
    still, ended = Run(Side.XLA, Ending.APART, 1.0, "", ()), Run(Side.XLA, Ending.ENDED, 1.0, "", ())
    for outcomes, believed in (([still, ended], ended), ([still, still], still), ([ended], ended)):
        left = iter(outcomes)
        monkeypatch.setattr(runs, "run_once", lambda job, left=left: next(left))
        assert run(job) is believed
        assert not list(left)


# --- whose turn it is ---------------------------------------------------------------------------------------------


class Device:
    """Stands where XLA does: counts the graphs that were looked up."""

    def __init__(self, ranks: int) -> None:
        self.looked_up = 0
        self.order: list[str] = []
        self.loaded: list[object] = []
        self.turns = Turns(ranks, lambda: self.looked_up, list, self.loaded.append)

    def run(self, *scripts: Callable[[Rank], None]) -> None:
        threads = [
            threading.Thread(target=self.live, args=(rank, script), daemon=True)
            for rank, script in zip(self.turns.ranks, scripts, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        assert self.turns.ended, [(rank.number, rank.state) for rank in self.turns.ranks]

    def live(self, rank: Rank, script: Callable[[Rank], None]) -> None:
        rank.thread = threading.get_ident()
        self.turns.take(rank)
        script(rank)
        self.turns.end(rank)

    def execute(self, rank: Rank, call: str, wait: threading.Event | None = None, ends_step: bool = True) -> None:
        """A gate, as `gates` makes it, with a graph that ends when `wait` is set."""
        rank.call, rank.ends_step = call, ends_step
        self.turns.enter(rank)
        self.order.append(f"{rank.number} {call}")
        self.looked_up += 1
        if wait is not None:
            assert wait.wait(10)
        rank.pending = rank.pending and not ends_step
        self.turns.come_back(rank)


def test_a_turn_passes_while_a_graph_is_executed() -> None:
    device = Device(2)
    met = threading.Event()

    def second(rank: Rank) -> None:
        device.execute(rank, "second")
        met.set()

    device.run(lambda rank: device.execute(rank, "first", met), second)
    assert device.order == ["0 first", "1 second"]


def test_one_rank_runs_python_at_a_time() -> None:
    device = Device(3)
    inside, most = [0], [0]

    def script(rank: Rank) -> None:
        for _ in range(20):
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            assert device.turns.owner is rank
            assert device.turns.loaded is rank
            inside[0] -= 1
            device.execute(rank, "step")

    device.run(script, script, script)
    assert most == [1]


def test_a_collective_waits_until_the_others_come_to_one() -> None:
    """Rank 0 reads alone what no other rank does; rank 1's mark, which holds a collective, starts after that."""
    device = Device(2)

    def reads_first(rank: Rank) -> None:
        rank.pending = False
        for number in range(3):
            device.execute(rank, f"read {number}", ends_step=False)
        rank.pending = True
        device.execute(rank, "mark")

    def marks(rank: Rank) -> None:
        rank.pending = True
        device.execute(rank, "mark")

    device.run(reads_first, marks)
    assert device.order[:3] == ["0 read 0", "0 read 1", "0 read 2"]
    assert sorted(device.order[3:]) == ["0 mark", "1 mark"]


def test_a_helping_thread_works_for_the_owner() -> None:
    device = Device(2)
    first, second = device.turns.ranks
    first.thread = -7
    device.turns.owner = second
    found: list[Rank | None] = []
    thread = threading.Thread(target=lambda: found.append(device.turns.current()))
    thread.start()
    thread.join()
    assert found == [second]
    assert device.turns.current() is None, "the thread that launched them is no rank"


def test_ranks_that_wait_for_each_other_end_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    device = Device(2)
    first, second = device.turns.ranks
    first.state, second.state = State.EXECUTING, State.PYTHON
    device.turns.owner = first
    judge(device.turns, tmp_path / FILE)
    assert ended == [], "one rank may still run"
    second.state = State.MEETING
    judge(device.turns, tmp_path / FILE)
    assert ended == [1]
    assert '"apart"' in (tmp_path / FILE).read_text()


# --- what a rank has to itself ------------------------------------------------------------------------------------


def test_containers_keep_their_identity() -> None:
    holder = types.SimpleNamespace(value=1)
    things: list[tuple[object, object, object]] = [([1], [1], [1, 2]), ({"a": 1}, {"a": 1}, {"b": 2}), ({1}, {1}, {2})]
    for container, before, after in things:
        save, give = contents(container)
        saved = save()
        assert saved == before
        give(after)
        assert container == after
        give(saved)
        assert container == before
    save, give = attribute(holder, "value")
    give(2)
    assert (save(), holder.value) == (2, 2)


def test_the_modules_of_the_folder_are_a_ranks_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_of_a_rank.py").write_text("value = []\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    kept = dict(sys.modules)
    modules = Modules(str(tmp_path))
    before = modules.take()
    first = __import__("own_of_a_rank")
    ranks = modules.take()
    assert ranks["own_of_a_rank"] is first
    modules.give(before)
    assert "own_of_a_rank" not in sys.modules
    assert __import__("own_of_a_rank") is not first
    modules.give(ranks)
    assert sys.modules["own_of_a_rank"] is first
    modules.give(before)
    assert set(kept) <= set(sys.modules)


def test_each_process_starts_from_a_seed_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in place.NAMES:
        monkeypatch.delenv(name, raising=False)
    assert place.own_place() == 0
    monkeypatch.setenv(place.PROCESS, "3")
    assert place.own_place() == 3
    monkeypatch.setenv("RANK", "1")
    assert place.own_place() == 1


# --- ranks on the stand-in ----------------------------------------------------------------------------------------


def ranks_of(*each: str) -> Run:
    """A run whose ranks executed collectives: m for a mark, r for a read, at lines counted from 1."""
    kinds = {"m": "exchange-mark", "r": "exchange-read"}
    workers = (
        Worker(rank, events=tuple(Event(0, kinds[word], f"train.py:{line}") for line, word in enumerate(words, 1)))
        for rank, words in enumerate(each)
    )
    return Run(Side.XLA, Ending.ENDED, 1.0, "", tuple(workers), Backend.STANDIN)


def test_a_read_with_a_collective_on_one_rank_is_an_error() -> None:
    (found,) = find_in_exchanges(ranks_of("mrm", "mm"))
    assert (found.error, found.site) == (True, "train.py:2")
    assert found.text.endswith("rank 0 at train.py:2 (read), rank 1 at train.py:2 (mark)")
    (more,) = find_in_exchanges(ranks_of("mm", "mm", "mmr"))
    assert more.text.endswith("rank 0 has none, rank 2 at train.py:3 (read)")


def test_ranks_that_execute_alike_are_fine() -> None:
    assert not list(find_in_exchanges(ranks_of("mrmr", "mrmr")))
    assert not list(find_in_exchanges(ranks_of("mr")))
    assert not list(find_in_exchanges(ranks_of()))
