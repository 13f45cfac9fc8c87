"""Processes that a script starts by itself, one for each GPU: `subprocess.Popen([sys.executable, ...])` in a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.ranks import DEVICE_COUNTS
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script

_STARTS = ("subprocess.Popen", "subprocess.run", "subprocess.call", "subprocess.check_call", "os.system")


def starters(script: Script) -> list[cst.Call]:
    """The calls that start a process, in loops over the number of GPUs."""
    found = []
    for call in script.calls(*_STARTS):
        loop = script.tree.loop(call)
        if isinstance(loop, cst.For) and counts_of(script, loop.iter):
            found.append(call)
    return found


def counts_of(script: Script, iterated: cst.BaseExpression) -> list[cst.Call]:
    """The `torch.cuda.device_count()` behind `range(num_gpus)`; several when the number has several definitions."""
    counts = script.calls(*DEVICE_COUNTS)
    found = []
    for part in walk(iterated) if counts else ():
        held = script.names.bindings(part) if isinstance(part, cst.Name | cst.Attribute) else []
        values = [part, *(binding.value for binding in held if binding.value is not None)]
        found += [count for count in counts if any(script.tree.contains(value, count) for value in values)]
    return list(dict.fromkeys(found))


def counts_for_starters(script: Script) -> set[cst.Call]:
    """The counts of GPUs that say how many processes to start."""
    loops = (script.tree.loop(call) for call in starters(script))
    return {count for loop in loops if isinstance(loop, cst.For) for count in counts_of(script, loop.iter)}
