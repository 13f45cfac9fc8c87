"""What the arguments of a function that nobody calls are taken to be, by what the function does with them."""

from __future__ import annotations

import ast

from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import ANYWHERE, each_parameter, parameters
from codemods.kit.meaning.values import ABSENT, CONSTANTS, ELEMENTS, RANK, Function, Obj, Site, Sym, Value

_MODULE = frozenset(
    {
        "parameters",
        "named_parameters",
        "modules",
        "named_modules",
        "children",
        "train",
        "eval",
        "load_state_dict",
        "module",
        "requires_grad_",
        "buffers",
        "forward",
    }
)
_OPTIMIZER = frozenset({"zero_grad", "param_groups", "step"})
_RANKS = frozenset({"rank", "local_rank", "global_rank", "proc_id", "process_index"})
"""What a launcher hands to a function, where nobody in the program does."""
_LOADER = frozenset({"dataset", "sampler", "batch_size"})
_PARAMETER = frozenset({"grad", "requires_grad"})
"""What is asked of each parameter where a function goes through them."""


def arguments(machine: Machine, function: Function, given: int) -> dict[str, Value]:
    """Arguments for the parameters after the first `given`; those with a plain default are symbols."""
    node = function.node
    every = [*node.args.posonlyargs, *node.args.args][given:] + node.args.kwonlyargs
    asked = {one.arg: _uses(node, one.arg) for one in every}
    sites = {one.arg: Site(str(function.module.fields.get("__path__", "")), one.lineno, one.arg) for one in every}
    modules = {name: module(machine, sites[name]) for name, uses in asked.items() if uses & _MODULE}
    found: dict[str, Value] = dict(modules)
    for name, uses in asked.items():
        if name in found:
            continue
        if uses & _OPTIMIZER and not uses & _LOADER:
            found[name] = _optimizer(machine, list(modules.values()))
        elif "for" in uses and not uses & _LOADER and _goes_through_parameters(node, name):
            held = parameters(machine, module(machine, sites[name]))
            found[name] = machine.new("list", {ELEMENTS: tuple(held)})
        elif uses & _LOADER or "for" in uses:
            found[name] = _loader(machine)
        elif "call" in uses:
            found[name] = module(machine, sites[name])
        elif name in _RANKS:
            found[name] = Sym((f"parameter {name}",), frozenset({RANK}))
        else:
            found[name] = _plain(machine, function, name)
    return found


def _uses(node: ast.AST, name: str) -> set[str]:
    """What is done with a name: the attributes asked of it, whether it is called, whether a loop goes through it."""
    found: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and _is(one.value, name):
            found.add(one.attr)
        elif isinstance(one, ast.Call) and _is(one.func, name):
            found.add("call")
        elif isinstance(one, (ast.For, ast.comprehension)):
            iterated = one.iter
            while isinstance(iterated, ast.Call) and iterated.args:
                iterated = iterated.args[0]
            if _is(iterated, name):
                found.add("for")
    return found


def _goes_through_parameters(node: ast.AST, name: str) -> bool:
    """`for p in parameters: if p.grad is not None: ...`"""
    for one in ast.walk(node):
        if isinstance(one, (ast.For, ast.comprehension)) and _is(one.iter, name) and isinstance(one.target, ast.Name):
            if _uses(node, one.target.id) & _PARAMETER:
                return True
    return False


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def module(machine: Machine, site: Site) -> Value:
    """A module of which nothing is known: one parameter, wherever its user wants it."""
    made = _made(machine, "torch.nn", "Leaf")
    made.site = site
    for one in each_parameter(machine, parameters(machine, made)):
        one.site = site
        machine.heap.write(one, "@device", ANYWHERE)
        machine.heap.write(one, "@own", False)
    return made


def _optimizer(machine: Machine, modules: list[Value]) -> Value:
    every = [one for some in modules for one in parameters(machine, some)]
    return _made(machine, "torch.optim", "Optimizer", machine.new("list", {ELEMENTS: tuple(every)}))


def _loader(machine: Machine) -> Value:
    return _made(machine, "torch.utils.data", "DataLoader", machine.unknown("the data of a function that nobody calls"))


def _made(machine: Machine, library: str, name: str, *given: Value) -> Value:
    found = machine.library.load(machine, library, machine.frame)
    assert isinstance(found, Obj)
    return machine.call(found.fields[name], *given)


def _plain(machine: Machine, function: Function, name: str) -> Value:
    default = _defaults(function).get(name, ABSENT)
    if default is ABSENT and name == "device":
        return Sym(("parameter device",))  # where the program trains
    if default is ABSENT:
        return machine.unknown(f"parameter {name} of a function that nobody calls")
    return machine.symbol(f"option {name}") if isinstance(default, CONSTANTS) else default


def _defaults(function: Function) -> dict[str, Value]:
    node = function.node
    positional = [*node.args.posonlyargs, *node.args.args]
    last = positional[len(positional) - len(function.defaults) :]
    return {**dict(zip([one.arg for one in last], function.defaults, strict=True)), **dict(function.keyword_defaults)}


def from_options(machine: Machine, function: Value, *given: Value) -> Value:
    """Call a function as a library does that makes a command line of its parameters: they are options."""
    function = machine.facts.settle(function)
    if not isinstance(function, Function):
        return machine.call(function, *given)
    node, defaults = function.node, _defaults(function)
    found: dict[str, Value] = {}
    for name in [one.arg for one in [*node.args.posonlyargs, *node.args.args][len(given) :] + node.args.kwonlyargs]:
        default = defaults.get(name)
        if isinstance(default, str):
            machine.defaults[name] = default
        found[name] = Sym((f"option {name}",)) if isinstance(default, CONSTANTS) else default
    return machine.call(function, *given, **found)


PRIMITIVES = {"from_options": from_options}
