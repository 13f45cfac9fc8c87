"""The judge's word becomes notes of migrations, program by program, whoever asks for them."""

from __future__ import annotations

import json
import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import migrate
from codemods.kit.rules import Note, Safety, Severity
from migrate import judging
from migrate.batch.run import Order, migrate_files
from migrate.batch.scan import Script
from migrate.cache import Cache
from migrate.discover import find_scripts
from migrate.engine import judge as engine
from migrate.engine.certificate import Certificate, Finding, LoopCertificate, Standing
from migrate.files import decode
from migrate.judged_text import Text
from migrate.judging import ask, attach, judged, wants
from migrate.migration import Migration, Status
from migrate.registry import ALL, Selection
from tests.goldens import ROOT, TARGETS
from tests.training_script import TRAIN

XLA = TARGETS["xla"]
SOURCE = "import torch\n\nfor x in loader:\n    loss.backward()\n    step()\n"
OWED, LOOP = "all of it is done", "each turn is done"


def migration(path: str = "train.py", source: str = SOURCE, *notes: Note, **more: Any) -> Migration:
    made = Migration(path, XLA.name, Status.MIGRATED, source, f"import torch_xla\n{source}", notes=notes)
    return replace(made, **more)


def note(line: int, severity: Severity) -> Note:
    return Note("TC412", line, severity, "waits", "", "", "logging")


def finding(standing: Standing, line: int = 4, path: str = "train.py", obligation: str = OWED, **more: Any) -> Finding:
    return Finding(obligation, standing, path, line + 1, f"line {line} is {standing.value}", line, **more)


Said = dict[str, list[tuple[str, int, str]]]


def told(certificate: Certificate, *migrations: Migration, select: Selection = ALL) -> Said:
    """What is said of each file by the judge: rule, line, severity."""
    whole = {each.path: each for each in migrations}
    found = attach(whole, certificate, lambda path: select)
    assert all(each.certificate == certificate for each in found.values())
    return {
        path: [(one.rule, one.line, one.severity.value) for one in each.notes if one.codemod == judging.NAME]
        for path, each in found.items()
    }


# --- notes ------------------------------------------------------------------------------------------------------------


def test_each_standing_has_its_rule_at_the_line_of_the_original() -> None:
    found = Certificate(findings=tuple(finding(one, line) for line, one in enumerate(list(Standing)[1:], 3)))
    assert told(found, migration()) == {
        "train.py": [("TC973", 3, "info"), ("TC972", 4, "warning"), ("TC971", 5, "error")]
    }


def test_what_is_not_shown_of_a_loop_that_trains_is_an_error() -> None:
    loops = [LoopCertificate("train.py", 4, 3, trains, ((LOOP, Standing.OPEN),)) for trains in (True, False)]
    open_ = finding(Standing.OPEN, obligation=LOOP)
    assert told(Certificate((loops[0],), (open_,)), migration())["train.py"] == [("TC972", 4, "error")]
    assert told(Certificate((loops[1],), (open_,)), migration())["train.py"] == [("TC972", 4, "warning")]
    elsewhere = Certificate((loops[0],), (finding(Standing.OPEN),))
    assert told(elsewhere, migration())["train.py"] == [("TC972", 4, "warning")]
    unseen = replace(open_, message="not shown that each process gets a share")
    assert told(Certificate((loops[0],), (unseen,)), migration())["train.py"] == [("TC972", 4, "warning")]


def test_what_may_hide_a_loop_that_trains_is_an_error() -> None:
    assert told(Certificate((), (finding(Standing.OPEN, hides=True),)), migration())["train.py"] == [
        ("TC972", 4, "error")
    ]


def test_what_is_violated_is_said_before_what_is_not_shown() -> None:
    loop = LoopCertificate("train.py", 4, 3, True, ((LOOP, Standing.OPEN),))
    both = finding(Standing.OPEN, obligation=LOOP), finding(Standing.VIOLATED)
    assert told(Certificate((loop,), both), migration())["train.py"] == [("TC971", 4, "error")]


