"""What TorchScript compiles: it reads the text of functions, and cannot compile torch_xla."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.module_primitives import inner_modules
from codemods.kit.meaning.names import names_of
from codemods.kit.meaning.record import Finding, Verdict
from codemods.kit.meaning.values import Bound, ClassValue, Function, Obj, Scope, Site, Value, is_a

_LEAVES = {"ignore", "unused"}
_RUNS = "what is written runs on torch_xla"
_MESSAGE = "TorchScript compiles this, and cannot compile what torch_xla makes: name the device by its text"


def compile_script(machine: Machine, value: Value) -> None:
    """A function, a class or a module is compiled, with all that it calls."""
    if machine.cuda:
        return
    seen: set[int] = set()
    queue = [*_functions(machine, machine.facts.settle(value))]
    while queue:
        function = queue.pop()
        if id(function.node) not in seen and not function.module.fields.get("__model__"):
            seen.add(id(function.node))
            queue += _compiled(machine, function)


def _functions(machine: Machine, value: Value) -> Iterator[Function]:
    if isinstance(value, Bound):
        value = value.function
    if isinstance(value, Function):
        names = {getattr(one, "attr", getattr(one, "id", "")) for one in getattr(value.node, "decorator_list", ())}
        yield from () if names & _LEAVES else (value,)
    elif isinstance(value, ClassValue) and "torch.nn.Module" not in value.qualified:
        for one in value.space.fields.values():
            yield from _functions(machine, one) if isinstance(one, Function) else ()
    elif is_a(value, "torch.nn.Module") and isinstance(value, Obj):
        for module in (value, *inner_modules(machine, value, True)):
            forward = module.cls.find("forward") if isinstance(module.cls, ClassValue) else None
            yield from _functions(machine, forward) if isinstance(forward, Function) else ()


def _compiled(machine: Machine, function: Function) -> list[Function]:
    """Say what cannot be compiled of a function; what it calls."""
    found: list[Function] = []
    body = function.node.body if isinstance(function.node.body, list) else [function.node.body]
    for node in (inner for statement in body for inner in ast.walk(statement)):
        if isinstance(node, ast.Name) and type(node.ctx) is ast.Load:
            value = machine.facts.settle(_held(function, node.id))
            if _home(value).startswith("torch_xla") or is_a(value, "torch.device"):
                site = Site(str(function.module.fields.get("__path__", "")), node.lineno, function.name)
                machine.record.add(Finding(_RUNS, Verdict.VIOLATED, site, _MESSAGE, None, machine.chain()))
            found += _functions(machine, value) if isinstance(value, (Function, ClassValue)) else ()
        elif isinstance(node, ast.Attribute) and function.owner is not None and _is_self(function, node.value):
            found += _functions(machine, function.owner.find(node.attr))
    return found


def _held(function: Function, name: str) -> Value:
    """What a name of a function that is not its own holds."""
    scope: Scope | None = None if name in names_of(function.node).local else function.scope
    while scope is not None:
        if name in scope.fields and not scope.is_class:
            return scope.fields[name]
        scope = scope.parent
    return None


def _home(value: Value) -> str:
    """The module that a value is, or that defined it."""
    module = value.module if isinstance(value, Function) else value
    return str(module.fields.get("__name__", "")) if isinstance(module, Obj) and module.cls == "module" else ""


def _is_self(function: Function, node: ast.expr) -> bool:
    first = function.node.args.args[:1]
    return isinstance(node, ast.Name) and bool(first) and node.id == first[0].arg
