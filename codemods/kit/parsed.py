"""Where a script parses the command line while it is imported."""

from __future__ import annotations

import libcst as cst

from codemods.kit.command_line import parses
from codemods.kit.script import Script
from codemods.kit.tree import walk

_FOLLOWED = 3
"""Functions that are followed, one calling the other."""


def parsed_at_import(script: Script) -> list[cst.Call]:
    """The calls that parse the command line at module level, outside of `__main__`: themselves, or by a function of
    this file or of another one."""
    found = [call for call in script.tree.all(cst.Call) if _reaches(script, call, _FOLLOWED)]
    return [call for call in found if script.tree.function(call) is None
            and not any(script.is_main_guard(outer) for outer in script.tree.ancestors(call))]  # fmt: skip


def _reaches(script: Script, call: cst.Call, depth: int) -> bool:
    if parses(call) or script.tree.order[call] in script.links.parses:
        return True
    function = script.names.local_function(call.func) if depth else None
    inside = walk(function.body) if function is not None else ()
    return any(isinstance(node, cst.Call) and _reaches(script, node, depth - 1) for node in inside)
