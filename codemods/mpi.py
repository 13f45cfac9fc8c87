"""Ask torch_xla, not MPI, which process this is.

A script that `mpirun` starts once for each GPU asks `MPI.COMM_WORLD` for its rank, joins a process group with it, and
shares out its data by it. torch_xla starts the processes itself, and the script is started once on each host. In each
process MPI then counts one process: every rank is 0, and every process would read all of the data. So

* `MPI.COMM_WORLD.Get_rank()`, `.Get_size()`, `.rank` and `.size` ask torch_xla;
* a function in which MPI also exchanges data keeps its ranks, which have to agree with the exchange. What it broadcasts
  each process then makes for itself, which is right though done several times; what it gathers or reduces is the
  process's own, which is an error.

Source: mpi4py 3.1, Intracomm; torch_xla 2.9 torch_xla.launch.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.environment import Quantity
from codemods.kit.launch import INIT, Launch
from codemods.kit.ranks import CALLS, MPI
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_ASKS = {"Get_rank", "Get_size", "rank", "size"}
_REPEATS = {"bcast", "Bcast", "Barrier", "barrier", "Ibarrier"}
"""What comes to the same when each process is alone."""
_SOURCE = "mpi4py 3.1 Intracomm; torch_xla 2.9 torch_xla.launch"


class Mpi(Codemod):
    """Ask torch_xla, not MPI, which process this is."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC529", "ranks are asked of torch_xla, not of MPI", Safety.EXACT, document=_SOURCE),
        Rule("TC530", "MPI broadcasts or waits here", Safety.NOTE, Severity.INFO,
             advice="nothing, if each process may do this for itself; to wait for each other, xm.rendezvous(tag)",
             document=_SOURCE),
        Rule("TC534", "the processes were started by MPI", Safety.NOTE, Severity.WARNING,
             advice="start the script once on each host, without mpirun: torch_xla starts a process for each device",
             document=_SOURCE),
        Rule("TC537", "MPI exchanges data here, of one process", Safety.NOTE, Severity.ERROR,
             advice="exchange it through torch_xla: xm.all_gather, xm.all_reduce, or xm.mesh_reduce on the host",
             document=_SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\nfrom mpi4py import MPI\n\n"
            'torch.distributed.init_process_group("nccl")\nrank = MPI.COMM_WORLD.Get_rank()\n',
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\n"
            'torch.distributed.init_process_group("nccl")\nrank = xm.get_ordinal()\n',
            xla="import torch\nimport torch_xla.runtime as xr\n\n"
            'torch.distributed.init_process_group("nccl")\nrank = xr.global_ordinal()\n',
        ),
    )

    def rewrite(self) -> None:
        uses = list(self.script.names.uses(MPI))
        if not uses or self.script.on_cpu or not self.script.distributed or self.script.launch.kind is Launch.XLA:
            return
        joining = {self.script.tree.function(call) for call in self.script.calls(*INIT)}
        exchanging = {self.script.tree.function(node) for name, node in uses if self._exchanges(name)}
        for name, node in uses:
            function = self.script.tree.function(node)
            if function not in exchanging:
                self._ask(name, node)
        for function in joining:
            first = next((node for _, node in uses if self.script.tree.function(node) is function), None)
            if first is not None:
                self.note("TC534", first, "MPI gave each process its rank; now torch_xla starts the processes")
        for function in exchanging - joining:
            self._say([(name, node) for name, node in uses if self.script.tree.function(node) is function])

    def _exchanges(self, name: str) -> bool:
        method = name.removeprefix(MPI).lstrip(".")
        return bool(method) and method not in _ASKS

    def _ask(self, name: str, node: cst.BaseExpression) -> None:
        quantity = CALLS.get(name)
        if quantity is None:
            return
        called = self.script.tree.parent.get(node)
        asked: cst.BaseExpression = called if isinstance(called, cst.Call) and called.func is node else node
        what = "the rank" if quantity is Quantity.RANK else "the number of processes"
        edit = self.edit("TC529", asked, f"{what} is asked of torch_xla: MPI counts one process")
        edit.replace(asked, edit.say(quantity.idiom))

    def _say(self, uses: list[tuple[str, cst.BaseExpression]]) -> None:
        exchanged = [(name.rpartition(".")[2], node) for name, node in uses if self._exchanges(name)]
        worst = next(((method, node) for method, node in exchanged if method not in _REPEATS), None)
        if worst is not None:
            self.note("TC537", worst[1], f"MPI's {worst[0]} is among the processes that mpirun started: this one alone")
        else:
            self.note("TC530", exchanged[0][1], f"MPI's {exchanged[0][0]} is of one process: each does this for itself")
