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

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.fold import fold, in_place_of
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.ranks import CALLS, GROUPS, TORCHRUN
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_SETUP = frozenset(TORCHRUN) | {"MASTER_ADDR", "MASTER_PORT"}
_PLACEMENT = ("torch.cuda.set_device", "torch.accelerator.set_device_index")
_SMDDP = "smdistributed.dataparallel.torch.torch_smddp"


def _in_groups(*functions: str) -> tuple[str, ...]:
    return tuple(f"{group}.{function}" for group in GROUPS for function in functions)


_RANKS = {name: quantity for name, quantity in CALLS.items() if name.startswith(GROUPS)}


class ProcessGroup(Codemod):
    """Do without the process group of torch.distributed."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC511", "init_process_group and destroy_process_group are removed", Safety.EXACT,
             document="torch_xla 2.1 distributed/xla_multiprocessing.py spawn; SageMaker: Training Compiler, PyTorch models"),
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
            before='import torch.distributed as dist\n\ndist.init_process_group(backend="nccl")\nrank = dist.get_rank()\n',
            smtc="import torch_xla.core.xla_model as xm\n\nrank = xm.get_ordinal()\n",
            xla="import torch_xla.runtime as xr\n\nrank = xr.global_ordinal()\n",
        ),
    )

    def rewrite(self) -> None:
        if self.script.keeps_process_group:
            return
        removed = [*self._group_calls(), *self._environment(), *self._smddp_import()]
        self._empty_functions(removed)
        for call in self.script.calls(*_RANKS):
            self._rank(call)
        self._availability()

    # --- making and ending the group ----------------------------------------------------------------------------

    def _group_calls(self) -> Iterator[cst.CSTNode]:
        for call in self.script.calls(*_in_groups("init_process_group", "destroy_process_group")):
            statement = self.script.tree.parent.get(call)
            if isinstance(statement, cst.Expr):
                what = "started" if "init" in (self.script.qualified(call.func) or "") else "ended"
                self.edit("TC511", call, f"torch_xla's launcher has {what} the processes").remove(call)
                yield statement
            else:
                edit = self.edit("TC511", call, "torch_xla's launcher has started the processes")
                edit.replace(call, cst.Name("None"))

    def _environment(self) -> Iterator[cst.CSTNode]:
        tree = self.script.tree
        for node, key in self.script.ranks.environment if self._group_in_use() else ():
            if key not in _SETUP:
                continue
            statement = tree.small_statement(node)
            written = isinstance(statement, cst.Assign) and any(target.target is node for target in statement.targets)
            if written or (isinstance(statement, cst.Expr) and statement.value is node):
                assert statement is not None
                self.edit("TC514", node, f"{key} is not needed: torch_xla connects the processes").remove(statement)
                yield statement

    def _group_in_use(self) -> bool:
        return bool(self.script.calls(*_in_groups("init_process_group"))) or bool(self.script.launch.spawns)

    def _smddp_import(self) -> Iterator[cst.CSTNode]:
        """`import smdistributed.dataparallel.torch.torch_smddp`, imported for the backend it registers."""
        for statement in self.script.tree.all(cst.Import):
            names = [code_of(alias.name) for alias in statement.names]
            if names == [_SMDDP]:
                self.edit("TC511", statement, "the smddp backend is not used").remove(statement)
                yield statement

    def _empty_functions(self, removed: list[cst.CSTNode]) -> None:
        """Remove functions of the script that only made or ended the group, and the calls of them."""
        tree = self.script.tree
        for function in {tree.function(statement) for statement in removed}:
            if function is None or function is self.script.launch.worker or tree.parent.get(function) is not tree.module:
                continue
            sites = self.script.roles.call_sites(function)
            uses = [name for name in tree.all(cst.Name) if name.value == function.name.value]
            plain = all(isinstance(tree.parent.get(site), cst.Expr) for site in sites)
            if sites and plain and len(uses) == len(sites) + 1 and self._does_nothing(function, removed):
                edit = self.edit("TC511", function, f"{function.name.value}() has nothing left to do")
                edit.remove(function)
                for site in sites:
                    edit.remove(site)

    def _does_nothing(self, function: cst.FunctionDef, removed: list[cst.CSTNode]) -> bool:
        lines = function.body.body if isinstance(function.body, cst.IndentedBlock) else [function.body]
        for line in lines:
            if not isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite):
                return False
            for small in line.body:
                value = small.value if isinstance(small, cst.Expr) else None
                placed = isinstance(value, cst.Call) and self.script.qualified(value.func) in _PLACEMENT
                if not (small in removed or placed or isinstance(small, cst.Pass) or isinstance(value, cst.BaseString)):
                    return False
        return True

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
        for call in known:
            edit = self.edit("TC513", call, "the processes can always communicate")
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
