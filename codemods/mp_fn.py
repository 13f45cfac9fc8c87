"""Make an `_mp_fn(index)` that is there already one that the Training Compiler's launcher can call.

Scripts that were migrated by hand have the function, and still stop. The launcher, `xla_spawn`, imports the script by
its name, once in itself and once in each process, and calls `_mp_fn(index)` with nothing else. So:

- a second argument that has no default fails in every process;
- what is bound under `if __name__ == "__main__":` alone does not exist: the script is never run, only imported;
- a command line that is parsed while the script is imported is the launcher's own, `--num_gpus 8 train.py ...`, and
  a device that is made then is made before the processes are started: such work moves into `_mp_fn`;
- a name with a dot in it, `train.v2.py`, cannot be imported.

A script without `_mp_fn` gets one from the codemod entry_point_sagemaker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.command_line import parses
from codemods.kit.entry import function, needed_at_import, read_entry, shared_names, trains_by_xla_ranks
from codemods.kit.launch import XLA_LAUNCHES, required_parameters
from codemods.kit.names import Binding
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_SOURCE = "SageMaker: PyTorch models, distributed training; sagemaker-training-toolkit 4.8 PyTorchXLARunner"
_EARLY = ("torch_xla.core.xla_model.xla_device", "torch_xla.device", "torch_xla.core.xla_model.get_ordinal",
          "torch_xla.core.xla_model.xrt_world_size", "torch_xla.core.xla_model.get_local_ordinal",
          "torch.distributed.init_process_group")  # fmt: skip


class MpFn(Codemod):
    """Make an `_mp_fn(index)` that is there already one that the Training Compiler's launcher can call."""

    STAGE = Stage.LAUNCH
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("TC716", "an _mp_fn that does not take exactly one argument", Safety.NOTE, Severity.ERROR,
             "make it _mp_fn(index) and read the rest inside: the launcher passes the index alone", _SOURCE),
        Rule("TC717", "a name that only __main__ binds", Safety.NOTE, Severity.ERROR,
             "bind it in _mp_fn(index), or in what it calls: the launcher imports the script and skips __main__",
             _SOURCE),
        Rule("TC718", "work that runs while the script is imported moves into _mp_fn", Safety.REVIEW,
             document=_SOURCE),
        Rule("TC720", "work that runs while the script is imported", Safety.NOTE, Severity.ERROR,
             "move it into the function that _mp_fn(index) calls", _SOURCE),
        Rule("TC719", "a script name that cannot be imported", Safety.NOTE, Severity.ERROR,
             "rename the file, with no dot but that of .py: the launcher imports it by its name", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import argparse\n\nparser = argparse.ArgumentParser()\nargs = parser.parse_args()\n\n\n"
            "def main():\n    print(args)\n\n\ndef _mp_fn(index):\n    main()\n",
            smtc="import argparse\n\nparser = argparse.ArgumentParser()\n\n\ndef main():\n    print(args)\n\n\n"
            "def _mp_fn(index):\n    global args\n    args = parser.parse_args()\n    main()\n",
        ),
        Example(
            before="import argparse\n\n\ndef main():\n    print(argparse.ArgumentParser().parse_args())\n\n\n"
            "def _mp_fn(index):\n    main()\n"
        ),
    )

    def rewrite(self) -> None:
        if self.script.cells:
            return  # no launcher imports a notebook
        entry = self.script.launch.entry
        if entry is not None or self.script.launch.several or trains_by_xla_ranks(self.script):
            self._name(entry)
        if entry is None:
            return
        if required_parameters(entry) != 1:
            if not self.script.calls(*XLA_LAUNCHES):  # else the codemod entry_point_sagemaker gives it another name
                self.note("TC716", entry, "the launcher calls _mp_fn(index), and this one cannot be called so")
            return
        for name, binding in self._bound_in_main():
            self.note("TC717", binding, f"`{name}` is bound under __main__ alone, which the launcher does not run")
        self._work(entry)

    def _name(self, entry: cst.FunctionDef | None) -> None:
        file = self.edits.path.replace("\\", "/").rpartition("/")[2]
        if "." in file.removesuffix(".py"):
            place = entry or next(iter(self.script.module.body), None)
            if place is not None:
                self.note("TC719", place, f"{file} cannot be imported as a module")

    def _bound_in_main(self) -> Iterator[tuple[str, cst.CSTNode]]:
        """Names that the guard binds, and nothing else of the module, which functions read."""
        for name, bindings in self.script.names.module.names.items():
            if bindings and all(self._in_main(binding.node) for binding in bindings):
                if any(self._reads(use, bindings) for use in self.script.names.named(name)):
                    yield name, bindings[0].node

    def _reads(self, use: cst.Name, bindings: list[Binding]) -> bool:
        """Whether a function of the script means these bindings by a name."""
        holder = self.script.tree.parent.get(use)
        if (isinstance(holder, cst.Attribute) and holder.attr is use) or self.script.tree.function(use) is None:
            return False
        if isinstance(holder, cst.Arg) and holder.keyword is use:
            return False
        return self.script.names.bindings(use) == bindings

    def _in_main(self, node: cst.CSTNode) -> bool:
        return any(self.script.is_main_guard(outer) for outer in self.script.tree.ancestors(node))

    # --- work while it is imported --------------------------------------------------------------------------------

    def _work(self, entry: cst.FunctionDef) -> None:
        script, found = self.script, read_entry(self.script)
        early = [item for item in script.module.body if isinstance(item, cst.BaseStatement) and self._is_early(item)]
        if not early or not isinstance(entry.body, cst.IndentedBlock):
            return
        moved = list(found.work[found.work.index(early[0]) :]) if early[0] in found.work else []
        own = [item for item in entry.body.body if isinstance(item, cst.BaseStatement)]
        again = _called_again(found.body, own)
        above = bool(moved) and script.tree.before(moved[-1], entry)
        if not above or again is None or found.obstacle is not None or needed_at_import(script, moved) is not None:
            self.note("TC720", early[0], "this runs while the launcher imports the script, and cannot move into _mp_fn")
            return
        shared = shared_names(script, moved)
        parameters = build.code_of(entry.params)
        edit = self.edit("TC718", early[0], "runs in each process: the launcher imports the script")

        def made(items: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
            *work, last = items
            assert isinstance(last, cst.FunctionDef)
            assert isinstance(last.body, cst.IndentedBlock)
            body = [item for item in last.body.body if isinstance(item, cst.BaseStatement)]
            moved = function("_mp_fn", parameters, [*work, *body], shared)
            if last.get_docstring() is None:
                return [moved]
            inner = function("_mp_fn", parameters, [*work, *body[1:]], shared).body.body
            return [moved.with_changes(body=last.body.with_changes(body=[body[0], *inner]))]

        edit.gather([*moved, entry], made)
        for call in again:
            edit.replace(call, build.expression("_mp_fn(0)"))

    def _is_early(self, item: cst.BaseStatement) -> bool:
        """Whether a statement parses the command line, makes a device or joins a group."""
        calls = () if self.script.is_main_guard(item) else self.script.tree.inside(item, cst.Call)
        return any(
            self.script.tree.function(call) is None and (self.script.qualified(call.func) in _EARLY or parses(call))
            for call in calls
        )


def _called_again(guard: Sequence[cst.CSTNode], own: Sequence[cst.BaseStatement]) -> list[cst.Call] | None:
    """The calls of the guard that have to become calls of `_mp_fn`, because its body is now more than they are; None
    when the guard does something of its own."""
    if not guard:
        return []
    texts = [build.code_of(item).strip() for item in guard]
    if len(guard) == 1 and ("_mp_fn" in texts[0]):
        return []
    if texts != [build.code_of(item).strip() for item in own] or len(guard) != 1:
        return None
    line = guard[0]
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else line
    return [small.value] if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) else None
