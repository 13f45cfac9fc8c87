"""Write out the step that timm's `NativeScaler` makes.

`loss_scaler(loss, optimizer, clip_grad=..., parameters=...)` does the backward, the clipping and the step in one call
of another library, on the gradient scaler of CUDA; the average over the processes has to come between the backward and
the clipping. So the call is written out: through torch_xla's `GradScaler` where the target has it, else without a
scaler, which does nothing where there is no CUDA.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.names import argument
from codemods.kit.options import text
from codemods.kit.phrases import TORCH, Idiom, Import
from codemods.kit.reductions import names_beside
from codemods.kit.roles import LIBRARY_SCALERS
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_SOURCE = "timm 0.4-1.0 utils/cuda.py NativeScaler"
_DISPATCH = Import("timm.utils", "dispatch_clip_grad")
_CLIPS = {"norm": "clip_grad_norm_", "value": "clip_grad_value_"}
_LOOP = (
    "def train(model, loader, optimizer, max_norm):\n    for x, y in loader:\n"
    "        loss = model(x.cuda(), y.cuda())\n        optimizer.zero_grad()\n"
)


class LossScaler(Codemod):
    """Write out the step that timm's `NativeScaler` makes."""

    STAGE = Stage.STEP
    RULES = (
        Rule("TC455", "the step of timm's NativeScaler is written out", Safety.REVIEW, document=_SOURCE),
        Rule("TC456", "timm's NativeScaler becomes the GradScaler of torch_xla", Safety.REVIEW,
             document="torch_xla 1.13 amp/grad_scaler.py"),
        Rule("TC457", "timm is given the scaler, and asks it for its state_dict_key", Safety.NOTE, Severity.WARNING,
             advice='set loss_scaler.state_dict_key = "amp_scaler" after it is made', document=_SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from timm.utils import NativeScaler\n\nloss_scaler = NativeScaler()\n\n\n" + _LOOP
            + "        loss_scaler(loss, optimizer, clip_grad=max_norm, parameters=model.parameters())\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\nfrom torch_xla.amp import GradScaler\n\n"
            "loss_scaler = GradScaler()\n\n\n" + _LOOP
            + "        loss_scaler.scale(loss).backward()\n        gradients = xm._fetch_gradients(optimizer)\n"
            '        xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())\n'
            "        if max_norm is not None:\n            loss_scaler.unscale_(optimizer)\n"
            "            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"
            "        loss_scaler.step(optimizer)\n        loss_scaler.update()\n",
            xla="from timm.utils import NativeScaler\nimport torch\nimport torch_xla.core.xla_model as xm\n\n"
            "loss_scaler = NativeScaler()\n\n\n" + _LOOP
            + "        loss.backward()\n        xm.reduce_gradients(optimizer)\n"
            "        if max_norm is not None:\n"
            "            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n        optimizer.step()\n",
        ),
    )  # fmt: skip

    def rewrite(self) -> None:
        loops = self.script.loops
        if loops.managed or self.script.on_cpu:
            return
        scaled = self.can(Idiom.GRAD_SCALER)
        for step in loops.library_steps:
            edit = self.edit("TC455", step.call, "is written out, with the average over the processes", step.evidence)
            if edit.allowed:
                edit.replace(step.line, self._written(edit, scaled))
        made = self.script.calls(*LIBRARY_SCALERS) if scaled else []
        kept = self._left() if made else set()
        for call in made:
            if call in kept:
                continue
            edit = self.edit("TC456", call, "is the gradient scaler of torch_xla")
            edit.replace(call, edit.say(Idiom.GRAD_SCALER, arguments=""))
            self._tell_timm(call)

    def _left(self) -> set[cst.CSTNode]:
        """The scalers of which a call cannot be written out: its arguments are packed, or its result is used."""
        written = [step.call for step in self.script.loops.library_steps]
        called = [call.func for call in self.script.tree.all(cst.Call) if call not in written]
        values = (self.script.roles.values(func) for func in called if isinstance(func, cst.Name | cst.Attribute))
        return {value.origin for found in values for value in found if value.of in LIBRARY_SCALERS}

    def _written(self, edit: Edit, scaled: bool) -> Callable[[cst.SimpleStatementLine], list[cst.BaseStatement]]:
        """The statements of a step, made of the line that calls the scaler."""

        def written(line: cst.SimpleStatementLine) -> list[cst.BaseStatement]:
            call = cst.ensure_type(cst.ensure_type(line.body[0], cst.Expr).value, cst.Call)
            loss, graph, update = (
                _given(call, *where) for where in ((0, "loss"), (5, "create_graph"), (6, "need_update"))
            )
            assert loss is not None
            if scaled:
                loss = build.expression("{scaler}.scale({loss})", scaler=call.func, loss=loss)
            if graph is not None:
                first = build.statements("{loss}.backward(create_graph={graph})", loss=loss, graph=graph)[0]
            else:
                first = build.statements("{loss}.backward()", loss=loss)[0]
            rest = self._step(edit, call, scaled, added_up=update is not None)
            if update is not None:
                rest = [cst.If(update, cst.IndentedBlock(rest))]
            return [first.with_changes(leading_lines=line.leading_lines), *rest]

        return written

    def _step(self, edit: Edit, call: cst.Call, scaled: bool, added_up: bool) -> list[cst.BaseStatement]:
        """What follows the backward: the average, the clipping, the step."""
        optimizer, clip = _given(call, 1, "optimizer"), _given(call, 2, "clip_grad")
        assert optimizer is not None
        made: list[cst.BaseStatement] = []
        if scaled:
            made += edit.say_statements(Idiom.FETCH_AND_REDUCE, optimizer=optimizer)
        elif clip is not None:
            mode = _given(call, 3, "clip_mode")
            lost = added_up and (mode is None or text(mode) != "value")
            idiom = Idiom.REDUCE_ADDED_UP if lost else Idiom.REDUCE_GRADIENTS
            made += edit.say_statements(idiom, optimizer=optimizer, **names_beside(self.script, call))
        if clip is not None:
            inner = build.statements("{s}.unscale_({o})", s=call.func, o=optimizer) if scaled else []
            inner.append(self._clip(edit, call, clip))
            always = isinstance(clip, cst.BaseNumber)
            made += inner if always else [_if_given(clip.deep_clone(), inner)]
        if scaled:
            return [*made, *build.statements("{s}.step({o})\n{s}.update()\n", s=call.func, o=optimizer)]
        if clip is None:
            return edit.say_statements(Idiom.OPTIMIZER_STEP, optimizer=optimizer)
        return [*made, *build.statements("{o}.step()", o=optimizer)]

    def _clip(self, edit: Edit, call: cst.Call, clip: cst.BaseExpression) -> cst.BaseStatement:
        parameters, mode = _given(call, 4, "parameters"), _given(call, 3, "clip_mode")
        known = "norm" if mode is None else text(mode)
        holes: dict[str, build.Hole] = {"clip": clip, "parameters": parameters or cst.Name("None")}
        if mode is not None and known not in _CLIPS:
            edit.need(_DISPATCH)
            code = "dispatch_clip_grad({parameters}, {clip}, mode={mode})"
            return build.statements(self.edits.imports.rename(code, (_DISPATCH,)), mode=mode, **holes)[0]
        edit.need(TORCH)
        function = self.edits.imports.rename(f"torch.nn.utils.{_CLIPS[known]}", (TORCH,))
        return build.statements(f"{function}({{parameters}}, {{clip}})", **holes)[0]

    def _tell_timm(self, call: cst.Call) -> None:
        """A note where the scaler is given to a function of timm, which asks it for the key of its state."""
        for passed in self.script.tree.all(cst.Arg):
            holder = self.script.tree.parent[passed]
            if isinstance(holder, cst.Call) and (self.script.qualified(holder.func) or "").startswith("timm."):
                if any(value.origin is call for value in self.script.roles.values(passed.value)):
                    self.note("TC457", passed, "torch_xla's scaler has no state_dict_key")
                    return


def _given(call: cst.Call, position: int, keyword: str) -> cst.BaseExpression | None:
    """The value of a parameter; None when it is left out, or given as None."""
    found = argument(call, position, keyword)
    if found is None or (isinstance(found.value, cst.Name) and found.value.value in ("None", "False")):
        return None
    return found.value


def _if_given(value: cst.BaseExpression, body: list[cst.BaseStatement]) -> cst.If:
    test = build.expression("{value} is not None", value=value)
    return cst.If(test, cst.IndentedBlock(body))
