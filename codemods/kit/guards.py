"""Conditions that let one process through: `if rank == 0:` and its many spellings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import libcst as cst

from codemods.kit.environment import Quantity
from codemods.kit.names import dotted
from codemods.kit.options import NAMESPACES, text
from codemods.kit.script import Script
from codemods.kit.tree import walk

_RANKS = ("torch.distributed.get_rank", "horovod.torch.rank", "horovod.torch.local_rank",
          "mpi4py.MPI.COMM_WORLD.Get_rank", "mpi4py.MPI.COMM_WORLD.rank",
          "smdistributed.dataparallel.torch.distributed.get_rank",
          "smdistributed.dataparallel.torch.distributed.get_local_rank",
          "torch_xla.core.xla_model.get_ordinal", "torch_xla.core.xla_model.get_local_ordinal",
          "torch_xla.runtime.global_ordinal", "torch_xla.runtime.local_ordinal")  # fmt: skip
_MASTERS = ("torch_xla.core.xla_model.is_master_ordinal",)
_MASTER_NAMES = ("is_main_process", "is_master", "is_rank0", "is_rank_zero", "is_main", "master_process",
                 "is_master_process", "is_local_main_process", "is_primary", "is_logging_process", "main_process",
                 "is_global_zero")  # fmt: skip
_JOINED = ("is_initialized", "is_available", "is_dist_avail_and_initialized", "is_distributed")
"""Functions that say whether there are several processes."""
_CONDITIONS = (cst.Comparison, cst.BooleanOperation, cst.UnaryOperation, cst.Call)
_FOLLOWED = 3
"""Names that are followed to what they were given, one after the other."""
_COUNTED = ("builtins.range", "builtins.enumerate")
_RANK_NAMES = ("rank", "local_rank", "global_rank", "proc_rank", "process_id", "ordinal", "node_rank", "ddp_rank")


def passes_one(script: Script, test: cst.BaseExpression, depth: int = 0) -> bool:
    """Whether a condition holds on the first process (of the job or of the host) only: `args.rank == 0`,
    `local_rank in [-1, 0]`, `is_main_process()`, `not distributed or rank % n == 0`, or a name that was given that."""
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        operator = test.comparisons[0].operator
        return isinstance(operator, cst.Equal | cst.In | cst.LessThan | cst.LessThanEqual) and is_rank(
            script, test.left
        )
    if isinstance(test, cst.BooleanOperation):
        left, right = passes_one(script, test.left, depth), passes_one(script, test.right, depth)
        if isinstance(test.operator, cst.And):
            return (left and (right or _is_flag(test.right))) or (right and _is_flag(test.left))
        return (left or _is_flag(test.left)) and (right or _is_flag(test.right)) and (left or right)
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        named = cst.Name | cst.Attribute | cst.Call | cst.Subscript
        return isinstance(test.expression, named) and is_rank(script, test.expression)
    if isinstance(test, cst.Call):
        name = script.qualified(test.func)
        return name in _MASTERS or last_name(test.func) in _MASTER_NAMES
    return last_name(test) in _MASTER_NAMES or (depth < _FOLLOWED and _was_given_one(script, test, depth))


def side_by_side(test: cst.BaseExpression, by: type[cst.And | cst.Or]) -> list[cst.BaseExpression]:
    """The conditions that stand side by side in one, joined by `and` or by `or`; what is in parentheses is one."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, by) and not test.lpar:
        return [*side_by_side(test.left, by), *side_by_side(test.right, by)]
    return [test]


def joined(parts: Sequence[cst.BaseExpression], by: type[cst.And | cst.Or]) -> cst.BaseExpression:
    """The other way round."""
    return reduce(lambda left, right: cst.BooleanOperation(left, by(), right), parts)


def names_one(script: Script, test: cst.BaseExpression) -> bool:
    """Whether a rank, or who is first, is any part of a condition."""
    asked = (cst.Name, cst.Attribute, cst.Subscript, cst.Call)
    parts = [part for part in walk(test) if isinstance(part, asked)]
    return any(is_rank(script, part) or passes_one(script, part) for part in parts)


def _was_given_one(script: Script, name: cst.BaseExpression, depth: int) -> bool:
    """Whether a name always stands for such a condition: `opt.writes = not opt.distributed or opt.rank == 0`."""
    bindings = script.names.bindings(name) if isinstance(name, cst.Name | cst.Attribute) else []
    values = [binding.value for binding in bindings if binding.kind == "assign" and not binding.path]
    if not values or len(values) < len(bindings):
        return False
    return all(isinstance(value, _CONDITIONS) and passes_one(script, value, depth + 1) for value in values)


