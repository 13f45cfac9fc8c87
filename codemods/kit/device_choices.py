"""Branches that only choose a device: `if use_cuda: device = torch.device("cuda")`, `else: ... "cpu"`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.names import dotted

if TYPE_CHECKING:
    from codemods.kit.script import Script

SELECTS_DEVICE = ("torch.cuda.set_device", "torch.accelerator.set_device_index")


class DeviceChoices:
    """The device choices of one script."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.all = self._find()

    def around(self, node: cst.CSTNode) -> cst.If | None:
        """The choice that a node lies in."""
        return next((choice for choice in self.all if self.script.tree.contains(choice, node)), None)

    def _find(self) -> list[cst.If]:
        """The outermost `if`s all of whose arms only bind one name to a device literal, one of them CUDA's."""
        tree = self.script.tree
        found: list[cst.If] = []
        for node in self.script.device_positions.definitions:
            outer: cst.If | None = None
            for holder in tree.ancestors(node):
                if isinstance(holder, cst.If):
                    targets = self._chosen(holder)
                    if not targets or len(set(targets)) > 1:
                        break
                    outer = holder
                elif isinstance(holder, cst.FunctionDef | cst.ClassDef | cst.For | cst.While | cst.With | cst.Try):
                    break
            if outer is not None and outer not in found:
                found.append(outer)
        return found

    def _chosen(self, choice: cst.If) -> list[str]:
        """The names its arms bind to device literals; none when an arm does anything else or is missing."""
        arms = [choice.body, choice.orelse.body if isinstance(choice.orelse, cst.Else) else choice.orelse]
        found: list[str] = []
        for arm in arms:
            body = arm.body if isinstance(arm, cst.IndentedBlock | cst.SimpleStatementSuite) else [arm]
            statements = [item for item in body if not self._selects(item)]
            if len(statements) != 1:
                return []
            only = statements[0]
            if isinstance(only, cst.SimpleStatementLine) and len(only.body) == 1:
                only = only.body[0]
            if isinstance(only, cst.If):
                targets = self._chosen(only)
            elif isinstance(only, cst.Assign) and len(only.targets) == 1 and self._is_literal(only.value):
                targets = [dotted(only.targets[0].target) or ""]
            else:
                return []
            if not targets or "" in targets:
                return []
            found += targets
        return found

    def _selects(self, statement: cst.CSTNode | None) -> bool:
        """`torch.cuda.set_device(args.gpu)`, or an `if` around it: nothing that the XLA device needs."""
        if isinstance(statement, cst.If):
            return statement.orelse is None and all(map(self._selects, statement.body.body))
        if isinstance(statement, cst.SimpleStatementLine):
            return all(map(self._selects, statement.body))
        call = statement.value if isinstance(statement, cst.Expr) else None
        return isinstance(call, cst.Call) and self.script.qualified(call.func) in SELECTS_DEVICE

    def _is_literal(self, node: cst.BaseExpression) -> bool:
        return self.script.accelerator.is_other(node) or node in self.script.device_positions.defining
