"""A launcher and the training script it starts, read together wherever they lie."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from codemods.kit.targets import SMTC
from migrate.cli import main
from migrate.programs import group, imported_names
from migrate.project import migrate_project
from migrate.started import started_names

LAUNCH = """\
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point="train.py",
    source_dir="SOURCE",
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    hyperparameters={"OPTION": True},
    compiler_config=TrainingCompilerConfig(),
)
"""
TRAIN = """\
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--fp16", action="store_true")
args = parser.parse_args()
"""


def notes(sources: dict[str, str], launcher: str = "launch.py") -> list[str]:
    found = dict(migrate_project(sources, target=SMTC))[launcher].notes
    return [note.rule for note in found if note.codemod == "estimator_script"]


def launch(source: str, option: str = "fp16") -> str:
    return LAUNCH.replace("SOURCE", source).replace("OPTION", option)


@pytest.mark.parametrize(
    ("launcher", "source", "script"),
    [
        ("launch.py", ".", "train.py"),
        ("launch.py", "./code", "code/train.py"),
        ("launch.py", "a/b/", "a/b/train.py"),
        ("jobs/launch.py", "../code", "code/train.py"),
        ("jobs/launch.py", "code", "code/train.py"),  # started from the folder above
    ],
)
def test_the_script_is_found(launcher: str, source: str, script: str) -> None:
    assert notes({launcher: launch(source), script: TRAIN}, launcher) == ["SM014"]


def test_another_script_of_the_name_is_not_meant() -> None:
    assert notes({"launch.py": launch("code"), "other/train.py": TRAIN}) == []


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        (("parse_args()", "parse_known_args()"), ["SM027"]),
        (("ArgumentParser()", "ArgumentParser(parents=[base])"), []),
        (("import torch\n", "import torch\nimport transformers\n\ntransformers.HfArgumentParser(Own)\n"), []),
        (("args =", "add_more(parser)\nargs ="), []),
        (('"--fp16"', "*flags"), []),
    ],
)
def test_an_option_that_is_missing(change: tuple[str, str], rules: list[str]) -> None:
    """Silence where the script may have options that do not show."""
    assert notes({"launch.py": launch(".", "depth"), "train.py": TRAIN}) == ["SM026"]
    assert notes({"launch.py": launch(".", "depth"), "train.py": TRAIN.replace(*change)}) == rules


def test_options_that_another_file_declares_are_known() -> None:
    train = TRAIN.replace("args =", "from more import add_more\nadd_more(parser)\nargs =")
    more = 'import torch\n\n\ndef add_more(parser):\n    parser.add_argument("--depth", type=int)\n'
    assert notes({"launch.py": launch(".", "depth"), "train.py": train, "more.py": more}) == []
    assert notes({"launch.py": launch(".", "width"), "train.py": train, "more.py": more}) == ["SM026"]


def test_the_beginning_of_an_option_is_the_option() -> None:
    train = TRAIN.replace("--fp16", "--learning_rate").replace(', action="store_true"', "")
    assert notes({"launch.py": launch(".", "learning"), "train.py": train}) == []


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (
            "import torch\n\nmodel = torch.nn.Linear(1, 1).cuda()\n",
            "has no _mp_fn(index), and is written for one process",
        ),
        ("import deepspeed\nimport torch\n\ndeepspeed.initialize()\n", "stands on DeepSpeed, and is not migrated"),
        ("import torch\nimport torch.distributed as dist\n\ndist.init_process_group('nccl')\n", ""),
    ],
)
def test_a_script_for_several_gpus(train: str, message: str) -> None:
    launcher = launch(".").replace("p3.2xlarge", "p3.16xlarge").replace('"fp16": True', "")
    launcher = launcher.replace("instance_count=1", 'instance_count=1, distribution={"pytorchxla": {"enabled": True}}')
    found = dict(migrate_project({"launch.py": launcher, "train.py": train}, target=SMTC))["launch.py"].notes
    said = [note.message for note in found if note.rule == "SM028"]
    assert said == ([f"train.py {message}"] if message else [])


def test_a_script_for_one_process_stays_one_on_several_gpus() -> None:
    """Our own edit does not start what cannot be started."""
    launcher = launch(".").replace("p3.2xlarge", "p3.8xlarge").replace('"fp16": True', "")
    train = "import torch\n\nmodel = torch.nn.Linear(1, 1).cuda()\n"
    found = dict(migrate_project({"launch.py": launcher, "train.py": train}, target=SMTC))["launch.py"]
    assert "pytorchxla" not in found.result
    said = [note.message for note in found.notes if note.rule in ("SM009", "SM028")]
    assert said == ["4 GPUs, and train.py is written for one process: it stays one"]


def test_a_job_whose_script_is_not_migrated_stays_as_it_is() -> None:
    launcher = launch(".").replace("    compiler_config=TrainingCompilerConfig(),\n", "")
    train = "import deepspeed\nimport torch\n\ndeepspeed.initialize()\n"
    found = dict(migrate_project({"launch.py": launcher, "train.py": train}, target=SMTC))["launch.py"]
    assert found.result == launcher
    said = "its script stands on DeepSpeed, and is not migrated"
    assert [(note.rule, note.message) for note in found.notes] == [("LC05", said)]


@pytest.mark.parametrize(
    ("setup", "machine", "rules"),
    [
        ("code/setup.py", "p3.16xlarge", ["SM011"]),
        ("code/setup.py", "p3.2xlarge", []),
        ("setup.py", "p3.16xlarge", []),
        ("code/tools/setup.py", "p3.16xlarge", []),
    ],
)
def test_a_folder_that_is_a_package(tmp_path: Path, setup: str, machine: str, rules: list[str]) -> None:
    """The container installs a source_dir with a setup.py, and then starts one process only."""
    (tmp_path / "code/tools").mkdir(parents=True)
    (tmp_path / setup).write_text("from setuptools import setup\n\nsetup()\n")
    launcher = tmp_path / "launch.py"
    launcher.write_text(launch("code").replace("p3.2xlarge", machine))
    (tmp_path / "code/train.py").write_text(TRAIN)
    for given in (launcher, tmp_path):
        text = (
            CliRunner().invoke(main, ["--target", "smtc", "--format", "json", "--select", "SM011", str(given)]).stdout
        )
        found = [note["rule"] for file in json.loads(text)["files"] for note in file["notes"]]
        assert found == rules, given


OLD = """\
from sagemaker.huggingface import HuggingFace

