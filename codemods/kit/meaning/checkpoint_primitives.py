"""Primitives of states: what a checkpoint is made of, written, read and loaded."""

from __future__ import annotations

from typing import Any

from codemods.kit.meaning import files, graph, parameters, steps, weights
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.graph import happen
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import READ, Verdict
from codemods.kit.meaning.states import (
    PICKLED,
    STATE,
    bare,
    contents,
    parameters_within,
    state_kept,
    unwrapped,
    wrapped_in,
)
from codemods.kit.meaning.tensors import ACCELERATORS, HOST, gather, new_tensor
from codemods.kit.meaning.values import (
    LOADED,
    NO_TAINTS,
    OWN_FILE,
    RANK,
    UNPLACED,
    Function,
    Obj,
    Value,
    is_a,
)


def state_of(machine: Machine, owner: Obj) -> Value:
    """A state_dict: names and the tensors of a module, or of an optimizer."""
    happen(machine, "state", owner.site)
    made = machine.new("dict", {STATE: state_kept(machine, owner)})
    if is_a(owner, "torch.nn.Module"):
        every = list(parameters.each_parameter(machine, (value for _, value in parameters.slots(machine, owner))))
        devices = {machine.facts.settle(one.fields.get("@device")) for one in every}
        where = devices.pop() if len(devices) == 1 else None
        taints = frozenset[Any]().union(*(graph.taints_of(one) for one in every))
        made.fields["[*]"] = new_tensor(machine, where, frozenset(), taints, None)
        made.fields["[*]"].fields["@of"] = owner.serial
    else:
        made.fields["[*]"] = machine.unknown("a part of an optimizer's state")
    return made


def load_state(machine: Machine, owner: Obj, state: Value) -> None:
    """`load_state_dict`: the values are copied into the parameters, wherever those are."""
    inner, prefix = unwrapped(machine, owner)
    taints = gather(machine, (state,)).taints
    if LOADED not in taints or OWN_FILE in taints:
        prefix = ""
    happen(machine, "load state", (inner.site if isinstance(inner, Obj) else owner.site, prefix))
    if prefix and machine.watcher is not None:
        machine.watcher.load_prefixed(prefix)
    every = parameters.parameters(machine, owner)
    if RANK in graph.differing(machine) and graph.several(machine):
        weights.made_apart(machine, every)
    else:
        steps.made_equal(machine, every)
    for one in options_of(machine.facts, state):
        kept = one.fields.get("[*]") if isinstance(one, Obj) else None
        if isinstance(kept, Obj) and kept.fields.get("@of") == owner.serial:
            happen(machine, "own state", owner.site)
    state = machine.facts.settle(state)
    held = state.fields.get("[*]") if isinstance(state, Obj) else None
    unplaced(machine, state)
    newer = not machine.cuda and not machine.legacy  # it was seen on torch_xla 2.x
    if newer and isinstance(held, Obj) and held.fields.get("@of") not in (None, owner.serial):
        if machine.facts.settle(held.fields.get("@device")) in ACCELERATORS:
            message = (
                "two modules on the device share their memory after this: a later step deletes what the other one reads"
            )
            graph.say(machine, "what is written runs on torch_xla", Verdict.OPEN, message)


def resume(machine: Machine, optimizer: Obj, state: Value) -> None:
    """`load_state_dict` of an optimizer."""
    unplaced(machine, state)
    known = any(isinstance(one, Obj) and STATE in one.fields for one in options_of(machine.facts, state))
    if machine.watcher is not None and not known and OWN_FILE not in gather(machine, (state,)).taints:
        machine.watcher.resumed.setdefault(optimizer.site, {})[machine.site] = None


def unplaced(machine: Machine, state: Value) -> None:
    """Where what is loaded says nothing of it, CUDA's tensors stay on CUDA."""
    taints = gather(machine, (state,)).taints
    if not machine.cuda and LOADED in taints and UNPLACED in taints:
        message = "a checkpoint that was written on CUDA cannot be read without a map_location"
        graph.say(machine, READ, Verdict.OPEN, message)


def loaded(machine: Machine, path: Value, where: Value) -> Value:
    """What `torch.load` gives: on the host where map_location says so, else where it was saved."""
    happen(machine, "load")
    own = files.read(machine, machine.facts.settle(path))
    taints = frozenset({LOADED, UNPLACED}) if machine.facts.settle(where) is None else frozenset({LOADED})
    taints |= {OWN_FILE} if own else NO_TAINTS
    made = machine.unknown("what a checkpoint holds", taints)
    kind = parameters.device_kind(machine, where)
    made.fields["@device"] = kind
    made.fields["@scalar"] = None
    if not machine.cuda and kind in ACCELERATORS:
        graph.say(machine, READ, Verdict.VIOLATED, "torch.load cannot put what it reads on an XLA device")
    if machine.watcher is not None and machine.watcher.captures.calls:
        call = machine.watcher.captures.calls[-1]
        machine.watcher.pickled.load(call, made, own)
        machine.watcher.locate(call, kind != HOST and not isinstance(where, Function))
    return made


def saved(machine: Machine, value: Value, how: Value) -> None:
    """A checkpoint is written."""
    happen(machine, "save", str(how))
    kept = contents(machine, value)
    happen(machine, "saved", kept)
    happen(machine, "state names", wrapped_in(machine, value))
    if any(part.what == "whole network" for _, part in kept or ()):
        machine.heap.write(machine.world, PICKLED, True)
    left = parameters_within(machine, value)
    if left and machine.watcher is not None:
        machine.watcher.saves_parameters = True
    if left and machine.legacy and not machine.cuda:
        sure = any(machine.facts.settle(one.fields.get("@device")) in ACCELERATORS for one in left)
        message = "xm.save leaves an nn.Parameter on the device: nothing without torch_xla reads the file"
        graph.say(machine, READ, Verdict.VIOLATED if sure else Verdict.OPEN, message)
    if machine.watcher is not None:
        machine.watcher.pickled.save(machine, value)
    graph.read(machine, value, str(how))


PRIMITIVES: dict[str, Any] = {
    "state_of": state_of,
    "load_state": load_state,
    "loaded": loaded,
    "resume": resume,
    "saved": saved,
    "bare": bare,
    "written": lambda machine, path, by_one, last=True: files.write(machine, path, bool(by_one), last is True),
}
