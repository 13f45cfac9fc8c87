"""A training step as its parameters see it: backward, average, unscale, clip, step, zero."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from codemods.kit.meaning import graph
from codemods.kit.meaning.choices import Fact, in_order, options_of
from codemods.kit.meaning.evidence import Backward, of_loss
from codemods.kit.meaning.graph import Least, generation, happen, met, say, several, work
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import each_parameter, flatten, is_there, parameters
from codemods.kit.meaning.record import AVERAGED, LATEST, Verdict
from codemods.kit.meaning.tensors import ACCELERATORS, HOST, gather, is_unknown
from codemods.kit.meaning.values import (
    ABSENT,
    FROZEN,
    LOCAL,
    NO_TAINTS,
    PARTED,
    VARYING,
    Choice,
    Obj,
    Site,
    Sym,
    Value,
    by_age,
    class_name,
    container,
    data_of,
    is_a,
)

NONE, LOCALLY, MEAN, SUM = "none", "local", "averaged", "summed"
ALWAYS, PERHAPS = "always", "perhaps"
"""Whether a backward added to the gradient of an earlier one, in place. A step of some iterations means that it did."""


@dataclass(frozen=True)
class Step:
    """What an optimizer's step met."""

    optimizer: Site
    gradients: frozenset[tuple[Site, str]]
    """Where each parameter was made, and how its gradient is: averaged over the processes, local, none."""
    several: bool
    unclear: tuple[str, ...] = ()


def backward(machine: Machine, loss: Value) -> None:
    """`loss.backward()`: every parameter the loss depends on has a gradient."""
    traits = gather(machine, (loss,))
    every = [one for one in by_age(traits.deps) if is_a(one, "torch.nn.Parameter")]
    reached = [one for one in every if machine.facts.settle(one.fields.get("requires_grad", True)) is not False]
    shares = data_of(traits.taints)
    if machine.watcher is not None:
        machine.watcher.trained.update(serial for _, serial in shares)
        machine.watcher.masters.backward(machine, reached)
    made = frozenset(one.site for one in reached)
    happen(machine, "backward", Backward(made, shares, *of_loss(machine, traits.taints), several(machine)))
    through = frozenset(one[1] for one in traits.taints if isinstance(one, tuple) and one[0] == FROZEN)
    if through:
        happen(machine, "through frozen", through)
    work(machine, "backward", (loss, *reached))
    if not every and is_unknown(loss):
        happen(machine, "unclear backward", str(loss.fields.get("@why", "")))
    syncs = machine.facts.settle(machine.world.fields["no_sync"]) is not True
    happen(machine, "added", frozenset(one.site for one in reached if _has_gradient(machine, one)))
    for one in reached:
        if _has_gradient(machine, one):
            machine.heap.write(one, "@added", ALWAYS)
        elif machine.facts.settle(one.fields.get("@grad", NONE)) != NONE:
            machine.heap.write(one, "@added", PERHAPS)
        averages = machine.facts.settle(one.fields.get("@averages", False))
        if syncs and isinstance(averages, Choice):
            averages = machine.each(averages, lambda value: MEAN if value else LOCALLY)
            machine.heap.write(one, "@grad", averages)
        else:
            machine.heap.write(one, "@grad", MEAN if syncs and averages else LOCALLY)
        machine.heap.write(one, "@clipped", False)
        machine.heap.write(one, "@stepped", False)
        machine.heap.write(one, "@scaled", False)
        machine.heap.write(one, "@reduced as", "")


def _has_gradient(machine: Machine, parameter: Obj) -> bool:
    """Whether a parameter has a gradient already, on every path."""
    held = machine.facts.settle(parameter.fields.get("@grad", NONE))
    return NONE not in tuple(held) if isinstance(held, Choice) else held != NONE


def waits(machine: Machine, parameter: Obj) -> bool:
    """Whether a parameter has a gradient that it was not stepped with."""
    return _has_gradient(machine, parameter) and machine.facts.settle(parameter.fields.get("@stepped")) is not True


