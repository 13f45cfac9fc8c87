"""Ask torch_xla which process this is, instead of the environment.

`RANK`, `LOCAL_RANK` and `WORLD_SIZE` are put into the environment by torchrun; neither the Training Compiler's launcher
nor `torch_xla.launch` sets them. The reads become questions to torch_xla. They are rewritten where the value is
*defined*, so that `if rank == 0:` stays as it is:

* `int(os.environ["LOCAL_RANK"])` and its forms; `"RANK" in os.environ` and `int(os.environ.get("RANK", -1)) != -1`,
  which ask whether there are several processes, ask for their number.

A variable may be named elsewhere, in a constant, a list that a loop goes through, or a default; where several are meant
that say different things, that is an error.

A definition at the top level of a script that starts its own processes would run before they exist; it is written into
its uses. What SLURM and MPI put in the environment is rewritten too, with a note, since torch_xla has to start the
processes.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of, expression
from codemods.kit.codemod import Codemod
from codemods.kit.entry import is_library, runs_ahead, uses_of_rank
from codemods.kit.environment import SCHEDULERS, VARIABLES, EnvironmentRead, Quantity
from codemods.kit.fold import condition, fold, in_place_of
from codemods.kit.launch import Launch
from codemods.kit.names import dotted
from codemods.kit.phrases import Idiom
from codemods.kit.placements import operands
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage


class Rank(Codemod):
    """Ask torch_xla which process this is."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC521", "ranks are asked of torch_xla, not of the environment", Safety.EXACT,
             document="SageMaker: sagemaker-training-toolkit 4.8 PyTorchXLARunner; torch_xla 2.1 runtime.py"),
        Rule("TC522", "a test for torchrun becomes a test for several processes", Safety.EXACT),
        Rule("TC527", "processes started by SLURM or MPI", Safety.NOTE, Severity.WARNING,
             "start the script with torch_xla's launcher on each host: one task a host, not one a device"),
        Rule("TC528", "a rank is asked for before the processes start", Safety.NOTE, Severity.ERROR,
             "move it into the function that each process runs"),
        Rule("TC548", "variables are read by a name that is chosen, and may say the rank", Safety.NOTE, Severity.ERROR,
             "ask torch_xla for the rank and the number of processes where these are read"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import os\n\nimport torch\n\n\ndef main():\n    local_rank = int(os.environ["LOCAL_RANK"])\n'
            '    torch.distributed.init_process_group("nccl")\n',
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\n\ndef main():\n"
            '    local_rank = xm.get_local_ordinal()\n    torch.distributed.init_process_group("nccl")\n',
            xla="import torch\nimport torch_xla.runtime as xr\n\n\ndef main():\n"
            '    local_rank = xr.local_ordinal()\n    torch.distributed.init_process_group("nccl")\n',
        ),
    )  # fmt: skip

    def rewrite(self) -> None:
        several = self.script.uses_torch or self.script.links.several
        if self.script.launch.kind in (Launch.XLA, Launch.TRAINER) or not several:
            return
        self._asked: set[tuple[cst.CSTNode, bool]] = set()
        for read in self.script.ranks.reads:
            self._read(read)
        self._presence()
        for node, names in self.script.ranks.unclear if self.script.distributed or self.script.links.several else ():
            if not (isinstance(node, cst.Comparison) or self._is_written(node) or self._takes_numbers(node)):
                listed = ", ".join(sorted(names))
                self.note("TC548", node, f"{listed}: one of these is read, and torch_xla's launcher sets none")

    # --- the environment ----------------------------------------------------------------------------------------

    def _read(self, read: EnvironmentRead) -> None:
        tree, quantity = self.script.tree, VARIABLES[read.variable]
        ranks = self.script.ranks
        if self._writes_default(read.node) or ranks.never_runs(read.node) or ranks.keeps_default(read.node):
            return
        if self.script.ranks.is_before_start(read.node):
            if self._counts_for_workers(read.node):
                return  # the codemod spawn_worker moves it to where the processes have started
            if read.variable in SCHEDULERS and self._numbers_hosts(read.node):
                return  # one process a host is what torch_xla's launcher starts from, too
            self.note("TC528", read.node, f"{read.variable} is read before the processes start")
            return
        if read.variable in SCHEDULERS:
            self.note(
                "TC527", read.node, f"{read.variable} is set by a scheduler, which starts one process for each GPU"
            )
        node: cst.BaseExpression = read.node
        parent = tree.parent.get(tree.parent[node])
        if (
            isinstance(parent, cst.Call)
            and self.script.qualified(parent.func) == "builtins.int"
            and len(parent.args) == 1
        ):
            node = parent
        asked = self._asks_if_several(node, read)
        if asked is not None:
            test, several = asked
            edit = self.edit("TC522", test, f"{read.variable} tells whether there are several processes")
            compared = "{world} > 1" if several else "{world} == 1"
            question = (condition(tree, test), several)
            joined = isinstance(question[0], cst.BaseExpression) and test in operands(question[0])
            if joined and question in self._asked:
                fold(edit, tree, {test: True})  # the same once more, joined by `and`
                return
            if joined:
                self._asked.add(question)
            said = expression(compared, world=edit.say(Idiom.WORLD_SIZE))
            edit.replace(test, lambda updated: in_place_of(updated, said))
            return
        if self._inline(node, quantity, read.variable):
            return
        if tree.function(node) is None and (is_library(self.script) or runs_ahead(self.script, node)):
            self.note("TC528", read.node, f"{read.variable} is read when the module is imported")
            return
        edit = self.edit("TC521", node, f"{read.variable} is asked of torch_xla")
        said = edit.say(quantity.idiom)
        edit.replace(
            node, said if node is not read.node or self._takes_numbers(node) else expression("str({x})", x=said)
        )

    def _is_written(self, node: cst.CSTNode) -> bool:
        """Whether a variable is set here, or taken away."""
        if isinstance(node, cst.Call):
            return not (dotted(node.func) or "get").endswith(("get", "getenv"))
        return isinstance(self.script.tree.parent.get(node), cst.AssignTarget | cst.Del)

    def _writes_default(self, node: cst.CSTNode) -> bool:
        return isinstance(node, cst.Call) and (dotted(node.func) or "").endswith("setdefault")

    def _takes_numbers(self, node: cst.CSTNode) -> bool:
        """Whether a number may stand where the text of a variable stood."""
        holder = self.script.tree.parent.get(node)
        call = self.script.tree.parent.get(holder) if isinstance(holder, cst.Arg) else None
        if isinstance(call, cst.Call):
            named = self.script.qualified(call.func) or dotted(call.func) or ""
            return named.rpartition(".")[2] in ("print", "add_argument", "format", "str")
        return isinstance(holder, cst.FormattedStringExpression)

    def _asks_if_several(
        self, node: cst.BaseExpression, read: EnvironmentRead
    ) -> tuple[cst.BaseExpression, bool] | None:
        """The condition around a read that only asks whether torchrun started the script, and which answer is yes."""
        tree = self.script.tree
        comparison = tree.parent.get(node)
        if isinstance(comparison, cst.Comparison) and comparison.left is node and len(comparison.comparisons) == 1:
            target = comparison.comparisons[0]
            against = code_of(target.comparator)
            if against in ("-1", "None") and isinstance(target.operator, cst.Equal | cst.Is):
                return comparison, False
            if against in ("-1", "None") and isinstance(target.operator, cst.NotEqual | cst.IsNot | cst.GreaterThan):
                return comparison, True
            if against == "0" and isinstance(target.operator, cst.GreaterThanEqual) and read.default is not None:
                return comparison, True
        holder = tree.parent.get(condition(tree, node))
        if node is read.node and isinstance(holder, cst.If | cst.IfExp) and holder.test is condition(tree, node):
            return node, True
        return None

    def _presence(self) -> None:
        """`"RANK" in os.environ`; two of them joined by `and` are one question."""
        tree = self.script.tree
        known: dict[cst.CSTNode, bool] = {}
        asked: set[cst.CSTNode] = set()
        for test, key in self.script.ranks.presence_tests:
            root = condition(tree, test)
            edit = self.edit("TC522", test, f"{key} tells whether there are several processes")
            if test in self.script.ranks.scheduler_branches.values():
                known[test] = False
            elif self._asks_for_nothing(test, key) or (root in asked and _joins_both(root)):
                known[test] = True
            else:
                asked.add(root)
                absent = isinstance(test.comparisons[0].operator, cst.NotIn)
                said = expression("{world} == 1" if absent else "{world} > 1", world=edit.say(Idiom.WORLD_SIZE))
                edit.replace(test, lambda updated, said=said: in_place_of(updated, said))
        if known:
            fold(edit, tree, known)

    def _asks_for_nothing(self, test: cst.Comparison, key: str) -> bool:
        """`int(os.environ["WORLD_SIZE"]) if "WORLD_SIZE" in os.environ else 1`, which is what torch_xla says, too."""
        choice = self.script.tree.parent.get(test)
        if not isinstance(choice, cst.IfExp) or choice.test is not test or not isinstance(choice.orelse, cst.Integer):
            return False
        alone = "1" if VARIABLES[key].is_size else "0"
        asked = isinstance(test.comparisons[0].operator, cst.In) and choice.orelse.value == alone
        return asked and self.script.ranks.quantity(choice.body) is VARIABLES[key]

    def _inline(self, node: cst.BaseExpression, quantity: Quantity, variable: str) -> bool:
        """Write a definition at the top level into its uses, which run when the processes have started."""
        tree = self.script.tree
        assign = tree.parent.get(node)
        uses = uses_of_rank(self.script, tree.parent[assign]) if isinstance(assign, cst.Assign) else None
        if uses is None:
            return False
        assert isinstance(assign, cst.Assign)
        edit = self.edit(
            "TC521", node, f"{variable} is asked of torch_xla, where it is used: the processes have started there"
        )
        edit.remove(assign)
        for use in uses:
            edit.replace(use, edit.say(quantity.idiom))
        return True

    def _numbers_hosts(self, node: cst.CSTNode) -> bool:
        """Whether what is read is kept as the number of the host: `args.rank * gpus + index` is a process's rank."""
        tree = self.script.tree
        assign = tree.small_statement(node)
        kept = dotted(assign.targets[0].target) if isinstance(assign, cst.Assign) else None
        products = (product for product in tree.all(cst.BinaryOperation) if self.script.ranks.is_first_rank(product))
        return kept is not None and any(kept in (dotted(each.left), dotted(each.right)) for each in products)

    def _counts_for_workers(self, node: cst.CSTNode) -> bool:
        """Whether a read is kept as `args.world_size` for the workers of this script."""
        assign = self.script.tree.small_statement(node)
        if self.script.launch.worker is None or not isinstance(assign, cst.Assign):
            return False
        quantity = self.script.ranks.quantity(assign.value)
        return quantity is not None and quantity.is_size and isinstance(assign.targets[0].target, cst.Attribute)


def _joins_both(test: cst.CSTNode) -> bool:
    """`a and b`"""
    return isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And)
