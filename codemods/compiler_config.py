"""Have an estimator compile its training job.

A SageMaker launcher asks for the Training Compiler with `compiler_config=TrainingCompilerConfig()`. The class comes
from the same package as the estimator: there is one in `sagemaker.pytorch` and another in `sagemaker.huggingface`. The
argument goes behind the versions of the framework, and the import beside the estimator's.

A dictionary in its place is refused by the SDK and becomes a call. `TrainingCompilerConfig(enabled=False)` does not
turn the compiler off: the SDK picks the compiler's image all the same. Whether the job is to be compiled is the
author's to say, so it is a note.

Where one estimator of a file is compiled and another is not, the other may be there to compare with: it stays.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of, parsed
from codemods.kit.codemod import Codemod
from codemods.kit.estimators import Estimator
from codemods.kit.job_arguments import put_argument
from codemods.kit.jobs import Job, moved_import, read_jobs
from codemods.kit.names import dotted
from codemods.kit.phrases import Import
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_CLASS = "TrainingCompilerConfig"
_ALIASES = {"sagemaker.pytorch": "PyTorchCompilerConfig", "sagemaker.huggingface": "HuggingFaceCompilerConfig"}
"""What the class is called where a script has one of each package."""
_VERSIONS = ("framework_version", "transformers_version", "pytorch_version", "py_version")
_ENABLE = "SageMaker developer guide, Enable Training Compiler, Run PyTorch Training Jobs"
_SDK = "SageMaker Python SDK 2.257.7 sagemaker/pytorch/training_compiler/config.py, sagemaker/pytorch/estimator.py"


class CompilerConfig(Codemod):
    """Have an estimator compile its training job."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("LC01", "TrainingCompilerConfig is imported from the package of the estimator", Safety.EXACT,
             document=_ENABLE),
        Rule("LC02", "an estimator gets a compiler_config", Safety.EXACT, document=_ENABLE),
        Rule("SM003", "pytorchxla without a compiler_config", Safety.EXACT, Severity.ERROR, document=_SDK),
        Rule("LC14", "a compiler_config that is a dictionary, or that is disabled", Safety.EXACT, Severity.WARNING,
             "enabled=False still runs in the compiler's image: leave compiler_config out, or take enabled=False out",
             document=_SDK),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\nestimator = PyTorch(\n"
            '    entry_point="train.py",\n    role=role,\n    instance_count=1,\n'
            '    instance_type="ml.p3.2xlarge",\n    framework_version="1.13.1",\n    py_version="py39",\n)\n',
            smtc="from sagemaker.pytorch import PyTorch, TrainingCompilerConfig\n\nestimator = PyTorch(\n"
            '    entry_point="train.py",\n    role=role,\n    instance_count=1,\n'
            '    instance_type="ml.p3.2xlarge",\n    framework_version="1.13.1",\n    py_version="py39",\n'
            "    compiler_config=TrainingCompilerConfig(),\n)\n",
        ),
        Example(before='from wings import PyTorch\n\nestimator = PyTorch(entry_point="train.py")\n'),
    )

    def rewrite(self) -> None:
        self._seen: set[cst.CSTNode | str] = set()
        self._moved = moved_import(self.script, read_jobs(self.script, self.edits.target))
        self._imports: list[tuple[str, str]] = []
        self._jobs = [job for job in read_jobs(self.script, self.edits.target) if job.obstacle is None]
        for job in self._jobs:
            if job.is_configured:
                self._check(job)
            else:
                self._add(job)

    # --- a job without one ----------------------------------------------------------------------------------------

    def _add(self, job: Job) -> None:
        name = self._imported(job)
        if name is None:
            return
        if "pytorchxla" in job.distributions:
            edit = self.edit("SM003", job.call, "pytorchxla is for jobs that are compiled")
        else:
            edit = self.edit("LC02", job.call, "the job is compiled")
        put_argument(edit, self.script, job.estimator, "compiler_config", f"{name}()", self._alike(job), _VERSIONS)

    def _alike(self, job: Job) -> list[Estimator]:
        """The jobs that get the same class."""
        same = [other for other in self._jobs if not other.is_configured and other.home == job.home]
        return [other.estimator for other in same]

    # --- a job with one -------------------------------------------------------------------------------------------

    def _check(self, job: Job) -> None:
        for value in job.estimator.candidates("compiler_config"):
            if value in self._seen:
                continue
            self._seen.add(value)
            if isinstance(value, cst.Dict):
                self._construct(job, value)
            elif self._is_config(value) and any(self._says_disabled(value)):
                self.note("LC14", value, "enabled=False does not turn the compiler off")

    def _construct(self, job: Job, value: cst.Dict) -> None:
        """`{"enabled": True, "debug": True}` as a call; what is the default is left out."""
        entries = self.script.estimators.literals.entries(value)
        known = {"enabled": True, "debug": False}
        if entries is None or not entries.complete or not entries.by_key.keys() <= known.keys():
            self.note("LC14", value, "compiler_config has to be a TrainingCompilerConfig, not a dictionary")
            return
        name = self._imported(job)
        if name is None:
            return
        read = self.script.estimators.literals.value
        given = [f"{key}={code_of(entry.value)}" for key, entry in entries.by_key.items()
                 if read(entry.value) is not known[key]]  # fmt: skip
        self.edit("LC14", value, "the SDK takes no dictionary here").replace(
            value, parsed(f"{name}({', '.join(given)})")
        )

    def _is_config(self, node: cst.BaseExpression) -> bool:
        name = self.script.qualified(node.func) if isinstance(node, cst.Call) else None
        return name is not None and name.startswith("sagemaker.") and name.endswith(f".{_CLASS}")

    def _says_disabled(self, node: cst.BaseExpression) -> Iterator[bool]:
        assert isinstance(node, cst.Call)
        for index, arg in enumerate(node.args):
            is_enabled = arg.keyword.value == "enabled" if arg.keyword is not None else index == 0 and not arg.star
            if is_enabled:
                yield self.script.estimators.literals.value(arg.value) is False

    # --- the import -----------------------------------------------------------------------------------------------

    def _imported(self, job: Job) -> str | None:
        """The class as the code around the call can name it, imported where it was not; None when the user does not
        want that import."""
        func = job.call.func
        if isinstance(func, cst.Attribute) and self.script.qualified(func.value) == job.home:
            return f"{dotted(func.value)}.{_CLASS}"
        if job.home in self.script.names.module.stars:
            return _CLASS
        full = f"{job.home}.{_CLASS}"
        bound = self.script.names.module.names
        for name, bindings in bound.items():
            if any(binding.kind == "import" and binding.imported == full for binding in bindings):
                return name
        taken = _CLASS in bound or any(home != job.home for home, _ in self._imports)
        name = next((n for (home, n) in self._imports if home == job.home), _ALIASES[job.home] if taken else _CLASS)
        statement = self._beside(job)
        if (statement or job.home) in self._seen:
            return name
        edit = self.edit("LC01", statement or job.call, f"imports {_CLASS} from {job.home}")
        if not edit.allowed:
            return None
        alias = name if name != _CLASS else None
        if statement is None:
            edit.need(Import(job.home, _CLASS, alias))
        else:
            edit.replace(statement, lambda updated: _with_class(updated, alias))
        self._seen.add(statement or job.home)
        self._imports.append((job.home, name))
        return name

    def _beside(self, job: Job) -> cst.ImportFrom | None:
        """The statement that imports from the same package, at the top of the script or where it imports the
        estimator."""
        tree = self.script.tree
        own = {binding.node for binding in self.script.names.bindings(job.call.func)}
        found = [
            statement
            for statement in tree.all(cst.ImportFrom)
            if dotted(statement.module) == job.home or (job.changes_class and statement is self._moved)
        ]
        found = [statement for statement in found if not isinstance(statement.names, cst.ImportStar)]
        on_top = [statement for statement in found if tree.parent[tree.parent[statement]] is tree.module]
        beside = [s for s in found if not isinstance(s.names, cst.ImportStar) and not own.isdisjoint(s.names)]
        return next(iter([*on_top, *beside]), None)


def _with_class(updated: cst.ImportFrom, alias: str | None) -> cst.ImportFrom:
    """The statement with one more name, laid out like the others."""
    assert not isinstance(updated.names, cst.ImportStar)
    *others, last = updated.names
    comma = next((each.comma for each in others), None)
    new = cst.ImportAlias(cst.Name(_CLASS), cst.AsName(cst.Name(alias)) if alias else None, comma=last.comma)
    if not isinstance(comma, cst.Comma):
        space = updated.lpar.whitespace_after if updated.lpar is not None else cst.SimpleWhitespace(" ")
        comma = cst.Comma(whitespace_after=space if space else cst.SimpleWhitespace(" "))
    return updated.with_changes(names=[*others, last.with_changes(comma=comma), new])
