"""Primitives of tensors: their attributes and methods, and what changes them in place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from codemods.kit.meaning import graph, lone, masters, parameters, precision, steps, weights
from codemods.kit.meaning.choices import key_of, options_of
from codemods.kit.meaning.graph import happen
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import LATEST, MEETING, Verdict
from codemods.kit.meaning.sizes import sized
from codemods.kit.meaning.tensors import ACCELERATORS, HOST, combine, gather, is_tensor, swap_data
from codemods.kit.meaning.values import (
    BY_WORLD,
    DRAWN,
    ELEMENTS,
    FROZEN,
    LOCAL,
    OF_ALL,
    RAGGED,
    RANK,
    Choice,
    Function,
    Key,
    Obj,
    Sym,
    Value,
    container,
    data_of,
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
_SHAPED = {"roll", "narrow", "select", "repeat", "expand", "triu", "tril", "diagonal", "unfold", "topk", "kthvalue"}
"""Methods whose numbers are constants of the graph."""
_READS_SIZE = {"narrow", "repeat", "expand", "view", "reshape", "topk", "split"}
"""Methods of whose numbers one may be a tensor: tried on torch_xla 2.1.0 and 2.9.0."""
_RANDOM = {"normal_", "uniform_", "random_", "exponential_"}
_PLAIN = {"dtype", "ndim", "layout", "is_sparse", "itemsize", "nbytes", "names", "grad_fn", "is_floating_point"}
_DYNAMIC = {"nonzero", "masked_select", "unique", "unique_consecutive"}


def method(machine: Machine, tensor: Obj, name: str) -> Value:
    """An attribute of a tensor that the model does not name: a number, or a tensor that can also be called."""
    if name in _PLAIN:
        return machine.symbol(name)
    made = combine(machine, (tensor,), keeps=True, typed=True)
    made.fields["@method"] = (tensor, name)
    return made


def called(machine: Machine, tensor: Obj, *given: Value, **more: Value) -> Value:
    """A tensor's method is called."""
    base, name = tensor.fields.get("@method", (tensor, "__call__"))
    values = (base, *given, *more.values())
    if machine.watcher is not None:
        machine.watcher.compute(str(name), (base,))
    if name in _SHAPED | _READS_SIZE:
        read_too = name in _READS_SIZE
        sized(machine, f".{name}()", (one for one in values[1:] if read_too or isinstance(one, Sym)), base)
    if name == "repeat_interleave":
        repeated(machine, base, *given, **more)
    if name in _DYNAMIC:
        happen(machine, "dynamic shape", f".{name}()")
    if name.endswith("_") and not name.endswith("__"):
        absorb(machine, base, *given, *more.values(), *_drawn_here(machine, name))
        if name == "div_" and given and "gradient" not in graph.taints_of(base):
            if BY_WORLD in weights.divided_by(given[0]):
                happen(machine, "mean")
            machine.heap.write(base, "@taints", graph.taints_of(base) | weights.divided_by(given[0]))
        return base
    if name in ("unbind", "chunk", "split", "tensor_split"):
        return machine.new("list", {ELEMENTS: (_view(machine, base, values), _view(machine, base, values))})
    if name in ("max", "min", "topk", "sort", "mode", "median", "kthvalue") and (given or more):
        return (combine(machine, (base,), typed=True), combine(machine, values, low=False))
    if name in ("eq", "ne", "gt", "lt", "ge", "le", "isnan", "logical_not", "bool"):
        return combine(machine, values, boolean=True, keeps=True, low=False)
    low = precision.after_operation(machine, name, gather(machine, values).tensors)
    return combine(machine, values, meets=name in _MEETS, keeps=name in _KEEPS | _MEETS, low=low)


def repeated(machine: Machine, tensor: Obj, repeats: Value = None, *given: Value, **more: Value) -> None:
    """`torch.repeat_interleave`: by a tensor, how long it becomes depends on values, unless that is said."""
    repeats = machine.facts.settle(more.get("repeats", repeats))
    if (repeats is None or is_tensor(repeats)) and machine.facts.settle(more.get("output_size")) is None:
        sized(machine, "repeat_interleave()", (tensor if repeats is None else repeats,), tensor)


def _drawn_here(machine: Machine, name: str) -> tuple[Value, ...]:
    """What a method puts in that fills a tensor with random numbers."""
    return (weights.drawn(machine, machine.new("Tensor", {"@scalar": True})),) if name in _RANDOM else ()


def _view(machine: Machine, base: Obj, values: tuple[Value, ...]) -> Obj:
    """A part of a tensor that shares its memory."""
    made = combine(machine, values, typed=True)
    for one in options_of(machine.facts, made):
        one.fields["@view"] = base
    return made  # type: ignore[no-any-return]


def _made_on_host(machine: Machine, tensor: Obj, *given: Value) -> None:
    """`torch.Tensor(2, 3)`; a parameter is made of what has a place."""
    if not is_a(tensor, "torch.nn.Parameter"):
        machine.heap.write(tensor, "@device", HOST)
        absorb(machine, tensor, *given)


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
        for one in given:
            _put_average(machine, tensor.fields["@gradient"], one)
    weights.drawn_into(machine, tensor, given)
    made = combine(machine, (tensor, *given), meets=True, keeps=True)
    traits = gather(machine, (made,))
    own = is_a(tensor, "torch.nn.Parameter")  # stepped by hand it is no gradient, and it remembers no graph
    if own and graph.loops(machine):
        happen(machine, "written weights", tensor.site)
    if not own:
        machine.heap.write(tensor, "@deps", traits.deps)
    machine.heap.write(tensor, "@taints", traits.taints - {"gradient", DRAWN} if own else traits.taints)
    _stay(machine, tensor, parameters.device_kind(machine, made))
    lone.compute(machine, tensor)


