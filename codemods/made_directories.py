"""Let every process make a directory that is there already.

A script that drove all GPUs from one process, by DataParallel, made its directories once. On XLA each device has a
process, and all of them come to `os.makedirs(path)` at about the same time: the second one fails. `if not
os.path.exists(path)` above it does not help, because all may ask before one has made it. With `exist_ok=True` each
process has the directory when it goes on. A call that may fail where it stands, in a `try`, stays.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.once import ran_once
from codemods.kit.rules import Example, Rule, Safety, Stage

_MAKERS = ("os.makedirs", "os.mkdir")
_OF_A_PATH = ("mode", "parents")
_ASKS = ("exists", "isdir", "is_dir")


class MadeDirectories(Codemod):
    """Let every process make a directory that is there already."""

    STAGE = Stage.SAVE
    BY_ALL = True
    RULES = (
        Rule("TC608", "a directory that another process has made is taken as it is", Safety.EXACT,
             document="Python 3.8 os.makedirs, pathlib.Path.mkdir"),
        Rule("TC609", "a directory that is there already is no error any more", Safety.REVIEW,
             advice="check that the script need not stop where an earlier run left its directory",
             document="Python 3.8 os.makedirs, pathlib.Path.mkdir"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import os\n\nimport torch\n\nmodel = torch.nn.DataParallel(torch.nn.Linear(2, 2))\n"
            'if not os.path.exists("runs"):\n    os.makedirs("runs")\n',
            smtc="import os\n\nimport torch\n\nmodel = torch.nn.DataParallel(torch.nn.Linear(2, 2))\n"
            'if not os.path.exists("runs"):\n    os.makedirs("runs", exist_ok=True)\n',
            xla="import os\n\nimport torch\n\nmodel = torch.nn.DataParallel(torch.nn.Linear(2, 2))\n"
            'if not os.path.exists("runs"):\n    os.makedirs("runs", exist_ok=True)\n',
        ),
        Example(before='import os\n\nos.makedirs("runs")\n'),
    )

    def rewrite(self) -> None:
        for call in self.script.tree.all(cst.Call) if self.script.distributed else ():
            if self._makes(call) and argument(call, 2, "exist_ok") is None:
                once = ran_once(self.script, self.edits.target, call)
                if once and self.script.tree.enclosing(call, cst.Try) is None:
                    self._accept(call)

    def _makes(self, call: cst.Call) -> bool:
        """`os.makedirs(path)`, `os.mkdir(path)`, or `path.mkdir()` of a path."""
        func = call.func
        if any(arg.star for arg in call.args) or not isinstance(func, cst.Name | cst.Attribute):
            return False
        if self.script.qualified(func) in _MAKERS:
            return bool(call.args)
        if not isinstance(func, cst.Attribute) or func.attr.value != "mkdir" or self.script.qualified(func):
            return False
        return all(arg.keyword is not None and arg.keyword.value in _OF_A_PATH for arg in call.args)

    def _accept(self, call: cst.Call) -> None:
        asked = self._asked(call)
        message = "every process makes it" if asked else "every process makes it, also where an earlier run has"
        edit = self.edit("TC608" if asked else "TC609", call, message)
        if code_of(call.func) == "os.mkdir":
            edit.replace(call.func, build.expression("os.makedirs"))
        edit.replace(call, lambda updated: build.with_keyword(updated, "exist_ok", "True"))

    def _asked(self, call: cst.Call) -> bool:
        """Whether it stands under an `if` that asks whether the directory is there."""
        tree = self.script.tree
        tests = [outer.test for outer in tree.ancestors(call) if isinstance(outer, cst.If)]
        calls = [asked for test in tests for asked in tree.inside(test, cst.Call)]
        return any(isinstance(c.func, cst.Attribute) and c.func.attr.value in _ASKS for c in calls)
