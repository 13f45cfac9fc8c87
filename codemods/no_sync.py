"""Dissolve DDP's `no_sync()`.

`with model.no_sync():` keeps DistributedDataParallel from averaging the gradients in the backward passes of an
accumulation. On XLA no backward pass communicates: the gradients are averaged once, where the optimizer steps. So the
context is dissolved, also where it is chosen (`nullcontext() if last else model.no_sync()`) or kept in a variable, and
`model.require_backward_grad_sync = ...`, the switch behind it, is removed. Where the context goes somewhere this
codemod does not follow, `contextlib.nullcontext` takes its place.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit, is_pure
from codemods.kit.fold import same_in_both_arms
from codemods.kit.names import Binding, dotted
from codemods.kit.phrases import Import
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_NULL = "contextlib.nullcontext"
_EMPTY = (_NULL, "contextlib.suppress", "contextlib.ExitStack")
_SWITCHES = ("require_backward_grad_sync", "require_forward_param_sync")
_OTHER_METHODS = ("register_comm_hook", "join", "_set_static_graph")


class NoSync(Codemod):
    """Dissolve DDP's no_sync()."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC507", "no_sync() is dissolved", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py optimizer_step"),
        Rule("TC508", "the switch behind no_sync() is removed", Safety.EXACT),
        Rule("TC509", "a method of DistributedDataParallel without a counterpart", Safety.NOTE, Severity.ERROR,
             "remove it, and let xm.optimizer_step average the gradients; what a communication hook does besides, such "
             "as a division, has to be done above that; uneven inputs need drop_last=True"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nmodel = torch.nn.parallel.DistributedDataParallel(net)\n"
            "with model.no_sync():\n    loss.backward()\n",
            smtc="import torch\n\nmodel = torch.nn.parallel.DistributedDataParallel(net)\nloss.backward()\n",
            xla="import torch\n\nmodel = torch.nn.parallel.DistributedDataParallel(net)\nloss.backward()\n",
        ),
    )

    def rewrite(self) -> None:
        for node in self.script.tree.all(cst.Attribute):
            name = node.attr.value
            if name == "no_sync" and self._is_model(node.value):
                self._dissolve(node)
            elif name in _SWITCHES and self._is_model(node.value):
                self._switch(node)
            elif name in _OTHER_METHODS and self._is_called(node) and self._is_wrapped(node.value):
                self.note("TC509", node, f"{name}() belongs to DistributedDataParallel")

    def _is_model(self, node: cst.BaseExpression) -> bool:
        """Whether it is a model, and not of a class of the script with a no_sync() of its own."""
        value = self.script.value(node, Role.MODEL)
        if value is None:
            return False
        class_ = self.script.names.local_class(value.origin.func) if isinstance(value.origin, cst.Call) else None
        return class_ is None or self.script.names.method(class_, "no_sync") is None

    def _is_wrapped(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.BaseString) or self.script.qualified(node) is not None:
            return False  # " ".join(...), os.path.join(...)
        return any(value.wrapped for value in self.script.roles.values(node))

    def _is_called(self, node: cst.Attribute) -> bool:
        holder = self.script.tree.parent.get(node)
        return isinstance(holder, cst.Call) and holder.func is node

    # --- the switch ---------------------------------------------------------------------------------------------

    def _switch(self, node: cst.Attribute) -> None:
        statement = self.script.tree.small_statement(node)
        if isinstance(statement, cst.Assign) and any(target.target is node for target in statement.targets):
            self.edit("TC508", node, f"{node.attr.value} is removed: no backward pass communicates").remove(statement)
        else:
            self.note("TC509", node, f"{node.attr.value} belongs to DistributedDataParallel")

    # --- the context --------------------------------------------------------------------------------------------

    def _dissolve(self, node: cst.Attribute) -> None:
        edit = self.edit("TC507", node, "no_sync() is dissolved: gradients are averaged once, at the optimizer step")
        holder = self.script.tree.parent.get(node)
        if isinstance(holder, cst.Call) and holder.func is node:
            holder = self.script.tree.parent.get(holder)
        if isinstance(holder, cst.IfExp) and is_pure(holder.test) and self._is_empty_choice(holder):
            holder = self.script.tree.parent.get(holder)
        if isinstance(holder, cst.WithItem):
            self._dedent(edit, holder)
        elif isinstance(holder, cst.Assign) and (uses := self._kept_uses(holder)):
            for binding, item in uses:
                if binding is not None:
                    edit.remove(binding.node)
                if item is not None:
                    self._dedent(edit, item)
        else:
            bound = self.script.names.module.names.items()
            known = [name for name, found in bound if any(b.imported == _NULL for b in found)]
            if not known:
                edit.need(Import("contextlib"))
            edit.replace(node, cst.parse_expression(known[0] if known else _NULL))

    def _dedent(self, edit: Edit, item: cst.WithItem) -> None:
        """Take the context away; the `with` too when nothing is left of it, and the `if` whose arms become equal."""
        tree = self.script.tree
        with_ = tree.parent.get(item)
        assert isinstance(with_, cst.With)
        edit.replace(item, lambda updated: None)
        holder = tree.enclosing(with_, cst.If)
        if holder is not None and len(with_.items) == 1 and len(tree.block(with_)) == 1:
            if isinstance(holder.orelse, cst.Else) and is_pure(holder.test):
                edit.replace(holder, same_in_both_arms)

    def _is_empty_choice(self, choice: cst.IfExp) -> bool:
        return all(self._is_empty(option) for option in (choice.body, choice.orelse))

    def _is_empty(self, node: cst.BaseExpression | None) -> bool:
        """Whether this is a context that does nothing once no_sync() is gone: called or not, or a choice of such."""
        if isinstance(node, cst.IfExp):
            return self._is_empty_choice(node)
        made = node.func if isinstance(node, cst.Call) and not node.args else node
        if isinstance(made, cst.Attribute) and made.attr.value == "no_sync":
            return True
        return (self.script.qualified(made) or "") in _EMPTY

    def _kept_uses(self, assign: cst.Assign) -> list[tuple[Binding | None, cst.WithItem | None]]:
        """Every binding and use of the variable a context is kept in, when it is only ever entered by `with`."""
        names, tree = self.script.names, self.script.tree
        target = assign.targets[0].target
        if len(assign.targets) != 1 or not isinstance(target, cst.Name):
            return []
        bindings = names.bindings(target)
        if not all(binding.kind == "assign" and self._is_empty(binding.value) for binding in bindings):
            return []
        found: list[tuple[Binding | None, cst.WithItem | None]] = [(binding, None) for binding in bindings]
        for use in tree.all(cst.Name):
            if use.value != target.value or isinstance(tree.parent.get(use), cst.AssignTarget):
                continue
            if dotted(use) is None or names.bindings(use) != bindings:
                continue
            holder = tree.parent.get(use)
            if isinstance(holder, cst.Call) and holder.func is use:
                holder = tree.parent.get(holder)
            if not isinstance(holder, cst.WithItem):
                return []
            found.append((None, holder))
        return found
