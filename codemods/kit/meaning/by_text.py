"""What a text names: `getattr(owner, text)`, `eval(text)`, and `globals()[text]`."""

from __future__ import annotations

import ast
from functools import lru_cache

from codemods.kit.meaning.choices import key_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.picking import one_of, picks_apart
from codemods.kit.meaning.texts import begins
from codemods.kit.meaning.values import Choice, ClassValue, Function, Item, Obj, Sym, Value, is_a

_KINDS = ("torch.nn.Module", "torch.utils.data.Dataset")


def evaluated(machine: Machine, text: Value, *scopes: Value) -> Value:
    """`eval(text)`. Of a text that an option gives: the networks or the data sets that have a name where it stands, or
    the files of networks."""
    text = machine.facts.settle(text)
    if isinstance(text, Choice):
        return machine.each(text, lambda one: evaluated(machine, one, *scopes))
    if isinstance(text, str) and not scopes:
        expression = _expression(text.strip())
        return machine.evaluate(expression) if expression is not None else machine.unknown("eval")
    start, dot, rest = begins(text).rpartition(".") if isinstance(text, Sym) else ("", "", "")
    owner = evaluated(machine, start) if dot else machine.frame.module
    named = that_begin(owner, rest) if isinstance(text, Sym) else []
    if not named:
        return machine.unknown("eval")
    return one_of(machine, ("eval", key_of(text)), named, picks_apart(machine, text))


def variables(machine: Machine) -> Value:
    """`globals()`, as it is read."""
    module = machine.frame.module
    fields = _of_one_kind(module) or module.fields
    return machine.new("dict", {Item(name): one for name, one in fields.items() if str(name).isidentifier()})


def that_begin(owner: Value, start: str) -> list[Value]:
    """What a name may mean of which only the beginning is known: the layers of a network; the functions and classes of
    a file that begin so, and where nothing is known of it, its networks or its data sets."""
    if is_a(owner, "torch.nn.Module"):
        layers = [(str(field), one) for field, one in owner.fields.items() if is_a(one, "torch.nn.Module")]
        return [one for field, one in layers if field.startswith(start)] or [one for _, one in layers]
    if not isinstance(owner, Obj) or owner.cls != "module":
        return []
    if not start:
        return list(dict.fromkeys(_of_one_kind(owner).values()))
    named = [one for field, one in owner.fields.items() if str(field).startswith(start)]
    return [one for one in dict.fromkeys(named) if isinstance(one, (Function, ClassValue))]


@lru_cache(maxsize=256)
def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _of_one_kind(module: Obj) -> dict[str, Value]:
    """The networks that have a name in a file of the program's, or the data sets, or the files of networks; nothing
    where there are networks and data sets."""
    every = {str(name): one for name, one in module.fields.items()}
    groups: list[dict[str, Value]] = [{name: one for name, one in every.items() if _is(one, kind)} for kind in _KINDS]
    groups = [group for group in groups if group] or [{name: one for name, one in every.items() if _of_networks(one)}]
    return groups[0] if len(groups) == 1 else {}


def _is(value: Value, kind: str) -> bool:
    """Whether it is a class of the program's of this kind."""
    own = isinstance(value, ClassValue) and value.module.partition(".")[0] not in ("torch", "torchvision")
    return own and kind in value.qualified


def _of_networks(value: Value) -> bool:
    """A file of the program's that defines a network."""
    own = isinstance(value, Obj) and value.cls == "module" and not value.fields.get("__model__")
    return own and any(_is(one, _KINDS[0]) for one in value.fields.values())
