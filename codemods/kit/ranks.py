"""Which expressions of a script count its processes: ranks, the number of processes, the devices of the host."""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.environment import VARIABLES, Environment, Quantity
from codemods.kit.launch import LaunchFacts
from codemods.kit.literals import Literals
from codemods.kit.names import Binding, Names, argument, dotted
from codemods.kit.options import Option, Options, text
from codemods.kit.roles import WRAPPERS, Roles
from codemods.kit.tree import Tree, walk

GROUPS = ("torch.distributed", "smdistributed.dataparallel.torch.distributed")
"""Modules with the functions of a process group."""
MPI = "mpi4py.MPI.COMM_WORLD"
CALLS = {
    **{f"{group}.get_rank": Quantity.RANK for group in GROUPS},
    **{f"{group}.get_world_size": Quantity.WORLD_SIZE for group in GROUPS},
    **{f"{group}.get_local_rank": Quantity.LOCAL_RANK for group in GROUPS},
    "torch.distributed.get_node_local_rank": Quantity.LOCAL_RANK,
    "horovod.torch.rank": Quantity.RANK,
    "horovod.torch.size": Quantity.WORLD_SIZE,
    "horovod.torch.local_rank": Quantity.LOCAL_RANK,
    "horovod.torch.local_size": Quantity.LOCAL_SIZE,
    f"{MPI}.Get_rank": Quantity.RANK,
    f"{MPI}.rank": Quantity.RANK,
    f"{MPI}.Get_size": Quantity.WORLD_SIZE,
    f"{MPI}.size": Quantity.WORLD_SIZE,
    "torch.cuda.device_count": Quantity.LOCAL_SIZE,
    "torch.accelerator.device_count": Quantity.LOCAL_SIZE,
    "torch_xla.core.xla_model.get_ordinal": Quantity.RANK,
    "torch_xla.core.xla_model.get_local_ordinal": Quantity.LOCAL_RANK,
    "torch_xla.core.xla_model.xrt_world_size": Quantity.WORLD_SIZE,
    "torch_xla.runtime.global_ordinal": Quantity.RANK,
    "torch_xla.runtime.local_ordinal": Quantity.LOCAL_RANK,
    "torch_xla.runtime.world_size": Quantity.WORLD_SIZE,
}
DEVICE_COUNTS = ("torch.cuda.device_count", "torch.accelerator.device_count")
_RANK_NAMES = ("rank", "local_rank", "global_rank", "is_main_process", "is_master", "is_main", "main_process")
_LAUNCHED = frozenset({"--local_rank", "--local-rank"})
_FOLLOWED = 3
"""Names that are followed from a condition to what they were given, one after the other."""
_READABLE = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
_PLACES = (*WRAPPERS, "torch.cuda.set_device", "torch.device", "torch.cuda.device",
           "torch.accelerator.set_device_index", *(f"{group}.init_process_group" for group in GROUPS))  # fmt: skip