@pytest.mark.parametrize(
    ("standing", "known", "said"),
    [
        (Standing.VIOLATED, Severity.ERROR, False),
        (Standing.VIOLATED, Severity.WARNING, True),
        (Standing.OPEN, Severity.WARNING, False),
        (Standing.OPEN, Severity.INFO, True),
        (Standing.COST, Severity.INFO, False),
    ],
)
def test_what_a_note_of_the_line_says_already_is_not_said_twice(
    standing: Standing, known: Severity, said: bool
) -> None:
    found = Certificate(findings=(finding(standing),))
    assert bool(told(found, migration("train.py", SOURCE, note(4, known)))["train.py"]) is said
    assert told(found, migration("train.py", SOURCE, note(3, known)))["train.py"]


def test_the_evidence_says_what_is_owed_where_it_was_made_and_who_calls() -> None:
    found = finding(Standing.VIOLATED, cause="train.py:2", chain=("main.py:9", "main.py:4"))
    (said,) = attach({"train.py": migration(), "main.py": migration("main.py")},
                     Certificate(findings=(found,)), lambda path: ALL)["train.py"].notes  # fmt: skip
    assert said.message == "line 4 is violated"
    assert said.evidence == (
        OWED,
        "made at train.py:2 of the result",
        "reached by main.py:9, main.py:4 of the result",
    )


def test_a_finding_is_said_of_its_file_and_one_of_no_file_of_the_first() -> None:
    found = Certificate(findings=(finding(Standing.VIOLATED, path="b.py"), Finding(OWED, Standing.OPEN, "", 0, "lost")))
    assert told(found, migration("a.py"), migration("b.py")) == {
        "a.py": [("TC972", 1, "warning")],
        "b.py": [("TC971", 4, "error")],
    }


def test_a_program_that_was_not_changed_is_told_at_its_own_lines() -> None:
    made = migration(status=Status.UNCHANGED, result=SOURCE)
    found = Certificate(findings=(Finding(OWED, Standing.VIOLATED, "train.py", 4, "it is not"),))
    assert told(found, made) == {"train.py": [("TC971", 4, "error")]}


def test_comments_and_ignored_rules_keep_him_quiet() -> None:
    found = Certificate(findings=(finding(Standing.VIOLATED),))
    quiet = SOURCE.replace("backward()", "backward()  # tc-migrate: ignore[TC971]")
    assert told(found, migration("train.py", quiet)) == {"train.py": []}
    assert told(found, migration(), select=Selection(ignore=frozenset({"TC97"}))) == {"train.py": []}
    assert told(found, migration(), select=Selection(ignore=frozenset({"TC972"})))["train.py"]


def notebook(*cells: str) -> str:
    empty = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 7}
    made = [{**empty, "source": text} for text in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}, indent=1)


def test_in_a_notebook_a_finding_is_at_its_cell() -> None:
    book = notebook("import torch\n", "for x in loader:\n    loss.backward()\n")
    made = migration("nb.ipynb", book, result=book)
    place = Text("nb.ipynb", book)
    line = next(n for n, text in enumerate(place.code.splitlines(), 1) if "backward" in text)
    found = Finding(OWED, Standing.VIOLATED, "nb.ipynb", line, "it is not", line, chain=(f"nb.ipynb:{line - 1}",))
    done = attach({"nb.ipynb": made}, Certificate(findings=(found,)), lambda path: ALL)["nb.ipynb"]
    (said,) = done.notes
    assert str(said.place) == "cell 2 [In 7]:2"
    assert "backward" in book.splitlines()[said.line - 1]
    assert done.certificate is not None
    assert done.certificate.findings[0].line == said.line
    assert done.certificate.findings[0].chain == ("nb.ipynb:cell 2 [In 7]:1",)


def test_what_only_ipython_understands_is_nothing_to_the_judge() -> None:
    loop = "names = !ls\nfor name in names:\n    print(name, x)"
    book = notebook("%matplotlib inline\nimport torch_xla\n%time x = 1", "%%bash\nls", loop)
    assert judging.judge_texts({"nb.ipynb": book}, None, XLA).findings == ()
    assert "_tc_migrate" not in Text("nb.ipynb", book).code


# --- who is judged ----------------------------------------------------------------------------------------------------


def test_only_programs_that_come_to_torch_xla_are_judged() -> None:
    left = migration("left.py", status=Status.UNCHANGED, result=SOURCE)
    refused = migration("refused.py", status=Status.REFUSED, result=SOURCE)
    hand = migration("hand.py", "import torch_xla\n", status=Status.UNCHANGED, result="import torch_xla\n")
    talks = migration("talks.py", 'print("no torch_xla here")\n', status=Status.UNCHANGED)
    for one, asked in ((left, False), (refused, False), (talks, False), (hand, True), (migration(), True)):
        assert bool(ask({one.path: one})) is asked, one.path
    assert list(ask({one.path: one for one in (left, refused, migration())})) == ["left.py", "train.py"]


