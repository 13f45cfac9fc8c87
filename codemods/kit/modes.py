"""What says whether a program runs in one process or in several: `if opt["dist"]: init_process_group(...)`.

A person said it to each of several processes, on the command line or in a configuration, and left it out to train in
one. A launcher of torch_xla starts one process a device whatever it says: left as it is, what stands below it, the
broadcast of the weights and the shares of the data, is left out while gradients are averaged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.gradients import last_name
from codemods.kit.options import text
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.groups import ProcessGroup

_FOLLOWED = 4
"""Names that are followed to what they were given, one after the other."""
_WORDS = ("dist", "ddp", "launcher", "parallel", "multi", "single", "gpus", "n_gpu")
"""What is in the name of an option that chooses between one process and several."""
_LIBRARIES = frozenset(("torch", "os", "sys", "horovod", "smdistributed", "torch_xla", "mpi4py", "accelerate"))
"""What says by itself whether there are several: a program's own settings come from other files."""
_PARSES = ("parse_args", "parse_known_args")


@dataclass(frozen=True, eq=False)
class Mode:
    """One thing that says it, and where it can be set."""

    said: cst.BaseExpression
    """What says it: `opt["dist"]`, `args.distributed`."""
    place: cst.CSTNode | None
    """The line that it is set at; None where that is not known."""
    after: bool = True
    """Whether it is set below that line, and not above."""
    instead: bool = False
    """Whether that line gives it its value, and gives it another one."""
    asked: str = ""
    """How the condition spells it that the group is made under."""


def read_modes(group: ProcessGroup) -> list[Mode]:
    """Every mode by which the group is made, once each."""
    found: dict[tuple[cst.CSTNode, str], Mode] = {}
    for call in group.joined:
        for outer in group.tree.ancestors(call):
            if isinstance(outer, cst.If) and group.tree.function(outer) is group.tree.function(call):
                for mode in _of_test(group, outer, call):
                    found.setdefault((mode.place or mode.said, code_of(mode.said)), mode)
    return list(found.values())


def _of_test(group: ProcessGroup, chosen: cst.If, call: cst.Call) -> Iterator[Mode]:
    """The mode that a condition asks, under which a call makes the group."""
    tree, inside = group.tree, group.tree.contains(chosen.body, call)
    if inside and chosen.orelse is not None and any(tree.contains(chosen.orelse, one) for one in group.joined):
        return
    test = chosen.test
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not) and not inside:
        test, inside = test.expression, True
    said = [part for part in _parts(test) if _is_chain(part)] if inside else []
    found = ((part, _of_chain(group, part, chosen, 0)) for part in said)
    first = next(((part, mode) for part, mode in found if mode is not None), None)
    if first is not None:
        yield replace(first[1], asked=code_of(first[0]))
    elif not said and (constant := _set_in_arms(group, chosen, call)) is not None:
        yield Mode(constant, _outermost(group, chosen), asked=code_of(constant))
    elif not said and _is_option(group, chosen.test):
        yield Mode(chosen.test, None)


def _of_chain(group: ProcessGroup, said: cst.BaseExpression, place: cst.CSTNode, depth: int) -> Mode | None:
    """The mode that an expression is, which is asked at a place; None for what is no word of a person's."""
    option = group.ranks.options.read(said)
    if option is not None:
        default = code_of(option.default) if option.default is not None else ""
        switch = option.action == "store_true" or "bool" in option.type or (default == "False" and not option.type)
        return Mode(said, _parse_of(group, said) or place, _parse_of(group, said) is not None) if switch else None
    library = (group.names.qualified(said) or "").partition(".")[0]
    if depth > _FOLLOWED or group.ranks.quantity(said) is not None or library in _LIBRARIES:
        return None
    if group.ranks.launch.starts or _is_computed(group, said):
        return None  # it chooses whether the program starts them itself; or nothing can be put there
    given = _given(group, said)
    if not given:
        return _unset(group, said, place, depth)
    value = given[0].value
    if _is_constant(group, given):
        return Mode(said, place, after=False)
    if len(given) > 1 or not _is_chain(value):
        return Mode(said, given[0], instead=True) if len(given) == 1 and _is_parsed(value) else None
    return _of_chain(group, value, given[0], depth + 1)


def _unset(group: ProcessGroup, said: cst.BaseExpression, place: cst.CSTNode, depth: int) -> Mode | None:
    """The mode that nothing in sight is given to: of a configuration, or what callers pass."""
    if not isinstance(said, cst.Name):
        holder = said.value if isinstance(said, cst.Attribute | cst.Subscript) else said
        made = [one for one in _given(group, holder) if group.tree.function(one) is group.tree.function(place)]
        if ".freeze()" in group.tree.source:
            return Mode(said, None)  # nothing can be set there
        beside = made and group.tree.before(made[-1], place) and made[-1] in _above(group, place)
        return Mode(said, made[-1]) if beside else Mode(said, place, after=False)
    bindings = group.names.bindings(said)
    parameter = bindings[0].node if len(bindings) == 1 and isinstance(bindings[0].node, cst.Param) else None
    function = group.tree.enclosing(parameter, cst.FunctionDef) if parameter is not None else None
    if parameter is None or function is None:
        return None
    passed = [group.roles.parameter_argument(function, parameter, site) for site in group.roles.call_sites(function)]
    modes = [_of_chain(group, arg.value, arg, depth + 1) for arg in passed if arg is not None and _is_chain(arg.value)]
    known = [mode for mode in modes if mode is not None]
    if known and len(known) == len(passed):
        return known[0]
    worded = any(word in said.value.lower() for word in _WORDS)
    return Mode(said, None) if worded and not passed else None


