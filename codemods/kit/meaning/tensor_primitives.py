"""Primitives of tensors and modules that models stand on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from codemods.kit.meaning import graph, parameters, steps
from codemods.kit.meaning.choices import key_of, options_of
from codemods.kit.meaning.graph import happen
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import LATEST, MEETING, READ, Verdict
from codemods.kit.meaning.tensors import ACCELERATORS, HOST, NO_DEPS, combine, gather, is_tensor, new_tensor, swap_data
from codemods.kit.meaning.values import (
    ELEMENTS,
    FROZEN,
    LOADED,
    NO_TAINTS,
    RAGGED,
    UNPLACED,
    Choice,
    Function,
    Item,
    Obj,
    Sym,
    Value,
    container,
    is_a,
)

_KEEPS = {
    "float",
    "double",
    "half",
    "bfloat16",
    "long",
    "int",
    "bool",
    "clone",
    "detach",
    "contiguous",
    "view",
    "reshape",
    "unsqueeze",
    "transpose",
    "permute",
    "t",
    "flatten",
    "expand",
    "repeat",
    "requires_grad_",
    "abs",
    "exp",
    "log",
    "sqrt",
    "clamp",
    "neg",
}
"""Methods whose result is no single number unless the tensor is one."""
_MEETS = {"add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_", "copy_"}
"""Methods of whose operands one may be on the host: tried on torch_xla 2.1.0 and 2.9.0."""
_PLAIN = {"dtype", "ndim", "layout", "is_sparse", "itemsize", "nbytes", "names", "grad_fn", "is_floating_point"}
_DYNAMIC = {"nonzero", "masked_select", "unique", "unique_consecutive"}


def method(machine: Machine, tensor: Obj, name: str) -> Value:
    """An attribute of a tensor that the model does not name: a number, or a tensor that can also be called."""
    if name in _PLAIN:
        return machine.symbol(name)
    made = combine(machine, (tensor,), keeps=True)
    made.fields["@method"] = (tensor, name)
    return made


def called(machine: Machine, tensor: Obj, *given: Value, **more: Value) -> Value:
    """A tensor's method is called."""
    base, name = tensor.fields.get("@method", (tensor, "__call__"))
    values = (base, *given, *more.values())
    if name in _DYNAMIC:
        happen(machine, "dynamic shape", f".{name}()")
    if name.endswith("_") and not name.endswith("__"):
        absorb(machine, base, *given, *more.values())
        return base
    if name in ("unbind", "chunk", "split", "tensor_split"):
        return machine.new("list", {ELEMENTS: (_view(machine, base, values), _view(machine, base, values))})
    if name in ("max", "min", "topk", "sort", "mode", "median", "kthvalue") and (given or more):
        return (combine(machine, values), combine(machine, values))
    if name in ("eq", "ne", "gt", "lt", "ge", "le", "isnan", "logical_not", "bool"):
        return combine(machine, values, boolean=True, keeps=True)
    return combine(machine, values, meets=name in _MEETS, keeps=name in _KEEPS | _MEETS)


def _view(machine: Machine, base: Obj, values: tuple[Value, ...]) -> Obj:
    """A part of a tensor that shares its memory."""
    made = combine(machine, values)
    for one in options_of(machine.facts, made):
        one.fields["@view"] = base
    return made  # type: ignore[no-any-return]


def absorb(machine: Machine, tensor: Value, *given: Value) -> None:
    """A tensor is changed in place by others."""
    if isinstance(tensor, Choice):
        machine.each(tensor, lambda one: absorb(machine, one, *given))
        return
    if not isinstance(tensor, Obj):
        return
    if isinstance(tensor.fields.get("@view"), Obj):
        happen(machine, "written view", tensor.fields["@view"].site)
        machine.heap.write(tensor.fields["@view"], "@gathered", True)
    if "@gradient" in tensor.fields:
        steps.rescaled(machine, tensor.fields["@gradient"], given)
    made = combine(machine, (tensor, *given), meets=True, keeps=True)
    traits = gather(machine, (made,))
    machine.heap.write(tensor, "@deps", traits.deps)
    own = is_a(tensor, "torch.nn.Parameter")  # a parameter that is stepped by hand is no gradient
    machine.heap.write(tensor, "@taints", traits.taints - {"gradient"} if own else traits.taints)
    _stay(machine, tensor, parameters.device_kind(machine, made))