def test_of_part_of_the_edits_nobody_asks_him() -> None:
    assert wants(ALL)
    assert wants(Selection(ignore=frozenset({"TC201"})))
    assert not wants(Selection(select=frozenset({"device"})))
    assert not wants(Selection(safety=Safety.EXACT))
    assert not wants(Selection(ignore=frozenset({"TC97"})))
    assert not wants(Selection(ignore=frozenset({"verify"})))


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], list[str] | None]]:
    """A judge who finds the first line of every file wrong. The files of each program he was given, and originals."""
    asked: list[tuple[list[str], list[str] | None]] = []

    def judge(after: dict[str, str], before: dict[str, str] | None = None, **more: object) -> Certificate:
        asked.append((sorted(after), None if before is None else sorted(before)))
        loops = tuple(LoopCertificate(path, 1, 1, True, ((OWED, Standing.SHOWN),)) for path in after)
        return Certificate(loops, tuple(finding(Standing.VIOLATED, 1, path) for path in after), 1, tuple(after))

    monkeypatch.setattr(engine, "judge", judge)
    return asked


@pytest.fixture(autouse=True)
def _workers_are_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that other tests have left behind do not matter here: workers have to know the judges made here."""
    monkeypatch.setattr("migrate.batch.pool._has_threads", lambda: False)


Heard = list[tuple[list[str], list[str] | None]]


def test_a_script_is_a_program_of_one_and_a_project_is_judged_program_by_program(heard: Heard) -> None:
    done = migrate.migrate(TRAIN, target="torch-xla==2.9")
    assert heard == [(["-"], ["-"])]
    assert done.certificate is not None
    assert [note.rule for note in done.notes if note.codemod == "verify"] == ["TC971"]
    heard.clear()
    project = {"main.py": "import engine\n", "engine.py": TRAIN, "alone.py": TRAIN, "page.py": "x = 1\n"}
    found = migrate.migrate_project(project, target="torch-xla==2.9")
    assert sorted(heard) == [(["alone.py"], ["alone.py"]), (["engine.py", "main.py"], ["engine.py", "main.py"])]
    assert found["engine.py"].certificate is not None
    assert found["main.py"].certificate is None  # it has no part in training, and is run all the same
    assert found["page.py"].certificate is None
    heard.clear()
    assert migrate.migrate(TRAIN, target="torch-xla==2.9", verify=False).certificate is None
    assert all(each.certificate is None for each in migrate.migrate_project(project, verify=False).values())
    assert heard == []


def test_what_is_on_torch_xla_already_is_judged_by_itself(heard: Heard) -> None:
    hand = migrate.migrate(TRAIN, target="torch-xla==2.9", verify=False).result
    assert migrate.migrate(hand, target="torch-xla==2.9").certificate is not None
    assert heard == [(["-"], None)]


def test_a_script_that_a_comment_switches_off_is_no_part_of_the_result(heard: Heard) -> None:
    project = {"engine.py": TRAIN, "xla.py": "import engine\n", "gpu.py": "# tc-migrate: off\nimport engine\n"}
    migrate.migrate_project(project, target="torch-xla==2.9")
    assert heard == [(["engine.py", "xla.py"], ["engine.py", "xla.py"])]


def test_python_2_is_compared_in_the_python_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def judge(after: dict[str, str], before: dict[str, str], **more: object) -> Certificate:
        texts.extend(before.values())
        return Certificate()

    monkeypatch.setattr(engine, "judge", judge)
    migrate.migrate(TRAIN + "print 'done'\n", target="torch-xla==2.9")
    compile(texts[0], "before", "exec")


# --- many files -------------------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of two files that train and one that does not, one that stands alone, one that is left alone."""
    monkeypatch.setattr("migrate.cache.SETTLED_NS", 0)
    monkeypatch.setattr("migrate.batch.again.SETTLED_NS", 0)
    monkeypatch.setattr("migrate.cache._tool", lambda: "this")
    folder = tmp_path / "tree"
    folder.mkdir()
    main = "import torch\nimport engine\nimport options\n"
    for name, text in {"main.py": main, "options.py": "x = 1\n", "engine.py": TRAIN, "alone.py": TRAIN,
                       "page.py": "x = 1\n"}.items():  # fmt: skip
        (folder / name).write_text(text)
    return folder