def stops_others(script: Script, test: cst.BaseExpression) -> bool:
    """The opposite: a condition that holds on every process but the first: `rank != 0`, `rank`,
    `not is_main_process()`, `distributed and rank > 0`."""
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        operator, other = test.comparisons[0].operator, test.comparisons[0].comparator
        if isinstance(test.left, cst.Integer) and isinstance(operator, cst.NotEqual | cst.LessThan):
            return is_rank(script, other)
        if isinstance(operator, cst.GreaterThanEqual):
            return isinstance(other, cst.Integer) and other.value == "1" and is_rank(script, test.left)
        return isinstance(operator, cst.NotEqual | cst.GreaterThan | cst.NotIn) and is_rank(script, test.left)
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return passes_one(script, test.expression)
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        left, right = stops_others(script, test.left), stops_others(script, test.right)
        return (left and (right or _is_flag(test.right))) or (right and _is_flag(test.left))
    return isinstance(test, cst.Name | cst.Attribute | cst.Subscript) and is_rank(script, test)


def names_rank(script: Script, node: cst.BaseExpression, depth: int = 0) -> bool:
    """Whether the rank is a part of a text, as in the name of each process's own file: `f"memory_{rank}.pt"`, or a
    name bound to one."""
    for part in walk(node):
        if isinstance(part, cst.Name | cst.Attribute | cst.Call | cst.Subscript) and is_rank(script, part):
            return True
        if isinstance(part, cst.Name | cst.Attribute) and depth < 4:
            values = [binding.value for binding in script.names.bindings(part) if binding.kind == "assign"]
            if any(value is not None and names_rank(script, value, depth + 1) for value in values):
                return True
    return False


def is_alike(script: Script, test: cst.BaseExpression) -> bool:
    """Whether a condition is the same on every process, so far as can be seen: of literals, parsed options and counters
    of loops alone. A rank is none of them, nor is what a process measured by itself."""
    for node in walk(test):
        if isinstance(node, cst.Call | cst.Subscript | cst.Lambda | cst.NamedExpr):
            return False
        if isinstance(node, cst.Attribute | cst.Name) and script.names.is_reference(node):
            if is_rank(script, node) or not (_is_option(script, node) or _is_counter(script, node)):
                return False
    return True


def _is_option(script: Script, node: cst.Attribute | cst.Name) -> bool:
    root = dotted(node) or ""
    return script.options.read(node) is not None or ("." in root and root.partition(".")[0] in NAMESPACES)


def _is_counter(script: Script, node: cst.Attribute | cst.Name) -> bool:
    """`epoch` of `for epoch in range(...)`."""
    loops = [binding.node for binding in script.names.bindings(node)]
    ranges = [loop.iter for loop in loops if isinstance(loop, cst.For) and isinstance(loop.iter, cst.Call)]
    counted = (script.qualified(iterated.func) in _COUNTED for iterated in ranges if isinstance(iterated, cst.Call))
    return bool(loops) and len(ranges) == len(loops) and all(counted)


def is_rank(script: Script, node: cst.BaseExpression) -> bool:
    """Whether an expression is the rank of the process, known or by its name where it comes from another file."""
    if isinstance(node, cst.Call):
        asked = node.args[0].value if last_name(node.func) == "get" and node.args else None
        asked = node.args[1].value if last_name(node.func) == "getattr" and len(node.args) > 1 else asked
        named = text(asked) in _RANK_NAMES or last_name(node.func) in ("get_rank", "local_rank", "rank")
        return named or script.qualified(node.func) in _RANKS
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Modulo):
        return is_rank(script, node.left)
    return last_name(node) in _RANK_NAMES or script.ranks.quantity(node) in (Quantity.RANK, Quantity.LOCAL_RANK)


def _is_flag(node: cst.BaseExpression) -> bool:
    """A plain switch such as `args.distributed`, `not args.multiprocessing_distributed` or `dist.is_initialized()`."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return _is_flag(node.expression)
    if isinstance(node, cst.BooleanOperation):
        return _is_flag(node.left) and _is_flag(node.right)
    if isinstance(node, cst.Call):
        return not node.args and last_name(node.func) in _JOINED
    name = dotted(node) or last_name(node)
    return "distributed" in name.lower() or name.rpartition(".")[2] in ("ddp", "multi_gpu", "multigpu", "use_ddp")


def last_name(node: cst.BaseExpression) -> str:
    """The last name of a chain, or the key by which a dict is asked: `rank` of `opt["rank"]` and `opt.get("rank")`."""
    if isinstance(node, cst.Subscript) and isinstance(node.slice[0].slice, cst.Index):
        return text(node.slice[0].slice.value)
    return (dotted(node) or "").rpartition(".")[2]
