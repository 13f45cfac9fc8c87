"""The heap: every change of an object is written down, so that a branch can be taken back and joined with another.

A branch runs on the one heap; `take_back` collects what it wrote and undoes it. Joining looks only at what some branch
wrote. Variables are fields of their scope's object, so that they join like everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from codemods.kit.meaning.values import ABSENT, ELEMENTS, Obj, Value

Place = tuple[Obj, Any]
"""An object and the name of a field."""


class Writes(NamedTuple):
    """What one path wrote since a mark, and what stood there before."""

    now: dict[Place, Value]
    before: dict[Place, Value]
    serial: int = 0
    """Objects with a higher number were made on this path: the other paths do not know them."""


class Mark(int):
    """A place in the journal, with the number of the last object made before it, which no journal holds."""

    serial = 0


NOWHERE = Mark(0)


class Heap:
    """The journal of all changes."""

    def __init__(self, made: int = 0) -> None:
        self._journal: list[tuple[Obj, Any, Value]] = []
        self._serial = made

    def serial(self) -> int:
        """A number no other object has."""
        self._serial += 1
        return self._serial

    def write(self, target: Obj, name: Any, value: Value) -> None:
        """Set a field; ABSENT removes it."""
        fields = target.fields
        old = fields.get(name, ABSENT)
        if old is value:
            return
        self._journal.append((target, name, old))
        if value is ABSENT:
            fields.pop(name, None)
        else:
            fields[name] = value

    def mark(self) -> Mark:
        """Where the journal stands."""
        mark = Mark(len(self._journal))
        mark.serial = self._serial
        return mark

    def written_since(self, mark: Mark) -> Writes:
        """What was changed since a mark, as it is now and as it was."""
        before: dict[Place, Value] = {}
        for target, name, old in self._journal[mark:]:
            before.setdefault((target, name), old)
        now = {place: place[0].fields.get(place[1], ABSENT) for place in before}
        return Writes(now, before, mark.serial)

    def undo(self, mark: Mark) -> None:
        """Everything is as it was at the mark."""
        journal = self._journal
        while len(journal) > mark:
            target, name, old = journal.pop()
            if old is ABSENT:
                target.fields.pop(name, None)
            else:
                target.fields[name] = old

    def take_back(self, mark: Mark) -> Writes:
        """Collect what was written since a mark, and undo it."""
        writes = self.written_since(mark)
        self.undo(mark)
        return writes

    def put(self, writes: Writes) -> None:
        """Write again what was taken back."""
        for (target, name), value in writes.now.items():
            self.write(target, name, value)

    def join(self, paths: Sequence[Writes], join: Callable[[Sequence[Value]], Value]) -> None:
        """Make the state that holds after one of several paths, all taken back to where the heap stands now.

        `join` makes one value of those that the paths hold, in their order.
        """
        if len(paths) == 1:
            self.put(paths[0])
            return
        places = {place: None for path in paths for place in path.now}
        first = min(path.serial for path in paths)
        for place in places:
            if place[0].serial > first:
                knows = [path.now[place] for path in paths if place in path.now]
                if len(knows) == 1:
                    self.write(place[0], place[1], knows[0])
                    continue
            old = place[0].fields.get(place[1], ABSENT)
            values = [path.now.get(place, old) for path in paths]
            self.write(
                place[0], place[1], values[0] if all(v is values[0] for v in values) else _joined(place, values, join)
            )


_SETS = ("@deps", "@taints")
"""Fields that hold what may be: after several paths, what any of them left."""


def _joined(place: Place, values: list[Value], join: Callable[[Sequence[Value]], Value]) -> Value:
    if place[1] in _SETS:
        return frozenset[Any]().union(*(one for one in values if isinstance(one, frozenset)))
    if place[1] == ELEMENTS:  # a list into which a path put nothing is empty there
        return join([() if one is ABSENT else one for one in values])
    return join(values)
