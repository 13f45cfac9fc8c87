"""`--accelerator cuda` up to the driver, which is faked: no GPU has been seen here."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from codemods.kit.targets import Target
from migrate.cli_smoke import smoke
from migrate.migration import MigrateError
from migrate.smoke import accelerator, backends
from migrate.smoke.accelerator import Machine, choose_for, find_accelerator, runtimes
from migrate.smoke.backends import Choice
from migrate.smoke.child import served
from migrate.smoke.environments import Environment
from migrate.smoke.planning import Options, make_plan
from migrate.smoke.proof import describe_several, prove, what_ran
from migrate.smoke.record import Backend, Ending, Run, Side, Worker
from migrate.smoke.report_words import speed_line
from migrate.smoke.variables import child_variables

SMTC, XLA = Target.parse("smtc"), Target.parse("torch-xla==2.6")
MACHINE = Machine("NVIDIA T4", "2.6.0", "12.4", 90100, "3.10.1")

Fake = Callable[..., Path]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Makes an interpreter that answers as one with these packages would, and a driver."""
    driver = tmp_path / "dxg"
    monkeypatch.setattr(accelerator, "DRIVERS", (tmp_path / "nvidiactl", driver))
    monkeypatch.setattr(backends, "own_interpreters", lambda: iter(()))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PJRT_DEVICE", "TPU")

    def make(torch: str, torch_xla: str | None, kind: str = "", gpu: str = "NVIDIA T4", driven: bool = True) -> Path:
        if driven:
            driver.touch()
        machine = json.dumps(vars(replace(MACHINE, device=gpu, torch=torch)))
        python = tmp_path / f"python-{torch}"
        python.write_text(
            f"""#!/bin/sh
case "$2" in
  *get_device_name*) echo 'a warning'; echo '{machine}' ;;
  *cuda_plugin*) echo {torch.startswith("2.6")} ;;
  *xla_device_hw*) env | grep -E 'PJRT|GPU_NUM|INSTALLED' | sort >> {tmp_path}/asked
     echo -- >> {tmp_path}/asked
     case "$PJRT_DEVICE" in '{kind}') echo 'device: {kind or "GPU"}' ;; *) exit 1 ;; esac ;;
  *) echo '{json.dumps([torch, torch_xla])}' ;;
esac
"""
        )
        python.chmod(0o755)
        return python

    return make


def options_for(python: Path, target: Target = XLA, **about: Any) -> Options:
    return Options(target=target, python=python, accelerator="cuda", **about)


@pytest.mark.parametrize(
    ("version", "kind", "target", "runtime"),
    [
        ("1.13.1", "", SMTC, {"GPU_NUM_DEVICES": "1"}),
        ("2.0.0", "GPU", SMTC, {"PJRT_DEVICE": "GPU", "GPU_NUM_DEVICES": "1"}),
        ("2.1.0", "CUDA", SMTC, {"PJRT_DEVICE": "CUDA", "GPU_NUM_DEVICES": "1"}),
        ("2.1.0", "GPU", SMTC, {"PJRT_DEVICE": "GPU", "GPU_NUM_DEVICES": "1"}),
        (
            "2.6.0",
            "CUDA",
            XLA,
            {"PJRT_DEVICE": "CUDA", "GPU_NUM_DEVICES": "1", "XLA_REGISTER_INSTALLED_PLUGINS": "1"},
        ),
    ],
)
def test_how_each_version_is_told_to_use_the_gpu(
    version: str, kind: str, target: Target, runtime: dict[str, str], fake: Fake
) -> None:
    choice = choose_for(options_for(fake(version, version, kind), target), "")
    assert (choice.backend, choice.accelerator, choice.runtime) == (Backend.TORCH_XLA, "cuda", runtime)


