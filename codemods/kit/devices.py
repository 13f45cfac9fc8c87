"""How code anywhere in a script can name the XLA device: a name it has already, or one that is defined there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.launch import Launch
from codemods.kit.mentions import Mentions
from codemods.kit.names import Binding, Scope, dotted
from codemods.kit.roles import OTHER_DEVICE, Role
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script

Holder = cst.FunctionDef | cst.Module


class Devices:
    """Names for the device, existing and introduced."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._introduced: dict[cst.CSTNode, tuple[str, cst.CSTNode]] = {}
        self.replaced: set[cst.CSTNode] = set()
        """Statements that define the device too late, where a definition that was introduced takes their name."""

    def is_accelerator(self, node: cst.BaseExpression | None) -> bool:
        """Whether an expression means the accelerator the script trains on; see `Accelerator.means`."""
        return self.script.accelerator.means(node)

    def binds_accelerator(self, binding: Binding) -> bool:
        """Whether a binding gives its name the accelerator."""
        return self.script.accelerator.binds(binding)

    def at(self, node: cst.CSTNode) -> str:
        """An expression for the XLA device that works where `node` is; a definition is introduced if there is none.
        What TorchScript compiles knows it by its name."""
        if self.script.scripted.holds(node):
            return '"xla"'
        found = self.visible(node)
        return found if found is not None else self.introduce(node)

    # --- names there are ----------------------------------------------------------------------------------------

    def visible(self, node: cst.CSTNode) -> str | None:
        """A name, attribute or dotted chain that holds the device where `node` is, once the definitions are XLA's."""
        names, tree = self.script.names, self.script.tree
        own = tree.function(node)
        scope: Scope | None = names.scope(node)
        while scope is not None:
            if not scope.is_class:
                found = [name for name, bound in scope.names.items() if self._serves(name, bound, scope, own, node)]
                if found:
                    return best_name(found)
            scope = scope.outer
        return self._attribute(own, node) or self._chain(own, node)

    def _serves(
        self, name: str, bindings: list[Binding], scope: Scope, own: cst.FunctionDef | None, node: cst.CSTNode
    ) -> bool:
        holds = self.script.device_positions.holds
        held = [binding for binding in bindings if holds(binding) and not _may_be_none(binding)]
        if not held or (scope is self.script.names.module and own is not None and name in self.relocated):
            return False
        # What this function binds itself, by `global` too, is there only below.
        mine = scope.node is own or any(self.script.tree.function(binding.node) is own for binding in held)
        if mine or (own is None and scope is self.script.names.module):
            return any(self._precedes(binding, node) and self._is_sure(binding, bindings, node) for binding in held)
        return self._serves_functions(name, held)

    def _serves_functions(self, name: str, bindings: list[Binding]) -> bool:
        """Not what is bound under the `__main__` guard, unless the script's own work is there: it is missing where the
        file is imported."""
        if self._module_moves and not self.script.launch.several:
            return True
        unguarded = any(not self._is_guarded(binding) for binding in bindings)
        return unguarded or any(map(self.script.tree.function, self.reads(name)))

    def _is_guarded(self, binding: Binding) -> bool:
        tree = self.script.tree
        return tree.function(binding.node) is None and any(map(self.script.is_main_guard, tree.ancestors(binding.node)))

    def _attribute(self, own: cst.FunctionDef | None, node: cst.CSTNode) -> str | None:
        class_ = self.script.tree.class_of(node)
        if class_ is None or own is None or not own.params.params or own.params.params[0].name.value != "self":
            return None
        found: list[str] = []
        for (holder, attribute), bindings in self.script.names.attributes.items():
            if holder is not class_:
                continue
            # A class attribute is the text "xla", not a device.
            held = [b for b in bindings if self.script.device_positions.holds(b) and not (b.scope and b.scope.is_class)]
            made = [b for b in held if self._maker(b) == "__init__"]
            inside = any(self._precedes(b, node) for b in held if self.script.tree.function(b.node) is own)
            later = own.name.value != "__init__" and held and (made or self._is_set_for(own, class_, attribute, held))
            if inside or later:
                found.append(f"self.{attribute}")
        if own.name.value != "__init__":
            found += [f"self.{attribute}" for attribute in self._inherited(class_)]
        return best_name(found)

    def _is_set_for(
        self, own: cst.FunctionDef, class_: cst.ClassDef, attribute: str, bindings: list[Binding]
    ) -> bool:
        """Whether what another method than `__init__` sets is there in this one: `__init__` calls that method, or this
        one reads the attribute itself. Perhaps nobody calls what sets it."""
        start = self.script.names.method(class_, "__init__")
        setting = {f"self.{self._maker(binding)}" for binding in bindings}
        calls = self.script.tree.inside(start.body, cst.Call) if start is not None else ()
        reads = (dotted(one) for one in self.script.tree.inside(own.body, cst.Attribute))
        return any(dotted(call.func) in setting for call in calls) or f"self.{attribute}" in reads

    def _inherited(self, class_: cst.ClassDef) -> list[str]:
        """The attributes that hold the device by what the class's bases in other files do."""
        qualname = self.script.tree.qualname(class_)
        return [
            attribute
            for (holder, attribute), values in self.script.links.attributes.items()
            if holder == qualname and all(v.role is Role.DEVICE and v.of != OTHER_DEVICE for v in values)
        ]

    def _maker(self, binding: Binding) -> str:
        function = self.script.tree.function(binding.node)
        return function.name.value if function is not None else "__init__"

    def _chain(self, own: cst.FunctionDef | None, node: cst.CSTNode) -> str | None:
        """`args.device`, where the script assigns it."""
        names, tree = self.script.names, self.script.tree
        for chain, bindings in names.dotted.items():
            held = [b for b in bindings if self.script.device_positions.holds(b)]
            if not held or names.find(chain.partition(".")[0], names.scope(node)) is None:
                continue
            same = [b for b in held if tree.function(b.node) is own]
            if not same or any(self._precedes(b, node) and self._is_sure(b, bindings, node) for b in same):
                return chain
        return None

    def _precedes(self, binding: Binding, node: cst.CSTNode) -> bool:
        return binding.kind == "parameter" or (
            self.script.tree.before(binding.node, node) and not self.script.tree.contains(binding.node, node)
        )

    def _is_sure(self, binding: Binding, others: list[Binding], node: cst.CSTNode) -> bool:
        """Whether the name is bound when `node` runs: an `if` around the binding must bind it in its `else` too."""
        tree = self.script.tree
        if binding.kind == "parameter":
            return True
        child: cst.CSTNode = binding.node
        around = {*tree.ancestors(node)}
        for outer in tree.ancestors(binding.node):
            if outer in around:
                break
            if isinstance(outer, cst.If) and child is not outer.test:
                rest = outer.orelse if child is not outer.orelse else outer.body
                if not any(rest is not None and tree.contains(rest, b.node) for b in others if b is not binding):
                    earlier = [b for b in others if b is not binding and tree.before(b.node, outer)]
                    if not earlier:
                        return False
            if isinstance(outer, cst.For | cst.While):
                return False
            child = outer
        return True

    # --- names that are defined ---------------------------------------------------------------------------------

    @cached_property
    def relocated(self) -> dict[str, list[Binding]]:
        """Device names of the module that only functions read, in a script that starts processes or is imported by one.

        No XLA device may exist before the processes do (torch_xla 2.9 raises), and a module-level one is made when the
        module is imported: these names have to be bound in the functions instead.
        """
        launch, names, tree = self.script.launch, self.script.names, self.script.tree
        links = self.script.links
        if not (launch.several or links.several) or launch.kind is Launch.XLA:
            return {}
        found = {
            name: bindings
            for name, bindings in names.module.names.items()
            if all(self.script.device_positions.holds(binding) for binding in bindings)
            and not any(tree.function(binding.node) for binding in bindings)
        }
        shared = {name for scope in names.all_scopes() for name in scope.shared}
        for name in [*found]:
            reads = self.reads(name)
            if (
                name in links.wanted
                or name in shared
                or not reads
                or any(tree.function(node) is None for node in reads)
            ):
                del found[name]
        return found

    def reads(self, name: str) -> list[cst.Name]:
        """Where a name of the module is read."""
        names, tree = self.script.names, self.script.tree
        bound = {id(target) for b in names.module.names.get(name, ()) for target in _targets(b.node)}
        return [
            node
            for node in tree.all(cst.Name)
            if node.value == name
            and id(node) not in bound
            and self._is_read(node)
            and (found := names.find(name, names.scope(node))) is not None
            and found[0] is names.module
        ]

    def introduce(self, node: cst.CSTNode, name: str = "") -> str:
        """Have the device defined in the function that runs `node`, before the first statement that needs it."""
        holder = self._holder(node)
        place = self._place(holder, node)
        known = self._introduced.get(holder)
        if known is None:
            name = name or next(iter(self.relocated), "") or self._pulled(holder, place) or self._bound_later(holder)
            name = name or ("device" if self._is_free("device", node) else "xla_device")
            self._introduced[holder] = (name, place)
            return name
        if self.script.tree.before(place, known[1]):
            self._introduced[holder] = (known[0], place)
        return known[0]

    def _pulled(self, holder: Holder, place: cst.CSTNode) -> str:
        """The name that the function itself binds to the device, only below `place`: its definition moves up."""
        if not isinstance(holder, cst.FunctionDef):
            return ""
        names, tree = self.script.names, self.script.tree
        scope = names.scope(holder.body)
        for name, bindings in scope.names.items():
            statements = {self._definition(binding) for binding in bindings}
            statement = statements.pop() if len(statements) == 1 and name not in scope.shared else None
            if statement is not None and tree.before(place, statement) and tree.function(statement) is holder:
                if tree.statement(statement) in tree.block(place):
                    self.replaced.add(statement)
                    return name
        return ""

    def _bound_later(self, holder: Holder) -> str:
        """The name that a later cell of a notebook binds to the device: bound earlier, too, it means the same."""
        if holder is not self.script.tree.module or not self.script.cells:
            return ""
        holds = self.script.device_positions.holds
        found = [name for name, bound in self.script.names.module.names.items() if all(map(holds, bound))]
        return best_name(found) or ""

    def _definition(self, binding: Binding) -> cst.CSTNode | None:
        """The statement that does nothing but bind a name to the device: an assignment, or a choice of the device."""
        node = binding.node
        if not isinstance(node, cst.Assign) or [type(target.target) for target in node.targets] != [cst.Name]:
            return None
        choice = self.script.device_choices.around(node)
        if choice is not None:
            return choice
        return node if node.value in self.script.device_positions.definitions else None

    def _holder(self, node: cst.CSTNode) -> Holder:
        """The outermost function around the node, whose name a nested one sees; the module when its own code moves
        things to the device in one process, so that one definition serves the functions too."""
        tree = self.script.tree
        function = tree.function(node)
        if function is None or (self._module_moves and not self.script.launch.several):
            return tree.module
        while (outer := tree.function(function)) is not None:
            function = outer
        return function

    @cached_property
    def _module_moves(self) -> list[cst.CSTNode]:
        """What the module's own code moves to the device, in source order; not what a module that others import tries
        under its `__main__` guard, which is missing there."""
        tree = self.script.tree
        found: list[cst.CSTNode] = [node for node in self.script.device_positions.moves if tree.function(node) is None]
        if self.script.links.wanted:
            found = [node for node in found if not any(map(self.script.is_main_guard, tree.ancestors(node)))]
        return sorted(found, key=lambda node: tree.order[node])

    def _place(self, holder: Holder, node: cst.CSTNode) -> cst.CSTNode:
        tree = self.script.tree
        if isinstance(holder, cst.Module) and tree.function(node) is not None:
            # The functions may run from the first module-level call of one of them.
            names = self.script.names
            calls = [call for call in tree.all(cst.Call) if tree.function(call) is None]
            own = [call for call in calls if self._may_run(names.local_function(call.func), node)]
            node = min([*self._module_moves, *own], key=lambda found: tree.order[found])
        return self._member(holder, node)

    def _may_run(self, called: cst.FunctionDef | None, node: cst.CSTNode) -> bool:
        """Whether calling a function of the script may run the one around the node."""
        function = self.script.tree.function(node)
        return called is not None and function is not None and self._mentions.may_run(called, function)

    @cached_property
    def _mentions(self) -> Mentions:
        return Mentions(self.script.tree)

    def _is_free(self, name: str, node: cst.CSTNode) -> bool:
        names = self.script.names
        found = names.find(name, names.scope(node))
        if found is not None:  # no function reads what is bound under the `__main__` guard: it may have its own
            module = found[0] is names.module and self.script.tree.function(node) is not None
            return module and not self._serves_functions(name, names.module.names[name])
        # A name that is read and bound nowhere comes from a star import, or from code that runs this file.
        reads = (found for found in self.script.tree.all(cst.Name) if found.value == name and self._is_read(found))
        return all(names.find(name, names.scope(found)) is not None for found in reads)

    def _is_read(self, node: cst.Name) -> bool:
        """Also where it is the first part of a chain such as `device.type`."""
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.Attribute):
            return parent.value is node
        return self.script.names.is_reference(node)

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

    def definitions(self, phrase: str) -> Iterator[tuple[cst.CSTNode, cst.CSTNode, str]]:
        """Where a device has to be defined: the function or module, the statement it goes before, and its own code."""
        for holder, (name, place) in self._introduced.items():
            yield holder, place, f"{name} = {phrase}"


