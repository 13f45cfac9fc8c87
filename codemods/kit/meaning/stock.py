"""The library models, executed once for all programs.

What a model file defines is the same for every program: it imports other models only, and no program has run before it.
So its module is made once, in a machine of its own, and every execution begins with all of them as they were made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codemods.kit.meaning import primitives, python
from codemods.kit.meaning.frames import Frame
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.modules import Program
from codemods.kit.meaning.values import ABSENT, Bound, Choice, ClassValue, Function, Obj, Partial, Scope, Site, Value

MADE = 1_000_000
"""The numbers of what a program makes begin here: those of what the models made are below."""
State = tuple[Obj, Value, dict[object, Value]]
"""An object with its class and its fields."""


class Stock:
    """The modules of the models, Python's builtins, and the primitives both stand on."""

    def __init__(self, machine: Machine, models: Program) -> None:
        self._machine = machine
        self._models = models
        self._made: dict[int, State] = {}
        python.fill(machine)
        models.primitives = primitives.module(machine)
        builtins = self.load("builtins")
        if isinstance(builtins, Obj):
            machine.builtins.update({name: one for name, one in builtins.fields.items() if not name.startswith("_")})
        torch = self.load("torch")
        if isinstance(torch, Obj) and isinstance(torch.fields.get("Tensor"), ClassValue):
            machine.types["Tensor"] = torch.fields["Tensor"]

    def lend(self, machine: Machine, program: Program) -> None:
        """Give a program that is about to run what every program has, as it was made."""
        _put(self._made.values())
        machine.builtins, machine.types = self._machine.builtins, self._machine.types
        program.stock, program.primitives = self, self._models.primitives

    def load(self, name: str) -> Value:
        """The module of a model. A program that runs may ask for it at any time: it is made as if none ran."""
        known = self._models.loaded.get(f"model:{name}")
        if known is not None:
            return known
        running = [(one, one.cls, dict(one.fields)) for one, _, _ in self._made.values()]
        loaded = dict(self._models.loaded)
        _put(self._made.values())
        self._machine.steps = 0
        try:
            found = self._models.load(self._machine, name, nowhere(self._machine))
        except BaseException:  # half of a module is none
            self._models.loaded = loaded
            raise
        finally:
            new = [one for path, one in self._models.loaded.items() if path not in loaded]
            for one in _objects([*new, *self._machine.types.values(), self._models.primitives], self._made):
                self._made[id(one)] = (one, one.cls, dict(one.fields))
            _put(running)
        return found


def nowhere(machine: Machine) -> Frame:
    """The frame of a model that no line of a program runs."""
    scope = Scope(Site("", 0), machine.heap.serial(), None, frozenset())
    return Frame(scope, scope, "", model=True)


def _put(states: Iterable[State]) -> None:
    for one, cls, fields in states:
        one.cls = cls
        one.fields.clear()
        one.fields.update(fields)


def _objects(values: Iterable[Value], known: dict[int, State]) -> Iterator[Obj]:
    """The objects that are reached from values, without those that are known."""
    todo = list(values)
    seen: set[int] = set()
    while todo:
        one = todo.pop()
        if id(one) in seen or id(one) in known:
            continue
        seen.add(id(one))
        if isinstance(one, Obj):
            yield one
            todo += [one.cls, *one.fields.values(), one.parent if isinstance(one, Scope) else ABSENT]
        elif isinstance(one, ClassValue):
            todo += [one.space, *one.bases]
        elif isinstance(one, Function):
            todo += [one.scope, *one.defaults, *(default for _, default in one.keyword_defaults)]
        elif isinstance(one, Bound):
            todo += [one.function, one.receiver]
        elif isinstance(one, Partial):
            todo += [one.function, *one.arguments, *(given for _, given in one.keywords)]
        elif isinstance(one, (tuple, frozenset, Choice)):
            todo += one
