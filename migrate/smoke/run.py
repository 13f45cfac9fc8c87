"""Runs one training script in a child process, under observation, and says what it computed.

The script runs in a mirror of its folder (`workspace`), shut in with limits (`enclosure`), with environment variables
of its own (`variables`), under observation from inside (`child/`). Nothing of it is left when `run` returns.
"""

from __future__ import annotations

import json
import re
import signal
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

import codemods
from migrate.reach import reach
from migrate.smoke import verdicts
from migrate.smoke.child.removal import remove
from migrate.smoke.enclosure import Bounds, Cause, Ended, enclose
from migrate.smoke.environments import Environment
from migrate.smoke.missing import missing_modules
from migrate.smoke.record import Backend, Ending, Run, Side, read_deeds, read_worker
from migrate.smoke.replicas import Standstill
from migrate.smoke.sources import read_module
from migrate.smoke.variables import CHILD, child_variables, replica_variables, torchrun_variables
from migrate.smoke.workspace import Workspace, give_files, make_workspace, read_files

API = Path(codemods.__file__).parent / "kit" / "data" / "torch_xla_api.json"
"""Every public name of torch_xla with its signatures: what the stand-in is made of."""

READS_RANK = re.compile(r"""["'](?:LOCAL_RANK|RANK|WORLD_SIZE)["']|env://|init_process_group|smdistributed""")
"""Scripts that torchrun, or a launcher like it, is meant to start."""

ASKS_FOR_RANK = re.compile(
    r"""["'](?:RANK|WORLD_SIZE)["']\s+(?:not\s+)?in\s+os\.environ|environ\.get\(\s*["'](?:RANK|WORLD_SIZE)["']"""
)
"""Scripts that look whether they were started by torchrun, and train in one process when not."""

STARTS_WORKERS = re.compile(r"\b(?:spawn|start_processes|Process)\(")
"""Scripts that start their training processes themselves."""

COMPILES = re.compile(r"\btorch\.compile\b|\bmodel\.compile\(|_dynamo\b|_inductor\b|functorch|torch\.(export|fx)\b")
NEEDS_APEX = re.compile(r"\bamp\.initialize\(|\bapex\.parallel\b")
"""Scripts that do not run without NVIDIA's apex, so that a stand-in has to be there."""


class Launch(Enum):
    """How a script is started."""

    MAIN = "main"
    """As `python script.py` does."""
    MP_FN = "mp_fn"
    """As the Training Compiler's launcher does: imported as a module, then `_mp_fn(0)` is called."""


@dataclass(frozen=True)
class Limits:
    """How far a script may go."""

    seconds: float = 120.0
    bytes: int = 8 << 30
    """Memory that all its processes hold together; never more than 80 % of what the machine has free."""
    file_bytes: int = 2 << 30
    """Size of any one file that it writes."""
    processes: int = 512
    """How many it may run at a time."""
    steps: int | None = None
    """Steps of the first optimizer after which the script is stopped; None: let it end by itself."""


@dataclass(frozen=True)
class Job:
    """One script to run, and how."""

    script: Path
    side: Side
    environment: Environment
    arguments: tuple[str, ...] = ()
    root: Path | None = None
    """The folder that is mirrored and that the script runs in; None: the script's own."""
    replaced: Mapping[Path, str] = field(default_factory=dict)
    """Files of the root, by their path in it, with other text: a migrated script runs under its own name."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that the user passes on."""
    network: bool = False
    """Whether the script may use the network."""
    launch: Launch = Launch.MAIN
    limits: Limits = Limits()
    backend: Backend = Backend.TORCH_XLA
    """What serves torch_xla; without meaning for an original."""
    version: str = ""
    """The torch_xla whose names the stand-in has: "1.13", "2.9"."""
    predict: bool = False
    """Whether the stand-in records operations and predicts graphs; tensors are plain ones otherwise."""
    accelerator: str = "cpu"
    """"cuda": the GPU itself serves an original's CUDA calls, and XLA's devices."""
    runtime: Mapping[str, str] = field(default_factory=dict)
    """The environment variables by which a real torch_xla runs on that GPU."""
    workers: int = 1
    """Training processes: ranks of the original, XLA devices of the stand-in."""
    seed: int = 0
    threads: int = 1
    force_float32: bool = True
    """Turn autocast off, so that both sides can be compared."""
    double: bool = False
    """Compute in float64."""
    perturb: float = 0.0
    """Relative size of a random change of every parameter at every step: measures how far rounding carries."""
    by_line: bool = False
    """Keep what each line of the script does, and which lines run; it runs slower."""
    fake_data: bool = False
    """Serve well-known data sets by random tensors of their shapes."""
    given: Mapping[str, bytes] = field(default_factory=dict)
    """Files of the root beside the user's own, by their path in it: what an earlier run has kept."""


