"""What a script reads and writes of the environment that torchrun, SLURM and MPI give to each process."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import libcst as cst

from codemods.kit.launch import LaunchFacts
from codemods.kit.names import Names, argument, dotted
from codemods.kit.options import Options, text
from codemods.kit.phrases import Idiom
from codemods.kit.tree import Tree


class Quantity(Enum):
    """What a number says of the processes; the value is the idiom that says it on XLA."""

    RANK = Idiom.ORDINAL
    LOCAL_RANK = Idiom.LOCAL_ORDINAL
    WORLD_SIZE = Idiom.WORLD_SIZE
    LOCAL_SIZE = Idiom.LOCAL_SIZE

    @property
    def idiom(self) -> Idiom:
        found: Idiom = self.value
        return found

    @property
    def is_size(self) -> bool:
        return self in (Quantity.WORLD_SIZE, Quantity.LOCAL_SIZE)


TORCHRUN = {"RANK": Quantity.RANK, "LOCAL_RANK": Quantity.LOCAL_RANK, "WORLD_SIZE": Quantity.WORLD_SIZE,
            "LOCAL_WORLD_SIZE": Quantity.LOCAL_SIZE}  # fmt: skip
"""What torchrun and torch.distributed.launch put in the environment of each process."""
SCHEDULERS = {"SLURM_PROCID": Quantity.RANK, "SLURM_LOCALID": Quantity.LOCAL_RANK, "SLURM_NTASKS": Quantity.WORLD_SIZE,
              "SLURM_NPROCS": Quantity.WORLD_SIZE, "OMPI_COMM_WORLD_RANK": Quantity.RANK, "PMI_RANK": Quantity.RANK,
              "OMPI_COMM_WORLD_LOCAL_RANK": Quantity.LOCAL_RANK, "PMI_SIZE": Quantity.WORLD_SIZE,
              "OMPI_COMM_WORLD_SIZE": Quantity.WORLD_SIZE, "PMIX_RANK": Quantity.RANK,
              "MV2_COMM_WORLD_RANK": Quantity.RANK, "MV2_COMM_WORLD_LOCAL_RANK": Quantity.LOCAL_RANK,
              "MV2_COMM_WORLD_SIZE": Quantity.WORLD_SIZE}  # fmt: skip
"""What SLURM and MPI put there."""
VARIABLES = TORCHRUN | SCHEDULERS
_FOLLOWED = 3
"""Functions that are followed to where they are called, one after the other."""


def _torchrun_first(name: str) -> tuple[bool, str]:
    return name not in TORCHRUN, name


@dataclass(frozen=True, eq=False)
class EnvironmentRead:
    """`os.environ["RANK"]`, `os.environ.get("RANK", 0)` or `os.getenv("RANK")`."""

    node: cst.Subscript | cst.Call
    variable: str
    default: cst.BaseExpression | None


class Environment:
    """The variables of the environment that say which process this is, and where a script asks for them."""

    def __init__(self, tree: Tree, names: Names, launch: LaunchFacts, options: Options) -> None:
        self.tree, self.names, self.launch, self.options = tree, names, launch, options

    @cached_property
    def environment(self) -> list[tuple[cst.CSTNode, str]]:
        """Every `os.environ[...]`, `.get`, `.setdefault`, `.pop`, `getenv` and `in os.environ` with a literal key, or
        with one that says which process this is, wherever that is written."""
        found: list[tuple[cst.CSTNode, str]] = []
        for node, key in self._accesses:
            named = text(key)
            names = frozenset({named}) if named else self.flowing(key)
            alike = {VARIABLES.get(one) for one in names}
            known = None not in alike and (len(alike) == 1 or isinstance(node, cst.Comparison))
            found += [(node, min(names, key=_torchrun_first))] if named or (names and known) else []
        return found

    @cached_property
    def unclear(self) -> list[tuple[cst.CSTNode, frozenset[str]]]:
        """Accesses whose key is now one that says which process this is, and now another."""
        clear = {node for node, _ in self.environment}
        each = ((node, self.flowing(key)) for node, key in self._accesses if node not in clear)
        return [(node, names) for node, names in each if not names.isdisjoint(VARIABLES)]

    def flowing(self, key: cst.BaseExpression) -> frozenset[str]:
        """The texts that an expression may be, which is none itself."""
        return frozenset()

    @cached_property
    def _accesses(self) -> list[tuple[cst.CSTNode, cst.BaseExpression]]:
        """Every access to the environment, with its key."""
        found: list[tuple[cst.CSTNode, cst.BaseExpression]] = []
        for name, node in self.names.uses("os.environ"):
            holder = self.tree.parent.get(node)
            if isinstance(holder, cst.Subscript) and holder.value is node and len(holder.slice) == 1:
                index = holder.slice[0].slice
                found += [(holder, index.value)] if isinstance(index, cst.Index) else []
            elif isinstance(holder, cst.Call) and holder.func is node and name != "os.environ" and holder.args:
                found.append((holder, holder.args[0].value))
            elif isinstance(holder, cst.ComparisonTarget) and isinstance(holder.operator, cst.In | cst.NotIn):
                comparison = self.tree.parent[holder]
                found += [(comparison, comparison.left)] if isinstance(comparison, cst.Comparison) else []
        return found + [(call, call.args[0].value) for call in self.names.calls("os.getenv") if call.args]

    @cached_property
    def reads(self) -> list[EnvironmentRead]:
        """Reads of a variable that says which process this is."""
        found = []
        for node, key in self.environment:
            if key not in VARIABLES or not isinstance(node, cst.Subscript | cst.Call):
                continue
            if isinstance(node, cst.Subscript) and isinstance(self.tree.parent.get(node), cst.AssignTarget | cst.Del):
                continue
            if isinstance(node, cst.Call) and not (dotted(node.func) or "get").endswith(("get", "getenv")):
                continue
            default = argument(node, 1, "default") if isinstance(node, cst.Call) else None
            found.append(EnvironmentRead(node, key, default.value if default else None))
        return found

    @cached_property
    def presence_tests(self) -> list[tuple[cst.Comparison, str]]:
        """`"RANK" in os.environ`, each with the variable."""
        return [(node, key) for node, key in self.environment if key in VARIABLES and isinstance(node, cst.Comparison)]

    @cached_property
    def scheduler_branches(self) -> dict[cst.CSTNode, cst.CSTNode]:
        """`elif "SLURM_PROCID" in os.environ:` after a branch for torchrun, which is taken whenever there are several
        processes: its block, with its test."""
        found: dict[cst.CSTNode, cst.CSTNode] = {}
        for test, key in self.presence_tests:
            branch = self.tree.parent.get(test)
            above = self.tree.parent.get(branch) if branch is not None else None
            if (
                key in SCHEDULERS
                and isinstance(branch, cst.If)
                and isinstance(above, cst.If)
                and above.orelse is branch
            ):
                if any(
                    self.tree.contains(above.test, other) for other, name in self.presence_tests if name in TORCHRUN
                ):
                    found[branch.body] = test
        return found

    def never_runs(self, node: cst.CSTNode) -> bool:
        """Whether a node is in such a branch for a scheduler."""
        return bool(self.scheduler_branches) and any(o in self.scheduler_branches for o in self.tree.ancestors(node))

    def is_before_start(self, node: cst.CSTNode, *, depth: int = 0) -> bool:
        """Whether a node runs in the process that spawns the others, ahead of the spawn: beside it, or in a function
        that is called there only."""
        function = self.tree.function(node)
        spawns = [call for call in self.launch.starts if self.tree.function(call) is function]
        if any(self.tree.before(node, call) for call in spawns):
            return True
        if function is None or depth == _FOLLOWED or not self.launch.starts:
            return False
        sites = [call for call in self.tree.all(cst.Call) if self.names.local_function(call.func) is function]
        return bool(sites) and all(self.is_before_start(call, depth=depth + 1) for call in sites)

    def keeps_default(self, node: cst.CSTNode) -> bool:
        """Whether a read at the top level is only the default of `--local_rank`, as `os.environ.get("LOCAL_RANK", 0)`:
        it may stay, because the option is set once the command line was parsed."""
        read = next((found for found in self.reads if self.tree.contains(found.node, node)), None)
        if read is None or read.default is None or self.tree.function(read.node) is not None:
            return False
        for outer in self.tree.ancestors(read.node):
            if isinstance(outer, cst.Call) and isinstance(outer.func, cst.Attribute):
                if outer.func.attr.value == "add_argument" and self.options.declared.get("local_rank") is not None:
                    return self.options.declared["local_rank"].call is outer and bool(self.parses)
        return False

    @cached_property
    def parses(self) -> list[tuple[cst.Call, cst.BaseExpression]]:
        """`args = parser.parse_args()`: each call with the name its result gets; also the call of a function that
        returns what it parsed."""
        parsing = [
            call
            for call in self.tree.all(cst.Call)
            if isinstance(call.func, cst.Attribute) and call.func.attr.value in ("parse_args", "parse_known_args")
        ]
        handing = {self.tree.function(call) for call in parsing if isinstance(self.tree.parent.get(call), cst.Return)}
        if handing := handing - {None}:
            parsing += [call for call in self.tree.all(cst.Call) if self.names.local_function(call.func) in handing]
        found: list[tuple[cst.Call, cst.BaseExpression]] = []
        for call in parsing:
            assign = self.tree.parent.get(call)
            if isinstance(assign, cst.Assign):
                target = assign.targets[0].target
                found.append((call, target.elements[0].value if isinstance(target, cst.Tuple) else target))
        return found
