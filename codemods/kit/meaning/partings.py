"""Where one process may go another way than the others, and what decides how often a loop goes round."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from codemods.kit.meaning.choices import Truth, options_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.tensors import gather, is_tensor, is_unknown
from codemods.kit.meaning.values import (
    DIFFERS,
    DRAWN,
    LOCAL,
    MANY,
    NO_TAINTS,
    OWN,
    RANK,
    Choice,
    Function,
    Item,
    Obj,
    Running,
    Sym,
    Taints,
    Value,
    is_a,
)

CHANCE = frozenset({DRAWN, OWN})
"""What each process asks for by itself: dice, a clock, a file."""
_DEEP = 4
COUNT = "@count"
"""The field of a range with the numbers it was made with."""


class Rounds(NamedTuple):
    """What decides how often a loop goes round."""

    taints: Taints = NO_TAINTS
    ranges: frozenset[Value] = frozenset()
    """The last numbers of its ranges; None for one that is not written down."""
    cut: bool = False
    """Only the first of its elements are asked for."""

    def where(self, iterated: ast.expr) -> Rounds:
        """Of the loop over an expression: a number that it is only known to come to is not written down in it."""
        given = iterated.args if isinstance(iterated, ast.Call) else []
        if not self.ranges or any(isinstance(one, ast.Constant) for one in given):
            return self
        return self._replace(ranges=frozenset({None}))

    def __or__(self, other: object) -> Rounds:
        assert isinstance(other, Rounds)
        return Rounds(self.taints | other.taints, self.ranges | other.ranges, self.cut or other.cut)


def part(machine: Machine, how: str, taints: Taints = NO_TAINTS) -> None:
    """The path ends here on which the program runs: other processes may go on."""
    why = (machine.taints_of_path() | taints) & (frozenset({RANK}) if how == "ends" else CHANCE)
    if why:
        machine.record.events.append(Event("parts", machine.site, machine.chain(), machine.loops(), how, why))


def handled(handler: ast.ExceptHandler) -> Taints:
    """Why one process may come to a handler and the others not: memory that ran out, a batch that is broken."""
    kind = ast.unparse(handler.type).rpartition(".")[2] if handler.type is not None else "BaseException"
    return frozenset({OWN}) if kind in _OWN_ERRORS else NO_TAINTS


def swallow(machine: Machine, handlers: Sequence[ast.ExceptHandler], tried: Sequence[Event]) -> None:
    """What may fail in one process has collectives in it: note the handlers that go on to the next iteration."""
    loops = machine.loops()
    if loops and any(one.kind == "collective" and one.loops == loops for one in tried):
        for handler in handlers:
            ends = any(isinstance(one, ast.Raise) or _leaves(one) for one in handler.body)
            if not ends and not _is_of_all(handler.type):
                site = replace(machine.site, line=handler.lineno)
                machine.record.events.append(Event("swallows", site, machine.chain(), loops))


def _is_of_all(kind: ast.expr | None) -> bool:
    """Whether what is caught comes to all processes, or is about the data's end or a library that is not there."""
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind] if kind is not None else []
    names = {ast.unparse(one).rpartition(".")[2] for one in kinds}
    return bool(names) and names <= _OF_ALL


def _leaves(statement: ast.stmt) -> bool:
    """`sys.exit(1)`, `exit()`, `os._exit(1)`: the launcher ends the others, too."""
    called = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(called, ast.Call) and ast.unparse(called.func) in _EXITS


_EXITS = ("sys.exit", "exit", "quit", "os._exit", "os.abort")
_OF_ALL = {"KeyboardInterrupt", "SystemExit", "StopIteration", "ImportError", "ModuleNotFoundError", "AttributeError",
           "NameError", "NotImplementedError", "EOFError", "Empty", "GeneratorExit"}  # fmt: skip
_OWN_ERRORS = ("RuntimeError", "Exception", "BaseException", "OutOfMemoryError")


def goes_round(machine: Machine, rounds: Rounds) -> None:
    """A loop of the program begins: note what decides how often it goes round."""
    machine.record.events.append(Event("rounds", machine.site, machine.chain(), machine.loops(), rounds))


def while_holds(test: Truth) -> Rounds:
    """What decides for a `while`."""
    return Rounds(test.taints & (DIFFERS | CHANCE))


def rounds_of(machine: Machine, value: Value, depth: int = 0) -> Rounds:
    """What decides how many elements a value hands out."""
    value = machine.facts.settle(value)
    found = Rounds()
    if depth > _DEEP:
        return found
    if isinstance(value, Choice):
        inner: tuple[Value, ...] = tuple(value)
    elif isinstance(value, Running):
        inner = tuple(one for name, one in value.scope.fields.items() if name != "given")
        if _is_slice(value.function):
            given = machine.facts.settle(value.scope.fields.get("given"))
            stop = next((one for one in (given or ())[::-1] if one is not None), None)
            found = Rounds(_differs(machine, stop), cut=isinstance(stop, (int, Sym)))
    elif isinstance(value, Sym):
        return Rounds(value.taints & (DIFFERS - {LOCAL} | CHANCE))
    elif isinstance(value, Obj) and COUNT in value.fields:
        stop = value.fields[COUNT]
        return Rounds(_differs(machine, stop), frozenset({stop if isinstance(stop, int) else None}))
    elif isinstance(value, Obj) and is_a(value, "torch.utils.data.DataLoader"):
        return Rounds(_differs(machine, value.fields.get("batch_size")))
    elif isinstance(value, Obj) and not is_tensor(value) and not is_unknown(value) and value.cls != "module":
        inner = tuple(one for name, one in value.fields.items() if not isinstance(name, Item))
        found = Rounds(put_in(machine, value))
    else:
        inner = ()
    for one in inner:
        if isinstance(one, (Choice, Running, Obj)):
            found |= rounds_of(machine, one, depth + 1)
    return found


def put_in(machine: Machine, target: Obj) -> Taints:
    """Why processes may have put more or less into a container."""
    many = options_of(machine.facts, target.fields.get(MANY))
    return NO_TAINTS.union(*(one for one in many if isinstance(one, frozenset)))


def _is_slice(function: Function) -> bool:
    return function.name == "islice" and function.module.fields.get("__name__") == "itertools"


def _differs(machine: Machine, value: Value) -> Taints:
    return gather(machine, (value,)).taints & (DIFFERS | CHANCE)


def last(bounds: list[Value]) -> Value:
    """The number at which a range ends."""
    return bounds[min(1, len(bounds) - 1)] if bounds else None
