"""The syntax of expressions, one handler a kind."""

from __future__ import annotations

import ast
from typing import Any

from codemods.kit.meaning.comprehensions import comprehension
from codemods.kit.meaning.graph import read
from codemods.kit.meaning.items import get_item, set_item
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.names import assign, lookup, names_of
from codemods.kit.meaning.operators import LONGEST, binary, compare, unary
from codemods.kit.meaning.texts import tell
from codemods.kit.meaning.values import (
    ELEMENTS,
    REST,
    UNBOUND,
    Choice,
    Function,
    Item,
    Obj,
    Sym,
    Value,
    container,
)


def constant(machine: Machine, node: ast.Constant) -> Value:
    return node.value


def name(machine: Machine, node: ast.Name) -> Value:
    frame = machine.frames[-1]
    value = frame.scope.fields.get(node.id, UNBOUND)
    if value is UNBOUND or type(value) is Choice or node.id in frame.foreign:
        return lookup(machine, node.id)
    return value  # a variable of the call in progress, as most are


def attribute(machine: Machine, node: ast.Attribute) -> Value:
    return machine.attribute(machine.evaluate(node.value), node.attr)


def subscript(machine: Machine, node: ast.Subscript) -> Value:
    owner = machine.evaluate(node.value)
    return get_item(machine, owner, machine.evaluate(node.slice))


def slice_(machine: Machine, node: ast.Slice) -> Value:
    parts = [None if one is None else machine.evaluate(one) for one in (node.lower, node.upper, node.step)]
    return machine.new("slice", {"start": parts[0], "stop": parts[1], "step": parts[2]})


def tuple_(machine: Machine, node: ast.Tuple) -> Value:
    return tuple(_elements(machine, node.elts))


def list_(machine: Machine, node: ast.List) -> Value:
    return machine.new("list", {ELEMENTS: tuple(_elements(machine, node.elts))})


def set_(machine: Machine, node: ast.Set) -> Value:
    return machine.new("set", {ELEMENTS: tuple(_elements(machine, node.elts))})


def _elements(machine: Machine, nodes: list[ast.expr]) -> list[Value]:
    found: list[Value] = []
    for node in nodes:
        if type(node) is ast.Starred:
            found.extend(machine.elements(machine.evaluate(node.value)))
        else:
            found.append(machine.evaluate(node))
    return found


def dict_(machine: Machine, node: ast.Dict) -> Value:
    made = machine.new("dict")
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            update(machine, made, machine.evaluate(value))
        else:
            set_item(machine, made, machine.evaluate(key), machine.evaluate(value))
    return made


def update(machine: Machine, target: Obj, other: Value) -> None:
    """Put the items of a mapping into a dict."""
    other = machine.facts.settle(other)
    if isinstance(other, Obj):
        for field, value in list(other.fields.items()):
            if isinstance(field, Item) or field == REST:
                machine.heap.write(target, field, value)
        if not any(isinstance(one, Item) for one in other.fields) and container(other) != "dict":
            machine.heap.write(target, REST, machine.unknown("an item of a mapping that is not read"))


