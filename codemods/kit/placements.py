"""Where a script places its model: the tree of branches that moves and wraps one model in several ways.

```
if args.gpu is not None:
    model = model.cuda(args.gpu)
elif args.distributed:
    model.cuda()
    model = DistributedDataParallel(model)
else:
    model = DataParallel(model).cuda()
```
With one device a process there is one way left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.device_choices import SELECTS_DEVICE
from codemods.kit.names import dotted
from codemods.kit.roles import WRAPPERS
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script

_SAME_MODEL = ("torch.nn.SyncBatchNorm.convert_sync_batchnorm", "apex.parallel.convert_syncbn_model")
_SAYS = ("builtins.print", "warnings.warn")


@dataclass(eq=False)
class Placement:
    """One `if` all of whose arms only place the same model."""

    tree: cst.If
    model: str
    """The name or dotted chain of the model."""
    moves: list[cst.Call] = field(default_factory=list)
    """Its `.cuda()` and `.to()` calls."""
    wraps: int = 0
    bound: bool = False
    """Whether an arm binds the name again."""
    shares: list[cst.Assign] = field(default_factory=list)
    """Divisions of the batch and of the workers among the processes, which stay."""
    arms: int = 0
    """How many arms move the model."""


class Placements:
    """The placement trees of one script."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.trees = self._find()

    def around(self, node: cst.CSTNode) -> Placement | None:
        """The placement tree that a node lies in."""
        return next((found for found in self.trees if self.script.tree.contains(found.tree, node)), None)

    def _find(self) -> list[Placement]:
        tree = self.script.tree
        found: dict[cst.If, Placement] = {}
        for call in tree.all(cst.Call):
            if not (isinstance(call.func, cst.Attribute) and call.func.attr.value in ("cuda", "to")):
                continue
            for holder in tree.ancestors(call):
                if isinstance(holder, cst.FunctionDef | cst.ClassDef):
                    break
                if isinstance(holder, cst.If) and holder not in found:
                    placement = self._read(holder)
                    if placement is not None:
                        found[holder] = placement
        outermost = [p for node, p in found.items() if not any(outer in found for outer in tree.ancestors(node))]
        return sorted(outermost, key=lambda placement: tree.order[placement.tree])

    def _read(self, choice: cst.If) -> Placement | None:
        placement = Placement(choice, "")
        if not self._reads_arms(choice, placement):
            return None
        return placement if placement.arms > 1 and placement.wraps and placement.model else None

    def _reads_arms(self, choice: cst.If, placement: Placement) -> bool:
        rest = choice.orelse.body if isinstance(choice.orelse, cst.Else) else choice.orelse
        for arm in (choice.body, rest):
            moves = len(placement.moves)
            nested = placement.arms
            for statement in _statements(arm):
                if not self._is_placing(statement, placement):
                    return False
            if len(placement.moves) > moves and placement.arms == nested:
                placement.arms += 1
        return True

    def _is_placing(self, statement: cst.CSTNode, placement: Placement) -> bool:
        if isinstance(statement, cst.If):
            return self._reads_arms(statement, placement)
        if isinstance(statement, cst.Pass):
            return True
        if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
            name = self.script.qualified(statement.value.func)
            return name in (*SELECTS_DEVICE, *_SAYS) or self._moves(statement.value, placement)
        if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
            return self._is_binding(statement, statement.targets[0].target, placement)
        return False

    def _is_binding(self, statement: cst.Assign, target: cst.BaseExpression, placement: Placement) -> bool:
        name = dotted(target)
        if name is None:
            return False
        if "batch" in name or "worker" in name:
            divides = any(dotted(node) == name for node in walk(statement.value))
            if divides:
                placement.shares.append(statement)
            return divides
        positions = self.script.device_positions
        if statement.value in positions.defining or self.script.accelerator.is_other(statement.value):
            return True
        if self._moves(statement.value, placement, name):
            placement.bound = placement.bound or name == placement.model
            return True
        return False

    def _moves(self, node: cst.BaseExpression, placement: Placement, part: str = "") -> bool:
        """Whether an expression is the model, moved or wrapped; `part` is what is bound, a part of it perhaps."""
        moves, wraps = 0, 0
        calls: list[cst.Call] = []
        while isinstance(node, cst.Call):
            func = node.func
            if isinstance(func, cst.Attribute) and func.attr.value in ("cuda", "to"):
                moves += 1
                calls.append(node)
                node = func.value
            elif node.args and (self.script.qualified(func) in WRAPPERS or self.script.qualified(func) in _SAME_MODEL):
                wraps += self.script.qualified(func) in WRAPPERS
                node = node.args[0].value
            else:
                return False
        name = dotted(node)
        if name is None or not (moves or wraps) or (part and part != name):
            return False
        model = placement.model or name
        if name != model and not name.startswith(model + "."):
            if not model.startswith(name + "."):
                return False
            model = name  # `model.features = DataParallel(model.features)` came first
        placement.model = model
        placement.wraps += wraps
        placement.moves += calls
        return True


def _statements(arm: cst.CSTNode | None) -> Iterator[cst.CSTNode]:
    """The statements of an arm, small ones one by one."""
    if arm is None:
        return
    body = arm.body if isinstance(arm, cst.IndentedBlock | cst.SimpleStatementSuite) else [arm]
    for item in body:
        yield from item.body if isinstance(item, cst.SimpleStatementLine) else [item]


def operands(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The conditions that an `and` needs, or the condition itself."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from operands(test.left)
        yield from operands(test.right)
    else:
        yield test


def not_none(test: cst.BaseExpression) -> cst.BaseExpression | None:
    """The x of `x is not None`."""
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        target = test.comparisons[0]
        comparator = target.comparator
        if isinstance(target.operator, cst.IsNot) and isinstance(comparator, cst.Name) and comparator.value == "None":
            return test.left
    return None