def _set_in_arms(group: ProcessGroup, chosen: cst.If, call: cst.Call) -> cst.BaseExpression | None:
    """`dist` of `if args.launcher == "none": dist = False`, `else: dist = True; init_process_group(...)`."""
    line = group.tree.statement(call)
    beside = group.tree.block(line) if line is not None else ()
    for target in (one.targets[0].target for item in beside for one in _assigned(item) if code_of(one.value) == "True"):
        if _is_chain(target) and _is_constant(group, _given(group, target)):
            return target
    return None


def _is_option(group: ProcessGroup, test: cst.BaseExpression) -> bool:
    """Whether an option is compared that chooses between one process and several: `args.launcher != "none"`."""
    parts = [part for part in walk(test) if isinstance(part, cst.Attribute)]
    known = any(group.ranks.quantity(part) is not None for part in parts)
    options = [option.dest for part in parts if (option := group.ranks.options.read(part)) is not None]
    asks = known or "environ" in code_of(test) or "(" in code_of(test)
    return not asks and any(word in name.lower() for word in _WORDS for name in options)


def _is_computed(group: ProcessGroup, said: cst.BaseExpression) -> bool:
    """Whether an attribute is a property of a class of the file."""
    named = said.attr.value if isinstance(said, cst.Attribute) else ""
    return any(one.name.value == named and group.tree.class_of(one) for one in group.tree.all(cst.FunctionDef))


def _is_constant(group: ProcessGroup, given: list[cst.Assign]) -> bool:
    """Whether an option decides what is True and what False: not the environment, nor what is asked of a library."""
    around = {outer for one in given for outer in group.tree.ancestors(one) if isinstance(outer, cst.If)}
    asked = " ".join(code_of(outer.test).lower() for outer in around)
    worded = any(word in asked for word in _WORDS) and "environ" not in asked and "(" not in asked
    return worded and {code_of(one.value) for one in given} == {"True", "False"}


def _assigned(item: cst.CSTNode) -> list[cst.Assign]:
    """The assignments of a line."""
    smalls = item.body if isinstance(item, cst.SimpleStatementLine) else ()
    return [small for small in smalls if isinstance(small, cst.Assign)]


def _given(group: ProcessGroup, said: cst.BaseExpression) -> list[cst.Assign]:
    """The assignments that give an expression its value, in this file."""
    if isinstance(said, cst.Subscript):
        spelled = code_of(said).replace("'", '"')
        targets = (one for one in group.tree.all(cst.AssignTarget) if isinstance(one.target, cst.Subscript))
        here = (one for one in targets if group.tree.function(one) is group.tree.function(said))
        holders = [group.tree.parent[one] for one in here if code_of(one.target).replace("'", '"') == spelled]
    else:
        holders = [one.node for one in group.names.bindings(said) if one.kind == "assign" and not one.path]
    return [one for one in holders if isinstance(one, cst.Assign)]


def _parse_of(group: ProcessGroup, said: cst.BaseExpression) -> cst.CSTNode | None:
    """The call that parses the command line an option is read of."""
    holder = code_of(said.value) if isinstance(said, cst.Attribute) else ""
    return next((parse for parse, name in group.ranks.parses if code_of(name) == holder), None)


def _is_parsed(value: cst.BaseExpression) -> bool:
    """`parser.parse_args().dist`"""
    made = value.value if isinstance(value, cst.Attribute) else None
    return isinstance(made, cst.Call) and last_name(made) in _PARSES


def _is_chain(node: cst.BaseExpression) -> bool:
    """`name`, `args.dist`, `self.opt["dist"]`"""
    while isinstance(node, cst.Attribute | cst.Subscript):
        if isinstance(node, cst.Subscript) and not text(_index(node)):
            return False
        node = node.value
    return isinstance(node, cst.Name) and node.value not in ("True", "False", "None")


def _index(node: cst.Subscript) -> cst.CSTNode | None:
    element = node.slice[0].slice if len(node.slice) == 1 else None
    return element.value if isinstance(element, cst.Index) else None


def _parts(test: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What `and` joins."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        return [*_parts(test.left), *_parts(test.right)]
    return [test]


def _above(group: ProcessGroup, place: cst.CSTNode) -> set[cst.CSTNode]:
    """The statements beside a place and beside what holds it."""
    holders = [one for one in (place, *group.tree.ancestors(place)) if isinstance(one, cst.BaseStatement)]
    return {small for one in holders for item in group.tree.block(one) for small in _assigned(item)}


def _outermost(group: ProcessGroup, chosen: cst.If) -> cst.If:
    """The `if` whose `elif` one is."""
    while isinstance(above := group.tree.parent.get(chosen), cst.If) and above.orelse is chosen:
        chosen = above
    return chosen