def rescaled(machine: Machine, parameter: Obj, given: Iterable[Value]) -> None:
    """A gradient is changed by hand: divided by the number of processes, perhaps."""
    if any(isinstance(one, Sym) and "world size" in repr(one.key) for one in given):
        summed = machine.facts.settle(parameter.fields.get("@grad")) == SUM
        machine.heap.write(parameter, "@grad" if summed else "@scaled", MEAN if summed else True)


def begins_alone(machine: Machine, library: str = "torch") -> Value:
    """Whether a parameter that is made now has random values that are other ones in each process."""
    seeded = machine.facts.settle(machine.world.fields[graph.seeded(library)])
    if isinstance(seeded, Choice):
        return several(machine) and Choice(tuple((facts, one is False) for facts, one in seeded.options))
    return several(machine) and seeded is False


def made_equal(machine: Machine, values: Iterable[Value]) -> None:
    """All processes have the same values of these parameters: one sent them, or all read one file."""
    for one in each_parameter(machine, values):
        if machine.facts.settle(one.fields.get("@own", False)) is not False:
            machine.heap.write(one, "@own", False)


def _begun_alone(machine: Machine, every: Iterable[Value]) -> Iterator[Site]:
    """The parameters whose gradients are averaged, though their first values were other ones in each process."""
    for one in each_parameter(machine, every):
        own = machine.facts.settle(one.fields.get("@own", False))
        for facts, alone in own.options if isinstance(own, Choice) else ((frozenset[Fact](), own),):
            alone = alone is True and is_there(one, facts)
            assumed = machine.facts.mark()
            for key, held in in_order(facts) if alone else ():
                machine.facts.assume(key, held)
            if alone and MEAN in options_of(machine.facts, one.fields.get("@grad", NONE)):
                yield one.site
            machine.facts.forget(assumed)


def averages(machine: Machine, module: Value) -> None:
    """A wrapper averages the gradients of a module's parameters while backward runs."""
    module = machine.facts.settle(module)
    if isinstance(module, Choice):
        machine.each(module, lambda one: averages(machine, one))
        return
    happen(machine, "wrap", module.site if isinstance(module, Obj) else None)
    if is_unknown(module):  # what is wrapped is a module, whoever hands it in
        machine.attribute(module, "parameters")
    every = parameters(machine, module)
    made_equal(machine, every)
    for one in each_parameter(machine, every):
        machine.heap.write(one, "@averages", True)


def capture(machine: Machine, optimizer: Obj, given: Value) -> None:
    """An optimizer takes parameters."""
    found, unclear = flatten(machine, given)
    machine.heap.write(optimizer, "@captured", tuple(found))
    if machine.watcher is not None:
        machine.watcher.captures.capture(machine, found)
    machine.heap.write(optimizer, "@unclear", tuple(unclear))
    happen(machine, "capture", optimizer.site)


def latest(value: Value) -> Value:
    """A parameter as a move left it that may have made another one of it."""
    while isinstance(value, Obj) and "@perhaps" in value.fields:
        value = value.fields["@perhaps"][0]
    return value


def captured(machine: Machine, optimizer: Value) -> list[Value]:
    """The parameters an optimizer has."""
    return [latest(one) for one in _captured(machine, optimizer)]


def _captured(machine: Machine, optimizer: Value) -> list[Value]:
    if not isinstance(optimizer, Obj):
        return []
    held = machine.facts.settle(optimizer.fields.get("@captured", ABSENT))
    if held is ABSENT:  # its base's `__init__` was not called: it shares the groups of another one
        held = flatten(machine, optimizer.fields.get("param_groups", ()))[0]
    if isinstance(held, Choice):
        return [one for some in held if isinstance(some, tuple) for one in some]
    return list(held)


