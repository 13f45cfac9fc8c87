"""Names: which scope binds them, what they hold, and what is said when they hold nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.paths import Dead
from codemods.kit.meaning.record import BOUND, Finding, Verdict
from codemods.kit.meaning.values import ABSENT, UNBOUND, Choice, Scope, Value


@dataclass(frozen=True)
class Names:
    """What a function's body says of its names."""

    local: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]
    generates: bool


_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSION = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SPECIAL = frozenset(
    {
        *_OWN_SCOPE,
        *_COMPREHENSION,
        ast.Import,
        ast.ImportFrom,
        ast.Global,
        ast.Nonlocal,
        ast.ExceptHandler,
        ast.MatchAs,
        ast.MatchStar,
        ast.Yield,
        ast.YieldFrom,
        ast.Constant,
    }
)
"""What binds a name, has names of its own or holds none: of all else, the parts are looked at."""


_PLAIN = frozenset({int, str, type(None), ast.Load})
"""What most fields of nodes are that hold no node to look at."""


def parts_of(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes right below one, as `ast.iter_child_nodes` gives them in a third of the time; no `Load`."""
    for held in vars(node).values():
        if type(held) is list:
            yield from (one for one in held if isinstance(one, ast.AST))
        elif type(held) not in _PLAIN and isinstance(held, ast.AST):
            yield held


def names_of(node: ast.AST) -> Names:
    """The names a function, lambda, comprehension, class body or module binds. Worked out once for each node."""
    known: Names | None = getattr(node, "_names", None)
    if known is None:
        known = node._names = _collect(node)  # type: ignore[attr-defined]  # kept with the tree it belongs to
    return known


def _collect(node: ast.AST) -> Names:
    local: set[str] = set()
    shared: set[str] = set()
    outer: set[str] = set()
    generates = False
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        local.update(one.arg for one in [*every, *filter(None, (arguments.vararg, arguments.kwarg))])
    body = getattr(node, "body", [])
    todo: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    if isinstance(node, _COMPREHENSION):
        todo = [one.target for one in node.generators]
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Name):
            if type(one.ctx) is not ast.Load:
                local.add(one.id)
        elif type(one) not in _SPECIAL:
            todo += parts_of(one)
        elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            local.add(one.name)
            todo += one.decorator_list
        elif isinstance(one, (ast.Import, ast.ImportFrom)):
            local.update((alias.asname or alias.name.partition(".")[0]) for alias in one.names)
        elif isinstance(one, ast.Global):
            shared.update(one.names)
        elif isinstance(one, ast.Nonlocal):
            outer.update(one.names)
        elif isinstance(one, _COMPREHENSION):
            todo.append(one.generators[0].iter)
        elif isinstance(one, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            local.update([one.name] if one.name else ())
            todo += parts_of(one)
        elif isinstance(one, (ast.Yield, ast.YieldFrom)):
            generates = True
            todo += parts_of(one)
    return Names(frozenset(local - shared - outer), frozenset(shared), frozenset(outer), generates)


def scope_of(machine: Machine, name: str, scope: Scope) -> Scope:
    """The scope that holds a name which is assigned in `scope`, and is global or nonlocal there."""
    function = machine.frame.function
    if function is None:
        return scope
    if name in names_of(function.node).globals:
        return _module_scope(scope)
    outer = scope.parent
    while outer is not None and name not in outer.names and outer.parent is not None:
        outer = outer.parent
    return outer or scope


def _module_scope(scope: Scope) -> Scope:
    while scope.parent is not None:
        scope = scope.parent
    return scope


def _inner_scopes(scope: Scope | None) -> Iterator[Scope]:
    """The scopes inside of the module's, innermost first."""
    while scope is not None and scope.parent is not None:
        yield scope
        scope = scope.parent


def assign(machine: Machine, name: str, value: Value) -> None:
    """Bind a name."""
    frame = machine.frame
    scope = scope_of(machine, name, frame.scope) if name in frame.foreign else frame.scope
    if isinstance(value, Choice):  # an element that only some paths put in is there where it is taken out
        kept = machine.facts.bound(value)
        value = machine.unknown(f"{name}, which no path sets") if kept is ABSENT else kept
    machine.heap.write(scope, name, value)


def lookup(machine: Machine, name: str) -> Value:
    """What a name holds. Says so when it may hold nothing."""
    frame = machine.frame
    scope: Scope | None = frame.scope
    if name in frame.foreign and frame.function is not None and name in names_of(frame.function.node).globals:
        scope = _module_scope(frame.scope)
    while scope is not None:
        value = scope.fields.get(name, ABSENT)
        if value is not ABSENT:
            return _bound(machine, name, value) if type(value) is Choice or value is UNBOUND else value
        if name in scope.names and scope.parent is not None and not scope.is_class:
            return missing(machine, name)
        scope = scope.parent
    value = machine.builtins.get(name, ABSENT)
    return value if value is not ABSENT else _undefined(machine, name)


def _undefined(machine: Machine, name: str) -> Value:
    module = _module_scope(machine.frame.scope)
    hook = module.fields.get("__getattr__", ABSENT)
    if machine.frame.model and hook is not ABSENT:
        return machine.call(hook, name)
    if module.fields.get("*"):  # a star import of a module that is not read
        return machine.unknown(f"{name} may come from {module.fields['*']}")
    return missing(machine, name)


def _bound(machine: Machine, name: str, value: Value) -> Value:
    value = machine.facts.settle(value)
    bound = machine.facts.bound(value)
    if bound is ABSENT:
        return missing(machine, name)
    if bound is not value and not machine.frame.model:
        message = f"`{name}` is not bound on every path that leads here"
        machine.record.add(Finding(BOUND, Verdict.VIOLATED, machine.site, message, None, machine.chain()))
    return bound


def missing(machine: Machine, name: str) -> Value:
    """A name that is not bound here: the program ends in a NameError on this path."""
    if machine.frame.model:
        raise Dead
    if machine.assumed and not any(name in one.names for one in _inner_scopes(machine.frame.scope)):
        return machine.unknown(f"{name}, which something sets before this function is called")
    message = f"`{name}` is not bound here"
    machine.record.add(Finding(BOUND, Verdict.VIOLATED, machine.site, message, None, machine.chain()))
    return machine.unknown(message)
