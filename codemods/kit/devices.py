"""Where the script says on which device it computes, and how code anywhere in it can name the XLA device."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.names import Binding, argument
from codemods.kit.script import Script

XLA_DEVICES = ("torch_xla.core.xla_model.xla_device", "torch_xla.device")
_OTHER_DEVICES = ('"cpu"', "'cpu'", '"mps"', "'mps'", '"meta"', "'meta'", '"xpu"', "'xpu'")


class Devices:
    """Names for the device, existing and introduced."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._accelerators: dict[cst.CSTNode, bool] = {}
        self._introduced: dict[cst.CSTNode, tuple[str, cst.CSTNode]] = {}

    # --- what is a device ---------------------------------------------------------------------------------------

    def is_accelerator(self, node: cst.BaseExpression | None) -> bool:
        """Whether an expression means the accelerator the script trains on: `torch.device("cuda:0")`, a `"cuda"` string
        or a ternary that chooses it, `torch.accelerator.current_accelerator()`, `xm.xla_device()`, or a name, attribute
        or parameter that holds one."""
        if node is None:
            return False
        if node not in self._accelerators:
            self._accelerators[node] = False
            self._accelerators[node] = self._judge(node)
        return self._accelerators[node]

    def _judge(self, node: cst.BaseExpression) -> bool:
        names = self.script.names
        if isinstance(node, cst.Call):
            name = names.qualified(node.func)
            if name in XLA_DEVICES or name == "torch.accelerator.current_accelerator":
                return True
            if name == "torch.device":
                found = argument(node, 0, "type") or argument(node, 0, "device")
                return found is not None and code_of(found.value) not in _OTHER_DEVICES
            if isinstance(node.func, cst.Attribute) and node.func.attr.value == "format":
                return self.is_accelerator(node.func.value)
            function = names.local_function(node.func)
            return function is not None and self._returns_accelerator(function)
        if isinstance(node, cst.SimpleString):
            return isinstance(node.raw_value, str) and node.raw_value.startswith("cuda")
        if isinstance(node, cst.FormattedString):
            first = node.parts[0] if node.parts else None
            return isinstance(first, cst.FormattedStringText) and first.value.startswith("cuda")
        if isinstance(node, cst.BinaryOperation):
            return self.is_accelerator(node.left) and isinstance(node.operator, cst.Add | cst.Modulo)
        if isinstance(node, cst.IfExp):
            return self.is_accelerator(node.body) or self.is_accelerator(node.orelse)
        if isinstance(node, cst.BooleanOperation):
            return self.is_accelerator(node.left) or self.is_accelerator(node.right)
        if isinstance(node, cst.Name | cst.Attribute):
            return any(self.binds_accelerator(binding) for binding in names.bindings(node))
        return False

    def _returns_accelerator(self, function: cst.FunctionDef) -> bool:
        tree = self.script.tree
        return any(
            returned.value is not None and tree.function(returned) is function and self.is_accelerator(returned.value)
            for returned in tree.all(cst.Return)
        )

    def binds_accelerator(self, binding: Binding) -> bool:
        """Whether a binding gives its name the accelerator."""
        if binding.kind in ("assign", "walrus") and not binding.path:
            return self.is_accelerator(binding.value)
        if binding.kind != "parameter" or not isinstance(binding.node, cst.Param):
            return False
        function = self.script.tree.enclosing(binding.node, cst.FunctionDef, cst.Lambda)
        if not isinstance(function, cst.FunctionDef):
            return False
        roles = self.script.roles
        passed = [
            arg.value
            for call in roles.call_sites(function)
            if (arg := roles.parameter_argument(function, binding.node, call)) is not None
        ]
        if passed:
            return any(self.is_accelerator(value) for value in passed)
        annotation = binding.node.annotation
        if annotation is not None:
            return self.script.names.qualified(annotation.annotation) == "torch.device"
        default = binding.node.default
        if default is not None and not (isinstance(default, cst.Name) and default.value == "None"):
            return self.is_accelerator(default)
        return self._used_as_device(function, binding.name)

    def _used_as_device(self, function: cst.FunctionDef, name: str) -> bool:
        """A parameter nobody here passes, used as `x.to(device)` or `f(..., device=device)` and called so."""
        if "device" not in name:
            return False
        tree = self.script.tree
        for call in tree.all(cst.Call):
            if tree.function(call) is not function:
                continue
            for arg in call.args:
                if isinstance(arg.value, cst.Name) and arg.value.value == name:
                    moved = isinstance(call.func, cst.Attribute) and call.func.attr.value == "to"
                    if moved or (arg.keyword is not None and arg.keyword.value == "device"):
                        return True
        return False

    # --- how to name it -----------------------------------------------------------------------------------------

    def at(self, node: cst.CSTNode) -> str:
        """An expression for the XLA device that works where `node` is. A definition is introduced when there is none."""
        found = self._visible(node)
        return found if found is not None else self._introduce(node)

    def _visible(self, node: cst.CSTNode) -> str | None:
        names, tree = self.script.names, self.script.tree
        own = tree.function(node)
        scope = names.scope(node)
        while scope is not None:
            if not scope.is_class or scope.node is tree.parent.get(node):
                for name, bindings in scope.names.items():
                    holds = [binding for binding in bindings if self.binds_accelerator(binding)]
                    if holds and (scope.node is not own or any(self._precedes(b, node) for b in holds)):
                        if scope is names.module and own is None and not self._precedes(holds[0], node):
                            continue
                        return name
            scope = scope.outer if scope is not names.module else None  # type: ignore[assignment]
        class_ = tree.class_of(node)
        if class_ is not None and own is not None and own.params.params:
            receiver = own.params.params[0].name.value
            for (holder, attribute), bindings in names.attributes.items():
                if holder is class_ and receiver == "self" and any(self.binds_accelerator(b) for b in bindings):
                    if own.name.value != "__init__" or any(self._precedes(b, node) for b in bindings):
                        return f"self.{attribute}"
        for chain, bindings in names.dotted.items():
            root = chain.partition(".")[0]
            found = names.find(root, names.scope(node))
            if found is None or not any(self.binds_accelerator(binding) for binding in bindings):
                continue
            same = [b for b in bindings if tree.function(b.node) is own]
            if not same or any(self._precedes(binding, node) for binding in same):
                return chain
        return None

    def _precedes(self, binding: Binding, node: cst.CSTNode) -> bool:
        return binding.kind == "parameter" or (
            self.script.tree.before(binding.node, node) and not self.script.tree.contains(binding.node, node)
        )

    def _introduce(self, node: cst.CSTNode) -> str:
        tree = self.script.tree
        function = tree.function(node)
        while function is not None and (outer := tree.function(function)) is not None:
            function = outer  # a nested function sees the outer one's name
        holder: cst.CSTNode = function if function is not None else tree.module
        place = self._member(holder, node)
        known = self._introduced.get(holder)
        if known is None:
            name = "device" if self._is_free("device", node) else "xla_device"
            self._introduced[holder] = (name, place)
            return name
        if tree.before(place, known[1]):
            self._introduced[holder] = (known[0], place)
        return known[0]

    def _is_free(self, name: str, node: cst.CSTNode) -> bool:
        found = self.script.names.find(name, self.script.names.scope(node))
        return found is None

    def _member(self, holder: cst.CSTNode, node: cst.CSTNode) -> cst.CSTNode:
        """The statement of the holder's own block (or of its `if __name__ == "__main__"` block) that has the node."""
        tree = self.script.tree
        found: cst.CSTNode = node
        for outer in tree.ancestors(node):
            if outer is holder:
                break
            if isinstance(outer, cst.IndentedBlock):
                owner = tree.parent.get(outer)
                if owner is holder or (holder is tree.module and self.script.is_main_guard(owner)):
                    break
            found = outer
        return found

    def definitions(self, phrase: str) -> Iterator[tuple[cst.CSTNode, str]]:
        """Where a device has to be defined, and the statement that does it."""
        for name, place in self._introduced.values():
            yield place, f"{name} = {phrase}"

