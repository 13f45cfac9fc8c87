"""Gradients that a backward left on other parameters than those an optimizer steps: float32 masters get theirs later.

The execution shows where a script looks at such gradients (`kit/meaning/masters`). They have to be averaged before
that, so they are listed as the script goes through them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.gradients import last_name
from codemods.kit.steps import Step
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script

_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.GeneratorExp)
_REPEATABLE = ("parameters", "named_parameters", "zip", "enumerate", "items", "values", "list", "tuple", "reversed")
"""Calls that give the same once more."""
_ONCE = ("parameters", "named_parameters", "zip", "enumerate", "filter", "map", "iter", "reversed")
"""Calls of which a name holds what can be gone through once."""


@dataclass(frozen=True)
class Listing:
    """How a script goes through parameters."""

    value: str
    """A parameter: `p`."""
    over: str
    """`for p in self.model_params`"""


def listing(script: Script, step: Step, place: cst.CSTNode) -> Listing | None:
    """The parameters of whose gradients those are made that a step uses, as they can be gone through at a place."""
    for use in _looks(script, step):
        found = _listed(script, use, step.others, place)
        if found is not None and script.roles.looks_early(use):
            return found
    return None


def _looks(script: Script, step: Step) -> Iterator[cst.Call | cst.Attribute]:
    """What looks at gradients in the function of a step, and in the functions that look for it."""
    tree = script.tree
    helpers = [script.names.local_function(use.func) for use in step.others if isinstance(use, cst.Call)]
    for function in (step.function, *helpers):
        around = function if function is not None else script.module
        yield from (read for read in tree.inside(around, cst.Attribute) if read.attr.value == "grad")
        yield from (call for call in tree.inside(around, cst.Call) if call in step.others)


def _listed(
    script: Script, use: cst.Call | cst.Attribute, calls: list[cst.CSTNode], place: cst.CSTNode
) -> Listing | None:
    if isinstance(use, cst.Call):
        given = use.args[0].value if use.args else None
        return Listing("p", f"for p in {code_of(given)}") if given and _is_repeatable(script, given, place) else None
    loops = list(reversed(list(_loops(script, use, place))))
    parts: list[str] = []
    for loop in loops:
        given = _given(script, loop.iter, calls, place)
        if given is None or (loop is loops[0] and not _is_repeatable(script, given, place)):
            return None
        written = f"for {code_of(loop.target)} in {code_of(given)}"
        tests = loop.ifs if isinstance(loop, cst.CompFor) else ()
        parts += [written, *(f"if {code_of(one.test)}" for one in tests)]
    return Listing(code_of(use.value), " ".join(parts)) if parts else None


def _loops(script: Script, use: cst.Attribute, place: cst.CSTNode) -> Iterator[cst.For | cst.CompFor]:
    """What goes through the parameters of which a gradient is read, innermost first."""
    tree = script.tree
    for outer in tree.ancestors(use):
        if isinstance(outer, cst.FunctionDef) or (tree.contains(outer, place) and outer is not place):
            return
        if isinstance(outer, _COMPREHENSIONS):
            chain = [outer.for_in]
            while chain[-1].inner_for_in is not None:
                chain.append(chain[-1].inner_for_in)
            yield from reversed(chain)
        elif isinstance(outer, cst.For) and tree.contains(outer.body, use):
            yield outer


def _given(
    script: Script, iterated: cst.BaseExpression, calls: list[cst.CSTNode], place: cst.CSTNode
) -> cst.BaseExpression | None:
    """What a loop goes through; in a function that is called for a step, what it is given there."""
    function = script.tree.function(iterated)
    if function is script.tree.function(place):
        return iterated
    params = script.names.bindings(iterated) if isinstance(iterated, cst.Name) else []
    param = params[0].node if len(params) == 1 else None
    call = next((one for one in calls if isinstance(one, cst.Call)), None)
    if function is None or not isinstance(param, cst.Param) or call is None:
        return iterated if _is_of_the_object(iterated) else None
    passed = script.roles.parameter_argument(function, param, call)
    return passed.value if passed is not None else None


def _is_of_the_object(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "self"


def _is_repeatable(script: Script, node: cst.BaseExpression, place: cst.CSTNode) -> bool:
    """Whether an expression can be evaluated at a place, and leaves as much to go through as before."""
    names = script.names
    for inner in walk(node):
        if isinstance(inner, cst.Call) and last_name(inner) not in _REPEATABLE:
            return False
        if isinstance(inner, cst.Name) and names.is_reference(inner):
            bindings = names.bindings(inner)
            if any(not isinstance(one.node, cst.Param) and not script.tree.before(one.node, place) for one in bindings):
                return False
            if any(isinstance(one.value, cst.Call) and last_name(one.value) in _ONCE for one in bindings):
                return False
    if not isinstance(node, cst.Name):
        return True
    bindings = names.bindings(node)
    uses = [name for name in names.named(node.value) if names.bindings(name) == bindings]
    return not any(isinstance(one.node, cst.Param) for one in bindings) or len(uses) > 1
