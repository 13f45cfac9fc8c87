"""Files that one process writes and others read: whether the others wait until they are written.

Up to torch_xla 2.0 `xm.save` waits for all processes. Later it does not, and nothing waits for a copy of a file: who
reads it next may find none, or half of one.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.graph import WRITTEN, happen, met, several
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.values import RANK, Sym, Value, item_key

Written = tuple[tuple[object, int, bool], ...]
"""By file, the number of what writes it, and whether somebody may still wait for it."""


@dataclass
class ReadBack:
    """Follows the files of an original that one process will write."""

    _writes: list[tuple[ast.Call, tuple[ast.Call, ...], bool]] = field(default_factory=list)
    """The calls that write, those in progress then, and whether it is a checkpoint."""
    after: dict[ast.AST, bool] = field(default_factory=dict)
    """Calls that write what the statement they belong to reads: the processes have to meet after them. True: xm.save
    serves where it waits."""
    before: dict[ast.AST, bool] = field(default_factory=dict)
    """Calls that read what was written before: the processes have to meet above them."""
    _apart: set[ast.Call] = field(default_factory=set)
    """Calls that read, and to which one process alone comes."""

    def write(self, calls: list[ast.Call], checkpoint: bool) -> int:
        """A file is written; its number."""
        self._writes.append((calls[-1], tuple(calls), checkpoint))
        return len(self._writes) - 1

    def read(self, machine: Machine, call: ast.Call, numbers: list[int]) -> None:
        """A file is read that was written before."""
        if RANK in machine.taints_of_path():
            self._apart.add(call)
        for number in numbers:
            writing, progress, checkpoint = self._writes[number]
            if call in progress:
                self.after[writing] = self.after.get(writing, True) and checkpoint
            else:
                self.before[call] = self.before.get(call, True) and checkpoint

    def meetings(self) -> tuple[dict[ast.AST, bool], dict[ast.AST, bool]]:
        """Calls after which, and calls before which, the processes have to meet."""
        return self.after, {call: known for call, known in self.before.items() if call not in self._apart}


def write(machine: Machine, path: Value, by_one: bool, checkpoint: bool = True) -> None:
    """A file is written. `by_one`: by one process, whichever come here."""
    alone = RANK in machine.taints_of_path()
    one_for_all = machine.cuda and not several(machine)  # it drives all GPUs
    key = _key(path)
    if key is None:
        return
    number = 0
    if machine.watcher is not None and machine.watcher.captures.calls:
        number = machine.watcher.files.write(machine.watcher.captures.calls, checkpoint)
    machine.heap.write(machine.world, WRITTEN, (*_written(machine), (key, number, one_for_all or alone or by_one)))


def read(machine: Machine, path: Value) -> bool:
    """A file is read. Whether this program wrote it."""
    key = _key(path)
    written = [one for one in _written(machine) if one[0] == key] if key is not None else []
    numbers = [number for _, number, pending in written if pending]
    if numbers and several(machine) and RANK not in machine.taints_of_path():
        happen(machine, "read unwritten")
    if numbers and machine.watcher is not None and machine.watcher.captures.calls:
        machine.watcher.files.read(machine, machine.watcher.captures.calls[-1], numbers)
        met(machine)  # this is waited for
    return bool(written)


def _key(path: Value) -> object:
    return item_key(path) if isinstance(path, (str, Sym)) else None


def _written(machine: Machine) -> Written:
    every = options_of(machine.facts, machine.world.fields.get(WRITTEN, ()))
    return tuple(dict.fromkeys(one for option in every if isinstance(option, tuple) for one in option))
