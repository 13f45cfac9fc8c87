"""Wait for files that one process writes and all read.

`xm.save` writes on one process. Up to torch_xla 2.0 it waits for all of them; later it does not, and nothing waits for
a copy that the master makes. A process that reads the file next may find none, or half of one: the best weights that
are restored after training, a start that a helper writes and its caller loads. So all processes meet at
`xm.rendezvous("saved")` above what reads the file, or below what writes it where one statement does both. What reads is
found by executing the original: in other functions and files, and by another name of the path. (A file that the
function itself saves and loads is `checkpoint_save`'s.)
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.names import dotted
from codemods.kit.opened import read_below
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Stage

_ASKS = ("exists", "isfile", "is_file")
_BEFORE = """\
import torch
from torch.utils.data import DataLoader


def finish(model):
    model.load_state_dict(torch.load("best.pt", map_location="cpu"))


def main():
    model = torch.nn.DataParallel(torch.nn.Linear(2, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for (x,) in DataLoader(data, batch_size=8):
            model(x.cuda()).sum().backward()
            optimizer.step()
        torch.save(model.state_dict(), "best.pt")
    finish(model)


main()
"""
_MET = """\
def finish(model):
    xm.rendezvous("saved")
    model.load_state_dict"""


class ReadBack(Codemod):
    """Wait for files that one process writes and all read."""

    STAGE = Stage.SAVE
    RULES = (
        Rule("TC616", "what one process wrote is waited for before all read it", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py save, rendezvous"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before=_BEFORE,
            smtc=_BEFORE,
            xla=_BEFORE.replace("def finish(model):\n    model.load_state_dict", _MET).replace(
                "import DataLoader\n", "import DataLoader\nimport torch_xla.core.xla_model as xm\n"
            ),
        ),
    )

    def rewrite(self) -> None:
        meaning = self.script.links.meaning
        if meaning is None or not self.script.distributed:
            return
        served = {read_below(self.script, save) for save in self.script.calls("torch.save")}
        for call in self.script.tree.all(cst.Call) if meaning.meet_after or meaning.meet_before else ():
            key = self.script.roles.key(call)
            if key in meaning.meet_after:
                self._meet(call, meaning.meet_after[key], above=False)
            elif key in meaning.meet_before and call not in served:
                self._meet(self._asked(call), meaning.meet_before[key], above=True)

    def _meet(self, place: cst.CSTNode, checkpoint: bool, *, above: bool) -> None:
        """Let all processes meet beside a statement, unless `xm.save` does that by itself."""
        if checkpoint and not self.can(Idiom.SAVED):
            return
        edit = self.edit("TC616", place, "one process wrote the file that all of them read")
        met = [cst.SimpleStatementLine([cst.Expr(edit.say(Idiom.RENDEZVOUS, tag=self.quoted("saved")))])]
        if above:
            edit.before(place, met)
        else:
            edit.after(place, met)

    def _asked(self, call: cst.Call) -> cst.CSTNode:
        """The outermost `if` around a reading call that asks whether the file is there; else the call."""
        tree, function = self.script.tree, self.script.tree.function(call)
        place: cst.CSTNode = call
        for outer in tree.ancestors(call):
            if outer is function:
                break
            if isinstance(outer, cst.If) and any(self._asks(one) for one in tree.inside(outer.test, cst.Call)):
                place = outer
        return place

    def _asks(self, call: cst.Call) -> bool:
        return (dotted(call.func) or "").rpartition(".")[2] in _ASKS