def run(job: Job) -> Run:
    """Run a script in a child process and observe its training.

    Ranks that stood still are believed when they do so twice: now and then two threads compile one graph at the same
    moment and wait for each other for good, which ranks that are processes never do.

    Raises MigrateError when its folder cannot be mirrored, and OSError when no process can be started; whatever the
    script does is told by the result.
    """
    ran = run_once(job)
    return run_once(job) if ran.ending is Ending.APART else ran


def run_once(job: Job) -> Run:
    """`run`, whatever comes of it."""
    folder = Path(tempfile.mkdtemp(prefix="tc-migrate-smoke-")).resolve()
    try:
        results = folder / "results"
        for place in (results, folder / "home", folder / "model", folder / "tmp"):
            place.mkdir()
        space = make_workspace(folder, job.script, job.root, job.replaced)
        give_files(space.mirror, job.given)
        text = "\n".join(own_texts(space))
        order = write_order(job, space, results, text)
        (folder / "order.json").write_text(json.dumps(order), encoding="utf-8")
        variables = child_variables(
            folder, space.mirror, job.side, job.accelerator, job.workers, job.network, job.variables, job.runtime
        )
        if job.backend is Backend.REPLICAS:
            variables.update(replica_variables(job.workers))
        # No launcher sets these for a migrated script: one that still reads them has to fail.
        if job.side is Side.CUDA and READS_RANK.search(text) and (job.workers > 1 or not ASKS_FOR_RANK.search(text)):
            # A script that starts its workers is not started once for each by torchrun as well.
            variables.update(torchrun_variables(1 if STARTS_WORKERS.search(text) else job.workers))
        python = str(job.environment.python)
        command = [python, str(CHILD / "launch.py"), job.launch.value, str(space.script), *job.arguments]
        began = time.monotonic()
        ended = enclose(command, variables, space.mirror, bounds(job, folder, results))
        seconds = time.monotonic() - began
        seen = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(results.glob("observed-*.json"))]
        stacks = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(results.glob("where-*.txt"))]
        still = [Standstill.read(json.loads(path.read_text(encoding="utf-8"))) for path in results.glob("ranks.json")]
        ran = conclude(job, space, ended, seconds, seen, stacks, *still)
        return replace(ran, kept=read_files(results / "kept"))
    finally:
        remove(folder)


def own_texts(space: Workspace) -> list[str]:
    """The texts of a script and of what it imports in the mirror: the process group may be joined in any of them."""
    name = space.script.relative_to(space.mirror).as_posix()
    texts = reach(name, lambda path: read_module(space.mirror / path))
    return list(texts.values())


def write_order(job: Job, space: Workspace, results: Path, text: str) -> dict[str, Any]:
    """What the child processes are told (`child/__init__.py`). `text`: of all that the script imports of its own."""
    return {
        "side": job.side.value,
        "backend": "native" if job.side is Side.CUDA else job.backend.value,
        "version": job.version,
        "api": str(API),
        "predict": job.predict,
        "accelerator": job.accelerator,
        "workers": job.workers,
        "script": str(space.script),
        "root": str(space.mirror),
        "by_line": job.by_line,
        "mirror": str(space.above),
        "results": str(results),
        "steps": job.limits.steps,
        "seed": job.seed,
        "threads": job.threads,
        "force_float32": job.force_float32,
        "double": job.double,
        "perturb": job.perturb,
        "fake_data": job.fake_data,
        "apex": NEEDS_APEX.search(text) is not None,
        "compiles": COMPILES.search(text) is not None,
    }


