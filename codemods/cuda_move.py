"""Move models and tensors with `.to(device)`.

`x.cuda()` means the current CUDA device, whatever the script's own device is called; on XLA there is one device a
process, so `x.cuda()`, `x.cuda(n)` and `x.cuda(args.gpu, non_blocking=True)` all become `x.to(device)`, with the other
keywords kept (`non_blocking` is accepted and has no effect). A statement `model.cuda()` stays a statement: a module
moves in place.

What has a `.cuda()` of its own is left alone: an instance of a class of the script that defines one, or that is no
module. Where nothing in the file tells what is moved, the edit asks for a look: it is right for tensors and modules.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_METHODS = ("torch.Tensor.cuda", "torch.nn.Module.cuda")
_MOVED = (Role.MODEL, Role.TENSOR, Role.BATCH, Role.LOSS, Role.CRITERION)


class CudaMove(Codemod):
    """Move models and tensors with `.to(device)`."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC111", ".cuda() becomes .to(device)", Safety.EXACT, document="torch_xla 2.1 API_GUIDE.md"),
        Rule("TC112", ".cuda() of something unknown becomes .to(device)", Safety.REVIEW,
             advice="check that this is a tensor or a module, not an object with a cuda() of its own",
             document="torch_xla 2.1 API_GUIDE.md"),
        Rule("TC113", "the method .cuda itself becomes a function of the device", Safety.EXACT),
        Rule("TC114", "an object of the script with a cuda() of its own", Safety.NOTE, Severity.INFO,
             advice="its body is migrated where it moves tensors; rename it when it only misleads"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nmodel = torch.nn.Linear(2, 2)\nmodel.cuda()\n"
            "x = torch.ones(2).cuda(non_blocking=True)\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\nmodel = torch.nn.Linear(2, 2)\n"
            "device = xm.xla_device()\nmodel.to(device)\nx = torch.ones(2).to(device, non_blocking=True)\n",
            xla="import torch\nimport torch_xla\n\nmodel = torch.nn.Linear(2, 2)\n"
            "device = torch_xla.device()\nmodel.to(device)\nx = torch.ones(2).to(device, non_blocking=True)\n",
        ),
        Example(
            before="import torch\n\n\nclass Clock:\n    def cuda(self):\n        return 1\n\n\nClock().cuda()\n",
        ),
    )

    def rewrite(self) -> None:
        for call in self.script.tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value == "cuda" and self.script.uses_torch:
                if self.script.qualified(func) is None:
                    self._move(call, func.value)
        for name in _METHODS:
            for _, node in self.script.names.uses(name):
                self._method(node)

    def _move(self, call: cst.Call, moved: cst.BaseExpression) -> None:
        if self._is_map_location(call):
            return
        values = self.script.roles.values(moved)
        if any(isinstance(value.origin, cst.ClassDef) and self._is_own(value.origin) for value in values):
            self.note("TC114", call, f"{code_of(call.func)}() is a method of the script's own: left as it is")
            return
        if self._is_own_self(moved):
            self.note("TC114", call, "the class defines its own cuda(): left as it is")
            return
        if not values and not self._is_super(moved) and self._may_be_own(call):
            self.note("TC114", call, "a class of the script has a cuda() method, and this may be one: left as it is")
            return
        known = next((value for value in values if value.role in _MOVED), None)
        model = self._model_class(known.of) if known is not None and known.role is Role.MODEL else None
        if model is not None and self.script.names.method(model, "cuda") is not None:
            self.note("TC114", call, f"{model.name.value} defines its own cuda(): left as it is")
            return
        evidence = known.evidence if known is not None else ()
        sure = known is not None or self._is_super(moved)
        edit = self.edit("TC111" if sure else "TC112", call, "moves to the XLA device", evidence)
        device = edit.device(call)

        def rewritten(updated: cst.Call) -> cst.Call:
            assert isinstance(updated.func, cst.Attribute)
            kept = [arg for arg in updated.args if arg.keyword is not None and arg.keyword.value != "device"]
            func = updated.func.with_changes(attr=updated.func.attr.with_changes(value="to"))
            made = build.with_arguments(updated.with_changes(func=func), [cst.Arg(device), *kept])
            positional = argument(updated, 1, "non_blocking")
            if positional is not None and positional.keyword is None:
                made = build.with_keyword(made, "non_blocking", positional.value)
            return made

        edit.replace(call, rewritten)

    def _is_own_self(self, moved: cst.BaseExpression) -> bool:
        """The `self` of a class that defines `cuda()`."""
        class_ = self.script.tree.class_of(moved)
        return (
            isinstance(moved, cst.Name)
            and moved.value == "self"
            and class_ is not None
            and (self.script.names.method(class_, "cuda") is not None)
        )

    def _may_be_own(self, call: cst.Call) -> bool:
        """Whether an object nothing is known of may be of a class of the script that has `cuda()` and no `to()`."""
        names, inside = self.script.names, self.script.tree.class_of(call)
        return any(
            class_ is not inside and names.method(class_, "cuda") is not None and names.method(class_, "to") is None
            for class_ in self.script.tree.all(cst.ClassDef)
            if not self._inherits(class_)
        )

    def _is_map_location(self, call: cst.Call) -> bool:
        """In `map_location=lambda storage, loc: storage.cuda()`, where a storage is moved while it is loaded."""
        function = self.script.tree.enclosing(call, cst.Lambda)
        parent = self.script.tree.parent.get(function) if function is not None else None
        return isinstance(parent, cst.Arg) and parent.keyword is not None and parent.keyword.value == "map_location"

    def _is_own(self, class_: cst.ClassDef) -> bool:
        """Whether a class of the script decides what `cuda()` does: it defines it, or it can't be a module."""
        return self.script.names.method(class_, "cuda") is not None or not self._inherits(class_)

    def _inherits(self, class_: cst.ClassDef) -> bool:
        """Whether a base somewhere up comes from outside the file, and may be a module."""
        for base in class_.bases:
            local = self.script.names.local_class(base.value)
            if local is None and self.script.qualified(base.value) != "builtins.object":
                return True
            if local is not None and local is not class_ and self._inherits(local):
                return True
        return False

    def _model_class(self, name: str) -> cst.ClassDef | None:
        for binding in self.script.names.module.names.get(name, ()):
            if isinstance(binding.node, cst.ClassDef):
                return binding.node
        return None

    def _is_super(self, moved: cst.BaseExpression) -> bool:
        return isinstance(moved, cst.Call) and self.script.qualified(moved.func) == "builtins.super"

    def _method(self, node: cst.BaseExpression) -> None:
        """`map(torch.Tensor.cuda, tensors)`."""
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.Call) and parent.func is node:
            return
        edit = self.edit("TC113", node, "moves to the XLA device")
        device = edit.device(node)
        made = build.expression("lambda moved: moved.to({device})", device=device)
        edit.replace(node, made if isinstance(parent, cst.Arg | cst.Assign) else build.parenthesized(made))
