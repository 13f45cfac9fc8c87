"""Say where a count of samples decides something, and counts one process's share now.

A script that drove all GPUs from one process, by DataParallel, saw each batch whole. On XLA each process has its share
of it: `seen += x.size(0)` counts a part of the samples, and `if seen % 1000 < n: evaluate()` or `while seen < limit:`
come later than they did, as many times as there are processes. A number of batches, or `args.batch_size`, counts what
it did; so does a total that accuracies are divided by, since both are of the same share.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.loops import BatchLoop
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_BEFORE = """\
import torch
from torch.utils.data import DataLoader

model = torch.nn.DataParallel(model).cuda()
for x, y in DataLoader(dataset, batch_size=64):
    criterion(model(x), y.cuda()).backward()
    optimizer.step()
    seen += len(x)
    if seen >= 10000:
        break
"""


class SampleCounts(Codemod):
    """Say where a count of samples decides something, and counts one process's share now."""

    STAGE = Stage.DATA
    RULES = (
        Rule("TC228", "a count of samples that decides something is one process's share", Safety.NOTE, Severity.ERROR,
             advice="multiply what is added by the number of processes"),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE),)

    def rewrite(self) -> None:
        if self.script.cells or not self.script.data_parallel:
            return
        deciding = set(self._deciding())
        for loop in self.script.loops.train_loops() if deciding else ():
            for each in self.script.tree.inside(loop.loop.body, cst.AugAssign):
                name = code_of(each.target)
                if name in deciding and isinstance(each.operator, cst.AddAssign) and self._is_length(each.value, loop):
                    self.note("TC228", each, f"{name} counts this process's share of the samples, and decides by it")

    def _deciding(self) -> Iterator[str]:
        """What conditions compare, also after a division: not with nothing, as in `if total > 0:`."""
        tree = self.script.tree
        branches: list[cst.If | cst.While] = [*tree.all(cst.If), *tree.all(cst.While)]
        tests = [branch.test for branch in branches]
        for comparison in (found for test in tests for found in tree.inside(test, cst.Comparison)):
            sides = [comparison.left, *(target.comparator for target in comparison.comparisons)]
            divided = isinstance(comparison.left, cst.BinaryOperation)
            if not divided and any(code_of(side) in ("0", "1") for side in sides):
                continue
            for side in sides:
                yield from (code_of(part) for kind in (cst.Name, cst.Attribute) for part in tree.inside(side, kind))

    def _is_length(self, node: cst.BaseExpression, loop: BatchLoop, depth: int = 2) -> bool:
        """Whether a number is how many samples a batch of the loop has: `x.size(0)`, `x.shape[0]`, `len(x)`, or a name
        for that."""
        if isinstance(node, cst.Name) and depth:
            values = [b.value for b in self.script.names.bindings(node) if self.script.tree.contains(loop.loop, b.node)]
            return bool(values) and all(v is not None and self._is_length(v, loop, depth - 1) for v in values)
        if isinstance(node, cst.Call) and len(node.args) == 1:
            if self.script.qualified(node.func) == "builtins.len":
                return self._is_of_batch(node.args[0].value, loop)
            sized, size = node.func, code_of(node.args[0])
        elif isinstance(node, cst.Subscript):
            sized, size = node.value, code_of(node.slice[0])
        else:
            return False
        if not isinstance(sized, cst.Attribute) or sized.attr.value not in ("size", "shape"):
            return False
        return size == "0" and self._is_of_batch(sized.value, loop)

    def _is_of_batch(self, node: cst.BaseExpression, loop: BatchLoop) -> bool:
        """Whether a value is bound by the loop: its target, or a name that its body gives a value."""
        while isinstance(node, cst.Subscript | cst.Attribute):
            node = node.value
        nodes = [binding.node for binding in self.script.names.bindings(node)] if isinstance(node, cst.Name) else []
        return any(each is loop.loop or self.script.tree.contains(loop.loop, each) for each in nodes)
