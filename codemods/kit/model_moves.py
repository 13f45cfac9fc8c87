"""Where a model moves to the device, against where its optimizer is built.

`.to(xla_device)` gives a module new Parameters (torch_xla 2.1 and 2.9): an optimizer built before it keeps the old ones
and trains nothing, without an error, and parameters that two modules shared are two. On CUDA both survive the move.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.names import argument, dotted
from codemods.kit.roles import Role, Value
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script


@dataclass(eq=False)
class ModelMove:
    """One `.cuda()` or `.to(device)` of a model."""

    call: cst.Call
    model: str
    """The name or dotted chain moved; empty for an expression such as `Net()`."""
    value: Value | None
    function: cst.FunctionDef | None
    optimizer: cst.CSTNode | None = None
    """The first optimizer that is built over the model before this move, or the statement that lists its parameters."""
    across: str = ""
    """The model's name where the optimizer is built, when that is another function."""


class ModelMoves:
    """The moves of models of one script, in source order."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.optimizers = self._optimizers()
        self.moves = [move for call in script.tree.all(cst.Call) if (move := self._move(call)) is not None]
        self.early = list(self._early())
        """Statements that list the parameters of a model which another function moves too late, with the model, and
        whether an import does it."""
        self.handed = [*self._handed(), *self._parts()]
        """Models that move with something else: calls of functions of other files that move a model they are passed,
        `Trainer(model, optimizer)`, and moves of a model that has them as parts."""

    def _optimizers(self) -> list[tuple[cst.Call, set[str]]]:
        """The calls that build an optimizer, each with the models whose parameters it takes."""
        built = {step.value.origin for step in self.script.loops.steps}
        built.update(self.script.calls("torch.optim.*", "apex.optimizers.*", "torch_xla.amp.syncfree.*"))
        found: list[tuple[cst.Call, set[str]]] = []
        for call in built:
            if isinstance(call, cst.Call) and call.args and self.script.is_a(call, Role.OPTIMIZER):
                params = argument(call, 0, "params") or call.args[0]
                found.append((call, self._models_in(params.value, 3)))
        found += self._factories({call for call, _ in found})
        return sorted(found, key=lambda pair: self.script.tree.order[pair[0]])

    def _factories(self, known: set[cst.Call]) -> list[tuple[cst.Call, set[str]]]:
        """`optimizer = configure_optimizers(model)`: calls that give an optimizer and are given a model."""
        found: list[tuple[cst.Call, set[str]]] = []
        for assign in self.script.tree.all(cst.Assign):
            call = assign.value
            if not isinstance(call, cst.Call) or call in known or not self.script.is_a(call, Role.OPTIMIZER):
                continue
            models = {dotted(arg.value) for arg in call.args if self.script.is_a(arg.value, Role.MODEL)}
            if isinstance(call.func, cst.Attribute) and self.script.is_a(call.func.value, Role.MODEL):
                models.add(dotted(call.func.value))
            if names := {name.removesuffix(".module") for name in models if name}:
                found.append((call, names))
        return found

    def _models_in(self, node: cst.BaseExpression, depth: int) -> set[str]:
        """The x of every `x.parameters()` in an expression, and in what its names are bound to."""
        found: set[str] = set()
        for part in walk(node):
            if type(part) is cst.Attribute and part.attr.value in ("parameters", "named_parameters"):
                found.add((dotted(part.value) or "").removesuffix(".module"))
            elif type(part) is cst.Name and depth:
                for binding in self.script.names.bindings(part):
                    value = binding.value
                    if self._is_later(binding.node, part):
                        continue
                    if binding.kind in ("assign", "for") and value is not None and value is not node:
                        found |= self._models_in(value, depth - 1)
        return {name for name in found if name}

    def _is_later(self, binding: cst.CSTNode, use: cst.CSTNode) -> bool:
        """Whether a name gets a value only below its use, in the same function and no loop around both."""
        tree = self.script.tree
        if tree.function(binding) is not tree.function(use) or not tree.before(use, binding):
            return False
        loops = (outer for outer in tree.ancestors(use) if isinstance(outer, cst.For | cst.While))
        return not any(tree.contains(loop, binding) for loop in loops)

    def _early(self) -> Iterator[tuple[cst.CSTNode, str, bool]]:
        """What the program's execution shows and reading did not. A move of the same function is told what it is late
        for."""
        tree = self.script.tree
        of_call = {self.script.roles.key(call): call for call in tree.all(cst.Call)}
        meaning = self.script.links.meaning
        for early in sorted(meaning.early, key=lambda one: one.statement) if meaning is not None else ():
            statement = tree.statement_numbered(early.statement)
            call = of_call.get(early.move) if early.move is not None else None
            found = next((move for move in self.moves if move.call is call), None)
            if statement is None:
                continue
            if found is not None and found.optimizer is not None:
                # What the optimizer is given was listed even earlier.
                for move in self.moves:
                    same = move.model == found.model and move.function is found.function and not move.across
                    if same and move.optimizer is not None and tree.before(statement, move.optimizer):
                        move.optimizer = statement
                continue
            function = tree.function(statement)
            if any(
                move.optimizer is not None
                and early.model == (move.across or move.model)
                and tree.function(move.optimizer) is function
                for move in self.moves
            ):
                continue
            if found is not None:
                assert isinstance(found.call.func, cst.Attribute)
                found.optimizer, found.model = statement, code_of(found.call.func.value)
            elif call is None:
                yield statement, early.model, early.imported

    def passed_with_optimizer(self, move: ModelMove) -> str:
        """The parameter that brings an optimizer to the function that moves the model it was passed, when nobody in
        this file calls it: the model moves too late, unless the other file moves it too."""
        function = move.function
        if function is None or self.script.roles.call_sites(function) or self._is_passed(function, move.model):
            return ""
        names = [parameter.name.value for parameter in function.params.params]
        found = next((name for name in names if name in ("optimizer", "opt", "optim")), "")
        return found if move.model in names and move.model in ("model", "net", "network", "module") else ""

    def _is_passed(self, function: cst.FunctionDef, name: str) -> bool:
        """Whether another file of the project passes a parameter: it knows whether the optimizer is built by then."""
        return (self.script.tree.qualname(function), name) in self.script.links.parameters

    def _handed(self) -> Iterator[ModelMove]:
        tree, placed = self.script.tree, self.script.links.placed
        for call in tree.calls_numbered(placed):
            for passed in placed[tree.order[call]]:
                position, keyword = (int(passed[1:]), "") if passed.startswith("#") else (None, passed)
                given = argument(call, position, keyword)
                name = dotted(given.value) if given is not None else None
                value = self.script.value(given.value, Role.MODEL) if given is not None else None
                function = tree.function(call)
                if name is None or value is None or (function is not None and self._is_passed(function, name)):
                    continue
                ahead = [o for o, models in self.optimizers if name in models and tree.before(o, call)]
                optimizer = next((o for o in ahead if tree.function(o) is function), None)
                if optimizer is None or not self._is_moved(name, optimizer):
                    yield ModelMove(call, name, value, function, optimizer, name)

    def _parts(self) -> Iterator[ModelMove]:
        """`Noisy(network).to(device)`, where an optimizer was built over the network: the parts move with the whole."""
        tree = self.script.tree
        for move in self.moves if self.optimizers else ():
            assert isinstance(move.call.func, cst.Attribute)
            makers = {v.origin for v in self.script.roles.values(move.call.func.value) if v.role is Role.MODEL}
            given = [arg.value for maker in makers if isinstance(maker, cst.Call) for arg in maker.args]
            parts = {dotted(value): value for value in given if self.script.is_a(value, Role.MODEL)}
            for optimizer, models in self.optimizers:
                if tree.function(optimizer) is not move.function or not tree.before(optimizer, move.call):
                    continue
                for part in (name for name in parts if name and name in models):
                    if tree.function(parts[part]) is move.function and not self._is_moved(part, optimizer):
                        yield ModelMove(move.call, part, None, move.function, optimizer, part)

    def _move(self, call: cst.Call) -> ModelMove | None:
        func = call.func
        if not isinstance(func, cst.Attribute) or not self._is_move(call):
            return None
        name = dotted(func.value) or ""
        optimizer, across = self._built_before(call, name)
        value = self.script.value(func.value, Role.MODEL)
        move = ModelMove(call, name, value, self.script.tree.function(call), optimizer, across)
        return move if value or optimizer or self.passed_with_optimizer(move) else None

    def _is_move(self, call: cst.Call) -> bool:
        if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in ("cuda", "to"):
            return False
        if call.func.attr.value == "cuda":
            return True
        found = argument(call, 0, "device")
        positions = self.script.device_positions
        return found is not None and (self.script.accelerator.means(found.value) or found.value in positions.defining)

    # --- optimizers built too early -----------------------------------------------------------------------------------

    def _built_before(self, call: cst.Call, name: str) -> tuple[cst.Call | None, str]:
        """The first optimizer built over the model before the move, and the model's name where it is built, when that
        is another function."""
        tree = self.script.tree
        function = tree.function(call)
        for optimizer, models in self.optimizers:
            where = tree.function(optimizer)
            if where is function and name in models and tree.before(optimizer, call):
                return (None, "") if self._is_moved(name, optimizer) else (optimizer, "")
            if where is not function and name in models and self._runs_first(optimizer, call, name):
                return (None, "") if self._is_moved(name, optimizer) else (optimizer, name)
        inside = self._built_inside(call)
        return inside if inside[0] is not None else self._built_by_caller(call, name)

    def _built_inside(self, call: cst.Call) -> tuple[cst.Call | None, str]:
        """`Layer().to(device)`, where `Layer.__init__` builds an optimizer over `self.parameters()`."""
        tree, names = self.script.tree, self.script.names
        assert isinstance(call.func, cst.Attribute)
        origins = [v.origin for v in self.script.roles.values(call.func.value) if v.role is Role.MODEL]
        moved = {names.local_class(origin.func) for origin in origins if isinstance(origin, cst.Call)} - {None}
        for optimizer, models in self.optimizers if moved else ():
            where, class_ = tree.function(optimizer), tree.class_of(optimizer)
            name = next((name for name in models if name.partition(".")[0] == "self"), "")
            if where is None or where.name.value != "__init__" or class_ is None or not name:
                continue
            if self.script.roles.class_role(class_) is not Role.MODEL or self._is_moved(name, optimizer):
                continue
            if any(class_ is holder or self._makes(holder, class_) for holder in moved if holder is not None):
                return optimizer, name
        return None, ""

    def _makes(self, holder: cst.ClassDef, class_: cst.ClassDef) -> bool:
        """Whether a module is made of modules of this class."""
        calls = (call for call in self.script.tree.all(cst.Call) if self.script.tree.class_of(call) is holder)
        return any(self.script.names.local_class(call.func) is class_ for call in calls)

    def _runs_first(self, optimizer: cst.Call, call: cst.Call, name: str) -> bool:
        """`self.optimizer = SGD(self.model.parameters())` in `__init__`, the move in another method."""
        where, class_ = self.script.tree.function(optimizer), self.script.tree.class_of(optimizer)
        same = class_ is not None and class_ is self.script.tree.class_of(call)
        return same and where is not None and where.name.value == "__init__" and name.startswith("self.")

    def _built_where_made(self, call: cst.Call) -> tuple[cst.Call | None, str]:
        """`model, optimizer = build()`, and the model moves where it is passed to: `Trainer(model, optimizer)`."""
        tree = self.script.tree
        assert isinstance(call.func, cst.Attribute)
        made = {v.origin for v in self.script.roles.values(call.func.value) if v.role is Role.MODEL}
        function = tree.function(call)
        for optimizer, models in self.optimizers:
            where = tree.function(optimizer)
            if where is None or where is function or not any(tree.function(origin) is where for origin in made):
                continue
            name = next((name for name in models if self._is_made_as(name, where, made)), None)
            if name is None or self._is_moved(name, optimizer):
                continue
            return optimizer, name
        return None, ""

    def _is_made_as(self, name: str, where: cst.FunctionDef, made: set[cst.CSTNode]) -> bool:
        bindings = self.script.names.find(name, self.script.names.scope(where.body))
        return bindings is not None and any(
            value.origin in made for b in bindings[1] if b.value for value in self.script.roles.values(b.value)
        )

    def _is_moved_by_call(self, name: str, optimizer: cst.Call) -> bool:
        """`model = prepare(model)` above the optimizer, where `prepare` moves something."""
        tree = self.script.tree
        callees = {
            self.script.names.local_function(call.func)
            for call in tree.all(cst.Call)
            if tree.function(call) is tree.function(optimizer)
            and tree.before(call, optimizer)
            and any(dotted(arg.value) == name for arg in call.args)
        } - {None}
        return any(tree.function(call) in callees and self._is_move(call) for call in tree.all(cst.Call) if callees)

    def _built_by_caller(self, call: cst.Call, name: str) -> tuple[cst.Call | None, str]:
        """`train(model, optimizer)` whose first line is `model.cuda()`."""
        tree, roles = self.script.tree, self.script.roles
        function = tree.function(call)
        parameter = next((p for p in function.params.params if p.name.value == name), None) if function else None
        if function is None or parameter is None:
            return self._built_where_made(call)
        for site in roles.call_sites(function):
            passed = roles.parameter_argument(function, parameter, site)
            theirs = dotted(passed.value) if passed is not None else None
            for optimizer, models in self.optimizers:
                same = tree.function(optimizer) is tree.function(site) and tree.before(optimizer, site)
                if theirs in models and same and theirs is not None and not self._is_moved(theirs, optimizer):
                    return optimizer, theirs
        return self._built_where_made(call)

    def _is_moved(self, name: str, optimizer: cst.Call) -> bool:
        """Whether the model is already on the device when the optimizer is built."""
        tree = self.script.tree
        function = tree.function(optimizer)
        if self._is_moved_by_call(name, optimizer):
            return True
        return any(
            tree.function(call) is function
            and tree.before(call, optimizer)
            and self._is_move(call)
            and (dotted(call.func.value) == name or self._binds(call, name))  # type: ignore[attr-defined]
            for call in tree.all(cst.Call)
        )

    def _binds(self, call: cst.Call, name: str) -> bool:
        """`model = Net().cuda()`."""
        statement = self.script.tree.small_statement(call)
        return isinstance(statement, cst.Assign) and any(dotted(t.target) == name for t in statement.targets)
