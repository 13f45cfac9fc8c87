"""Where a script uses a device, and the expressions that make it: what has to become the XLA device.

A string such as `"cuda"` is a device only where it reaches a *device position*: the argument of `.to(...)` or of a
`device=` keyword, directly or through names, parameters, returns, class attributes and dict slots of this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.accelerator import CURRENT, XLA_DEVICES, bound_value
from codemods.kit.device_indexes import DeviceIndexes
from codemods.kit.names import Binding, argument, dotted
from codemods.kit.options import text

if TYPE_CHECKING:
    from codemods.kit.script import Script

# Calls whose device arguments mean something else: other codemods decide on them.
NOT_MOVES = ("torch.cuda.", "torch.autocast", "torch.amp.", "torch.distributed.", "torch.nn.parallel.", "torch.load",
             "torch.Generator", "torch.set_default_", "torch.accelerator.", "torch.utils.data.")  # fmt: skip


class DevicePositions:
    """The device positions of one script, and what reaches them."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.accelerator = script.accelerator
        self.indexes = DeviceIndexes(script)
        self._passed_as_device: set[cst.CSTNode] = set()
        self._holding: dict[Binding, bool] = {}

    def is_index(self, node: cst.BaseExpression | None) -> bool:
        """Whether an expression in a device position is the integer of a CUDA device; see `DeviceIndexes`."""
        return self.indexes.is_index(node)

    # --- positions and definitions ----------------------------------------------------------------------------------

    @cached_property
    def seeds(self) -> list[cst.BaseExpression]:
        """Arguments that are devices by where they stand."""
        found: list[cst.BaseExpression] = []
        names = self.script.names
        for call in self.script.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "to" and call.args:
                first = call.args[0]
                if first.keyword is None and not first.star and names.qualified(call.func) is None:
                    if not self._is_own_method(call.func):
                        found.append(first.value)
            for arg in call.args:
                if arg.keyword is not None and arg.keyword.value == "device":
                    name = names.qualified(call.func) or ""
                    local = (
                        names.local_function(call.func)
                        or names.local_class(call.func)
                        or self._is_own_method(call.func)
                    )
                    if not local and name != "torch.device" and not name.startswith(NOT_MOVES):
                        found.append(arg.value)
        found += self._passed_to_other_files()
        for parameter in self.script.tree.all(cst.Param):
            if parameter.annotation is not None and parameter.default is not None:
                if names.qualified(parameter.annotation.annotation) == "torch.device":
                    found.append(parameter.default)
        return found

    def _passed_to_other_files(self) -> Iterator[cst.BaseExpression]:
        tree, devices = self.script.tree, self.script.links.devices
        for call in tree.calls_numbered(devices):
            for passed in devices[tree.order[call]]:
                position, keyword = (int(passed[1:]), "") if passed.startswith("#") else (None, passed)
                given = argument(call, position, keyword)
                if given is not None:
                    yield given.value

    def _is_own_method(self, func: cst.BaseExpression) -> bool:
        """Whether a class of the script's own, which is nothing of torch's, defines what is called."""
        return isinstance(func, cst.Attribute) and any(
            isinstance(value.origin, cst.ClassDef)
            and self.script.names.method(value.origin, func.attr.value) is not None
            for value in self.script.roles.values(func.value)
        )

    @property
    def texts(self) -> Iterator[cst.SimpleString]:
        """Texts that were used as a device when the program was executed abstractly."""
        for node in self.script.tree.all(cst.SimpleString) if self.script.links.meaning is not None else ():
            if self.accelerator.reaches(node) and not self._left_to_others(node):
                yield node

    @cached_property
    def _seeds(self) -> frozenset[cst.CSTNode]:
        return frozenset(self.seeds)

    @cached_property
    def names(self) -> set[tuple[cst.FunctionDef | None, str]]:
        """Names used as a device, with the function that uses them so."""
        tree = self.script.tree
        return {(tree.function(node), node.value) for node in self.seeds if isinstance(node, cst.Name)}

    @cached_property
    def positions(self) -> set[cst.BaseExpression]:
        """Every expression whose value reaches a device position."""
        found: set[cst.BaseExpression] = set()
        queue = [*self.seeds, *self.texts]
        while queue:
            node = queue.pop()
            if node not in found:
                found.add(node)
                queue.extend(self._sources(node))
        return found

    def _sources(self, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
        """The expressions an expression in a device position gets its value from."""
        if isinstance(node, cst.IfExp):
            yield from (node.body, node.orelse)
        elif isinstance(node, cst.BooleanOperation):
            yield from (node.left, node.right)
        elif isinstance(node, cst.NamedExpr):
            yield node.value
        elif isinstance(node, cst.Subscript):
            yield from self.accelerator.slot(node)
        elif isinstance(node, cst.Call):
            function = self.script.names.local_function(node.func)
            yield from self.accelerator.returned(function) if function is not None else ()
        elif isinstance(node, cst.Name | cst.Attribute):
            for binding in self.accelerator.bindings(node):
                if binding.kind in ("assign", "walrus", "parameter"):
                    yield from self.accelerator.given(binding)
                if binding.kind == "parameter" and isinstance(binding.node, cst.Param):
                    holder = self.script.tree.enclosing(binding.node, cst.FunctionDef, cst.Lambda)
                    if isinstance(holder, cst.FunctionDef):
                        passed = self.accelerator.passed(holder, binding.node)
                        if binding.name.endswith("device"):
                            self._passed_as_device.update(passed)
                        yield from passed

    @cached_property
    def definitions(self) -> list[cst.BaseExpression]:
        """The expressions that make the CUDA device, outermost, in source order: what has to become the XLA device.

        Names that only hold it are not among them: they follow their definition.
        """
        tree, names = self.script.tree, self.script.names
        if not self.script.uses_torch:
            return []
        makers = {node for node in self.positions if self._makes(node) or self._is_index_device(node)}
        for call in names.calls("torch.device", CURRENT):
            if self.accelerator.means(call) and not self._left_to_others(call):
                makers.add(call)
        whole: set[cst.BaseExpression] = set()
        for node in makers:
            outer: cst.CSTNode | None = node
            while outer is not None:
                holder = tree.parent.get(outer)
                if isinstance(holder, cst.IfExp) and outer is not holder.test and self.is_choice(holder):
                    outer = holder
                else:
                    break
            assert isinstance(outer, cst.BaseExpression)
            whole.add(outer)
        found = [node for node in whole if not any(outer in whole for outer in tree.ancestors(node))]
        return sorted(found, key=lambda node: tree.order[node])

    @cached_property
    def moves(self) -> list[cst.BaseExpression]:
        """What needs a name for the device: `x.cuda(...)`, CUDA tensor types, and definitions that are arguments."""
        tree, names = self.script.tree, self.script.names
        found: list[cst.BaseExpression] = [
            call
            for call in tree.all(cst.Call)
            if isinstance(call.func, cst.Attribute)
            and call.func.attr.value == "cuda"
            and names.qualified(call.func) is None
        ]
        found += [node for name, node in names.uses("torch.cuda") if name.endswith("Tensor")]
        return [*found, *(node for node in self.definitions if isinstance(tree.parent.get(node), cst.Arg))]

    @cached_property
    def defining(self) -> frozenset[cst.CSTNode]:
        """`definitions`, to look up."""
        return frozenset(self.definitions)

    def is_choice(self, node: cst.BaseExpression) -> bool:
        """A choice between device literals: `"cuda" if flag else "cpu"`, with no name in it that could be a device."""
        if isinstance(node, cst.IfExp):
            arms = (node.body, node.orelse)
            literal = all(self.is_choice(arm) or self.accelerator.is_fallback(arm) for arm in arms)
            return literal and self.accelerator.means(node)
        return self._makes(node)

    def _makes(self, node: cst.BaseExpression) -> bool:
        """Whether an expression makes the device itself: not a name that holds it."""
        if isinstance(node, cst.SimpleString):
            return text(node) != "xla" and self.accelerator.means(node)
        if isinstance(node, cst.Call):
            name = self.script.names.qualified(node.func)
            if name in ("torch.device", CURRENT):
                return self.accelerator.means(node)
            is_format = isinstance(node.func, cst.Attribute) and node.func.attr.value == "format"
            return is_format and self.accelerator.means(node)
        if isinstance(node, cst.BinaryOperation) and self._is_index_device(node):
            return True  # `device = rank % torch.cuda.device_count()`
        if isinstance(node, cst.FormattedString | cst.BinaryOperation):
            return self.accelerator.means(node)
        if isinstance(node, cst.IfExp):
            return self.is_choice(node)
        return isinstance(node, cst.Attribute) and self.accelerator.is_option(node)

    def _is_index_device(self, node: cst.BaseExpression) -> bool:
        """Whether an integer stands for the device here: `x.to(rank)`, `device = rank`. A rank stays a number."""
        if self.accelerator.means(node) or not self.indexes.is_index(node):
            return False
        if node in self._seeds:
            last = getattr(node, "attr", node)
            named = isinstance(last, cst.Name) and last.value.endswith("device")
            return not named or not self.accelerator.bindings(node) or self._is_compared(node)
        if node in self._passed_as_device:
            return True
        holder = self.script.tree.parent.get(node)
        if not isinstance(holder, cst.Assign | cst.AnnAssign):
            return False
        targets = [t.target for t in holder.targets] if isinstance(holder, cst.Assign) else [holder.target]
        named = all((dotted(target) or "").lower().endswith("device") for target in targets)
        return named and not any(map(self._is_compared, targets))

    def _is_compared(self, node: cst.BaseExpression) -> bool:
        """Whether a name is asked for its number, `if device == 0:`: then it stays one."""
        tree, name = self.script.tree, dotted(node)
        return any(
            isinstance(target.comparator, cst.Integer | cst.UnaryOperation)
            for each in tree.all(cst.Comparison)
            if dotted(each.left) == name and tree.function(each) is tree.function(node)
            for target in each.comparisons
        )

    def _left_to_others(self, call: cst.Call | cst.SimpleString) -> bool:
        """In `map_location=`, in a call of `torch.cuda` or of the process group, or compared: not a definition."""
        parent = self.script.tree.parent.get(call)
        if isinstance(parent, cst.Comparison | cst.ComparisonTarget | cst.Expr):
            return True  # `torch.device(name)` as a statement checks the name
        while isinstance(parent, cst.IfExp | cst.BooleanOperation):
            parent = self.script.tree.parent.get(parent)
        if isinstance(parent, cst.Attribute):
            compared = self.script.tree.parent.get(parent)
            return isinstance(compared, cst.Comparison | cst.ComparisonTarget)
        if not isinstance(parent, cst.Arg):
            return False
        holder = self.script.tree.parent.get(parent)
        if isinstance(holder, cst.Call) and _called(holder) == "add_argument":
            return True  # it is text on the command line too
        name = self.script.names.qualified(holder.func) or "" if isinstance(holder, cst.Call) else ""
        return name.startswith(NOT_MOVES) or name == "torch.device"

    def unseen(self) -> Iterator[tuple[str, cst.BaseExpression]]:
        """`self.device = "cuda"` of which no use as a device is in this module, with its name: another file may have
        one. In a module without torch also what another file was seen to use, whatever it is called."""
        names = self.script.names
        tables = [names.dotted.items(), *(scope.names.items() for scope in names.all_scopes())]
        attributes = [(attribute, bindings) for (_, attribute), bindings in names.attributes.items()]
        named: set[cst.BaseExpression] = set()
        for name, bindings in [*attributes, *(item for table in tables for item in table)]:
            if name.rpartition(".")[2].lower() not in ("device", "dev", "torch_device"):
                continue
            for binding in bindings:
                value = bound_value(binding)
                if binding.kind in ("assign", "parameter") and value is not None and self._stays_text(value):
                    named.add(value)
                    yield name.rpartition(".")[2], value
        if not self.script.uses_torch:
            yield from (("", node) for node in self.texts if node not in named and self._makes(node))
            return
        yield from self._handed_on()

    def _handed_on(self) -> Iterator[tuple[str, cst.BaseExpression]]:
        """Defaults of options that become a device where nothing shows that an option is read: by name of `vars(args)`,
        by an object or a dict that holds them all; and what a dict is asked for where it has none."""
        read = {node.attr.value for node in self.positions if isinstance(node, cst.Attribute)}
        by_name = any(map(_is_vars, self.script.tree.all(cst.Call)))
        for dest, option in self.script.options.declared.items():
            value = option.default
            if value is not None and self._makes(value) and (dest not in read or by_name):
                if self.accelerator.reaches(value) or (by_name and dest in ("device", "dev")):
                    yield dest, value
        options = self.script.options.declared
        for call in self.script.tree.all(cst.Call) if options else ():
            if _called(call) == "get" and len(call.args) == 2 and text(call.args[0].value) in options:
                default = call.args[1].value
                if self._makes(default) and not {default, call} & self.defining:
                    yield text(call.args[0].value), default

    def _stays_text(self, value: cst.BaseExpression) -> bool:
        used = value in self.defining or (value in self.positions and self.script.uses_torch)
        return not used and self._makes(value)

    # --- names that hold the XLA device after the migration -------------------------------------------------------

    def holds(self, binding: Binding) -> bool:
        """Whether a name holds the XLA device once every definition is one."""
        known = self._holding.get(binding)
        if known is None:
            known = self._holding[binding] = self._holds(binding)
        return known

    def _holds(self, binding: Binding) -> bool:
        if binding.kind == "parameter":
            return self.accelerator.binds(binding) and self._takes_device(binding)
        if binding.kind == "import":
            return self.accelerator.binds(binding)
        if binding.kind not in ("assign", "walrus"):
            return False
        if binding.path and binding.value is not None and self.accelerator.is_told(binding.value, binding.path):
            return True
        return any(map(self._is_held, self.accelerator.given(binding)))

    def _is_held(self, value: cst.BaseExpression) -> bool:
        """Whether an expression is the XLA device once every definition is one."""
        if value in self.defining:
            return True
        if isinstance(value, cst.Call) and self.script.names.qualified(value.func) in XLA_DEVICES:
            return True
        if type(value) in (cst.Name, cst.Attribute, cst.Call):
            return value not in self.defining and self.accelerator.means(value) and not self._is_text(value)
        return False

    def _takes_device(self, binding: Binding) -> bool:
        """Whether a parameter that is passed the accelerator is passed a device, not the text of one."""
        function = self.script.tree.enclosing(binding.node, cst.FunctionDef)
        if function is None or not isinstance(binding.node, cst.Param) or (function, binding.name) in self.names:
            return function is not None
        passed = self.accelerator.passed(function, binding.node)
        if not passed:
            default = binding.node.default
            return default is None or default in self.defining or isinstance(default, cst.Name)
        held = (value for value in passed if isinstance(value, cst.Name | cst.Attribute | cst.Call))
        return any(value in self.defining for value in passed) or any(
            self.accelerator.means(value) and not self._is_text(value) for value in held
        )

    def _is_text(self, node: cst.BaseExpression) -> bool:
        """Whether a name stays the text "cuda": it is never used as a device."""
        if isinstance(node, cst.Call):
            return not self.script.names.local_function(node.func) and not self.accelerator.is_told(node)
        if self.accelerator.is_option(node):
            return node not in self.defining  # what argparse gives
        values = [value for b in self.accelerator.bindings(node) if (value := bound_value(b)) is not None]
        texts = [value for value in values if isinstance(value, cst.BaseString | cst.IfExp)]
        return any(self.accelerator.means(value) and value not in self.defining for value in texts)


def _is_vars(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Name) and call.func.value == "vars" and bool(call.args)


def _called(call: cst.Call) -> str:
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
