"""Start one process for each device through torch_xla.

`mp.spawn(worker, nprocs=n, args=...)` becomes `torch_xla.launch(worker, args=...)` (`xmp.spawn` before torch_xla 2.5):
torch_xla counts the devices itself and refuses another number. A script that torchrun started, or that drove several
GPUs through DataParallel, gets `_mp_fn(index)` and starts it under `__main__`. Work at module level moves into a
function, because every process imports the script again; names that functions read stay global.

A script for one device needs no entry point and keeps its form.
"""

from __future__ import annotations

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
    shared_names,
)
from codemods.kit.launch import Launch
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.starters import starters
from codemods.kit.targets import Launcher

_SOURCE = "torch_xla 2.9 torch_xla.py launch; torch_xla 2.1 distributed/xla_multiprocessing.py spawn"


class EntryPoint(Codemod):
    """Start one process for each device through torch_xla."""

    STAGE = Stage.LAUNCH
    LAUNCHERS = (Launcher.TORCH_XLA,)
    RULES = (
        Rule("TC701", "mp.spawn becomes the launch of torch_xla", Safety.EXACT, document=_SOURCE),
        Rule("TC702", "_mp_fn(index) is added and launched", Safety.EXACT, document=_SOURCE),
        Rule("TC703", "work at module level moves into a function that each process runs", Safety.REVIEW,
             document=_SOURCE),
        Rule("TC704", "the launch cannot be rewritten", Safety.NOTE, Severity.ERROR,
             "start a top-level function of one index argument with torch_xla.launch", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch.multiprocessing as mp\n\n\ndef worker(rank, args):\n    pass\n\n\n"
            'if __name__ == "__main__":\n    mp.spawn(worker, args=({},), nprocs=4, join=True)\n',
            xla="import torch_xla\n\n\ndef worker(rank, args):\n    pass\n\n\n"
            'if __name__ == "__main__":\n    torch_xla.launch(worker, args=({},))\n',
        ),
    )

    def rewrite(self) -> None:
        launch = self.script.launch
        if launch.kind is Launch.SPAWN:
            for call in launch.spawns:
                self._spawn(call)
        elif launch.kind in (Launch.ENVIRONMENT, Launch.DATA_PARALLEL) and not starters(self.script):
            self._enter(read_entry(self.script, parses=not self._has_guard() or self._asks_below()))

    def _has_guard(self) -> bool:
        return any(self.script.is_main_guard(item) for item in self.script.module.body)

    def _asks_below(self) -> bool:
        """Whether torch_xla is asked for a rank below a line at module level that reads the command line: it starts its
        runtime then, which the process that starts the others must not."""
        parses = [parse for parse, _ in self.script.ranks.parses if self.script.tree.function(parse) is None]
        return any(map(self.edits.has_after, parses))

    def _spawn(self, call: cst.Call) -> None:
        worker = argument(call, 0, "fn")
        join = argument(call, 3, "join")
        target = self.script.names.local_function(worker.value) if worker else None
        if target is not None and self.script.tree.function(target) is not None:
            self.note(
                "TC704", call, f"{target.name.value}() is defined inside a function, and processes cannot import it"
            )
            return
        if worker is None or (join is not None and build.code_of(join.value) == "False"):
            self.note("TC704", call, "the spawned processes are joined elsewhere, which torch_xla does by itself")
            return
        edit = self.edit("TC701", call, "starts its processes through torch_xla, one for each device")

        def launched(updated: cst.Call) -> cst.BaseExpression:
            fn, args = argument(updated, 0, "fn"), argument(updated, 1, "args")
            assert fn is not None
            if args is None:
                return edit.say(Idiom.LAUNCH, function=fn.value)
            said = edit.say(Idiom.SPAWN, function=fn.value, args=args.value)
            if "\n" in build.code_of(updated) and all(arg.keyword is not None for arg in updated.args[1:]):
                kept = build.without_argument(updated, "nprocs", "join", "daemon", "start_method")
                return kept.with_changes(func=cst.ensure_type(said, cst.Call).func)  # in the lines it had
            return said

        edit.replace(call, launched)

    def _enter(self, entry: Entry) -> None:
        moved = list(entry.work)
        if entry.guard is None and not entry.starts:
            return  # a module of functions, started from another file
        if entry.call is not None and not moved:
            self._launch_call(entry)
            return
        if entry.obstacle is not None and moved:
            self.note("TC704", entry.obstacle, "the module-level code around this call cannot move into a function")
            return
        blocked = needed_at_import(self.script, moved)
        if blocked is not None:
            self.note("TC704", blocked, "this definition has to come after the module-level code above it")
            return
        place = moved[0] if moved else entry.guard
        assert place is not None
        shared = shared_names(self.script, [*moved, *entry.body])
        name = free_name(self.script, "main", "run", "run_training")
        edit = self.edit("TC703" if moved else "TC702", place, f"runs in {name}(), once in each process")
        launch = edit.say_statements(Idiom.LAUNCH, function="_mp_fn")
        run_per_process(edit, entry, name, shared, lambda called: launch)

    def _launch_call(self, entry: Entry) -> None:
        assert entry.call is not None
        assert entry.guard is not None
        edit = self.edit("TC702", entry.call, "is started in one process for each device")
        called = build.code_of(entry.call)
        edit.before(entry.guard, [function("_mp_fn", "index", build.statements(called))])
        edit.replace(entry.call, edit.say(Idiom.LAUNCH, function="_mp_fn"))
