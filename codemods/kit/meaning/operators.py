"""Operators between values: plain Python where both are known, symbols and tensors otherwise."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from codemods.kit.meaning.choices import LENGTH, key_of
from codemods.kit.meaning.graph import read
from codemods.kit.meaning.iteration import elements_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.rounded import compared, rounded
from codemods.kit.meaning.tensors import combine, gather, is_mask, is_tensor, is_unknown, merged
from codemods.kit.meaning.texts import text_of
from codemods.kit.meaning.values import (
    ABSENT,
    BY_WORLD,
    CONSTANTS,
    ELEMENTS,
    LOADED,
    MANY,
    NO_TAINTS,
    RANK,
    REST,
    Choice,
    ClassValue,
    Item,
    Obj,
    Sym,
    Value,
    container,
    is_a,
    item_key,
)
from codemods.kit.meaning.weights import divided_by

_PLAIN: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FILLED: Any = {(ast.Gt, 0): True, (ast.GtE, 1): True, (ast.Eq, 0): False, (ast.Lt, 1): False, (ast.LtE, 0): False}
MEETS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitAnd, ast.BitOr, ast.BitXor)
"""Operators of whose operands one may be on the host: tried on torch_xla 2.1.0 and 2.9.0."""
_METHODS: dict[type[ast.AST], str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.Div: "__truediv__",
    ast.MatMult: "__matmul__",
    ast.Eq: "__eq__",
    ast.Lt: "__lt__",
    ast.Gt: "__gt__",
}
LONGEST = 100_000
"""Numbers above that, and strings, tuples and lists longer than that, are not worked out."""


def binary(machine: Machine, kind: type[ast.AST], left: Value, right: Value) -> Value:
    """`left kind right`."""
    left, right = machine.facts.settle(left), machine.facts.settle(right)
    if kind is ast.Add and isinstance(left, str) and left.endswith("."):
        _prefixed(machine, right)
    if isinstance(left, CONSTANTS) and isinstance(right, CONSTANTS):
        return _worked_out(machine, kind, left, right)
    left, right = _one_tensor(machine, left), _one_tensor(machine, right)
    if isinstance(left, Choice):
        return machine.each(left, lambda one: binary(machine, kind, one, right))
    if isinstance(right, Choice):
        return machine.each(right, lambda one: binary(machine, kind, left, one))
    if kind is ast.Mod and isinstance(left, str):
        return text_of(machine, right if isinstance(right, tuple) else (right,), "%", left.partition("%")[0])
    harmless = next((one for one in (left, right) if isinstance(one, Obj) and one.cls == "harmless"), None)
    if harmless is not None:
        return harmless
    if is_tensor(left) or is_tensor(right):
        masks = (
            kind in (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Mult) and is_mask(machine, left) and is_mask(machine, right)
        )
        more = divided_by(right) if kind is ast.Div else NO_TAINTS
        if BY_WORLD in more:
            machine.happen("mean")
        rules = {"meets": kind in MEETS, "typed": kind is not ast.Pow, "boolean": masks}
        made = combine(machine, (left, right), keeps=True, numbers=True, taints=more, **rules)
        return made if machine.cuda else rounded(kind, left, right, made)
    if isinstance(left, tuple) and isinstance(right, tuple) and kind is ast.Add:
        both = left + right
        return both if len(both) <= LONGEST else machine.unknown("a long tuple")
    if isinstance(left, Obj) and isinstance(left.cls, ClassValue):
        found = _of_object(machine, kind, left, right)
        if found is not ABSENT:
            return found
    if is_unknown(left) or is_unknown(right):
        traits = gather(machine, (left, right))
        return machine.unknown("an operation on what is not known", traits.taints, traits.deps)
    taints = gather(machine, (left, right)).taints
    return Sym((kind.__name__, key_of(left), key_of(right)), taints)


def _one_tensor(machine: Machine, value: Value) -> Value:
    return merged(machine, value) if isinstance(value, Choice) else value


def _prefixed(machine: Machine, value: Value) -> None:
    """Note that a name from a checkpoint gets a first part."""
    if LOADED in gather(machine, (value,)).taints and not machine.frame.model:
        machine.happen("prefixed")


def _worked_out(machine: Machine, kind: type[ast.AST], left: Any, right: Any) -> Value:
    big = kind in (ast.Pow, ast.LShift, ast.Mult) and any(
        isinstance(one, (int, float)) and abs(one) > LONGEST for one in (left, right)
    )
    big = big or sum(len(one) for one in (left, right) if isinstance(one, (str, bytes))) > LONGEST
    try:
        return _PLAIN[kind](left, right) if not big else machine.symbol("what is too long")
    except Exception:
        return machine.symbol("an operation that fails")


def _of_object(machine: Machine, kind: type[ast.AST], left: Obj, right: Value) -> Value:
    if container(left) == "list" and kind in (ast.Add, ast.Mult):
        more = right.fields if isinstance(right, Obj) and kind is ast.Add else {}
        held = elements_of(machine, left)
        added = elements_of(machine, right) if isinstance(right, Obj) and kind is ast.Add else ()
        fields: dict[str, Value] = {ELEMENTS: held + added}
        exact = kind is ast.Add or (isinstance(right, int) and 0 <= right <= 8)
        if kind is ast.Mult and isinstance(right, int) and exact:
            fields[ELEMENTS] = held * right
        if len(fields[ELEMENTS]) > LONGEST:
            return machine.unknown("a long list")
        if not exact or MANY in {*left.fields, *more} or left.serial < machine.many_since:
            fields[MANY] = True
        rest = [one for one in (left.fields.get(REST, ABSENT), more.get(REST, ABSENT)) if one is not ABSENT]
        if rest:
            fields[REST] = rest[0]
        return machine.new("list", fields)
    method = left.cls.find(_METHODS.get(kind, ""))
    return ABSENT if method is ABSENT else machine.call(method, left, right)


def unary(machine: Machine, kind: type[ast.AST], value: Value) -> Value:
    """`kind value`."""
    value = machine.facts.settle(value)
    if kind is ast.Not:
        test = machine.truth(value)
        if test.value is not None:
            return not test.value
        return Sym(("not", test.key) if test.when else test.key, test.taints)
    if isinstance(value, (int, float)):
        return _unary(kind, value)
    if isinstance(value, Choice):
        return machine.each(value, lambda one: unary(machine, kind, one))
    if is_tensor(value):
        inverted = kind is ast.Invert and is_mask(machine, value)
        return combine(machine, (value,), keeps=True, typed=True, boolean=inverted)
    return Sym((kind.__name__, key_of(value)), gather(machine, (value,)).taints)


def _unary(kind: type[ast.AST], value: float) -> Value:
    if kind is ast.USub:
        return -value
    return ~int(value) if kind is ast.Invert else +value


def compare(machine: Machine, kind: type[ast.AST], left: Value, right: Value) -> Value:
    """`left kind right` for one comparison."""
    left, right = machine.facts.settle(left), machine.facts.settle(right)
    if kind in (ast.NotEq, ast.IsNot, ast.NotIn):
        positive = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}[kind]
        if not (is_tensor(left) or is_tensor(right)) or kind is not ast.NotEq:
            return unary(machine, ast.Not, compare(machine, positive, left, right))
    if kind is not ast.Is and (is_a(left, "enum.Enum") or is_a(right, "enum.Enum")):
        listed = (right if isinstance(right, tuple) else _listed(right)) if kind is ast.In else ()
        left, right = _of_member(left), tuple(map(_of_member, listed)) or _of_member(right)
    if isinstance(left, Choice):
        return machine.each(left, lambda one: compare(machine, kind, one, right))
    if isinstance(right, Choice):
        return machine.each(right, lambda one: compare(machine, kind, left, one))
    if kind is ast.Is:
        return _same(machine, left, right)
    if kind is ast.In:
        return _contains(machine, left, right)
    if is_tensor(left) or is_tensor(right):
        if not machine.cuda:
            compared(machine, kind, left, right)
        return combine(machine, (left, right), boolean=True, keeps=True, numbers=True)
    if _is_written(left) and _is_written(right):
        return _worked_out(machine, kind, left, right)
    if kind is ast.Eq and (left is None or right is None):
        return _same(machine, left, right)
    return _ordered(machine, kind, left, right)


def _is_written(value: Value) -> bool:
    """Whether a value is one that stands in a program's text: a constant, or a tuple of such."""
    return isinstance(value, CONSTANTS) or (isinstance(value, tuple) and all(map(_is_written, value)))