def reduce(machine: Machine, given: Value, mean: bool) -> None:
    """Gradients are summed over the processes; `mean` says that they are divided too."""
    every = given_to(machine, given)
    if (
        several(machine)
        and isinstance(given, Obj)
        and not (every or is_unknown(given) or container(given) or is_a(given, "torch.optim.Optimizer"))
    ):
        message = f"no gradients are reduced: a {class_name(given)} is no optimizer"
        say(machine, AVERAGED, Verdict.VIOLATED, message, given.site)
    happen(machine, "reduce", frozenset(one.site for one in each_parameter(machine, every)))
    work(machine, "reduce")
    met(machine)
    done: set[int] = set()  # a parameter may be there twice, each time on other paths
    for one in each_parameter(machine, every):
        if one.serial in done:
            continue
        done.add(one.serial)
        gradient = machine.facts.settle(one.fields.get("@grad", NONE))
        if not several(machine):
            continue
        followed = not is_unknown(given) and one.fields.get("@replaced", ABSENT) is ABSENT
        if gradient in (MEAN, SUM) and followed:  # else what clears them was not seen, or clears others
            say(machine, AVERAGED, Verdict.VIOLATED, "these gradients were averaged already since backward")
        clipped = machine.facts.settle(one.fields.get("@clipped"))
        if isinstance(clipped, Site):
            message = "gradients are averaged after they were clipped or unscaled"
            say(machine, AVERAGED, Verdict.VIOLATED, message, clipped)
        scaled = machine.facts.settle(one.fields.get("@scaled")) is True
        if scaled and mean:
            say(machine, AVERAGED, Verdict.VIOLATED, "gradients are divided by the number of processes twice")
        if gradient != NONE:
            machine.heap.write(one, "@grad", MEAN if mean or scaled else SUM)
            if not is_a(given, "torch.Tensor"):
                machine.heap.write(one, "@reduced as", _one(machine, one, "@added", ""))
    for one in each_parameter(machine, every):
        machine.heap.write(one, "@grad taints", generation(machine))


def given_to(machine: Machine, given: Value) -> list[Value]:
    """The parameters among values, or whose gradients they are."""
    if is_a(given, "torch.optim.Optimizer"):
        return captured(machine, given)
    every = [latest(one) for one in flatten(machine, given)[0]]
    return [one.fields.get("@gradient", one) if isinstance(one, Obj) else one for one in every]


def clip(machine: Machine, given: Value, what: str, norm: bool = False) -> None:
    """Gradients are clipped or unscaled: what is done to them as they are in this process.

    From torch_xla 2.0 clipping the `norm` of a sum of gradients takes them as they were before a reduction in place.
    """
    every = given_to(machine, given)
    lost = {ALWAYS, PERHAPS} if VARYING in machine.taints_of_path() else {ALWAYS}
    sums = (set(_one(machine, one, "@reduced as", "").split("/")) for one in each_parameter(machine, every))
    if norm and not machine.legacy and any(found & lost for found in sums):
        message = "torch_xla loses the reduction of gradients that several backwards added up when they are clipped"
        say(machine, AVERAGED, Verdict.VIOLATED, message)
    happen(
        machine,
        what,
        frozenset((one.site, _one(machine, one, "@grad", NONE)) for one in each_parameter(machine, every)),
    )
    if machine.watcher is not None and what == "clip":
        machine.watcher.clip(machine, each_parameter(machine, every))
    for one in each_parameter(machine, every):
        machine.heap.write(one, "@clipped", machine.site)


def _one(machine: Machine, obj: Obj, name: str, default: str) -> str:
    found = machine.facts.settle(obj.fields.get(name, default))
    return "/".join(sorted(map(str, found))) if isinstance(found, Choice) else str(found)


