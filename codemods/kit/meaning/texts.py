"""Values that are written into a text: tensors among them are read, objects tell themselves."""

from __future__ import annotations

from codemods.kit.meaning.graph import read
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.tensors import gather, is_tensor
from codemods.kit.meaning.values import ELEMENTS, Choice, ClassValue, Function, Obj, Sym, Value, container


def text_of(machine: Machine, values: tuple[Value, ...], how: str, begins: str = "") -> Value:
    """A text that values were written into."""
    traits = gather(machine, values)
    if traits.tensors:
        read(machine, values, how)
    for one in values:
        tell(machine, one)
    taints = frozenset(one for one in traits.taints if not isinstance(one, tuple))
    return Sym(("text", begins, how, machine.heap.serial()), taints)


def tell(machine: Machine, value: Value) -> None:
    """An object of the program's is written out in its own words, with whatever it reads for them."""
    value = machine.facts.settle(value)
    if isinstance(value, Choice):
        machine.each(value, lambda one: tell(machine, one))
    elif isinstance(value, tuple):
        for one in value:
            tell(machine, one)
    elif isinstance(value, Obj) and isinstance(value.cls, ClassValue) and not is_tensor(value):
        words = [value.cls.find(name) for name in ("__format__", "__str__", "__repr__")]
        own = next((one for one in words if isinstance(one, Function)), None)
        if own is not None:
            machine.call(own, value)
        elif container(value):
            held = machine.facts.settle(value.fields.get(ELEMENTS, ()))
            tell(machine, held if isinstance(held, tuple) else ())


def begins(text: Sym) -> str:
    """How a text begins that is not known as a whole: `"cuda:"` of `f"cuda:{rank}"`, also when added up."""
    match text.key:
        case ("text", str(first), *_) | ("Add", ("const", "str", str(first)), *_):
            return first
    return ""
