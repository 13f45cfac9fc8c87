"""Train without a gradient scaler.

bfloat16 has the range of float32: gradients do not vanish in it, so there is nothing to scale, and torch_xla 2.9 has no
GradScaler any more. `scaler.scale(loss).backward()` becomes `loss.backward()`, `unscale_` and `update` go, and the
scaler leaves checkpoints, parameters and arguments. (The step itself is `optimizer_step`'s.) Where the script chooses
between a branch with the scaler and one without, and both have become the same, one stays. A scaler that code elsewhere
is given stays too: without CUDA it is a disabled scaler that passes everything through.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.edits import unwrapped
from codemods.kit.fold import fold
from codemods.kit.names import Binding
from codemods.kit.options import text
from codemods.kit.phrases import TORCH, Idiom
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_SOURCE = "torch_xla 2.7 test/test_train_mp_mnist_amp.py (no scaler off CUDA); torch_xla 2.9 amp/__init__.py"
_Holder = cst.Name | cst.Attribute | cst.Subscript
"""What can hold a scaler."""
_GONE = {"unscale_", "update", "load_state_dict"}


class GradScalerUnwind(Codemod):
    """Train without a gradient scaler."""

    STAGE = Stage.PRECISION
    LACKS = (Idiom.GRAD_SCALER,)
    RULES = (
        Rule("TC321", "losses are no longer scaled: bfloat16 needs no gradient scaler", Safety.REVIEW,
             advice="on float16 hardware choose --target smtc, which keeps the scaler", document=_SOURCE),
        Rule("TC322", "a branch on the gradient scaler goes", Safety.REVIEW, document=_SOURCE),
        Rule("TC323", "a gradient scaler stays, disabled", Safety.NOTE, Severity.INFO,
             "it passes losses through without CUDA; remove it when the code it is given to allows", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nscaler = torch.cuda.amp.GradScaler()\noptimizer.zero_grad()\n"
            "scaler.scale(loss).backward()\nscaler.update()\n",
            xla="import torch\n\noptimizer.zero_grad()\nloss.backward()\n",
        ),
    )

    def rewrite(self) -> None:
        if "scal" not in self.script.tree.source.lower() and self.script.links.alone:
            return  # nothing makes, scales with or is handed a scaler: no need to ask what each expression is
        if any(step.scaler is not None and step.migrated for step in self.script.loops.steps):
            return  # migrated by hand, with a scaler where the hardware wants one
        self._scales()
        self._scalers = [
            node
            for kind in (cst.Name, cst.Attribute, cst.Subscript)
            for node in self.script.tree.all(kind)
            if isinstance(node, _Holder) and self._may_hold_scaler(node) and self._is_scaler(node)
        ]
        if not self._scalers and not any(self._is_attribute(call) for call in self.script.tree.all(cst.Call)):
            return
        self._handled: set[cst.CSTNode] = set()
        for node in self._scalers:
            self._branch(node)
        for node in self._scalers:
            self._use(node)
        self._passed()
        self._definitions()
        self._several()

    def _is_attribute(self, call: cst.Call) -> bool:
        """`self.scaler = GradScaler()` in a class that leaves the scaling to its subclasses."""
        assign = self.script.tree.parent.get(call)
        target = assign.targets[0].target if isinstance(assign, cst.Assign) else None
        return isinstance(target, cst.Attribute) and self.script.is_a(call, Role.SCALER)

    def _may_hold_scaler(self, node: _Holder) -> bool:
        """Cheap test first: a whole chain in a place where it is read."""
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.AssignTarget | cst.Param | cst.ImportAlias | cst.AsName):
            return False
        if isinstance(parent, cst.Arg) and parent.keyword is node:
            return False
        return not (isinstance(parent, cst.Attribute) and parent.attr is node)

    def _is_scaler(self, node: _Holder) -> bool:
        return self.script.is_a(node, Role.SCALER)

    def _scales(self) -> None:
        """`loss_scaler.state_dict()["scale"]` of a wrapper in another file that scales and steps: a scaler that is off
        has no state. (What the scaler itself is asked in this way is the same.)"""
        tree = self.script.tree
        wrappers = {build.code_of(call.func) for call in tree.calls_numbered(self.script.links.steps)}
        for read in tree.all(cst.Subscript):
            state = read.value
            if not isinstance(state, cst.Call) or not isinstance(state.func, cst.Attribute) or len(read.slice) != 1:
                continue
            index = read.slice[0].slice
            key = text(index.value) if isinstance(index, cst.Index) else ""
            if state.func.attr.value != "state_dict" or key != "scale":
                continue
            holder = state.func.value
            if build.code_of(holder) in wrappers or self.script.is_a(holder, Role.SCALER):
                edit = self.edit("TC321", read, "the scale is 1.0 without a scaler")
                edit.replace(read, cst.Float("1.0"))

    # --- uses -------------------------------------------------------------------------------------------------------

    def _use(self, node: cst.BaseExpression) -> None:
        tree = self.script.tree
        method = tree.parent.get(node)
        call = tree.parent.get(method) if isinstance(method, cst.Attribute) and method.value is node else None
        if not isinstance(call, cst.Call) or call.func is not method:
            return
        assert isinstance(method, cst.Attribute)
        name = method.attr.value
        if name == "step":
            self._handled.add(node)  # the optimizer's step is rewritten with all other steps
        elif name == "scale":
            self._handled.add(node)
            edit = self.edit("TC321", call, "the loss is not scaled")
            alone = isinstance(tree.parent.get(call), cst.Assign | cst.AnnAssign | cst.Return)
            edit.replace(call, lambda updated: self._unscaled(updated, alone))
        elif name in _GONE:
            self._remove_call(node, call)
        elif name == "state_dict":
            self._state(node, call)
        elif name in ("get_scale", "_get_scale_async"):
            self._handled.add(node)
            self._scale(call, as_tensor=name == "_get_scale_async")
        elif name == "is_enabled":
            self._handled.add(node)
            edit = self.edit("TC321", call, "no scaler is enabled")
            fold(edit, self.script.tree, {call: False})
            choice = tree.parent.get(call)
            if isinstance(choice, cst.IfExp) and choice.test is call:  # what it gave with a scaler goes, too
                self._handled.update(part for part in walk(choice.body) if part in self._scalers)

    def _scale(self, call: cst.Call, *, as_tensor: bool) -> None:
        """`scaler.get_scale()`, `scaler._get_scale_async()`, a tensor, and the number that is read of that."""
        tree = self.script.tree
        read = tree.parent.get(call)
        item = tree.parent.get(read) if isinstance(read, cst.Attribute) and read.attr.value == "item" else None
        edit = self.edit("TC321", call, "the scale is 1.0 without a scaler")
        if not as_tensor or isinstance(item, cst.Call):
            edit.replace(item if as_tensor and item is not None else call, cst.Float("1.0"))
            return
        edit.need(TORCH)
        edit.replace(call, build.expression("torch.tensor(1.0)"))

    def _unscaled(self, updated: cst.Call, alone: bool) -> cst.BaseExpression:
        value = updated.args[0].value
        if alone and "\n" not in build.code_of(value):
            return value
        parent_needs = not isinstance(value, cst.Name | cst.Attribute | cst.Call | cst.Subscript)
        return build.parenthesized(value) if parent_needs else value

    def _remove_call(self, node: cst.BaseExpression, call: cst.Call) -> None:
        if isinstance(self.script.tree.parent.get(call), cst.Expr):
            self._handled.add(node)
            self.edit("TC321", call, "there is no scaler to ask").remove(call)

    def _state(self, node: cst.BaseExpression, call: cst.Call) -> None:
        """`"scaler": scaler.state_dict()` in a checkpoint."""
        tree = self.script.tree
        parent = tree.parent.get(call)
        if isinstance(parent, cst.DictElement):
            self._handled.add(node)
            edit = self.edit("TC321", call, "the checkpoint holds no scaler")
            edit.replace(parent, lambda updated: None)
        elif isinstance(parent, cst.Assign) and all(isinstance(t.target, cst.Subscript) for t in parent.targets):
            self._handled.add(node)
            self.edit("TC321", call, "the checkpoint holds no scaler").remove(call)

    # --- branches ---------------------------------------------------------------------------------------------------

    def _branch(self, node: cst.BaseExpression) -> None:
        """`if scaler is not None: ... else: ...`, and `if args.amp:` around a scaled step."""
        tree = self.script.tree
        found = next((outer for outer in tree.ancestors(node) if isinstance(outer, cst.If)), None)
        if found is None or found in self._handled:
            return
        tests_scaler = self._tests(found.test)
        if tests_scaler is not None and tree.contains(found.test, node):
            self._handled.add(node)
            self._fold(found, tests_scaler)
        elif isinstance(found.orelse, cst.Else) and tree.contains(found.body, node):
            if self._plain(found.body) == self._plain(found.orelse.body):
                self._fold(found, True)

    def _tests(self, test: cst.BaseExpression) -> bool | None:
        """True for a condition that holds when there is a scaler, False for its opposite, None for others."""
        if isinstance(test, cst.Comparison) and len(test.comparisons) == 1 and self._is_named(test.left):
            operator = test.comparisons[0].operator
            if isinstance(test.comparisons[0].comparator, cst.Name) and test.comparisons[0].comparator.value == "None":
                return isinstance(operator, cst.IsNot | cst.NotEqual)
        if self._is_named(test):
            return True
        if isinstance(test, cst.UnaryOperation) and self._is_named(test.expression):
            return False
        return None

    def _is_named(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, _Holder) and self._is_scaler(node)

    def _fold(self, found: cst.If, with_scaler: bool) -> None:
        """Keep one branch: the one without the scaler when there is one, for both do the same now."""
        body = found.body if not with_scaler else (found.orelse.body if isinstance(found.orelse, cst.Else) else None)
        same = body is None or self._plain(found.body) == self._plain_else(found)
        if isinstance(found.orelse, cst.If) or isinstance(self.script.tree.parent.get(found), cst.If) or not same:
            return
        self._handled.add(found)
        edit = self.edit("TC322", found, "both branches do the same without a scaler")

        def one(updated: cst.If) -> list[cst.BaseStatement]:
            if with_scaler and isinstance(updated.orelse, cst.Else):
                kept = updated.orelse.body
                return unwrapped(updated.with_changes(body=kept, orelse=None))
            return unwrapped(updated)

        edit.replace(found, one)

    def _plain_else(self, found: cst.If) -> str:
        return self._plain(found.orelse.body) if isinstance(found.orelse, cst.Else) else ""

    def _plain(self, block: cst.BaseSuite) -> str:
        """What a block does without a scaler, as text to compare: scaling, unscaling and autocast taken off."""
        lines: list[str] = []
        for item in block.body:
            lines += self._plain_lines(item)
        return "\n".join(lines)

    def _plain_lines(self, item: cst.CSTNode) -> list[str]:
        if isinstance(item, cst.SimpleStatementLine):
            return [text for small in item.body if (text := self._plain_text(small))]
        if isinstance(item, cst.BaseSmallStatement):
            return [text] if (text := self._plain_text(item)) else []
        if isinstance(item, cst.If) and (item.orelse is None or isinstance(item.orelse, cst.Else)):
            lines = [f"if {build.code_of(item.test)}", *self._plain(item.body).splitlines()]
            return [*lines, "else", *self._plain(item.orelse.body).splitlines()] if item.orelse is not None else lines
        return [" ".join(build.code_of(item).split())]

    def _plain_text(self, small: cst.CSTNode) -> str:
        call = small.value if isinstance(small, cst.Expr) else None
        if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute):
            owner, name = call.func.value, call.func.attr.value
            if self._is_named(owner) and name in ("unscale_", "update"):
                return ""
            if self._is_named(owner) and name == "step" and call.args:
                return f"{build.code_of(call.args[0].value)}.step()"
            if isinstance(owner, cst.Call) and isinstance(owner.func, cst.Attribute) and name == "backward":
                if self._is_named(owner.func.value) and owner.func.attr.value == "scale" and owner.args:
                    rest = ", ".join(build.code_of(arg).strip().rstrip(",") for arg in call.args)
                    return f"{build.code_of(owner.args[0].value)}.backward({rest})"
        return " ".join(build.code_of(small).strip().rstrip(";").split())

    # --- parameters, arguments, definitions -------------------------------------------------------------------------

    def _passed(self) -> None:
        """Scalers given to functions of this script: the parameter goes when nothing in the function needs it."""
        tree, roles = self.script.tree, self.script.roles
        for function in tree.all(cst.FunctionDef):
            for parameter in (*function.params.params, *function.params.kwonly_params):
                if not any(value.role is Role.SCALER for value in roles._of_parameter(parameter)):
                    continue
                inside = [
                    node
                    for node in self._scalers
                    if isinstance(node, cst.Name)
                    and node.value == parameter.name.value
                    and tree.contains(function, node)
                ]
                sites = roles.call_sites(function)
                passed = [roles.parameter_argument(function, parameter, call) for call in sites]
                if not sites or not all(node in self._handled for node in inside):
                    continue
                edit = self.edit("TC321", parameter, f"{function.name.value}() takes no scaler")
                edit.replace(parameter, lambda updated: None)
                for arg in passed:
                    if arg is not None:
                        self._handled.update(node for node in walk(arg.value) if node in self._scalers)
                        edit.replace(arg, lambda updated: None)

    def _definitions(self) -> None:
        """Remove each scaler whose every use is gone; say so where one has to stay."""
        seen: set[Binding] = set()
        for call in self.script.tree.all(cst.Call):
            if self.script.is_a(call, Role.SCALER) and isinstance(
                self.script.tree.parent.get(call), cst.Assign | cst.IfExp
            ):
                statement = self.script.tree.small_statement(call)
                if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
                    continue
                target = statement.targets[0].target
                bindings = self.script.names.bindings(target) if isinstance(target, cst.Name | cst.Attribute) else []
                if isinstance(target, cst.Subscript):
                    self._item(statement, target, call)
                if bindings and (bindings[0] not in seen or self._left(bindings)):
                    seen.add(bindings[0])
                    self._definition(bindings, call)

    def _item(self, statement: cst.Assign, target: cst.Subscript, call: cst.Call) -> None:
        """`state["scaler"] = GradScaler()`"""
        spelled = build.code_of(target)
        left = [node for node in self._scalers if node not in self._handled and build.code_of(node) == spelled]
        if left:
            line = self.script.tree.line(left[0])
            self.note("TC323", call, f"the scaler stays for line {line}; without CUDA it does nothing")
        elif statement not in self._handled:
            self.edit("TC321", statement, "bfloat16 needs no gradient scaler").remove(statement)

    def _several(self) -> None:
        """`scaler_g, scaler_d = GradScaler(), GradScaler()`: they go together, or stay together."""
        for assign in self.script.tree.all(cst.Assign):
            target, value = assign.targets[0].target, assign.value
            if not isinstance(target, cst.Tuple) or not isinstance(value, cst.Tuple):
                continue
            made = [each.value for each in value.elements if isinstance(each.value, cst.Call)]
            scalers = [call for call in made if self.script.is_a(call, Role.SCALER)]
            if not scalers:
                continue
            uses = (use for each in target.elements for use in self._left(self.script.names.bindings(each.value)))
            left = [use for use in uses if not self.script.tree.contains(assign, use)]
            if left or len(scalers) < len(value.elements):
                where = f"line {self.script.tree.line(left[0])}" if left else "the others in the statement"
                for call in scalers:
                    self.note("TC323", call, f"the scaler stays for {where}; without CUDA it does nothing")
            else:
                self.edit("TC321", assign, "bfloat16 needs no gradient scaler").remove(assign)

    def _left(self, bindings: list[Binding]) -> list[cst.BaseExpression]:
        """The uses of a scaler that stay."""
        mine = [node for node in self._scalers if self.script.names.bindings(node)[:1] == bindings[:1]]
        return [node for node in mine if node not in self._handled]

    def _is_needed_elsewhere(self, bindings: list[Binding]) -> bool:
        """An attribute that other files hand on or take; or that nothing scales with, here or in files that are known:
        who does is not known."""
        node = bindings[0].node
        target = node.targets[0].target if isinstance(node, cst.Assign) else None
        if not isinstance(target, cst.Attribute):
            return False
        links = self.script.links
        if target.attr.value in links.lent:
            return True
        mine = [node for node in self._scalers if self.script.names.bindings(node)[:1] == bindings[:1]]
        holders = [self.script.tree.parent.get(node) for node in mine]
        used = {holder.attr.value for holder in holders if isinstance(holder, cst.Attribute)}
        return not used & {"scale", "step"} and target.attr.value not in links.scales

    def _definition(self, bindings: list[Binding], call: cst.Call) -> None:
        left = self._left(bindings)
        if left:
            line = self.script.tree.line(left[0])
            self.note("TC323", call, f"the scaler stays for line {line}; without CUDA it does nothing")
            return
        if self._is_needed_elsewhere(bindings):
            self.note("TC323", call, "the scaler stays for code in other files; without CUDA it does nothing")
            return
        for binding in bindings:
            if binding.kind == "assign" and not binding.path:
                self.edit("TC321", binding.node, "bfloat16 needs no gradient scaler").remove(binding.node)
