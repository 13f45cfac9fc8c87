"""Primitives of processes: they are started, have a rank, and get what all of them have alike."""

from __future__ import annotations

import ast
import contextlib
from typing import Any

from codemods.kit.meaning import graph, masters, steps
from codemods.kit.meaning.graph import happen, say
from codemods.kit.meaning.iteration import elements_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.paths import Dead
from codemods.kit.meaning.record import Verdict
from codemods.kit.meaning.tensors import gather, is_tensor, is_unknown
from codemods.kit.meaning.values import (
    ABSENT,
    CONSTANTS,
    DIFFERS,
    LOCAL,
    OF_ALL,
    OWN,
    PERHAPS,
    RANK,
    REST,
    Choice,
    Function,
    Item,
    Obj,
    Site,
    Sym,
    Value,
    container,
    data_of,
)

WORLD = ("world size",)


def _launch(
    machine: Machine, function: Value, arguments: Value = (), alone: Value = False, how: Value = None, *more: Value
) -> None:
    """Start the processes: from here on there are several, each running the function with its rank."""
    happen(machine, "launch", [frame.function is None for frame in machine.frames if not frame.model] == [True])
    if machine.facts.settle(alone) is True:
        happen(machine, "one process")
    else:
        _become_several(machine)
    machine.heap.write(machine.world, "launched", not machine.cuda)  # nobody sets RANK, as torchrun does
    if isinstance(machine.facts.settle(function), CONSTANTS):
        message = "what is started here is no function: it was called already, and this is what it returned"
        say(machine, "what is written runs on torch_xla", Verdict.VIOLATED, message)
    given = tuple(machine.elements(arguments)) if arguments is not None else ()
    _check_arity(machine, function, 1 + len(given))
    afresh = graph.several(machine) and machine.facts.settle(how) == "spawn"
    lost = _started_afresh(machine, function) if afresh and not machine.cuda else {}
    seeds = _unseeded(machine) if afresh else {}
    with contextlib.suppress(Dead):
        machine.call(function, Sym(("rank",), frozenset({RANK})), *given)
    for (module, name), value in lost.items():
        machine.heap.write(module, name, value)
    for field, value in seeds.items():
        machine.heap.write(machine.world, field, value)


def _unseeded(machine: Machine) -> dict[str, Value]:
    """A process that is started, not forked, knows no seed but that of an import: the host's random numbers that it
    draws are its own. What the first process has is returned."""
    found: dict[str, Value] = {}
    for library in ("random", "numpy"):
        seeds = [one for one in machine.record.of("seed") if one.about == library]
        if seeds and not any(_is_imported(machine, (*one.chain, one.site)[0]) for one in seeds):
            field = graph.seeded(library)
            found[field] = machine.world.fields[field]
            machine.heap.write(machine.world, field, False)
    return found


def _is_imported(machine: Machine, site: Site) -> bool:
    """Whether a line runs in each process that imports the program."""
    tree = machine.library.trees.get(site.path)
    guards = _guards(tree) if tree is not None else []
    return not site.function and not any(one.lineno <= site.line <= (one.end_lineno or 0) for one in guards)


def _guards(tree: ast.Module) -> list[ast.If]:
    return [one for one in tree.body if isinstance(one, ast.If) and "'__main__'" in ast.dump(one.test)]


