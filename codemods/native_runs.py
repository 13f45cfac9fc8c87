"""Leave alone what is run where there is no torch_xla, and say it of what is run with it and without it.

A script is migrated for the container that runs it. Endpoints, processing jobs, functions sent off with `@remote`, and
training jobs on machines that the Training Compiler does not know, or in other images, have no torch_xla: a script that
imports it fails there at once. What nothing else runs stays as it is, with what it imports; so do the functions that an
endpoint calls (`model_fn(model_dir)`, `predict_fn`), in whatever file.

A file that is also run with a torch_xla, by another job or by a script that is migrated, is migrated, and each of the
others is named: give those a copy of the original under another name.

A launcher itself runs on the computer it is started on: what it computes besides stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.job_facts import runs_here
from codemods.kit.names import dotted
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.script import Script
from codemods.kit.serving import serving_functions
from codemods.kit.targets import Launcher

_SOURCE = "SageMaker: Training Compiler, supported frameworks and instance types; SageMaker inference toolkit"
_REMOTE = ("sagemaker.remote_function.remote", "sagemaker.remote_function.client.remote")


class NativeRuns(Codemod):
    """Leave alone what is run where there is no torch_xla, and say it of what is run with it and without it."""

    STAGE = Stage.PROCESSES
    EVERYWHERE = True
    RULES = (
        Rule("TC993", "a file that is run where there is no torch_xla", Safety.NOTE, Severity.WARNING,
             "nothing in this file is edited; to have it migrated run it in a job of the Training Compiler", _SOURCE),
        Rule("TC994", "code of a launcher that runs on this computer", Safety.NOTE, Severity.INFO,
             "it stays as it is: move what is to be compiled to the training script", _SOURCE),
        Rule("TC995", "a file that is run with torch_xla and without it", Safety.NOTE, Severity.ERROR,
             "give what has no torch_xla a copy of the original under another name, made before this one is written",
             _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\n\ndef model_fn(model_dir):\n"
            '    model = torch.load(model_dir + "/model.pt")\n    return model.cuda()\n'
        ),
    )

    @classmethod
    def suits(cls, script: Script) -> bool:
        return True

    def rewrite(self) -> None:
        self._torn: list[tuple[cst.CSTNode, str]] = []
        if not self.script.uses_torch or self._is_idle():
            return
        if runs_here(self.script, self.edits.target, self.edits.path):
            self.note("TC994", self._first(), "what this launcher computes itself is done here, not in the job")
            return
        functions = serving_functions(self.script.module)
        reasons = [f"{each.name.value}: an endpoint's container has no torch_xla" for each in functions[:1]]
        torn = bool(self.script.loops.train_loops())
        place: cst.CSTNode = functions[0] if functions else self._first()
        if self.edits.target.launcher is Launcher.SAGEMAKER:
            if self.script.links.native:
                reasons, torn, place = list(self.script.links.native), self.script.links.torn, self._first()
            for remote in self._remotes():
                reasons.append(f"{remote.name.value} is sent off by @remote, to an image without torch_xla")
                torn, place = False, remote
        if torn or "torch_xla" in self.script.names.modules:
            self._torn = [(place, reason) for reason in reasons]
        elif reasons:
            for reason in reasons:
                self.note("TC993", place, reason)
            self.edits.refuse(self.name(), self.rule("TC993"), place, "is run where there is no torch_xla")

    def review(self, result: cst.Module, text: str) -> None:
        if self._torn and "torch_xla" in text:
            for place, reason in self._torn:
                self.note("TC995", place, reason)

    def _is_idle(self) -> bool:
        """Whether nothing of it would be migrated."""
        return self.script.on_cpu and not self.script.links.accelerated

    def _first(self) -> cst.CSTNode:
        """The statement that imports torch, or the first of all."""
        modules: dict[cst.CSTNode, str] = {each: each.evaluated_name for each in self.script.tree.all(cst.ImportAlias)}
        modules |= {each: dotted(each.module) or "" for each in self.script.tree.all(cst.ImportFrom)}
        found = (node for node, name in modules.items() if name.partition(".")[0] == "torch")
        return next(found, self.script.module.body[0])

    def _remotes(self) -> Iterator[cst.FunctionDef]:
        for function in self.script.tree.all(cst.FunctionDef):
            for each in function.decorators:
                made = each.decorator.func if isinstance(each.decorator, cst.Call) else each.decorator
                if self.script.qualified(made) in _REMOTE:
                    yield function
