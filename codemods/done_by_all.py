"""Say what one process asked or took away, and every process does now.

A script that drove all GPUs from one process, by DataParallel, asked at the terminal once and removed an old folder
once. On XLA each device has a process. None of them can be asked: they have no standard input, and `input()` raises
EOFError. The second one to remove a folder finds none, or removes what the first has made anew. Both belong where the
processes are started, or to one of them with the others waiting; which, only the author knows, so it is said.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.guards import last_name, names_rank
from codemods.kit.names import argument
from codemods.kit.once import ADVICE, SOURCE, ran_once
from codemods.kit.options import text
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_ASKS = ("builtins.input", "getpass.getpass", "click.confirm", "click.prompt")
_REMOVES = ("shutil.rmtree", "shutil.move", "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.rename",
            "os.replace")  # fmt: skip
_METHODS = ("unlink", "rmdir", "rmtree")
_COMMANDS = ("rm ", "mv ", "mkdir ", "tar ", "unzip ", "wget ", "curl ")
_BEFORE = """\
import os
import shutil

import torch

model = torch.nn.DataParallel(torch.nn.Linear(2, 2))
if os.path.exists("runs") and input("Overwrite? ") == "y":
    shutil.rmtree("runs")
"""
_GONE = ("OSError", "IOError", "FileNotFoundError", "EnvironmentError", "Exception", "BaseException", "error")


class DoneByAll(Codemod):
    """Say what one process asked or took away, and every process does now."""

    STAGE = Stage.SAVE
    BY_ALL = True
    RULES = (
        Rule("TC612", "every process asks at the terminal", Safety.NOTE, Severity.ERROR,
             advice="make it an option of the command line, or ask before the processes start",
             document="Python 3.8 multiprocessing/process.py _bootstrap: sys.stdin is os.devnull"),
        Rule("TC613", "every process takes away or moves the same files", Safety.NOTE, Severity.ERROR,
             advice=ADVICE,
             document=SOURCE),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE),)

    def rewrite(self) -> None:
        if not self.script.distributed:
            return
        for call in self.script.calls(*_ASKS):
            if self._ran_once(call):
                self.note("TC612", call, "every process asks, and none has a standard input: one asked before")
        for call in self.script.tree.all(cst.Call):
            if self._takes_away(call) and self._ran_once(call) and not self._may_fail(call):
                if not (self._is_guarded(call) or any(names_rank(self.script, arg.value) for arg in call.args)):
                    self.note("TC613", call, f"every process comes to {_shown(call)}: one did before")

    def _ran_once(self, call: cst.Call) -> bool:
        return ran_once(self.script, self.edits.target, call)

    def _is_guarded(self, call: cst.Call) -> bool:
        """Whether an edit has the first process alone come to it: what tidies up below a save."""
        return not self.edits.alone.isdisjoint(self.script.tree.ancestors(call))

    def _may_fail(self, call: cst.Call) -> bool:
        """Whether a handler around a call catches that the file is gone: not one for the keyboard."""
        tree = self.script.tree
        caught: list[cst.CSTNode | None] = []
        for outer in tree.ancestors(call):
            if isinstance(outer, cst.Try) and tree.contains(outer.body, call):
                caught += (handler.type for handler in outer.handlers)
            elif isinstance(outer, cst.With):
                caught += (item.item for item in outer.items if _called(item.item) == "suppress")
        return None in caught or any(self._catches(kind) for kind in caught if kind is not None)

    def _catches(self, kind: cst.CSTNode, depth: int = 0) -> bool:
        """Also by the name of a tuple: `QUIET = (OSError, KeyError)`."""
        names = [part for part in walk(kind) if isinstance(part, cst.Name)]
        if any(name.value in _GONE for name in names):
            return True
        values = (self.script.names.assigned(name) for name in names if depth < 3)
        return any(value is not None and self._catches(value, depth + 1) for value in values)

    def _takes_away(self, call: cst.Call) -> bool:
        """`shutil.rmtree(path)`, `path.unlink()`, `os.system("rm -r runs")`"""
        name = self.script.qualified(call.func)
        if name in ("os.system", "subprocess.getoutput"):
            command = argument(call, 0, "command")
            return command is not None and _first_text(command.value).startswith(_COMMANDS)
        method = isinstance(call.func, cst.Attribute) and call.func.attr.value in _METHODS
        return name in _REMOVES or (method and name is None and not any(arg.keyword is None for arg in call.args))


def _first_text(node: cst.BaseExpression) -> str:
    """What a command begins with: of a literal, an f-string, or a text that something is added to."""
    if isinstance(node, cst.BinaryOperation):
        return _first_text(node.left)
    if isinstance(node, cst.FormattedString) and node.parts:
        first = node.parts[0]
        return first.value if isinstance(first, cst.FormattedStringText) else ""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):  # "rm {}".format(path)
        return _first_text(node.func.value)
    return text(node)


def _called(node: cst.BaseExpression) -> str:
    return last_name(node.func) if isinstance(node, cst.Call) else ""


def _shown(call: cst.Call) -> str:
    code = code_of(call)
    return code if len(code) <= 40 and "\n" not in code else code_of(call.func)
