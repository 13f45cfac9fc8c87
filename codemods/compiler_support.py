"""Say where and with what the Training Compiler still works.

Its images are in some regions only. It needs version 2 of the SageMaker SDK, of 2.133 or later for torch 1.13: version
3 has no Training Compiler. AWS makes no new releases of it and mends nothing in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from codemods.kit.cell_marks import MAGIC
from codemods.kit.cells import stand_in
from codemods.kit.codemod import Codemod
from codemods.kit.containers import Container
from codemods.kit.jobs import Job, read_jobs
from codemods.kit.names import argument
from codemods.kit.options import text
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.sdk_versions import sdk_version, unfit_sdk
from codemods.kit.targets import Launcher

_SESSIONS = ("boto3.Session", "boto3.session.Session", "boto3.client", "boto3.resource", "boto3.setup_default_session")
_PINNED = re.compile(r"(?<![\w-])sagemaker(?:\[[\w,]*\])?\s*(?P<version>[=<>~!]=?[=<>~!,\s\d.]*[\d*])")
_PIP = re.compile(r"\bpip3?\b.*\binstall\b|\bconda\b.*\binstall\b")
_ASKED = re.compile(r"(?<![\w./-])sagemaker(?:\[[\w,]*\])?(?P<version>\s*[=<>~!])?(?![\w./-])")
_UPGRADE = re.compile(r"(?:\s|^)(?:-\w*U\w*|--upgrade)\b")
_SUPPORT = "SageMaker: Training Compiler, supported frameworks and regions"


class CompilerSupport(Codemod):
    """Say where and with what the Training Compiler still works."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM006", "a region without the Training Compiler's image", Safety.NOTE, Severity.ERROR,
             "start the job in another region", f"{_SUPPORT}; SageMaker Python SDK 2.257.7 image_uri_config"),
        Rule("SM018", "a version of the SageMaker SDK without this Training Compiler", Safety.NOTE, Severity.ERROR,
             "install sagemaker>=2.133,<3", "SageMaker: enable Training Compiler; SageMaker Python SDK 3 migration.md"),
        Rule("SM025", "the Training Compiler gets no more releases", Safety.NOTE, Severity.INFO,
             "for a new project look at torch.compile or at torch_xla 2.x, which the target torch-xla writes for",
             "SageMaker: Training Compiler, notice of its end"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import boto3\nimport sagemaker\nfrom sagemaker.pytorch import PyTorch\n\n"
            'session = sagemaker.Session(boto3.Session(region_name="cn-north-1"))\n'
            'job = PyTorch(entry_point="train.py", sagemaker_session=session)\n'
        ),
    )

    def rewrite(self) -> None:
        jobs = [job for job in read_jobs(self.script, self.edits.target) if job.obstacle is None]
        if not jobs:
            return
        for place, region in self._regions():
            self._region(place, region, jobs)
        for string in self.script.tree.all(cst.SimpleString):
            self._sdk(string, text(string), jobs)
        for line in self.script.tree.all(cst.SimpleStatementLine) if self.script.cells else ():
            self._install(line, jobs)
        self.note("SM025", jobs[0].call, "torch 1.13.1 is the last torch with a Training Compiler")

    # --- regions --------------------------------------------------------------------------------------------------

    def _regions(self) -> Iterator[tuple[cst.BaseExpression, str]]:
        """Each region that the script itself chooses, and where."""
        for call in self.script.calls(*_SESSIONS):
            is_session = (self.script.qualified(call.func) or "").endswith("Session")
            given = argument(call, None if is_session else 1, "region_name")
            region = self.script.estimators.literals.value(given.value) if given is not None else None
            if given is not None and isinstance(region, str):
                yield given.value, region
        for assign in self.script.tree.all(cst.Assign):
            target = assign.targets[0].target
            if isinstance(target, cst.Subscript) and self.script.qualified(target.value) == "os.environ":
                index = target.slice[0].slice
                key = text(index.value) if isinstance(index, cst.Index) else ""
                if key in ("AWS_DEFAULT_REGION", "AWS_REGION") and text(assign.value):
                    yield assign.value, text(assign.value)

    def _region(self, place: cst.BaseExpression, region: str, jobs: list[Job]) -> None:
        without: dict[str, Container] = {
            job.container.pytorch: job.container for job in jobs if region not in job.container.regions
        }
        if without:
            versions = " and ".join(without)
            self.note("SM006", place, f"{region} has no Training Compiler image with torch {versions}")

    # --- the SDK --------------------------------------------------------------------------------------------------

    def _install(self, line: cst.SimpleStatementLine, jobs: list[Job]) -> None:
        """`%pip install sagemaker==3.1.0`, `!pip install -U sagemaker` in a cell of a notebook."""
        kind, magic = stand_in(line)
        asked = _ASKED.search(magic) if kind == MAGIC and _PIP.search(magic) else None
        if asked is None:
            return
        if asked["version"]:
            self._sdk(line, magic, jobs)
        elif _UPGRADE.search(magic):
            self.note("SM018", line, "sagemaker: pip takes version 3, which has no Training Compiler")

    def _sdk(self, string: cst.CSTNode, said: str, jobs: list[Job]) -> None:
        """`pip install sagemaker==3.0` in a string of the script."""
        pinned = _PINNED.search(said)
        container = max((job.container for job in jobs), key=lambda container: sdk_version(container.sdk))
        reason = unfit_sdk(pinned["version"], container) if pinned is not None else ""
        if pinned is not None and reason:
            self.note("SM018", string, f"sagemaker{pinned['version']}: {reason}")
