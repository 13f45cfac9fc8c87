"""How a script starts its processes, and what each process runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import libcst as cst

from codemods.kit.names import Names, argument
from codemods.kit.options import text
from codemods.kit.roles import WRAPPERS
from codemods.kit.tree import Tree

INIT = ("torch.distributed.init_process_group", "smdistributed.dataparallel.torch.distributed.init_process_group",
        "horovod.torch.init")  # fmt: skip
SPAWN = ("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes")
XLA_LAUNCHES = ("torch_xla.launch", "torch_xla.distributed.xla_multiprocessing.spawn")
TRAINERS = ("transformers.Trainer", "transformers.Seq2SeqTrainer", "transformers.trainer.Trainer")


class Launch(Enum):
    """How the processes of a script come to be."""

    SINGLE = "one process, one device"
    DATA_PARALLEL = "one process driving several GPUs through DataParallel"
    SPAWN = "processes spawned by the script itself"
    ENVIRONMENT = "processes started by torchrun, torch.distributed.launch, MPI or SMDDP"
    TRAINER = "started by a trainer class of another library"
    XLA = "already started through torch_xla"


def joins_xla_group(names: Names) -> bool:
    """Whether the process group is torch_xla's own, `init_process_group("xla")`: it stays with all that uses it."""
    backends = (argument(call, 0, "backend") for call in names.calls(*INIT))
    return any(text(backend.value) == "xla" for backend in backends if backend is not None)


@dataclass(frozen=True, eq=False)
class LaunchFacts:
    """The launch of one script."""

    kind: Launch
    spawns: tuple[cst.Call, ...]
    """`mp.spawn(...)` calls."""
    worker: cst.FunctionDef | None
    """The function each process runs, when the script spawns."""
    entry: cst.FunctionDef | None
    """A top-level `_mp_fn`, when the script has one."""
    handed: tuple[cst.Call, ...] = ()
    """Calls of functions of other files that spawn: `launch(main, args)`."""

    @property
    def starts(self) -> tuple[cst.Call, ...]:
        """The calls by which the processes start."""
        return (*self.spawns, *self.handed)

    @property
    def several(self) -> bool:
        """Whether the migrated script runs in several processes."""
        return self.kind in (Launch.DATA_PARALLEL, Launch.SPAWN, Launch.ENVIRONMENT, Launch.XLA)

    def in_notebook(self) -> LaunchFacts:
        """The same where one process runs it all: what several GPUs were driven by drives one device."""
        return replace(self, kind=Launch.SINGLE) if self.kind is Launch.DATA_PARALLEL else self


_TESTED = ("unittest.main", "pytest.main", "absl.testing.absltest.main")
"""What runs the tests in a script: they stay in one process."""


def read_launch(
    tree: Tree, names: Names, joins: bool = False, drives: bool = False, handed: Sequence[cst.Call] = ()
) -> LaunchFacts:
    """The launch of a script, from the calls it makes. `joins`: a function of another file that it calls joins the
    process group for it; `drives`: one that it calls drives several GPUs; `handed`: its calls of those that spawn."""
    entry = next((b.node for b in names.module.names.get("_mp_fn", ()) if isinstance(b.node, cst.FunctionDef)), None)
    spawns = tuple(names.calls(*SPAWN))
    worker = None
    for call in spawns:
        target = argument(call, 0, "fn")
        worker = worker or (names.local_function(target.value) if target else None)
    if names.calls(*XLA_LAUNCHES) or entry is not None:
        kind = Launch.XLA
    elif spawns or handed:
        kind = Launch.SPAWN
    elif joins or names.calls(*INIT) or any("Distributed" in name for name in _wrappers(names)):
        kind = Launch.ENVIRONMENT
    elif (drives or any(name == "DataParallel" for name in _wrappers(names))) and not names.calls(*_TESTED):
        kind = Launch.DATA_PARALLEL
    elif names.calls(*TRAINERS):
        kind = Launch.TRAINER
    else:
        kind = Launch.SINGLE
    return LaunchFacts(kind, spawns, worker, entry, tuple(handed))


def required_parameters(function: cst.FunctionDef) -> int:
    """How many arguments a function must be given; -1 when one of them goes by keyword only."""
    params = function.params
    if any(param.default is None for param in params.kwonly_params):
        return -1
    return sum(1 for param in (*params.posonly_params, *params.params) if param.default is None)


def _wrappers(names: Names) -> list[str]:
    return [wrapper for name, wrapper in WRAPPERS.items() if names.calls(name)]
