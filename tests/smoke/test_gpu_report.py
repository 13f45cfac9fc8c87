"""The page about runs on a GPU, from made-up records; and one real run, where there is a GPU."""

from __future__ import annotations

import datetime
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.migration import MigrateError
from migrate.smoke import gpu_report
from migrate.smoke.accelerator import Machine, look
from migrate.smoke.backends import Interpreter
from migrate.smoke.compare import compare
from migrate.smoke.gpu_report import Row, golden_scripts, main, measure, write_page
from migrate.smoke.proof import Options
from migrate.smoke.record import Backend, Ending, Parameter, Run, Side, Worker

MACHINE = Machine("NVIDIA H100 80GB HBM3", "2.9.0+cu128", "12.8", 91002, "3.12.1")


def worker(*losses: float, step: float) -> Worker:
    return Worker(
        steps=(len(losses),),
        losses=tuple(enumerate(losses)),
        gradients=losses,
        parameters=(Parameter((2,), 5.0, (3.0, 4.0)),),
        # A pause, as for an evaluation, is no step.
        times=tuple(index * step + (9.0 if index > 2 else 0.0) for index in range(len(losses))),
    )


def row(name: str, migrated: Worker, ending: Ending = Ending.ENDED) -> Row:
    original = Run(Side.CUDA, ending, 1.0, "", (worker(1.0, 0.5, 0.25, 0.2, step=0.01),), None, "no apex | here")
    twin = Run(Side.XLA, Ending.ENDED, 1.0, "", (migrated,), Backend.STANDIN)
    return Row(name, original, twin, compare(original, twin), "the stand-in (GPU: NVIDIA H100)")


def test_page() -> None:
    same = replace(worker(1.0, 0.5, 0.25, 0.2, step=0.02), memory=3 << 20)
    rows = [
        row("amp", same),
        row("gan", replace(same, losses=((0, 1.0), (1, 0.9), (2, 0.25), (3, 0.2)))),
        row("amp_apex", same, Ending.FAILED),
    ]
    page = write_page(MACHINE, rows, datetime.date(2026, 11, 21))
    assert "2026-11-21: NVIDIA H100 80GB HBM3, CPython 3.12.1, torch 2.9.0+cu128, CUDA 12.8, cuDNN 91002." in page
    assert "its migrated twin on the stand-in (GPU: NVIDIA H100). **It says nothing about XLA**" in page
    assert "| amp | 4 | the same training | 0.0e+00 | 0.0e+00 | 100 | 50 | 0.50 | - / 3 |" in page
    assert "| gan | 4 | another training: loss of step 2" in page
    assert "| amp_apex | | the original does not run here: no apex \\| here | | | | | | |" in page
    assert "1 of 3 scripts train the same; 1 could not be compared. Median of the ratios: 0.50." in page


def test_says_that_there_is_no_gpu(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_report, "look", lambda python: None)
    assert main([]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_says_which_script_there_is_not(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_report, "look", lambda python: MACHINE)
    monkeypatch.setattr(gpu_report, "find_interpreter", lambda python: None)
    assert main(["no_such"]) == 2
    assert "no golden script no_such" in capsys.readouterr().err


def test_an_interpreter_without_torch() -> None:
    assert look(Path("/no/such/python")) is None


def test_scripts() -> None:
    assert "single_gpu" in golden_scripts()


def test_it_is_the_layer_of_smoke(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each script is proved with --accelerator cuda, by the twin that the interpreter's torch_xla can run."""
    for version, twin, target in (("1.13.0", "case.smtc.py", "smtc"), ("2.7.0", "case.xla.py", "torch-xla==2.9")):
        asked: list[object] = []

        def prove(script: Path, arguments: object, options: Options, asked: list[object] = asked) -> None:
            asked.extend((script.name, options.accelerator, options.twin and options.twin.name, options.target.name))
            raise MigrateError("no GPU")

        found = Interpreter(Path("python"), version, version)
        monkeypatch.setattr(gpu_report, "prove", prove)
        monkeypatch.setattr(gpu_report, "find_interpreter", lambda python, found=found: found)
        with pytest.raises(MigrateError):
            list(measure(["single_gpu"], Path("python")))
        assert asked == ["case.py", "cuda", twin, target]


def test_on_this_gpu() -> None:
    machine = look(Path(sys.executable))
    if machine is None or not machine.device:
        pytest.skip("no GPU that this interpreter's torch can use")
    (measured,) = measure(["single_gpu"], Path(sys.executable), "standin")
    assert measured.comparison is not None
    assert measured.comparison.same, (measured.comparison.reasons, measured.migrated.output)
    assert measured.ratio > 0
