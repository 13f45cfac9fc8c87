"""`tc-migrate facts`: what a person reads before trusting anything."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from codemods.kit.targets import Target
from migrate.bot.body import Proposal, write_body
from migrate.bot.origin import Origin
from migrate.cli import main
from migrate.engine.originals import execute_original
from migrate.engine.understanding import understood
from migrate.engine.understood import Fact, Part, Understood
from migrate.judging import certify
from migrate.migration import Migration, Status
from migrate.render.understood import understood_lines

TARGET = Target.parse("torch-xla==2.9")
GOLDEN = Path(__file__).parent.parent / "golden"
DDP = GOLDEN / "scripts/ddp_accumulate_clip/case.py"


@cache
def read(path: str | Path) -> Understood:
    """What is understood of a golden."""
    codes = {"train.py": Path(path).read_text()}
    return understood(execute_original(codes), codes)


def facts_of(part: Part) -> dict[str, str]:
    """The texts of its facts by name; of several of a name, the last."""
    return {fact.name: fact.text for fact in part.facts}


def loops(found: Understood) -> list[Part]:
    """Those that train."""
    return [part for part in found.parts if part.kind == "training loop"]


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["facts", *words])


def test_a_loop_is_told_with_all_that_trains_in_it() -> None:
    script, first, second, _ = read(DDP).parts
    assert "init_process_group" in facts_of(script)["processes"]
    assert (script.kind, facts_of(script)["saves"]) == ("script", "state of a network, by one process")
    assert (first.line, first.text) == (34, "for i, (x, y) in enumerate(loader)")
    told = facts_of(first)
    assert told["model"] == "Sequential in DistributedDataParallel"
    assert told["optimizer"] == "torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)"
    assert "each process its own share (DistributedSampler(dataset, drop_last=True)); shuffled" in told["data"]
    assert told["gradients"] == "averaged over the processes, clipped by their norm"
    assert told["steps"] == "when `(i + 1) % args.accumulate == 0`: it adds up gradients"
    assert facts_of(second)["steps"] == "each iteration"  # two backwards of one iteration are no accumulation


def test_gradients_that_are_cleared_before_the_backward_are_not_added_up() -> None:
    (loop,) = loops(read(GOLDEN / "scripts/gan/case.py"))
    assert facts_of(loop)["steps"] == "each iteration"
    assert {fact.text for fact in loop.facts if fact.name == "model"} == {"Generator", "Discriminator"}
    assert facts_of(loop)["loss"] == "BCELoss"


def test_precision_and_who_steps_are_told() -> None:
    (loop,) = loops(read(GOLDEN / "scripts/amp_clip_accumulate/case.py"))
    assert facts_of(loop)["precision"] == "autocast, the loss is scaled"
    assert facts_of(loop)["steps"].endswith("it adds up gradients by a GradScaler")
    (plain,) = loops(read(GOLDEN / "scripts/epoch_functions/case.py"))
    assert facts_of(plain)["precision"].endswith("no autocast")


def test_who_trains_out_of_sight_is_not_understood() -> None:
    found = read(GOLDEN / "scripts/hf_trainer/case.py")
    assert [(fact.text, fact.lines) for fact in found.unclear] == [
        ("who gets the network may train it: transformers.Trainer is called", (126,))
    ]


@pytest.mark.parametrize("width", [20, 60, 100, 200, 400])
def test_the_summary_fits_any_width(width: int) -> None:
    lines = [line for path in GOLDEN.glob("scripts/*/case.py") for line in understood_lines(read(path), width)]
    assert max(map(len, lines)) <= max(60, min(200, width))


def test_every_line_that_is_named_is_there() -> None:
    for path in sorted(GOLDEN.glob("scripts/*/case.py")):
        last, found = len(path.read_text().splitlines()), read(path)
        facts = [fact for part in found.parts for fact in part.facts] + list(found.unclear)
        assert all(0 < line <= last for fact in facts for line in fact.lines), path
        assert all(fact.text and not re.search(r"Site\(|Choice|object at", fact.text) for fact in facts), path


def test_text_and_json_say_the_same() -> None:
    text, form, old = run(str(DDP)), run(str(DDP), "--format", "json"), run(str(DDP), "--json")
    assert form.output == old.output
    (program,) = json.loads(form.output)["programs"]
    assert program["files"] == [str(DDP)]
    assert [part["line"] for part in program["parts"]] == [0, 34, 45, 55]
    for part in program["parts"]:
        for fact in part["facts"]:
            assert fact["text"].split()[0] in text.output


def test_a_project_is_told_program_by_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "engine.py").write_text(
        "def train(model, loader, optimizer):\n    for x in loader:\n        optimizer.zero_grad()\n"
        "        model(x.cuda()).sum().backward()\n        optimizer.step()\n"
    )
    (tmp_path / "main.py").write_text(
        "import torch\nfrom engine import train\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"
        "train(model, torch.utils.data.DataLoader([]), torch.optim.SGD(model.parameters(), 0.1))\n"
    )
    (tmp_path / "other.py").write_text("print('nothing')\n")
    said = run(".").output
    assert "script  main.py" in said
    assert "training loop  engine.py, line 2" in said
    assert "model       Linear (main.py, line 4)" in said
    assert "other.py" not in said


def test_cells_of_a_notebook_are_named() -> None:
    said = run(str(GOLDEN / "notebooks/data_parallel.ipynb")).output
    assert "cell 3 [In 3]:2" in said


def test_the_long_form_has_the_chains() -> None:
    assert "is model torch.nn.Sequential, wrapped in DistributedDataParallel" in run(str(DDP), "--long").output
    assert run(str(DDP), "--long", "--json").exit_code == 2


@pytest.mark.parametrize("command", ["rules", "verify", "facts", "doctor", "smoke", "pr"])
def test_json_is_spelled_in_both_ways_everywhere(command: str) -> None:
    said = CliRunner().invoke(main, [command, "--help"]).output
    assert "--json" in said
    assert "--format" in said


def test_two_formats_at_once_are_refused() -> None:
    assert run(str(DDP), "--json", "--format", "text").exit_code == 2
    assert run(str(DDP), "--json", "--format", "json").exit_code == 0


def test_a_pull_request_says_the_same() -> None:
    texts = {"train.py": (DDP.read_text(), DDP.with_suffix(".xla.py").read_text())}
    certificate = certify(texts, TARGET, understand=True)
    assert certificate.understood == read(DDP)
    migration = Migration("train.py", TARGET.name, Status.MIGRATED, *texts["train.py"], certificate=certificate)
    body = write_body({"train.py": migration}, Proposal(Origin("owner/name", "0" * 40), TARGET, "1"), 60_000)
    section = body.split("### What was understood\n")[1].split("###")[0]
    assert "- training loop [`train.py:34`](https" in section
    assert "  - model: Sequential in DistributedDataParallel (lines 73, 74)" in section


def test_other_names_reach_all_that_is_said() -> None:
    found = Understood((Part("script", "a.py", 0, "", (Fact("x", "y", "a.py", (2,)),)),))
    moved = found.moved(lambda name: f"in/{name}", lambda path, line: line + 10)
    (part,) = moved.parts
    assert (part.path, part.facts[0].path, part.facts[0].lines) == ("in/a.py", "in/a.py", (12,))
