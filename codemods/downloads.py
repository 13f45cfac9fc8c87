"""Download a dataset in one process, while the others wait.

A script that drove all GPUs from one process, by DataParallel, downloaded and unpacked once. On XLA each device has a
process, and all of them would write the same files at the same time. The first process of each host does it, the others
wait, and find what is there already:

    if not xm.is_master_ordinal():
        xm.rendezvous("download")
    train_set = CIFAR10("data", download=True)
    if xm.is_master_ordinal():
        xm.rendezvous("download")

Every process comes to one rendezvous, so this is written only where all of them certainly come to the download.
Elsewhere, and where files are fetched or unpacked by hand, it is said. What locks its files itself, as Hugging Face's
libraries do, needs nothing.
"""

from __future__ import annotations

from itertools import pairwise

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.guards import names_rank
from codemods.kit.names import argument
from codemods.kit.once import ADVICE, SOURCE, ran_once
from codemods.kit.phrases import Idiom
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_DATASETS = ("torchvision.datasets.", "torchaudio.datasets.", "torchtext.datasets.")
_FETCHES = ("urllib.request.urlretrieve", "wget.download", "gdown.download", "gdown.download_folder",
            "torch.hub.download_url_to_file", "torchvision.datasets.utils.download_url",
            "torchvision.datasets.utils.download_and_extract_archive", "torchvision.datasets.utils.extract_archive",
            "shutil.unpack_archive")  # fmt: skip
_OPENS = ("tarfile.open", "tarfile.TarFile", "zipfile.ZipFile")
_TAG = "download"
_BEFORE = """\
import torch
from torchvision.datasets import MNIST

train_set = MNIST("data", download=True)
model = torch.nn.DataParallel(torch.nn.Linear(2, 2))
"""
_AFTER = """\
import torch
import torch_xla.core.xla_model as xm
from torchvision.datasets import MNIST

if not xm.is_master_ordinal():
    xm.rendezvous("download")
train_set = MNIST("data", download=True)
if xm.is_master_ordinal():
    xm.rendezvous("download")
model = torch.nn.DataParallel(torch.nn.Linear(2, 2))
"""


class Downloads(Codemod):
    """Download a dataset in one process, while the others wait."""

    STAGE = Stage.SAVE
    RULES = (
        Rule("TC614", "one process of a host downloads, the others wait", Safety.EXACT,
             document=SOURCE),
        Rule("TC615", "every process downloads or unpacks the same files", Safety.NOTE, Severity.ERROR,
             advice=ADVICE,
             document=SOURCE),
    )  # fmt: skip
    EXAMPLES = (Example(_BEFORE, _AFTER, _AFTER),)

    def rewrite(self) -> None:
        if not self.script.distributed or "torch_xla" in self.script.names.modules:
            return
        lines: dict[cst.BaseStatement, cst.Call] = {}
        for call in self.script.tree.all(cst.Call):
            if not (self._makes(call) or self._fetches(call)) or not ran_once(self.script, self.edits.target, call):
                continue
            if any(names_rank(self.script, arg.value) for arg in call.args):
                continue
            line = self.script.tree.statement(call)
            if self._makes(call) and line is not None and self._is_for_all(call, line):
                lines.setdefault(line, call)
            else:
                self.note("TC615", call, f"every process comes to {build.code_of(call.func)}: one did before")
        for group in self._neighbours(list(lines)):
            self._wait(lines[group[0]], group)

    def _makes(self, call: cst.Call) -> bool:
        """`CIFAR10(root, download=True)`: a dataset that is downloaded where it is not there yet."""
        download = argument(call, None, "download")
        if download is None or build.code_of(download.value) in ("False", "None", "0"):
            return False
        known = (self.script.qualified(call.func) or "").startswith(_DATASETS)
        return known or self.script.is_a(call, Role.DATASET)

    def _fetches(self, call: cst.Call) -> bool:
        """What fetches or unpacks files without a look at who else does."""
        name, func = self.script.qualified(call.func), call.func
        if name in _FETCHES:
            return True
        if not isinstance(func, cst.Attribute) or func.attr.value not in ("extractall", "extract"):
            return False
        opened = [b.value for b in self.script.names.bindings(func.value)] or [func.value]
        return any(isinstance(one, cst.Call) and self.script.qualified(one.func) in _OPENS for one in opened)

    def _is_for_all(self, call: cst.Call, line: cst.BaseStatement) -> bool:
        """Whether all processes come to a statement or none: no condition around it asks for more than options."""
        tree = self.script.tree
        function = tree.function(call)
        if not isinstance(line, cst.SimpleStatementLine) or isinstance(line.body[-1], cst.Return):
            return False
        if tree.enclosing(call, cst.Lambda, cst.IfExp, cst.BooleanOperation, cst.ListComp, cst.DictComp) is not None:
            return False
        for outer in tree.ancestors(line):
            if outer is function:
                break
            if isinstance(outer, cst.For | cst.While | cst.Try | cst.ExceptHandler | cst.ClassDef | cst.Match):
                return False
            if isinstance(outer, cst.If) and not self.script.is_main_guard(outer) and not self._is_option(outer.test):
                return False
        return True

    def _is_option(self, test: cst.BaseExpression) -> bool:
        """`args.dataset == "cifar10"`: what is asked is the same in every process."""
        return not any(isinstance(part, cst.Call | cst.NamedExpr) for part in walk(test)) and not names_rank(
            self.script, test
        )

    def _neighbours(self, lines: list[cst.BaseStatement]) -> list[list[cst.BaseStatement]]:
        """Statements that follow each other: they are waited for together."""
        groups: list[list[cst.BaseStatement]] = [lines[:1]] if lines else []
        for before, line in pairwise(lines):
            block = list(self.script.tree.block(before))
            if line in block and block.index(line) == block.index(before) + 1:
                groups[-1].append(line)
            else:
                groups.append([line])
        return groups

    def _wait(self, call: cst.Call, lines: list[cst.BaseStatement]) -> None:
        edit = self.edit("TC614", call, "every process comes to it: one did before")
        if not edit.allowed:
            return
        master = edit.say(Idiom.IS_FIRST_OF_HOST)
        met = edit.say(Idiom.RENDEZVOUS, tag=self.quoted(_TAG))
        first, last = _small(lines[0], 0), _small(lines[-1], -1)
        edit.before(first, build.statements("if not {master}:\n    {met}\n", master=master, met=met))
        edit.after(last, build.statements("if {master}:\n    {met}\n", master=master, met=met))


def _small(line: cst.CSTNode, index: int) -> cst.CSTNode:
    return line.body[index] if isinstance(line, cst.SimpleStatementLine) else line
