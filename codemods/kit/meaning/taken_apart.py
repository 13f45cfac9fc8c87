"""What a device loader does not hand out as it was.

torch_xla takes a batch apart to move its tensors and puts it together again, keys of dicts included (utils/utils.py
`_for_each_instance_rewrite`, 1.11 to 2.9; what follows was tried on 2.1 and 2.9). Tuples become lists, so a tuple for a
key is an error in the loader's thread: the loop fails (2.x) or waits for ever (1.x). Subclasses of list, tuple and dict
become those, without what their class adds. What has no `__dict__` keeps its tensors on the host, and a batch that is
None ends the loop. Members of an Enum and classes, as keys or anywhere else, are copied as if they were objects, which
fails. So are tensors that are on the device already: it brings each to the host, in threads of its own, while the step
executes. 2.9 fails in the first epoch, 2.1 waits for ever.
"""

from __future__ import annotations

from typing import Any

from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.tensors import ACCELERATORS, is_tensor, is_unknown
from codemods.kit.meaning.values import ABSENT, ELEMENTS, REST, Choice, ClassValue, Item, Obj, Value, container, is_a
from codemods.kit.meaning.words import MOVED, NAMED

KEYS = "the keys of its batches are tuples, which become lists"
ENUMS = "its batches hold members of an Enum or classes, which cannot be copied"
PLAIN = "its batches lose their class"
STAYS = "tensors of its batches stay on the host"
ENDS = "a batch that is None ends the loop"
WHY = "@taken apart"
"""The field of a batch that says which of these it is."""
_DEEP = 4
_KEPT = ("list", "dict", "set", "OrderedDict", "defaultdict", "Counter", "UserDict")


def why_not(machine: Machine, batch: Value, depth: int = 0) -> str:
    """Why a device loader does not hand out a batch as it was; empty where it does, or where that is not known."""
    batch = machine.facts.settle(batch)
    if isinstance(batch, Choice):
        found = [why_not(machine, one, depth) for one in batch]
        ends = ENDS if not depth and None in list(batch) else ""
        return next(filter(None, found), ends)
    if isinstance(batch, tuple):
        return _first(machine, batch, depth)
    if isinstance(batch, ClassValue) or is_a(batch, "enum.Enum"):
        return ENUMS
    if not isinstance(batch, Obj) or depth > _DEEP:
        return ""
    if is_tensor(batch) or is_unknown(batch):
        return MOVED if set(ACCELERATORS) & set(options_of(machine.facts, batch.fields.get("@device"))) else ""
    if WHY in batch.fields:
        return str(batch.fields[WHY])
    if isinstance(batch.cls, ClassValue) and (found_of_class := _of_class(batch, batch.cls)):
        return found_of_class
    keys = [field.key for field in batch.fields if isinstance(field, Item)]
    if container(batch) == "dict" and any(map(_is_tuple, keys)):
        return KEYS
    own = not container(batch)
    held = [
        one
        for name, one in batch.fields.items()
        if name in (ELEMENTS, REST) or isinstance(name, Item) or (own and isinstance(name, str) and name[0] not in "@_")
    ]
    return _first(machine, held, depth)


def _first(machine: Machine, values: Any, depth: int) -> str:
    return next(filter(None, (why_not(machine, one, depth + 1) for one in values)), "")


def _is_tuple(key: Any) -> bool:
    """Whether a key is a tuple, and not the number of an object that is one."""
    numbered = isinstance(key, tuple) and len(key) == 2 and key[0] in ("object", "id") and isinstance(key[1], int)
    return isinstance(key, tuple) and not numbered


def _of_class(batch: Obj, cls: ClassValue) -> str:
    if is_a(batch, "typing.NamedTuple") or cls.name == "_Named":
        return NAMED
    if cls.name in ("deque", "frozenset") or (not container(batch) and cls.find("__slots__") is not ABSENT):
        return STAYS
    return PLAIN if container(batch) in ("list", "dict") and cls.name not in _KEPT else ""
