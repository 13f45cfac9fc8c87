"""Ask torch_xla which process this is, instead of the environment or the command line.

`RANK`, `LOCAL_RANK` and `WORLD_SIZE` are put into the environment by torchrun; neither the Training Compiler's launcher
nor `torch_xla.launch` sets them, and `--local_rank` is passed by `torch.distributed.launch` alone. The reads become
questions to torch_xla. They are rewritten where the value is *defined*, so that `if rank == 0:` stays as it is:

* `int(os.environ["LOCAL_RANK"])` and its forms; `"RANK" in os.environ` and `int(os.environ.get("RANK", -1)) != -1`,
  which ask whether there are several processes, ask for their number;
* `args.local_rank` of the command line is set after it was parsed, when more than a device depends on it;
* a rank that only the command line gives (`init_process_group(rank=args.rank)`) is set where the group was made;
* arithmetic such as `args.nr * args.gpus + gpu` and `rank % torch.cuda.device_count()`, which would count twice or
  divide by zero;
* `torch.cuda.device_count()` as a number of processes. Divisions of the batch size by it stay: each process keeps the
  number of samples it had.

A definition at the top level of a script that starts its own processes would run before they exist; it is written into
its uses. What SLURM and MPI put in the environment is rewritten too, with a note, since torch_xla has to start the
processes.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of, expression
from codemods.kit.codemod import Codemod
from codemods.kit.fold import condition, fold, in_place_of
from codemods.kit.launch import Launch
from codemods.kit.names import Binding, argument, dotted
from codemods.kit.phrases import Idiom
from codemods.kit.ranks import DEVICE_COUNTS, GROUPS, SCHEDULERS, VARIABLES, EnvironmentRead, Quantity
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_DIVIDES = (cst.Divide, cst.FloorDivide, cst.Modulo, cst.Multiply)
_COUNTS = ("world_size", "num_replicas", "nprocs", "num_shards", "num_gpus", "ngpus", "n_gpus")


class Rank(Codemod):
    """Ask torch_xla which process this is."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC521", "ranks are asked of torch_xla, not of the environment", Safety.EXACT,
             document="SageMaker: sagemaker-training-toolkit 4.8 PyTorchXLARunner; torch_xla 2.1 runtime.py"),
        Rule("TC522", "a test for torchrun becomes a test for several processes", Safety.EXACT),
        Rule("TC523", "a rank of the command line is set from torch_xla", Safety.EXACT),
        Rule("TC524", "rank arithmetic becomes the rank", Safety.EXACT,
             document="torch_xla 2.1 distributed/xla_multiprocessing.py spawn"),
        Rule("TC526", "the number of CUDA devices as a number of processes", Safety.EXACT,
             document="torch_xla 2.1 runtime.py local_device_count"),
        Rule("TC527", "processes started by SLURM or MPI", Safety.NOTE, Severity.WARNING,
             "start the script with torch_xla's launcher on each host: one task a host, not one a device"),
        Rule("TC528", "a rank is asked for before the processes start", Safety.NOTE, Severity.ERROR,
             "move it into the function that each process runs"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import os\n\nimport torch\n\nlocal_rank = int(os.environ["LOCAL_RANK"])\n'
            'torch.distributed.init_process_group("nccl")\n',
            smtc='import os\n\nimport torch\nimport torch_xla.core.xla_model as xm\n\n'
            'local_rank = xm.get_local_ordinal()\ntorch.distributed.init_process_group("nccl")\n',
            xla='import os\n\nimport torch\nimport torch_xla.runtime as xr\n\n'
            'local_rank = xr.local_ordinal()\ntorch.distributed.init_process_group("nccl")\n',
        ),
    )  # fmt: skip

    def rewrite(self) -> None:
        if self.script.launch.kind in (Launch.XLA, Launch.TRAINER) or not self.script.uses_torch:
            return
        self._done: set[cst.CSTNode] = set()
        self._inlined: set[cst.CSTNode] = set()
        self._unreachable = self._scheduler_branches()
        for read in self.script.ranks.reads:
            self._read(read)
        self._presence()
        self._arithmetic()
        for call in self.script.calls(*(f"{group}.init_process_group" for group in GROUPS)):
            for keyword, position in (("rank", 4), ("world_size", 3)):
                self._given(call, argument(call, position, keyword))
        self._local_rank_option()
        for call in self.script.calls(*DEVICE_COUNTS):
            self._device_count(call)

    # --- the environment ----------------------------------------------------------------------------------------

    def _read(self, read: EnvironmentRead) -> None:
        tree, quantity = self.script.tree, VARIABLES[read.variable]
        if self._writes_default(read.node) or self._never_runs(read.node):
            return
        if self._is_before_start(read.node):
            if self._counts_for_workers(read.node):
                return  # the codemod spawn_worker moves it to where the processes have started
            self.note("TC528", read.node, f"{read.variable} is read before the processes start")
            return
        if read.variable in SCHEDULERS:
            self.note("TC527", read.node, f"{read.variable} is set by a scheduler, which starts one process for each GPU")
        node: cst.BaseExpression = read.node
        parent = tree.parent.get(tree.parent[node])
        if isinstance(parent, cst.Call) and self.script.qualified(parent.func) == "builtins.int" and len(parent.args) == 1:
            node = parent
        asked = self._asks_if_several(node, read)
        if asked is not None:
            test, several = asked
            edit = self.edit("TC522", test, f"{read.variable} tells whether there are several processes")
            compared = "{world} > 1" if several else "{world} == 1"
            said = expression(compared, world=edit.say(Idiom.WORLD_SIZE))
            edit.replace(test, lambda updated: in_place_of(updated, said))
            return
        if self._inline(node, quantity, read.variable):
            return
        edit = self.edit("TC521", node, f"{read.variable} is asked of torch_xla")
        said = edit.say(quantity.idiom)
        edit.replace(node, said if node is not read.node or self._takes_numbers(node) else expression("str({x})", x=said))

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

    def _asks_if_several(self, node: cst.BaseExpression, read: EnvironmentRead) -> tuple[cst.BaseExpression, bool] | None:
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

    # --- presence -----------------------------------------------------------------------------------------------

    def _presence_tests(self) -> list[tuple[cst.Comparison, str]]:
        return [(node, key) for node, key in self.script.ranks.environment
                if key in VARIABLES and isinstance(node, cst.Comparison)]  # fmt: skip

    def _scheduler_branches(self) -> dict[cst.CSTNode, cst.CSTNode]:
        """`elif "SLURM_PROCID" in os.environ:` after a branch for torchrun, which is taken whenever there are several
        processes: its block, with its test."""
        tree = self.script.tree
        torchrun = {condition(tree, test) for test, key in self._presence_tests() if key not in SCHEDULERS}
        found: dict[cst.CSTNode, cst.CSTNode] = {}
        for test, key in self._presence_tests():
            branch = tree.parent.get(test)
            above = tree.parent.get(branch) if branch is not None else None
            if key in SCHEDULERS and isinstance(branch, cst.If) and isinstance(above, cst.If):
                if above.orelse is branch and above.test in torchrun:
                    found[branch.body] = test
        return found

    def _never_runs(self, node: cst.CSTNode) -> bool:
        return any(outer in self._unreachable for outer in self.script.tree.ancestors(node))

    def _presence(self) -> None:
        """`"RANK" in os.environ`; two of them joined by `and` are one question."""
        tree = self.script.tree
        known: dict[cst.CSTNode, bool] = {}
        asked: set[cst.CSTNode] = set()
        for test, key in self._presence_tests():
            root = condition(tree, test)
            edit = self.edit("TC522", test, f"{key} tells whether there are several processes")
            if test in self._unreachable.values():
                known[test] = False
            elif root in asked and isinstance(root, cst.BooleanOperation) and isinstance(root.operator, cst.And):
                known[test] = True
            else:
                asked.add(root)
                absent = isinstance(test.comparisons[0].operator, cst.NotIn)
                said = expression("{world} == 1" if absent else "{world} > 1", world=edit.say(Idiom.WORLD_SIZE))
                edit.replace(test, lambda updated, said=said: in_place_of(updated, said))
        if known:
            fold(edit, tree, known)

    def _inline(self, node: cst.BaseExpression, quantity: Quantity, variable: str) -> bool:
        """Write a definition at the top level into its uses, which run when the processes have started."""
        tree, names = self.script.tree, self.script.names
        assign = tree.parent.get(node)
        if not isinstance(assign, cst.Assign) or tree.parent.get(tree.parent[assign]) is not tree.module:
            return False
        target = assign.targets[0].target
        guarded = any(self.script.is_main_guard(line) for line in tree.module.body)
        if not guarded or not isinstance(target, cst.Name) or len(names.bindings(target)) != 1:
            return False
        binding = names.bindings(target)[0]
        uses = [name for name in tree.all(cst.Name) if name.value == target.value and names.is_reference(name)]
        uses = [use for use in uses if names.bindings(use) == [binding] and use is not target]
        if any(self._runs_at_import(use) for use in uses):
            return False
        edit = self.edit("TC521", node, f"{variable} is asked of torch_xla, where it is used: the processes have started there")
        edit.remove(assign)
        for use in uses:
            edit.replace(use, edit.say(quantity.idiom))
        self._inlined.add(assign)
        return True

    def _runs_at_import(self, node: cst.CSTNode) -> bool:
        guarded = any(self.script.is_main_guard(outer) for outer in self.script.tree.ancestors(node))
        return self.script.tree.function(node) is None and not guarded

    def _is_before_start(self, node: cst.CSTNode) -> bool:
        """Whether a node runs in the process that spawns the others, ahead of the spawn."""
        tree = self.script.tree
        spawns = self.script.launch.spawns
        function = tree.function(node)
        return any(tree.function(spawn) is function and tree.before(node, spawn) for spawn in spawns)

    def _counts_for_workers(self, node: cst.CSTNode) -> bool:
        """Whether a read is kept as `args.world_size` for the workers of this script."""
        assign = self.script.tree.small_statement(node)
        if self.script.launch.worker is None or not isinstance(assign, cst.Assign):
            return False
        quantity = self.script.ranks.quantity(assign.value)
        return quantity is not None and quantity.is_size and isinstance(assign.targets[0].target, cst.Attribute)

    # --- the command line ---------------------------------------------------------------------------------------

    def _given(self, call: cst.Call, given: cst.Arg | None) -> None:
        """Set `args.rank` where the group was made with it, when nothing else says it and it is used beyond."""
        tree = self.script.tree
        if given is None or not isinstance(given.value, cst.Attribute) or self.script.qualified(given.value) is not None:
            return
        chain = code_of(given.value)
        quantity = Quantity.RANK if given is argument(call, 4, "rank") else Quantity.WORLD_SIZE
        bindings = self.script.names.bindings(given.value)
        function = tree.function(call)
        if any(self._is_settled(binding, call) for binding in bindings) or not self._is_used(given.value, chain):
            return
        edit = self.edit("TC523", call, f"{chain} is {quantity.idiom.value}, as torch_xla knows it")
        edit.before(call, [_statement(chain, edit.say(quantity.idiom))])
        for binding in bindings:
            if isinstance(binding.node, cst.Assign) and tree.function(binding.node) is function:
                if tree.before(binding.node, call) and binding.node not in self._inlined:
                    edit.remove(binding.node)

    def _is_settled(self, binding: Binding, call: cst.Call) -> bool:
        """Whether a definition already asks torch_xla once its value is rewritten, whatever the command line said."""
        if binding.kind != "assign" or binding.value is None:
            return False
        parts = (binding.value, *walk(binding.value))
        read = any(found.node in parts for found in self.script.ranks.reads) or any(
            isinstance(part, cst.Call) and (self.script.qualified(part.func) or "").startswith("torch_xla.") for part in parts
        )
        if read:
            chain = code_of(call_target) if (call_target := _target(binding)) is not None else ""
            return not any(chain and chain in code_of(test) for test in self._tests_around(binding.node))
        quantity = self.script.ranks.quantity(binding.value)
        if self.script.launch.worker is not None and quantity is not None and quantity.is_size:
            return True  # the codemod spawn_worker sets it at the top of the worker
        return self.script.tree.function(binding.node) is not self.script.tree.function(call) and quantity is not None

    def _tests_around(self, node: cst.CSTNode) -> list[cst.BaseExpression]:
        return [outer.test for outer in self.script.tree.ancestors(node) if isinstance(outer, cst.If)]

    def _is_used(self, attribute: cst.Attribute, chain: str) -> bool:
        """Whether more than the process group and the choice of a GPU depends on `args.rank`."""
        tree, ranks = self.script.tree, self.script.ranks
        for use in tree.all(cst.Attribute):
            if use.attr.value == attribute.attr.value and code_of(use) == chain and use is not attribute:
                written = isinstance(tree.parent.get(use), cst.AssignTarget)
                assign = tree.small_statement(use)
                own = isinstance(assign, cst.Assign) and any(code_of(t.target) == chain for t in assign.targets)
                if not written and not own and not ranks.only_places(use) and not self._chooses_environment(use):
                    return True
        return False

    def _chooses_environment(self, use: cst.CSTNode) -> bool:
        """`args.dist_url == "env://" and args.rank == -1`: asks whether the environment has to be read."""
        comparison = self.script.tree.parent.get(use)
        return isinstance(comparison, cst.Comparison) and code_of(comparison.comparisons[0].comparator) == "-1"

    def _local_rank_option(self) -> None:
        option = self.script.options.declared.get("local_rank")
        if option is None or not self.script.distributed or self.script.launch.spawns:
            return
        for parse in self.script.tree.all(cst.Call):
            if not isinstance(parse.func, cst.Attribute) or parse.func.attr.value not in ("parse_args", "parse_known_args"):
                continue
            statement = self.script.tree.parent.get(parse)
            if not isinstance(statement, cst.Assign):
                continue
            target = statement.targets[0].target
            holder = target.elements[0].value if isinstance(target, cst.Tuple) else target
            chain = f"{code_of(holder)}.local_rank"
            assigned = any(key.endswith(".local_rank") for key in self.script.names.dotted)
            uses = [use for use in self.script.tree.all(cst.Attribute) if use.attr.value == "local_rank"]
            uses = [use for use in uses if self.script.qualified(use) is None and dotted(use) != "self.local_rank"]
            if assigned or all(self.script.ranks.only_places(use) for use in uses):
                return
            edit = self.edit("TC523", parse, "no launcher passes --local_rank: it is asked of torch_xla")
            edit.after(parse, [_statement(chain, edit.say(Idiom.LOCAL_ORDINAL))])
            return

    # --- arithmetic and counts ----------------------------------------------------------------------------------

    def _arithmetic(self) -> None:
        tree, ranks = self.script.tree, self.script.ranks
        for node in tree.all(cst.BinaryOperation):
            if not isinstance(node.operator, cst.Add | cst.Modulo):
                continue
            quantity = None if self._never_runs(node) else ranks.quantity(node)
            if quantity not in (Quantity.RANK, Quantity.LOCAL_RANK) or ranks.only_places(node):
                continue
            assign = tree.parent.get(node)
            if quantity is Quantity.RANK and not isinstance(assign, cst.Assign | cst.Arg):
                continue
            edit = self.edit("TC524", node, f"{code_of(node)} is {quantity.idiom.value}, as torch_xla knows it")
            said = edit.say(quantity.idiom)
            edit.replace(node, said)
            self._done.update(walk(node))

    def _device_count(self, call: cst.Call) -> None:
        """The number of GPUs, when it counts processes: it divides, multiplies, or is handed on as such."""
        tree = self.script.tree
        if call in self._done or self.script.launch.kind not in (Launch.ENVIRONMENT, Launch.SPAWN):
            return
        if self._is_before_start(call) or tree.enclosing(call, cst.Assert) is not None:
            return  # the codemod spawn_worker moves it to where the processes have started
        holder = tree.parent.get(call)
        uses = [call]
        if isinstance(holder, cst.Assign):
            target = holder.targets[0].target
            name = target.attr.value if isinstance(target, cst.Attribute) else code_of(target)
            uses = [use for use in (*tree.all(cst.Name), *tree.all(cst.Attribute)) if code_of(use).endswith(name)
                    and use is not target and self.script.names.is_reference(use)]  # fmt: skip
        if any(self._counts(use) for use in uses):
            edit = self.edit("TC526", call, "the number of devices of this host is asked of torch_xla")
            edit.replace(call, edit.say(Idiom.LOCAL_SIZE))

    def _counts(self, use: cst.CSTNode) -> bool:
        holder = self.script.tree.parent.get(use)
        if isinstance(holder, cst.BinaryOperation) and isinstance(holder.operator, _DIVIDES):
            return True
        if isinstance(holder, cst.AugAssign):
            return True
        return isinstance(holder, cst.Arg) and holder.keyword is not None and holder.keyword.value in _COUNTS


def _target(binding: Binding) -> cst.BaseExpression | None:
    return binding.node.targets[0].target if isinstance(binding.node, cst.Assign) else None


def _statement(target: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.parse_expression(target))], value)])
