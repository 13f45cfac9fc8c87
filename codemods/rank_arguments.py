"""Let torch_xla say the ranks that the command line or arithmetic gave.

`torch.distributed.launch` passes `--local_rank`, and some scripts are given `--rank` and `--world-size` by hand. No
launcher of torch_xla does so. The options stay, for the command lines that have them; their values are set where the
script starts to depend on them: `args.local_rank`, and `args.rank` that samplers or guards ask, after the command line
was parsed, when more than a device depends on it; `args.rank` where the process group was made with it.

Arithmetic such as `args.nr * args.gpus + gpu` would count twice, because torch_xla passes the global rank, and `rank %
torch.cuda.device_count()` would divide by zero where there is no CUDA: both become the rank they compute.
`torch.cuda.device_count()` as a number of processes becomes torch_xla's; divisions of the batch size by it stay, so
each process keeps the number of samples it had.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.environment import Quantity
from codemods.kit.launch import Launch
from codemods.kit.names import Binding, argument, dotted
from codemods.kit.options import Option
from codemods.kit.phrases import Idiom
from codemods.kit.ranks import DEVICE_COUNTS
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.starters import counts_for_starters
from codemods.kit.targets import Launcher
from codemods.kit.tree import walk

_DIVIDES = (cst.Divide, cst.FloorDivide, cst.Modulo, cst.Multiply)
_COUNTS = ("world_size", "num_replicas", "nprocs", "num_shards", "num_gpus", "ngpus", "n_gpus")


class RankArguments(Codemod):
    """Let torch_xla say the ranks that the command line or arithmetic gave."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC523", "a rank of the command line is set from torch_xla", Safety.EXACT,
             document="torch_xla 2.1 runtime.py; 1.13 core/xla_model.py"),
        Rule("TC524", "rank arithmetic becomes the rank", Safety.EXACT,
             document="torch_xla 2.1 distributed/xla_multiprocessing.py spawn"),
        Rule("TC540", "whether there are several processes is asked of torch_xla, not of an option", Safety.REVIEW,
             advice="check the size of a batch: it is that of the script's distributed training, for each process",
             document="torch_xla 2.1 runtime.py; 1.13 core/xla_model.py"),
        Rule("TC556", "several processes are chosen by what cannot be set here", Safety.NOTE, Severity.ERROR,
             "let it say whether there is more than one process: each trains on all of the data where it says no",
             "torch_xla 2.1 runtime.py; 1.13 core/xla_model.py"),
        Rule("TC526", "the number of CUDA devices as a number of processes", Safety.EXACT,
             document="torch_xla 2.1 runtime.py local_device_count"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nrank = torch.distributed.get_rank()\n"
            "local_rank = rank % torch.cuda.device_count()\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\nrank = torch.distributed.get_rank()\n"
            "local_rank = xm.get_local_ordinal()\n",
            xla="import torch\nimport torch_xla.runtime as xr\n\nrank = torch.distributed.get_rank()\n"
            "local_rank = xr.local_ordinal()\n",
        ),
    )

    def rewrite(self) -> None:
        if self.script.launch.kind in (Launch.XLA, Launch.TRAINER) or not self.script.uses_torch:
            return
        self._done: set[cst.CSTNode] = set()
        self._arithmetic()
        for call in self.script.group.made:
            for keyword, position in (("rank", 4), ("world_size", 3)):
                self._given(call, argument(call, position, keyword))
            self._several(argument(call, 3, "world_size"))
        self._joined_by_option()
        for option in self.script.ranks.passed():
            self._passed_rank(option)
        self._passed_options()
        for call in self.script.calls(*DEVICE_COUNTS):
            self._device_count(call)

    # --- the command line ---------------------------------------------------------------------------------------

    def _given(self, call: cst.Call, given: cst.Arg | None) -> None:
        """Set `args.rank` where the group was made with it, when nothing else says it and it is used beyond."""
        tree = self.script.tree
        if (
            given is None
            or not isinstance(given.value, cst.Attribute)
            or self.script.qualified(given.value) is not None
        ):
            return
        chain = code_of(given.value)
        if any(code_of(raised.target) == chain for raised in self._raised()):
            return
        quantity = Quantity.RANK if given is argument(call, 4, "rank") else Quantity.WORLD_SIZE
        bindings = self.script.names.bindings(given.value)
        function = tree.function(call)
        if any(self._is_settled(binding, call) for binding in bindings) or not self._is_used(given.value, chain):
            return
        edit = self.edit("TC523", call, f"{chain} is {quantity.idiom.value}, as torch_xla knows it")
        edit.before(call, [_statement(chain, edit.say(quantity.idiom))])
        for binding in bindings:
            if isinstance(binding.node, cst.Assign) and tree.function(binding.node) is function:
                if tree.before(binding.node, call):
                    edit.remove(binding.node)

    def _several(self, given: cst.Arg | None) -> None:
        """`args.distributed = args.world_size > 1`: no launcher of torch_xla passes `--world-size`, so all processes
        would train on all of the data."""
        name = given.value.attr.value if given is not None and isinstance(given.value, cst.Attribute) else ""
        if given is None or name not in self.script.options.declared:
            return
        chain = code_of(given.value)
        for test in self.script.tree.all(cst.Comparison):
            if code_of(test.left) != chain or [code_of(each).strip() for each in test.comparisons] != ["> 1"]:
                continue
            if self._starts_here(test) or any(self._is_asked(binding, test) for binding in self._bound(given.value)):
                continue
            edit = self.edit("TC540", test, f"no launcher passes --{name}")
            said = edit.say(Quantity.WORLD_SIZE.idiom)
            edit.replace(test.left, said)

    def _joined_by_option(self) -> None:
        """`if args.dist: init_process_group(...)`: a person said `--dist` to each of several processes. Without it
        all of them would train on all of the data now."""
        for mode in self.script.group.modes if self.script.distributed else ():
            if mode.place is None:
                self.note("TC556", mode.said, f"several processes start, whatever {code_of(mode.said)} says")
            elif not self._starts_here(mode.place):
                edit = self.edit("TC540", mode.place, f"no launcher says {code_of(mode.said)}")
                several = build.expression("{world} > 1", world=edit.say(Quantity.WORLD_SIZE.idiom))
                if mode.instead and isinstance(mode.place, cst.Assign):
                    edit.replace(mode.place.value, several)
                else:
                    put = edit.after if mode.after else edit.before
                    put(mode.place, [_statement(code_of(mode.said), several)])

    def _starts_here(self, node: cst.CSTNode) -> bool:
        """Whether a node runs before the processes start. SageMaker's launcher has started them before the script."""
        by_script = self.edits.target.launcher is Launcher.TORCH_XLA
        return by_script and self.script.ranks.is_before_start(node)

    def _bound(self, node: cst.BaseExpression) -> list[Binding]:
        return self.script.names.bindings(node) if isinstance(node, cst.Name | cst.Attribute) else []

    def _is_asked(self, binding: Binding, test: cst.CSTNode) -> bool:
        """Whether a definition above a test gives it the number of processes, whatever the command line said."""
        tree = self.script.tree
        if binding.kind != "assign" or not tree.before(binding.node, test) or self._tests_around(binding.node):
            return False
        return self.script.ranks.quantity(binding.value) is Quantity.WORLD_SIZE

    def _is_settled(self, binding: Binding, call: cst.Call) -> bool:
        """Whether a definition already asks torch_xla once its value is rewritten, whatever the command line said."""
        if binding.kind != "assign" or binding.value is None:
            return False
        parts = (binding.value, *walk(binding.value))
        read = any(found.node in parts for found in self.script.ranks.reads) or any(
            isinstance(part, cst.Call) and (self.script.qualified(part.func) or "").startswith("torch_xla.")
            for part in parts
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

    def _passed_rank(self, option: Option) -> None:
        tree, ranks, name = self.script.tree, self.script.ranks, option.dest
        assigned = any(key.endswith(f".{name}") for key in self.script.names.dotted)  # the codemod rank rewrites that
        if assigned or not self.script.distributed or self.script.launch.spawns:
            return
        if any(tree.contains(option.call, read.node) and not ranks.keeps_default(read.node) for read in ranks.reads):
            return  # its default is asked of torch_xla
        made = [code_of(given.value) for call in self.script.group.made if (given := argument(call, 4, "rank"))]
        uses = [use for use in tree.all(cst.Attribute) if use.attr.value == name and dotted(use) != f"self.{name}"]
        settled = any(one.endswith(f".{name}") for one in made)  # where the group was made with it
        if settled or all(self.script.qualified(use) is not None or ranks.only_places(use) for use in uses):
            return
        for parse, holder in ranks.parses[:1]:
            edit = self.edit("TC523", parse, f"no launcher passes --{name}: it is asked of torch_xla")
            said = edit.say(Quantity.RANK.idiom if name == "rank" else Idiom.LOCAL_ORDINAL)
            edit.after(parse, [_statement(f"{code_of(holder)}.{name}", said)])

    def _passed_options(self) -> None:
        """`train(args.n_gpus, args.rank)`, whose parameters make the process group further down."""
        said: set[str] = set()
        for function in self.script.tree.all(cst.FunctionDef) if self.script.ranks.parses else ():
            for parameter in function.params.params:
                for keyword, quantity in (("rank", Quantity.RANK), ("world_size", Quantity.WORLD_SIZE)):
                    if self.script.launch.spawns or not self.script.group.gives(parameter, keyword):
                        continue
                    for site in self.script.roles.call_sites(function):
                        passed = self.script.roles.parameter_argument(function, parameter, site)
                        if passed is not None and code_of(passed.value) not in said:
                            said.add(code_of(passed.value))
                            self._set_option(passed.value, quantity)

    def _set_option(self, node: cst.BaseExpression, quantity: Quantity) -> None:
        """Set `args.rank` below the line that parses the command line, unless the script assigns it."""
        option = self.script.options.read(node)
        if option is None or not isinstance(node, cst.Attribute) or self.script.names.bindings(node):
            return
        for parse, holder in self.script.ranks.parses:
            if code_of(holder) == code_of(node.value):
                edit = self.edit("TC523", parse, f"no launcher passes --{option.dest}: it is asked of torch_xla")
                edit.after(parse, [_statement(code_of(node), edit.say(quantity.idiom))])

    # --- arithmetic and counts ----------------------------------------------------------------------------------

    def _arithmetic(self) -> None:
        tree, ranks = self.script.tree, self.script.ranks
        for node in tree.all(cst.BinaryOperation):
            if not isinstance(node.operator, cst.Add | cst.Modulo):
                continue
            quantity = None if self.script.ranks.never_runs(node) else ranks.quantity(node)
            if quantity not in (Quantity.RANK, Quantity.LOCAL_RANK) or ranks.only_places(node):
                continue
            if node in self.script.device_positions.defining:
                continue  # it becomes the device
            assign = tree.parent.get(node)
            if quantity is Quantity.RANK and not isinstance(assign, cst.Assign | cst.Arg):
                continue
            edit = self.edit("TC524", node, f"{code_of(node)} is {quantity.idiom.value}, as torch_xla knows it")
            said = edit.say(quantity.idiom)
            edit.replace(node, said)
            self._done.update(walk(node))

        for raised in self._raised():
            rank = Quantity.RANK.idiom
            edit = self.edit("TC524", raised, f"{code_of(raised)} is {rank.value}, as torch_xla knows it")
            said = edit.say(rank)
            edit.replace(raised, lambda updated, said=said: cst.Assign([cst.AssignTarget(updated.target)], said))
            self._done.update(walk(raised))

    def _raised(self) -> list[cst.AugAssign]:
        return [each for each in self.script.tree.all(cst.AugAssign) if self.script.ranks.raises_to_rank(each)]

    def _device_count(self, call: cst.Call) -> None:
        """The number of GPUs, when it counts processes: it divides, multiplies, or is handed on as such."""
        tree = self.script.tree
        if call in self._done or self.script.launch.kind not in (Launch.ENVIRONMENT, Launch.SPAWN):
            return
        if call in counts_for_starters(self.script):
            return
        if self.script.ranks.is_before_start(call) or tree.enclosing(call, cst.Assert) is not None:
            return  # the codemod spawn_worker moves it to where the processes have started
        holder = tree.parent.get(call)
        uses: list[cst.BaseExpression] = [call]
        if isinstance(holder, cst.Assign):
            target = holder.targets[0].target
            name = _last(target)
            uses += [
                use
                for use in (*tree.all(cst.Name), *tree.all(cst.Attribute))
                if _last(use) == name
                and use is not target
                and isinstance(use, cst.Name | cst.Attribute)
                and self.script.names.is_reference(use)
            ]
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
    return cst.SimpleStatementLine([build.assignment(target, value)])


def _last(node: cst.BaseExpression) -> str:
    """The last part of a name: `nprocs` of `args.nprocs`."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else code_of(node)
