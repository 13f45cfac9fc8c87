"""Do without the process group of torch.distributed.

torch_xla's launcher connects the processes itself, so `init_process_group` and `destroy_process_group` go, with the
environment they read (`MASTER_ADDR`, `MASTER_PORT`, `RANK` ...), and so does a function of the script that does nothing
else. Questions to the group are asked of torch_xla: `dist.get_rank()`, `dist.get_world_size()`, and
`dist.is_initialized()`, which would be False on every process from now on and let helpers such as `is_main_process()`
answer "rank 0 of 1" everywhere. The same functions of SageMaker's data parallel library
(`smdistributed.dataparallel.torch.distributed`) are treated alike, and its side-effect import goes.

A process group of torch_xla's own (`backend="xla"`) is left alone with all that uses it.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.fold import fold, in_place_of
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.ranks import CALLS, GROUPS
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage


def _in_groups(*functions: str) -> tuple[str, ...]:
    return tuple(f"{group}.{function}" for group in GROUPS for function in functions)


_RANKS = {name: quantity for name, quantity in CALLS.items() if name.startswith(GROUPS)}


class ProcessGroup(Codemod):
    """Do without the process group of torch.distributed."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC511", "init_process_group and destroy_process_group are removed", Safety.EXACT,
             document="torch_xla 2.1 distributed/xla_multiprocessing.py; SageMaker: Training Compiler, PyTorch models"),
        Rule("TC512", "rank and world size are asked of torch_xla", Safety.EXACT,
             document="torch_xla 2.1 runtime.py; 1.13 core/xla_model.py"),
        Rule("TC513", "is_initialized() becomes a test of the number of processes", Safety.EXACT,
             document="torch_xla 2.1 runtime.py world_size"),
        Rule("TC514", "the environment of a process group is not set up", Safety.EXACT),
        Rule("TC515", "the rank within a subgroup", Safety.NOTE, Severity.ERROR,
             "torch_xla has no process groups: pass groups=[[...]] to its collectives"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import torch.distributed as dist\n\ndist.init_process_group("nccl")\nrank = dist.get_rank()\n',
            smtc="import torch_xla.core.xla_model as xm\n\nrank = xm.get_ordinal()\n",
            xla="import torch_xla.runtime as xr\n\nrank = xr.global_ordinal()\n",
        ),
    )

    def rewrite(self) -> None:
        if self.script.group.is_xla:
            return
        self._group()
        for call in self.script.calls(*_RANKS):
            self._rank(call)
        self._availability()

    # --- making and ending the group ----------------------------------------------------------------------------

    def _group(self) -> None:
        group, tree = self.script.group, self.script.tree
        for call in (*group.made, *group.ended):
            what = "started" if call in group.made else "ends"
            edit = self.edit("TC511", call, f"torch_xla's launcher {what} the processes")
            if isinstance(tree.parent.get(call), cst.Expr):
                edit.remove(call)
            else:
                edit.replace(call, cst.Name("None"))
        for statement, key in group.environment:
            self.edit("TC514", statement, f"{key} is not needed: torch_xla connects the processes").remove(statement)
        for statement in group.imports:
            self.edit("TC511", statement, "the smddp backend is not used").remove(statement)
        for function in group.idle_functions:
            edit = self.edit("TC511", function, f"{function.name.value}() has nothing left to do")
            edit.remove(function)
            for site in self.script.roles.call_sites(function):
                edit.remove(site)

    # --- asking the group ---------------------------------------------------------------------------------------

    def _rank(self, call: cst.Call) -> None:
        group = argument(call, 0, "group")
        if group is not None and code_of(group.value) != "None":
            self.note("TC515", call, f"{code_of(call.func)} of a process group of its own")
            return
        quantity = _RANKS[self.script.qualified(call.func) or ""]
        edit = self.edit("TC512", call, f"{quantity.idiom.value} is asked of torch_xla")
        edit.replace(call, edit.say(quantity.idiom))

    def _availability(self) -> None:
        tree = self.script.tree
        known: dict[cst.CSTNode, bool] = {}
        for call in self.script.calls(*_in_groups("is_available")):
            known[call] = True
        edit: Edit | None = None
        for each in known:
            edit = self.edit("TC513", each, "the processes can always communicate")
        if edit is not None:
            fold(edit, tree, known)
        for call in self.script.calls(*_in_groups("is_initialized"), "torch.distributed.is_torchelastic_launched"):
            edit = self.edit("TC513", call, "there is a group when there is more than one process")
            parent = tree.parent.get(call)
            negated = isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not)
            comparison = cst.Comparison(
                edit.say(Idiom.WORLD_SIZE),
                [cst.ComparisonTarget(cst.Equal() if negated else cst.GreaterThan(), cst.Integer("1"))],
            )
            place = parent if negated and isinstance(parent, cst.UnaryOperation) else call
            if isinstance(tree.parent.get(place), cst.Comparison | cst.BinaryOperation | cst.Attribute):
                comparison = comparison.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            edit.replace(place, lambda updated, new=comparison: in_place_of(updated, new))
