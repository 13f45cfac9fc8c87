"""Execute a program abstractly: from its entry points, then whatever nobody called."""

from __future__ import annotations

import ast
import contextlib
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from codemods.kit.meaning import assumed, graph
from codemods.kit.meaning.attributes import get_attribute
from codemods.kit.meaning.bounds import ALL_UNCALLED, BEGINNING, MAX_ALL, MAX_STEPS, MAX_UNCALLED
from codemods.kit.meaning.calls import call_value
from codemods.kit.meaning.expressions import EXPRESSIONS
from codemods.kit.meaning.iteration import iterate
from codemods.kit.meaning.libraries import models_state
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.modules import Program, new_module, run_module
from codemods.kit.meaning.parameters import each_parameter, parameters, place
from codemods.kit.meaning.parts import Watcher
from codemods.kit.meaning.paths import Dead, Spent
from codemods.kit.meaning.process_primitives import WORLD
from codemods.kit.meaning.record import Event, Part, Record
from codemods.kit.meaning.statements import STATEMENTS
from codemods.kit.meaning.stock import MADE, Stock, nowhere
from codemods.kit.meaning.values import ABSENT, RANK, ClassValue, Function, Sym, Value

DEEPEST = 12_000
"""Python's own calls that a chain of `MAX_DEPTH` calls of the program may take."""
TRAINS = frozenset(
    {
        "backward",
        "step",
        "optimizer_step",
        "no_grad",
        "inference_mode",
        "reduce_gradients",
        "scale",
        "parameters",
        "cuda",
        "to",
        "load_state_dict",
        "state_dict",
        "all_reduce",
        "all_gather",
    }
)

if TYPE_CHECKING:
    from importlib.abc import Traversable
"""Names in a function that nobody calls for which it is executed all the same."""


@dataclass
class Execution:
    """What executing a program showed."""

    record: Record = field(default_factory=Record)
    several: bool = False
    """Whether it ran in several processes at some time."""
    spent: bool = False
    """Whether the work it may take was not enough."""
    steps: int = 0

    @property
    def cuts(self) -> frozenset[Part]:
        """What was cut out as too large."""
        return frozenset(one.about for one in self.record.of("cut"))

    legacy: bool = False
    """Whether it ran for torch_xla 1.x."""

    @property
    def called(self) -> list[Event]:
        """The events of what the entries run, without what nobody calls."""
        events = self.record.events
        return events[: next((at for at, one in enumerate(events) if one.kind == "uncalled"), len(events))]

    def finished(self, kind: str) -> list[Event]:
        """The events of a kind in what was executed to its end; what nobody calls counts if all that runs was."""
        found: list[Event] = []
        running: list[Event] = []
        for event in self.called if self.spent else self.record.events:
            if event.kind in ("end", "uncalled"):
                found += running
            if event.kind in ("end", "uncalled", "spent"):
                running = []
            elif event.kind == kind:
                running.append(event)
        return found + running

    def in_processes(self, kind: str) -> list[Event]:
        """The events of a kind in the entries that start processes, and in what nobody calls."""
        found: list[Event] = []
        entry: list[Event] = []
        for event in self.called:
            entry.append(event)
            if event.kind in ("end", "spent"):
                found += entry if any(one.kind in ("launch", "processes") for one in entry) else []
                entry = []
        return [one for one in (*found, *self.record.events[len(self.called) :]) if one.kind == kind]

    @property
    def calls_training(self) -> bool:
        """Whether what the entries run trains."""
        return any(one.kind == "backward" for one in self.called)

    failure: str = ""
    """Our trouble: why execution ended before its time."""