def bounds(job: Job, folder: Path, results: Path) -> Bounds:
    """What holds the script of a job in."""
    limits = job.limits
    return Bounds(
        folder=folder,
        results=results,
        seconds=limits.seconds,
        bytes=limits.bytes,
        file_bytes=limits.file_bytes,
        processes=limits.processes,
        network=job.network,
        cuda=job.accelerator == "cuda",
    )


def conclude(
    job: Job,
    space: Workspace,
    ended: Ended,
    seconds: float,
    seen: list[dict[str, Any]],
    stacks: list[str],
    still: Standstill | None = None,
) -> Run:
    """Make one result of what the processes of a run wrote: each of the workers is to have trained.

    Where they crashed or were interrupted, their stacks go with the output. `still`: where its ranks were when they
    last waited for each other.
    """
    trained = [result for result in seen if result["steps"] or result["losses"]]
    expected = len(trained) == job.workers
    finished = ended.cause is Cause.ITSELF
    output = space.unmirror(ended.output)
    ending = ending_of(ended, trained, expected)
    reason = ""
    if ending is Ending.FAILED and still is not None and finished and (still.what != "waiting" or aborted(ended)):
        ending = Ending.FAILED if still.what == "ungated" else Ending.APART
        reason = still.sentence
    elif ending not in (Ending.ENDED, Ending.STOPPED):
        stacks = [space.unmirror(stack) for stack in stacks if "File " in stack]
        reason = explain(job, space, ended, trained, stacks)
        output = "\n".join((output, *stacks)) if stacks else output
    workers = sorted((read_worker(result) for result in trained), key=lambda worker: worker.rank)
    backend = None if job.side is Side.CUDA else job.backend
    deeds, lines = read_deeds(seen)
    return Run(
        job.side,
        ending,
        seconds,
        output,
        tuple(workers) if expected else (),
        backend,
        reason,
        ended.held,
        ended.refused,
        deeds,
        lines,
        alone=finished and ended.status == 0 and len(trained) == 1 < job.workers,
        beyond=job.backend is Backend.REPLICAS and beyond_replicas(ending, ended, still),
    )


def ending_of(ended: Ended, trained: list[dict[str, Any]], expected: bool) -> Ending:
    """How a run ended, by what the processes that trained wrote; `expected`: whether these are as many as were to."""
    if ended.cause is Cause.ITSELF and expected:
        if all(result["stopped"] for result in trained):
            return Ending.STOPPED  # a worker that was stopped may have made its parent fail
        if all(result["complete"] for result in trained) and ended.status == 0:
            return Ending.ENDED
    return {Cause.TIME: Ending.TIMED_OUT, Cause.MEMORY: Ending.OUT_OF_MEMORY}.get(ended.cause, Ending.FAILED)


def beyond_replicas(ending: Ending, ended: Ended, still: Standstill | None) -> bool:
    """Whether a run did not end for what the script does, but for what its replicas cannot do."""
    if ending in (Ending.TIMED_OUT, Ending.OUT_OF_MEMORY):
        return True
    crashed = ended.status is not None and ended.status < 0
    ungated = still is not None and still.what == "ungated"
    return ending is Ending.FAILED and (crashed or ungated)


def aborted(ended: Ended) -> bool:
    """Whether torch_xla ended the process itself, as it does when a collective is waited for for ten seconds."""
    return ended.status is not None and -ended.status == signal.SIGABRT


def explain(job: Job, space: Workspace, ended: Ended, trained: list[dict[str, Any]], stacks: list[str]) -> str:
    """Why a script failed or was ended, in one sentence."""
    lacks = ended.cause is Cause.ITSELF and "ModuleNotFoundError: " in ended.output
    return verdicts.explain(
        verdicts.Facts(
            cause=ended.cause,
            status=ended.status,
            output=space.unmirror(ended.output),
            root=str(space.root),
            python=str(job.environment.python),
            stacks=tuple(stacks),
            held=ended.held,
            home=str(space.above.parent / "home"),
            seconds=job.limits.seconds,
            bytes=ended.limit,
            file_bytes=job.limits.file_bytes,
            processes=job.limits.processes,
            steps=max((sum(result["steps"][:1]) for result in trained), default=0),
            missing=missing_modules(own_texts(space), space.mirror, job.environment.python) if lacks else (),
            trained=len(trained),
            workers=job.workers,
        )
    )
