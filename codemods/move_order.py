"""Move the model before its optimizer is built.

`model.to(device)` on XLA gives the module new Parameters; on CUDA it changes them in place. An optimizer built first
keeps the old ones on the CPU: the script runs, the loss is printed, and nothing trains (seen on torch_xla 2.1 and 2.9;
pytorch/xla issue 1623). So the move goes above the optimizer, with the definition of the device when that comes later,
and under the same `if` when the user's flag decides. A model that goes to the CPU to be saved and comes back would lose
its optimizer the same way: it stays where it is. Moving a module again is free, so where the move is in another
function, or another cell of a notebook, or of a model that has this one as a part, it stays there and one is added
above the optimizer.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.accelerator import AVAILABLE
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.model_moves import ModelMove
from codemods.kit.names import dotted
from codemods.kit.phrases import Idiom
from codemods.kit.roles import Role
from codemods.kit.round_trips import round_trips
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_DOCUMENT = "pytorch/xla issue 1623; torch 1.13 torch/nn/modules/module.py Module._apply"


class MoveOrder(Codemod):
    """Move the model before its optimizer is built."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC115", "the model moves before its optimizer is built", Safety.EXACT, document=_DOCUMENT),
        Rule("TC120", "the model moves before its optimizer is built; it moves elsewhere, too", Safety.REVIEW,
             advice="check that the model is not replaced between the optimizer and its move", document=_DOCUMENT),
        Rule("TC129", "a model that went to the CPU to be saved stays on the device", Safety.EXACT, document=_DOCUMENT),
        Rule("TC110", "the model moves after its optimizer was built", Safety.NOTE, Severity.ERROR,
             advice="move the model before the optimizer is built: what it holds then is never trained",
             document=_DOCUMENT),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nmodel.cuda()\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\ndevice = xm.xla_device()\nmodel.to(device)\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n",
            xla="import torch\nimport torch_xla\n\ndevice = torch_xla.device()\nmodel.to(device)\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n",
        ),
        Example(before="import torch\n\nmodel.cuda()\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"),
    )

    def rewrite(self) -> None:
        links, source = self.script.links, self.script.tree.source
        shown = links.meaning is not None and links.meaning.early
        if not links.placed and not shown and not any(word in source for word in (".cuda(", ".to(")):
            return
        self._stayed: set[cst.Call] = set()
        if ".cpu()" in self.script.tree.source:
            self._round_trips()
        placed: set[tuple[cst.CSTNode, str]] = set()
        for move in self.script.model_moves.moves:
            if move.optimizer is None:
                passed = self.script.model_moves.passed_with_optimizer(move)
                if passed and move.call not in self._stayed:
                    self.note("TC110", move.call, f"{move.model} moves here, after {passed} was built elsewhere")
                continue
            name = move.across or move.model
            if move.across:
                if (move.optimizer, name) not in placed:
                    self._add(move, move.optimizer, name)
            else:
                self._lift(move, move.optimizer, (move.optimizer, name) in placed)
            placed.add((move.optimizer, name))
        for move in self.script.model_moves.handed:
            if move.optimizer is not None and (move.optimizer, move.model) not in placed:
                self._add(move, move.optimizer, move.model)
                placed.add((move.optimizer, move.model))
            elif move.optimizer is None and any(self.script.is_a(arg.value, Role.OPTIMIZER) for arg in move.call.args):
                self.note("TC110", move.call, f"{move.model} moves in this call, after its optimizer was built")

        for statement, model, imported in self.script.model_moves.early:
            function = self.script.tree.function(statement)
            if any(name == model and self.script.tree.function(where) is function for where, name in placed):
                continue
            if imported:
                self.note("TC110", statement, f"{model}'s parameters are listed in an import, before it moves")
                continue
            edit = self.edit("TC120", statement, f"{model} moves first", ["it moves after its parameters were listed"])
            edit.before(statement, f"{model}.to({code_of(self._device_there(edit, statement))})")
            placed.add((statement, model))

    # --- to the CPU and back ------------------------------------------------------------------------------------------

    def _round_trips(self) -> None:
        """`model.cpu()`, a save, `model.to(device)`: the model stays, whoever holds its parameters."""
        built = {model for _, models in self.script.model_moves.optimizers for model in models}
        for trip in round_trips(self.script):
            if trip.saves:
                self._stayed.add(trip.back)
                for call in (trip.away, trip.back) if trip.sure else (trip.away,):
                    edit = self.edit("TC129", call, f"{trip.model} stays on the device: saving copies it to the CPU")
                    self._stay(edit, call)
            elif trip.model in built:
                message = f"{trip.model} comes back from the CPU with parameters its optimizer does not hold"
                self.note("TC110", trip.back, message)

    def _stay(self, edit: Edit, call: cst.Call) -> None:
        statement = self.script.tree.small_statement(call)
        alone = isinstance(statement, cst.Expr) and statement.value is call
        if alone and isinstance(_receiver(call), cst.Name | cst.Attribute | cst.Subscript):
            edit.remove(call)
        else:
            edit.replace(call, _receiver)

    def _add(self, move: ModelMove, optimizer: cst.CSTNode, name: str) -> None:
        line = self.script.tree.line(move.call)
        evidence = [f"moved at line {line}, after its optimizer was built"]
        edit = self.edit("TC120", optimizer, f"{name} moves first", evidence)
        edit.before(optimizer, f"{name}.to({code_of(self._device_there(edit, optimizer))})")

    def _device_there(self, edit: Edit, optimizer: cst.CSTNode) -> cst.BaseExpression:
        """A name for the device where the optimizer is built. A parameter that may be None is none: `.to(None)` does
        nothing."""
        device = edit.device(optimizer)
        function = self.script.tree.function(optimizer)
        parameters = (*function.params.params, *function.params.kwonly_params) if function is not None else ()
        may_be_none = (
            isinstance(device, cst.Name)
            and parameter.name.value == device.value
            and isinstance(parameter.default, cst.Name)
            and parameter.default.value == "None"
            for parameter in parameters
        )
        return edit.say(Idiom.DEVICE) if any(may_be_none) else device

    def _lift(self, move: ModelMove, optimizer: cst.CSTNode, again: bool) -> None:
        guard = self._guard(move, optimizer)
        if guard is None:
            line = self.script.tree.line(optimizer)
            self.note("TC110", move.call, f"{move.model} moves after its optimizer was built at line {line}")
            return
        line = self.script.tree.line(optimizer)
        # Each cell of a notebook is run by itself: what one does is not taken out of it for another.
        together = self.script.cells.together(move.call, optimizer)
        if again and not together:
            return
        if together:
            message = f"{move.model} moves before its optimizer"
            edit = self.edit("TC115", move.call, message, [f"optimizer at line {line}"])
        else:
            edit = self.edit("TC120", optimizer, f"{move.model} moves first: a later cell moves it")
        if not again:
            device = self._device(edit, move, optimizer) if together else code_of(edit.device(optimizer))
            statement = self.script.tree.small_statement(move.call)
            binds = isinstance(statement, cst.Assign) and statement.value is move.call
            code = f"{move.model} = {move.model}.to({device})" if binds else f"{move.model}.to({device})"
            edit.before(self._choice(move, optimizer), f"if {guard}:\n    {code}\n" if guard else code)
        if together and self.script.placements.around(move.call) is None:
            self._take_out(edit, move)

    def _choice(self, move: ModelMove, optimizer: cst.CSTNode) -> cst.CSTNode:
        """The optimizer, or the outermost `if` that chooses one: the move below it served every branch."""
        tree, found = self.script.tree, optimizer
        place: cst.CSTNode = found
        for outer in tree.ancestors(optimizer):
            if tree.contains(outer, move.call) or isinstance(outer, cst.FunctionDef | cst.For | cst.While | cst.With):
                break
            if isinstance(outer, cst.If) and self.script.placements.around(move.call) is None:
                place = outer
        bound = {
            dotted(target.target)
            for assign in tree.all(cst.Assign)
            if tree.contains(place, assign) and tree.before(assign, optimizer)
            for target in assign.targets
        }
        return optimizer if move.model in bound or tree.function(optimizer) is not tree.function(move.call) else place

    def _take_out(self, edit: Edit, move: ModelMove) -> None:
        """The move where it was: its line, or the call alone in a bigger expression."""
        statement = self.script.tree.small_statement(move.call)
        alone = isinstance(statement, cst.Expr | cst.Assign) and statement.value is move.call
        targets = [code_of(target.target) for target in statement.targets] if isinstance(statement, cst.Assign) else []
        if alone and targets in ([], [move.model]):
            edit.remove(move.call)
        else:
            edit.replace(move.call, lambda updated: updated.func.value)

    def _guard(self, move: ModelMove, optimizer: cst.CSTNode) -> str | None:
        """The condition the move stands under and the optimizer does not: empty for none, None for one that can't be
        asked above the optimizer."""
        tree = self.script.tree
        if self.script.placements.around(move.call) is not None:
            return ""
        around = {*tree.ancestors(optimizer)}
        tests: list[cst.BaseExpression] = []
        child: cst.CSTNode = move.call
        for outer in tree.ancestors(move.call):
            if outer in around:
                break
            if isinstance(outer, cst.If) and child is not outer.test:
                if child is not outer.body:
                    return None
                tests.append(outer.test)
            child = outer
        asked = [test for test in tests if not self._is_certain(test)]
        if any(not self._is_bound_above(test, optimizer) for test in asked):
            return None
        return " and ".join(code_of(test) for test in reversed(asked))

    def _is_certain(self, test: cst.BaseExpression) -> bool:
        return isinstance(test, cst.Call) and self.script.qualified(test.func) in AVAILABLE

    def _is_bound_above(self, test: cst.BaseExpression, optimizer: cst.CSTNode) -> bool:
        """Whether a condition can be asked above the optimizer: it has no `or` and no call, and its names are bound."""
        tree, names = self.script.tree, self.script.names
        for node in walk(test):
            if isinstance(node, cst.Call | cst.Or):
                return False
            if isinstance(node, cst.Name) and names.is_reference(node):
                own = [b for b in names.bindings(node) if tree.function(b.node) is tree.function(optimizer)]
                if own and not any(b.kind == "parameter" or tree.before(b.node, optimizer) for b in own):
                    return False
        return True

    def _device(self, edit: Edit, move: ModelMove, optimizer: cst.CSTNode) -> str:
        """A name for the device above the optimizer; one that is bound only later is bound there instead."""
        devices = self.edits.devices
        found = devices.visible(optimizer)
        later = devices.visible(move.call) if found is None else None
        scope = self.script.names.scope(move.call)
        bindings = scope.names.get(later or "", [])
        if later is not None and len(bindings) == 1 and edit.allowed:
            statement = bindings[0].node
            block = self.script.tree.block(self.script.tree.statement(optimizer) or optimizer)
            if isinstance(statement, cst.Assign) and self.script.tree.statement(statement) in block:
                edit.before(optimizer, f"{later} = {code_of(edit.say(Idiom.DEVICE))}")
                edit.remove(statement)
                return later
        return code_of(edit.device(optimizer))


def _receiver(call: cst.Call) -> cst.BaseExpression:
    assert isinstance(call.func, cst.Attribute)
    return call.func.value
