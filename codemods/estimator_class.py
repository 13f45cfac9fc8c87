"""Make a PyTorch job of a HuggingFace job with torch 1.12 or newer.

From torch 1.12 on the Training Compiler has containers for the PyTorch estimator only, and the SDK refuses a
HuggingFace estimator with a newer torch than 1.11. `HuggingFace(transformers_version=..., pytorch_version=...)` becomes
`PyTorch(framework_version=...)`, and both versions are those of the container. It has no transformers: the job has to
install it, from a requirements.txt in its `source_dir`. Without one nothing but the entry point gets into the job.

A job with torch 1.11 or older stays a HuggingFace job, as its containers have transformers.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of, parsed
from codemods.kit.codemod import Codemod
from codemods.kit.containers import version_of
from codemods.kit.edits import Edit
from codemods.kit.estimators import Estimator
from codemods.kit.job_arguments import can_change, drop_argument, put_argument, rename_argument
from codemods.kit.jobs import Job, Obstacle, moved_import, read_jobs
from codemods.kit.phrases import Import
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_SOURCE = "SageMaker: Training Compiler, supported frameworks; SageMaker Python SDK 2.257.7 huggingface/estimator.py"
_PYTORCH = Import("sagemaker.pytorch", "PyTorch")
_CONFIG = Import("sagemaker.pytorch", "TrainingCompilerConfig")
_OLD_CONFIG = "sagemaker.huggingface.TrainingCompilerConfig"
_HUGGINGFACE_ONLY = ("transformers_version", "tensorflow_version", "framework_version")
"""What goes: arguments that PyTorch does not take, and one that pytorch_version becomes."""


class EstimatorClass(Codemod):
    """Make a PyTorch job of a HuggingFace job with torch 1.12 or newer."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("LC07", "a HuggingFace job becomes a PyTorch job", Safety.REVIEW, Severity.ERROR,
             "make it a PyTorch job, or give transformers_version=\"4.21.1\", pytorch_version=\"1.11.0\" and "
             "py_version=\"py38\"", _SOURCE),
        Rule("LC19", "the container has no transformers", Safety.NOTE, Severity.WARNING,
             "put it in requirements.txt in the source_dir, with what else the job took from the HuggingFace "
             "container: datasets, evaluate, sentencepiece", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.huggingface import HuggingFace\n\n"
            'job = HuggingFace(entry_point="train.py", transformers_version="4.26", pytorch_version="1.13", '
            'py_version="py39")\n',
            smtc="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", framework_version="1.13.1", py_version="py39")\n',
        ),
        Example(
            before="from sagemaker.huggingface import HuggingFace\n\n"
            'job = HuggingFace(entry_point="train.py", transformers_version="4.17", pytorch_version="1.10", '
            'py_version="py38")\n',
        ),
    )

    def rewrite(self) -> None:
        jobs = read_jobs(self.script, self.edits.target)
        changing = [job for job in jobs if job.changes_class and not job.obstacle]
        self._moved = moved_import(self.script, jobs)
        self._is_moved = False
        alike = [job.estimator for job in changing]
        for job in jobs:
            if job.changes_class and job.obstacle in (None, Obstacle.UNSEEN):
                if job.obstacle is None and self._can_change(job, alike):
                    self._change(job, alike)
                else:
                    self.note("LC07", job.call, f"torch {job.estimator.text('pytorch_version')} has a Training "
                              "Compiler container for the PyTorch estimator only")  # fmt: skip

    def _can_change(self, job: Job, alike: list[Estimator]) -> bool:
        """Whether all that has to be changed is in sight. Arguments by position are in another order in PyTorch."""
        own = job.estimator
        if any(arg.keyword is None and not arg.star for arg in own.call.args):
            return False
        keywords = ("pytorch_version", "py_version", *_HUGGINGFACE_ONLY)
        seen = all(can_change(self.script, own, keyword, alike) for keyword in keywords)
        return seen and (not self._old_configs(own) or self._is_only_kind(alike))

    def _is_only_kind(self, alike: list[Estimator]) -> bool:
        """Whether no HuggingFace job stays, whose TrainingCompilerConfig would be another class of the same name."""
        return all(other in alike for other in self.script.estimators if other.framework == "HuggingFace")

    def _change(self, job: Job, alike: list[Estimator]) -> None:
        own, container = job.estimator, job.container
        edit = self.edit("LC07", own.call, f"torch {container.pytorch} has a container for the PyTorch estimator only")
        name = self._imported(edit)
        columns, start = len(code_of(own.call.func)) - len(name), self._start(own.call)
        edit.replace(own.call, lambda updated: _shifted(updated.with_changes(func=parsed(name)), start, columns))
        for keyword in _HUGGINGFACE_ONLY:
            drop_argument(edit, self.script, own, keyword, alike)
        version = self.quoted(container.pytorch)
        put_argument(edit, self.script, own, "pytorch_version", version, alike)
        rename_argument(edit, own.arguments["pytorch_version"], "framework_version")
        python = self.quoted(container.python)
        put_argument(edit, self.script, own, "py_version", python, alike, ("framework_version",))
        for call in self._old_configs(own):
            self._replace_config(edit, call)
        self._say(job)

    def _start(self, call: cst.Call) -> int:
        """The column of the first argument, from that of the statement."""
        statement = self.script.tree.small_statement(call)
        code, opening = code_of(statement or call), f"{code_of(call.func)}("
        return len(code.partition(opening)[0].rpartition("\n")[2]) + len(opening)

    def _imported(self, edit: Edit) -> str:
        """The name of the PyTorch class: imported where the HuggingFace class was, if nothing else stands there."""
        if self._moved is None:
            edit.need(_PYTORCH)
            return self.edits.imports.rename("PyTorch", (_PYTORCH,))
        if not self._is_moved:
            edit.replace(self._moved, _from_pytorch)
            self._is_moved = True
        return "PyTorch"

    def _old_configs(self, estimator: Estimator) -> list[cst.Call]:
        """The `TrainingCompilerConfig` of the HuggingFace package that it may be given."""
        return [
            found
            for found in estimator.candidates("compiler_config")
            if isinstance(found, cst.Call) and self.script.qualified(found.func) == _OLD_CONFIG
        ]

    def _replace_config(self, edit: Edit, call: cst.Call) -> None:
        bindings = self.script.names.bindings(call.func)
        if any(self.script.tree.parent.get(binding.node) is self._moved for binding in bindings):
            return  # the name comes from the statement that imports from the other package now
        edit.need(_CONFIG)
        edit.replace(call.func, parsed(self.edits.imports.rename("TrainingCompilerConfig", (_CONFIG,))))

    def _say(self, job: Job) -> None:
        own = job.estimator
        transformers, torch = own.text("transformers_version"), own.text("pytorch_version")
        pin = f"transformers=={transformers}" if transformers and transformers.count(".") == 2 else "transformers"
        older, has = version_of(torch or ""), version_of(job.container.pytorch)
        newer = f", of a version that works with torch {job.container.pytorch}" if older and has and older > has else ""
        alone = "" if job.brings_files else "; without a source_dir no requirements.txt gets into the job"
        self.note("LC19", own.call, f"the script has to install {pin}{newer}{alone}")


