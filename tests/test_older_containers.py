"""Jobs for the Training Compiler containers before the last one: what each target makes of them, and what it leaves."""

from __future__ import annotations

import pytest

from codemods.kit.targets import Target
from migrate.migration import Migration, Status
from migrate.pipeline import migrate

PYTORCH = """\
from sagemaker.pytorch import PyTorch

job = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.16xlarge",
    framework_version="1.11.0",
    py_version="py38",
    distribution={"torch_distributed": {"enabled": True}},
)
"""
CONFIGURED = PYTORCH.replace("import PyTorch", "import PyTorch, TrainingCompilerConfig").replace(
    "    distribution=", "    compiler_config=TrainingCompilerConfig(),\n    distribution="
)
HUGGINGFACE = """\
from sagemaker.huggingface import HuggingFace

job = HuggingFace(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    transformers_version="4.17.0",
    pytorch_version="1.10.2",
    py_version="py38",
)
"""


def migrated(source: str, target: str) -> Migration:
    return migrate(source, path="launch.py", target=Target.parse(target))


def said(migration: Migration) -> dict[str, str]:
    return {note.rule: note.message for note in migration.notes}


@pytest.mark.parametrize("source", [PYTORCH, CONFIGURED], ids=["plain", "configured"])
def test_a_pytorch_job_has_no_container_with_torch_1_11(source: str) -> None:
    """It is left as it is: half of what a compiled job needs would be refused by the SDK."""
    migration = migrated(source, "smtc==1.11")
    assert migration.result == source
    assert "smtc==1.12" in said(migration)["SM005"]
    assert "SM025" not in said(migration)


def test_a_pytorch_job_gets_the_container_of_a_later_target() -> None:
    migration = migrated(PYTORCH, "smtc==1.12")
    assert migration.status is Status.MIGRATED
    assert 'framework_version="1.12.0"' in migration.result
    assert "SM005" not in said(migration)


def test_a_huggingface_job_keeps_its_container_and_its_script_is_for_an_older_target() -> None:
    migration = migrated(HUGGINGFACE, "smtc")
    assert 'pytorch_version="1.10.2"' in migration.result
    assert "--target smtc==1.11" in said(migration)["LC21"]


def test_with_the_older_target_nothing_is_said() -> None:
    assert "LC21" not in said(migrated(HUGGINGFACE, "smtc==1.11"))


@pytest.mark.parametrize("text", ["smtc==1.9", "smtc==1.10", "smtc==1.10.2"])
def test_the_containers_without_a_target_are_served_by_the_oldest(text: str) -> None:
    with pytest.raises(ValueError, match=r"the nearest is 'smtc==1\.11': HuggingFace jobs keep their container"):
        Target.parse(text)


BROADCAST = "import torch.distributed as dist\n\n\ndef tell(better, found):\n    dist.broadcast({}, 0)\n"


@pytest.mark.parametrize("target", ["smtc==1.11", "smtc==1.12"])
def test_a_broadcast_is_a_sum_of_zeros_where_xm_lacks_it(target: str) -> None:
    """`xm.collective_broadcast` came with torch_xla 1.13."""
    migration = migrated(BROADCAST.format("better"), target)
    factor = "torch.tensor(xm.get_ordinal() == 0).to(better)"
    assert f"xm.all_reduce(xm.REDUCE_SUM, [better.data.mul_({factor})])" in migration.result
    assert "import torch\n" in migration.result
    assert "this torch_xla lacks" in said(migrated(BROADCAST.format("found()"), target))["TC519"]