def _stay(machine: Machine, tensor: Obj, device: Value) -> None:
    """A tensor changed in place stays where it is; on the host it waits for the values of the device."""
    own = machine.facts.settle(tensor.fields.get("@device"))
    if own is None:
        machine.heap.write(tensor, "@device", device)
    elif own == HOST and device in ACCELERATORS and not machine.cuda:
        graph.read(machine, tensor, "a change of a tensor on the host")
        if is_a(tensor, "torch.nn.Parameter"):
            message = "parameters on the host follow those of the device: they were copied before the move"
            graph.say(machine, LATEST, Verdict.OPEN, message, tensor.site)


def set_tensor_attribute(machine: Machine, tensor: Obj, name: str, value: Value) -> None:
    """`tensor.name = value`."""
    if name == "data" and isinstance(value, Obj):
        swap_data(machine, tensor, value)
        machine.heap.write(tensor, "@taints", graph.taints_of(value))
        if not is_a(tensor, "torch.nn.Parameter"):
            machine.heap.write(tensor, "@device", value.fields.get("@device"))
    elif name == "grad":
        if value is None:
            machine.heap.write(tensor, "@grad", "none")
        machine.heap.write(tensor, "@added", "")
    else:
        machine.heap.write(tensor, name, value)


def gradient(machine: Machine, tensor: Obj) -> Value:
    """`tensor.grad`: what is done to it is done to the parameter's gradient."""
    made = combine(machine, (tensor,), taints=frozenset({"gradient"}), keeps=True)
    if is_a(tensor, "torch.nn.Parameter"):
        made.fields["@gradient"] = tensor
    return made


def without_gradients(machine: Machine, function: Value) -> Value:
    """A function that remembers nothing for backward."""
    return replace(function, marks=function.marks | {"no_grad"}) if isinstance(function, Function) else function


def forget(machine: Machine, tensor: Obj) -> None:
    """A tensor that was just made depends on no parameters any more."""
    tensor.fields["@deps"] = frozenset()
    tensor.fields["@taints"] = frozenset(one for one in graph.taints_of(tensor) if not _is_frozen(one))


def _is_frozen(taint: Any) -> bool:
    return isinstance(taint, tuple) and taint[0] == FROZEN


def leaf(machine: Machine, module: Obj, *given: Value) -> Value:
    """A module of the library runs: its result depends on its parameters."""
    made = combine(machine, given)
    if isinstance(made, Choice):  # operands that are here or there: each is one case
        at = next(at for at, one in enumerate(given) if isinstance(machine.facts.settle(one), Choice))
        return machine.each(given[at], lambda one: leaf(machine, module, *given[:at], one, *given[at + 1 :]))
    device = machine.facts.settle(made.fields["@device"])
    own: list[Obj] = []
    held: list[Value] = []
    for one in parameters.each_parameter(machine, (value for _, value in parameters.slots(machine, module))):
        own.append(one)
        held.append(machine.facts.settle(one.fields.get("@device")))
        _meet(machine, module, held[-1], device, given)
    made.fields["@deps"] = (
        NO_DEPS
        if graph.no_grad(machine)
        else made.fields["@deps"] | frozenset(one for one in own if is_a(one, "torch.nn.Parameter"))
    )
    made.fields["@taints"] = made.fields["@taints"].union(*(_inherited(one) for one in own), NO_TAINTS)
    made.fields["@scalar"] = False if device is not None else None
    where = next((one for one in held if one is not None), None)
    if where is not None and isinstance(where, str):
        made.fields["@device"] = where
    return made