def step(machine: Machine, optimizer: Value) -> None:
    """`optimizer.step()`."""
    every = captured(machine, optimizer)
    for one in _captured(machine, optimizer):
        if isinstance(one, Obj) and "@perhaps" in one.fields:
            place = one.fields["@perhaps"][1]
            message = f"steps parameters of before the move at {place}, unless they were there already"
            say(machine, LATEST, Verdict.OPEN, message, optimizer.site)
    whole = all("@replaced" in one.fields for one in each_parameter(machine, every))
    for one in each_parameter(machine, every):
        replaced = machine.facts.settle(one.fields.get("@replaced", ABSENT))
        for moved in replaced if isinstance(replaced, Choice) else (replaced,):
            if isinstance(moved, Site):
                message = f"steps parameters of before the move at {moved}: the network that runs never changes"
                if not whole:
                    message = f"steps some parameters of before the move at {moved}: those that run never change"
                say(machine, LATEST, Verdict.VIOLATED, message, optimizer.site)
        tied = machine.facts.settle(one.fields.get(PARTED, ABSENT))
        if isinstance(tied, Obj) and any(tied is other for other in every):
            message = "two parameters that were one before the move are trained apart"
            say(machine, LATEST, Verdict.VIOLATED, message, optimizer.site)
    gradients = frozenset((one.site, _one(machine, one, "@grad", NONE)) for one in each_parameter(machine, every))
    unclear = optimizer.fields.get("@unclear", ()) if isinstance(optimizer, Obj) else ("an optimizer",)
    unclear = unclear or (() if every else ("no parameter was seen in what it was given",))
    where = optimizer.site if isinstance(optimizer, Obj) else machine.site
    if machine.cuda:
        met(machine)  # its gradients will be averaged
    happen(machine, "step", Step(where, gradients, several(machine), unclear if isinstance(unclear, tuple) else ()))
    happen(machine, "begun alone", (where, frozenset(_begun_alone(machine, every))))
    if machine.watcher is not None:
        where_now = [machine.facts.settle(one.fields.get("@device")) for one in each_parameter(machine, every)]
        averaged = not several(machine) and any(MEAN in one.split("/") for _, one in gradients)
        machine.watcher.step(any(one in ACCELERATORS for one in where_now), averaged)
        machine.watcher.masters.step(machine, each_parameter(machine, every))
    work(machine, "step", each_parameter(machine, every))
    machine.heap.write(machine.world, "steps", Least(machine.world.fields["steps"] + 1))
    _pass_on(machine, every)
    for one in each_parameter(machine, every):
        machine.heap.write(one, "@stepped", True)


def _pass_on(machine: Machine, every: Iterable[Value]) -> None:
    """Parameters depend on the gradients they were stepped with: on a collective that is pending, on local data."""
    for one in each_parameter(machine, every):
        gradient = machine.facts.settle(one.fields.get("@grad", NONE))
        local = frozenset({LOCAL}) if gradient == LOCALLY and several(machine) else NO_TAINTS
        taints = one.fields.get("@grad taints", NO_TAINTS)
        if local or taints:
            held = one.fields.get("@taints", NO_TAINTS)
            known = held if isinstance(held, frozenset) else NO_TAINTS
            machine.heap.write(one, "@taints", known | local | (taints if isinstance(taints, frozenset) else NO_TAINTS))


def zero(machine: Machine, given: Value, kept: bool = False) -> None:
    """Gradients are forgotten; `kept` ones are zeros, to which the next backward adds in place."""
    every = given_to(machine, given)
    happen(machine, "zero", frozenset(one.site for one in each_parameter(machine, every)))
    for one in each_parameter(machine, every):
        machine.heap.write(one, "@grad", NONE)
        machine.heap.write(one, "@added", ALWAYS if kept else "")
        if "@clipped" in one.fields:
            machine.heap.write(one, "@clipped", False)


def on_accelerator(machine: Machine, module: Value) -> bool | None:
    """Whether a module's parameters are on the accelerator; None when that is not known, or some are and some not."""
    every = each_parameter(machine, parameters(machine, module))
    found = {machine.facts.settle(one.fields.get("@device")) for one in every}
    if found and found <= set(ACCELERATORS):
        return True
    return False if HOST in found and not found & set(ACCELERATORS) else None
