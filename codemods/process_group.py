"""Do without the process group of torch.distributed.

torch_xla's launcher connects the processes itself, so `init_process_group` and `destroy_process_group` go, with the
environment they read (`MASTER_ADDR`, `MASTER_PORT`, `RANK` ...), and so does a function of the script that does nothing
else. Questions to the group are asked of torch_xla: `dist.get_rank()`, `dist.get_world_size()`, and
`dist.is_initialized()`, which would be False on every process from now on and let helpers such as `is_main_process()`
answer "rank 0 of 1" everywhere. Where the group was certainly made before, and other data is loaded without it, there
is one in a single process too: the other branch goes. The same functions of SageMaker's data parallel library
(`smdistributed.dataparallel.torch.distributed`) are treated alike, and its side-effect import goes.

A process group of torch_xla's own (`backend="xla"`) is left alone with all that uses it.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit, is_pure
from codemods.kit.environment import Quantity
from codemods.kit.fold import condition, fold, in_place_of
from codemods.kit.gradients import last_name
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.ranks import CALLS, GROUPS
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_DATA = ("Sampler", "Loader", "sampler", "loader")
"""How calls end that make what gives batches."""


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
            self._forget(edit, call)
        for statement, key in group.environment:
            self.edit("TC514", statement, f"{key} is not needed: torch_xla connects the processes").remove(statement)
        for statement in group.imports:
            self.edit("TC511", statement, "the smddp backend is not used").remove(statement)
        for function in group.idle_functions:
            edit = self.edit("TC511", function, f"{function.name.value}() has nothing left to do")
            edit.remove(function)
            for site in self.script.roles.call_sites(function):
                edit.remove(site)

    def _forget(self, edit: Edit, call: cst.Call) -> None:
        """Remove what only chose the backend: `backend = "nccl" if cuda else "gloo"`."""
        given = argument(call, 0, "backend")
        bindings = self.script.names.bindings(given.value) if given and isinstance(given.value, cst.Name) else []
        chosen = bindings[0].node if len(bindings) == 1 else None
        if given is None or not isinstance(chosen, cst.Assign) or len(chosen.targets) > 1 or not is_pure(chosen.value):
            return
        uses = [
            use
            for use in self.script.tree.all(cst.Name)
            if isinstance(given.value, cst.Name)
            and use.value == given.value.value
            and use is not chosen.targets[0].target
            and any(binding.node is chosen for binding in self.script.names.bindings(use))
        ]
        if uses == [given.value] and self.script.tree.function(chosen) is self.script.tree.function(call):
            edit.remove(chosen)

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
        joined = self.script.calls(*_in_groups("is_initialized"))
        needless = {call for call in joined if self._asks_more(call) or self._chooses_data(call)}
        known.update(dict.fromkeys(needless, True))
        edit: Edit | None = None
        for each in known:
            edit = self.edit("TC513", each, "the processes can always communicate")
        if edit is not None:
            fold(edit, tree, known)
        for call in self.script.calls(*_in_groups("is_initialized"), "torch.distributed.is_torchelastic_launched"):
            if call in needless:
                continue
            edit = self.edit("TC513", call, "there is a group when there is more than one process")
            parent = tree.parent.get(call)
            if isinstance(parent, cst.Assign | cst.Arg) and self.script.roles.joined(call):
                edit.replace(call, cst.Name("True"))  # who is told may do anything with it
                continue
            if isinstance(parent, cst.Assert) and parent.test is call:
                edit.remove(parent)  # nothing can have failed
                continue
            negated = isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not)
            comparison = cst.Comparison(
                edit.say(Idiom.WORLD_SIZE),
                [cst.ComparisonTarget(cst.Equal() if negated else cst.GreaterThan(), cst.Integer("1"))],
            )
            place = parent if negated and isinstance(parent, cst.UnaryOperation) else call
            if isinstance(tree.parent.get(place), cst.Comparison | cst.BinaryOperation | cst.Attribute):
                comparison = comparison.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            edit.replace(place, lambda updated, new=comparison: in_place_of(updated, new))

    def _asks_more(self, call: cst.Call) -> bool:
        """Whether a question about the group only guards one that one process answers as well: `get_rank() if
        is_initialized() else 0`, `not is_initialized() or get_rank() == 0`, `... and get_world_size() > 1`."""
        tree = self.script.tree
        root = condition(tree, call)
        holder = tree.parent.get(root)
        if isinstance(holder, cst.IfExp) and holder.test is root:
            arms = (holder.body, holder.orelse)
            asked = next((arm for arm in arms if self._quantity(arm) is not None), None)
            other = arms[0] if asked is arms[1] else arms[1]
            alone = "0" if asked is not None and self._quantity(asked) is Quantity.RANK else "1"
            return asked is not None and isinstance(other, cst.Integer) and other.value == alone
        compared = [node for node in walk(root) if isinstance(node, cst.Comparison)] if root is not call else []
        return len(compared) == 1 and self._answers(compared[0])

    def _chooses_data(self, call: cst.Call) -> bool:
        """Whether other data is loaded without a group, and there is one in a single process too, as PyTorch's
        launcher starts one."""
        tree = self.script.tree
        root = condition(tree, call)
        holder = tree.parent.get(root)
        if not isinstance(holder, cst.If | cst.IfExp) or holder.test is not root or not self.script.roles.joined(call):
            return False
        inside = (one for one in tree.inside(holder, cst.Call) if not tree.contains(root, one))
        return any(last_name(one).endswith(_DATA) for one in inside)

    def _quantity(self, node: cst.BaseExpression) -> Quantity | None:
        return _RANKS.get(self.script.qualified(node.func) or "") if isinstance(node, cst.Call) else None

    def _answers(self, comparison: cst.Comparison) -> bool:
        """`get_rank() == 0`, `get_rank() != 0`, `get_world_size() > 1`: right with one process too."""
        target = comparison.comparisons[0]
        quantity = self._quantity(comparison.left)
        if not isinstance(target.comparator, cst.Integer):
            return False
        if quantity is Quantity.WORLD_SIZE:
            return isinstance(target.operator, cst.GreaterThan) and target.comparator.value == "1"
        return quantity is Quantity.RANK and target.comparator.value == "0" and self._is_negated(comparison)

    def _is_negated(self, comparison: cst.Comparison) -> bool:
        """`not is_initialized() or rank == 0`, `is_initialized() and rank != 0`: both leave one process its answer."""
        either = self.script.tree.parent.get(comparison)
        equal = isinstance(comparison.comparisons[0].operator, cst.Equal)
        if not isinstance(either, cst.BooleanOperation):
            return False
        return isinstance(either.operator, cst.Or) if equal else isinstance(either.operator, cst.And)
