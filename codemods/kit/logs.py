"""What a logging statement needs in order to run later: which of its names change from step to step, which tensors it
reads, which values have to be taken now.

`print(epoch, i, optimizer.param_groups[0]["lr"], loss.item())` in a loop over `i` can run after the step as a function
of `i`, `lr` and `loss`: `i` and `loss` change, and the learning rate has to be read before the scheduler changes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.names import argument
from codemods.kit.readers import READING
from codemods.kit.reads import Read, Reads
from codemods.kit.tree import child_fields, children, walk

if TYPE_CHECKING:
    from codemods.kit.script import Script

_PURE = {"len", "int", "float", "str", "round", "min", "max", "abs", "sum", "bool", "tuple", "list", "print", "range"}
_TENSOR_METHODS = {*READING, "detach", "cpu", "mean", "sum", "float", "clone", "data", "squeeze", "view", "max", "min",
                   "norm", "sqrt", "abs", "exp"}  # fmt: skip
_FAILS = (cst.Lambda, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.NamedExpr, cst.Await, cst.Yield,
          cst.StarredElement, cst.StarredDictElement)  # fmt: skip


@dataclass(eq=False)
class Parameter:
    """One value a logging function is given."""

    name: str
    value: cst.BaseExpression
    """The expression of the source that is passed."""
    tensor: bool
    """A tensor of the graph: passed detached."""


@dataclass(eq=False)
class Log:
    """A logging statement that can run after the step."""

    read: Read
    statement: cst.Expr
    parameters: list[Parameter] = field(default_factory=list)
    taken: dict[cst.CSTNode, str] = field(default_factory=dict)
    """Expressions inside the statement that become parameters, with the names they get."""


class Movable:
    """Decides whether a logging statement can move, and with what."""

    def __init__(self, script: Script, reads: Reads, read: Read) -> None:
        self.script, self.reads, self.read = script, reads, read
        self._fails = False
        self._log: Log | None = None

    def log(self) -> Log | None:
        """The statement with its parameters, or None when it has to stay where it is."""
        statement = self.read.statement
        if not self.read.logs or not isinstance(statement, cst.Expr) or not isinstance(statement.value, cst.Call):
            return None
        if not isinstance(self.read.region, cst.For | cst.While) or self._writes_a_file(statement.value):
            return None
        if self.script.names.scope(self.read.region).is_class:
            return None  # a function there would not see the names of the class
        if self._is_last_word(statement):
            return None  # no step follows after which it could run
        self._log = Log(self.read, statement)
        call = statement.value
        if isinstance(call.func, cst.Attribute) and not self._stands(call.func.value):
            self._visit(call.func.value)
        for arg in call.args:
            self._fails = self._fails or bool(arg.star)
            self._visit(arg.value)
        if self._fails or not self._log.parameters or self._changes_later():
            return None
        return self._log

    def _is_last_word(self, statement: cst.Expr) -> bool:
        """`print(loss)` before `sys.exit(1)`, a `raise`, a `return` or a `break`."""
        own = self.script.tree.statement(statement)
        block = list(self.script.tree.block(own)) if own is not None else []
        after = block[block.index(own) + 1 :] if own in block else []
        lines = (item for item in after if isinstance(item, cst.SimpleStatementLine))
        return any(self._ends(small) for line in lines for small in line.body)

    def _ends(self, small: cst.CSTNode) -> bool:
        if isinstance(small, cst.Raise | cst.Return | cst.Break):
            return True
        call = small.value if isinstance(small, cst.Expr) else None
        return isinstance(call, cst.Call) and (
            self.script.qualified(call.func) in ("sys.exit", "os._exit", "builtins.exit")
            or (isinstance(call.func, cst.Name) and call.func.value in ("exit", "quit"))
        )

    def _stands(self, logger: cst.BaseExpression) -> bool:
        """Whether `self.writer` is the same object all through the loop."""
        bindings = self.script.names.bindings(logger) if isinstance(logger, cst.Attribute) else []
        return bool(bindings) and not any(self.script.tree.contains(self.read.region, b.node) for b in bindings)

    def _writes_a_file(self, call: cst.Call) -> bool:
        """`print(..., file=f)`: `f` may be closed by the time the function runs."""
        file = argument(call, None, "file")
        return file is not None and self.script.qualified(file.value) not in ("sys.stdout", "sys.stderr")

    # --- what each part needs -----------------------------------------------------------------------------------

    def _visit(self, node: cst.BaseExpression) -> None:
        if self._fails or isinstance(node, cst.BaseString | cst.BaseNumber | cst.Ellipsis):
            if not isinstance(node, cst.FormattedString | cst.ConcatenatedString):
                return
        if isinstance(node, _FAILS):
            self._fails = True
        elif isinstance(node, cst.Name):
            self._name(node)
        elif self._has_read(node):
            self._visit_live(node)
        elif self._is_steady(node):
            for child in self._below(node):
                self._visit(child)
        else:
            self._take(node, tensor=False)

    def _visit_live(self, node: cst.BaseExpression) -> None:
        """A part with a tensor in it: it moves, with the tensors handed in."""
        if isinstance(node, cst.Attribute | cst.Subscript):
            if isinstance(node.value, cst.Name | cst.Attribute) and _is_data(node):
                self._visit(node.value)  # loss.data, loss.data[0]
            elif self.reads.is_live(node):
                self._take(node, tensor=self._is_tensor(node))  # self.loss_G, losses["total"], outputs.loss
            else:
                self._fails = True
        elif isinstance(node, cst.Call):
            self._visit_live_call(node)
        else:
            for child in self._below(node):
                self._visit(child)

    def _visit_live_call(self, call: cst.Call) -> None:
        func = call.func
        name = self.script.qualified(func) or ""
        if isinstance(func, cst.Attribute) and not name:
            receiver = func.value
            is_format = func.attr.value == "format" and isinstance(receiver, cst.BaseString)
            if not is_format and func.attr.value not in _TENSOR_METHODS:
                self._fails = True
                return
            if not is_format and isinstance(receiver, cst.Attribute | cst.Subscript | cst.Call):
                if func.attr.value == "item" and not self._has_read(receiver):
                    self._take(receiver, tensor=False)
                    return
            self._visit(receiver)
        elif not (name.startswith("builtins.") and name[9:] in _PURE) and not name.startswith(("math.", "torch.")):
            self._fails = True  # a function of the script or of another library may do more than compute
        for arg in call.args:
            self._fails = self._fails or bool(arg.star)
            self._visit(arg.value)

    def _below(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        found: list[cst.BaseExpression] = []
        for name in child_fields(type(node)):
            value = getattr(node, name)
            for item in value if isinstance(value, list | tuple) else (value,):
                if isinstance(item, cst.FormattedStringExpression):
                    found.append(item.expression)
                elif isinstance(item, cst.Element | cst.DictElement | cst.ComparisonTarget):
                    found += [child for child in children(item) if isinstance(child, cst.BaseExpression)]
                elif isinstance(item, cst.Arg):
                    found.append(item.value)
                elif isinstance(item, cst.BaseExpression) and not (isinstance(node, cst.Attribute) and name == "attr"):
                    found.append(item)
        return found

    def _has_read(self, node: cst.BaseExpression) -> bool:
        """Whether a tensor of this iteration is inside."""
        for found in walk(node):
            if isinstance(found, cst.Call) and isinstance(found.func, cst.Attribute):
                if found.func.attr.value == "item":
                    return True
            if isinstance(found, cst.Name | cst.Attribute | cst.Subscript) and self.reads.is_live(found):
                return True
        return False

    def _is_steady(self, node: cst.BaseExpression) -> bool:
        """Whether evaluating a part without tensors a little later gives the same: names, arithmetic, `len(...)`,
        attributes of names the loop leaves alone such as parsed arguments."""
        for found in walk(node):
            if isinstance(found, cst.Call):
                name = self.script.qualified(found.func) or ""
                is_format = isinstance(found.func, cst.Attribute) and isinstance(found.func.value, cst.BaseString)
                if not is_format and name.removeprefix("builtins.") not in _PURE:
                    return False
            elif isinstance(found, cst.Subscript):
                return False
            elif isinstance(found, cst.Attribute) and self.script.qualified(found) is None:
                if not self._is_settled(found):
                    return False
        return True

    def _is_settled(self, chain: cst.Attribute) -> bool:
        """An attribute of something on which the loop calls no method and whose attributes it does not set."""
        root: cst.BaseExpression = chain
        while isinstance(root, cst.Attribute):
            root = root.value
        if isinstance(root, cst.BaseString):
            return True
        if not isinstance(root, cst.Name) or root.value == "self" or self._changes(root):
            return False
        tree = self.script.tree
        for call in tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and tree.contains(self.read.region, call):
                receiver: cst.BaseExpression = call.func.value
                while isinstance(receiver, cst.Attribute):
                    receiver = receiver.value
                if isinstance(receiver, cst.Name) and receiver.value == root.value:
                    return False
        prefix = root.value + "."
        return not any(
            name.startswith(prefix) and any(tree.contains(self.read.region, b.node) for b in bindings)
            for name, bindings in self.script.names.dotted.items()
        )

    # --- parameters ---------------------------------------------------------------------------------------------

    def _name(self, node: cst.Name) -> None:
        if self._changes(node):
            self._add(Parameter(node.value, node, self._is_tensor(node)))

    def _is_tensor(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is surely one tensor, and no tuple or dict of them."""
        if not self.reads.is_live(node):
            return False
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.Attribute) and parent.attr.value in ("item", "detach", "data"):
            return True
        return self.reads.is_loss(node)

    def _changes(self, node: cst.Name) -> bool:
        """Whether the loop gives a name its value."""
        return any(
            binding.node is self.read.region or self.script.tree.contains(self.read.region, binding.node)
            for binding in self.script.names.bindings(node)
        )

    def _take(self, node: cst.BaseExpression, *, tensor: bool) -> None:
        assert self._log is not None
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.FormattedStringExpression) and parent.equal is not None:
            self._fails = True  # f"{lr=}" prints the expression itself
            return
        text = cst.Module(()).code_for_node(node)
        for known, name in self._log.taken.items():
            if cst.Module(()).code_for_node(known) == text:
                self._log.taken[node] = name
                return
        name = self._free(_name_for(node))
        self._log.taken[node] = name
        self._add(Parameter(name, node, tensor))

    def _add(self, parameter: Parameter) -> None:
        assert self._log is not None
        if all(known.name != parameter.name for known in self._log.parameters):
            self._log.parameters.append(parameter)

    def _free(self, wanted: str) -> str:
        assert self._log is not None
        parent = self.script.tree.parent
        used = {parameter.name for parameter in self._log.parameters}
        for node in walk(self._log.statement):
            if isinstance(node, cst.Name) and not isinstance(parent.get(node), cst.Attribute | cst.Arg):
                used.add(node.value)
            elif isinstance(node, cst.Attribute | cst.Arg) and isinstance(node.value, cst.Name):
                used.add(node.value.value)
        name, count = wanted, 1
        while name in used:
            count += 1
            name = f"{wanted}_{count}"
        return name

    def _changes_later(self) -> bool:
        """Whether the loop changes a tensor in place after the statement: `loss /= n`."""
        assert self._log is not None
        tree, names = self.script.tree, self.script.names
        return any(
            binding.kind == "augmented"
            and tree.contains(self.read.region, binding.node)
            and tree.before(self.read.statement, binding.node)
            for parameter in self._log.parameters
            if parameter.tensor and isinstance(parameter.value, cst.Name)
            for binding in names.bindings(parameter.value)
        )


def _name_for(node: cst.BaseExpression) -> str:
    """A name for the value of an expression: the last name or key in it."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    if isinstance(node, cst.Subscript):
        index = node.slice[0].slice if len(node.slice) == 1 else None
        if isinstance(index, cst.Index) and isinstance(index.value, cst.SimpleString):
            key = index.value.raw_value
            if isinstance(key, str) and key.isidentifier():
                return key
        return _name_for(node.value)
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name | cst.Attribute) and not _is_clock(node):
        return _name_for(node.func).removeprefix("get_")
    if isinstance(node, cst.BinaryOperation):
        return "elapsed" if any(_is_clock(found) for found in walk(node)) else "value"
    return "now" if _is_clock(node) else "value"


def _is_clock(node: cst.CSTNode) -> bool:
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and isinstance(node.func.value, cst.Name)
        and node.func.value.value == "time"
    )


def _is_data(node: cst.Attribute | cst.Subscript) -> bool:
    inner = node.value
    if isinstance(node, cst.Attribute):
        return node.attr.value == "data"
    return isinstance(inner, cst.Attribute) and inner.attr.value == "data"
