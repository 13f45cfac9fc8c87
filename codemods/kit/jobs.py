"""The jobs a launcher starts, as the Training Compiler sees them: container, GPUs, and what stands in the way."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import libcst as cst

from codemods.kit.containers import Container, container_for, gpus, instance_class, instance_classes
from codemods.kit.estimators import GENERIC, HUGGINGFACE, MODEL_TRAINER, PYTORCH, TENSORFLOW, Estimator
from codemods.kit.names import argument
from codemods.kit.script import Script
from codemods.kit.settings import UNKNOWN
from codemods.kit.targets import Launcher, Target

_OTHER_IMAGES = ("tensorflow", "mxnet", "xgboost", "sklearn", "scikit-learn", "chainer", "autogluon", "jax")
_OURS = ("pytorch", "huggingface")
_VERSIONS = ("framework_version", "transformers_version", "pytorch_version", "py_version")
_SHARDING = ("fsdp", "deepspeed", "deepspeed_config")
"""Hyperparameters by which a Trainer, or a script that starts DeepSpeed, splits the model."""


class Obstacle(Enum):
    """Why a job is left as it is. The value says it."""

    FRAMEWORK = "it is no job of PyTorch"
    MODEL_PARALLEL = "it splits the model with SageMaker's model parallel library"
    IMAGE = "its image is not for PyTorch"
    INSTANCE = "the Training Compiler does not run on its machines"
    CONTAINER = "the target's container runs HuggingFace jobs only"
    SCRIPT = "its script cannot be migrated"
    LOCAL = "it runs on this computer, not on SageMaker"
    GROUPS = "it runs on several groups of machines"
    UNSEEN = "not all of its arguments can be seen here"
    BASELINE = "another job of this file is compiled and this one is not: it may be there to compare with"


@dataclass(frozen=True, eq=False)
class Job:
    """A training job, made ready for a target."""

    estimator: Estimator
    target: Target
    script: Script

    @property
    def call(self) -> cst.Call:
        return self.estimator.call

    @cached_property
    def container(self) -> Container:
        """The container it is to run in."""
        own = self.estimator
        transformers = own.text("transformers_version")
        return container_for(self.target, own.framework, own.text("pytorch_version"), transformers)

    @cached_property
    def changes_class(self) -> bool:
        """Whether a HuggingFace estimator has to become a PyTorch one to get its container."""
        known = self.estimator.text("pytorch_version") is not None
        return known and self.estimator.framework != self.container.estimator

    @property
    def home(self) -> str:
        """The module its estimator is to be imported from, and with it `TrainingCompilerConfig`."""
        becomes_pytorch = self.changes_class or self.estimator.name == PYTORCH
        return "sagemaker.pytorch" if becomes_pytorch else "sagemaker.huggingface"

    @property
    def brings_files(self) -> bool:
        """Whether files beside the entry point may get into the job: the SDK uploads no others without `source_dir` or
        `dependencies`."""
        return not (self.estimator.lacks("source_dir") and self.estimator.lacks("dependencies"))

    # --- machines -------------------------------------------------------------------------------------------------

    @cached_property
    def instance_types(self) -> tuple[str, ...]:
        """The types of machine it may run on, each of them known; empty when one is not."""
        found = self.estimator.values("instance_type")
        found += [self._of_group("instance_type", 1)] if self._group is not None else []
        return tuple(found) if all(isinstance(each, str) for each in found) else ()

    @cached_property
    def instance_count(self) -> int | None:
        """On how many machines it runs; None where that is not known."""
        if self._group is not None:
            found: Any = self._of_group("instance_count", 2)
        else:
            found = self.estimator.number("instance_count")
        return found if isinstance(found, int) else None

    @property
    def _has_groups(self) -> bool:
        """Whether it may be given `instance_groups`, as far as can be seen."""
        own = self.estimator
        return own.argument("instance_groups") is not None or "instance_groups" in own.unsure

    @property
    def _group(self) -> cst.Call | None:
        """The only one of its `instance_groups`."""
        for listed in self.estimator.candidates("instance_groups"):
            if isinstance(listed, cst.List | cst.Tuple) and len(listed.elements) == 1:
                for group in self.script.estimators.literals.candidates(listed.elements[0].value):
                    if isinstance(group, cst.Call):
                        return group
        return None

    def _of_group(self, keyword: str, position: int) -> Any:
        found = argument(self._group, position, keyword) if self._group is not None else None
        return self.script.estimators.literals.value(found.value) if found is not None else UNKNOWN

    @cached_property
    def several(self) -> bool | None:
        """Whether it has several GPUs, and so several processes; None where the source does not decide."""
        each = [gpus(name) for name in self.instance_types]
        if self.instance_count is not None and self.instance_count > 1:
            return True
        if not each or None in each:
            return None
        if all(count is not None and count > 1 for count in each):
            return True
        return False if set(each) == {1} and self.instance_count == 1 else None

    @property
    def devices(self) -> str:
        """Its GPUs in words: `8 GPUs`, `2 machines`."""
        count, each = self.instance_count, {gpus(name) for name in self.instance_types}
        number = each.pop() if len(each) == 1 else None
        if number is None or count is None:
            return f"{count} machines" if count is not None and count > 1 else "several GPUs"
        return f"{number * count} GPU{'s' if number * count > 1 else ''}"

    # --- obstacles ------------------------------------------------------------------------------------------------

    @cached_property
    def obstacle(self) -> Obstacle | None:
        """What stands in the way of making it a job of the Training Compiler."""
        if self.estimator.name not in (PYTORCH, HUGGINGFACE) or self.is_tensorflow:
            return Obstacle.FRAMEWORK
        if self.is_model_parallel:
            return Obstacle.MODEL_PARALLEL
        image = (self.estimator.text("image_uri") or "").lower()
        if any(word in image for word in _OTHER_IMAGES) and not any(word in image for word in _OURS):
            return Obstacle.IMAGE
        if "local" in self.instance_types and not any(map(instance_class, self.instance_types)):
            return Obstacle.LOCAL
        if self.estimator.literal("instance_groups") is not None and self._has_groups and self._group is None:
            return Obstacle.GROUPS
        if self.instance_types and not any(map(_is_supported, self.instance_types)):
            return Obstacle.INSTANCE
        if self.estimator.name == PYTORCH and self.container.estimator != self.estimator.framework:
            return Obstacle.CONTAINER
        if self.is_configured:
            return None
        if self.hindrance:
            return Obstacle.SCRIPT
        if not self.estimator.complete or "compiler_config" in self.estimator.unsure or self.hidden:
            return Obstacle.UNSEEN
        return Obstacle.BASELINE if self._beside_compiled else None

    @property
    def native(self) -> str:
        """Why its container has no torch_xla; empty when it has one, or what it runs in cannot be seen here."""
        image = (self.estimator.text("image_uri") or "").lower()
        if self.obstacle in (None, Obstacle.UNSEEN, Obstacle.CONTAINER) or "-trcomp-" in image:
            return ""
        if self.obstacle is Obstacle.SCRIPT:
            return self.hindrance
        if self.estimator.name == MODEL_TRAINER:
            return "ModelTrainer has no compiler"
        if self.estimator.name == GENERIC:
            return "its image is one without the compiler" if self.is_ours else ""
        return "this job is not compiled" if self.obstacle is Obstacle.BASELINE else str(self.obstacle.value)

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        """The arguments that have to fit the compiler and cannot be seen: half an edit would be refused by the SDK."""
        own = self.estimator
        versions = [each for each in _VERSIONS if own.literal(each) is UNKNOWN and self._is_given(each)]
        started = own.values("distribution") if self._is_given("distribution") else []
        seen = all(value is None or (isinstance(value, dict) and UNKNOWN not in value) for value in started)
        return (*versions, *([] if seen else ["distribution"]))

    def _is_given(self, keyword: str) -> bool:
        return self.estimator.argument(keyword) is not None or keyword in self.estimator.unsure

    @property
    def hindrance(self) -> str:
        """Why its training script cannot be migrated, as far as the script or its hyperparameters are known; empty when
        nothing is in the way."""
        script = self.script.links.jobs.get(self.script.tree.order[self.call])
        if script is not None and script.role.stays:
            return f"its script stands on {script.role.stays}, and is not migrated"
        parameters = self.estimator.literal("hyperparameters")
        asked = [key for key in _SHARDING if isinstance(parameters, dict) and parameters.get(key)]
        return f"its hyperparameter {asked[0]} splits the model over the GPUs" if asked else ""

    @property
    def is_tensorflow(self) -> bool:
        """Whether it trains with TensorFlow: by its estimator, or as a HuggingFace job that asks for it."""
        if self.estimator.name == TENSORFLOW:
            return True
        given = self.estimator.argument("tensorflow_version") is not None
        return given and self.estimator.literal("tensorflow_version") is not None

    @property
    def is_configured(self) -> bool:
        """Whether it is given a `compiler_config`."""
        given = self.estimator.argument("compiler_config") is not None
        return given and self.estimator.literal("compiler_config") is not None

    @property
    def _beside_compiled(self) -> bool:
        """Whether another job of the script is compiled already, and nothing says that this one should be."""
        if "pytorchxla" in self.distributions:
            return False
        return any(Job(each, self.target, self.script).is_configured for each in self.script.estimators)

    @cached_property
    def distributions(self) -> frozenset[str]:
        """The keys of its `distribution`, of any that it may have."""
        values = self.estimator.values("distribution")
        return frozenset(key for value in values if isinstance(value, dict) for key in value if isinstance(key, str))

    @cached_property
    def debugging(self) -> tuple[str, ...]:
        """The arguments that ask for SageMaker's Debugger or its profiler."""
        asked = ("rules", "profiler_config", "debugger_hook_config")
        own = self.estimator
        given = [name for name in asked if own.argument(name) is not None or name in own.unsure]
        return tuple(name for name in given if own.literal(name) not in (None, False, []))

    @property
    def is_model_parallel(self) -> bool:
        """Whether it uses `smdistributed.modelparallel`."""
        for value in self.estimator.values("distribution"):
            library = value.get("smdistributed") if isinstance(value, dict) else None
            part = library.get("modelparallel") if isinstance(library, dict) else None
            if part and not (isinstance(part, dict) and part.get("enabled") is False):
                return True
        parameters = self.estimator.literal("hyperparameters")
        return isinstance(parameters, dict) and "mp_parameters" in parameters

    @property
    def is_ours(self) -> bool:
        """Whether it may be a PyTorch job on GPUs, so that it is worth a word where nothing can be done."""
        if self.estimator.name != GENERIC:
            return True
        image = (self.estimator.text("image_uri") or "").lower()
        return any(word in image for word in _OURS) or self._retrieves_ours

    @property
    def _retrieves_ours(self) -> bool:
        """Whether its image is asked of the SDK, `image_uris.retrieve("pytorch", ...)`."""
        for found in self.estimator.candidates("image_uri"):
            name = self.script.qualified(found.func) if isinstance(found, cst.Call) else None
            if isinstance(found, cst.Call) and name is not None and name.endswith("image_uris.retrieve"):
                framework = argument(found, 0, "framework")
                of = self.script.estimators.literals.value(framework.value) if framework is not None else None
                compiled = argument(found, None, "training_compiler_config")
                return any(word in str(of) for word in _OURS) and compiled is None
        return False