def _started_afresh(machine: Machine, function: Value) -> dict[tuple[Obj, str], Value]:
    """A process that is started, not forked, gets its function by name and imports the program: what the first process
    binds below `if __name__ == "__main__":` is taken away from its module, and is returned."""
    function = machine.facts.settle(function)
    if not isinstance(function, Function):
        return {}
    if isinstance(function.node, ast.Lambda):
        message = "a lambda is started here: it cannot be handed to another process"
        say(machine, "what is written runs on torch_xla", Verdict.VIOLATED, message)
    module = function.module
    tree = machine.library.trees.get(str(module.fields.get("__path__", "")))
    if tree is None or module.fields.get("__name__") != "__main__":
        return {}
    guards = _guards(tree)
    inside = {name for guard in guards for one in guard.body for name in _bound(one)}
    others = {name for one in tree.body if one not in guards for name in _bound(one)}
    lost = {(module, name): module.fields[name] for name in sorted(inside - others) if name in module.fields}
    for _, name in lost:
        machine.heap.write(module, name, ABSENT)
    return lost


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of a module binds there, in functions that say `global` too."""
    found = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return found | {name for one in ast.walk(statement) if isinstance(one, ast.Global) for name in one.names}


def _check_arity(machine: Machine, function: Value, count: int) -> None:
    function = machine.facts.settle(function)
    if isinstance(function, Function):
        node = function.node.args
        most = len(node.posonlyargs) + len(node.args)
        least = most - len(function.defaults)
        if (not least <= count and node.vararg is None) or (count > most and node.vararg is None):
            message = (
                f"`{function.name}` is started with {count} arguments, and takes {most if count > most else least}"
            )
            where = Site(str(function.module.fields.get("__path__", "")), getattr(function.node, "lineno", 0))
            say(machine, "what is written runs on torch_xla", Verdict.VIOLATED, message, where)


def _become_several(machine: Machine) -> None:
    machine.heap.write(machine.world, "several", True)
    machine.heap.write(machine.world, "joined", True)


def _joined(machine: Machine) -> bool:
    """`dist.is_initialized()`"""
    if machine.watcher is not None:
        held = machine.facts.settle(machine.world.fields["joined"])
        machine.watcher.ask_for_group(held if isinstance(held, bool) else None)
    return graph.several(machine)


def _world_size(machine: Machine) -> Value:
    return Sym(WORLD) if graph.several(machine) else 1


def _rank(machine: Machine, name: Value = "rank") -> Value:
    return Sym((str(name),), frozenset({RANK})) if graph.several(machine) else 0


def _shared(machine: Machine, value: Value) -> Value:
    """A value that all processes have alike: the result of a reduction."""
    value = machine.facts.settle(value)
    if isinstance(value, Choice):
        return machine.each(value, lambda one: _shared(machine, one))
    if isinstance(value, Sym):
        return Sym(("shared", value.key), value.taints - {LOCAL, RANK, PERHAPS})
    if is_tensor(value) or is_unknown(value):
        steps.made_equal(machine, (value,))
        taints = masters.averaged(graph.taints_of(value)) - {LOCAL, RANK}
        taints |= {OF_ALL} if data_of(taints) else frozenset()
        machine.heap.write(value, "@taints", taints | (frozenset() if machine.cuda else graph.generation(machine)))
    elif isinstance(value, Obj) and container(value):
        inner = [one for name, one in value.fields.items() if name == REST or isinstance(name, Item)]
        for one in (*elements_of(machine, value), *inner):
            _shared(machine, one)
    return value


def _seeded(machine: Machine, seed: Value = None, library: Value = "torch") -> None:
    """Random numbers of the host begin with a seed: all processes draw the same, unless it is none or the rank's."""
    if machine.watcher is not None and library == "torch":
        machine.watcher.seed()
    happen(machine, "seed", library)
    alike = machine.facts.settle(seed) is not None and not gather(machine, (seed,)).taints & (DIFFERS | {OWN})
    machine.heap.write(machine.world, graph.seeded(str(library)), alike)


PRIMITIVES: dict[str, Any] = {
    "collective": lambda machine, name, *values: graph.collective(machine, name, *values),
    "launch": _launch,
    "become_several": _become_several,
    "joined": _joined,
    "in_turn": lambda machine, tag: happen(machine, "in turn", (tag, frozenset(machine.facts.assumed))),
    "several": lambda machine: graph.several(machine),
    "world_size": _world_size,
    "rank": _rank,
    "shared": _shared,
    "seeded": _seeded,
}
