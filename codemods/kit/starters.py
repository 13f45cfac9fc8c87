"""Processes that a script starts by itself, one for each GPU: `subprocess.Popen([sys.executable, ...])` in a loop, or
`Process(target=worker, args=(rank, size)).start()`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.environment import TORCHRUN
from codemods.kit.launch import Launch
from codemods.kit.names import argument
from codemods.kit.options import text
from codemods.kit.ranks import DEVICE_COUNTS
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script

_STARTS = ("subprocess.Popen", "subprocess.run", "subprocess.call", "subprocess.check_call", "os.system")
_PROCESSES = ("torch.multiprocessing.Process", "multiprocessing.Process")
_CONTEXTS = ("torch.multiprocessing.get_context", "multiprocessing.get_context")

_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
_RANK_OPTION = re.compile(r"--(?:local[_-])?rank\b")


def starters(script: Script) -> list[cst.Call]:
    """The calls that start a process for each rank: in loops over the number of GPUs, or told their ranks."""
    found = []
    for call in script.calls(*_STARTS):
        loop = script.tree.loop(call) or script.tree.enclosing(call, *_COMPREHENSIONS)
        counted = isinstance(loop, cst.For) and counts_of(script, loop.iter)
        if loop is not None and (counted or _tells_ranks(script, call, loop)):
            found.append(call)
    return [*found, *process_loops(script)]


def _tells_ranks(script: Script, call: cst.Call, loop: cst.CSTNode) -> bool:
    """Whether processes started in a loop are told which of them they are, as torch.distributed.launch tells them:
    their environment gets a RANK, or their command line `--local_rank=1`."""
    function = script.tree.function(call)
    for node in walk(function.body if function is not None else script.module):
        if isinstance(node, cst.AssignTarget) and isinstance(node.target, cst.Subscript):
            index = node.target.slice[0].slice
            name = text(index.value) if isinstance(index, cst.Index) else ""
        elif isinstance(node, cst.DictElement):
            name = text(node.key)
        else:
            name = node.keyword.value if isinstance(node, cst.Arg) and node.keyword is not None else ""
        if name in TORCHRUN:
            return True
    texts = (node for node in walk(loop) if isinstance(node, cst.SimpleString | cst.FormattedStringText))
    return any(_RANK_OPTION.match(t.value if isinstance(t, cst.FormattedStringText) else text(t)) for t in texts)


def process_loops(script: Script) -> list[cst.Call]:
    """`Process(target=worker, args=(rank, ...))` in a loop over a number, in a script that joins a process group: its
    processes are those of the group. After the migration nothing joins one."""
    grouped = script.launch.kind is Launch.ENVIRONMENT or "torch_xla" in script.names.modules
    if not grouped or "Process(" not in script.tree.source:
        return []
    found = []
    for call in script.tree.all(cst.Call):
        loop = script.tree.loop(call) if _makes_a_process(script, call) else None
        passed = argument(call, 3, "args")
        if not isinstance(loop, cst.For) or not isinstance(loop.target, cst.Name) or passed is None:
            continue
        elements = passed.value.elements if isinstance(passed.value, cst.Tuple | cst.List) else ()
        numbered = any(isinstance(e.value, cst.Name) and e.value.value == loop.target.value for e in elements)
        if numbered and isinstance(loop.iter, cst.Call) and script.qualified(loop.iter.func) == "builtins.range":
            found.append(call)
    return found


def _makes_a_process(script: Script, call: cst.Call) -> bool:
    """`mp.Process(...)`, also of `context = mp.get_context("spawn")`."""
    if script.qualified(call.func) in _PROCESSES:
        return True
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "Process":
        return False
    held = [binding.value for binding in script.names.bindings(call.func.value)]
    made = [value for value in (call.func.value, *held) if isinstance(value, cst.Call)]
    return any(script.qualified(value.func) in _CONTEXTS for value in made)


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
