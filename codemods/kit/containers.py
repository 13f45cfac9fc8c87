"""The containers of the SageMaker Training Compiler, and the machines they run on.

`data/sagemaker_containers.json` is taken from the image lists of the SageMaker Python SDK 2.257.7. There are five, and
there will be no sixth: 1.13.1 was the last release. Up to torch 1.11 a container belongs to the HuggingFace estimator
and has transformers in it; from 1.12 it belongs to the PyTorch estimator and has none.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from codemods.kit.targets import ALL, Launcher, Target


class Start(Enum):
    """How a container starts one process for each GPU."""

    PYTORCHXLA = "pytorchxla"
    """`distribution={"pytorchxla": {"enabled": True}}`: the container runs xla_spawn."""
    SCRIPT = "script"
    """An entry point of the user's own, which runs `python -m torch_xla.distributed.sm_dist`."""


@dataclass(frozen=True)
class Container:
    """One Training Compiler container: what an estimator has to say to get it."""

    name: str
    """`P13` for the one with torch 1.13: short, for messages to developers and for tests."""
    estimator: str
    """The class of the SDK whose jobs run in it: `PyTorch` or `HuggingFace`."""
    pytorch: str
    """Its torch, in full: `1.13.1`."""
    transformers: str | None
    """Its transformers, `4.21.1`; None when it brings none."""
    python: str
    """Its `py_version`: `py39`."""
    repository: str
    """The name of its image's repository."""
    tag: str
    """The tag of its image there, as the SDK asks for it."""
    start: Start
    sdk: str
    """The first SageMaker Python SDK that picks its image."""
    regions: frozenset[str]
    """The AWS regions that have its image."""

    @property
    def versions(self) -> dict[str, str]:
        """The version arguments of its estimator, by keyword, in the order they are written."""
        if self.transformers is None:
            return {"framework_version": self.pytorch, "py_version": self.python}
        given = {"transformers_version": self.transformers, "pytorch_version": self.pytorch}
        return {**given, "py_version": self.python}

    def has_torch(self, version: str) -> bool:
        """Whether a version as users write it, `1.13` or `1.13.1`, means the torch in it."""
        return _means(version, self.pytorch)

    def has_transformers(self, version: str) -> bool:
        """Whether a version as users write it, `4.21` or `4.21.1`, means the transformers in it."""
        return self.transformers is not None and _means(version, self.transformers)


@cache
def containers() -> tuple[Container, ...]:
    """Every Training Compiler container, oldest first."""
    return tuple(
        Container(**{**row, "start": Start(row["start"]), "regions": frozenset(row["regions"])})
        for row in _data()["containers"]
    )


def container_of(target: Target) -> Container:
    """The container that the scripts of a target run in. Raises LookupError when the target is not SageMaker's."""
    if target.launcher is Launcher.SAGEMAKER:
        for container in containers():
            if version_of(container.pytorch) == target.version:
                return container
    raise LookupError(f"{target.name} has no SageMaker container")


def target_of(container: Container) -> Target:
    """The target whose scripts run in a container. Those with torch 1.9 and 1.10 have none of their own: what is
    written for torch_xla 1.11 is there too, but for `xm.reduce_scatter` in 1.9."""
    own = [target for target in ALL if target.launcher is Launcher.SAGEMAKER]
    return next((target for target in own if target.version == version_of(container.pytorch)), own[0])


def container_for(
    target: Target, estimator: str, pytorch: str | None = None, transformers: str | None = None
) -> Container:
    """The container that a job should run in: `estimator` is the class that starts it now, with the versions it asks
    for (None where they are unknown).

    A HuggingFace job whose versions have a container keeps them: its own code depends on its transformers. One with an
    older torch gets the last HuggingFace container, and every other job the target's.
    """
    wanted = container_of(target)
    if estimator != "HuggingFace" or pytorch is None:
        return wanted
    own = [each for each in containers() if each.estimator == estimator]
    for each in own:
        if each.has_torch(pytorch) and (transformers is None or each.has_transformers(transformers)):
            return each
    version = version_of(pytorch)
    return own[-1] if version is not None and version <= (1, 11) else wanted


def version_of(text: str) -> tuple[int, int] | None:
    """Major and minor of a version, `1.13.1`; None when it is not one."""
    match = re.match(r"(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else None


def gpus(instance_type: str) -> int | None:
    """How many GPUs an instance type has, `ml.p3.8xlarge`; None when it is not in the table."""
    count: int | None = _data()["gpus"].get(instance_type)
    return count


def instance_class(instance_type: str) -> str:
    """`p3dn` of `ml.p3dn.24xlarge`; empty when it is no instance type of SageMaker's: `local_gpu`."""
    match = re.fullmatch(r"ml[._]([a-z0-9-]+)[._].+", instance_type)
    return match[1] if match else ""


def instance_classes() -> tuple[str, ...]:
    """The classes of machines that the Training Compiler runs on."""
    return tuple(_data()["instance_classes"])


def has_efa(instance_type: str) -> bool:
    """Whether instances of this type can be joined by the Elastic Fabric Adapter, which jobs on several should be."""
    return instance_type in _data()["efa_types"]


def _means(given: str, full: str) -> bool:
    """The SDK takes the full version, or its first two parts."""
    return given == full or given == full.rpartition(".")[0]


@cache
def _data() -> dict[str, Any]:
    # Here and not above: a training script never reads the data, so it should not pay for the import either.
    from importlib.resources import files

    text = (files("codemods") / "kit" / "data" / "sagemaker_containers.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data
