"""Runs programs in forks of one process that has imported torch, and torch_xla where asked, once.

`python server.py cuda|xla`: a job comes in as a line of JSON, what came of it goes out as one. It runs in the
environment under test and may import nothing but torch and the observer of `migrate/smoke/child`.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import math
import os
import resource
import runpy
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

CHILD = Path(__file__).resolve().parents[2] / "migrate" / "smoke" / "child"
WATCHED = ("torch_xla", "torch_xla.core.xla_model", "torch_xla.distributed.parallel_loader", "torch_xla.amp")
"""The modules of torch_xla that are patched, in this order, as if they had just been imported."""


def main() -> None:
    """Import, then serve until the input ends."""
    side = sys.argv[1]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    child = load_child()
    import torch

    torch.set_num_threads(1)
    if side == "xla":
        for name in (*WATCHED, "torch_xla.runtime", "torch_xla.distributed.xla_multiprocessing"):
            importlib.import_module(name)
    for name in (
        "torch._dynamo",
        "torch.utils.data.distributed",
        "torch.nn.parallel.distributed",
        "torch.optim.swa_utils",
    ):
        importlib.import_module(name)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(serve(json.loads(line), child)), file=answers, flush=True)


def load_child() -> Any:
    """The observer, as `sitecustomize` loads it."""
    spec = importlib.util.spec_from_file_location(
        "tc_migrate_child", CHILD / "__init__.py", submodule_search_locations=[str(CHILD)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tc_migrate_child"] = module
    spec.loader.exec_module(module)
    return module


def serve(job: dict[str, Any], child: Any) -> dict[str, Any]:
    """Run one program in a fork, for as long as it may take."""
    began = time.monotonic()
    process = os.fork()
    if process == 0:
        status = 1
        try:
            status = work(job, child)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    ended = 0
    while time.monotonic() - began < job["seconds"] and not ended:
        ended, how = os.waitpid(process, os.WNOHANG)
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)  # what the program started, and itself when its time is over
    if not ended:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    ending = os.waitstatus_to_exitcode(how) if ended else None
    return {"status": ending, "seconds": time.monotonic() - began, **collect(Path(job["results"]))}


def collect(results: Path) -> dict[str, Any]:
    """What a run has left behind."""
    observed = [json.loads(path.read_text()) for path in sorted(results.glob("observed-*.json"))]
    texts = {name: (results / name).read_text(errors="replace") for name in ("out", "err") if (results / name).exists()}
    kept = results / "files.json"
    return {"observed": observed, "files": json.loads(kept.read_text()) if kept.exists() else {}, **texts}


def work(job: dict[str, Any], child: Any) -> int:
    """In the fork: patch, run, summarise. The exit status of the program."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"] // 5, job["seconds"] // 5 + 1))
    results = job["results"]
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(os.path.join(results, name), os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
    os.environ.update(job["variables"])
    os.chdir(job["folder"])
    patch(job, child)
    sys.argv = ["train.py"]
    sys.path.insert(0, job["folder"])
    status = 0
    try:
        runpy.run_path("train.py", run_name="__main__")
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    if status == 0:
        Path(results, "files.json").write_text(json.dumps(summarise_files(job["folder"])))
    sys.modules["tc_migrate_child.observe"].finish(complete=status == 0)
    return status


def patch(job: dict[str, Any], child: Any) -> None:
    """Do what the observer does after the imports, which were made long ago."""
    import random

    import torch

    order = {
        "side": job["side"], "backend": "native" if job["side"] == "cuda" else "torch_xla", "accelerator": "cpu",
        "workers": 1, "script": os.path.join(job["folder"], "train.py"), "mirror": job["folder"],
        "results": job["results"], "steps": None, "seed": 0, "threads": 1, "force_float32": True, "double": False,
        "perturb": 0.0, "fake_data": False, "apex": False, "by_line": False, "root": job["folder"],
    }  # fmt: skip
    from tc_migrate_child import pinning

    pinned = pinning.install(order)
    random.seed(0)
    child.prepare_torch(torch, order, pinned)
    # A world of one needs no process of its own, which would have to import everything anew.
    torch.multiprocessing.spawn = start_one
    if job["side"] == "cuda":
        return
    callbacks: dict[str, Any] = {}
    from tc_migrate_child import events_xla, xla_on_cpu

    xla_on_cpu.register(callbacks, order)
    events_xla.register(callbacks)
    for name in WATCHED:
        callbacks[name](sys.modules[name])
    pjrt: Any = importlib.import_module("torch_xla._internal.pjrt")
    pjrt.run_multiprocess = lambda fn, *arguments, start_method="spawn", **options: pjrt._run_singleprocess(fn)


def start_one(fn: Any, args: Any = (), nprocs: int = 1, join: bool = True, **options: Any) -> None:
    """`torch.multiprocessing.spawn` of one process, in this one."""
    assert nprocs == 1, nprocs
    fn(0, *args)


def summarise_files(folder: str) -> dict[str, Any]:
    """The files that torch saved, by name: the size of each tensor in them, by its path."""
    import torch

    found = {}
    for path in sorted(Path(folder).glob("*.pt")):
        if path.name != "start.pt":
            found[path.name] = flatten(torch, torch.load(path, map_location="cpu", weights_only=False))
    return found


def flatten(torch: Any, value: Any, path: str = "") -> dict[str, Any]:
    """Tensors by their norm and numbers, by the keys that lead to them."""
    if isinstance(value, dict):
        return {
            key: item for name, inner in value.items() for key, item in flatten(torch, inner, f"{path}/{name}").items()
        }
    if isinstance(value, (list, tuple)):
        return flatten(torch, dict(enumerate(value)), path)
    if isinstance(value, torch.Tensor):
        return {path: float(value.double().norm())}
    return {path: value} if isinstance(value, (int, float)) and math.isfinite(value) else {}


if __name__ == "__main__":
    main()
