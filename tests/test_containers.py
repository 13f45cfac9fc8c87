"""Which Training Compiler container a job gets, and which SDKs can start it. The SDK's own word: tests/sagemaker."""

from __future__ import annotations

import pytest

from codemods.kit.containers import container_for, container_of, containers, gpus, instance_class
from codemods.kit.sdk_versions import unfit_sdk
from codemods.kit.targets import Target

NEWEST = containers()[-1]


@pytest.mark.parametrize(
    ("target", "estimator", "pytorch", "transformers", "wanted"),
    [
        ("smtc", "PyTorch", None, None, "P13"),
        ("smtc", "PyTorch", "1.12", None, "P13"),
        ("smtc==1.12", "PyTorch", "2.1", None, "P12"),
        ("smtc", "HuggingFace", "1.9", "4.11", "P9"),
        ("smtc", "HuggingFace", "1.10.2", "4.17.0", "P10"),
        ("smtc", "HuggingFace", "1.11", "4.21", "P11"),
        ("smtc", "HuggingFace", "1.11", "4.22", "P11"),
        ("smtc", "HuggingFace", "1.8.1", "4.10.2", "P11"),
        ("smtc", "HuggingFace", "1.13.1", "4.26.0", "P13"),
        ("smtc==1.12", "HuggingFace", "2.0", "4.28", "P12"),
        ("smtc==1.11", "HuggingFace", "1.13.1", "4.26.0", "P11"),
        ("smtc", "HuggingFace", None, None, "P13"),
    ],
)
def test_the_container_of_a_job(
    target: str, estimator: str, pytorch: str | None, transformers: str | None, wanted: str
) -> None:
    assert container_for(Target.parse(target), estimator, pytorch, transformers).name == wanted


def test_a_target_of_torch_xla_has_no_container() -> None:
    with pytest.raises(LookupError, match=r"torch-xla==2\.9 has no SageMaker container"):
        container_of(Target.parse("torch-xla==2.9"))


def test_machines() -> None:
    assert [gpus(name) for name in ("ml.p3.8xlarge", "ml.g4dn.xlarge", "ml.p3dn.24xlarge")] == [4, 1, 8]
    assert gpus("ml.m5.xlarge") is None
    assert instance_class("ml.p3dn.24xlarge") == "p3dn"
    assert instance_class("local_gpu") == ""


@pytest.mark.parametrize("requirement", ["", "<3", ">=2.140,<3", "~=2.90", "==2.133.0", "==2.257.7", "==2.*"])
def test_an_sdk_that_can_start_the_newest_container(requirement: str) -> None:
    assert unfit_sdk(requirement, NEWEST) == ""


@pytest.mark.parametrize(
    ("requirement", "reason"),
    [
        ("==2.100.0", "needs 2.133.0"),
        ("==2.132.0", "needs 2.133.0"),
        ("<2.121", "needs 2.133.0"),
        (">=2.140", "pip takes version 3"),
        (">=3", "version 3 has no"),
        ("==3.0.1", "version 3 has no"),
    ],
)
def test_an_sdk_that_cannot(requirement: str, reason: str) -> None:
    assert reason in unfit_sdk(requirement, NEWEST)


def test_an_older_container_has_an_older_sdk() -> None:
    assert unfit_sdk("==2.87.0", containers()[1]) == ""
    assert "needs 2.87.0" in unfit_sdk("==2.86.0", containers()[1])
