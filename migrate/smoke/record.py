"""What a smoke run leaves behind: the record of one script that ran in one or several training processes.

Pure data. The child processes write it (`child/observe.py`), `run` reads it, everything that judges it starts here.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import Any


class Side(Enum):
    """What a script is, and so what has to be in place for it to run."""

    CUDA = "cuda"
    """An original: on a machine without a GPU a stand-in serves its CUDA calls."""
    SMTC = "smtc"
    """Migrated for the Training Compiler; its nearest real torch_xla is 2.1, with 1.13's autocast."""
    XLA = "xla"
    """Migrated for torch_xla 2.x."""


class Backend(Enum):
    """What serves a migrated script's torch_xla. A report always names it."""

    TORCH_XLA = "torch_xla"
    """A real torch_xla."""
    REPLICAS = "replicas"
    """A real torch_xla with several devices of the CPU, each rank a thread: XLA itself judges what they exchange."""
    STANDIN = "standin"
    """Our own modules of the target's names over native torch: the same training, graphs predicted, nothing of XLA."""


class Ending(Enum):
    """How a run ended."""

    ENDED = "ended"
    """The script came to its end."""
    STOPPED = "stopped"
    """It did the optimizer steps that were asked for and was stopped there."""
    FAILED = "failed"
    """It raised, crashed, exited with a status other than 0, or did not train in the processes it should."""
    APART = "stood still"
    """Its ranks waited for each other for good, each at another graph."""
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    """Its processes together held more than the limit."""


@dataclass(frozen=True)
class Parameter:
    """One trained parameter as it was left, in brief."""

    shape: tuple[int, ...]
    norm: float
    elements: tuple[float, ...]
    """At most 64 elements, spread evenly."""
    name: str = ""
    """As `named_parameters` of the outermost module calls it, without the wrappers' `module.`; empty when unknown."""
    dtype: str = ""
    """ "float32"; of what is no tensor its class."""


@dataclass(frozen=True)
class Written:
    """A file that a script wrote."""

    path: str
    """In the script's folder, or "model/...", "tmp/..." or "home/..." in one of the run's own."""
    values: tuple[Parameter, ...] | None = None
    """What a checkpoint holds, by key; None for a file that is none, or could not be read."""
    text: str | None = None
    bound: bool = False
    """Whether a checkpoint holds tensors of an XLA device."""
    unread: str = ""
    """Why it could not be read."""


@dataclass(frozen=True)
class Graphs:
    """What was compiled and executed up to one moment: measured by torch_xla or predicted by the stand-in."""

    compiled: int
    executed: int


@dataclass(frozen=True)
class Event:
    """One thing that a training process did, in order."""

    step: int
    """Steps of the first optimizer that were done by then."""
    kind: str
    """backward, reduce, unscale, clip, step, update, mark, read (a value taken to the host), mixed (an operation of the
    device used a tensor of the host; only the recording stand-in sees it)."""
    site: str
    """The script's own line that did it, "train.py:42"; empty when no line of the script is on the stack."""
    optimizer: int = -1
    """Whose gradients or parameters it was about, in the order in which optimizers were made; -1: none or unknown."""
    executed: int = 0
    """Graphs that it executed itself."""
    by_loader: bool = False
    """Whether a loader of torch_xla made this mark, not the script."""


@dataclass(frozen=True)
class Deed:
    """What a line of the script did to its training."""

    kind: str
    """forward, backward, step, zero, clip, unscale, mark, read, move, capture, save, load, collective, seed."""
    path: str
    line: int
    count: int = 1
    facts: frozenset[str] = frozenset()
    """Of a forward "parameters:xla", "inputs:cpu"; of a read the device; of a step "stale" or "own"."""


@dataclass(frozen=True)
class Pass:
    """One pass over a data loader."""

    loader: int
    """Which one, in the order of their first pass."""
    batches: int
    trained: bool
    """Whether the first optimizer stepped during it."""
    shapes: int = 1
    """How many different shapes its batches had."""


