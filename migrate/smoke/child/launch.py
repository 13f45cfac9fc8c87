"""Main program of the child process: `launch.py main|mp_fn SCRIPT [ARGUMENT ...]`.

`main` runs the script the way `python SCRIPT` does. `mp_fn` runs it the way the Training Compiler's launcher,
torch_xla.distributed.xla_spawn, does: it imports the script as a module (so its `__main__` block does not run and a
`parse_args()` at module level sees the launcher's arguments), then sets `sys.argv`, then calls `_mp_fn(rank)`.

Where several workers are wanted and the script does not start them itself, this program runs once more for each: as
torchrun does for a script that reads its rank, as the Training Compiler's launcher does for `_mp_fn`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
import traceback

OWN_RANK, SIZE, STORE = "TC_MIGRATE_RANK", "TC_MIGRATE_WORLD_SIZE", "TC_MIGRATE_STORE"
"""What tells a worker its place: `standin/world.py` reads it."""


def main() -> None:
    """Run the script, write what was observed, and leave at once.

    Exit status: the script's own, 1 when it raised.
    """
    mode, script, *arguments = sys.argv[1:]
    workers = places(mode)
    if workers:
        os._exit(start(workers))
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    status = 0
    try:
        if mode == "mp_fn":
            call_mp_fn(script, arguments)
        else:
            sys.argv = [script, *arguments]
            runpy.run_path(script, run_name="__main__")
        for thread in threading.enumerate():
            if thread is not threading.main_thread() and not thread.daemon:
                thread.join()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    finish(status)


def places(mode: str) -> list[dict[str, str]]:
    """The environment variables of each worker that is to be started; empty when this process is to run the script."""
    # torchrun's variables without a rank are the runner's way to ask for as many workers.
    if "WORLD_SIZE" in os.environ and "RANK" not in os.environ:
        return [{"RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(int(os.environ["WORLD_SIZE"]))]
    with open(os.environ["TC_MIGRATE_SMOKE"], encoding="utf-8") as file:
        size = json.load(file)["workers"]
    if mode != "mp_fn" or size == 1 or OWN_RANK in os.environ:
        return []
    store = os.path.join(tempfile.mkdtemp(), "store")
    return [{OWN_RANK: str(rank), SIZE: str(size), STORE: store} for rank in range(size)]


def start(workers: list[dict[str, str]]) -> int:
    """Run this program once for each worker, at the same time; end all when one fails. The first failure's status."""
    running = [subprocess.Popen([sys.executable, *sys.argv], env={**os.environ, **place}) for place in workers]
    status = 0
    while running:
        ended, how = os.wait()
        running = [worker for worker in running if worker.pid != ended]
        if how and not status:
            # A worker that a signal ended has the status that a shell reports for it.
            status = how >> 8 or 128 + (how & 127)
            for worker in running:
                worker.terminate()
    return status


def call_mp_fn(script: str, arguments: list[str]) -> None:
    """Import `script` as a module, then train as the worker that the environment says, by default 0 of 1."""
    name = os.path.splitext(os.path.basename(script))[0]
    sys.argv = ["xla_spawn.py", "--num_gpus", os.environ.get(SIZE, "1"), script, *arguments]
    spec = importlib.util.spec_from_file_location(name, script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    sys.argv = [script, *arguments]
    module._mp_fn(int(os.environ.get(OWN_RANK, 0)))


def finish(status: int) -> None:
    """End the process without the interpreter's own clean-up.

    A process that left a torch_xla loader half read aborts there one time in four ("terminate called without an
    active exception", torch_xla 2.1 and 2.9), after the script's work is done.
    """
    observe = sys.modules.get("tc_migrate_child.observe")
    if observe is not None:
        observe.finish(complete=status == 0)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