def _ordered(machine: Machine, kind: type[ast.AST], left: Value, right: Value) -> Value:
    a, b = key_of(left), key_of(right)
    taints = gather(machine, (left, right)).taints
    if isinstance(a, tuple) and a[0] == LENGTH and isinstance(right, int) and (kind, right) in _FILLED:
        return Sym(a[1] if _FILLED[kind, right] else ("not", a[1]), taints)  # `len(gpus) > 0` asks what `if gpus:` does
    if kind is ast.Eq:
        if a == b:
            return True
        if isinstance(left, (Obj, tuple)) and isinstance(right, CONSTANTS) and not is_unknown(left):
            if not (
                isinstance(left, Obj) and isinstance(left.cls, ClassValue) and left.cls.find("__eq__") is not ABSENT
            ):
                return False if isinstance(left, Obj) else machine.symbol("a comparison")
        return Sym(("==", *sorted((a, b), key=repr)), taints)
    if kind in (ast.Gt, ast.GtE):  # a > b is b < a; a >= b is not a < b
        return Sym(("<", b, a), taints) if kind is ast.Gt else Sym(("not", ("<", a, b)), taints)
    if kind is ast.LtE:
        return Sym(("not", ("<", b, a)), taints)
    return Sym(("<", a, b), taints)


def _same(machine: Machine, left: Value, right: Value) -> Value:
    for one, other in ((left, right), (right, left)):
        if other is None or isinstance(other, bool):
            if isinstance(one, Sym) or is_unknown(one):
                return Sym(("is", key_of(one), other), gather(machine, (one,)).taints)
            return one is other
    if left is right or key_of(left) == key_of(right):
        return True
    unsure = any(isinstance(one, Sym) or is_unknown(one) for one in (left, right))
    return machine.symbol("whether two are one") if unsure else False


