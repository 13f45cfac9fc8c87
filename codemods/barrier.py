"""Make a rendezvous of a barrier.

`dist.barrier()` becomes `xm.rendezvous("tag")`, which every process has to reach too. The tag names the function the
barrier stands in, so that a job that hangs says where. Barriers that only some ranks reach come in pairs (`if rank !=
0: dist.barrier()`, the work of rank 0, `if rank == 0: dist.barrier()`): the ranks wait for each other at different
lines, so these get one tag.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.ranks import GROUPS
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage


class Barrier(Codemod):
    """Make a rendezvous of a barrier."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC517", "barrier becomes a rendezvous", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py rendezvous"),
        Rule("TC518", "a barrier without a counterpart", Safety.NOTE, Severity.ERROR,
             "a rendezvous is one of all processes, and gives nothing to wait for",
             "torch_xla 2.1 core/xla_model.py rendezvous"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch.distributed as dist\n\n\ndef prepare():\n    dist.barrier()\n",
            smtc='import torch_xla.core.xla_model as xm\n\n\ndef prepare():\n    xm.rendezvous("prepare")\n',
            xla='import torch_xla.core.xla_model as xm\n\n\ndef prepare():\n    xm.rendezvous("prepare")\n',
        ),
    )

    def rewrite(self) -> None:
        if self.script.group.is_xla:
            return
        self._tags: dict[str, int] = {}
        for group in GROUPS:
            for name, node in self.script.names.uses(f"{group}.barrier"):
                call = self.script.tree.parent.get(node)
                if not isinstance(call, cst.Call) or call.func is not node:
                    self.note("TC518", node, f"{name.rpartition('.')[2]} is passed on as a value")
                elif reason := self._hindrance(call):
                    self.note("TC518", call, reason)
                else:
                    self._barrier(call)

    def _hindrance(self, call: cst.Call) -> str:
        """Why a barrier is no rendezvous, or an empty string."""
        group, waiting = argument(call, 0, "group"), argument(call, 1, "async_op")
        if group is not None and not code_of(group.value).endswith(("None", "group.WORLD")):
            return "a barrier of a process group of its own"
        if waiting is not None and code_of(waiting.value) != "False":
            return "a barrier with a handle to wait for"
        return "" if isinstance(self.script.tree.parent.get(call), cst.Expr) else "the result of a barrier is used"

    def _barrier(self, call: cst.Call) -> None:
        function = self.script.tree.function(call)
        place = function.name.value if function is not None else "main"
        if self.script.ranks.is_guarded(call):
            tag = f"{place}_in_turn"  # the ranks reach different barriers of the function, and meet by the tag
        else:
            self._tags[place] = self._tags.get(place, 0) + 1
            tag = place if self._tags[place] == 1 else f"{place}_{self._tags[place]}"
        edit = self.edit("TC517", call, "barrier becomes a rendezvous")
        edit.replace(call, edit.say(Idiom.RENDEZVOUS, tag=f'"{tag}"'))
