"""Move what an object of the program's own keeps of a checkpoint to the device.

Checkpoints are loaded to the CPU, and modules and optimizers copy what they load to where their parameters are. An
average that is no module keeps the tensors it gets: `def load_state_dict(self, state): self.shadow = state`. On CUDA
those of a checkpoint were on the GPU again; now they stay on the CPU, and the next update stops or executes a graph for
each of them. So they are moved where they are handed over:

    average.load_state_dict({k: v.to(device) for k, v in checkpoint["average"].items()})

Which calls do so is seen in the abstract execution of the original: attributes that held nothing but tensors on the
accelerator hold what came from a checkpoint afterwards. Where that is the argument itself it moves as the dict, list or
tensor that it takes the place of; where it is a part of it, it is said.

An optimizer is the other way round. A loop that moves its state, as one wrote before `load_state_dict` did it, moves
`step` too, which Adam and its relatives keep on the host (torch 1.12): each step then reads it from the device, once
for every parameter. So it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_MOVED = {"dict": "{k: v.to({device}) for k, v in {state}.items()}", "list": "[v.to({device}) for v in {state}]",
          "Tensor": "{state}.to({device})"}  # fmt: skip
_SOURCE = "torch_xla 2.9: set_data refuses a tensor of another device; an operation on a host tensor executes the graph"
_BEFORE = """\
import torch


class Average:
    def __init__(self, model):
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

    def load_state_dict(self, state):
        self.shadow = state


def resume(model, device):
    average = Average(model.to(device))
    average.load_state_dict(torch.load("average.pt"))
    return average


resume(torch.nn.Linear(2, 2), torch.device("cuda"))
"""
_AFTER = _BEFORE.replace('torch.load("average.pt")', '{k: v.to(device) for k, v in torch.load("average.pt").items()}')


class KeptState(Codemod):
    """Move what an object of the program's own keeps of a checkpoint to the device."""

    STAGE = Stage.SAVE
    RULES = (
        Rule("TC627", "a loaded state that an object keeps moves to the device", Safety.EXACT, document=_SOURCE),
        Rule("TC628", "an object keeps tensors of a checkpoint on the CPU", Safety.NOTE, Severity.ERROR,
             "move them to the device where they are loaded: `{k: v.to(device) for k, v in state.items()}`", _SOURCE),
        Rule("TC637", "an optimizer's counts of steps stay on the host", Safety.EXACT,
             document="measured with torch_xla 2.9: an execution more for each parameter and step"),
    )  # fmt: skip
    EXAMPLES = (Example(_BEFORE, _AFTER, _AFTER),)

    def rewrite(self) -> None:
        meaning = self.script.links.meaning
        if self.script.on_cpu:
            return
        for statement, key in self._states_moved():
            self._leave_out(statement, key)
        if meaning is None or not meaning.kept:
            return
        for call in self.script.tree.all(cst.Call):
            kind = self.script.roles.keeps(call)
            if kind in _MOVED:
                self._move(call, _MOVED[kind])
            elif kind is not None:
                self.note(
                    "TC628", call, "what it keeps of the checkpoint stays on the CPU: its tensors were on the GPU"
                )

    def _move(self, call: cst.Call, moved: str) -> None:
        edit = self.edit("TC627", call, "no module takes it to the device")
        device = edit.device(call)
        edit.replace(call.args[0].value, lambda updated: build.expression(moved, state=updated, device=device))

    def _states_moved(self) -> Iterator[tuple[cst.BaseStatement, cst.Name]]:
        """The statements that move an entry of an optimizer's state, each with the name of the entry's key:

            for state in optimizer.state.values():
                for key, value in state.items():
                    state[key] = value.cuda()
        """
        tree = self.script.tree
        for call in self.script.loaders.moves:
            assign, inner = tree.parent.get(call), tree.loop(call)
            outer = tree.loop(inner) if isinstance(inner, cst.For) else None
            if not isinstance(assign, cst.Assign) or not isinstance(inner, cst.For) or not isinstance(outer, cst.For):
                continue
            names = inner.target.elements if isinstance(inner.target, cst.Tuple) else ()
            key = names[0].value if len(names) == 2 else None
            state = code_of(outer.target)
            statement = tree.statement(call)
            if (
                isinstance(key, cst.Name)
                and statement is not None
                and code_of(inner.iter) == f"{state}.items()"
                and code_of(assign.targets[0].target) == f"{state}[{key.value}]"
                and self._is_state(outer.iter)
                and not self._is_told_apart(inner, key)
            ):
                yield statement, key

    def _is_state(self, node: cst.BaseExpression) -> bool:
        """Whether this is `optimizer.state.values()`, of an optimizer that may count its steps."""
        state = node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else None
        if not isinstance(state, cst.Attribute) or not code_of(node).endswith(".state.values()"):
            return False
        made = [value.of for value in self.script.roles.values(state.value) if value.role is Role.OPTIMIZER]
        return bool(made) and any(of != "torch.optim.SGD" for of in made)

    def _is_told_apart(self, loop: cst.For, key: cst.Name) -> bool:
        """Whether the loop asks for keys."""
        compared = self.script.tree.inside(loop.body, cst.Comparison)
        return any(key.value in (code_of(each.left), code_of(each.comparisons[0].comparator)) for each in compared)

    def _leave_out(self, statement: cst.BaseStatement, key: cst.Name) -> None:
        tree = self.script.tree
        test = build.expression(f"{{key}} != {self.quoted('step')}", key=key)
        holder = tree.enclosing(statement, cst.If, cst.For)
        edit = self.edit("TC637", statement, "the optimizer reads it on the host at each step")
        if isinstance(holder, cst.If) and holder.orelse is None and len(tree.block(statement)) == 1:
            both = build.expression("{test} and {more}", test=holder.test, more=test)
            edit.replace(holder.test, both)
        else:
            edit.replace(statement, lambda updated: cst.If(test, cst.IndentedBlock([updated])))
