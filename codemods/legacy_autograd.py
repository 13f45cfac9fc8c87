"""Replace what torch no longer has.

Scripts from before torch 0.4 read a loss with `loss.data[0]`, which raises for a tensor without dimensions, stepped a
loader's iterator with `iterator.next()` and kept a graph with `retain_variables=True`. The torch of either target has
none of it. `Variable(x)` is a tensor today and stays; but `volatile=True` no longer switches gradients off.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of, expression
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.scalars import first_of_data

_VARIABLES = ("torch.autograd.Variable", "torch.autograd.variable.Variable")


class LegacyAutograd(Codemod):
    """Replace what torch no longer has."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC171", "loss.data[0] becomes loss.item()", Safety.EXACT, document="torch 0.4.0 migration guide"),
        Rule("TC172", "iterator.next() becomes next(iterator)", Safety.EXACT,
             document="torch 2.0 release notes: data loader iterators have no next()"),
        Rule("TC173", "retain_variables becomes retain_graph", Safety.EXACT, document="torch 0.2.0 release notes"),
        Rule("TC174", "volatile=True has no effect", Safety.NOTE, Severity.WARNING,
             advice="evaluate under torch.no_grad(): without it the graph of the backward is kept",
             document="torch 0.4.0 migration guide"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nloss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())\n"
            "loss.backward(retain_variables=True)\nprint(loss.data[0])\n",
            smtc="import torch\n\nloss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())\n"
            "loss.backward(retain_graph=True)\nprint(loss.item())\n",
            xla="import torch\n\nloss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())\n"
            "loss.backward(retain_graph=True)\nprint(loss.item())\n",
        ),
        Example(before="import torch\n\nfirst = torch.zeros(3, 2).data[0]\n"),
    )

    def rewrite(self) -> None:
        if not self.script.uses_torch:
            return
        if ".data[0]" in self.script.tree.source:
            for subscript in self.script.tree.all(cst.Subscript):
                self._first(subscript)
        for call in self.script.tree.all(cst.Call):
            self._next(call)
        for backward in self.script.loops.backwards:
            kept = argument(backward.call, None, "retain_variables")
            if kept is not None:
                edit = self.edit("TC173", kept, "backward has no retain_variables")
                edit.replace(kept, lambda updated: updated.with_changes(keyword=cst.Name("retain_graph")))
        for call in self.script.calls(*_VARIABLES):
            volatile = argument(call, None, "volatile")
            if volatile is not None and code_of(volatile.value) != "False":
                self.note("TC174", call, "volatile no longer switches gradients off")

    def _first(self, node: cst.Subscript) -> None:
        """`loss.data[0]`"""
        if first_of_data(self.script.roles, node) is None:
            return
        edit = self.edit("TC171", node, "reads the loss as a number")

        def rewritten(updated: cst.Subscript) -> cst.BaseExpression:
            assert isinstance(updated.value, cst.Attribute)
            return expression("{loss}.item()", loss=updated.value.value)

        edit.replace(node, rewritten)

    def _next(self, call: cst.Call) -> None:
        func = call.func
        if not isinstance(func, cst.Attribute) or func.attr.value != "next" or call.args:
            return
        value = self.script.value(func.value, Role.ITERATOR)
        if value is not None and not isinstance(value.origin, cst.ClassDef):
            edit = self.edit("TC172", call, "takes the next batch", value.evidence)

            def rewritten(updated: cst.Call) -> cst.BaseExpression:
                assert isinstance(updated.func, cst.Attribute)
                return expression("next({iterator})", iterator=updated.func.value)

            edit.replace(call, rewritten)