def _of_member(value: Value) -> Value:
    """Members of enumerations are compared by their values."""
    return value.fields.get("value") if is_a(value, "enum.Enum") else value


def _listed(value: Value) -> tuple[Value, ...]:
    """What a list or set holds that is all written down."""
    whole = container(value) in ("list", "set") and not {REST, MANY} & value.fields.keys()
    held = value.fields.get(ELEMENTS) if whole else ()
    return held if isinstance(held, tuple) else ()


def _one_of(machine: Machine, rank: Sym, numbers: tuple[int, ...]) -> Value:
    """Whether a rank is one of these numbers: as if it were compared with each."""
    every = [compare(machine, ast.Eq, rank, one) for one in numbers]
    keys = [one.key for one in every if isinstance(one, Sym)]
    return Sym(reduce(lambda one, more: ("or", one, more), keys), rank.taints) if keys else any(every)


def _contains(machine: Machine, left: Value, right: Value) -> Value:
    taints = gather(machine, (left,)).taints
    asked = Sym(("in", key_of(left), key_of(right)), taints)
    if isinstance(right, tuple) or container(right) == "list":
        compared = tuple(one for one in gather(machine, (left, right)).tensors if is_tensor(one))
        if compared:
            return read(machine, compared, "in")
    if isinstance(left, str) and isinstance(right, str):
        return left in right
    listed = right if isinstance(right, tuple) else _listed(right)
    if isinstance(left, Sym) and RANK in left.taints and listed and all(type(one) is int for one in listed):
        return _one_of(machine, left, listed)
    if isinstance(right, tuple):
        if all(isinstance(one, CONSTANTS) for one in (left, *right)):
            return left in right
        return asked
    if not isinstance(right, Obj) or is_unknown(right) or is_tensor(right):
        return asked
    if container(right) == "dict":
        if Item(item_key(left)) in right.fields:
            return True
        known = REST not in right.fields and isinstance(left, CONSTANTS)
        return (
            False
            if known and all(isinstance(one.key, CONSTANTS) for one in right.fields if isinstance(one, Item))
            else asked
        )
    elements = right.fields.get(ELEMENTS, ())
    if (
        container(right)
        and isinstance(elements, tuple)
        and not {REST, MANY} & right.fields.keys()
        and all(isinstance(e, CONSTANTS) for e in (left, *elements))
    ):
        return left in elements
    method = right.cls.find("__contains__") if isinstance(right.cls, ClassValue) else ABSENT
    return asked if method is ABSENT else machine.call(method, right, left)