def call(machine: Machine, node: ast.Call) -> Value:
    function = machine.evaluate(node.func)
    frame = machine.frames[-1]
    frame.line = node.lineno
    arguments = _elements(machine, node.args) if node.args else []
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = machine.evaluate(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        else:
            _spread(machine, value, keywords)
    frame.line = node.lineno
    return machine.caller(machine, function, arguments, keywords)


def _spread(machine: Machine, value: Value, keywords: dict[str, Value]) -> None:
    value = machine.facts.settle(value)
    if isinstance(value, Obj):
        for field, one in value.fields.items():
            if isinstance(field, Item) and isinstance(field.key, str):
                keywords[field.key] = one
        if REST in value.fields or container(value) != "dict":
            keywords["**"] = value
    elif isinstance(value, Sym):
        keywords["**"] = value


def binary_operation(machine: Machine, node: ast.BinOp) -> Value:
    left = machine.evaluate(node.left)
    return binary(machine, type(node.op), left, machine.evaluate(node.right))


def unary_operation(machine: Machine, node: ast.UnaryOp) -> Value:
    return unary(machine, type(node.op), machine.evaluate(node.operand))


def comparison(machine: Machine, node: ast.Compare) -> Value:
    left = machine.evaluate(node.left)
    result: Value = True
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        right = machine.evaluate(right_node)
        one = compare(machine, type(operator), left, right)
        result = one if result is True else _both(machine, result, one)
        left = right
    return result


def _both(machine: Machine, left: Value, right: Value) -> Value:
    first, second = machine.truth(left), machine.truth(right)
    if first.value is False or second.value is True:
        return left
    if first.value is True or second.value is False:
        return right
    return Sym(("and", _polar(first.key, first.when), _polar(second.key, second.when)), first.taints | second.taints)


def _polar(key: Any, when: bool) -> Any:
    return key if when else ("not", key)


def boolean(machine: Machine, node: ast.BoolOp) -> Value:
    return _chain(machine, isinstance(node.op, ast.Or), node.values)


def _chain(machine: Machine, stops: bool, nodes: list[ast.expr]) -> Value:
    value = machine.evaluate(nodes[0])
    if len(nodes) == 1:
        return value
    test = machine.truth(value)
    if test.value is not None:
        return value if test.value is stops else _chain(machine, stops, nodes[1:])
    path = machine.try_path(
        [(test.key, test.when is not stops)], lambda: _chain(machine, stops, nodes[1:]), test.taints
    )
    if path is None:
        return value
    machine.heap.put(path.writes)
    other = machine.truth(path.value)
    if isinstance(value, Sym) and (isinstance(path.value, (Sym, bool))):
        if other.value is not None:
            return value if other.value is not stops else (stops if isinstance(path.value, bool) else path.value)
        key = ("or" if stops else "and", _polar(test.key, test.when), _polar(other.key, other.when))
        return Sym(key, test.taints | other.taints)
    return machine.branch(test, lambda: value if stops else path.value, lambda: path.value if stops else value)


def conditional(machine: Machine, node: ast.IfExp) -> Value:
    test = machine.truth(machine.evaluate(node.test))
    return machine.branch(test, lambda: machine.evaluate(node.body), lambda: machine.evaluate(node.orelse))


def lambda_(machine: Machine, node: ast.Lambda) -> Value:
    return make_function(machine, node, "<lambda>")


def make_function(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, called: str) -> Function:
    """A function value, its defaults evaluated here."""
    scope, owner = machine.frame.scope, None
    if scope.is_class:
        owner = scope.fields.get("__class__")
        while scope.is_class and scope.parent is not None:
            scope = scope.parent
    defaults = tuple(machine.evaluate(one) for one in node.args.defaults)
    keywords = tuple(
        (argument.arg, machine.evaluate(default))
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    )
    generates = names_of(node).generates
    return Function(called, node, scope, machine.frame.module, defaults, keywords, owner, generates)


def text(machine: Machine, node: ast.JoinedStr) -> Value:
    taints: frozenset[Any] = frozenset()
    parts: list[str] = []
    known = plain = True
    for one in node.values:
        value = machine.evaluate(one.value if isinstance(one, ast.FormattedValue) else one)
        if isinstance(value, Obj) and getattr(value.cls, "name", "") == "Tensor":
            read(machine, value, "formatting")
        else:
            tell(machine, value)
        taints |= value.taints if isinstance(value, Sym) else frozenset()
        words = str(value)
        known = known and isinstance(value, (str, int)) and len(words) <= LONGEST
        plain = plain and isinstance(value, (str, int, Sym))
        parts.append(words[:LONGEST])
    plain = plain and not any(len(one) == LONGEST for one in parts)
    return "".join(parts) if known else Sym(("text", *parts, *(() if plain else (machine.frame.line,))), taints)


def named(machine: Machine, node: ast.NamedExpr) -> Value:
    value = machine.evaluate(node.value)
    assign(machine, node.target.id, value)
    return value


def yield_(machine: Machine, node: ast.Yield) -> Value:
    value = None if node.value is None else machine.evaluate(node.value)
    hand_over(machine, value)
    return None


def yield_from(machine: Machine, node: ast.YieldFrom) -> Value:
    machine.iterate(machine.evaluate(node.value), lambda one: hand_over(machine, one))
    return None


def hand_over(machine: Machine, value: Value) -> None:
    """Give an element to whoever consumes this generator: the consumer's own frame runs for it."""
    frame = machine.frame
    if frame.consumer is None:
        frame.yielded.append(value)
        return
    above = machine.frames[machine.frames.index(frame) :]
    del machine.frames[-len(above) :]
    try:
        frame.consumer(value)
    finally:
        machine.frames.extend(above)


def await_(machine: Machine, node: ast.Await) -> Value:
    return machine.evaluate(node.value)


def starred(machine: Machine, node: ast.Starred) -> Value:
    return machine.evaluate(node.value)


EXPRESSIONS: dict[type[ast.AST], Any] = {
    ast.Constant: constant,
    ast.Name: name,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    ast.Slice: slice_,
    ast.Tuple: tuple_,
    ast.List: list_,
    ast.Set: set_,
    ast.Dict: dict_,
    ast.Call: call,
    ast.BinOp: binary_operation,
    ast.UnaryOp: unary_operation,
    ast.Compare: comparison,
    ast.BoolOp: boolean,
    ast.IfExp: conditional,
    ast.Lambda: lambda_,
    ast.JoinedStr: text,
    ast.NamedExpr: named,
    ast.Yield: yield_,
    ast.YieldFrom: yield_from,
    ast.Await: await_,
    ast.Starred: starred,
    ast.ListComp: comprehension,
    ast.SetComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.DictComp: comprehension,
}
