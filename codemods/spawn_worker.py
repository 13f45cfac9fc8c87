"""Let each spawned process find out by itself how many there are.

`mp.spawn` scripts count the GPUs before they spawn (`world_size = torch.cuda.device_count()`) and hand the number on to
each worker. On XLA nothing may touch a device before the processes run, and there may be no CUDA device to count. So
the number is not passed any more: the worker asks for it (`world_size = xr.world_size()` at its top), and the
definitions before the spawn go.

The first argument of the worker keeps its name. `mp.spawn` passes the index on this host; torch_xla passes the global
rank. Where the script computes its global rank from the index, the worker asks for the index on this host.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.counted import read_dependents
from codemods.kit.edits import Edit, unwrapped
from codemods.kit.environment import Quantity
from codemods.kit.launch import Launch
from codemods.kit.names import Binding, argument, dotted
from codemods.kit.phrases import Idiom
from codemods.kit.ranks import spawn_arguments
from codemods.kit.rules import Example, Rule, Safety, Stage


class SpawnWorker(Codemod):
    """Let each spawned process find out by itself how many there are."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC531", "a spawned worker asks for the number of processes", Safety.EXACT,
             document="torch_xla 2.6 distributed/xla_multiprocessing.py spawn; torch_xla 2.3 runtime.py"),
        Rule("TC532", "a spawned worker asks for its index on this host", Safety.EXACT,
             document="torch_xla 2.1 distributed/xla_multiprocessing.py spawn"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\nimport torch.multiprocessing as mp\n\n\ndef worker(rank, world_size):\n"
            "    print(rank, world_size)\n\n\nif __name__ == \"__main__\":\n"
            "    world_size = torch.cuda.device_count()\n"
            "    mp.spawn(worker, args=(world_size,), nprocs=world_size)\n",
            smtc="import torch\nimport torch.multiprocessing as mp\nimport torch_xla.core.xla_model as xm\n\n\n"
            "def worker(rank):\n"
            "    world_size = xm.xrt_world_size()\n    print(rank, world_size)\n\n\nif __name__ == \"__main__\":\n"
            "    mp.spawn(worker)\n",
            xla="import torch\nimport torch.multiprocessing as mp\nimport torch_xla.runtime as xr\n\n\n"
            "def worker(rank):\n"
            "    world_size = xr.world_size()\n    print(rank, world_size)\n\n\nif __name__ == \"__main__\":\n"
            "    mp.spawn(worker)\n",
        ),
    )  # fmt: skip

    def rewrite(self) -> None:
        launch = self.script.launch
        if launch.kind is not Launch.SPAWN:
            return
        self._gone: set[cst.CSTNode] = set()
        self._dependents: dict[str, list[cst.SimpleStatementLine]] = {}
        self._choices: set[cst.If] = set()
        if launch.worker is not None:
            self._worker(launch.worker)

    def _worker(self, worker: cst.FunctionDef) -> None:
        spawns = [call for call in self.script.launch.spawns if self._spawns(call, worker)]
        chains = self._size_chains(spawns)
        sizes = self._size_parameters(worker, spawns, chains)
        first = _first_statement(worker)
        if sizes is None or first is None:
            return
        if sizes or chains:
            edit = self.edit("TC531", worker, f"{worker.name.value}() asks for the number of processes itself")
            for parameter, quantity in sizes.items():
                if self._matters(parameter):
                    edit.before(first, [_statement(parameter.name.value, edit.say(quantity.idiom))])
            self._drop(edit, worker, spawns, set(sizes))
            for chain, quantity in chains.items():
                moved = self._dependents.get(chain, [])
                if moved or self._chain_matters(chain):
                    lines = [line.deep_clone().with_changes(leading_lines=[]) for line in moved]
                    edit.before(first, [_statement(chain, edit.say(quantity.idiom)), *lines])
                for line in moved:
                    edit.remove(line)
            for choice in self._choices:
                edit.replace(choice, unwrapped)
            self._drop_definitions(edit, spawns)
        self._index(worker, first)

    def _spawns(self, call: cst.Call, worker: cst.FunctionDef) -> bool:
        target = argument(call, 0, "fn")
        return target is not None and self.script.names.local_function(target.value) is worker

    # --- what is passed -----------------------------------------------------------------------------------------

    def _size_parameters(
        self, worker: cst.FunctionDef, spawns: list[cst.Call], chains: dict[str, Quantity]
    ) -> dict[cst.Param, Quantity] | None:
        """The worker's parameters that count processes; None when what is passed cannot be seen."""
        found: dict[cst.Param, Quantity] = {}
        for call in spawns:
            for parameter, element in spawn_arguments(call, worker):
                if code_of(element.value) in chains:
                    found[parameter] = chains[code_of(element.value)]
                elif self.script.group.gives(parameter, "world_size") or self._is_count(element.value, call, worker):
                    found[parameter] = Quantity.WORLD_SIZE
                elif (quantity := self.script.ranks.quantity(element.value)) and quantity.is_size:
                    found[parameter] = quantity
        passed = [argument(call, 1, "args") for call in spawns]
        return found if all(p is None or isinstance(p.value, cst.Tuple | cst.List) for p in passed) else None

    def _is_count(self, value: cst.BaseExpression, call: cst.Call, worker: cst.FunctionDef) -> bool:
        """Whether a number of GPUs is also how many processes are spawned, by a script that has one host only."""
        count, index = argument(call, 2, "nprocs"), worker.params.params[0]
        quantity = self.script.ranks.quantity(value)
        same = count is not None and code_of(count.value) == code_of(value)
        return same and quantity is not None and not any(self._in_rank(use) for use in self._uses(index))

    def _size_chains(self, spawns: list[cst.Call]) -> dict[str, Quantity]:
        """`args.world_size = ngpus * args.nodes` before the spawn: each with what it counts."""
        found: dict[str, Quantity] = {}
        for chain, bindings in self.script.names.dotted.items():
            for binding in bindings:
                quantity = self.script.ranks.quantity(binding.value)
                if quantity is not None and quantity.is_size and self._is_ahead(binding.node, spawns):
                    given = any(code_of(arg.value) == chain for call in self.script.group.made for arg in call.args
                                if arg.keyword is not None and arg.keyword.value == "world_size")  # fmt: skip
                    found[chain] = Quantity.WORLD_SIZE if given else quantity
                    self._gone.add(binding.node)
                elif self.script.ranks.is_first_rank(binding.value) and self._is_raised(chain):
                    self._gone.add(binding.node)
        return {chain: quantity for chain, quantity in found.items() if self._follows(chain, spawns)}

    def _follows(self, chain: str, spawns: list[cst.Call]) -> bool:
        """Whether what else the spawning function does with a count can go with it: statements that move into the
        worker, and the choice to spawn at all. Else the count stays where it is, and is noted."""
        moved, choices = read_dependents(self.script, chain, spawns, self._gone)
        if moved is None:
            self._gone -= {binding.node for binding in self.script.names.dotted[chain]}
            return False
        self._dependents[chain] = moved
        self._choices |= choices
        self._gone |= {*moved, *(choice.test for choice in choices)}
        return True

    def _is_raised(self, chain: str) -> bool:
        """Whether each process adds its index to the rank of the first one of its host: both become one question."""
        raised = filter(self.script.ranks.raises_to_rank, self.script.tree.all(cst.AugAssign))
        return any(dotted(each.target) == chain for each in raised)

    def _is_ahead(self, node: cst.CSTNode, spawns: list[cst.Call]) -> bool:
        tree = self.script.tree
        return any(tree.function(call) is tree.function(node) and tree.before(node, call) for call in spawns)

    # --- what still matters -------------------------------------------------------------------------------------

    def _goes(self, use: cst.CSTNode) -> bool:
        """Whether a use is inside something this migration takes away."""
        tree = self.script.tree
        return any(outer in self._gone for outer in (use, *tree.ancestors(use))) or self.script.group.takes_away(use)

    def _uses(self, parameter: cst.Param) -> list[cst.Name]:
        return [name for name in self.script.tree.all(cst.Name) if name.value == parameter.name.value
                and name is not parameter.name and self.script.names.is_reference(name)
                and any(binding.node is parameter for binding in self.script.names.bindings(name))]  # fmt: skip

    def _matters(self, parameter: cst.Param) -> bool:
        ranks = self.script.ranks
        return any(
            not self._goes(use) and not ranks.only_places(use) and not self._in_rank(use)
            for use in self._uses(parameter)
        )

    def _in_rank(self, use: cst.CSTNode) -> bool:
        """Whether a use is part of arithmetic that becomes the rank itself."""
        quantity = self.script.ranks.quantity
        outer = [found for found in self.script.tree.ancestors(use) if isinstance(found, cst.BinaryOperation)]
        raised = self.script.ranks.raises_to_rank(self.script.tree.parent[use])
        return raised or any(quantity(found) in (Quantity.RANK, Quantity.LOCAL_RANK) for found in outer)

    def _chain_matters(self, chain: str) -> bool:
        if chain.rpartition(".")[2] in self.script.links.counts_read:
            return True
        spawning = {self.script.tree.function(call) for call in self.script.launch.spawns}
        for use in self.script.tree.all(cst.Attribute):
            if dotted(use) != chain or not self.script.names.is_reference(use) or self._goes(use):
                continue
            if self.script.tree.function(use) not in spawning and not self.script.ranks.only_places(use):
                return True
        return False

    # --- edits --------------------------------------------------------------------------------------------------

    def _drop(self, edit: Edit, worker: cst.FunctionDef, spawns: list[cst.Call], sizes: set[cst.Param]) -> None:
        """Take parameters out of the worker, and what is passed for them out of every call."""
        if sizes:
            edit.replace(worker.params, lambda updated: _without_params(updated, indexes))
            indexes = {index for index, param in enumerate(worker.params.params) if param in sizes}
        for site in self.script.roles.call_sites(worker):
            for parameter in sizes:
                passed = self.script.roles.parameter_argument(worker, parameter, site)
                if passed is not None:
                    edit.remove(passed)
                    self._gone.add(passed)
        for call in spawns:
            for count in (argument(call, 2, "nprocs"), *self._passed(edit, call, worker, sizes)):
                if count is not None and count.keyword is not None:
                    edit.remove(count)
                if count is not None:
                    self._gone.add(count)

    def _passed(self, edit: Edit, call: cst.Call, worker: cst.FunctionDef, sizes: set[cst.Param]) -> list[cst.Arg]:
        """Take elements out of `args=(...)`; gives the argument itself back when nothing is left in it."""
        passed = argument(call, 1, "args")
        pairs = spawn_arguments(call, worker)
        gone = [index for index, (parameter, _) in enumerate(pairs) if parameter in sizes]
        if passed is None or not gone or not isinstance(passed.value, cst.Tuple | cst.List):
            return []
        self._gone.update(pairs[index][1] for index in gone)
        if len(gone) == len(passed.value.elements) and passed.keyword is not None:
            return [passed]
        edit.replace(passed.value, lambda updated: _without_elements(updated, gone))
        return []

    def _drop_definitions(self, edit: Edit, spawns: list[cst.Call]) -> None:
        """Remove definitions ahead of the spawn that nothing needs any more, the last first."""
        tree, names = self.script.tree, self.script.names
        for node in [found for found in self._gone if isinstance(found, cst.Assign)]:
            edit.remove(node)
        for assign in reversed(tree.all(cst.Assign)):
            target = assign.targets[0].target
            if assign in self._gone or not isinstance(target, cst.Name) or not self._is_ahead(assign, spawns):
                continue
            bindings = names.bindings(target)
            counted = all(self._counts(binding) for binding in bindings)
            named = [name for name in tree.all(cst.Name) if name.value == target.value]
            uses = [name for name in named if names.is_reference(name) and names.bindings(name) == bindings]
            if counted and uses and all(self._goes(use) for use in uses):
                edit.remove(assign)
                self._gone.add(assign)

    def _counts(self, binding: Binding) -> bool:
        """`n = torch.cuda.device_count()`, or `n = 1` where there is no GPU."""
        quantity = self.script.ranks.quantity(binding.value)
        counted = (quantity is not None and quantity.is_size) or isinstance(binding.value, cst.Integer)
        return binding.kind == "assign" and not binding.path and counted

    # --- the index ----------------------------------------------------------------------------------------------

    def _index(self, worker: cst.FunctionDef, first: cst.BaseStatement) -> None:
        """Where the rank is computed from the index, what else uses the index means the one on this host."""
        index = worker.params.params[0] if worker.params.params else None
        if index is None or self.script.roles.call_sites(worker) or self.script.group.gives(index, "rank"):
            return
        uses = self._uses(index)
        if any(len(self.script.names.bindings(use)) > 1 for use in uses):
            return  # the worker gives it a value of its own
        if any(self._in_rank(use) for use in uses) and self._matters(index):
            edit = self.edit("TC532", index, "torch_xla passes the global rank: the index on this host is asked for")
            edit.before(first, [_statement(index.name.value, edit.say(Idiom.LOCAL_ORDINAL))])


def _first_statement(function: cst.FunctionDef) -> cst.BaseStatement | None:
    """The first statement of a function after its docstring and `global` lines."""
    if not isinstance(function.body, cst.IndentedBlock):
        return None
    for line in function.body.body:
        first = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
        documents = isinstance(first, cst.Expr) and isinstance(first.value, cst.BaseString)
        if not documents and not isinstance(first, cst.Global | cst.Nonlocal):
            return line
    return None


def _without_params(params: cst.Parameters, indexes: set[int]) -> cst.Parameters:
    kept = [param for index, param in enumerate(params.params) if index not in indexes]
    if kept:
        kept[-1] = kept[-1].with_changes(comma=params.params[-1].comma)
    return params.with_changes(params=kept)


def _without_elements(passed: cst.Tuple | cst.List, gone: list[int]) -> cst.BaseExpression:
    kept = [element for index, element in enumerate(passed.elements) if index not in gone]
    if kept:
        kept[-1] = kept[-1].with_changes(comma=passed.elements[-1].comma)
    return passed.with_changes(elements=kept)


def _statement(target: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([build.assignment(target, value)])
