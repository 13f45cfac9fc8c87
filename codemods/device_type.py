"""Ask for the XLA device where the script asks for CUDA.

Once the device is XLA's, `device.type == "cuda"` is false and the accelerator's branch is skipped without a word;
`"cuda" in device` fails, where `device` was a string and is a `torch.device` now. Both become `device.type == "xla"`
(`str(device).startswith("xla")` where it may still be the text "cpu"), `x.is_cuda` becomes `x.device.type == "xla"`,
and a name that is bound to `"cuda"` or `"cpu"` by such a test (nanoGPT's `device_type`) is bound to `"xla"`, where it
is compared too.

What asks whether CUDA's fused or flash kernels can be used (`fused=device_type == "cuda"`), or memory is to be pinned,
stays: on XLA the answer is no.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit import build
from codemods.kit.accelerator import bound_value
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import Binding, argument, dotted
from codemods.kit.options import text
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Stage

_DOCUMENT = "torch_xla 2.1 core/xla_model.py is_xla_tensor"
_ONLY_CUDAS = ("fused", "flash", "pin_memory")


class DeviceType(Codemod):
    """Ask for the XLA device where the script asks for CUDA."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC117", "a test for the CUDA device asks for the XLA device", Safety.EXACT, document=_DOCUMENT),
        Rule("TC118", "x.is_cuda asks for the XLA device", Safety.EXACT, document=_DOCUMENT),
        Rule("TC127", "a device type bound by such a test is \"xla\"", Safety.EXACT, document=_DOCUMENT),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import torch\n\ndevice = torch.device("cuda:0")\npin = device.type == "cuda"\nassert x.is_cuda\n',
            smtc='import torch\n\ndevice = torch.device("cuda:0")\npin = device.type == "xla"\n'
            'assert x.device.type == "xla"\n',
            xla='import torch\n\ndevice = torch.device("cuda:0")\npin = device.type == "xla"\n'
            'assert x.device.type == "xla"\n',
        ),
        Example(before='import torch\n\nif backend == "cuda":\n    print("cuda" in name)\n'),
    )

    def rewrite(self) -> None:
        if "cuda" not in self.script.tree.source:
            return
        types = list(self._types())
        typed = {name for name, _ in types}
        for comparison in self.script.tree.all(cst.Comparison):
            if len(comparison.comparisons) == 1 and not self._asks_for_kernels(comparison):
                self._compare(comparison, comparison.comparisons[0], typed)
        for call in self.script.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "startswith":
                self._starts(call, call.func.value)
        for node in self.script.tree.all(cst.Attribute):
            if node.attr.value == "is_cuda" and self.script.qualified(node) is None and not self._is_own(node):
                if not self._asks_for_kernels(node):
                    self._is_cuda(node)
        for _, literal in types:
            edit = self.edit("TC127", literal, "the device type is the XLA device's")
            edit.replace(literal, build.requoted(literal, "xla"))

    # --- comparisons ------------------------------------------------------------------------------------------------

    def _compare(self, whole: cst.Comparison, target: cst.ComparisonTarget, typed: set[str]) -> None:
        left, right = whole.left, target.comparator
        if isinstance(target.operator, cst.In | cst.NotIn):
            if self._is_cuda_text(left) and self._is_device(right):
                self._test(whole, left, right, isinstance(target.operator, cst.In))
            elif self._is_type(left, typed) and isinstance(right, cst.Tuple | cst.List | cst.Set):
                for element in right.elements:
                    if self._is_cuda_text(element.value):
                        self._rename(element.value)
        elif isinstance(target.operator, cst.Equal | cst.NotEqual):
            for side, other in ((left, right), (right, left)):
                if not self._is_cuda_text(other):
                    continue
                if self._is_type(side, typed):
                    self._rename(other)
                elif self._is_device(side):
                    self._test(whole, other, side, isinstance(target.operator, cst.Equal))

    def _rename(self, literal: cst.BaseExpression) -> None:
        """`"cuda"` becomes `"xla"`, in the script's quotes; `torch.device("cuda").type` too."""
        edit = self.edit("TC117", literal, "asks for the XLA device")
        edit.replace(literal, build.requoted(literal, "xla"))

    def _test(
        self, whole: cst.BaseExpression, literal: cst.BaseExpression, device: cst.BaseExpression, same: bool
    ) -> None:
        """The whole test becomes one of the device's type."""
        edit = self.edit("TC117", whole, "asks for the XLA device")
        if isinstance(device, cst.Call):  # str(device)
            device = device.args[0].value
        if self.script.accelerator.is_option(device):  # it stays text, and no longer chooses the device
            device = edit.device(whole)
        operator = "==" if same else "!="
        kind = build.requoted(literal, "xla")
        asked = f"{{device}}.type {operator} {{kind}}"
        if self._may_be_text(device):
            asked = f"{'' if same else 'not '}str({{device}}).startswith({{kind}})"
        made = build.expression(asked, device=device, kind=kind)
        edit.replace(whole, made.with_changes(lpar=whole.lpar, rpar=whole.rpar))

    def _may_be_text(self, node: cst.BaseExpression, depth: int = 4) -> bool:
        """Whether a device is the text "cpu" where the script does not choose the accelerator, or the text "xla" that
        a default or a class attribute becomes."""
        if isinstance(node, cst.SimpleString):
            return self.script.accelerator.is_other(node) or self._is_fixed(node)
        return depth > 0 and any(self._may_be_text(value, depth - 1) for value in self._behind(node))

    def _is_fixed(self, node: cst.SimpleString) -> bool:
        """Whether a text that names the accelerator is evaluated when the file is imported."""
        holder = self.script.tree.parent.get(node)
        of_class = isinstance(holder, cst.Assign | cst.AnnAssign) and self.script.names.scope(holder).is_class
        return of_class or isinstance(holder, cst.Param)

    def _behind(self, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
        """What a name is bound to, a parameter is passed, or a function of the script returns."""
        judge, tree = self.script.accelerator, self.script.tree
        called = self.script.names.local_function(node.func) if isinstance(node, cst.Call) else None
        if called is not None:
            yield from judge.returned(called)
        for binding in judge.bindings(node) if isinstance(node, cst.Name | cst.Attribute) else ():
            function = tree.enclosing(binding.node, cst.FunctionDef)
            if isinstance(binding.node, cst.Param) and isinstance(function, cst.FunctionDef):
                yield from judge.passed(function, binding.node)
                yield from [binding.node.default] if binding.node.default is not None else []
            elif binding.kind == "assign" and self.script.device_choices.around(binding.node) is None:
                yield from judge.given(binding)

    def _starts(self, call: cst.Call, device: cst.BaseExpression) -> None:
        """`device.startswith("cuda")`."""
        found = argument(call, 0, "prefix")
        if found is None or not self._is_cuda_text(found.value):
            return
        if self._is_device(device):
            self._test(call, found.value, device, True)
        elif self._is_type(device, set()):
            self._rename(found.value)

    def _is_own(self, node: cst.Attribute) -> bool:
        """`self.is_cuda` of a class that binds it: a flag of the script's own."""
        return bool(self.script.names.bindings(node)) or isinstance(self.script.tree.parent.get(node), cst.AssignTarget)

    def _is_cuda_text(self, node: cst.BaseExpression) -> bool:
        """`"cuda"`, `"cuda:0"`, `torch.device("cuda")`, `torch.device("cuda").type`."""
        if isinstance(node, cst.Attribute) and node.attr.value == "type":
            node = node.value
        if isinstance(node, cst.Call) and self.script.qualified(node.func) == "torch.device":
            found = argument(node, 0, "type") or argument(node, 0, "device")
            return found is not None and self._is_cuda_text(found.value)
        return isinstance(node, cst.SimpleString) and text(node).partition(":")[0] == "cuda"

    def _is_type(self, node: cst.BaseExpression, typed: set[str]) -> bool:
        """`device.type`, `x.device.type`, or a name bound to a device type."""
        if dotted(node) in typed:
            return True
        if not isinstance(node, cst.Attribute) or node.attr.value != "type":
            return False
        owner = node.value
        if isinstance(owner, cst.Attribute) and owner.attr.value == "device":
            return True
        return self._is_device(owner) or self.script.is_a(owner, Role.DEVICE) or self._is_of_tensor(owner)

    def _is_of_tensor(self, node: cst.BaseExpression) -> bool:
        """`device = next(model.parameters()).device`"""
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name | cst.Attribute) else []
        values = (bound_value(binding) for binding in bindings if binding.kind == "assign")
        return any(isinstance(value, cst.Attribute) and value.attr.value == "device" for value in values)

    def _is_device(self, node: cst.BaseExpression) -> bool:
        """A name for the device of the script, or `str(...)` of one."""
        if isinstance(node, cst.Call) and self.script.qualified(node.func) == "builtins.str" and len(node.args) == 1:
            node = node.args[0].value
        if isinstance(node, cst.Name | cst.Attribute):
            positions = self.script.device_positions
            return any(positions.holds(binding) for binding in self.script.accelerator.bindings(node)) or (
                self.script.accelerator.is_option(node)
                and any(code_of(node) == code_of(found) for found in positions.definitions)
            )
        if isinstance(node, cst.Subscript):
            held = self.script.accelerator.slot(node)
            return any(value in self.script.device_positions.defining for value in held)
        return False

    def _asks_for_kernels(self, node: cst.BaseExpression) -> bool:
        """`use_fused = available and device_type == "cuda"`: kernels and pinned memory, which only CUDA has."""
        for outer in self.script.tree.ancestors(node):
            if isinstance(outer, cst.Arg) and outer.keyword is not None:
                return _is_only_cudas(outer.keyword.value)
            if isinstance(outer, cst.Assign):
                return any(_is_only_cudas(dotted(target.target) or "") for target in outer.targets)
            if isinstance(outer, cst.IfExp) and _is_only_cudas(code_of(outer.body)):
                return True
            if isinstance(outer, cst.BooleanOperation) and _is_only_cudas(code_of(outer)):
                return True
            if isinstance(outer, cst.BaseStatement):
                return False
        return False

    # --- types and tensors ------------------------------------------------------------------------------------------

    def _types(self) -> Iterator[tuple[str, cst.BaseExpression]]:
        """Names bound by a test of the device: `device_type = "cuda" if "cuda" in device else "cpu"`, with the text."""
        names = self.script.names
        scopes = [names.dotted.items(), *(scope.names.items() for scope in names.all_scopes())]
        attributes = [(f"self.{attribute}", bindings) for (_, attribute), bindings in names.attributes.items()]
        for name, bindings in [*attributes, *(item for table in scopes for item in table)]:
            for binding in bindings:
                literal = self._chosen(binding)
                if literal is not None:
                    yield name, literal

    def _chosen(self, binding: Binding) -> cst.BaseExpression | None:
        value = bound_value(binding) if binding.kind == "assign" else None
        if not isinstance(value, cst.IfExp) or value in self.script.device_positions.defining:
            return None
        if not self._asks_device(value.test) or not self.script.accelerator.is_other(value.orelse):
            return None
        return value.body if self._is_cuda_text(value.body) else None

    def _asks_device(self, test: cst.BaseExpression) -> bool:
        """Whether a condition asks which device something is: it is migrated, or has been."""
        if isinstance(test, cst.Attribute):
            return test.attr.value == "is_cuda" and self.script.qualified(test) is None and not self._is_own(test)
        if not isinstance(test, cst.Comparison):
            return False
        sides = [test.left, *(target.comparator for target in test.comparisons)]
        return any(self._is_type(side, set()) or self._is_device(side) for side in sides)

    def _is_cuda(self, node: cst.Attribute) -> None:
        edit = self.edit("TC118", node, "asks for the XLA device")
        parent = self.script.tree.parent.get(node)
        bare = isinstance(parent, cst.Comparison | cst.ComparisonTarget | cst.BinaryOperation | cst.Attribute)
        kind = self.quoted("xla")
        negated = isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not)

        def rewritten(updated: cst.Attribute) -> cst.BaseExpression:
            operator = "!=" if negated else "=="
            made = build.expression(f"{{tensor}}.device.type {operator} {kind}", tensor=updated.value)
            made = made.with_changes(lpar=updated.lpar, rpar=updated.rpar)
            return build.parenthesized(made) if bare else made

        if not negated:
            edit.replace(node, rewritten)
            return
        assert isinstance(parent, cst.UnaryOperation)

        def opposite(updated: cst.UnaryOperation) -> cst.BaseExpression:
            asked = updated.expression
            assert isinstance(asked, cst.Attribute)
            made = rewritten(asked)
            return made.with_changes(lpar=(*updated.lpar, *made.lpar), rpar=(*made.rpar, *updated.rpar))

        edit.replace(parent, opposite)


def _is_only_cudas(text: str) -> bool:
    return any(word in text for word in _ONLY_CUDAS)
