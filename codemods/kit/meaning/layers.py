"""Layers of torch.nn: how they are made and called, done by the engine because a network has so many of them."""

from __future__ import annotations

from typing import Any

from codemods.kit.meaning import parameters, shares, steps
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.graph import happen, no_grad, taints_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.module_primitives import forwarded, leaf
from codemods.kit.meaning.picking import made_elsewhere
from codemods.kit.meaning.repeats import again
from codemods.kit.meaning.tensor_primitives import absorb
from codemods.kit.meaning.tensors import NO_DEPS, new_tensor
from codemods.kit.meaning.values import FROZEN, HOLDER, NO_TAINTS, ClassValue, Function, Obj, Primitive, Value


def call_module(machine: Machine, module: Obj, *given: Value, **more: Value) -> Value:
    """`module(...)`: its `forward`; that of a library's plain layer is done here and now."""
    forwarded(machine, module, *given, *more.values())
    forward = module.cls.find("forward") if isinstance(module.cls, ClassValue) else None
    owner = forward.owner if isinstance(forward, Function) else None
    plain = owner is not None and owner.module == "torch.nn" and owner.name in ("Leaf", "Plain")
    if plain and "forward" not in module.fields:
        return made_elsewhere(machine, module, leaf(machine, module, *given, *more.values()))
    run = machine.attribute(module, "forward")
    name = module.cls.name if isinstance(module.cls, ClassValue) else "a module"
    made = shares.ran(
        machine,
        module,
        name,
        lambda: again(machine, module, (*given, *more.values()), lambda: machine.call(run, *given, **more)),
    )
    return made_elsewhere(machine, module, made)


def layer_of(machine: Machine, kind: ClassValue, *names: str) -> Primitive:
    """The `__init__` of a library's layer with these parameters, and with running means if it has them."""

    def start(machine: Machine, module: Obj, *given: Value, device: Value = None, **others: Value) -> None:
        where = "cpu" if device is None else parameters.device_kind(machine, device)
        fields = {"@device": where, "@deps": NO_DEPS, "@taints": NO_TAINTS, "@scalar": None}
        for name in names:
            if name.startswith("running"):
                machine.heap.write(module, name, new_tensor(machine, where, scalar=False))
                machine.heap.write(module, ("buffer", name), True)
            else:
                own = steps.begins_alone(machine)
                more = {"@grad": "none", "@averages": False, "@own": own, HOLDER: module}
                parameter = machine.new(kind, {**fields, **more})
                parameters.note_pick(machine, parameter)
                machine.heap.write(module, name, parameter)

    return Primitive("__init__", start)


def batch_norm(machine: Machine, module: Obj, *given: Value, **more: Value) -> Value:
    """Batch norm: its statistics take part of the batch while it trains."""
    training = machine.truth(machine.attribute(module, "training"))
    statistics = machine.attribute(module, "running_mean")
    made = leaf(machine, module, *given)
    if not no_grad(machine):
        machine.branch(training, lambda: absorb(machine, statistics, *given), lambda: _freeze(machine, made))
    return made


def _freeze(machine: Machine, made: Value) -> None:
    """What batch norm in eval mode makes: a backward that comes through it is told by the taint."""
    happen(machine, "frozen batch norm")
    for one in options_of(machine.facts, made):
        machine.heap.write(one, "@taints", taints_of(one) | {(FROZEN, machine.site)})


PRIMITIVES: dict[str, Any] = {"call_module": call_module, "layer_of": layer_of, "batch_norm": batch_norm}
