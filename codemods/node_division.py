"""Divide by the number of nodes only where there is one.

Samples of the SageMaker data parallel library scale the batch with `args.batch_size //= args.world_size // 8`, for
instances of eight GPUs. With fewer than eight processes the divisor is 0 and the script stops with ZeroDivisionError,
which the migrated script meets as soon as it runs on a smaller instance.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of, expression
from codemods.kit.codemod import Codemod
from codemods.kit.environment import Quantity
from codemods.kit.rules import Example, Rule, Safety, Stage


class NodeDivision(Codemod):
    """Divide by the number of nodes only where there is one."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC573", "a divisor that is 0 with few processes is 1 at least", Safety.REVIEW,
             advice="see that the batch size of a process is the one you want",
             document="amazon-sagemaker-examples, MNIST with the SageMaker data parallel library"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch.distributed as dist\n\nbatch_size //= dist.get_world_size() // 8\n",
            smtc="import torch.distributed as dist\n\nbatch_size //= max(1, dist.get_world_size() // 8)\n",
            xla="import torch.distributed as dist\n\nbatch_size //= max(1, dist.get_world_size() // 8)\n",
        ),
        Example(before="import torch.distributed as dist\n\nnodes = dist.get_world_size() // 8\n"),
    )

    def rewrite(self) -> None:
        for statement, divisor in self._divisors():
            edit = self.edit("TC573", divisor, f"{code_of(divisor)} is 0 with few processes")
            name = "value" if isinstance(statement, cst.AugAssign) else "right"
            edit.replace(
                statement,
                lambda updated, name=name: updated.with_changes(
                    **{name: expression("max(1, {x})", x=_bare(getattr(updated, name)))}
                ),
            )

    def _divisors(self) -> Iterator[tuple[cst.CSTNode, cst.BinaryOperation]]:
        """What is divided by a number of processes divided by a number: the division, and its divisor."""
        for statement in self.script.tree.all(cst.AugAssign):
            if isinstance(statement.operator, cst.FloorDivideAssign | cst.DivideAssign) and self._is_nodes(
                statement.value
            ):
                yield statement, cst.ensure_type(statement.value, cst.BinaryOperation)
        for division in self.script.tree.all(cst.BinaryOperation):
            if isinstance(division.operator, cst.FloorDivide | cst.Divide) and self._is_nodes(division.right):
                yield division, cst.ensure_type(division.right, cst.BinaryOperation)

    def _is_nodes(self, node: cst.BaseExpression) -> bool:
        """`args.world_size // 8`."""
        return (
            isinstance(node, cst.BinaryOperation)
            and isinstance(node.operator, cst.FloorDivide)
            and isinstance(node.right, cst.Integer)
            and node.right.evaluated_value > 1
            and self.script.ranks.quantity(node.left) is Quantity.WORLD_SIZE
        )


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=(), rpar=())
