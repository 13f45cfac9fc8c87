"""Main program of the child process: `launch.py main|mp_fn SCRIPT [ARGUMENT ...]`.

`main` runs the script the way `python SCRIPT` does. `mp_fn` runs it the way the Training Compiler's launcher,
torch_xla.distributed.xla_spawn, does: it imports the script as a module (so its `__main__` block does not run and a
`parse_args()` at module level sees the launcher's arguments), then sets `sys.argv`, then calls `_mp_fn(0)`.
"""

from __future__ import annotations

import importlib.util
import os
import runpy
import sys
import threading
import traceback


def main() -> None:
    """Run the script, write what was observed, and leave at once.

    Exit status: the script's own, 1 when it raised.
    """
    mode, script, *arguments = sys.argv[1:]
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


def call_mp_fn(script: str, arguments: list[str]) -> None:
    """Import `script` as a module, then train as worker 0 of 1."""
    name = os.path.splitext(os.path.basename(script))[0]
    sys.argv = ["xla_spawn.py", "--num_gpus", "1", script, *arguments]
    spec = importlib.util.spec_from_file_location(name, script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    sys.argv = [script, *arguments]
    module._mp_fn(0)


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