def _copied_into(machine: Machine, tensor: Obj, other: Value) -> None:
    """`tensor.copy_(other)`"""
    if isinstance(tensor.fields.get("@gradient"), Obj):
        masters.put(machine, tensor.fields["@gradient"], other)
    absorb(machine, tensor, other)


def _stay(machine: Machine, tensor: Obj, device: Value) -> None:
    """A tensor changed in place stays where it is; on the host it waits for the values of the device."""
    own = machine.facts.settle(tensor.fields.get("@device"))
    if own is None:
        machine.heap.write(tensor, "@device", device)
    elif own == HOST and device in ACCELERATORS and not machine.cuda:
        graph.read(machine, tensor, "a change of a tensor on the host")
        # what is copied once, before anything was stepped, does not follow it
        if is_a(tensor, "torch.nn.Parameter") and machine.record.of("step"):
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
        masters.put(machine, tensor, value)
        _put_average(machine, tensor, value)
        machine.heap.write(tensor, "@added", "")
    else:
        machine.heap.write(tensor, name, value)


def gradient(machine: Machine, tensor: Obj) -> Value:
    """`tensor.grad`: what is done to it is done to the parameter's gradient."""
    made = combine(machine, (tensor,), taints=masters.taints_of_gradient(machine, tensor), keeps=True)
    made.fields["@gradient"] = tensor
    return made


def without_gradients(machine: Machine, function: Value) -> Value:
    """A function that remembers nothing for backward."""
    return replace(function, marks=function.marks | {"no_grad"}) if isinstance(function, Function) else function


def forget(machine: Machine, tensor: Value) -> None:
    """A tensor that was just made depends on no parameters any more."""
    for each in options_of(machine.facts, tensor):
        each.fields["@deps"] = frozenset()
        each.fields["@taints"] = frozenset(one for one in graph.taints_of(each) if not _is_frozen(one))


def _is_frozen(taint: Any) -> bool:
    return isinstance(taint, tuple) and taint[0] == FROZEN


def by_option(machine: Machine) -> str:
    """The options that are assumed here, in words; empty when there are none."""
    said = [words for key, held in machine.facts.assumed if (words := _of_option(key, held))]
    return f" when {' and '.join(said)}" if said else ""


def _of_option(key: Key, held: bool) -> str:
    match key:
        case (str(name),) if name.startswith("option "):
            return f"{name.removeprefix('option ')} is {'set' if held else 'not set'}"
        case ("is", (str(name),), None) if name.startswith("option "):
            return f"{name.removeprefix('option ')} is {'not set' if held else 'set'}"
    return ""


def for_host(machine: Machine, tensor: Obj, how: Value) -> None:
    """Something that only tensors of the host have is asked of one."""
    if machine.facts.settle(tensor.fields.get("@device")) in ACCELERATORS:
        option = by_option(machine)
        message = f"{how} is asked of a tensor on the accelerator: only one on the host has it{option}"
        graph.say(machine, MEETING, Verdict.OPEN if option else Verdict.VIOLATED, message, tensor.site)


def first(machine: Machine, *given: Value) -> Value:
    """What max() or any() gives: a tensor of tensors, a symbol of the rest."""
    if machine.facts.settle(machine.world.fields.get("collating")) is True:
        return machine.symbol("the longest of a batch", frozenset({RAGGED}))
    values = machine.elements(given[0]) if len(given) == 1 and not is_tensor(given[0]) else list(given)
    traits = gather(machine, values)
    if any(is_tensor(one) for one in traits.tensors):
        if len(given) == 1 or len(values) > 1:
            graph.read(machine, tuple(values), "a comparison")
        return combine(machine, values, numbers=True)
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


def _reduced(machine: Machine, tensor: Obj, mean: Value) -> Value:
    """A new tensor with what all processes have of one: it is a gradient's average once it is put there."""
    made = combine(machine, (tensor,), keeps=True)
    pending = frozenset() if machine.cuda else graph.generation(machine)
    taints = (masters.averaged(graph.taints_of(made)) - {LOCAL, RANK}) | pending
    taints |= {OF_ALL} if data_of(taints) else frozenset()
    made.fields.update({"@taints": taints, _AVERAGE: mean is True})
    return made


def _put_average(machine: Machine, tensor: Obj, value: Value) -> None:
    """A gradient becomes what was reduced of one."""
    if isinstance(value, Obj) and _AVERAGE in value.fields:
        steps.reduce(machine, tensor, value.fields[_AVERAGE])


_AVERAGE = "@mean"
"""The field of what was reduced out of place: whether it is a mean."""

PRIMITIVES: dict[str, Any] = {
    "method": method,
    "called": called,
    "repeated": repeated,
    "sized": lambda machine, what, made, *numbers: sized(machine, what, numbers, made),
    "absorb": absorb,
    "copied_into": _copied_into,
    "drawn": weights.drawn,
    "reduced": _reduced,
    "alike": lambda machine, value: combine(machine, (value,), keeps=True, typed=True, same=True),
    "widened": lambda machine, value: combine(machine, (value,), keeps=True, low=False),
    "set_tensor_attribute": set_tensor_attribute,
    "forget": forget,
    "gradient": gradient,
    "without_gradients": without_gradients,
    "for_host": for_host,
    "tensor_or_first": first,
    "is_number": _is_number,
    "is_empty": _is_empty,
    "made_on_host": _made_on_host,
    "is_function": lambda machine, given: isinstance(machine.facts.settle(given), Function),
}
