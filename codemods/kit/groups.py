"""The process group of torch.distributed: where it is made and ended, and what goes with it."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.environment import TORCHRUN
from codemods.kit.launch import joins_xla_group
from codemods.kit.modes import Mode, read_modes
from codemods.kit.names import Names, argument, dotted
from codemods.kit.ranks import GROUPS, Ranks
from codemods.kit.roles import Roles
from codemods.kit.tree import Tree

SETUP = frozenset(TORCHRUN) | {"MASTER_ADDR", "MASTER_PORT"}
"""Variables of the environment that init_process_group reads."""
_PLACEMENT = ("torch.cuda.set_device", "torch.accelerator.set_device_index")
_SMDDP = "smdistributed.dataparallel.torch.torch_smddp"


_SPELLED = {"rank": ("rank", "global_rank"), "world_size": ("world_size", "num_gpus", "n_gpus", "ngpus")}
"""How parameters are called that a function of another file makes the group with."""


class ProcessGroup:
    """The process group of one script."""

    def __init__(self, tree: Tree, names: Names, roles: Roles, ranks: Ranks) -> None:
        self.tree, self.names, self.roles, self.ranks = tree, names, roles, ranks

    @cached_property
    def made(self) -> list[cst.Call]:
        """`init_process_group(...)` calls."""
        return self.names.calls(*(f"{group}.init_process_group" for group in GROUPS))

    @cached_property
    def ended(self) -> list[cst.Call]:
        """`destroy_process_group(...)` calls."""
        return self.names.calls(*(f"{group}.destroy_process_group" for group in GROUPS))

    @cached_property
    def is_xla(self) -> bool:
        """Whether it is one of torch_xla's, `init_process_group("xla")`, which stays with all that uses it."""
        return joins_xla_group(self.names)

    @cached_property
    def environment(self) -> list[tuple[cst.BaseSmallStatement, str]]:
        """Statements that set a variable the group is made with, each with the variable."""
        found: list[tuple[cst.BaseSmallStatement, str]] = []
        for node, key in self.ranks.environment if self.made or self.ranks.launch.spawns else ():
            statement = self.tree.small_statement(node)
            if key in SETUP and isinstance(statement, cst.Assign | cst.Expr):
                set_here = isinstance(statement, cst.Expr) or any(t.target is node for t in statement.targets)
                if set_here and (isinstance(statement, cst.Assign) or statement.value is node):
                    found.append((statement, key))
        return found

    @cached_property
    def imports(self) -> list[cst.Import]:
        """`import smdistributed.dataparallel.torch.torch_smddp`, imported for the backend it registers."""
        return [found for found in self.tree.all(cst.Import) if [dotted(a.name) for a in found.names] == [_SMDDP]]

    @cached_property
    def statements(self) -> list[cst.CSTNode]:
        """Every statement that goes with the group."""
        calls = [self.tree.parent[call] for call in (*self.made, *self.ended)]
        return [*calls, *(statement for statement, _ in self.environment), *self.imports]

    def takes_line(self, item: cst.CSTNode) -> bool:
        """Whether a line holds nothing but statements that go with the group."""
        if self.is_xla or not isinstance(item, cst.SimpleStatementLine):
            return False
        settings = [statement for statement, _ in self.environment]
        kept = (cst.Assign, cst.Return)  # `group = init_process_group(...)` leaves a name behind
        return all(
            small in settings or (small in self.statements and not isinstance(small, kept)) for small in item.body
        )

    @cached_property
    def idle_functions(self) -> list[cst.FunctionDef]:
        """Top-level functions that only make or end the group, and are only called as statements."""
        statements = self.statements
        found = []
        for function in dict.fromkeys(self.tree.function(statement) for statement in statements):
            if function is None or function is self.ranks.launch.worker:
                continue
            if self.tree.parent.get(function) is not self.tree.module or not self._is_only_called(function):
                continue
            if self._does_nothing_else(function, statements):
                found.append(function)
        return found

    def _is_only_called(self, function: cst.FunctionDef) -> bool:
        sites = self.roles.call_sites(function)
        uses = [name for name in self.tree.all(cst.Name) if name.value == function.name.value]
        plain = all(isinstance(self.tree.parent.get(site), cst.Expr) for site in sites)
        return bool(sites) and plain and len(uses) == len(sites) + 1

    def _does_nothing_else(self, function: cst.FunctionDef, statements: list[cst.CSTNode]) -> bool:
        lines = function.body.body if isinstance(function.body, cst.IndentedBlock) else [function.body]
        for line in lines:
            if not isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite):
                return False
            for small in line.body:
                value = small.value if isinstance(small, cst.Expr) else None
                placed = isinstance(value, cst.Call) and self.names.qualified(value.func) in _PLACEMENT
                if small not in statements and not placed:
                    if not isinstance(small, cst.Pass) and not isinstance(value, cst.BaseString):
                        return False
        return True

    def takes_away(self, node: cst.CSTNode) -> bool:
        """Whether a node is inside a call that goes with the group: of init_process_group, or of an idle function."""
        call = self.tree.enclosing(node, cst.Call)
        if call is None:
            return False
        return call in self.made or any(call in self.roles.call_sites(function) for function in self.idle_functions)

    @cached_property
    def modes(self) -> list[Mode]:
        """What a person says where there are to be several processes: `args.dist` of `if args.dist:
        init_process_group(...)`."""
        return read_modes(self)

    def joins(self, node: cst.CSTNode) -> bool | None:
        """Whether a node is reached in several processes only, as that says, or in one only; None where it does not
        decide it."""
        said = {mode.asked for mode in self.modes if mode.place is not None}
        for outer in (node, *self.tree.ancestors(node)) if said else ():
            if any(self._leaves(item, said) for item in self.tree.block(outer) if self.tree.before(item, outer)):
                return False
            if isinstance(outer, cst.If | cst.IfExp) and code_of(outer.test) in said:
                if outer.orelse is not None and self.tree.contains(outer.orelse, node):
                    return False
                return None if self.tree.contains(outer.test, node) else True
        return None

    def _leaves(self, item: cst.CSTNode, said: set[str]) -> bool:
        """`if args.dist: ... return loader`"""
        asks = isinstance(item, cst.If) and item.orelse is None and code_of(item.test) in said
        body = item.body if isinstance(item, cst.If) and asks else None
        last = body.body[-1] if isinstance(body, cst.IndentedBlock) and body.body else None
        smalls = last.body if isinstance(last, cst.SimpleStatementLine) else ()
        return any(isinstance(small, cst.Return | cst.Raise) for small in smalls)

    def is_without(self, node: cst.CSTNode) -> bool:
        """Whether a node is reached where there is no group: in the other arm of `if dist.is_initialized():`."""
        asking = {f"{group}.is_initialized" for group in GROUPS}
        return any(
            isinstance(outer, cst.If | cst.IfExp)
            and isinstance(outer.test, cst.Call)
            and self.names.qualified(outer.test.func) in asking
            and outer.orelse is not None
            and self.tree.contains(outer.orelse, node)
            for outer in self.tree.ancestors(node)
        )

    # --- what it is made with -----------------------------------------------------------------------------------

    def gives(self, parameter: cst.Param, keyword: str) -> bool:
        """Whether a parameter is the `rank=` or `world_size=` that the group is made with, here or further down."""
        return bool(self.joined) and self._flows(parameter, keyword, 0)

    def _flows(self, parameter: cst.Param, keyword: str, depth: int) -> bool:
        position = {"world_size": 3, "rank": 4}[keyword]
        function = self.tree.enclosing(parameter, cst.FunctionDef)
        if not isinstance(function, cst.FunctionDef) or depth > 3:
            return False
        for call in self.tree.calls_run_by(function):
            if not any(self._is(arg.value, parameter) for arg in call.args):
                continue
            if call in self.joined and call not in self.made and parameter.name.value in _SPELLED[keyword]:
                return True
            if call in self.made:
                given = argument(call, position, keyword)
                if given is not None and self._is(given.value, parameter):
                    return True
                continue
            called = self.names.local_function(call.func)
            for inner in called.params.params if called is not None else ():
                passed = self.roles.parameter_argument(called, inner, call) if called is not None else None
                if passed is not None and self._is(passed.value, parameter) and self._flows(inner, keyword, depth + 1):
                    return True
        return False

    @cached_property
    def joined(self) -> list[cst.Call]:
        """`init_process_group(...)` calls, and those of functions in other files that make the group."""
        return [*self.made, *self.tree.calls_numbered(self.roles.links.joins)]

    def _is(self, node: cst.BaseExpression, parameter: cst.Param) -> bool:
        if not isinstance(node, cst.Name) or node.value != parameter.name.value:
            return False
        return any(binding.node is parameter for binding in self.names.bindings(node))