estimator = HuggingFace(
    entry_point="start.py",
    source_dir=".",
    instance_type="ml.p3.16xlarge",
    instance_count=1,
    transformers_version="4.17.0",
    pytorch_version="1.10.2",
    py_version="py38",
    hyperparameters=GIVEN,
)
"""
START = """\
import subprocess
import sys

subprocess.check_call([sys.executable, "-m", "torch_xla.distributed.sm_dist", *sys.argv[1:]])
"""


@pytest.mark.parametrize(
    ("given", "train", "rules"),
    [
        ('{"training_script": "train.py"}', "import torch\n\nmodel = torch.nn.Linear(1, 1).cuda()\n", ["SM028"]),
        ('{"training_script": "train.py"}', "import torch\n\n\ndef _mp_fn(index):\n    torch.ones(1)\n", ["SM029"]),
        ("parameters", "import torch\n\nmodel = torch.nn.Linear(1, 1).cuda()\n", []),
    ],
)
def test_a_container_whose_entry_point_starts_the_processes(given: str, train: str, rules: list[str]) -> None:
    """`sm_dist` calls `_mp_fn` too; the entry point itself is not what has to have one."""
    sources = {"launch.py": OLD.replace("GIVEN", given), "start.py": START, "train.py": train}
    assert notes(sources) == rules


def test_a_launcher_given_alone_is_read_with_its_script(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "launch.py").write_text(launch("code"))
    (tmp_path / "code/train.py").write_text(TRAIN)
    text = CliRunner().invoke(main, ["--target", "smtc", "--format", "json", str(tmp_path / "launch.py")]).stdout
    (file,) = json.loads(text)["files"]
    assert "SM014" in [note["rule"] for note in file["notes"]]


def test_grouping_reads_the_text_alone() -> None:
    assert started_names(launch("../code")) == ["train", "..code.train", "..code.setup"]
    assert started_names(launch("s3://bucket/code")) == ["train"]
    assert started_names(TRAIN + 'entry_point = "train.py"\n') == []
    files = {"jobs/launch.py": launch("../code"), "code/train.py": TRAIN, "other.py": TRAIN}
    programs = group({path: imported_names(text) for path, text in files.items()})
    assert programs == [["jobs/launch.py", "code/train.py"], ["other.py"]]
