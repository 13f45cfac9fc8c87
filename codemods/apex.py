"""Take apex's mixed precision out.

`apex.amp` patches torch's CUDA functions and runs nowhere else. `amp.initialize` goes, and with it the scaled loss:
`scaled_loss.backward()` becomes `loss.backward()`. On targets whose low precision is bfloat16 the forward pass and the
loss run under autocast instead, which needs no scaling. The Training Compiler's containers compute in float16, where a
loss without a scaler vanishes; there the script trains in float32 and says so. Fused optimizers become the
ones of torch that they replace.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit, Result, unwrapped
from codemods.kit.fallbacks import bound_by, imported, is_handed_on, is_of, only_imports, stand_in
from codemods.kit.initialized import enabled_when
from codemods.kit.names import argument, dotted
from codemods.kit.phrases import Idiom, Import
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_SOURCE = "apex 0.1 apex/amp/frontend.py and handle.py; torch 2.9 torch/amp"
_FUSED = {
    "apex.optimizers.FusedAdam": "AdamW",
    "apex.optimizers.FusedSGD": "SGD",
    "apex.optimizers.FusedAdagrad": "Adagrad",
}
# Their parameters by position after `params, lr`, where they differ from torch's; torch has none of the last group.
_POSITIONS = {
    "AdamW": ("bias_correction", "betas", "eps", "adam_w_mode", "weight_decay", "amsgrad", "set_grad_none"),
    "Adagrad": ("eps", "weight_decay", "set_grad_none", "adagrad_w_mode"),
}
_CUDA_ONLY = ("apex.optimizers.FusedLAMB", "apex.optimizers.FusedNovoGrad", "apex.fp16_utils", "apex.contrib",
              "apex.multi_tensor_apply", "apex.normalization", "apex.RNN", "apex.transformer")  # fmt: skip
_SPEED = ("adam_w_mode", "set_grad_none", "materialize_master_grads", "capturable", "master_weights", "use_mt")
_MEANING = {"bias_correction": "True", "wd_after_momentum": "False", "adagrad_w_mode": "False", "max_grad_norm": "0.0",
            "eps_inside_sqrt": "False"}  # fmt: skip


class Apex(Codemod):
    """Take apex's mixed precision out."""

    STAGE = Stage.PRECISION
    RULES = (
        Rule("TC341", "apex.amp goes", Safety.REVIEW, document=_SOURCE),
        Rule("TC342", "the forward pass under apex.amp runs under autocast", Safety.REVIEW, document=_SOURCE),
        Rule("TC343", "a script under apex.amp trains in float32", Safety.NOTE, Severity.WARNING,
             "write it with torch.cuda.amp and migrate that to keep mixed precision", _SOURCE),
        Rule("TC344", "apex code without a counterpart", Safety.NOTE, Severity.ERROR,
             "replace it by torch.cuda.amp or plain torch before migrating", _SOURCE),
        Rule("TC346", "mixed precision under a condition that cannot be asked at the forward pass", Safety.NOTE,
             Severity.ERROR, "put the forward pass under torch.autocast(\"xla\", dtype=torch.bfloat16, enabled=...)"
             " with that condition", _SOURCE),
        Rule("TC345", "a fused optimizer of apex becomes torch's", Safety.EXACT, document="apex 0.1 apex/optimizers"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from apex import amp\n\nwith amp.scale_loss(loss, optimizer) as scaled_loss:\n"
            "    scaled_loss.backward()\n",
            smtc="loss.backward()\n",
            xla="loss.backward()\n",
        ),
    )

    def rewrite(self) -> None:
        if "apex" not in self.script.names.modules:
            return
        for call in self.script.calls("apex.amp.initialize"):
            self._initialize(call)
        for call in self.script.calls("apex.amp.scale_loss"):
            self._scaled(call)
        for call in self.script.calls("apex.amp.master_params"):
            self._master(call)
        for call in self.script.calls("apex.amp.state_dict", "apex.amp.load_state_dict"):
            self._state(call)
        for name, torch_name in _FUSED.items():
            for call in self.script.calls(name):
                self._fused(call, torch_name)
        self._replaced = {try_ for try_ in self.script.tree.all(cst.Try) if self._fall_back(try_)}
        self._unused()
        for prefix in _CUDA_ONLY:
            for found, node in self.script.names.uses(prefix):
                if not is_of(self.script, node, self._replaced):
                    self.note("TC344", node, f"{found} runs on CUDA only")

    # --- amp --------------------------------------------------------------------------------------------------------

    def _initialize(self, call: cst.Call) -> None:
        level = argument(call, 2, "opt_level")
        text = level.value.raw_value if level is not None and isinstance(level.value, cst.SimpleString) else ""
        if text in ("O2", "O3"):
            self.note("TC344", call, f'opt_level="{text}" keeps float16 weights, which torch_xla does not train')
        elif text != "O0" and not self._has_bfloat16():
            self.note(
                "TC343", call, "apex's mixed precision is off here: float16 without its loss scale would not train"
            )
        statement = self.script.tree.small_statement(call)
        edit = self.edit("TC341", call, "nothing is left to initialize")
        passed = [arg.value for arg in call.args if arg.keyword is None][:2]
        if not passed:
            passed = [a.value for n in ("models", "optimizers") if (a := argument(call, None, n)) is not None]
        if isinstance(statement, cst.Assign) and self._gives_back(statement, passed):
            edit.remove(statement)
            return

        def unchanged(updated: cst.Call) -> cst.BaseExpression:
            values = [arg.value for arg in updated.args[: len(passed)]]
            if len(values) == 1:
                return values[0]
            comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
            return cst.Tuple([cst.Element(values[0], comma=comma), *[cst.Element(value) for value in values[1:]]])

        edit.replace(call, unchanged)

    def _has_bfloat16(self) -> bool:
        return not self.can(Idiom.GRAD_SCALER)

    def _gives_back(self, assign: cst.Assign, passed: Sequence[cst.BaseExpression]) -> bool:
        """`model, optimizer = amp.initialize(model, optimizer, ...)`: each name is given what it had."""
        if len(assign.targets) != 1:
            return False
        target = assign.targets[0].target
        names = [element.value for element in target.elements] if isinstance(target, cst.Tuple | cst.List) else [target]
        return len(names) == len(passed) and all(
            dotted(name) is not None and dotted(name) == dotted(value)
            for name, value in zip(names, passed, strict=True)
        )

    def _scaled(self, call: cst.Call) -> None:
        tree = self.script.tree
        item = tree.parent.get(call)
        with_ = tree.parent.get(item) if isinstance(item, cst.WithItem) else None
        loss = argument(call, 0, "loss")
        if not isinstance(item, cst.WithItem) or not isinstance(with_, cst.With) or item.asname is None or loss is None:
            self.note("TC344", call, "the scaled loss is not used in the usual way")
            return
        edit = self.edit("TC341", call, "the loss is not scaled")
        scaled = item.asname.name
        assert isinstance(scaled, cst.Name)
        for name in tree.all(cst.Name):
            if name.value == scaled.value and name is not scaled and tree.contains(with_.body, name):
                edit.replace(name, loss.value)
        if len(with_.items) > 1:
            edit.replace(item, lambda updated: None)
        else:
            edit.replace(with_, unwrapped)
            self._fold(edit, with_, loss.value)
        if self._has_bfloat16():
            self._autocast(with_)

    def _fold(self, edit: Edit, with_: cst.With, loss: cst.BaseExpression) -> None:
        """`if fp16: <scaled backward> else: loss.backward()`: one backward is left."""
        choice = self._choice(with_)
        if choice is None or not isinstance(choice.orelse, cst.Else):
            return
        other = choice.orelse.body
        lines = [line for line in other.body if isinstance(line, cst.SimpleStatementLine)]
        plain = [build.code_of(each) for line in lines for each in line.body]
        alone = len(choice.body.body) == len(other.body) == 1
        if alone and plain == [f"{build.code_of(loss)}.backward()"]:
            edit.replace(choice, unwrapped)

    def _choice(self, with_: cst.With) -> cst.If | None:
        """The `if` whose branch the scaled backward is."""
        block = self.script.tree.parent.get(with_)
        choice = self.script.tree.parent.get(block) if block is not None else None
        return choice if isinstance(choice, cst.If) and choice.body is block else None

    def _autocast(self, with_: cst.With) -> None:
        """The statements from the first call of the model to the scaled loss run under autocast: of the same block, or
        of the one around `if fp16:`, whose condition then enables it."""
        choice = self._choice(with_)
        span, asked = self._forward(with_), ""
        if not span and choice is not None:
            span, asked = self._forward(choice), build.code_of(choice.test)
        condition = enabled_when(self.script, asked, span) if span else ""
        if condition is None:
            self.note("TC346", with_, "amp.initialize stands under a condition that cannot be asked here")
            return
        arguments = f"enabled={condition}" if condition else ""
        if not span:
            self.note("TC343", with_, "the forward pass of this loss cannot be seen, so it runs in float32")
            return
        edit = self.edit("TC342", span[0], "runs under autocast in bfloat16")
        collected: list[cst.BaseStatement] = []
        for item in span:
            edit.replace(item, self._collector(edit, item is span[-1], collected, arguments))

    def _forward(self, anchor: cst.BaseStatement) -> list[cst.BaseStatement]:
        """The assignments before a statement of a block, from the first that calls the model to the last."""
        block = list(self.script.tree.block(anchor))
        before = block[: block.index(anchor)] if anchor in block else []
        first = next((index for index, item in enumerate(before) if self._runs_model(item)), None)
        span = before[first:] if first is not None else []
        last = max((index for index, item in enumerate(span) if _assigns(item)), default=-1)
        span = span[: last + 1]
        return span if all(_assigns(item) for item in span) else []

    def _collector(self, edit: Edit, is_last: bool, collected: list[cst.BaseStatement], arguments: str):  # type: ignore[no-untyped-def]
        def collect(updated: cst.SimpleStatementLine) -> Result:
            collected.append(updated.with_changes(leading_lines=[]))
            if not is_last:
                return None
            item = cst.WithItem(edit.say(Idiom.AUTOCAST, arguments=arguments))
            return cst.With([item], cst.IndentedBlock(list(collected)), leading_lines=updated.leading_lines)

        return collect

    def _runs_model(self, item: cst.BaseStatement) -> bool:
        tree = self.script.tree
        given = {dotted(call.args[0].value) for call in self.script.calls("apex.amp.initialize") if call.args}
        return any(
            tree.contains(item, call) and (self.script.is_a(call.func, Role.MODEL) or dotted(call.func) in given)
            for call in tree.all(cst.Call)
            if isinstance(call.func, cst.Name | cst.Attribute)
        )

    def _master(self, call: cst.Call) -> None:
        """Under opt_level O1 apex's master parameters are the optimizer's own."""
        edit = self.edit("TC341", call, "the optimizer's parameters are the only ones")
        edit.replace(
            call,
            lambda updated: build.expression(
                '[p for group in {optimizer}.param_groups for p in group["params"]]', optimizer=updated.args[0].value
            ),
        )

    def _state(self, call: cst.Call) -> None:
        tree = self.script.tree
        parent = tree.parent.get(call)
        if isinstance(parent, cst.DictElement):
            self.edit("TC341", call, "there is no loss scale to save").replace(parent, lambda updated: None)
        elif isinstance(parent, cst.Expr | cst.Assign):
            self.edit("TC341", call, "there is no loss scale to save or load").remove(call)

    # --- optimizers -------------------------------------------------------------------------------------------------

    def _fused(self, call: cst.Call, name: str) -> None:
        positions = _POSITIONS.get(name, ())
        given = {word: build.code_of(arg.value) for word, arg in _named(call, positions)}
        for word, meaning in _MEANING.items():
            if given.get(word, meaning) != meaning:
                self.note("TC344", call, f"torch's optimizer has no {word}={given[word]}: it is left out")
        if given.get("adam_w_mode") == "False":
            name = "Adam"
        edit = self.edit("TC345", call, f"torch.optim.{name} computes the same")
        edit.need(Import("torch"))

        def rewritten(updated: cst.Call) -> cst.Call:
            if any(arg.keyword is None and not arg.star for arg in updated.args[2:]) and positions:
                updated = updated.with_changes(
                    args=[
                        *updated.args[:2],
                        *(
                            arg.with_changes(keyword=cst.Name(word), equal=_EQUAL) if word else arg
                            for word, arg in _named(updated, positions)[2:]
                        ),
                    ]
                )
            kept = build.without_argument(updated, *_SPEED, *_MEANING)
            if name == "AdamW" and "weight_decay" not in given and not any(arg.star for arg in kept.args):
                kept = build.with_keyword(kept, "weight_decay", "0.0")  # torch's default is 0.01, apex's none
            return kept.with_changes(func=build.expression(f"torch.optim.{name}"))

        edit.replace(call, rewritten)

    def _fall_back(self, try_: cst.Try) -> bool:
        """Whether what stands in for apex where it is not installed takes the place of a `try` that imports it."""
        if stand_in(self.script, try_, "apex", (*_CUDA_ONLY, *_FUSED)) is None:
            return False
        edit = self.edit("TC341", try_, "what stands in for apex where it is not installed is what runs")
        edit.replace(try_, lambda t: unwrapped(t.handlers[0].with_changes(leading_lines=t.leading_lines)))
        return edit.allowed

    def _unused(self) -> None:
        """An import of apex that nothing uses fails where apex is not installed."""
        for statement in self.script.tree.all(cst.ImportFrom):
            names = imported(statement, "apex")
            try_ = self.script.tree.enclosing(statement, cst.Try)
            if try_ in self._replaced or (try_ is not None and not only_imports(try_, "apex")):
                continue  # asks whether there is an apex
            if not names or any(True for name in names for _ in self.script.names.uses(name)):
                continue
            if any(is_handed_on(self.script, name) for name in bound_by(statement)):
                self.note("TC344", statement, "what other files take from here runs on CUDA only")
            else:
                self.edit("TC341", statement, "nothing uses apex").remove(statement)


_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _named(call: cst.Call, positions: Sequence[str]) -> list[tuple[str, cst.Arg]]:
    """The arguments of an optimizer with their names; those before the named positions have none."""
    words = ["", "", *positions]
    return [
        (arg.keyword.value if arg.keyword is not None else "" if arg.star else word, arg)
        for arg, word in zip_longest(call.args, words[: len(call.args)], fillvalue="")
        if not isinstance(arg, str)
    ]


def _assigns(item: cst.CSTNode) -> bool:
    return isinstance(item, cst.SimpleStatementLine) and all(
        isinstance(small, cst.Assign | cst.AugAssign | cst.AnnAssign) for small in item.body
    )