def read_jobs(script: Script, target: Target) -> list[Job]:
    """The jobs that a script starts, in source order; none where the target is not SageMaker's."""
    if target.launcher is not Launcher.SAGEMAKER:
        return []
    return [Job(estimator, target, script) for estimator in script.estimators]


def moved_import(script: Script, jobs: list[Job]) -> cst.ImportFrom | None:
    """The statement that imports the HuggingFace class and nothing that stays, when every job made with it becomes a
    PyTorch job: it can import the PyTorch class in its place."""
    moving = [job for job in jobs if job.changes_class and job.obstacle is None and isinstance(job.call.func, cst.Name)]
    bindings = [script.names.bindings(job.call.func) for job in moving]
    nodes = {binding.node for found in bindings for binding in found}
    alias = nodes.pop() if len(nodes) == 1 else None
    statement = script.tree.parent.get(alias) if isinstance(alias, cst.ImportAlias) else None
    if not isinstance(statement, cst.ImportFrom) or isinstance(statement.names, cst.ImportStar):
        return None
    names = {found.evaluated_name for found in statement.names if found.asname is None}
    uses = {job.call.func for job in moving}
    stays = any(use not in uses and script.names.is_reference(use) for use in script.names.named("HuggingFace"))
    taken = any("PyTorch" in scope.names for scope in script.names.all_scopes())
    only = len(names) == len(statement.names) and names <= {"HuggingFace", "TrainingCompilerConfig"}
    return statement if only and not stays and not taken else None


def _is_supported(instance_type: str) -> bool:
    """`local_gpu` runs the container on this computer's GPUs."""
    return instance_type == "local_gpu" or instance_class(instance_type) in instance_classes()
