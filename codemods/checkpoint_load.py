"""Load checkpoints to the CPU.

A checkpoint saved on CUDA asks for CUDA when it is loaded, and `map_location` with an XLA device raises (torch_xla
2.1 and 2.9). `map_location="cpu"` followed by `load_state_dict` is right everywhere: modules and optimizers copy what
they are given to the device of their parameters. A whole model that is loaded moves to the device after it.
Checkpoints that the original saved with the wrapper of `DistributedDataParallel` or `DataParallel` around the model
have `module.` before every key; the model has no wrapper any more, so the prefix is taken off before they are loaded.
`torch.compile` puts `_orig_mod.` there in the same way.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.edits import is_pure
from codemods.kit.fold import same_in_both_arms
from codemods.kit.host_options import has_options
from codemods.kit.locations import is_on_host
from codemods.kit.names import argument, dotted
from codemods.kit.opened import is_in_dataset
from codemods.kit.options import text
from codemods.kit.roles import WRAPPERS, Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.steps import exclusive
from codemods.kit.tree import walk

_SOURCE = "torch_xla 2.1 and 2.9: torch.load with an XLA map_location raises; torch 2.9 torch/nn/modules/utils.py"
_NO_SPACE = cst.SimpleWhitespace("")
_PREFIX = "torch.nn.modules.utils.consume_prefix_in_state_dict_if_present"


class CheckpointLoad(Codemod):
    """Load checkpoints to the CPU."""

    STAGE = Stage.SAVE
    RULES = (
        Rule("TC621", "checkpoints are loaded to the CPU", Safety.EXACT, document=_SOURCE),
        Rule("TC622", "the prefix of checkpoints saved under a wrapper is taken off", Safety.REVIEW,
             document=_SOURCE),
        Rule("TC629", "a checkpoint that is no plain state is loaded as one that is trusted", Safety.REVIEW,
             advice="weights_only=False runs what the file says: load only what this program wrote",
             document="torch 2.6 torch/serialization.py: weights_only is True unless it is given"),
        Rule("TC624", "a model and its optimizer are loaded whole", Safety.NOTE, Severity.ERROR,
             "load state dicts into what was built and moved before: a loaded optimizer holds parameters on the CPU",
             _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import torch\n\nmodel.load_state_dict(torch.load("model.pt"))\n',
            smtc='import torch\n\nmodel.load_state_dict(torch.load("model.pt", map_location="cpu"))\n',
            xla='import torch\n\nmodel.load_state_dict(torch.load("model.pt", map_location="cpu"))\n',
        ),
        Example('import torch\n\nstate = torch.load("model.pt", map_location="cpu")\n'),
    )

    def rewrite(self) -> None:
        for call in self.script.calls("torch.load"):
            if not any(arg.star == "**" for arg in call.args):
                self._trust(call)
                self._load(call)
        self._prefixes()

    def _load(self, call: cst.Call) -> None:
        where = argument(call, 1, "map_location")
        if self._is_migrated() if where is None else is_on_host(self.script, where.value):
            return
        if where is None and is_in_dataset(self.script, call):
            return
        tensor = where is not None and self._gives_tensor(call)
        whole = tensor or self._gives_model(call)
        then = "load_state_dict copies to the device"
        if whole:
            then = f"the {'tensor' if tensor else 'model'} moves to the device then"
        if names := self._objects(call):
            self.note("TC624", call, f"{names} stay on the CPU where they are loaded")
        edit = self.edit("TC621", call, f"is loaded to the CPU; {then}")
        device = build.code_of(edit.device(call)) if whole else ""

        def located(updated: cst.Call) -> cst.BaseExpression:
            if where is None:
                updated = build.with_keyword(updated, "map_location", self.quoted("cpu"))
            return build.expression(f"{{loaded}}.to({device})", loaded=updated) if whole else updated

        if where is None or whole:
            edit.replace(call, located)
        line = self.script.tree.statement(call)
        chosen = self.script.tree.enclosing(line, cst.If) if line is not None else None
        if chosen is not None and is_pure(chosen.test):  # `map_location` was all that the arms differed in
            edit.replace(chosen, same_in_both_arms)
        if where is None:
            return
        host = cst.SimpleString(self.quoted("cpu"))
        edit.replace(where, lambda updated: updated.with_changes(value=host))  # whatever a choice in it has become
        if isinstance(where.value, cst.Name):
            self._forget(where.value)

    def _trust(self, call: cst.Call) -> None:
        """Whole networks and objects of the program are read only where `weights_only=False` says so."""
        if self.edits.target.version < (2, 6) or argument(call, None, "weights_only") is not None:
            return
        if self.script.roles.pickled(call) is None and not self._is_called(call):
            return
        edit = self.edit("TC629", call, "is read whole: torch 2.6 and later read weights only")
        edit.replace(call, lambda updated: build.with_keyword(updated, "weights_only", "False"))

    def _is_called(self, call: cst.Call) -> bool:
        """Whether what is loaded is used as a network right there: `torch.load(path).eval()`."""
        outer: cst.CSTNode | None = self.script.tree.parent.get(call)
        while isinstance(outer, cst.Attribute | cst.Call):
            if isinstance(outer, cst.Attribute) and outer.attr.value in ("eval", "train", "parameters", "state_dict"):
                return True
            outer = self.script.tree.parent.get(outer)
        return False

    def _objects(self, call: cst.Call) -> str:
        """The names of `model, optimizer = torch.load(path)`, when a model is among them."""
        assign = self.script.tree.parent.get(call)
        target = assign.targets[0].target if isinstance(assign, cst.Assign) else None
        names = [element.value for element in target.elements] if isinstance(target, cst.Tuple | cst.List) else []
        models = [name for name in names if self.script.is_a(name, Role.MODEL)]
        return " and ".join(build.code_of(name) for name in names) if models else ""

    def _gives_model(self, call: cst.Call) -> bool:
        """Whether a whole model is loaded, and nothing after it moves it: `model = torch.load("best.pt")`."""
        tree, roles = self.script.tree, self.script.roles
        assign = tree.parent.get(call)
        if not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
            return False
        target = assign.targets[0].target
        if not isinstance(target, cst.Name | cst.Attribute):
            return False
        whole = roles.pickled(call) is True and not has_options(self.script)
        if not whole and not roles.is_a(target, Role.MODEL):
            return False
        return not self._is_moved_after(call, dotted(target))

    def _gives_tensor(self, call: cst.Call) -> bool:
        """Whether what is loaded is one tensor, which the script slices: no load_state_dict takes it to the device."""
        tree = self.script.tree
        assign = tree.parent.get(call)
        if not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
            return False
        target = assign.targets[0].target
        return (
            isinstance(target, cst.Name)
            and any(
                isinstance(use.value, cst.Name)
                and use.value.value == target.value
                and any(isinstance(part.slice, cst.Slice) for part in use.slice)
                and any(binding.node is assign for binding in self.script.names.bindings(use.value))
                for use in tree.all(cst.Subscript)
            )
            and not self._is_moved_after(call, target.value)
        )

    def _is_moved_after(self, call: cst.Call, name: str | None) -> bool:
        tree = self.script.tree
        return any(
            isinstance(move.func, cst.Attribute)
            and move.func.attr.value in ("to", "cuda")
            and dotted(move.func.value) == name
            and tree.before(call, move)
            and tree.function(move) is tree.function(call)
            and not self._excludes(call, move)
            for move in tree.all(cst.Call)
        )

    def _is_migrated(self) -> bool:
        """Whether the script was migrated by hand: what it loads, `xm.save` wrote from the CPU."""
        names = self.script.names
        return bool(names.calls("torch_xla.core.xla_model.save")) and not any(True for _ in names.uses("torch.cuda"))

    def _excludes(self, call: cst.Call, other: cst.Call) -> bool:
        """Whether one of two calls is in the `if` and the other in its `else`."""
        tree = self.script.tree
        return any(
            isinstance(outer, cst.If)
            and tree.contains(outer, other)
            and tree.contains(outer.body, call) != tree.contains(outer.body, other)
            for outer in tree.ancestors(call)
        )

    def _forget(self, name: cst.Name) -> None:
        """Remove the variable that held the location, when nothing else reads it."""
        names, tree = self.script.names, self.script.tree
        found = names.find(name.value, names.scope(name))
        if found is None or len(found[1]) != 1 or found[1][0].kind != "assign" or found[1][0].path:
            return
        held = found[1][0].value
        if isinstance(held, cst.Call) and self.script.qualified(held.func) == "torch.device":
            function = tree.function(name)
            if function is None or any(tree.function(move) is function for move in self.script.device_positions.moves):
                return  # a device is rewritten as such, and may be what other code is given
        uses = [
            node
            for node in tree.all(cst.Name)
            if node.value == name.value
            and not isinstance(tree.parent.get(node), cst.AssignTarget | cst.Attribute)
            and not self._is_keyword(node)
            and names.find(name.value, names.scope(node)) == found
        ]
        if uses == [name]:
            edit = self.edit("TC621", found[1][0].node, f"{name.value} located the checkpoint on a GPU")
            edit.remove(found[1][0].node)

    def _is_keyword(self, name: cst.Name) -> bool:
        holder = self.script.tree.parent.get(name)
        return isinstance(holder, cst.Arg) and holder.keyword is name

    # --- prefixes ---------------------------------------------------------------------------------------------------

    def _prefixes(self) -> None:
        """Before `model.load_state_dict(state)` of a model that was wrapped when it loaded, or when it was saved."""
        inner, saved = self._saves_inner(), self._saves_wrapped()
        for call in self.script.tree.all(cst.Call):
            func = call.func
            if not (isinstance(func, cst.Attribute) and func.attr.value == "load_state_dict" and call.args):
                continue
            state, prefix = call.args[0].value, self._compiled_prefix(call)
            if prefix or inner:
                wrapped = bool(prefix)
            else:
                wrapped = self._was_wrapped(func.value) and (saved or self._is_wrapped_by(call, func.value))
                wrapped = wrapped or self._may_read_nothing(call, func.value)
            if wrapped and self._is_loaded(state):
                self._strip(call, state, prefix or "module.")

    def _may_read_nothing(self, call: cst.Call, model: cst.BaseExpression) -> bool:
        """`state["model"].load_state_dict(loaded, strict=False)` of a network that nothing here shows and that another
        file wrapped: of a checkpoint of before it would take no key, without a word."""
        strict = argument(call, 1, "strict")
        lenient = strict is not None and build.code_of(strict.value) == "False"
        made = any(isinstance(value.origin, cst.Call) for value in self.script.roles.values(model))
        return lenient and self.script.links.wrapped and not made

    def _compiled_prefix(self, call: cst.Call) -> str:
        """What the keys began with that a model took which `torch.compile` had wrapped, unless the function asks."""
        tree, meaning = self.script.tree, self.script.links.meaning
        if meaning is None or not meaning.prefixed:
            return ""
        prefix = meaning.prefixed.get(self.script.roles.key(call), "")
        asked = (text(node) for node in walk(tree.function(call) or tree.module) if isinstance(node, cst.SimpleString))
        return prefix if "_orig_mod." in prefix and not any("_orig_mod" in one for one in asked) else ""

    def _saves_inner(self) -> bool:
        """`model.module.state_dict()`: its keys have no prefix."""
        attributes = self.script.tree.all(cst.Attribute)
        return any(node.attr.value == "state_dict" and self._is_module(node.value) for node in attributes)

    def _saves_wrapped(self) -> bool:
        return any(
            isinstance(call.func, cst.Attribute)
            and call.func.attr.value == "state_dict"
            and self._was_wrapped(call.func.value)
            for call in self.script.tree.all(cst.Call)
        )

    def _was_wrapped(self, node: cst.BaseExpression) -> bool:
        return any(value.role is Role.MODEL and value.wrapped for value in self.script.roles.values(node))

    def _is_wrapped_by(self, load: cst.Call, model: cst.BaseExpression) -> bool:
        """Whether the model has been wrapped, in the same function, when it loads: it takes no other keys."""
        tree, name = self.script.tree, dotted(model)
        for wrapper in self.script.calls(*WRAPPERS):
            line = tree.small_statement(wrapper)
            if not isinstance(line, cst.Assign) or name not in [dotted(target.target) for target in line.targets]:
                continue
            if tree.function(wrapper) is tree.function(load) and tree.before(wrapper, load):
                if not exclusive(tree, wrapper, load):
                    return True
        return False

    def _is_module(self, node: cst.BaseExpression) -> bool:
        if not isinstance(node, cst.Attribute) or node.attr.value != "module":
            return False
        return self.script.is_a(node.value, Role.MODEL)

    def _is_loaded(self, node: cst.BaseExpression) -> bool:
        """Whether a state comes from a file rather than from a model in memory."""
        return self._loads(node, set())

    def _loads(self, node: cst.BaseExpression | None, seen: set[cst.CSTNode | None]) -> bool:
        """`seen` are the values that are being followed: `state = state["model"]` says nothing new of `state`."""
        while isinstance(node, cst.Subscript):
            node = node.value
        if (
            isinstance(node, cst.Call)
            and isinstance(node.func, cst.Attribute)
            and node.func.attr.value in ("get", "pop")
        ):
            return self._loads(node.func.value, seen)
        if isinstance(node, cst.Call):
            return self.script.qualified(node.func) == "torch.load"
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name | cst.Attribute) else []
        values = {binding.value for binding in bindings} - seen
        seen |= values
        followed = (isinstance(value, cst.Call | cst.Subscript) and self._loads(value, seen) for value in values)
        return bool(bindings) and all(followed)

    def _strip(self, call: cst.Call, state: cst.BaseExpression, prefix: str) -> None:
        if self._stripped_already(call):
            return
        edit = self.edit("TC622", call, f"its checkpoints were saved with `{prefix}` before every key")
        if isinstance(state, cst.Name | cst.Subscript):
            edit.before(
                call,
                build.statements(
                    f"{_PREFIX}({{state}}, {self.quoted(prefix)})",
                    state=state,
                ),
            )
            return
        first = call.args[0]
        loaded: list[cst.BaseExpression] = []

        def named(updated: cst.Arg) -> cst.Arg:
            loaded.append(updated.value)
            return updated.with_changes(value=cst.Name("state_dict"), whitespace_after_arg=_NO_SPACE)

        edit.replace(first, named)
        if len(call.args) == 1:
            edit.replace(call, lambda updated: updated.with_changes(whitespace_before_args=_NO_SPACE))
        statement = self.script.tree.statement(call)
        if not isinstance(statement, cst.SimpleStatementLine):
            return

        def preceded(updated: cst.SimpleStatementLine) -> list[cst.BaseStatement]:
            stripped = f"{_PREFIX}(state_dict, {self.quoted(prefix)})"
            new = build.statements(f"state_dict = {{loaded}}\n{stripped}", loaded=loaded[0])
            new[0] = new[0].with_changes(leading_lines=updated.leading_lines)
            return [*new, updated.with_changes(leading_lines=[])]

        edit.replace(statement, preceded)

    def _stripped_already(self, call: cst.Call) -> bool:
        tree = self.script.tree
        return any(tree.function(found) is tree.function(call) for found in self.script.calls(_PREFIX))