def test_the_callers_own_runtime_is_not_asked(fake: Fake, tmp_path: Path) -> None:
    choose_for(options_for(fake("1.13.1", "1.13.0"), SMTC), "")
    assert (tmp_path / "asked").read_text() == "GPU_NUM_DEVICES=1\n--\n"


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ({"torch_xla": "2.6.0", "driven": False}, "this machine has no GPU that NVIDIA's driver serves (no /"),
        ({"torch_xla": "2.6.0", "gpu": ""}, "cannot use the GPU; docs/gpu-smoke.md"),
        ({"torch_xla": None}, "no torch_xla in "),
        ({"torch_xla": "2.6.0", "kind": "TPU"}, "does not run on CUDA; docs/gpu-smoke.md"),
        ({"torch_xla": "2.9.0", "kind": "TPU"}, "has none any more, 2.7 was the last one"),
    ],
)
def test_says_in_a_sentence_why_not(made: dict[str, Any], told: str, fake: Fake, tmp_path: Path) -> None:
    python = fake("2.6.0", **made)
    with pytest.raises(MigrateError) as raised:
        choose_for(options_for(python), "")
    assert str(raised.value).startswith("--accelerator cuda: ")
    assert told in str(raised.value)
    script = tmp_path / "train.py"
    script.write_text("import torch\nmodel = torch.nn.Linear(1, 1).cuda()\n")
    wanted = ["--target", "torch-xla==2.6", "--accelerator", "cuda", "--python", str(python)]
    ended = CliRunner().invoke(smoke, [str(script), *wanted])
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "--accelerator cuda: " in ended.stderr


def test_a_provisioned_environment_has_no_gpu(fake: Fake) -> None:
    with pytest.raises(MigrateError, match="for the CPU"):
        choose_for(options_for(fake("2.6.0", None), backend="oracle"), "")


def test_the_standin_on_the_gpu_needs_no_torch_xla(fake: Fake) -> None:
    choice = choose_for(options_for(fake("2.6.0", None), backend="standin"), "")
    assert (choice.backend, choice.accelerator, choice.runtime) == (Backend.STANDIN, "cuda", {})


def test_auto_is_what_it_was(fake: Fake, tmp_path: Path) -> None:
    python = fake("2.6.0", "2.6.0", "CUDA")
    choice = choose_for(replace(options_for(python), accelerator="auto"), "")
    assert (choice.accelerator, choice.runtime) == ("", {})
    assert not (tmp_path / "asked").exists()
    assert find_accelerator(Environment("", python)) == "cuda", "WSL2 has /dev/dxg"
    for backend, wanted, on in (("torch_xla", "auto", "cpu"), ("standin", "auto", "cuda"), ("standin", "cpu", "cpu")):
        options = replace(options_for(python), accelerator=wanted)
        plan = make_plan(tmp_path / "a.py", "", "", {}, (), options, replace(choice, backend=Backend(backend)))
        assert (plan.migrated.accelerator, plan.original and plan.original.accelerator) == (on, on)


def test_both_run_on_the_gpu_and_several_say_why_they_are_no_replicas(fake: Fake, tmp_path: Path) -> None:
    options = options_for(fake("2.6.0", "2.6.0", "CUDA"))
    choice = choose_for(options, "")
    plan = make_plan(tmp_path / "a.py", "", "torch_xla.launch(main)", {}, (), options, choice)
    assert plan.original is not None
    assert (plan.original.accelerator, plan.migrated.accelerator) == ("cuda", "cuda")
    assert plan.migrated.runtime == choice.runtime
    assert plan.several_migrated is not None
    assert (plan.several_migrated.backend, plan.several_migrated.runtime) == (Backend.STANDIN, {})
    assert plan.no_replicas == "these are devices of the CPU"


def test_the_variables_of_each_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    def variables(side: Side, on: str, runtime: dict[str, str]) -> dict[str, str]:
        return child_variables(tmp_path, tmp_path, side, on, 1, False, {}, runtime)

    old = variables(Side.SMTC, "cuda", {"GPU_NUM_DEVICES": "1"})
    assert "PJRT_DEVICE" not in old, "XRT"
    assert "XLA_FLAGS" not in old, "optimised, since it is timed"
    assert old["GPU_NUM_DEVICES"] == "1"
    assert variables(Side.XLA, "cuda", {"PJRT_DEVICE": "CUDA"})["PJRT_DEVICE"] == "CUDA"
    for each in (old, variables(Side.CUDA, "cuda", {})):
        assert each["NVIDIA_TF32_OVERRIDE"] == "0"
        assert "CUDA_VISIBLE_DEVICES" not in each
    assert variables(Side.XLA, "cpu", {})["CUDA_VISIBLE_DEVICES"] == ""


