"""Where the samplers of loaders can be told the epoch, and what each loader is called there.

A loader that fed all GPUs at once gets a sampler, wherever it is made. The loop over epochs may stand in another
function or file, and call the loader by another name: an item of a dict, an attribute, a parameter. The original's
execution shows both at once, when the loader is gone through.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codemods.kit.meaning.frames import Frame, Loop
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.values import (
    ELEMENTS,
    Choice,
    ClassValue,
    Function,
    Item,
    Obj,
    Scope,
    Sym,
    Value,
    class_name,
    container,
    is_a,
)

_DEEP, _MOST = 3, 300
"""How many attributes and items a name may go through, and how many values are looked at to find one."""
_COUNTS = {"range", "trange", "count"}


class Place(NamedTuple):
    """Where a sampler can be told the epoch."""

    statement: ast.stmt
    """The loop over epochs, or the statement above which it is told."""
    head: bool
    """Whether it is told at the head of that loop."""
    loader: str
    """What the loader is called there."""
    epoch: str
    """What the epoch is called there; empty where nothing counts it."""
    own: bool
    """Whether the loader is made in the same function: reading alone sees it all."""


class Telling(NamedTuple):
    """One statement that tells a sampler the epoch: above a statement, or at the head of a loop over epochs."""

    statement: int
    head: bool
    loader: str
    epoch: str
    some: bool
    """Whether a loader without such a sampler gets there, too."""
    chosen: bool = False
    """Whether an option chooses between such a sampler and one that shuffles by itself."""


class _Named(NamedTuple):
    name: str
    root: str
    plain: bool
    """It goes through no place in a list, which another number of elements would move."""


@dataclass
class Epochs:
    """Follows how the loaders of a program are gone through."""

    _told: dict[int, set[Place]] = field(default_factory=lambda: defaultdict(set))
    """By loader, where its sampler can be told."""
    _chosen: set[int] = field(default_factory=set)
    """Loaders whose sampler shuffles by itself on some ways, and shares the samples out on others: of the processes
    that there are now each has to be told the epoch."""
    _tells: bool | None = None
    """Whether the program tells any sampler the epoch itself."""
    _lost: set[int] = field(default_factory=set)
    """Loaders that are gone through again where nothing names them."""
    _statements: dict[tuple[str, int], ast.stmt | None] = field(default_factory=dict)

    def go_through(self, machine: Machine, loader: Value, iterator: bool = False) -> None:
        """A loader is gone through by a `for`, or batch by batch from an iterator that begins anew."""
        if not is_a(loader, "torch.utils.data.DataLoader") or machine.assumed or not isinstance(loader, Obj):
            return
        if _is_chosen(machine, loader) and not self._tells_itself(machine):
            self._chosen.add(loader.serial)
        frames = [frame for frame in machine.frames if not frame.model]
        if not any(_is_older(loader, loop) for frame in frames for loop in frame.loops) and iterator:
            return
        if not any(frame.loops for frame in frames):
            return
        places = ([] if iterator else [self._at_epochs(machine, frames, loader)]) + [
            self._alone(machine, frames, loader)
        ]
        place = next((place for place in places if place is not None), None)
        if place is None:
            self._lost.add(loader.serial)
        else:
            self._told[loader.serial].add(place)

    def _tells_itself(self, machine: Machine) -> bool:
        if self._tells is None:
            nodes = (node for tree in machine.library.trees.values() for node in ast.walk(tree))
            self._tells = any(isinstance(node, ast.Attribute) and node.attr == "set_epoch" for node in nodes)
        return self._tells

    def _at_epochs(self, machine: Machine, frames: list[Frame], loader: Obj) -> Place | None:
        """The innermost loop that counts epochs and can name the loader, or what it calls and hands its epoch."""
        for at in reversed(range(len(frames))):
            frame = frames[at]
            for loop in reversed(frame.loops):
                epoch = _epoch(loop.node)
                if not epoch or not isinstance(loop.node, ast.stmt):
                    continue
                own = _is_made_in(loader, frame)
                for named in _names(machine, frame, loader) if _is_older(loader, loop) else ():
                    if named.plain and not _is_bound_in(loop.node, named):
                        return Place(loop.node, True, named.name, epoch, own)
                found = self._above(machine, frame, loader, epoch)
                return found or self._handed(machine, frames[at + 1 :], loader, epoch, frame.scope.fields.get(epoch))
            if frame.loops and frame.function is not None and frame.function.generates:
                return None  # it begins anew by itself, whoever takes its batches
        return None

    def _handed(self, machine: Machine, frames: list[Frame], loader: Obj, epoch: str, value: Value) -> Place | None:
        for frame in reversed(frames):
            for name, one in frame.scope.fields.items():
                if isinstance(name, str) and one == value and (isinstance(value, Sym) or name == epoch):
                    return self._above(machine, frame, loader, name)
        return None

    def _alone(self, machine: Machine, frames: list[Frame], loader: Obj) -> Place | None:
        """Nothing counts: the sampler counts itself, above what goes through it."""
        for frame in reversed(frames):
            found = (
                self._above(machine, frame, loader, "") if any(_is_older(loader, one) for one in _all(frames)) else None
            )
            if found is not None:
                return found
        return None

    def _above(self, machine: Machine, frame: Frame, loader: Obj, epoch: str) -> Place | None:
        """The statement in progress, where it spells the loader."""
        statement = self._statement(machine, frame)
        if statement is None:
            return None
        spelled = {_text(node): node for node in _spelled(statement)}
        names = _names(machine, frame, loader)
        for named in names:
            if named.name in spelled:
                return Place(statement, False, named.name, epoch, _is_made_in(loader, frame))
        for text, node in spelled.items():
            if isinstance(node, ast.Subscript) and _is_item(machine, frame, node, loader):
                return Place(statement, False, text, epoch, _is_made_in(loader, frame))
        if loader.serial in self._chosen and isinstance(statement, ast.For) and names and names[0].plain:
            return Place(statement, False, names[0].name, epoch, False)  # it goes through `bar = tqdm(loader)`
        return None

    def _statement(self, machine: Machine, frame: Frame) -> ast.stmt | None:
        key = frame.path, frame.line
        if key not in self._statements:
            spans = _around(machine.library.trees.get(frame.path), frame.line)
            self._statements[key] = max(spans, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)
        return self._statements[key]

    def of_file(
        self, made: Mapping[int, ast.AST], trained: set[int], statements: Sequence[ast.stmt]
    ) -> tuple[tuple[Telling, ...], set[ast.AST]]:
        """Where the samplers are told in a file of these statements; the calls, in all files, that make the loaders.

        `made`: the call that makes each loader. `trained`: loaders that are trained on.
        """
        told = {made[number] for number in self._chosen & trained if number in made}
        shared = {node for number, node in made.items() if number in trained and _can_be_shared(node)} | told
        lost = {made[number] for number in self._lost if number in made}
        every: dict[ast.AST, set[Place]] = defaultdict(set)
        for number, places in self._told.items():
            if number in made:
                every[made[number]] |= places
        # Where the loop stands in the function that makes the loader, reading alone tells it.
        chosen = {
            node
            for node in shared - lost
            if node in every and (node in told or not all(place.own for place in every[node]))
        }
        others = {place for node, found in every.items() if node not in chosen for place in found}
        at = {statement: number for number, statement in enumerate(statements)}
        found = {
            Telling(at[one.statement], one.head, one.loader, one.epoch, one in others or node in told, node in told)
            for node in chosen
            for one in every[node]
            if one.statement in at
        }
        return tuple(sorted(found)), chosen


def _is_chosen(machine: Machine, loader: Obj) -> bool:
    """Whether the sampler of a loader is one that shuffles on some ways, and one that shares out on others."""
    sampler = machine.facts.settle(loader.fields.get("sampler"))
    options = tuple(sampler) if isinstance(sampler, Choice) else ()
    return {"RandomSampler", "DistributedSampler"} <= {class_name(one) for one in options}


def _all(frames: list[Frame]) -> Iterator[Loop]:
    for frame in frames:
        yield from frame.loops


def _is_older(loader: Obj, loop: Loop) -> bool:
    return loader.serial <= loop.began


def _is_made_in(loader: Obj, frame: Frame) -> bool:
    function = frame.function.name if frame.function is not None else ""
    return (loader.site.path, loader.site.function) == (frame.path, function)


def _epoch(node: ast.AST) -> str:
    """The name that has another value in each round of a loop, as `codemods.kit.epochs` finds it."""
    if isinstance(node, ast.For):
        if not isinstance(node.target, ast.Name):
            return ""
        func = node.iter.func if isinstance(node.iter, ast.Call) else None
        counts = getattr(func, "attr", getattr(func, "id", "")) in _COUNTS
        return node.target.id if counts or "epoch" in node.target.id else ""
    raised = (each for each in ast.walk(node) if isinstance(each, ast.AugAssign) and isinstance(each.op, ast.Add))
    return next((ast.unparse(one.target) for one in raised if "epoch" in ast.unparse(one.target)), "")


def _around(tree: ast.Module | None, line: int) -> list[ast.stmt]:
    """The statements that a line is of, outer ones first: of the others nothing is looked at."""
    todo: list[ast.AST] = [tree] if tree is not None else []
    for node in todo:
        for name in ("body", "handlers", "orelse", "finalbody", "cases"):
            for one in getattr(node, name, ()):
                if not isinstance(one, ast.stmt) or one.lineno <= line <= (one.end_lineno or 0):
                    todo.append(one)
    return [node for node in todo if isinstance(node, ast.stmt)]


def _names(machine: Machine, frame: Frame, sought: Obj) -> list[_Named]:
    """What a value is called in a call in progress, shortest ways first."""
    found: list[_Named] = []
    scopes: list[Scope | Obj] = [frame.scope] if frame.function is None else [frame.scope, frame.module]
    queue = [
        (_Named(str(name), str(name), True), value, 0)
        for scope in scopes
        for name, value in scope.fields.items()
        if isinstance(name, str) and name.isidentifier()
    ]
    seen: set[int] = set()
    for named, value, depth in queue:
        value = machine.facts.settle(value)
        if value is sought:
            found.append(named)
        elif depth < _DEEP and id(value) not in seen and len(queue) < _MOST:
            seen.add(id(value))
            for spelled, part, plain in _parts(value):
                queue.append((_Named(named.name + spelled, named.root, named.plain and plain), part, depth + 1))
    return found


def _parts(value: Value) -> Iterator[tuple[str, Value, bool]]:
    if isinstance(value, tuple):
        yield from ((f"[{at}]", one, False) for at, one in enumerate(value))
    if not isinstance(value, Obj) or not isinstance(value.cls, ClassValue):
        return
    kind = container(value)
    for name, one in value.fields.items():
        if isinstance(name, Item) and kind == "dict" and isinstance(name.key, (str, int)):
            yield f"[{name.key!r}]".replace("'", '"'), one, True
        elif name == ELEMENTS and isinstance(one, tuple):
            yield from ((f"[{at}]", part, False) for at, part in enumerate(one))
        elif isinstance(name, str) and name.isidentifier() and not kind and _is_own(value.cls):
            yield f".{name}", one, True


def _is_own(cls: ClassValue) -> bool:
    """Whether a class is written in the program, not in the model of a library."""
    methods = (one for one in cls.space.fields.values() if isinstance(one, Function))
    return not any(one.module.fields.get("__model__") for one in methods)


def _is_bound_in(loop: ast.stmt, named: _Named) -> bool:
    """Whether a loop binds a name, or part of it, anew."""
    for node in ast.walk(loop):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            target = _text(node)
            if named.name == target or named.name.startswith((f"{target}.", f"{target}[")):
                return True
    return False


def _text(node: ast.AST) -> str:
    return ast.unparse(node).replace("'", '"')


def _spelled(statement: ast.stmt) -> Iterator[ast.expr]:
    """The names, attributes and items in a statement, without those of statements in it."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load):
            yield node
        stack += [below for below in ast.iter_child_nodes(node) if not isinstance(below, ast.stmt)]


def _is_item(machine: Machine, frame: Frame, node: ast.Subscript, loader: Obj) -> bool:
    """Whether an item by a variable, `loaders[phase]`, may be the loader: it is one of what is gone through there."""
    if not isinstance(node.slice, (ast.Name, ast.Constant)):
        return False
    whole = _text(node.value)
    return any(named.name.rpartition("[")[0] == whole for named in _names(machine, frame, loader))


def _can_be_shared(node: ast.AST) -> bool:
    """Whether a loader's call shows that a sampler can be written into it."""
    if not isinstance(node, ast.Call) or any(isinstance(one, ast.Starred) for one in node.args):
        return False
    given = {one.arg for one in node.keywords}
    if None in given or given & {"sampler", "batch_sampler"} or len(node.args) > 3:
        return False
    return ("batch_size" in given or len(node.args) > 1) and ("dataset" in given or bool(node.args))
