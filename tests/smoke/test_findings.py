"""What the rules find in a run, and what they leave alone. Needs no torch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from migrate.smoke.findings import Finding, find
from migrate.smoke.record import Backend, Ending, Event, Graphs, Parameter, Pass, Run, Side, Worker

STEPS = 6


def events(step: str, cycles: int = STEPS) -> tuple[Event, ...]:
    """The events of a loop whose body is written as "backward reduce clip step mark!".

    A "!" means that it executed a graph, a "@" that a loader did it; a number is the optimizer it belongs to.
    """
    made = []
    for cycle in range(cycles):
        done = cycle
        for number, word in enumerate(step.split()):
            kind = word.rstrip("!@0123456789")
            optimizer = int("".join(filter(str.isdigit, word)) or ("0" if kind in ("step", "reduce") else "-1"))
            made.append(Event(done, kind, f"train.py:{number + 1}", optimizer, "!" in word, "@" in word))
            if kind == "step" and optimizer == 0:
                done += 1
    return tuple(made)


def record(step: str, **others: object) -> Worker:
    seen = events(step)
    executed = sum(event.executed for event in seen) // STEPS
    graphs = tuple(Graphs(1, executed * (count + 1)) for count in range(STEPS))
    parameters = (Parameter((1,), 1.0, (1.0,)),) * 2
    return replace(Worker(steps=(STEPS,), events=seen, graphs=graphs, parameters=parameters), **others)  # type: ignore[arg-type]


def migrated_run(*workers: Worker, output: str = "") -> Run:
    return Run(Side.XLA, Ending.ENDED, 1.0, output, workers, Backend.TORCH_XLA)


def original_run(worker: Worker, output: str = "") -> Run:
    return Run(Side.CUDA, Ending.ENDED, 1.0, output, (worker,))


def kinds(found: tuple[Finding, ...]) -> list[str]:
    return [f"{finding.kind}{'!' if finding.error else ''}" for finding in found]


HEALTHY = "mark!@ backward reduce clip step"


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(HEALTHY, id="one graph"),
        pytest.param("mark@ backward reduce unscale clip step update mark!", id="scaler"),
        pytest.param("mark!@ backward mark! read mark!@ backward mark! read reduce clip step", id="accumulation"),
        pytest.param("mark@ backward0 reduce0 clip0 step0 backward reduce1 clip1 step1 mark!", id="two optimizers"),
        pytest.param("mark!@ backward reduce0 clip0 step0 reduce1 clip1 step1", id="two optimizers, one backward"),
        pytest.param("mark!@ backward step", id="one process reduces nothing"),
        pytest.param("mark@ backward reduce step mark! read mark@", id="a mark before a value is read"),
        pytest.param("mark!@ backward reduce step mark!@ mark!@ mark!@", id="evaluation"),
    ],
)
def test_a_healthy_step_has_no_error(step: str) -> None:
    assert [kind for kind in kinds(find(None, migrated_run(record(step)))) if kind.endswith("!")] == []


@pytest.mark.parametrize(
    ("step", "kind", "line"),
    [
        pytest.param("backward reduce step", "no-mark!", 3, id="no mark"),
        pytest.param("mark!@ backward mark! reduce step", "second-mark!", 3, id="a mark before the step"),
        pytest.param("backward reduce step mark! mark", "second-mark", 5, id="two marks in a row"),
        pytest.param("mark!@ backward reduce reduce step", "reduce-twice!", 3, id="reduced twice"),
        pytest.param("backward reduce backward reduce step mark!", "reduce-in-accumulation!", 2, id="accumulation"),
        pytest.param("mark!@ backward clip reduce step", "clip-before-reduce!", 3, id="clip first"),
        pytest.param("mark!@ backward unscale reduce step update", "unscale-before-reduce!", 3, id="unscale first"),
        pytest.param("mark!@ backward reduce clip unscale step update", "clip-before-unscale!", 4, id="clip scaled"),
        pytest.param("mark!@ backward reduce unscale update unscale step", "unscale-twice!", 4, id="update too early"),
        pytest.param("mark!@ backward reduce unscale step", "update-missing!", 5, id="no update"),
        pytest.param("mark!@ backward step read! read!", "executions", 4, id="host reads"),
        pytest.param("mark!@ mixed backward step", "mixed", 2, id="a tensor of the host"),
    ],
)
def test_a_broken_step_is_found(step: str, kind: str, line: int) -> None:
    found = find(None, migrated_run(record(step)))
    assert kind in kinds(found), found
    named = next(finding for finding in found if finding.kind == kind.rstrip("!"))
    assert named.site in (f"train.py:{line}", "") or kind == "update-missing!"


def test_an_order_that_matters_to_several_only_is_a_warning_in_one_process() -> None:
    """`xm.optimizer_step` reduces at its own line; after a clip that is harmless on one device."""
    inside = [replace(event, site="train.py:9") for event in events("mark!@ backward clip reduce step")]
    worker = record(HEALTHY, events=tuple(inside))
    assert "clip-before-reduce" in kinds(find(None, migrated_run(worker)))
    assert "clip-before-reduce!" in kinds(find(None, migrated_run(worker, replace(worker, rank=1))))


def test_what_the_original_does_too_is_its_own() -> None:
    broken = record("mark!@ backward clip unscale step update")
    assert "clip-before-unscale!" in kinds(
        find(original_run(record("backward unscale clip step update")), migrated_run(broken))
    )
    assert "clip-before-unscale!" not in kinds(
        find(original_run(record("backward clip unscale step update")), migrated_run(broken))
    )


def test_several_ranks_have_to_reduce() -> None:
    alone = record("mark!@ backward step")
    assert kinds(find(None, migrated_run(alone, replace(alone, rank=1)))) == ["reduce-missing!"]
    joined = record("mark!@ backward reduce step")
    assert kinds(find(None, migrated_run(joined, replace(joined, rank=1)))) == []


def test_a_step_that_compiles_on_and_on() -> None:
    graphs = tuple(Graphs(count, count) for count in range(1, STEPS + 1))
    found = find(None, migrated_run(record(HEALTHY, graphs=graphs, passes=(Pass(0, 9, True, 5),))))
    assert kinds(found) == ["compiles", "shapes"]


ORIGINAL = record(
    HEALTHY, passes=(Pass(0, 4, True), Pass(1, 2, False)) * 2, seeded=("device", "host"), drawn=("host",),
    autocast=(30, 10),
)  # fmt: skip


@pytest.mark.parametrize(
    ("other", "kind", "said"),
    [
        pytest.param({"without_gradient": 2}, "without-gradient", "2 of 2 parameters", id="old parameters"),
        pytest.param({"parameters": ORIGINAL.parameters[:1]}, "fewer-parameters", "hold 1 parameters, 2", id="fewer"),
        pytest.param({"seeded": ("host",), "drawn": ("device",)}, "not-seeded", "the device's", id="device seed"),
        pytest.param({"seeded": ("device",)}, "not-seeded", "the host's", id="host seed"),
        pytest.param({"autocast": (0, 40)}, "autocast", "0 of 40 module calls in training, 30 of 40", id="autocast"),
        pytest.param(
            {"passes": (Pass(0, 4, True), Pass(1, 2, False), Pass(0, 4, True), Pass(1, 0, False))},
            "loader", "loader 2 gives no batches in pass 2", id="exhausted",
        ),
        pytest.param({"passes": ORIGINAL.passes[:3]}, "loader", "gone through 1 times, 2 times", id="a pass less"),
        pytest.param({"passes": (Pass(0, 3, True), *ORIGINAL.passes[1:])}, "loader", "gives 3 batches", id="batches"),
    ],
)  # fmt: skip
def test_measured_against_the_original(other: dict[str, object], kind: str, said: str) -> None:
    assert find(original_run(ORIGINAL), migrated_run(ORIGINAL)) == ()
    found = find(original_run(ORIGINAL), migrated_run(replace(ORIGINAL, **other)))  # type: ignore[arg-type]
    assert kinds(found) == [f"{kind}!"]
    assert said in found[0].text


def test_a_seed_for_numbers_that_are_not_drawn_does_not_matter() -> None:
    assert find(original_run(ORIGINAL), migrated_run(replace(ORIGINAL, seeded=("host",)))) == ()


def test_the_last_pass_of_a_run_that_was_stopped_does_not_count() -> None:
    early = replace(ORIGINAL, passes=(*ORIGINAL.passes[:3], Pass(1, 1, False)))
    stopped = replace(migrated_run(early), ending=Ending.STOPPED)
    assert find(replace(original_run(ORIGINAL), ending=Ending.STOPPED), stopped) == ()


PRINTED = """\
2026-01-01 10:00:00,123 training on 1 device, scale 65536
Epoch 1: loss 0.5123 lr 0.10 (3.21 s)
Epoch 2: loss 0.4017 lr 0.10 (1.05 s)
accuracy 0.75
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("0.4017", "0.4016", [], id="rounding"),
        pytest.param("3.21 s", "9.87 s", [], id="a duration"),
        pytest.param("10:00:00,123", "11:22:33,444", [], id="a time of day"),
        pytest.param("training on 1 device", "training on XLA", [], id="a line of its own"),
        pytest.param("0.4017", "0.5123", ["printed!"], id="a stale loss"),
        pytest.param("accuracy 0.75", "accuracy 0.25", ["printed!"], id="a result"),
        pytest.param("65536", "1", ["printed"], id="a setting"),
        pytest.param("Epoch 2: loss 0.4017 lr 0.10 (1.05 s)\n", "", ["printed!"], id="a line less"),
    ],
)  # fmt: skip
def test_printed_lines(old: str, new: str, expected: list[str]) -> None:
    assert old in PRINTED
    native, disturbed = original_run(ORIGINAL, PRINTED), original_run(ORIGINAL, PRINTED.replace("3.21", "3.05"))
    found = find(native, migrated_run(ORIGINAL, output=PRINTED.replace(old, new)), disturbed)
    assert kinds(found) == expected


def test_figures_in_which_two_native_runs_differ_say_nothing() -> None:
    native, disturbed = original_run(ORIGINAL, PRINTED), original_run(ORIGINAL, PRINTED.replace("0.4017", "0.3"))
    assert find(native, migrated_run(ORIGINAL, output=PRINTED.replace("0.4017", "0.2")), disturbed) == ()
