"""Ask for the Training Compiler where a job is started through boto3, without the SageMaker SDK.

The SDK turns `compiler_config` and `distribution` into an image and three hyperparameters. A script that calls
`create_training_job` itself has to give the same: the image of the compiler's repository, of which there is one in each
registry that has the framework's, `sagemaker_training_compiler_enabled` and, for several GPUs,
`sagemaker_pytorch_xla_multi_worker_enabled`. All values are text. The flags of other ways to start processes go, as the
container looks at them first; so does `GPU_NUM_DEVICES` for several GPUs, where the launcher sets it. The profiler is
turned off, as the SDK does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from codemods.kit.build import parsed, requoted
from codemods.kit.call_layout import with_argument_after, with_item
from codemods.kit.codemod import Codemod
from codemods.kit.containers import (
    Container,
    Start,
    container_for,
    container_of,
    gpus,
    instance_class,
    instance_classes,
)
from codemods.kit.edits import Edit
from codemods.kit.job_arguments import drop_item
from codemods.kit.options import text
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.settings import Entries, Entry
from codemods.kit.targets import Launcher

_IMAGE = re.compile(
    r"(?P<registry>.*/)(?P<repository>(huggingface-)?pytorch(-trcomp)?-training):(?P<tag>(?P<torch>[\d.]+)"
    r"(-transformers(?P<transformers>[\d.]+))?.*)$"
)
_REGION = re.compile(r"\.ecr\.([\w-]+)\.amazonaws")
_ENABLED = {"sagemaker_training_compiler_enabled": "true", "sagemaker_training_compiler_debug_mode": "false"}
_WORKERS = {"sagemaker_pytorch_xla_multi_worker_enabled": "true"}
_RUNNERS = ("sagemaker_distributed_dataparallel", "sagemaker_mpi", "sagemaker_pytorch_ddp",
            "sagemaker_torch_distributed", "sagemaker_instance_type")  # fmt: skip
"""How the hyperparameters begin by which the SDK asks for another way of starting processes."""
_DEBUGGING = ("DebugHookConfig", "DebugRuleConfigurations", "ProfilerRuleConfigurations", "TensorBoardOutputConfig")
_COUNT = "GPU_NUM_DEVICES"
_SOURCE = "SageMaker Python SDK 2.257.7 training_compiler/config.py, image_uris.py; SageMaker API, CreateTrainingJob"


@dataclass(frozen=True, eq=False)
class _Request:
    call: cst.Call
    fields: Entries
    """The arguments of the call, `**request` followed."""


class TrainingJobRequest(Codemod):
    """Ask for the Training Compiler where a job is started through boto3, without the SageMaker SDK."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("LC17", "a job started through boto3 is compiled", Safety.REVIEW, Severity.WARNING,
             "give the image of the Training Compiler, and in HyperParameters, as text, "
             "sagemaker_training_compiler_enabled and, for several GPUs, sagemaker_pytorch_xla_multi_worker_enabled",
             _SOURCE),
        Rule("LC24", "a job started through boto3 that the Training Compiler cannot run", Safety.NOTE, Severity.ERROR,
             "choose a machine of the classes p3, p3dn, g4dn, p4d and g5, and a region that has the image, or leave "
             "the compiler out", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import boto3\n\nboto3.client("sagemaker").create_training_job(TrainingJobName="bert", **request)\n'
        ),
    )

    def rewrite(self) -> None:
        if "boto3" not in self.script.names.modules or "create_training_job" not in self.script.tree.source:
            return
        for request in self._requests():
            self._compile(request)

    def _requests(self) -> Iterator[_Request]:
        """The calls of `create_training_job`, whatever the client is called."""
        for call in self.script.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "create_training_job":
                yield _Request(call, self.script.estimators.literals.of_keywords(call))

    def _compile(self, request: _Request) -> None:
        image = self._image(request)
        if image is None:
            self.note("LC17", request.call, f"which image the job runs in can't be seen here: {self._wanted()}")
            return
        found = _IMAGE.match(text(image))
        if found is None:
            return  # of another framework
        several = self._several(request)
        if self._is_elsewhere(request, found):
            return
        parameters = request.fields.by_key.get("HyperParameters")
        given = self._dictionary(parameters.value) if parameters is not None else None
        if several is None or given is None or not self._is_only_user(given):
            hidden = f"its machines or its HyperParameters can't be seen here: {self._wanted()}"
            self.note("LC17", request.call, hidden)
            return
        container = self._container(found)
        region = _REGION.search(found["registry"])
        if region is not None and region[1] not in container.regions:
            no_image = f"{region[1]} has no Training Compiler image with torch {container.pytorch}"
            self.note("LC24", request.call, no_image)
            return
        if several and container.start is not Start.PYTORCHXLA:
            self.note("LC17", request.call, f"torch {container.pytorch} starts no processes: see the codemod "
                      "estimator_entry_point")  # fmt: skip
            return
        self._write(request, image, given, found, container, several)

    def _is_elsewhere(self, request: _Request, found: re.Match[str]) -> bool:
        """Whether it runs on machines that the compiler does not know; said where it asks for the compiler, or has
        GPUs."""
        family = instance_class(str(self._resources(request).get("InstanceType", "")))
        if not family or family in instance_classes():
            return False
        if "trcomp" in found["repository"] or family.startswith(("p", "g")):
            self.note("LC24", request.call, f"the Training Compiler does not run on machines of the class {family}")
        return True

    def _wanted(self) -> str:
        """What a request needs that cannot be seen, in words."""
        container = container_of(self.edits.target)
        asked = ", ".join(f'"{key}": "{value}"' for key, value in {**_ENABLED, **_WORKERS}.items())
        return (
            f"give the TrainingImage {container.repository}:{container.tag}, HyperParameters {asked} (the last for "
            "several GPUs) and no others that start processes, and ProfilerConfig DisableProfiler true"
        )

    def _write(
        self,
        request: _Request,
        image: cst.BaseExpression,
        given: cst.Dict | cst.Call,
        found: re.Match[str],
        container: Container,
        several: bool,
    ) -> None:
        has = self.script.estimators.literals.entries(given) or Entries()
        wanted = {**_ENABLED, **(_WORKERS if several else {})}
        missing = {key: value for key, value in wanted.items() if key not in has.by_key and key not in has.unsure}
        uri = f"{found['registry']}{container.repository}:{container.tag}"
        idle = () if several else tuple(_WORKERS)
        old = [entry for key, entry in has.by_key.items() if key.startswith((*_RUNNERS, *idle))]
        is_ours = found["repository"] == container.repository and container.has_torch(found["torch"])
        counts = self._counts(request, several)
        profiled = self._is_profiled(request)
        if not missing and is_ours and not old and counts is None and not profiled:
            return
        edit = self.edit("LC17", image, f"torch {container.pytorch} of the Training Compiler")
        if not is_ours:
            edit.replace(image, requoted(image, uri))
        for entry in old:
            drop_item(edit, entry.node)
        for key, value in missing.items():
            self._put(edit, given, key, value)
        if counts is not None and several:
            drop_item(edit, counts.node)
        elif counts is not None:
            edit.replace(counts.value, parsed(self.quoted("1")))
        if profiled:
            code = f"{{{self.quoted('DisableProfiler')}: True}}"
            room, indent = self.script.tree.room(request.call), self.script.tree.indent
            edit.replace(request.call, lambda call: with_argument_after(call, (), "ProfilerConfig", code, room, indent))

    def _counts(self, request: _Request, several: bool) -> Entry | None:
        """The GPU_NUM_DEVICES of its environment that is wrong: of several GPUs any, of one all but "1"."""
        value = self.script.estimators.literals.value
        given = request.fields.by_key.get("Environment")
        entries = self.script.estimators.literals.entries(given.value) if given is not None else None
        found = entries.by_key.get(_COUNT) if entries is not None else None
        return found if found is not None and (several or value(found.value) != "1") else None

    def _is_profiled(self, request: _Request) -> bool:
        """Whether the profiler may be turned off here; what asks for the Debugger is its author's."""
        fields = request.fields
        asked = [name for name in _DEBUGGING if name in fields.by_key]
        if asked:
            self.note("LC17", request.call, f"the Debugger disturbs the compiler: leave out {' and '.join(asked)}")
        keys = {"ProfilerConfig", *_DEBUGGING}
        return fields.complete and not keys & (fields.by_key.keys() | fields.unsure.keys())

    def _put(self, edit: Edit, given: cst.Dict | cst.Call, key: str, value: str) -> None:
        tree, code = self.script.tree, self.quoted(value)
        if isinstance(given, cst.Call):
            room = tree.room(given)
            edit.replace(given, lambda updated: with_argument_after(updated, (), key, code, room, tree.indent))
        else:
            outer = tree.line_indent(given)
            inner = outer + tree.indent
            edit.replace(given, lambda updated: with_item(updated, key, code, outer, inner))

    # --- what the request says ------------------------------------------------------------------------------------

    def _image(self, request: _Request) -> cst.BaseExpression | None:
        """The text that names the image; None when it is computed."""
        algorithm = request.fields.by_key.get("AlgorithmSpecification")
        fields = self.script.estimators.literals.entries(algorithm.value) if algorithm is not None else None
        image = fields.by_key.get("TrainingImage") if fields is not None else None
        candidates = self.script.estimators.literals.candidates(image.value) if image is not None else []
        return candidates[0] if len(candidates) == 1 and isinstance(candidates[0], cst.SimpleString) else None

    def _container(self, found: re.Match[str]) -> Container:
        estimator = "HuggingFace" if found["repository"].startswith("huggingface") else "PyTorch"
        return container_for(self.edits.target, estimator, found["torch"], found["transformers"])

    def _several(self, request: _Request) -> bool | None:
        """Whether the job has several GPUs; None when that is not known here."""
        value = self._resources(request)
        machine, count = value.get("InstanceType"), value.get("InstanceCount")
        each = gpus(machine) if isinstance(machine, str) else None
        return each * count > 1 if each is not None and isinstance(count, int) else None

    def _resources(self, request: _Request) -> dict[Any, Any]:
        resources = request.fields.by_key.get("ResourceConfig")
        value = self.script.estimators.literals.value(resources.value) if resources is not None else None
        return value if isinstance(value, dict) else {}

    def _dictionary(self, node: cst.BaseExpression) -> cst.Dict | cst.Call | None:
        """Where the only dictionary that an expression can be is written."""
        candidates = self.script.estimators.literals.candidates(node)
        if len(candidates) == 1 and self.script.estimators.literals.entries(candidates[0]) is not None:
            (found,) = candidates
            return found if isinstance(found, cst.Dict | cst.Call) else None
        return None

    def _is_only_user(self, given: cst.Dict | cst.Call) -> bool:
        """Whether the dictionary serves one request."""
        users = 0
        for request in self._requests():
            found = request.fields.by_key.get("HyperParameters")
            users += found is not None and self._dictionary(found.value) is given
        return users == 1