def _inherited(one: Value) -> frozenset[Any]:
    taints = graph.taints_of(one) if isinstance(one, Obj) else NO_TAINTS
    return frozenset(
        taint for taint in taints if taint != LOADED and not (isinstance(taint, tuple) and taint[0] in ("data", FROZEN))
    )


def _meet(machine: Machine, module: Obj, held: Value, device: Value, given: tuple[Value, ...]) -> None:
    """Say when a module and what goes into it are on different devices; with which option, if one decides that."""
    if held in ACCELERATORS and device == HOST and gather(machine, given).tensors:
        source = next((t.site for t in gather(machine, given).tensors), None)
        message = "a tensor on the host goes into a module on the accelerator"
    elif held == HOST and device in ACCELERATORS:
        source, message = module.site, "a tensor on the accelerator goes into a module that is still on the host"
    else:
        return
    option = by_option(machine)
    graph.say(machine, MEETING, Verdict.OPEN if option else Verdict.VIOLATED, message + option, source)


def by_option(machine: Machine) -> str:
    """The options that are assumed here, in words; empty when there are none."""
    said = [
        f"{str(key[0]).removeprefix('option ')} is {'set' if held else 'not set'}"
        for key, held in machine.facts.assumed
        if isinstance(key, tuple) and len(key) == 1 and str(key[0]).startswith("option ")
    ]
    return f" when {' and '.join(said)}" if said else ""


def for_host(machine: Machine, tensor: Obj, how: Value) -> None:
    """Something that only tensors of the host have is asked of one."""
    if machine.facts.settle(tensor.fields.get("@device")) in ACCELERATORS:
        option = by_option(machine)
        message = f"{how} is asked of a tensor on the accelerator: only one on the host has it{option}"
        graph.say(machine, MEETING, Verdict.OPEN if option else Verdict.VIOLATED, message, tensor.site)


def forwarded(machine: Machine, module: Obj, *given: Value) -> None:
    """A module is called: what runs on the device waits for a mark."""
    if not any(f.function is not None and f.function.name == "forward" for f in machine.frames):
        happen(machine, "forward", module.site)
        if graph.no_grad(machine):
            happen(machine, "only run", module.site)
        every = list(parameters.each_parameter(machine, parameters.parameters(machine, module)))
        held = ((one.site, machine.facts.settle(one.fields.get("@device"))) for one in every)
        happen(machine, "run", frozenset(one for one in held if isinstance(one[1], str)))
        inputs = gather(machine, given).tensors
        happen(machine, "devices", (_devices(machine, every), _devices(machine, inputs)))
        graph.work(machine, "forward", (*every, *inputs))


def _devices(machine: Machine, tensors: Iterable[Obj]) -> frozenset[Value]:
    """Where tensors may be; None among them where that is not known of one."""
    held = (machine.facts.settle(one.fields.get("@device")) for one in tensors)
    return frozenset(kind for one in held for kind in (one if isinstance(one, Choice) else (one,)))


def inner_modules(machine: Machine, module: Obj, deep: bool) -> Iterator[Obj]:
    """The modules in a module."""
    for name, value in list(module.fields.items()):
        value = machine.facts.settle(value)
        if name == "_children" and isinstance(value, Obj):
            every: list[Value] = list(machine.facts.settle(value.fields.get(ELEMENTS, ())) or ())
            every += [one for key, one in value.fields.items() if isinstance(key, Item)]
        else:
            every = list(value) if isinstance(value, Choice) else [value]
        for one in every:
            if is_a(one, "torch.nn.Module"):
                yield one
                if deep:
                    yield from inner_modules(machine, one, deep)


def _listed(machine: Machine, values: Any) -> Obj:
    return machine.new("list", {ELEMENTS: tuple(dict.fromkeys(values))})