@dataclass(frozen=True)
class Worker:
    """What one training process computed."""

    rank: int = 0
    steps: tuple[int, ...] = ()
    """Number of steps of each optimizer, in the order of their first step."""
    losses: tuple[tuple[int, float], ...] = ()
    """What was differentiated, in order, each with the number of steps that the first optimizer had done by then."""
    gradients: tuple[float, ...] = ()
    """Norm of all gradients as handed to the optimizer, one per step."""
    parameters: tuple[Parameter, ...] = ()
    buffers: tuple[Parameter, ...] = ()
    """Final buffers of the modules that hold the parameters, as far as they are saved with them."""
    optimizer_state: tuple[Parameter, ...] = ()
    """What the optimizers remember, and their options: "exp_avg of fc.weight in optimizer 1"; numbers as tensors."""
    schedulers: tuple[Parameter, ...] = ()
    """The numbers that the schedulers would save: "last_epoch of scheduler 1"."""
    copies: tuple[tuple[Parameter, ...], ...] = ()
    """Copies of the model that no optimizer holds, such as moving averages."""
    files: tuple[Written, ...] = ()
    """What the script wrote; of rank 0."""
    loaded: tuple[str, ...] = ()
    """Files of the script's folder that `torch.load` read."""
    sources: tuple[tuple[str, str], ...] = ()
    """Where random numbers came from outside and were pinned: what, and the script's line."""
    graphs: tuple[Graphs, ...] = ()
    """After each step of the first optimizer; empty where nothing counts graphs."""
    times: tuple[float, ...] = ()
    """Seconds on the host's clock at the end of each step of the first optimizer. The device may lag behind."""
    counters: dict[str, int] = field(default_factory=dict)
    """torch_xla's counters at the end: graphs, marks, and operators left to the CPU ("aten::...")."""
    events: tuple[Event, ...] = ()
    events_dropped: int = 0
    """How many more there were than are kept."""
    passes: tuple[Pass, ...] = ()
    seeded: tuple[str, ...] = ()
    """Generators of random numbers that the script seeded: "host", "device"."""
    drawn: tuple[str, ...] = ()
    """Those that it drew from."""
    autocast: tuple[int, int] = (0, 0)
    """Calls of leaf modules in training steps, inside and outside an enabled autocast region."""
    without_gradient: int = 0
    """Parameters that an optimizer held and that never had a gradient at any of its steps."""
    reading: int = 0
    """Graphs that were compiled to read all this at the end; what is pending is executed before."""
    versions: dict[str, str] = field(default_factory=dict)
    device: str = ""
    """What computed: "cpu", or the GPU's name. Of a real torch_xla what it calls its device, "CUDA" or "GPU"."""
    memory: int = 0
    """The most bytes of the GPU that were taken, as torch or torch_xla tells; 0 where it does not."""

    @property
    def on_gpu(self) -> bool:
        """Whether a GPU computed."""
        return self.device not in ("", "cpu")

    @property
    def steps_per_second(self) -> float:
        """By the median time from one step to the next, so that evaluation and logging in between do not count; NaN for
        less than two steps."""
        spans = [after - before for before, after in pairwise(self.times)]
        return 1 / statistics.median(spans) if spans and any(spans) else math.nan

    @property
    def late_graphs(self) -> tuple[Graphs, ...]:
        """What was compiled and executed in each step of the last third: set-up and first shapes are behind it."""
        pairs = list(pairwise(self.graphs))
        late = pairs[len(pairs) * 2 // 3 :]
        return tuple(Graphs(b.compiled - a.compiled, b.executed - a.executed) for a, b in late)


@dataclass(frozen=True)
class Run:
    """What one script did."""

    side: Side
    ending: Ending
    seconds: float
    output: str
    """Standard output and error together: all of it up to a limit, then its end."""
    workers: tuple[Worker, ...] = ()
    """The processes that trained, by rank."""
    backend: Backend | None = None
    """None for an original."""
    reason: str = ""
    """Why it failed or was ended, in one sentence."""
    enclosure: tuple[str, ...] = ()
    """What held the script in: "network", "files", "processes", "attributes", "sockets"."""
    not_granted: tuple[str, ...] = ()
    """Those of them that were wanted and that the kernel refused."""
    deeds: tuple[Deed, ...] = ()
    """What the lines did, in all processes together; only of a job that asks for it."""
    lines: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """The lines that ran, by file."""
    kept: Mapping[str, bytes] = field(default_factory=dict)
    """The first version of each checkpoint that it saved in its folder, by path."""
    alone: bool = False
    """Whether it was to train in several processes and trained, to the end, in one: it does not with its arguments."""
    beyond: bool = False
    """Whether it was too much for real replicas: it crashed there, took too long or too much memory, or waited where
    they cannot give way. That says nothing of the script."""

    @property
    def ok(self) -> bool:
        """Whether there is something to compare."""
        return self.ending in (Ending.ENDED, Ending.STOPPED)

    @property
    def first(self) -> Worker:
        """The worker of rank 0; an empty one when nothing trained."""
        return self.workers[0] if self.workers else Worker()


def read_parameter(item: dict[str, Any]) -> Parameter:
    """A parameter or buffer from the JSON that `child/parameters.py` wrote."""
    elements = tuple(item["elements"])
    return Parameter(tuple(item["shape"]), item["norm"], elements, item.get("name", ""), item.get("dtype", ""))


def read_written(item: dict[str, Any]) -> Written:
    """A file from the JSON that `child/written.py` wrote."""
    values = item.get("values")
    told = None if values is None else tuple(map(read_parameter, values))
    return Written(item["path"], told, item.get("text"), item.get("bound", False), item.get("unread", ""))


def read_worker(seen: dict[str, Any]) -> Worker:
    """A worker from the JSON that `child/observe.py` wrote."""
    return Worker(
        rank=seen.get("rank", 0),
        steps=tuple(seen["steps"]),
        losses=tuple((step, value) for step, value in seen["losses"]),
        gradients=tuple(seen["gradients"]),
        parameters=tuple(map(read_parameter, seen["parameters"])),
        buffers=tuple(map(read_parameter, seen.get("buffers", ()))),
        optimizer_state=tuple(map(read_parameter, seen.get("optimizer_state", ()))),
        schedulers=tuple(map(read_parameter, seen.get("schedulers", ()))),
        copies=tuple(tuple(map(read_parameter, copy)) for copy in seen.get("copies", ())),
        files=tuple(map(read_written, seen.get("files", ()))),
        loaded=tuple(seen.get("loaded", ())),
        sources=tuple((what, site) for what, site in seen.get("sources", ())),
        graphs=tuple(Graphs(*pair) for pair in seen["graphs"] if pair),
        times=tuple(seen.get("times", ())),
        counters=seen["counters"],
        events=tuple(Event(*event) for event in seen.get("events", ())),
        events_dropped=seen.get("events_dropped", 0),
        passes=tuple(Pass(*item) for item in seen.get("passes", ())),
        seeded=tuple(seen.get("seeded", ())),
        drawn=tuple(seen.get("drawn", ())),
        autocast=tuple(seen.get("autocast", (0, 0))),
        without_gradient=seen.get("without_gradient", 0),
        reading=seen.get("reading", 0),
        versions=seen["versions"],
        device=seen.get("device", ""),
        memory=seen.get("memory", 0),
    )


def read_deeds(seen: Iterable[dict[str, Any]]) -> tuple[tuple[Deed, ...], dict[str, frozenset[int]]]:
    """What the lines of a run did, and which ran, from the JSON of its processes."""
    found: dict[tuple[str, str, int], Deed] = {}
    lines: dict[str, frozenset[int]] = {}
    for each in seen:
        for kind, path, line, count, facts in each.get("deeds", ()):
            known = found.get((kind, path, line), Deed(kind, path, line, 0))
            found[kind, path, line] = Deed(kind, path, line, known.count + count, known.facts | frozenset(facts))
        for path, ran in each.get("lines", {}).items():
            lines[path] = lines.get(path, frozenset()) | frozenset(ran)
    return tuple(found.values()), lines