def _from_pytorch(updated: cst.ImportFrom) -> cst.ImportFrom:
    """`from sagemaker.pytorch import PyTorch` of the same for HuggingFace."""
    assert not isinstance(updated.names, cst.ImportStar)
    names = [
        alias.with_changes(name=cst.Name("PyTorch")) if alias.evaluated_name == "HuggingFace" else alias
        for alias in updated.names
    ]
    module = cst.ensure_type(parsed("sagemaker.pytorch"), cst.Attribute)
    return updated.with_changes(module=module, names=names)


def _shifted(call: cst.Call, start: int, columns: int) -> cst.Call:
    """The call with the lines that stand below its first argument, at column `start`, so many columns to the left."""
    args = []
    for arg in call.args:
        space = arg.comma.whitespace_after if isinstance(arg.comma, cst.Comma) else None
        if isinstance(space, cst.ParenthesizedWhitespace) and len(space.last_line.value.expandtabs(4)) == start:
            blanks = space.last_line.value
            width = start - columns
            blanks = "\t" * (width // 4) + " " * (width % 4) if "\t" in blanks else " " * width
            line = cst.SimpleWhitespace(blanks)
            arg = arg.with_changes(comma=cst.Comma(whitespace_after=space.with_changes(last_line=line)))
        args.append(arg)
    return call.with_changes(args=args)
