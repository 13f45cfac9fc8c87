"""The state of one abstract execution, and how paths fork and join. The rooms that evaluate syntax stand on it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from codemods.kit.meaning.bounds import FORK, MAX_STEPS
from codemods.kit.meaning.choices import Fact, Facts, Truth, in_order, truth
from codemods.kit.meaning.frames import Frame, Loop
from codemods.kit.meaning.heap import Heap
from codemods.kit.meaning.paths import Dead, Path, Spent, Stopped, join_values
from codemods.kit.meaning.record import Event, Part, Record
from codemods.kit.meaning.values import (
    NO_TAINTS,
    RANDOM,
    Choice,
    ClassValue,
    Obj,
    Site,
    Sym,
    Taints,
    Value,
)

if TYPE_CHECKING:
    from codemods.kit.meaning.parts import Watcher

_NO_SITE = Site("", 0)


class Library(Protocol):
    """What finds modules: the program's own files and the models."""

    trees: Mapping[str, ast.Module]
    """The program's own files by path."""

    def load(self, machine: Machine, name: str, importer: Frame) -> Value:
        """The module of that absolute name, executed."""


class Machine:
    """One abstract execution of one program from one entry point."""

    legacy = False
    many_since = 0
    """When the innermost iteration began that stands for an unknown number of them; 0 outside of all."""
    """The target is torch_xla 1.x, whose `xm.save` waits for all processes."""

    most = MAX_STEPS
    """The steps that this entry may take."""
    entry = MAX_STEPS
    """Those that the entry was given at its start."""
    in_share = False
    """A network is made or runs, which may take a share of them."""
    assumed = False
    """A function runs that nobody calls: what else ran before it is not known."""

    watcher: Watcher | None = None
    """Who is told what the program's expressions are."""

    def __init__(self, library: Library, cuda: bool, made: int = 0) -> None:
        self.library = library
        self.cuda = cuda
        """The program runs on CUDA (an original), not on XLA."""
        self.heap = Heap(made)
        self.facts = Facts()
        self.record = Record()
        self.frames: list[Frame] = []
        self.steps = 0
        self.repeating = False
        """A loop is in its second iteration: the loops in it need no second one of their own."""
        self.stopped: tuple[Site, tuple[Site, ...]] | None = None
        """Where the work was too much, and the calls that led there."""
        self.ended = False
        """Whether the path that was tried last and did not come out ended the program."""
        self.runs: dict[int, Any] = {}
        """What modules made of what they were given, by their numbers (`repeats`)."""
        self.shared: list[str] = []
        """What took a share of the steps, in its order: networks that were made and run."""
        self.times: Counter[str] = Counter()
        """How often each of these did."""
        self.cuts: frozenset[Part] = frozenset()
        """Those that are cut out because they were cut out of the original."""
        self.ran: set[int] = set()
        """The functions that were executed, by the identity of their nodes."""
        self.bared: set[int] = set()
        """The numbers of tensors whose `data` something keeps: that is no parameter."""
        self.settings: dict[Any, Obj] = {}
        """What a program puts into settings that are not known themselves, by their keys."""
        self.defaults: dict[str, Any] = {}
        """What options are where the command line says nothing, of those that are texts."""
        self.builtins: dict[str, Value] = {}
        self.types: dict[str, ClassValue] = {}
        """The classes of Python's own objects and of what the engine makes, by name."""
        self.expressions: dict[type[ast.AST], Callable[[Machine, Any], Value]] = {}
        self.statements: dict[type[ast.AST], Callable[[Machine, Any], None]] = {}
        self.caller: Callable[[Machine, Value, Sequence[Value], dict[str, Value]], Value]
        self.getter: Callable[[Machine, Value, str], Value]
        self.reader: Callable[[Value], Value]
        self.iterator: Callable[[Machine, Value, Callable[[Value], None]], None]
        self.world = self.new("world")

    # evaluation

    @property
    def frame(self) -> Frame:
        """The call in progress."""
        return self.frames[-1]

    def evaluate(self, node: ast.AST) -> Value:
        """The value of an expression."""
        self.steps += 1
        if self.steps > self.most:
            self.stop()
        handler = self.expressions.get(type(node))
        if handler is None:
            return self.unknown(f"{type(node).__name__} is not followed")
        return handler(self, node)

    def execute(self, body: Sequence[ast.stmt]) -> None:
        """Run statements. Raises Dead when no path comes out below them."""
        frame = self.frames[-1]
        for statement in body:
            self.steps += 1
            if self.steps > self.most:
                self.stop()
            frame.line = statement.lineno
            handler = self.statements.get(type(statement))
            if handler is not None:
                handler(self, statement)

    def stop(self) -> NoReturn:
        """The work is done that this entry may take."""
        self.stopped = self.site, self.chain()
        raise Spent

    def call(self, function: Value, *arguments: Value, **keywords: Value) -> Value:
        """Call a value."""
        return self.caller(self, function, arguments, keywords)

    def attribute(self, value: Value, name: str) -> Value:
        """An attribute of a value."""
        return self.getter(self, value, name)

    def iterate(self, value: Value, each: Callable[[Value], None]) -> None:
        """Run `each` for the elements of a value, as a `for` loop runs its body."""
        self.iterator(self, value, each)

    def elements(self, value: Value) -> list[Value]:
        """The elements of a value, each kind of element once where their number is not known."""
        found: list[Value] = []
        try:
            self.iterate(value, found.append)
        except Dead:
            if not found:
                raise
        return found

    # objects

    def new(self, cls: Value, fields: dict[Any, Value] | None = None) -> Obj:
        """A new object. `cls`: a class, or the name of one of `types`."""
        if isinstance(cls, str):
            cls = self.types.get(cls) or cls
        return Obj(cls, self.site, self.heap.serial(), fields)

    def symbol(self, about: str, taints: Taints = NO_TAINTS) -> Sym:
        """A number, flag or string that nothing is known of."""
        return Sym((about, self.heap.serial()), taints)

    def unknown(self, why: str, taints: Taints = NO_TAINTS, deps: frozenset[Obj] = frozenset()) -> Obj:
        """An object that nothing is known of, and why not."""
        return self.new("unknown", {"@why": why, "@taints": taints, "@deps": deps})

    # places

    @property
    def site(self) -> Site:
        """The line of the user's program that runs."""
        for frame in reversed(self.frames):
            if not frame.model:
                return frame.site
        return _NO_SITE

    def chain(self) -> tuple[Site, ...]:
        """The lines that lead to the one that runs, outermost first."""
        sites = [frame.site for frame in self.frames if not frame.model]
        return tuple(site for at, site in enumerate(sites) if at == 0 or site != sites[at - 1])

    def loops(self) -> tuple[Site, ...]:
        """The user's loops that run, outermost first."""
        return tuple(site for site, _ in self._loops())

    def loops_since(self, made: Obj) -> tuple[Site, ...]:
        """Those of them whose present iteration is younger than an object."""
        return tuple(site for site, loop in self._loops() if loop.began > made.serial)

    def _loops(self) -> Iterator[tuple[Site, Loop]]:
        for frame in self.frames:
            if frame.loops and not frame.model:
                name = frame.function.name if frame.function else ""
                for loop in frame.loops:
                    yield Site(frame.path, getattr(loop.node, "lineno", 0), name), loop

    def happen(self, kind: str, about: Any = None) -> None:
        """Write down an event."""
        self.record.events.append(Event(kind, self.site, self.chain(), self.loops(), about, self.taints_of_path()))

    # paths

    def truth(self, value: Value) -> Truth:
        """Whether a value counts as true on this path."""
        value = self.facts.settle(value)
        if isinstance(value, Obj) and "@device" in value.fields and value.cls != "unknown":
            value = self.reader(value)
        found = truth(self.facts, value)
        if RANDOM in found.taints and found.value is None and not self.cuda and not self.frame.model:
            self.happen("random branch")
        return found

    def branch(self, test: Truth, yes: Callable[[], Value], no: Callable[[], Value]) -> Value:
        """The value of one of two pieces of program, or of both, joined."""
        if test.value is not None:
            return yes() if test.value else no()
        if test.taints:
            self.facts.part(test.key, test.taints, self.site)
        sides = ((((test.key, test.when),), yes), (((test.key, not test.when),), no))
        return self.fork([(facts, run) for facts, run in sides], test.taints)

    def fork(self, sides: Sequence[tuple[Sequence[Fact], Callable[[], Value]]], taints: Taints = NO_TAINTS) -> Value:
        """Run pieces of program of which one runs in reality, each under its facts; what they leave is joined."""
        paths: list[Path] = []
        left = False
        for facts, run in sides:
            path = self.try_path(facts, run, taints)
            if path is not None:
                paths.append(path)
            else:
                left = left or not self.ended
        if len(paths) == 1 and len(sides) > 1:
            for key, held in in_order(paths[0].conditions):
                self.facts.assume(key, held)
            if left:
                self.facts.taints.append(taints)
        return self.join(paths)

    def try_path(self, facts: Sequence[Fact], run: Callable[[], Value], taints: Taints = NO_TAINTS) -> Path | None:
        """Run a piece of program and take it back; None if no path comes out of it."""
        mark, assumed, tainted = self.heap.mark(), self.facts.mark(), len(self.facts.taints)
        self.steps += FORK
        self.facts.taints.append(taints)
        for key, held in facts:
            self.facts.assume(key, held)
        try:
            value = run()
            return Path(self.facts.since(assumed), self.heap.take_back(mark), value)
        except Dead as dead:
            self.heap.undo(mark)
            self.ended = isinstance(dead, Stopped)
            return None
        finally:
            self.facts.forget(assumed)
            del self.facts.taints[tainted:]

    def join(self, paths: Sequence[Path]) -> Value:
        """Go on with what one of several paths left. Raises Dead when there is none."""
        if not paths:
            raise Dead
        conditions = [path.conditions for path in paths]
        self.heap.join([path.writes for path in paths], lambda values: join_values(conditions, values))
        if all(path.value is paths[0].value for path in paths):
            return paths[0].value
        return join_values(conditions, [path.value for path in paths])

    def each(self, value: Value, run: Callable[[Value], Value]) -> Value:
        """What a piece of program gives for a value; for each option of a choice apart."""
        value = self.facts.settle(value)
        if not isinstance(value, Choice):
            return run(value)
        found: dict[int, tuple[frozenset[Fact], Value]] = {}
        for facts, one in value.options:
            found[id(one)] = (found[id(one)][0] & facts if id(one) in found else facts, one)
        if len(found) == 1:
            return run(value.options[0][1])
        return self.fork([(in_order(facts), partial(run, one)) for facts, one in found.values()])

    def taints_of_path(self) -> Taints:
        """The taints of the conditions under which the present line runs."""
        return frozenset[Any]().union(*self.facts.taints)

    def entered(self, frame: Frame) -> Entered:
        """A frame is the one in progress."""
        return Entered(self, frame)


class Entered:
    """While it lasts a frame is the one in progress. A class: a generator of contextlib takes thrice the time."""

    __slots__ = ("_frame", "_machine", "_tainted")

    def __init__(self, machine: Machine, frame: Frame) -> None:
        self._machine = machine
        self._frame = frame

    def __enter__(self) -> Frame:
        machine, frame = self._machine, self._frame
        frame.mark, frame.facts = machine.heap.mark(), machine.facts.mark()
        self._tainted = len(machine.facts.taints)
        machine.frames.append(frame)
        return frame

    def __exit__(self, *raised: object) -> None:
        machine = self._machine
        machine.frames.pop()
        machine.facts.forget(self._frame.facts)
        del machine.facts.taints[self._tainted :]
