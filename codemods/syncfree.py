"""Step under a gradient scaler without reading the device.

With a gradient scaler every step depends on whether a gradient was infinite. `torch.optim` optimizers read that answer
back to the host, which executes the graph a second time each step (2 executions against 1, measured on torch_xla 2.1);
`torch_xla.amp.syncfree.SGD`, `Adam` and `AdamW` take it as a tensor. They equal `torch.optim` to 9e-8 after five steps.
Without a scaler there is nothing to gain, and the optimizer stays.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.meaning.values import Site
from codemods.kit.phrases import Idiom
from codemods.kit.roles import Role, Value, sorted_values
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_SOURCE = "torch_xla 1.13 amp/syncfree; SageMaker: PyTorch models, best practices, AMP and syncfree optimizers"
_CLASSES = ("SGD", "Adam", "AdamW")
# What apex's fused optimizers become; FusedAdam may also become Adam, which the codemod `apex` has written by then.
_UNREADY = "a state saved by torch.optim cannot be stepped by its syncfree form as it is"
_FUSED = {"apex.optimizers.FusedSGD": "SGD", "apex.optimizers.FusedAdam": "AdamW"}


class Syncfree(Codemod):
    """Step under a gradient scaler without reading the device."""

    STAGE = Stage.PRECISION
    NEEDS = (Idiom.SYNCFREE,)
    RULES = (
        Rule("TC331", "SGD, Adam and AdamW under a gradient scaler become syncfree", Safety.EXACT, document=_SOURCE),
        Rule("TC332", "an optimizer without a syncfree form steps through a scaler", Safety.NOTE, Severity.WARNING,
             "GradScaler(use_zero_grad=True) avoids the second execution: infinite gradients are replaced by zeros",
             _SOURCE),
        Rule("TC333", "the state of a torch.optim optimizer is loaded into a syncfree one", Safety.NOTE,
             Severity.WARNING, "states saved by torch.optim.Adam lack `max_exp_avg_sq`, which syncfree.Adam and AdamW "
             "read: add torch.zeros_like(exp_avg) under that key", "torch_xla 2.1 amp/syncfree/adam.py"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nscaler = torch.cuda.amp.GradScaler()\n"
            "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\nscaler.step(optimizer)\n",
            smtc="import torch\nfrom torch_xla.amp import syncfree\n\nscaler = torch.cuda.amp.GradScaler()\n"
            "optimizer = syncfree.SGD(net.parameters(), lr=0.1)\nscaler.step(optimizer)\n",
        ),
    )

    def rewrite(self) -> None:
        done: set[cst.CSTNode] = set()
        for optimizer in self.script.loops.scaled_optimizers:
            for value in sorted_values(self.script.roles.values(optimizer)):
                if value.role is Role.OPTIMIZER and value.origin not in done:
                    done.add(value.origin)
                    self._optimizer(value)
        for value in self._stepped_elsewhere():
            if value.origin not in done:
                done.add(value.origin)
                self._optimizer(value)

    def _stepped_elsewhere(self) -> list[Value]:
        """Optimizers built here that another file of the project steps through a scaler."""
        calls = self.script.tree.calls_numbered(self.script.links.scaled)
        return [value for call in calls if (value := self.script.value(call, Role.OPTIMIZER)) is not None]

    def _optimizer(self, value: Value) -> None:
        if value.of.startswith("torch_xla."):
            return
        made = self._inside(value.origin)
        for call in made:
            self._made(call, replace(value, of=self.script.qualified(call.func) or ""))
        if not made:
            self._made(value.origin, value)

    def _inside(self, made: cst.CSTNode) -> list[cst.Call]:
        """The constructions in `{"adam": lambda: Adam(...), "sgd": lambda: SGD(...)}[kind]()`."""
        if not isinstance(made, cst.Call) or isinstance(made.func, cst.Name | cst.Attribute):
            return []
        calls = self.script.tree.inside(made.func, cst.Call)
        return [call for call in calls if (self.script.qualified(call.func) or "").startswith("torch.optim.")]

    def _made(self, call: cst.CSTNode, value: Value) -> None:
        name = _FUSED.get(value.of) or value.of.rpartition(".")[2]
        known = value.of.startswith("torch.optim.") or value.of in _FUSED
        if (isinstance(call, cst.Param | cst.ClassDef) or self._is_given(call)) and known and name in _CLASSES:
            return  # built in another file, where it becomes syncfree
        if not known or name not in _CLASSES or not self._names(call, value):
            called = "the optimizer" if value.of in ("parameter", "by use") else name
            self.note("TC332", call, f"{called} steps through a scaler and reads the device every step", value.evidence)
            return
        edit = self.edit("TC331", call, f"{name} steps under the scaler without reading the device", value.evidence)

        def rewritten(updated: cst.Call) -> cst.Call:
            kept = build.without_argument(updated, "foreach", "fused", "capturable")
            written = updated.func.attr.value if isinstance(updated.func, cst.Attribute) else name
            return kept.with_changes(func=edit.say(Idiom.SYNCFREE, name=written if written in _CLASSES else name))

        edit.replace(call, rewritten, Stage.STEP)  # over what another codemod of this stage makes of apex's optimizers
        if name != "SGD":
            self._resumed(call)

    def _names(self, call: cst.CSTNode, value: Value) -> TypeGuard[cst.Call]:
        """Whether a call names the class that it makes, and not something that holds one of several."""
        named = (self.script.qualified(call.func) or "") if isinstance(call, cst.Call) else ""
        return named.rpartition(".")[2] == value.of.rpartition(".")[2]

    def _is_given(self, call: cst.CSTNode) -> bool:
        """Whether a call is of a function of another file that gives the optimizer."""
        links = self.script.links
        if not isinstance(call, cst.Call):
            return False
        named = (self.script.qualified(call.func) or "") in links.returned
        return named or self.script.tree.order[call] in links.results

    def _resumed(self, made: cst.Call) -> None:
        tree, elsewhere = self.script.tree, self._loads(made)
        here = {site.line for site, other in elsewhere.items() if not other}
        for call in tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value == "load_state_dict":
                known = any(value.origin is made for value in self.script.roles.values(func.value))
                if known or tree.line(call) in here:
                    self.note("TC333", call, _UNREADY)
        for site in (site for site, other in elsewhere.items() if other):
            self.note("TC333", made, f"{site} loads its state: {_UNREADY}")

    def _loads(self, made: cst.Call) -> dict[Site, bool]:
        """Where the program was seen to load its state, and whether that is in another file."""
        meaning = self.script.links.meaning
        parts = meaning.parts.get(self.script.roles.key(made), ()) if meaning else ()
        found = ((part.made, site) for part in parts if meaning for site in meaning.resumed.get(part.made, ()))
        return {site: site.path != here.path for here, site in found}
