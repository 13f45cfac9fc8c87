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
    node = function.node
    positional = [*node.args.posonlyargs, *node.args.args]
    defaults = dict(
        zip([one.arg for one in positional][len(positional) - len(function.defaults) :], function.defaults, strict=True)
    )
    defaults.update(function.keyword_defaults)
    default = defaults.get(name, ABSENT)
    if default is ABSENT and name == "device":
        return Sym(("parameter device",))  # where the program trains
    if default is ABSENT:
        return machine.unknown(f"parameter {name} of a function that nobody calls")
    return machine.symbol(f"option {name}") if isinstance(default, CONSTANTS) else default
