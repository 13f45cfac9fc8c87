"""Job descriptions in JSON and YAML: what a job has to get is said at its image."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from codemods.kit.targets import SMTC, XLA
from migrate.cli import main
from migrate.job_files import check_job

JSON = """\
{
  "TrainingJobName": "bert",
  "AlgorithmSpecification": {
    "TrainingImage": "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:1.12.0-gpu-py38",
    "TrainingInputMode": "File"
  },
  "HyperParameters": {
    "sagemaker_program": "train.py",
    "sagemaker_mpi_enabled": "true"
  },
  "Environment": {"GPU_NUM_DEVICES": "8"},
  "ResourceConfig": {"InstanceType": "ml.p3.16xlarge", "InstanceCount": 1}
}
"""
YAML = """\
jobs:
  - AlgorithmSpecification:
      TrainingImage: 763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:1.12.0-gpu-py38
    ResourceConfig:
      InstanceType: ml.g4dn.xlarge
      InstanceCount: 1
"""
DONE = (
    JSON.replace("pytorch-training:1.12.0-gpu-py38", "pytorch-trcomp-training:1.13.1-gpu-py39")
    .replace("sagemaker_mpi_enabled", "sagemaker_training_compiler_enabled")
    .replace('"train.py"', '"train.py", "sagemaker_pytorch_xla_multi_worker_enabled": "true"')
    .replace('{"GPU_NUM_DEVICES": "8"}', "{}")
    .replace('"TrainingJobName"', '"ProfilerConfig": {"DisableProfiler": true},\n  "TrainingJobName"')
)


def said(text: str) -> list[tuple[int, str]]:
    found = check_job(text, path="job", target=SMTC, allows=lambda rule: True)
    return [(note.line, note.message) for note in found.notes] if found is not None else []


def test_what_a_job_has_to_get() -> None:
    ((line, message),) = said(JSON)
    assert line == 4
    assert message == (
        "TrainingImage pytorch-trcomp-training:1.13.1-gpu-py39; "
        'HyperParameters "sagemaker_training_compiler_enabled": "true", '
        '"sagemaker_pytorch_xla_multi_worker_enabled": "true"; '
        "no sagemaker_mpi_enabled, GPU_NUM_DEVICES; "
        'ProfilerConfig {"DisableProfiler": true}'
    )
    ((line, message),) = said(YAML)
    assert line == 3
    assert "multi_worker" not in message


@pytest.mark.parametrize(
    "text",
    [
        DONE,
        JSON.replace("pytorch-training", "tensorflow-training"),
        JSON.replace("ml.p3.16xlarge", "ml.c5.xlarge"),
        '{"name": "x"}',
        "# tc-migrate: off\n" + YAML,
        "",
    ],
)
def test_silent(text: str) -> None:
    assert said(text) == []


def test_a_machine_that_the_compiler_does_not_know() -> None:
    ((_, message),) = said(DONE.replace("ml.p3.16xlarge", "ml.p5.48xlarge"))
    assert message == "the Training Compiler does not run on ml.p5.48xlarge"


def test_of_other_targets_nothing_is_said() -> None:
    assert check_job(JSON, path="job", target=XLA, allows=lambda rule: True) is None


def test_the_files_of_a_folder(tmp_path: Path) -> None:
    ignore = shutil.ignore_patterns("*.smtc.py", "*.xla.py")
    shutil.copytree("golden/projects/first_job", tmp_path / "job", ignore=ignore)
    (tmp_path / "job/job.json").write_text(JSON)
    shown = CliRunner().invoke(main, ["--no-cache", "--target", "smtc", str(tmp_path / "job")]).output
    assert "job.json:4: warning LC25" in shown