def machine_for(program: Program, cuda: bool, legacy: bool) -> Machine:
    """A machine with nothing run on it."""
    machine = _bare_machine(program, cuda, legacy, MADE)
    key = " ".join(map(str, (cuda, legacy, models_state(), *program.models)))
    kept: dict[str, Stock] = _stocks.__dict__
    if key not in kept:
        models = Program({}, program.models)
        kept[key] = Stock(_bare_machine(models, cuda, legacy), models)
    kept[key].lend(machine, program)
    for fact, truth in _WORLD_FACTS:
        machine.facts.know(fact, truth)
    return machine


_stocks = threading.local()
"""The stock of each kind of machine. Programs that are judged in several threads have their own."""


def _bare_machine(program: Program, cuda: bool, legacy: bool, made: int = 0) -> Machine:
    machine = Machine(program, cuda, made)
    machine.legacy = legacy
    machine.expressions, machine.statements = EXPRESSIONS, STATEMENTS
    machine.caller, machine.getter, machine.iterator = call_value, get_attribute, iterate
    machine.reader = lambda value: graph.read(machine, value, "bool()")
    graph.start(machine)
    return machine


_WORLD_FACTS = (
    (("<", ("const", "int", 1), WORLD), True),
    (("<", ("const", "int", 0), WORLD), True),
    (("<", WORLD, ("const", "int", 2)), False),
    (("<", WORLD, ("const", "int", 1)), False),
    (("==", *sorted((("const", "int", 1), WORLD), key=repr)), False),
    (("==", *sorted((("const", "int", 0), WORLD), key=repr)), False),
    (WORLD, True),
    (("is", WORLD, None), False),
    *((("==", *sorted((("const", "int", -1), rank), key=repr)), False) for rank in (("rank",), ("local rank",))),
    *((("is", rank, None), False) for rank in (("rank",), ("local rank",), ("process index",))),
)
"""Where there are several processes there are more than one, and each has its number."""


