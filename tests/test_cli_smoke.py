"""`tc-migrate smoke`: what its options mean, what it prints where, what it exits with. Nothing is run here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from codemods.kit.rules import Safety
from migrate.cli import main
from migrate.migration import MigrateError
from migrate.smoke import environments, proof
from migrate.smoke.environments import Environment
from migrate.smoke.judgement import Proof
from migrate.smoke.proof import Options, Tell
from migrate.smoke.run import Launch
from tests.smoke.test_report import COULD_NOT_RUN, DIVERGED, PROVED, TROUBLE

ROOT = Path(__file__).parent.parent


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["smoke", *arguments], prog_name="tc-migrate", catch_exceptions=False)


class Prover:
    """Stands where `prove` does: remembers what it was asked, and answers with a proof made by hand."""

    def __init__(self) -> None:
        self.answer: Proof | Exception = PROVED
        self.script, self.arguments, self.options = Path(), (), Options()

    def __call__(self, script: Path, arguments: Sequence[str], options: Options, tell: Tell) -> Proof:
        self.script, self.arguments, self.options = script, tuple(arguments), options
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def prover(monkeypatch: pytest.MonkeyPatch) -> Prover:
    prover = Prover()
    monkeypatch.setattr(proof, "prove", prover)
    return prover


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A script in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("import torch\n")
    return "train.py"


# --- start-up -----------------------------------------------------------------------------------------------------


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom migrate.cli import main\n"
        "try:\n    main(['smoke', '--help'], prog_name='tc-migrate')\n"
        "except SystemExit:\n    print(sorted({'libcst', 'rich', 'migrate.smoke'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: tc-migrate smoke [OPTIONS] [SCRIPT] [ARGUMENTS]...\n")
    assert done.stdout.endswith("[]\n")


# --- what it exits with and prints --------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "code"), [(PROVED, 0), (TROUBLE, 1), (DIVERGED, 1), (COULD_NOT_RUN, 2)])
def test_exit_codes(prover: Prover, script: str, answer: Proof, code: int) -> None:
    prover.answer = answer
    result = call(script)
    assert result.exit_code == code
    assert result.stdout.startswith(f"src/train.py: {answer.verdict.value}: ")


def test_a_pipe_gets_plain_text(prover: Prover, script: str) -> None:
    text = call(script).stdout
    assert "\x1b" not in text
    assert [line for line in text.splitlines() if line != line.rstrip()] == []


def test_what_cannot_be_is_one_line_and_2(prover: Prover, script: str) -> None:
    prover.answer = MigrateError("no interpreter with torch was found")
    result = call(script)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: no interpreter with torch was found\n"


def test_json_goes_to_standard_output_alone(prover: Prover, script: str) -> None:
    result = call(script, "--json")
    assert json.loads(result.stdout)["verdict"] == "proved"
    assert result.stderr == ""


def test_reports_are_written_beside_the_printed_one(prover: Prover, script: str, tmp_path: Path) -> None:
    result = call(script, "--markdown", "report.md", "--html", "report.html")
    assert "proved" in result.stdout
    assert (tmp_path / "report.md").read_text(encoding="utf-8").startswith("**✅ proved**")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_report_that_cannot_be_written_is_said(prover: Prover, script: str) -> None:
    result = call(script, "--html", "no/such/folder/report.html")
    assert result.exit_code == 2
    assert "no/such/folder" in result.stderr


def test_an_interrupted_proof_leaves_at_once(script: str) -> None:
    """Though a run goes on in a thread, for which Python would wait."""
    code = """\
import threading, time
from migrate.cli import main
from migrate.smoke import proof

def prove(*arguments):
    threading.Thread(target=time.sleep, args=(300,)).start()
    raise KeyboardInterrupt

