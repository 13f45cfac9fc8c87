"""Move what an object of the program's own keeps of a checkpoint to the device.

Checkpoints are loaded to the CPU, and modules and optimizers copy what they load to where their parameters are. An
average that is no module keeps the tensors it gets: `def load_state_dict(self, state): self.shadow = state`. On CUDA
those of a checkpoint were on the GPU again; now they stay on the CPU, and the next update stops or executes a graph for
each of them. So they are moved where they are handed over:

    average.load_state_dict({k: v.to(device) for k, v in checkpoint["average"].items()})

Which calls do so is seen in the abstract execution of the original: attributes that held nothing but tensors on the
accelerator hold what came from a checkpoint afterwards. Where that is the argument itself it moves as the dict, list or
tensor that it takes the place of; where it is a part of it, it is said.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
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
    )  # fmt: skip
    EXAMPLES = (Example(_BEFORE, _AFTER, _AFTER),)

    def rewrite(self) -> None:
        meaning = self.script.links.meaning
        if meaning is None or not meaning.kept or self.script.on_cpu:
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
