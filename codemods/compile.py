"""Take out torch.compile.

torch 1.13 has no `torch.compile`, and its default backend fails on XLA tensors. On XLA nothing is lost: torch_xla
compiles the whole step, forward, backward and optimizer, into one graph, whereas `torch.compile(backend="openxla")`
would compile the model's forward and backward one by one. So the model stays as it is, `_orig_mod`, by which the
wrapped model was reached, goes, and so do settings of the compiler. A call with `backend="openxla"` stays where torch
has `torch.compile`.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.fold import in_place_of, unless_to_itself
from codemods.kit.names import argument, dotted
from codemods.kit.options import text
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_SETTINGS = ("torch._dynamo", "torch._inductor", "torch.compiler")
_OPTIONS = ("fullgraph", "dynamic", "backend", "mode", "options", "disable")
"""What `Module.compile` takes, by keyword only; a `compile("adam", "mse")` is another one."""
_SOURCE = "torch_xla 2.9 docs/source/perf/dynamo.md"


class Compile(Codemod):
    """Take out torch.compile."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC921", "torch.compile goes: XLA compiles the whole step", Safety.EXACT, document=_SOURCE),
        Rule("TC922", "a setting of torch.compile goes", Safety.EXACT),
        Rule("TC923", "torch.compile in a form of its own", Safety.NOTE, Severity.ERROR,
             advice="take it out: its default backend fails on XLA tensors", document=_SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\nmodel = torch.compile(model)\n",
            smtc="import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n",
            xla="import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n",
        ),
        Example(
            before="import torch\n\n\n@torch.compile\ndef loss(x, y):\n    return (x - y).cuda()\n",
            smtc="import torch\n\n\ndef loss(x, y):\n    return (x - y).cuda()\n",
            xla="import torch\n\n\ndef loss(x, y):\n    return (x - y).cuda()\n",
        ),
        Example(before="import re\n\npattern = re.compile('x')\n"),
    )

    def rewrite(self) -> None:
        if not self.script.uses_torch or self.script.on_cpu:
            return
        for _, node in self.script.names.uses("torch.compile"):
            self._use(node)
        if "._orig_mod" in self.script.tree.source and not any(map(_asks, self.script.tree.all(cst.Call))):
            self._unwrap()  # of a model that another file compiles
        for call in self.script.tree.all(cst.Call):
            self._in_place(call)
        if "torch._" in self.script.tree.source or "_dynamo" in self.script.tree.source:
            for assign in self._settings():
                self.edit("TC922", assign, "sets up torch.compile, which is not used").remove(assign)
            for statement in self.script.tree.all(cst.Import):
                self._import(statement)

    def _use(self, node: cst.BaseExpression) -> None:
        tree = self.script.tree
        parent = tree.parent.get(node)
        call = parent if isinstance(parent, cst.Call) and parent.func is node else None
        if isinstance(parent, cst.Decorator) or (call is not None and isinstance(tree.parent.get(call), cst.Decorator)):
            decorator = parent if isinstance(parent, cst.Decorator) else tree.parent[parent] if parent else None
            if decorator is not None:
                self.edit("TC921", node, "XLA compiles the whole step").remove(decorator)
            return
        compiled = argument(call, 0, "model") if call is not None else None
        if call is None or compiled is None or compiled.star:
            if not self._is_alias(node):
                self.note("TC923", node, "torch.compile is passed on or called without a model")
            return
        backend = argument(call, None, "backend")
        if backend is not None and text(backend.value) == "openxla" and self.edits.target.version >= (2, 0):
            return
        edit = self.edit("TC921", call, "XLA compiles the whole step")
        edit.replace(call, lambda updated: in_place_of(updated, _model(updated)))
        statement = tree.parent.get(call)
        if isinstance(statement, cst.Assign | cst.AnnAssign):
            edit.replace(statement, unless_to_itself)
        elif isinstance(statement, cst.Expr):
            edit.remove(statement)
        self._unwrap()

    def _settings(self) -> list[cst.Assign]:
        """`torch._dynamo.config.verbose = True`, and `dynamo = torch._dynamo.config` when it is for settings only."""
        tree, names, set_, named = self.script.tree, self.script.names, list[cst.Assign](), list[cst.Assign]()
        for assign in tree.all(cst.Assign):
            targets = [target.target for target in assign.targets]
            if all((self.script.qualified(target) or "").startswith(_SETTINGS) for target in targets):
                (set_ if all(isinstance(target, cst.Attribute) for target in targets) else named).append(assign)
        for assign in named:
            uses = [use for use in tree.all(cst.Name) if any(b.node is assign for b in names.bindings(use))]
            own = {target.target for target in assign.targets}
            if all(use in own or tree.small_statement(use) in set_ for use in uses):
                set_.append(assign)
        return set_

    def _import(self, statement: cst.Import) -> None:
        """`import torch._dynamo`, which torch has from 2.0 on, when only settings were made through it."""
        full = dotted(statement.names[0].name) or ""
        if len(statement.names) > 1 or statement.names[0].asname is not None or not full.startswith(_SETTINGS):
            return
        kept = [b.node for b in self.script.names.module.names.get("torch", ()) if isinstance(b.node, cst.ImportAlias)]
        uses = [node for _, node in self.script.names.uses(full)]
        again = any(dotted(alias.name) == "torch" for alias in kept)
        if again and all(self.script.tree.small_statement(use) in self.edits.touched for use in uses):
            self.edit("TC922", statement, "sets up torch.compile, which is not used").remove(statement)

    def _is_alias(self, node: cst.BaseExpression) -> bool:
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name) else []
        return any(binding.kind == "assign" for binding in bindings)

    def _unwrap(self) -> None:
        """`model._orig_mod.state_dict()` -> `model.state_dict()`"""
        for attribute in self.script.tree.all(cst.Attribute):
            if attribute.attr.value == "_orig_mod" and attribute not in self.edits.touched:
                edit = self.edit("TC921", attribute, "the model is not wrapped")
                edit.replace(attribute, lambda updated: updated.value)

    def _in_place(self, call: cst.Call) -> None:
        """`model.compile()` compiles the module in place."""
        func = call.func
        if isinstance(func, cst.Attribute) and func.attr.value == "compile" and self.script.qualified(func) is None:
            named = (arg.keyword.value if arg.keyword is not None else arg.star for arg in call.args)
            if any(name not in (*_OPTIONS, "**") for name in named):
                return
            if isinstance(self.script.tree.parent.get(call), cst.Expr):
                value = self.script.value(func.value, Role.MODEL)
                if value is not None and not isinstance(self._own(func), cst.FunctionDef):
                    self.edit("TC921", call, "XLA compiles the whole step", value.evidence).remove(call)

    def _own(self, func: cst.Attribute) -> cst.FunctionDef | None:
        """A method of that name of a class of the script."""
        for value in self.script.roles.values(func.value):
            class_ = self.script.names.local_class(value.origin.func) if isinstance(value.origin, cst.Call) else None
            if class_ is not None:
                return self.script.names.method(class_, func.attr.value)
        return None


def _asks(call: cst.Call) -> bool:
    """`hasattr(model, "_orig_mod")`"""
    return len(call.args) > 1 and text(call.args[1].value) == "_orig_mod"


def _model(call: cst.Call) -> cst.BaseExpression:
    found = argument(call, 0, "model")
    assert found is not None
    return found.value
