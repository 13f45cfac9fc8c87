"""Which expressions of a script mean the accelerator it trains on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.device_indexes import is_numbered
from codemods.kit.names import Binding, argument, dotted
from codemods.kit.options import text
from codemods.kit.roles import OTHER_DEVICE, Role, Value

if TYPE_CHECKING:
    from codemods.kit.script import Script

XLA_DEVICES = ("torch_xla.core.xla_model.xla_device", "torch_xla.device")
CURRENT = "torch.accelerator.current_accelerator"
AVAILABLE = ("torch.cuda.is_available", "torch.cuda.is_initialized", "torch.accelerator.is_available")
_SETTINGS = ("args", "opt", "opts", "cfg", "config", "conf", "hparams", "params", "flags", "options", "settings")
_CUDA = re.compile(r"cuda(:.*)?$", re.DOTALL)
_OTHER = re.compile(r"(cpu|mps|meta|xpu|npu|hpu|ipu|mlu|musa|mtia|maia|privateuseone)(:.*)?$", re.DOTALL)


class Accelerator:
    """The accelerator in one script."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._known: dict[cst.CSTNode, bool] = {}

    # --- what means the accelerator -----------------------------------------------------------------------------

    def means(self, node: cst.BaseExpression | None) -> bool:
        """Whether an expression means the accelerator the script trains on: `torch.device("cuda:0")`, a `"cuda"` string
        or a choice with one, an option that is one, `torch.accelerator.current_accelerator()`, `xm.xla_device()`, or a
        name, attribute or parameter that holds one."""
        if node is None:
            return False
        if node not in self._known:
            self._known[node] = False
            self._known[node] = self._judge(node) or self.reaches(node)
        return self._known[node]

    def reaches(self, node: cst.BaseExpression) -> bool:
        """Whether an expression was the accelerator, and nothing else, when the program was executed abstractly."""
        return any(value.role is Role.DEVICE for value in self.script.roles.executed(node))

    def _judge(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.SimpleString):
            return _CUDA.match(text(node)) is not None or text(node) == "xla"
        if isinstance(node, cst.Call):
            return self._judge_call(node)
        if isinstance(node, cst.FormattedString):
            first = node.parts[0] if node.parts else None
            if isinstance(first, cst.FormattedStringText):
                return _CUDA.match(first.value) is not None
            return isinstance(first, cst.FormattedStringExpression) and self.means(first.expression)
        if isinstance(node, cst.BinaryOperation):
            return isinstance(node.operator, cst.Add | cst.Modulo) and self.means(node.left)
        if isinstance(node, cst.IfExp):
            return self.means(node.body) or self.means(node.orelse)
        if isinstance(node, cst.BooleanOperation):
            return self.means(node.left) or self.means(node.right)
        if isinstance(node, cst.Name | cst.Attribute):
            if any(self.binds(binding) for binding in self.bindings(node)) or self.is_option(node):
                return True
            return isinstance(node, cst.Attribute) and self._is_elsewhere(self.script.roles.inherited(node))
        if isinstance(node, cst.Subscript):
            return any(self.means(value) for value in self.slot(node))
        return False

    def _judge_call(self, node: cst.Call) -> bool:
        name = self.script.names.qualified(node.func)
        if name in XLA_DEVICES or name == CURRENT:
            return True
        if name == "torch.device":
            return self._names_accelerator(node)
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "format":
            return isinstance(node.func.value, cst.BaseString) and self.means(node.func.value)
        function = self.script.names.local_function(node.func)
        if function is None:
            return self.is_told(node)
        return any(self.means(value) for value in self.returned(function))

    def _names_accelerator(self, call: cst.Call) -> bool:
        """Whether `torch.device(x)` is the accelerator: unless `x` can only be another device."""
        found = argument(call, 0, "type") or argument(call, 0, "device")
        if found is None:
            return False
        value = found.value
        if self.means(value):
            return True
        if isinstance(value, cst.Name) and (bindings := self.script.names.bindings(value)):
            values = [b.value for b in bindings if b.kind == "assign" and not b.path]
            return not (len(values) == len(bindings) and all(v is not None and self.is_other(v) for v in values))
        if isinstance(value, cst.Attribute) and value.attr.value == "device":
            # `torch.device(args.device)`; `torch.device(x.device)` is where a tensor is already.
            return is_config(value) or self.is_option(value) or dotted(value) == "self.device"
        if isinstance(value, cst.Subscript | cst.Attribute) and not _is_setting(value):
            # `torch.device(kwargs["local_rank"])`; not `torch.device(args[0])`, `torch.device(hook.execution_device)`
            return is_numbered(value)
        return not (isinstance(value, cst.SimpleString) or self.is_other(value))

    def is_other(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a device literal that is not the accelerator: `"cpu"`, `torch.device("mps")`."""
        if isinstance(node, cst.Call) and self.script.names.qualified(node.func) == "torch.device":
            found = argument(node, 0, "type") or argument(node, 0, "device")
            return found is not None and self.is_other(found.value)
        if isinstance(node, cst.IfExp):
            return self.is_other(node.body) and self.is_other(node.orelse)
        return isinstance(node, cst.SimpleString) and _OTHER.match(text(node)) is not None

    def is_fallback(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a device literal to compute on without the accelerator: not `meta`, which has no
        data."""
        strings = self.script.tree.inside(node, cst.SimpleString)
        return self.is_other(node) and not any(text(string) == "meta" for string in strings)

    def is_option(self, node: cst.CSTNode) -> bool:
        """Whether `args.device` reads a command-line option that names the device."""
        option = self.script.options.read(node)
        if option is None or option.action or option.type not in ("", "str"):
            return False
        if option.choices and all(_OTHER.match(choice) for choice in option.choices):
            return False
        if option.default is not None and text(option.default):
            return _CUDA.match(text(option.default)) is not None or "device" in option.dest
        return "device" in option.dest and ("cuda" in option.words or "gpu" in option.words or option.dest == "device")

    def bindings(self, node: cst.BaseExpression) -> list[Binding]:
        """What gives a name, attribute or class attribute (`Config.device`, `cfg.device`) its value."""
        names = self.script.names
        found = names.bindings(node)
        if found or not isinstance(node, cst.Attribute):
            return found
        class_ = names.local_class(node.value) or self._annotated(node.value)
        if class_ is None:
            origins = (value.origin for value in self.script.roles.values(node.value))
            class_ = next((origin for origin in origins if isinstance(origin, cst.ClassDef)), None)
        return names.attribute_bindings(class_, node.attr.value) if class_ is not None else []

    def _annotated(self, node: cst.BaseExpression) -> cst.ClassDef | None:
        """The class of the script a parameter is annotated with."""
        for binding in self.script.names.bindings(node):
            if isinstance(binding.node, cst.Param) and binding.node.annotation is not None:
                return self.script.names.local_class(binding.node.annotation.annotation)
        return None

    def returned(self, function: cst.FunctionDef) -> Iterator[cst.BaseExpression]:
        """What a function of this module returns."""
        for statement in self.script.tree.all(cst.Return):
            if statement.value is not None and self.script.tree.function(statement) is function:
                yield statement.value

    def slot(self, node: cst.Subscript) -> list[cst.BaseExpression]:
        """The values of `config["device"]` in the one dict literal that `config` is bound to."""
        index = node.slice[0].slice if len(node.slice) == 1 else None
        key = text(index.value) if isinstance(index, cst.Index) else ""
        bindings = self.bindings(node.value) if key else []
        if len(bindings) != 1 or not isinstance(bindings[0].value, cst.Dict):
            return []
        return [
            element.value
            for element in bindings[0].value.elements
            if isinstance(element, cst.DictElement) and text(element.key) == key
        ]

    def binds(self, binding: Binding) -> bool:
        """Whether a binding gives its name the accelerator."""
        if binding.kind in ("assign", "walrus"):
            return any(self.means(value) for value in self.given(binding)) or (
                bool(binding.path) and binding.value is not None and self.is_told(binding.value, binding.path)
            )
        if binding.kind == "import":
            return self._is_elsewhere(self.script.roles.imported(binding))
        if binding.kind != "parameter" or not isinstance(binding.node, cst.Param):
            return False
        function = self.script.tree.enclosing(binding.node, cst.FunctionDef, cst.Lambda)
        if not isinstance(function, cst.FunctionDef):
            return False
        passed = self.passed(function, binding.node)
        if passed:
            return any(self.means(value) for value in passed)
        if self._is_elsewhere(self.script.roles.passed_elsewhere(function, binding.node)):
            return True
        annotation = binding.node.annotation
        if annotation is not None and self.script.names.qualified(annotation.annotation) == "torch.device":
            return True
        default = binding.node.default
        if default is not None and not (isinstance(default, cst.Name) and default.value == "None"):
            return self.means(default)
        return "device" in binding.name and (function, binding.name) in self.script.device_positions.names

    def given(self, binding: Binding) -> list[cst.BaseExpression]:
        """The expressions that a binding gives its name: its value, also inside a literal tuple, or inside the tuples
        that a function of this module returns."""
        value = bound_value(binding)
        if value is not None or not isinstance(binding.value, cst.Call):
            return [value] if value is not None else []
        function = self.script.names.local_function(binding.value.func)
        found = []
        for whole in self.returned(function) if function is not None and len(binding.path) == 1 else ():
            if isinstance(whole, cst.Tuple) and binding.path[0] < len(whole.elements):
                found.append(whole.elements[binding.path[0]].value)
        return found

    def is_told(self, node: cst.BaseExpression, path: tuple[int, ...] = ()) -> bool:
        """Whether a call gives the accelerator by what another file of the project says."""
        called = isinstance(node, cst.Call) and not self.script.links.alone
        return called and self._is_elsewhere(
            value for value in self.script.roles.values(node, path) if value.origin is node
        )

    def _is_elsewhere(self, values: Iterable[Value]) -> bool:
        """Whether a value that another file makes is the accelerator."""
        return any(value.role is Role.DEVICE and value.of != OTHER_DEVICE for value in values)

    def passed(self, function: cst.FunctionDef, parameter: cst.Param) -> list[cst.BaseExpression]:
        """What the calls in this module pass for a parameter; a function that calls itself hands on what it has."""
        roles = self.script.roles
        own = parameter.name.value
        found = [
            (call, arg.value)
            for call in roles.call_sites(function)
            if (arg := roles.parameter_argument(function, parameter, call)) is not None
        ]
        return [
            value
            for call, value in found
            if not (self.script.tree.function(call) is function and isinstance(value, cst.Name) and value.value == own)
        ]


def bound_value(binding: Binding) -> cst.BaseExpression | None:
    """The expression a binding gives its name, inside a literal tuple too: the 1 of `a, b = x, 1`."""
    value = binding.value
    for index in binding.path:
        if not isinstance(value, cst.Tuple | cst.List) or index >= len(value.elements):
            return None
        value = value.elements[index].value
    return value


def _is_setting(node: cst.Subscript | cst.Attribute) -> bool:
    """`config["device"]`, `args.gpu_device`, `self.gpu`: something that is named for the device or for settings."""
    if isinstance(node, cst.Subscript):
        return any(word in code_of(node).lower() for word in ("device", "cuda", "gpu", "accelerator"))
    chain = (dotted(node) or "").lower().split(".")
    return len(chain) == 2 or any(part in _SETTINGS for part in chain)


def is_config(node: cst.BaseExpression) -> bool:
    """`cfg.device` of a configuration this module does not define: only its name says so."""
    chain = dotted(node)
    if chain is None or "." not in chain:
        return False
    *_, holder, last = chain.split(".")
    return "device" in last and holder.lower() in ("args", "opt", "opts", "cfg", "config", "conf", "hparams", "flags")
