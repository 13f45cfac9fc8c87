"""Leave hand-written averaging of the gradients to the optimizer step.

Scripts without DistributedDataParallel average the gradients themselves:

    for p in model.parameters():
        dist.all_reduce(p.grad, op=dist.ReduceOp.SUM)
        p.grad /= world_size

`xm.optimizer_step`, and `xm.reduce_gradients` where the gradients are clipped, do the same for all parameters in one
operation. With both, the second averages what is equal already. So the loop goes, and with it a function of the script
that does nothing else, where an optimizer steps after it. A loop that sums without dividing is left to the codemod
`collectives`: the mean of equal sums is that sum.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.ranks import GROUPS
from codemods.kit.rules import Example, Rule, Safety, Stage
from codemods.kit.steps import Step
from codemods.kit.tree import walk


class GradientAveraging(Codemod):
    """Leave hand-written averaging of the gradients to the optimizer step."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC555", "hand-written averaging of the gradients is left to the step", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py optimizer_step, reduce_gradients"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\nimport torch.distributed as dist\n\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nloss.backward()\n"
            "for p in model.parameters():\n    dist.all_reduce(p.grad)\n    p.grad /= dist.get_world_size()\n"
            "optimizer.step()\n",
            smtc="import torch\n\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nloss.backward()\n"
            "optimizer.step()\n",
            xla="import torch\n\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nloss.backward()\n"
            "optimizer.step()\n",
        ),
    )

    def rewrite(self) -> None:
        if self.script.group.is_xla:
            return
        for call in self.script.calls(*(f"{group}.all_reduce" for group in GROUPS)):
            loop = self.script.tree.loop(call)
            if isinstance(loop, cst.For) and self._averages(loop, call) and not self._is_read_below(loop):
                self._remove(loop)

    # --- what is an averaging loop ------------------------------------------------------------------------------

    def _averages(self, loop: cst.For, call: cst.Call) -> bool:
        """Whether a loop over parameters only sums each gradient over the processes and divides it by their number."""
        parameter = loop.target.elements[-1].value if isinstance(loop.target, cst.Tuple) else loop.target
        grads = {f"{code_of(parameter)}.grad", f"{code_of(parameter)}.grad.data"}
        summed = divided = False
        for small in _statements(loop.body, code_of(parameter)):
            if small is self.script.tree.parent.get(call):
                tensor, operation = argument(call, 0, "tensor"), argument(call, 1, "op")
                name = code_of(operation.value).rpartition(".")[2] if operation else "SUM"
                summed = tensor is not None and code_of(tensor.value) in grads and name in ("SUM", "AVG", "AVERAGE")
                divided = divided or name != "SUM"
            elif isinstance(small, cst.Expr | cst.AugAssign | cst.Assign) and self._divides(small, grads):
                divided = True
            else:
                return False
        return summed and divided

    def _divides(self, small: cst.Expr | cst.AugAssign | cst.Assign, grads: set[str]) -> bool:
        """`p.grad /= n`, `p.grad.div_(n)`, `p.grad = p.grad / n`."""
        if isinstance(small, cst.AugAssign):
            return code_of(small.target) in grads and isinstance(small.operator, cst.DivideAssign)
        if isinstance(small, cst.Assign):
            value = small.value
            target = code_of(small.targets[0].target)
            divided = isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Divide)
            return (
                divided and target in grads and isinstance(value, cst.BinaryOperation) and code_of(value.left) in grads
            )
        call = small.value
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            return False
        return call.func.attr.value == "div_" and code_of(call.func.value) in grads

    # --- what goes ----------------------------------------------------------------------------------------------

    def _is_read_below(self, loop: cst.For) -> bool:
        """Whether the loop's own name is used after it."""
        tree, names = self.script.tree, self.script.names
        targets = {node.value for node in walk(loop.target) if isinstance(node, cst.Name)}
        below = [name for name in tree.all(cst.Name) if name.value in targets and tree.before(loop, name)
                 and not tree.contains(loop, name) and names.is_reference(name)]  # fmt: skip
        later = [other for other in tree.all(cst.For) if tree.before(loop, other)]
        return any(
            tree.function(name) is tree.function(loop) and not any(tree.contains(other, name) for other in later)
            for name in below
        )

    def _remove(self, loop: cst.For) -> None:
        function = self.script.tree.function(loop)
        if self._step_below(loop) is not None:
            self.edit("TC555", loop, "the optimizer step averages the gradients").remove(loop)
        elif function is not None and self._is_only_for_this(function, loop):
            sites = self.script.roles.call_sites(function)
            if all(self._step_below(site) is not None for site in sites):
                edit = self.edit("TC555", loop, "the optimizer step averages the gradients")
                edit.remove(function)
                for site in sites:
                    edit.remove(site)

    def _step_below(self, node: cst.CSTNode) -> Step | None:
        """The first step after a node, in its function."""
        tree = self.script.tree
        return next(
            (
                step
                for step in self.script.loops.steps
                if step.function is tree.function(node) and tree.before(node, step.call)
            ),
            None,
        )

    def _is_only_for_this(self, function: cst.FunctionDef, loop: cst.For) -> bool:
        """Whether a function does nothing but average, and is only called as a statement."""
        tree = self.script.tree
        sites = self.script.roles.call_sites(function)
        uses = [name for name in tree.all(cst.Name) if name.value == function.name.value]
        lines = function.body.body if isinstance(function.body, cst.IndentedBlock) else ()
        idle = bool(lines) and all(line is loop or self._only_prepares(line) for line in lines)
        plain = all(isinstance(tree.parent.get(site), cst.Expr) for site in sites)
        return idle and plain and bool(sites) and len(uses) == len(sites) + 1

    def _only_prepares(self, line: cst.CSTNode) -> bool:
        """A docstring, or the number of processes kept in a name: `size = float(dist.get_world_size())`."""
        if not isinstance(line, cst.SimpleStatementLine):
            return False
        for small in line.body:
            if isinstance(small, cst.Expr) and isinstance(small.value, cst.BaseString):
                continue
            quantity = self.script.ranks.quantity(small.value) if isinstance(small, cst.Assign) else None
            if quantity is None or not quantity.is_size:
                return False
        return True


def _statements(body: cst.BaseSuite, parameter: str) -> list[cst.BaseSmallStatement]:
    """The small statements of a loop's body, through `if p.grad is not None:`."""
    found: list[cst.BaseSmallStatement] = []
    guards = (f"{parameter}.grad is not", f"{parameter}.requires_grad")
    for line in body.body:
        if isinstance(line, cst.SimpleStatementLine):
            found += line.body
        elif isinstance(line, cst.BaseSmallStatement):
            found.append(line)
        elif isinstance(line, cst.If) and line.orelse is None and code_of(line.test).startswith(guards):
            found += _statements(line.body, parameter)
        else:
            return []
    return found