proof.prove = prove
main(["smoke", "train.py"], prog_name="tc-migrate")
"""
    began = time.monotonic()
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=variables)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")
    assert time.monotonic() - began < 200


# --- options ------------------------------------------------------------------------------------------------------


def test_defaults(prover: Prover, script: str) -> None:
    call(script)
    assert prover.script == Path("train.py")
    assert prover.arguments == ()
    options = prover.options
    assert (options.target.name, options.steps, options.workers, options.backend) == ("smtc", 20, 2, None)
    assert (options.strict, options.fake_data, options.network, options.launch) == (False, False, False, None)
    assert (options.limits.seconds, options.limits.bytes) == (300.0, 8 << 30)


def test_options_reach_the_proof(prover: Prover, script: str) -> None:
    result = call(
        *("-n", "7", "--target", "torch-xla==2.9", "--backend", "standin", "--workers", "1", "--launch", "main"),
        *("--strict", "--fake-data", "--network", "--timeout", "9", "--memory", "1.5", "--select", "device,TC4"),
        *("--ignore", "TC20", "--safety", "exact", "--root", ".", script, "--", "--epochs", "2", "-n", "3"),
    )
    assert result.exit_code == 0, result.stderr
    options = prover.options
    assert prover.arguments == ("--epochs", "2", "-n", "3")
    assert (options.target.name, options.steps, options.workers) == ("torch-xla==2.9", 7, 1)
    assert (options.backend, options.launch, options.root) == ("standin", Launch.MAIN, Path())
    assert options.strict
    assert options.fake_data
    assert options.network
    assert (options.limits.seconds, options.limits.bytes) == (9.0, 3 << 29)
    assert (options.selection.select, options.selection.ignore) == ({"device", "TC4"}, {"TC20"})
    assert options.selection.safety is Safety.EXACT


def test_the_configuration_holds_where_the_command_line_says_nothing(
    prover: Prover, script: str, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.tc-migrate]\ntarget = "torch-xla==2.4"\n[tool.tc-migrate.per-file-ignores]\n"train.py" = ["TC2"]\n'
    )
    call(script)
    assert prover.options.target.name == "torch-xla==2.4"
    assert prover.options.selection.ignore == {"TC2"}
    call(script, "--target", "smtc")
    assert prover.options.target.name == "smtc"


def test_variables(prover: Prover, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "from outside")
    call(script, "--env", "TOKEN", "--env", "DATA=/a=b", "--env", "EMPTY=")
    assert prover.options.variables == {"TOKEN": "from outside", "DATA": "/a=b", "EMPTY": ""}
    result = call(script, "--env", "NOT_THERE")
    assert result.exit_code == 2
    assert "--env NOT_THERE=VALUE" in result.stderr


def test_a_twin_made_by_hand(prover: Prover, script: str, tmp_path: Path) -> None:
    (tmp_path / "xla.py").write_text("import torch_xla\n")
    call(script, "--migrated", "xla.py")
    assert (prover.script, prover.options.twin) == (Path("train.py"), Path("xla.py"))
    call("xla.py", "--original", script)
    assert (prover.script, prover.options.twin) == (Path("train.py"), Path("xla.py"))
    result = call("xla.py", "--original", script, "--migrated", script)
    assert result.exit_code == 2
    assert "exclude each other" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a script"),
        (("none.py",), "does not exist"),
        (("train.py", "--target", "tpu"), "unknown target 'tpu'"),
        (("train.py", "--backend", "jax"), "Invalid value for '--backend'"),
        (("train.py", "-n", "0"), "Invalid value for '-n'"),
        (("train.py", "--select", "TC999"), "TC999"),
        (("train.py", "--epochs", "2"), "--epochs"),
    ],
)
def test_wrong_options_are_2(prover: Prover, script: str, arguments: tuple[str, ...], said: str) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_provision_needs_no_script(prover: Prover, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def provision(name: str, output: int | None = None) -> Environment:
        asked.append(name)
        return Environment(f"{name}.0", Path("/cache/bin/python"))

    monkeypatch.setattr(environments, "provision", provision)
    result = call("--provision", "2.9", "--provision", "2.1")
    assert (result.exit_code, asked) == (0, ["2.9", "2.1"])
    assert "torch_xla 2.9.0: /cache/bin/python" in result.stderr


def test_an_unmigrated_script_says_why(prover: Prover, script: str) -> None:
    prover.answer = replace(PROVED, pairs=(), reason="the script was not migrated: builds on FSDP")
    result = call(script)
    assert (result.exit_code, result.stdout) == (
        2,
        "src/train.py: could not run: the script was not migrated: builds on FSDP\n",
    )