def execute(
    trees: Mapping[str, ast.Module],
    entries: Sequence[str],
    *,
    cuda: bool,
    several: bool = False,
    legacy: bool = False,
    models: tuple[Traversable, ...] = (),
    watcher: Watcher | None = None,
    cuts: frozenset[Part] = frozenset(),
) -> Execution:
    """Execute a program.

    `trees`: its files by path. `entries`: those that are run, in order; an `_mp_fn` in them that they do not launch
    themselves is what the launcher of torch_xla 1.x calls. `several`: functions that nobody calls run in several
    processes. `models`: their folders; those in use unless they are given. `watcher`: who is told what the program's
    expressions are. `cuts`: what is cut out, as it was of the original.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        program = Program(trees, models)
        machine = machine_for(program, cuda, legacy)
        machine.cuts = cuts
        if watcher is not None:
            machine.watcher, machine.expressions = watcher, watcher.watching(EXPRESSIONS)
        return _execute(machine, program, entries, several)
    finally:
        sys.setrecursionlimit(limit)


def _execute(machine: Machine, program: Program, entries: Sequence[str], several: bool) -> Execution:
    result = Execution(machine.record, legacy=machine.legacy)
    least = max(MAX_UNCALLED, min(BEGINNING, MAX_STEPS // (len(entries) or 1)))
    for path in entries:
        machine.most = max(min(MAX_ALL - result.steps, MAX_STEPS), least)
        _guarded(machine, result, lambda path=path: _run_entry(machine, program, path))  # type: ignore[misc]
    machine.assumed = True
    left = ALL_UNCALLED
    alone = {path for path in entries if _starts_no_others(machine, program.trees[path], path)}
    for run in _uncalled(machine, program, several, alone):
        machine.most = min(left, MAX_UNCALLED)
        _guarded(machine, result, run)
        left = max(left - machine.steps, 500)
    result.several = result.several or any(one.kind in ("launch", "processes") for one in machine.record.events)
    return result


def _guarded(machine: Machine, result: Execution, run: Callable[[], None]) -> None:
    """Run one entry: what is too much for us in it ends it, not those after it."""
    machine.steps, machine.entry = 0, machine.most
    try:
        run()
    except (Spent, RecursionError):
        site, chain = machine.stopped or (machine.site, ())
        if not machine.assumed or not result.spent:  # of all that nobody calls, one is said
            machine.record.events.append(Event("spent", site, chain))
        result.spent = True
        machine.stopped = None
    result.steps += machine.steps


def _run_entry(machine: Machine, program: Program, path: str) -> None:
    tree = program.trees[path]
    graph.start(machine)
    module, frame = new_module(machine, path, "__main__", tree, False)
    program.loaded.setdefault(path, module)
    with contextlib.suppress(Dead):
        run_module(machine, frame, tree)
    started = module.fields.get("_mp_fn", ABSENT)
    if machine.legacy and isinstance(started, Function) and id(started.node) not in machine.ran:
        machine.heap.write(machine.world, "several", True)
        machine.record.events.append(Event("launch", machine.site))
        _attempt(machine, started, (Sym(("rank",), frozenset({RANK})),))
    machine.record.events.append(Event("end", machine.site, about=graph.pending(machine)))


def _starts_no_others(machine: Machine, tree: ast.Module, path: str) -> bool:
    """Whether a script for torch_xla 2.x was run to its end as one process."""
    if machine.cuda or machine.legacy or not any(isinstance(one, ast.If) and _is_main(one.test) for one in tree.body):
        return False
    every = [one for one in machine.record.events if one.kind in ("launch", "spent", "processes")]
    return not any(path in (one.site.path, *(site.path for site in one.chain[:1])) for one in every)


def _is_main(test: ast.expr) -> bool:
    """`__name__ == "__main__"`."""
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _uncalled(
    machine: Machine, program: Program, several: bool, alone: Collection[str]
) -> Iterator[Callable[[], None]]:
    """Functions and methods that train and that nobody called: their arguments are unknown. `alone`: the scripts that
    are one process."""
    for path, module in list(program.loaded.items()):
        if module.fields.get("__model__"):
            continue
        for value in list(module.fields.values()):
            if isinstance(value, Function) and value.module is module:
                yield partial(_run_if_uncalled, machine, value, several and path not in alone)
            elif isinstance(value, ClassValue) and value.module == module.fields["__name__"]:
                for method in list(value.space.fields.values()):
                    if isinstance(method, Function) and method.name != "__init__":
                        yield partial(_run_if_uncalled, machine, method, several and path not in alone, value)


def _run_if_uncalled(machine: Machine, function: Function, several: bool, cls: ClassValue | None = None) -> None:
    if id(function.node) in machine.ran or not _trains(function.node):
        return
    graph.start(machine)
    machine.heap.write(machine.world, "several", several)
    receiver: tuple[Value, ...] = ()
    if cls is not None and "staticmethod" not in function.marks:
        receiver = (cls,) if "classmethod" in function.marks else (_instance(machine, cls),)
    machine.record.events.append(Event("uncalled", machine.site, about=function.name))
    with machine.entered(nowhere(machine)):
        given = assumed.arguments(machine, function, len(receiver))
    _attempt(machine, function, receiver, **given)


def _instance(machine: Machine, cls: ClassValue) -> Value:
    start = cls.find("__init__")
    try:
        with machine.entered(nowhere(machine)):
            given = assumed.arguments(machine, start, 1) if isinstance(start, Function) else {}
            made = machine.call(cls, **given)
    except Dead:
        return machine.new(cls)
    moved = {one.fields.get("@device") for one in each_parameter(machine, parameters(machine, made))}
    if "xla" in moved:
        place(machine, made, "xla")  # it moved some of its parts itself; who makes it moves the rest
    return made


def _attempt(machine: Machine, function: Function, arguments: Sequence[Value], **more: Value) -> None:
    mark = machine.heap.mark()
    try:
        machine.call(function, *arguments, **more)
    except Dead:
        machine.heap.undo(mark)


def _trains(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr in TRAINS for one in ast.walk(node))
