"""Give the Training Compiler's launcher the function it calls.

The container runs `python -m torch_xla.distributed.xla_spawn --num_gpus N train.py`: it imports the script as a
module, replaces `sys.argv`, and calls `_mp_fn(index)` in one process for each GPU. So `_mp_fn` must be at the top
level and take exactly one argument; what stands under `__main__` does not run; and nothing may parse arguments or make
a device while the script is imported. A script that spawned its own workers calls its worker directly, because the
launcher has spawned already. `if __name__ == "__main__"` stays for a job on one GPU.

A script that was migrated by hand gets the same: one that asks torch_xla for ranks and trains, but has no `_mp_fn`, and
one that starts its processes by `xmp.spawn` with arguments, which the launcher would call without them.

A script for one device gets none: a job without `distribution` runs it as it is, and a launcher would train it as often
as there are GPUs, on the same data. One that parses its arguments while it is imported is told so.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.entry import (
    Entry,
    free_name,
    function,
    needed_at_import,
    read_entry,
    run_per_process,
    runs_ahead,
    shared_names,
    trains_by_xla_ranks,
)
from codemods.kit.launch import XLA_LAUNCHES, Launch, required_parameters
from codemods.kit.names import argument
from codemods.kit.parsed import parsed_at_import
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.starters import starters
from codemods.kit.targets import Launcher

_SOURCE = "SageMaker: Training Compiler troubleshooting, distributed training; xla_spawn of its containers"


class EntryPointSagemaker(Codemod):
    """Give the Training Compiler's launcher the function it calls."""

    STAGE = Stage.LAUNCH
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("TC711", "mp.spawn becomes a call of its worker: the launcher has spawned already", Safety.EXACT,
             document=_SOURCE),
        Rule("TC712", "_mp_fn(index) is added for the launcher", Safety.EXACT, document=_SOURCE),
        Rule("TC713", "work at module level moves into a function that each process runs", Safety.REVIEW,
             document=_SOURCE),
        Rule("TC715", "a worker called _mp_fn that takes more than its index gets another name", Safety.REVIEW,
             document=_SOURCE),
        Rule("TC705", "the command line is parsed while the launcher imports the script", Safety.NOTE, Severity.ERROR,
             "parse it in the function that _mp_fn(index) calls, and hand on what comes of it", _SOURCE),
        Rule("TC710", "a script for one device that the launcher of several processes cannot import", Safety.NOTE,
             Severity.WARNING, "start it without `distribution`; for several GPUs parse the arguments in a function, "
             "split the data and define _mp_fn(index)", _SOURCE),
        Rule("TC714", "the launch cannot be rewritten", Safety.NOTE, Severity.ERROR,
             "define a top-level _mp_fn(index) that runs the training of one process", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch.multiprocessing as mp\n\n\ndef worker(rank, args):\n    pass\n\n\ndef main():\n"
            "    mp.spawn(worker, args=({},), nprocs=4, join=True)\n\n\n"
            'if __name__ == "__main__":\n    main()\n',
            smtc="import torch_xla.core.xla_model as xm\n\n\ndef worker(rank, args):\n    pass\n\n\ndef main():\n"
            "    worker(xm.get_local_ordinal(), {})\n\n\ndef _mp_fn(index):\n    main()\n\n\n"
            'if __name__ == "__main__":\n    main()\n',
        ),
    )

    def rewrite(self) -> None:
        self._parsed_ahead()
        launch = self.script.launch
        spawns = launch.spawns
        if launch.kind is Launch.XLA:
            spawns = tuple(self.script.calls(*XLA_LAUNCHES))
            if not self._starts_itself(spawns) or (launch.entry is not None and required_parameters(launch.entry) == 1):
                return
            if launch.entry is not None:
                self._rename(launch.entry)
        elif launch.kind is Launch.SINGLE:
            if not trains_by_xla_ranks(self.script):
                return
        elif launch.kind is Launch.TRAINER:
            return
        for call in spawns:
            self._spawn(call)
        if not starters(self.script):
            self._enter(read_entry(self.script))

    def _parsed_ahead(self) -> None:
        """Say where arguments are parsed that are the launcher's own then: `--num_gpus 8 train.py`."""
        script = self.script
        calls = parsed_at_import(script)
        if not calls or script.cells:
            return
        trains = bool(script.loops.train_loops()) or script.links.trains
        if runs_ahead(script, calls[0]):
            self.note("TC705", calls[0], "the launcher's own arguments are parsed here, when it imports the script")
        elif script.launch.kind is Launch.SINGLE and trains and not script.distributed:
            entry = read_entry(script)
            if (entry.guard is not None or entry.starts) and not trains_by_xla_ranks(script):
                self.note("TC710", calls[0], "the launcher's own arguments are parsed here, and there is no _mp_fn")

    def _starts_itself(self, spawns: Sequence[cst.Call]) -> bool:
        """Whether a script starts functions of its own by these calls, and is a script to start: not a launcher of
        other scripts, nor a module that lends its functions."""
        workers = (argument(call, 0, "fn") for call in spawns)
        own = all(fn is not None and self.script.names.local_function(fn.value) is not None for fn in workers)
        entry = read_entry(self.script)
        return bool(spawns) and own and (entry.guard is not None or entry.starts)

    def _rename(self, worker: cst.FunctionDef) -> None:
        """Free the name `_mp_fn`, which the launcher calls with the index alone."""
        name = free_name(self.script, "train", "run_worker", "worker")
        edit = self.edit("TC715", worker, f"is called {name}: the launcher passes the index alone")
        edit.replace(worker.name, cst.Name(name))
        for use in self.script.names.named(worker.name.value):
            if self.script.names.local_function(use) is worker and use is not worker.name:
                edit.replace(use, cst.Name(name))

    def _spawn(self, call: cst.Call) -> None:
        worker = argument(call, 0, "fn")
        if worker is None:
            self.note("TC714", call, "what is spawned cannot be seen here")
            return
        edit = self.edit("TC711", call, "calls its worker: the launcher has started the processes")

        # A worker that joins the process group with its index as the rank means the global one.
        target = self.script.names.local_function(worker.value)
        ranked = (
            target is not None
            and bool(target.params.params)
            and self.script.group.gives(target.params.params[0], "rank")
        )
        by_hand = self.script.launch.kind is Launch.XLA  # xmp.spawn passes the global one
        index = Idiom.ORDINAL if ranked or by_hand else Idiom.LOCAL_ORDINAL

        def called(updated: cst.Call) -> cst.BaseExpression:
            fn, args = argument(updated, 0, "fn"), argument(updated, 1, "args")
            assert fn is not None
            first = cst.Arg(edit.say(index))
            return cst.Call(build.parenthesized(fn.value), [first, *_passed(args)])

        edit.replace(call, called)

    def _enter(self, entry: Entry) -> None:
        moved = list(entry.work)
        if entry.guard is None and not entry.starts:
            return  # a module of functions, started from another file
        if entry.call is not None and not moved:
            assert entry.guard is not None
            edit = self.edit("TC712", entry.call, "is what the launcher runs in each process")
            called = build.code_of(entry.call)
            edit.before(entry.guard, [function("_mp_fn", "index", build.statements(called))])
            return
        if entry.obstacle is not None and moved:
            self.note("TC714", entry.obstacle, "the module-level code around this call cannot move into a function")
            return
        blocked = needed_at_import(self.script, moved)
        if blocked is not None:
            self.note("TC714", blocked, "this definition has to come after the module-level code above it")
            return
        place = moved[0] if moved else entry.guard
        assert place is not None
        shared = shared_names(self.script, [*moved, *entry.body])
        name = free_name(self.script, "main", "run", "run_training")
        edit = self.edit("TC713" if moved else "TC712", place, f"runs in {name}(), once in each process")
        run_per_process(edit, entry, name, shared, build.statements)


def _passed(args: cst.Arg | None) -> Sequence[cst.Arg]:
    """The elements of `args=(a, b)` as arguments; anything that is no literal tuple behind a star."""
    if args is None:
        return ()
    if isinstance(args.value, cst.Tuple):
        return [cst.Arg(element.value) for element in args.value.elements]
    return [cst.Arg(args.value, star="*")]
