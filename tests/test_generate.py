"""The generator of training programs: valid and the same each time; and a few of them, migrated and judged."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codemods.kit.targets import XLA
from migrate.smoke.environments import provision
from tests.generate import report
from tests.generate.__main__ import smallest
from tests.generate.compose import compose
from tests.generate.dimensions import DIMENSIONS, RULES
from tests.generate.grammar import SIMPLEST, Vector, broken, complete, pairs, parse, random_vector, singles, spell
from tests.generate.journal import Journal
from tests.generate.metamorphic import differences, signature
from tests.generate.running import Runner
from tests.generate.shrink import shrink
from tests.generate.verdict import Judgement, compare_files, compare_printed, find_static, judge, migrate

SEEDS = range(60)
RUN = ("", "wrapper=ddp device=object evaluation=best save=best_only", "loop=recursion organisation=closure amp=scaler")
"""Programs of which the migration is known to be right."""


@pytest.mark.parametrize("name", DIMENSIONS)
def test_a_choice_has_at_least_four_values_and_each_can_be_had(name: str) -> None:
    assert len(DIMENSIONS[name]) >= 4
    for value in DIMENSIONS[name]:
        assert complete({name: value}, random.Random(0), 0.0), value


def test_the_simplest_program_breaks_no_rule() -> None:
    assert broken(SIMPLEST) == []
    assert all(broken({name: value, other: "?"}) for name, values, other, _ in RULES for value in values)


def test_a_vector_is_spelled_and_read_back() -> None:
    for seed in SEEDS:
        vector = random_vector(random.Random(seed))
        assert parse(spell(vector)) == vector
        assert broken(vector) == []
    with pytest.raises(ValueError, match="device=moon"):
        parse("device=moon")
    with pytest.raises(ValueError, match="move pair"):
        parse("device=none")


def test_each_value_of_each_choice_makes_a_program_that_compiles() -> None:
    for vector in singles():
        check(compose(vector), spell(vector))


def test_random_programs_compile_and_are_the_same_each_time() -> None:
    for seed in SEEDS:
        vector = random_vector(random.Random(seed), 0.6)
        sources = compose(vector)
        check(sources, spell(vector))
        assert compose(vector) == sources


def check(sources: dict[str, str], about: str) -> None:
    """Nothing of the grammar is left in a program."""
    assert "train.py" in sources, about
    for path, text in sources.items():
        compile(text, path, "exec", dont_inherit=True)
        for mark in ("<model>", "<device>", "<optimizer>", "<config.", "<a>", "<to>", "<print>", "@Net", "@make_"):
            assert mark not in text, f"{about}: {mark} in {path}"


def test_migrations_neither_fail_nor_break_the_syntax() -> None:
    for seed in range(25):
        vector = random_vector(random.Random(seed), 0.3)
        found = find_static(migrate(compose(vector), XLA), XLA)
        assert not [fault for fault in found if fault.startswith(("failed", "does not compile"))], spell(vector)


def test_what_is_judged_without_running() -> None:
    assert judge(SIMPLEST, XLA, None).outcome == "right"
    # By its name, torch knows many optimizers; the program is not about that.
    assert signature(migrate(compose(SIMPLEST), XLA))[0]["optimizer_step"] == 1
    assert differences(parse("config=namespace"), XLA) == []


def test_printed_lines_are_compared() -> None:
    assert list(compare_printed("loss 0.5001\n[Gloo] Rank 0\n", "loss 0.5002\n")) == []
    assert next(compare_printed("loss 0.5\nend\n", "end\n"))[0] == "printed lines: lost"
    assert next(compare_printed("loss 0.5\n", "loss 0.7\n"))[0] == "printed values"
    assert next(compare_printed("a\n", "b\n"))[0] == "printed lines: others"


def test_checkpoints_are_compared() -> None:
    native: dict[str, Any] = {"model.pt": {"/head": 2.0}}
    assert list(compare_files(native, {"model.pt": {"/head": 2.001}})) == []
    assert next(compare_files(native, {}))[0] == "checkpoints: other files"
    assert next(compare_files(native, {"model.pt": {"/module.head": 2.0}}))[0] == "checkpoints: other keys"
    assert next(compare_files(native, {"model.pt": {"/head": 3.0}}))[0] == "checkpoints: other values"


def test_a_fault_is_shrunk_to_the_choices_that_it_needs() -> None:
    def accused(vector: Vector, wanted: str) -> Judgement:
        wrong = vector["device"] == "index" and vector["logging"] != "none"
        return Judgement(vector, ("crash",) if wrong else ())

    vector = parse("device=index logging=meter clip=norm layout=flat config=dict save=state")
    assert spell(shrink(vector, accused)) == "device=index logging=meter"


def test_a_campaign_goes_on_and_is_reported(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.add(Judgement(parse("clip=norm"), ("crash",), ("TC990",), ran=True, executions=1.0))
    journal.add(Judgement(parse("clip=value"), ("crash",), ran=True))
    journal.add(Judgement(SIMPLEST, ran=True, executions=1.0))
    again = Journal(tmp_path / "journal")
    assert "clip=norm" in again
    assert [judgement.outcome for judgement in again.judgements] == ["said, wrong", "silent, wrong", "right"]
    text = report.figures(again.judgements, by_dimension=True)
    assert "| silent, wrong | 1 | 33.3 % |" in text
    assert "| crash | 1 | 1 |" in text


def test_the_page_lists_programs_that_can_be_made() -> None:
    assert len(smallest()) > 40
    for vector in smallest():
        check(compose(vector), spell(vector))


def test_pairs_of_a_vector() -> None:
    assert len(list(pairs(SIMPLEST))) == len(DIMENSIONS) * (len(DIMENSIONS) - 1) // 2


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """The servers that run programs; they need a real torch_xla, see docs/contributing.md."""
    if not os.environ.get("TC_MIGRATE_REAL_XLA"):
        pytest.skip("set TC_MIGRATE_REAL_XLA=1 to run programs on a real torch_xla")
    provision("2.9")
    started = Runner()
    yield started
    started.close()


@pytest.mark.real_xla
@pytest.mark.parametrize("text", RUN)
def test_programs_train_the_same_on_torch_xla(text: str, runner: Runner) -> None:
    found = judge(parse(text), XLA, runner)
    assert found.outcome == "right", (found.faults, found.details, found.invalid)


@pytest.mark.real_xla
def test_originals_run_and_are_deterministic(runner: Runner) -> None:
    for seed in range(20):
        vector = random_vector(random.Random(seed), 0.5)
        first, second = (runner.original.run(compose(vector)) for _ in range(2))
        assert first["status"] == 0, (spell(vector), first["err"])
        assert first["out"] == second["out"], spell(vector)
        assert first["observed"][0]["losses"] == second["observed"][0]["losses"], spell(vector)


@pytest.mark.real_xla
def test_a_program_that_trains_nothing_is_found_out(runner: Runner) -> None:
    """The judgement itself: a migrated program with a fault put in."""
    from migrate.smoke.record import Side
    from tests.generate.verdict import Migrated, as_run, find_running

    made = migrate(compose(SIMPLEST), XLA)
    text = made.sources["train.py"]
    late = "optimizer = torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9)\n"
    assert late in text
    early = text.replace(late, "pass\n").replace("model = model.to(device)\n", f"{late}    model = model.to(device)\n")
    first, answer = runner.original.run(made.original), runner.migrated.run({"train.py": early})
    seen = as_run(answer, Side.XLA)
    found = find_running(
        SIMPLEST, Migrated(made.original, made.migrations), first, answer, as_run(first, Side.CUDA), seen
    )
    assert any(kind.startswith("trains differently") for kind, _ in found)
