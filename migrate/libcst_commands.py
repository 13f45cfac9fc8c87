"""Each codemod as a command of LibCST's own runner.

    python -m libcst.tool codemod --no-format -x migrate.libcst_commands.OptimizerStep --target smtc train.py

The classes are made when asked for: `libcst.codemod` doubles the start-up time of everything that imports it, so no
codemod derives from it.
"""

from __future__ import annotations

import argparse
from typing import Any

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext

from codemods.kit.edits import Edits
from codemods.kit.script import read
from codemods.kit.targets import SMTC, Target
from migrate.engine.originals import by_itself
from migrate.registry import codemods


def _command(name: str) -> type[CodemodCommand]:
    by_name = {found.__name__: found for found in codemods()}
    if name not in by_name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: there is no such codemod")

    codemod = by_name[name]

    class Command(CodemodCommand):
        DESCRIPTION = (codemod.__doc__ or "").strip().splitlines()[0]

        def __init__(self, context: CodemodContext, target: str = SMTC.name) -> None:
            super().__init__(context)
            self.target = Target.parse(target)

        @staticmethod
        def add_args(parser: argparse.ArgumentParser) -> None:
            parser.add_argument("--target", default=SMTC.name, help="smtc, or torch-xla==2.x")

        def transform_module_impl(self, tree: cst.Module) -> cst.Module:
            script = read(tree, links=by_itself(tree.code))
            edits = Edits(script, self.target)
            if codemod.serves(self.target):
                codemod(script, edits).rewrite()
            for note in edits.notes:
                self.warn(f"line {note.line}: {note.rule} {note.message}")
            return edits.apply()

    Command.__name__ = Command.__qualname__ = name
    Command.__doc__ = codemod.__doc__
    return Command


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return _command(name)
