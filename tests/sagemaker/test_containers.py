"""The table of containers says what the SDK says."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from codemods.estimator_keywords import _COMMON, _OWN
from codemods.kit.containers import Container, containers
from tests.sagemaker.conftest import Ask

pytestmark = pytest.mark.real_sagemaker
_READ = """
import inspect, json, sagemaker
from pathlib import Path
from sagemaker.estimator import EstimatorBase, Framework
from sagemaker.huggingface import HuggingFace
from sagemaker.pytorch import PyTorch
folder = Path(sagemaker.__file__).parent / "image_uri_config"
kinds = "pytorch", "huggingface"
images = {kind: json.loads((folder / f"{kind}-training-compiler.json").read_text()) for kind in kinds}
keywords = {
    kind.__name__: [
        name
        for each in (EstimatorBase, Framework, kind)
        for name, given in inspect.signature(each.__init__).parameters.items()
        if name != "self" and given.kind is not given.VAR_KEYWORD
    ]
    for kind in (PyTorch, HuggingFace)
}
print(json.dumps({"images": images, "keywords": keywords}))
"""


@pytest.fixture(scope="module")
def said(sdk: Path) -> dict[str, dict[str, dict[str, object]]]:
    ended = subprocess.run([str(sdk), "-c", _READ], capture_output=True, text=True, check=True)
    found: dict[str, dict[str, dict[str, object]]] = json.loads(ended.stdout.splitlines()[-1])
    return found


def image_of(said, container: Container):  # type: ignore[no-untyped-def]
    """What the SDK's lists have of a container."""
    if container.transformers is None:
        return said["images"]["pytorch"]["training"]["versions"][container.pytorch]
    return said["images"]["huggingface"]["training"]["versions"][container.transformers][f"pytorch{container.pytorch}"]


@pytest.mark.parametrize("container", containers(), ids=lambda container: container.name)
def test_a_container_is_as_the_sdk_has_it(said, container: Container) -> None:  # type: ignore[no-untyped-def]
    image = image_of(said, container)
    assert image["repository"] == container.repository
    assert image["py_versions"] == [container.python]
    assert set(image["registries"]) == container.regions


def test_there_is_no_other_container(said) -> None:  # type: ignore[no-untyped-def]
    pytorch = said["images"]["pytorch"]["training"]["versions"]
    huggingface = said["images"]["huggingface"]["training"]["versions"]
    of_torch = [key for each in huggingface.values() for key in each if key.startswith("pytorch")]
    assert len(pytorch) + len(of_torch) == len(containers())


def test_estimators_get_their_images(ask: Ask) -> None:
    found = ask({container.name: launcher(container) for container in containers()})
    images = {name: answer["estimators"][0]["image"].rpartition("/")[2] for name, answer in found.items()}
    assert images == {container.name: f"{container.repository}:{container.tag}" for container in containers()}


def launcher(container: Container) -> str:
    given = ", ".join(f'{keyword}="{version}"' for keyword, version in container.versions.items())
    return (
        f"from sagemaker.{container.estimator.lower()} import {container.estimator}, TrainingCompilerConfig\n"
        f'{container.estimator}(entry_point="train.py", instance_type="ml.p3.2xlarge", instance_count=1, '
        f"compiler_config=TrainingCompilerConfig(), {given})\n"
    )


@pytest.mark.parametrize("name", ["PyTorch", "HuggingFace"])
def test_the_keywords_of_an_estimator_are_all_known(said, name: str) -> None:  # type: ignore[no-untyped-def]
    own = next(more for kind, more in _OWN.items() if kind.endswith(name))
    assert set(said["keywords"][name]) == {*_COMMON, *own}