PROGRAM = ["engine.py", "main.py", "options.py"]


def run(folder: Path, **order: Any) -> dict[str, tuple[object, ...]]:
    scripts = [Script(name, root, root, status=status) for name, root, status in find_scripts([folder])]
    found = migrate_files(scripts, Order(XLA, verify=True, **order))
    return {Path(s.name).name: (each.status, each.notes, each.certificate) for s, each in found}


def test_the_word_is_the_same_whoever_works_and_whatever_is_remembered(
    tree: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run(tree)
    assert sorted(heard) == [(["alone.py"], ["alone.py"]), (PROGRAM, PROGRAM)]
    assert expected["page.py"][2] is None
    said, quiet = expected["engine.py"][2], expected["options.py"][2]
    assert quiet is None
    assert isinstance(said, Certificate)
    assert said is expected["main.py"][2]
    assert [one.path for one in said.findings] == [str(tree / name) for name in ("engine.py", "main.py", "options.py")]
    with monkeypatch.context() as patched:  # each file a task of its own, as if the program were a large one
        for name, size in (("_WORTH_A_POOL", 0), ("KEPT_LINES", 0), ("_SMALLEST_CHUNK", 1)):
            patched.setattr(f"migrate.batch.run.{name}", size)
        assert run(tree, jobs=2) == expected
    with closing(Cache(tree.parent / "cache")) as cache:
        assert run(tree, cache=cache) == expected
    heard.clear()
    for _ in range(2):  # program by program, then as a whole
        with closing(Cache(tree.parent / "cache")) as cache:
            assert run(tree, cache=cache) == expected
    assert heard == []


def test_a_file_that_changes_has_its_program_judged_anew(tree: Path, heard: Heard) -> None:
    with closing(Cache(tree.parent / "cache")) as cache:
        run(tree, cache=cache)
        heard.clear()
        (tree / "options.py").write_text("x = 2\n")
        run(tree, cache=cache)
    assert heard == [(PROGRAM, PROGRAM)]


def test_results_of_a_run_without_him_do_for_one_with_him(tree: Path, heard: Heard) -> None:
    expected = run(tree)
    heard.clear()
    with closing(Cache(tree.parent / "cache")) as cache:
        scripts = [Script(name, root, root, status=status) for name, root, status in find_scripts([tree])]
        assert all(each.certificate is None for _, each in migrate_files(scripts, Order(XLA, cache=cache)))
        assert heard == []
        assert run(tree, cache=cache) == expected


def test_a_script_by_itself_is_judged_with_what_it_imports_as_it_will_be(tree: Path, heard: Heard) -> None:
    (found,) = migrate_files([Script(str(tree / "main.py"), tree, None)], Order(XLA, verify=True))
    assert heard == [(PROGRAM, PROGRAM)]
    assert found[1].certificate is not None


def test_what_is_held_in_memory_is_not_looked_for_on_disk(tree: Path, heard: Heard, monkeypatch: Any) -> None:
    texts = {path.name: path.read_bytes() for path in tree.iterdir()}
    held = [Script.held(name, Path(), data, decode(data, Path(name))) for name, data in sorted(texts.items())]
    monkeypatch.setattr("migrate.batch.scan.read_text", pytest.fail)
    done = {script.name: each for script, each in migrate_files(held, Order(XLA, verify=True))}
    assert (PROGRAM, PROGRAM) in heard
    assert [one.path for one in done["main.py"].certificate.findings] == PROGRAM


def test_who_takes_too_long_is_said(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from migrate.batch.limits import Overtime

    def judge(*texts: object, **more: object) -> Certificate:
        raise Overtime

    monkeypatch.setattr(engine, "judge", judge)
    with closing(Cache(tree.parent / "cache")) as cache:
        (_, notes, certificate), again = run(tree, cache=cache)["alone.py"], run(tree, cache=cache)["alone.py"]
    assert isinstance(certificate, Certificate)
    assert certificate.open[0].message == "the judge takes longer than 180 seconds"
    assert again == (Status.MIGRATED, notes, certificate)


def test_a_judge_who_kills_his_worker_costs_his_program_only(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(after: dict[str, str], *texts: object, **more: object) -> Certificate:
        if "alone.py" in after:
            os._exit(1)
        return Certificate(followed=tuple(after))

    monkeypatch.setattr(engine, "judge", judge)
    monkeypatch.setattr("migrate.batch.run._WORTH_A_POOL", 0)
    found = run(tree, jobs=2)
    alone, other = found["alone.py"][2], found["engine.py"][2]
    assert isinstance(alone, Certificate)
    assert "its worker ended abruptly" in alone.open[0].message
    assert isinstance(other, Certificate)
    assert other.findings == ()


def test_the_real_judge_is_heard() -> None:
    """Of a loop whose graph nobody executes, through all there is between him and a note."""
    loop = "for _ in range(2):\n    for x in [torch.ones(3)]:"
    before = TRAIN.replace("def train(loader):\n    for x in loader:", loop)
    done = migrate.migrate(before, target="torch-xla==2.9", verify=False)
    broken = done.result.replace(", barrier=True", "")
    assert broken != done.result
    whole = judged({"train.py": replace(done, path="train.py", result=broken)}, XLA, ALL)["train.py"]
    assert [note.severity for note in whole.notes if note.rule == "TC971"] == [Severity.ERROR]


def test_a_sum_of_gradients_reduced_in_place_is_lost_when_it_is_clipped() -> None:
    golden = ROOT / "scripts" / "ddp_accumulate_clip"
    original = {"train.py": (golden / "case.py").read_text("utf-8")}
    right = (golden / "case.xla.py").read_text("utf-8")
    without = "".join(line for line in right.splitlines(True) if ".clone()" not in line)
    without = without.replace("                    if p.grad is not None:\n", "                    pass\n")
    without = without.replace("                if p.grad is not None:\n", "                pass\n")

    def lost(text: str, target: str) -> int:
        found = engine.judge({"train.py": text}, original, target=TARGETS[target]).findings
        return len([one for one in found if "loses the reduction" in one.message])

    assigned = right.replace("p.grad.clone()", "xm.all_reduce(xm.REDUCE_SUM, p.grad, scale=1.0 / xr.world_size())")
    assert [lost(text, "xla") for text in (right, without)] == [0, 3]
    assert lost(assigned.replace("xm.reduce_gradients(optimizer)", "pass"), "xla") == 0
    assert lost(without.replace("clip_grad_norm_", "clip_grad_value_"), "xla") == 0
    assert lost((golden / "case.smtc.py").read_text("utf-8"), "smtc") == 0


_LONG = """
import torch

def main():
    net = torch.nn.DataParallel(torch.nn.Linear(2, 2).cuda())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    {early}
    for x in torch.utils.data.DataLoader(torch.randn(64, 2), batch_size=8, shuffle=True):
        optimizer.zero_grad()
        net(x.cuda()).sum().backward()
        optimizer.step()
    {late}

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("hides", [True, False])
def test_following_that_ends_is_an_error_where_a_step_was_not_reached(
    hides: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "; ".join(["x = 1"] * 8000)
    source = _LONG.format(early="pass", late="pass")
    result = _LONG.format(early=long if hides else "pass", late="pass" if hides else long)
    monkeypatch.setattr("codemods.kit.meaning.execution.MAX_STEPS", 8_000)
    certificate = judging.judge_texts({"train.py": result}, {"train.py": source}, XLA)
    ended = [one for one in certificate.open if "too large" in one.message]
    assert [one.hides for one in ended] == [hides]


def test_a_save_that_was_not_reached_is_an_error_where_it_is_a_meeting(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "; ".join(["x = 1"] * 8000)
    late = f"{long}\n    if x.max() > best:\n        torch.save(net.state_dict(), 'best.pt')"
    source = _LONG.format(early="best = 0", late=late)
    result = source.replace("torch.save", "xm.save").replace("\nimport torch\n", _ON_XLA)
    result = result.replace('if __name__ == "__main__":', "def _mp_fn(rank):")
    result = result.replace("torch.nn.DataParallel(torch.nn.Linear(2, 2).cuda())", "torch.nn.Linear(2, 2).to('xla')")
    monkeypatch.setattr("codemods.kit.meaning.execution.MAX_STEPS", 8_000)
    for target, said in ((TARGETS["smtc"], True), (XLA, False)):
        found = judging.judge_texts({"train.py": result}, {"train.py": source}, target).open
        assert any("xm.save waits" in one.message and one.hides for one in found) is said


_ON_XLA = "\nimport torch\nimport torch_xla.core.xla_model as xm\n"