def state_of(machine: Machine, owner: Obj) -> Value:
    """A state_dict: names and the tensors of a module, or of an optimizer."""
    happen(machine, "state", owner.site)
    made = machine.new("dict", {})
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
    wrapped = is_a(owner, "torch.nn.DistributedDataParallel") or is_a(owner, "torch.nn.DataParallel")
    loads = LOADED in gather(machine, (state,)).taints
    happen(machine, "load state", (owner.site, wrapped and loads))
    steps.made_equal(machine, parameters.parameters(machine, owner))
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


def unplaced(machine: Machine, state: Value) -> None:
    """Where what is loaded says nothing of it, CUDA's tensors stay on CUDA."""
    taints = gather(machine, (state,)).taints
    if not machine.cuda and LOADED in taints and UNPLACED in taints:
        message = "a checkpoint that was written on CUDA cannot be read without a map_location"
        graph.say(machine, READ, Verdict.OPEN, message)


def loaded(machine: Machine, path: Value, where: Value) -> Value:
    """What `torch.load` gives: on the host where map_location says so, else where it was saved."""
    happen(machine, "load")
    taints = frozenset({LOADED, UNPLACED}) if machine.facts.settle(where) is None else frozenset({LOADED})
    made = machine.unknown("what a checkpoint holds", taints)
    kind = parameters.device_kind(machine, where)
    made.fields["@device"] = kind
    made.fields["@scalar"] = None
    return made


def saved(machine: Machine, value: Value, how: Value) -> None:
    """A checkpoint is written."""
    happen(machine, "save", str(how))
    graph.read(machine, value, str(how))


def first(machine: Machine, *given: Value) -> Value:
    """What max() or any() gives: a tensor of tensors, a symbol of the rest."""
    if machine.facts.settle(machine.world.fields.get("collating")):
        return machine.symbol("the longest of a batch", frozenset({RAGGED}))
    values = machine.elements(given[0]) if len(given) == 1 and not is_tensor(given[0]) else list(given)
    traits = gather(machine, values)
    if any(is_tensor(one) for one in traits.tensors):
        if len(given) == 1 or len(values) > 1:
            graph.read(machine, tuple(values), "a comparison")
        return combine(machine, values)
    if values and all(isinstance(one, (int, float, str)) for one in values):
        return max(values, key=repr)
    plain = all(isinstance(one, (int, float, str, Sym)) for one in values) and len(values) < 4
    which = tuple(map(key_of, values)) if plain else (machine.heap.serial(),)
    return Sym(("one of", *which), traits.taints)


def _is_number(machine: Machine, value: Value) -> bool | None:
    value = machine.facts.settle(value)
    if isinstance(value, (bool, int, float)):
        return True
    return False if container(value) or isinstance(value, tuple) else None


def _is_empty(machine: Machine, value: Value) -> bool | None:
    value = machine.facts.settle(value)
    if isinstance(value, tuple) and len(value) == 1:
        inner = machine.facts.settle(value[0])
        return bool(inner == () or (isinstance(inner, Obj) and inner.fields.get(ELEMENTS, 1) == ()))
    return not value


PRIMITIVES: dict[str, Any] = {
    "method": method,
    "called": called,
    "absorb": absorb,
    "alike": lambda machine, value: combine(machine, (value,), keeps=True),
    "set_tensor_attribute": set_tensor_attribute,
    "forget": forget,
    "gradient": gradient,
    "without_gradients": without_gradients,
    "leaf": leaf,
    "modules": lambda machine, owner: _listed(machine, [owner, *inner_modules(machine, owner, True)]),
    "children": lambda machine, owner: _listed(machine, inner_modules(machine, owner, False)),
    "buffers": lambda machine, owner: _listed(machine, parameters.buffers(machine, owner)),
    "state_of": state_of,
    "load_state": load_state,
    "loaded": loaded,
    "unplaced": unplaced,
    "saved": saved,
    "for_host": for_host,
    "tensor_or_first": first,
    "is_number": _is_number,
    "is_empty": _is_empty,
}
