"""Who looks at gradients between a backward and a step: clipping, in every form, and averaging."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.names import Names, dotted
from codemods.kit.tree import Tree, walk

REDUCES = ("torch.distributed.all_reduce", "torch.distributed.reduce", "horovod.torch.allreduce",
           "horovod.torch.allreduce_", "smdistributed.dataparallel.torch.distributed.all_reduce",
           "torch_xla.core.xla_model.all_reduce")  # fmt: skip


class Gradients:
    """The places of a script that look at gradients."""

    def __init__(self, tree: Tree, names: Names) -> None:
        self.tree, self.names = tree, names

    @cached_property
    def uses(self) -> dict[cst.FunctionDef | None, list[cst.CSTNode]]:
        """By function: clips, calls of something that clips, reads of `.grad`, in source order."""
        found: dict[cst.FunctionDef | None, list[cst.CSTNode]] = {}
        for call in self.tree.all(cst.Call):
            if _clips(call):
                found.setdefault(self.tree.function(call), []).append(call)
        for read in self.tree.all(cst.Attribute):
            if read.attr.value == "grad" and self.names.qualified(read) is None and not self._resets(read):
                if self._is_copied(read):
                    continue  # what the optimizer steps gets its gradients here: it looks at them later
                found.setdefault(self.tree.function(read), []).append(read)
        helpers = {function for function in found if function is not None}
        for call in self.tree.all(cst.Call) if helpers else ():
            function = self.names.local_function(call.func)
            if function in helpers:
                found.setdefault(self.tree.function(call), []).append(call)
        return {function: sorted(set(nodes), key=self.tree.order.__getitem__) for function, nodes in found.items()}

    def _resets(self, read: cst.Attribute) -> bool:
        """`p.grad = None`, `p.grad.zero_()`, `p.grad is not None`: the values do not matter."""
        parent = self.tree.parent.get(read)
        if isinstance(parent, cst.Attribute):
            if parent.attr.value == "data":
                return self._resets(parent)
            return parent.attr.value in ("zero_", "detach_", "requires_grad_")
        return isinstance(parent, cst.AssignTarget | cst.Del) or (
            isinstance(parent, cst.Comparison)
            and all(isinstance(target.operator, cst.Is | cst.IsNot) for target in parent.comparisons)
        )

    def _is_copied(self, read: cst.Attribute) -> bool:
        """`master.grad.data.copy_(param.grad.data)`, `master.grad = param.grad.float()`: master weights."""
        statement = self.tree.small_statement(read)
        if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
            func = statement.value.func
            into = func.value if isinstance(func, cst.Attribute) and func.attr.value == "copy_" else None
        else:
            into = statement.targets[0].target if isinstance(statement, cst.Assign) else None
        if isinstance(into, cst.Attribute) and into.attr.value == "data":
            into = into.value
        if statement is None or not isinstance(into, cst.Attribute) or into.attr.value != "grad":
            return False
        grads = (node for node in walk(statement) if isinstance(node, cst.Attribute) and node.attr.value == "grad")
        return any(not node.value.deep_equals(into.value) for node in grads)

    def averages(self, use: cst.CSTNode, batches: cst.CSTNode | None) -> bool:
        """Part of `for p in parameters: dist.all_reduce(p.grad); p.grad /= n`, or a call of a function that does it."""
        holder: cst.CSTNode | None = None
        if isinstance(use, cst.Attribute):
            loop = self.tree.loop(use)
            holder = loop if loop is not batches else self.tree.enclosing(use, cst.Call)
        elif isinstance(use, cst.Call):
            holder = self.names.local_function(use.func)
        return holder is not None and any(self.tree.contains(holder, call) for call in self.names.calls(*REDUCES))


def _clips(call: cst.Call) -> bool:
    """`clip_grad_norm_(...)`, `self.clip_gradients()`, and `grad_clipper.step(parameters)` by what it is called on;
    `clip(model.parameters())` by what it gets; and a function that is picked by its name:
    `getattr(torch.nn.utils, f"clip_grad_{how}_")(...)`, `CLIP_GRAD[how](...)`.
    """
    if isinstance(call.func, cst.Call | cst.Subscript):
        picked = code_of(call.func).lower()
        return "clip" in picked and "grad" in picked
    *owners, name = (dotted(call.func) or last_name(call)).lower().split(".")
    if "clip" in name and any(
        isinstance(one.value, cst.Call) and last_name(one.value) == "parameters" for one in call.args
    ):
        return True
    return any("clip" in part and "grad" in part for part in (name, *(owners[-1:] if call.args else ())))


def last_name(call: cst.Call) -> str:
    """The last name of what is called: `step` of `self.optimizer.step()`."""
    func = call.func
    if isinstance(func, cst.Attribute):
        return func.attr.value
    return func.value if isinstance(func, cst.Name) else ""


def spellings(names: Names, optimizer: cst.BaseExpression) -> list[cst.BaseExpression]:
    """How an optimizer is named where it is stepped, and before that: `chosen = optimizer`."""
    found = [optimizer]
    bindings = names.bindings(optimizer) if isinstance(optimizer, cst.Name) else []
    while len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path:
        given = bindings[0].value
        if not isinstance(given, cst.Name | cst.Attribute) or given in found:
            break
        found.append(given)
        bindings = names.bindings(given) if isinstance(given, cst.Name) else []
    return found
