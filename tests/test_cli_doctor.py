"""`tc-migrate doctor` as a command: what it reads, prints and exits with, and scripts beside logs."""

from __future__ import annotations

import gzip
import json
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from migrate.cli import main
from tests.test_doctor import EXPECTED, LOGS

SCHEMA = json.loads((Path(__file__).parent.parent / "migrate" / "render" / "doctor.schema.json").read_text())


def call(*arguments: str, input: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["doctor", *arguments], prog_name="tc-migrate", catch_exceptions=False, input=input)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_diagnosis_is_1(folder: Path) -> None:
    (folder / "job.log").write_bytes((LOGS / "oom_then_rendezvous.log").read_bytes())
    result = call("job.log")
    assert result.exit_code == 1
    assert result.stdout.startswith("job.log:45: OOM001 a GPU is out of memory (CUDA)\n    | RuntimeError: CUDA out of")
    assert "\njob.log:95: TCL013 " in result.stdout
    assert "    follows   probably from OOM001\n" in result.stdout
    assert result.stderr == "2 known failures in 186 lines (12,342 bytes) of 1 log\n"


def test_an_unknown_failure_is_0(folder: Path) -> None:
    result = call(str(LOGS / "unknown.log"))
    assert result.exit_code == 0
    assert "unknown: the last traceback ends in" in result.stdout
    assert "no hidden_size in \\x1b]0;owned\\x07config.yaml" in result.stdout
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.stdout)


def test_nothing_at_all_is_0(folder: Path) -> None:
    assert call("-", input=b"epoch 1\n").exit_code == 0
    assert call("-", input=b"").exit_code == 0
    assert "the job succeeded" in call(str(LOGS / "success.log")).stdout


@pytest.mark.parametrize("as_json", [False, True])
def test_unreadable_is_2(folder: Path, as_json: bool) -> None:
    (folder / "empty").mkdir()
    (folder / "image.png").write_bytes(b"\x89PNG\0\0\0")
    (folder / "broken.gz").write_bytes(gzip.compress(b"CUDA out of memory\n" * 9_000)[:-20])
    for name, said in (("none.log", "No such file"), ("empty", "no log in"), ("image.png", "not a text")):
        result = call(name, *["--json"] * as_json)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"{name}: {said}")
        assert bool(result.stdout) is as_json
    broken = call("broken.gz", *["--json"] * as_json)
    assert broken.exit_code == 2
    assert "OOM001" in broken.stdout
    assert "broken.gz: damaged or broken off" in broken.stderr


def test_wrong_options_are_2(folder: Path) -> None:
    assert call().exit_code == 2
    assert call("-", "--target", "smtx").exit_code == 2
    (folder / "job.log").write_text("_mp_fn")
    assert call("job.log", "--script", "none.py").exit_code == 2


def test_standard_input(folder: Path) -> None:
    result = call("-", input=b"RuntimeError: Missing XLA configuration\r\n")
    assert result.exit_code == 1
    assert result.stdout.startswith("-:1: TCL001 ")
    assert "compiler_config=TrainingCompilerConfig()," in result.stdout


def test_an_export_of_cloudwatch(folder: Path) -> None:
    for number in (1, 2):
        stream = folder / "exported" / "e1f2" / f"my-job-algo-{number}-1678363199"
        stream.mkdir(parents=True)
        data = b"2023-03-09T12:00:00.000Z RuntimeError: Missing XLA configuration\n"
        (stream / "000000.gz").write_bytes(gzip.compress(data) + gzip.compress(data))
    (folder / "exported" / "aws-logs-write-test").write_text("RuntimeError: str expected, not int")
    (folder / "exported" / "plot.png").write_bytes(b"\0")
    (folder / "exported" / ".hidden.log").write_text("RuntimeError: str expected, not int")
    result = call("exported", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [log.rpartition("/")[2] for log in report["logs"]] == ["000000.gz", "000000.gz"]
    (finding,) = report["findings"]
    assert (finding["id"], finding["count"], finding["hosts"]) == ("TCL001", 4, ["algo-1", "algo-2"])
    assert finding["text"] == "RuntimeError: Missing XLA configuration"


def test_utf_16(folder: Path) -> None:
    text = "epoch 1\r\nRuntimeError: CUDA out of memory. Tried to allocate 1 GiB\r\n" * 50_000
    (folder / "powershell.log").write_bytes(text.encode("utf-16"))
    assert "powershell.log:2: OOM001" in call("powershell.log").stdout


def test_zstandard(folder: Path) -> None:
    text = b"epoch 1\nRuntimeError: CUDA out of memory. Tried to allocate 1 GiB\n"
    # One frame of one raw block: what is in it, and how long it is.
    head = b"\x28\xb5\x2f\xfd\x20" + bytes([len(text)]) + (len(text) << 3 | 1).to_bytes(3, "little")
    (folder / "job.log.zst").write_bytes(head + text)
    result = call("job.log.zst")
    if find_spec("zstandard") or sys.version_info >= (3, 14):
        assert result.stdout.startswith("job.log.zst:2: OOM001")
    else:
        assert result.exit_code == 2
        assert "Python 3.14 or the package zstandard is needed" in result.stderr


@pytest.mark.parametrize("name", EXPECTED)
def test_json_is_valid(name: str, folder: Path) -> None:
    result = call(str(LOGS / name), "--json")
    report = json.loads(result.stdout)
    jsonschema.validate(report, SCHEMA)
    assert [finding["id"] for finding in report["findings"]] == [line.split(":")[0] for line in EXPECTED[name]]
    assert result.exit_code == bool(report["findings"])


# --- together with the scripts ------------------------------------------------------------------------------------

SCRIPT = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("nccl")
model = DDP(torch.nn.Linear(3, 3).cuda())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.rand(2, 3).cuda()).sum().backward()
    optimizer.step()
if dist.get_rank() == 0:
    torch.save(model.state_dict(), "model.pt")
"""


def test_what_in_the_script_explains_it(folder: Path) -> None:
    (folder / "train.py").write_text(SCRIPT)
    log = b"AttributeError: module 'train' has no attribute '_mp_fn'\nRuntimeError: Failed to meet rendezvous\n"
    result = call("-", "--script", "train.py", input=log)
    assert re.search(r"    explained train\.py:\d+: TC71[23] \(TS00[13]", result.stdout)
    assert re.search(r"train\.py:1[23]: TC60[12] \(TS016\)", result.stdout)
    report = json.loads(call("-", "--script", "train.py", "--json", input=log).stdout)
    jsonschema.validate(report, SCHEMA)
    assert all(finding["explained_by"] for finding in report["findings"])


def test_a_script_that_explains_nothing(folder: Path) -> None:
    (folder / "train.py").write_text("print('hello')\n")
    result = call("-", "--script", "train.py", input=b"Missing XLA configuration\n")
    assert result.exit_code == 1
    assert "explained by nothing that was found in the files given" in result.stdout


def test_prose_is_broken_and_code_is_not(folder: Path) -> None:
    result = call(str(LOGS / "no_mp_fn.log"))
    assert max(map(len, result.stdout.splitlines())) <= 160
    assert "                  def _mp_fn(index):\n                      main()\n" in result.stdout