def test_unknown_versions_are_taken_for_old_ones() -> None:
    assert list(runtimes(None, plugin=False)) == [{"GPU_NUM_DEVICES": "1"}]


def run_on(*devices: str, backend: Backend = Backend.STANDIN) -> Run:
    workers = tuple(
        Worker(rank, (3,), times=(0.0, 0.1, 0.2), device=each, memory=5 << 20) for rank, each in enumerate(devices)
    )
    return Run(Side.XLA, Ending.ENDED, 1.0, "", workers, backend)


def test_the_report_says_what_ran() -> None:
    choice = Choice(Backend.TORCH_XLA, Environment("", Path("python")), "2.6.0", "real torch_xla")
    options = options_for(Path("python"))
    assert "joined by NCCL on GPUs" in describe_several(run_on("NVIDIA T4", "NVIDIA T4"), choice, options, "")
    for fallen in (run_on("cpu", "cpu"), run_on("NVIDIA T4", "cpu"), run_on("", ""), run_on()):
        assert "joined by gloo on the CPU" in describe_several(fallen, choice, options, "")
    assert what_ran(run_on("CUDA")) == "GPU: CUDA"
    assert what_ran(run_on("cpu", "NVIDIA T4")) == "GPU: NVIDIA T4 and CPU"
    assert what_ran(run_on("")) == ""


def test_speed_and_memory_are_told_of_gpus_alone() -> None:
    pair: Any = SimpleNamespace(runs=(("the original", run_on("NVIDIA T4")), ("the migrated script", run_on("CUDA"))))
    line = speed_line(pair)
    assert "the original on NVIDIA T4, 10 steps per second, at most 5 MiB; the migrated script on CUDA, 10 " in line
    assert speed_line(SimpleNamespace(runs=(("the original", run_on("cpu")),))) == ""  # type: ignore[arg-type]


def test_what_a_process_says_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = SimpleNamespace(cuda=SimpleNamespace(get_device_name=lambda: "NVIDIA T4", max_memory_allocated=lambda: 7))
    assert served.describe(torch, {"backend": "native", "accelerator": "cuda"}) == {"device": "NVIDIA T4", "memory": 7}
    assert served.describe(torch, {"backend": "native", "accelerator": "cpu"}) == {"device": "cpu", "memory": 0}
    real = {"backend": "torch_xla", "accelerator": "cuda"}
    assert served.describe(torch, real) == {"device": "", "memory": 0}
    told = {"kb_total": 10, "kb_free": 8}
    model = SimpleNamespace(
        xla_device=lambda: 0, xla_device_hw=lambda device: "CPU", get_memory_info=lambda device: told
    )
    monkeypatch.setitem(served.sys.modules, "torch_xla.core.xla_model", model)  # type: ignore[arg-type]
    assert served.describe(torch, real) == {"device": "cpu", "memory": 0}, "whatever was asked for"
    model.xla_device_hw = lambda device: "GPU"
    assert served.describe(torch, real) == {"device": "GPU", "memory": 2048}
    assert served.taken({"bytes_used": 1, "bytes_limit": 9}) == 1
    assert served.taken({"bytes_used": 1, "peak_bytes_used": 5}) == 5


SCRIPT = """\
import torch
model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(6):
    optimizer.zero_grad()
    loss = model(torch.ones(2, 4).cuda()).pow(2).mean()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.real_xla
def test_a_gpu_that_is_none_is_not_called_one(
    environment: Callable[[str], Environment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that comes before the driver says GPU; the processes know better."""
    ready = environment("2.9")
    monkeypatch.setattr(accelerator, "has_driver", lambda: True)
    monkeypatch.setattr(accelerator, "look", lambda python: MACHINE)
    monkeypatch.setattr(accelerator, "find_runtime", lambda choice: {"PJRT_DEVICE": "CPU"})
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    proof = prove(script, (), options_for(ready.python, Target.parse("torch-xla==2.9")))
    assert proof.verdict.exit_code == 0, proof.reasons
    (pair,) = proof.pairs
    assert pair.migrated.backend is Backend.TORCH_XLA
    assert pair.backend.endswith("(CPU; the original on CPU)")
    assert speed_line(pair) == ""