class Ranks(Environment):
    """Answers what a number says of the processes."""

    def __init__(self, tree: Tree, names: Names, roles: Roles, launch: LaunchFacts, options: Options) -> None:
        super().__init__(tree, names, launch, options)
        self.roles = roles
        self._literals = Literals(tree, names)
        self._memo: dict[cst.CSTNode, Quantity | None] = {}

    def passed(self) -> list[Option]:
        """Options that the launcher of PyTorch passed, or a person to each process: its local rank, whatever it is read
        by, and a rank that a sampler takes or that is compared with that of the first process."""
        declared = self.options.declared.values()
        return [one for one in declared if one.flags & _LAUNCHED or one.dest == "local_rank" or self._is_rank(one)]

    def _is_rank(self, option: Option) -> bool:
        if option.dest != "rank" or code_of(option.default or cst.Name("None")) not in ("0", "-1", "None"):
            return False
        uses = [use for use in self.tree.all(cst.Attribute) if self.options.read(use) is option]
        return any(
            (isinstance(holder, cst.Arg) and holder.keyword is not None and holder.keyword.value == "rank")
            or (isinstance(holder, cst.Comparison) and code_of(holder.comparisons[0]).strip() in ("== 0", "!= 0"))
            for holder in map(self.tree.parent.get, uses)
        )

    def flowing(self, key: cst.BaseExpression) -> frozenset[str]:
        """The texts that an expression was when the program was executed, or that a loop goes through."""
        if not isinstance(key, cst.Name | cst.Attribute | cst.Subscript):
            return frozenset()
        meaning = self.roles.links.meaning
        seen = meaning.names.get(self.roles.key(key)) if meaning is not None else None
        if seen:
            return seen
        found: set[object] = {self._literals.value(key)}
        for binding in self.names.bindings(key) if isinstance(key, cst.Name) else ():
            given = self._literals.value(self._default(binding.value)) if binding.kind == "for" else None
            found |= {one for one in given if isinstance(one, str)} if isinstance(given, list | tuple) else set()
        return frozenset(one for one in found if isinstance(one, str))

    def _default(self, node: cst.BaseExpression | None) -> cst.BaseExpression | None:
        """An expression, or what a parameter is if it is not given."""
        bindings = self.names.bindings(node) if isinstance(node, cst.Name) else []
        param = bindings[0].node if len(bindings) == 1 else None
        return param.default if isinstance(param, cst.Param) else node

    # --- quantities ---------------------------------------------------------------------------------------------

    def quantity(self, node: cst.BaseExpression | None) -> Quantity | None:
        """What an expression says of the processes, or None."""
        if node is None:
            return None
        if node not in self._memo:
            self._memo[node] = None
            self._memo[node] = self._judge(node)
        return self._memo[node]

    def _judge(self, node: cst.BaseExpression) -> Quantity | None:
        for read in self.reads if isinstance(node, cst.Subscript | cst.Call) else ():
            if read.node is node:
                return VARIABLES[read.variable]
        if isinstance(node, cst.Call):
            name = self.names.qualified(node.func)
            if name in ("builtins.int", "builtins.str", "builtins.float") and node.args:
                return self.quantity(node.args[0].value)
            if name is not None:
                return CALLS.get(name)
            function = self.names.local_function(node.func)
            returned = [r.value for r in self.tree.all(cst.Return) if function and self.tree.function(r) is function]
            return next((found for value in returned if (found := self.quantity(value))), None)
        if isinstance(node, cst.BinaryOperation):
            return self._of_arithmetic(node)
        if isinstance(node, cst.IfExp):
            return self.quantity(node.body) or self.quantity(node.orelse)
        if isinstance(node, cst.Name | cst.Attribute):
            if isinstance(node, cst.Attribute) and (self.names.qualified(node) or "").startswith(MPI):
                return CALLS.get(self.names.qualified(node) or "")
            bindings = self.names.bindings(node)
            found = next((quantity for binding in bindings if (quantity := self._of_binding(binding))), None)
            if found is None and isinstance(node, cst.Attribute) and node.attr.value == "local_rank":
                return Quantity.LOCAL_RANK if "local_rank" in self.options.declared else None
            return found
        return None

    def _of_arithmetic(self, node: cst.BinaryOperation) -> Quantity | None:
        if isinstance(node.operator, cst.Modulo) and self.quantity(node.right) is Quantity.LOCAL_SIZE:
            return Quantity.LOCAL_RANK if self._numbers_a_process(node.left) else None
        if isinstance(node.operator, cst.Multiply):
            sides = (self.quantity(node.left), self.quantity(node.right))
            return Quantity.WORLD_SIZE if Quantity.LOCAL_SIZE in sides and not self.is_first_rank(node) else None
        if isinstance(node.operator, cst.Add):
            for product, index in ((node.left, node.right), (node.right, node.left)):
                if not _is_product(product) or self.quantity(index) is not Quantity.LOCAL_RANK:
                    continue
                if self._multiplies_by_local_size(product) or self._joins_as(node):
                    return Quantity.RANK
        return None

    def _numbers_a_process(self, node: cst.BaseExpression) -> bool:
        """Whether a number says which process this is: `rank % gpus` is a place on its host, `batch % gpus` is none."""
        if isinstance(node, cst.Call) and self.names.qualified(node.func) == "builtins.int" and node.args:
            return self._numbers_a_process(node.args[0].value)
        if self.quantity(node) in (Quantity.RANK, Quantity.LOCAL_RANK) or self.is_first_rank(node):
            return True
        called = dotted(node.func if isinstance(node, cst.Call) else node) or text(node)
        return (called or "").rpartition(".")[2].lower().endswith(("rank", "id", "index", "idx"))

    def _multiplies_by_local_size(self, product: cst.BaseExpression) -> bool:
        sides = (product.left, product.right) if isinstance(product, cst.BinaryOperation) else ()
        return any(self.quantity(side) is Quantity.LOCAL_SIZE for side in sides)

    def is_first_rank(self, node: cst.BaseExpression | None) -> bool:
        """Whether an expression is the rank of the first process of a host: `node_rank * gpus_per_node`."""
        if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Multiply):
            return False
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if self.quantity(other) is Quantity.LOCAL_SIZE and any(map(_names_a_host, (side, *walk(side)))):
                return True
        return False

    def raises_to_rank(self, node: cst.CSTNode) -> bool:
        """Whether a statement makes the rank of the first process of a host that of this one: `args.rank += gpu`."""
        if not isinstance(node, cst.AugAssign) or not isinstance(node.operator, cst.AddAssign):
            return False
        named = (dotted(node.target) or "").rpartition(".")[2] in ("rank", "global_rank")
        return named and self.quantity(node.value) is Quantity.LOCAL_RANK

    def _joins_as(self, node: cst.BaseExpression) -> bool:
        """Whether a process group is joined with this as the rank, directly or under the name it is given here."""
        holder = self.tree.parent.get(node)
        named = [target.target for target in holder.targets] if isinstance(holder, cst.Assign) else [node]
        for call in self.names.calls(*(f"{group}.init_process_group" for group in GROUPS)):
            given = argument(call, 4, "rank")
            if given is not None and any(given.value is n or dotted(given.value) == (dotted(n) or "?") for n in named):
                return True
        return False

    def _of_binding(self, binding: Binding) -> Quantity | None:
        if binding.kind in ("assign", "walrus") and not binding.path:
            return self.quantity(binding.value)
        if binding.kind != "parameter" or not isinstance(binding.node, cst.Param):
            return None
        function = self.tree.enclosing(binding.node, cst.FunctionDef, cst.Lambda)
        if not isinstance(function, cst.FunctionDef):
            return None
        if function is self.launch.worker:
            params = function.params.params
            if params and params[0] is binding.node:
                return Quantity.LOCAL_RANK
            for call in self.launch.spawns:
                for parameter, element in spawn_arguments(call, function):
                    if parameter is binding.node:
                        return self.quantity(element.value)
        for call in self.roles.call_sites(function):
            passed = self.roles.parameter_argument(function, binding.node, call)
            if passed is not None and (found := self.quantity(passed.value)):
                return found
        return None

    # --- where they matter --------------------------------------------------------------------------------------

    def only_places(self, use: cst.CSTNode) -> bool:
        """Whether a use of a rank only says on which GPU something is, or joins a process group: it goes anyway."""
        tree = self.tree
        if isinstance(tree.parent.get(use), cst.FormattedStringExpression | cst.BinaryOperation):
            whole = tree.enclosing(use, cst.FormattedString, cst.BinaryOperation)
            first = whole.parts[0] if isinstance(whole, cst.FormattedString) and whole.parts else None
            left = whole.left if isinstance(whole, cst.BinaryOperation) else None
            shown = first.value if isinstance(first, cst.FormattedStringText) else text(left)
            return shown.startswith("cuda")
        call = tree.enclosing(use, cst.Call)
        if call is None or tree.contains(call.func, use):
            return False
        if isinstance(call.func, cst.Attribute) and call.func.attr.value in ("cuda", "to", "to_device"):
            return True
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "format":
            return text(call.func.value).startswith("cuda")
        return (self.names.qualified(call.func) or "") in _PLACES

    def is_guarded(self, node: cst.CSTNode) -> bool:
        """Whether a condition on the rank decides, in its function, if the node is reached."""
        tree = self.tree
        function = tree.function(node)
        for outer in tree.ancestors(node):
            if outer is function:
                break
            if isinstance(outer, cst.If) and not tree.contains(outer.test, node) and self.asks_rank(outer.test):
                return True
        return False

    def asks_rank(self, test: cst.BaseExpression, *, depth: int = 0) -> bool:
        """Whether a condition is true on some ranks only, as far as can be seen."""
        ranks = (Quantity.RANK, Quantity.LOCAL_RANK)
        return any(
            isinstance(node, _READABLE)
            and (
                self.quantity(node) in ranks
                or (dotted(node) or "").rpartition(".")[2] in _RANK_NAMES
                or (depth < _FOLLOWED and self._holds_a_test(node, depth))
            )
            for node in walk(test)
        )

    def _holds_a_test(self, node: cst.CSTNode, depth: int) -> bool:
        """Whether a name was given the answer to a question for the rank: `opt.chief = not opt.many or rank == 0`."""
        if not isinstance(node, cst.Name | cst.Attribute):
            return False
        return any(
            binding.kind in ("assign", "walrus")
            and not binding.path
            and isinstance(binding.value, cst.Comparison | cst.BooleanOperation | cst.UnaryOperation)
            and self.asks_rank(binding.value, depth=depth + 1)
            for binding in self.names.bindings(node)
        )


def spawn_arguments(call: cst.Call, worker: cst.FunctionDef) -> list[tuple[cst.Param, cst.Element]]:
    """The worker's parameters after the index, each with what a spawn call's literal `args=(...)` passes for it."""
    passed = argument(call, 1, "args")
    if passed is None or not isinstance(passed.value, cst.Tuple | cst.List):
        return []
    elements = [element for element in passed.value.elements if isinstance(element, cst.Element)]
    return list(zip(worker.params.params[1:], elements, strict=False))


def _is_product(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply)


def _names_a_host(node: cst.CSTNode) -> bool:
    """A name such as `args.node_rank`, or of a variable such as SLURM_NODEID."""
    last = (dotted(node) or "").rpartition(".")[2] if isinstance(node, cst.Name | cst.Attribute) else text(node)
    return last.lower().replace("_", "").endswith(("rank", "nodeid", "machineid"))