def _may_be_none(binding: Binding) -> bool:
    """`device=None`: `.cuda(None)` moves to the current device, `.to(None)` nowhere."""
    default = binding.node.default if isinstance(binding.node, cst.Param) else None
    return isinstance(default, cst.Name) and default.value == "None"


def best_name(names: list[str]) -> str | None:
    """Of several names for the device the one that says so, else the first."""
    return next((name for name in names if "device" in name.lower()), names[0] if names else None)


def _targets(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if isinstance(statement, cst.Assign):
        for target in statement.targets:
            yield from walk(target)
    elif isinstance(statement, cst.AnnAssign):
        yield statement.target


def without_unused(holder: Holder, definition: cst.BaseSmallStatement) -> Holder:
    """The function without a device definition that nothing in it reads any more: what needed it was removed."""
    assert isinstance(definition, cst.Assign)
    target = definition.targets[0].target
    assert isinstance(target, cst.Name)
    found: list[cst.Name] = []
    spelled: list[cst.Name | None] = []
    for node in walk(holder):
        if type(node) is cst.Name and node.value == target.value and node is not target:
            found.append(node)
        elif type(node) is cst.Attribute:
            spelled.append(node.attr)  # `torch_xla.device` reads no `device`
        elif type(node) is cst.Arg:
            spelled.append(node.keyword)
    if found and not {*found}.issubset(spelled):
        return holder
    changed = _without(holder, definition)
    assert isinstance(changed, cst.FunctionDef | cst.Module)
    return changed


def _without(node: cst.CSTNode, definition: cst.BaseSmallStatement) -> cst.CSTNode:
    body = getattr(node, "body", None)
    if isinstance(body, cst.IndentedBlock):
        new = _without(body, definition)
        return node if new is body else node.with_changes(body=new)
    if not isinstance(node, cst.IndentedBlock | cst.Module):
        return node
    lines = list(node.body)
    for index, line in enumerate(lines):
        if isinstance(line, cst.SimpleStatementLine) and line.body and line.body[0] is definition:
            following = lines[index + 1 :]
            if following and line.leading_lines and hasattr(following[0], "leading_lines"):
                own = following[0].leading_lines
                doubled = own and own[0].comment is None and not any(above.comment for above in line.leading_lines)
                led = own if doubled else [*line.leading_lines, *own]
                following[0] = following[0].with_changes(leading_lines=led)
            return node.with_changes(body=[*lines[:index], *following])
        if isinstance(line, cst.If):  # `if __name__ == "__main__":`
            new_line = _without(line, definition)
            if new_line is not line:
                return node.with_changes(body=[*lines[:index], new_line, *lines[index + 1 :]])
    return node
