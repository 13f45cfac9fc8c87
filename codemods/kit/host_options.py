"""Options that keep the model on the host: `if args.cuda: model.cuda()`. The batches stay there with it.

Where all moves of a loop's batches and all moves of models stand under one option, the loader becomes a device loader
under that option only: a batch on the accelerator never meets a model on the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.meaning.words import HOST_DEVICE
from codemods.kit.names import argument
from codemods.kit.roles import Role, spelling
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.loops import BatchLoop
    from codemods.kit.script import Script

_AVAILABLE = ("torch.cuda.is_available", "torch.cuda.device_count")


def host_option(script: Script, loops: Sequence[BatchLoop], place: cst.CSTNode) -> str | None:
    """The condition under which the loaders of these loops feed the accelerator, as it can be written at a place.
    Empty where they always do, None where it cannot be written there."""
    tests = [(_test(script, move, loop.loop), loop) for loop in loops for move in _moves(script, loop)]
    asked = {_said(script, test) if test is not None else "" for test, _ in tests}
    if len(asked) != 1 or "" in asked or not _keeps_models(script, asked.copy().pop()):
        return ""
    written = {code_of(test): (test, loop) for test, loop in tests if test is not None}
    for text, (test, loop) in written.items():
        if len(written) == 1 and all(_is_seen(script, root, test, loop, place) for root in _roots(test)):
            return text
    return None


def has_options(script: Script) -> bool:
    """Whether a move to the accelerator stands under an option: without it things stay on the host."""
    return any(_test(script, move, None) is not None for move in script.loaders.moves)


def may_be_host(script: Script, loops: Sequence[BatchLoop]) -> str:
    """What the batches of these loops move to, where that is the host on some way, made by a statement of its own."""
    tree, meaning = script.tree, script.links.meaning
    for move in script.loaders.moves if meaning is not None else ():
        target = argument(move, 0, "device")
        if meaning is None or target is None or not any(tree.contains(loop.loop.body, move) for loop in loops):
            continue
        parts = meaning.parts.get((tree.statement_number(move), spelling(target.value)), ())
        accelerators = {part.made for part in parts if part.role == Role.DEVICE.value}
        if any(part.of == HOST_DEVICE and part.made not in accelerators for part in parts):
            return code_of(target.value)
    return ""


def _moves(script: Script, loop: BatchLoop) -> Iterator[cst.Call]:
    """Moves to the accelerator in a loop, and in the functions of the script that it calls."""
    tree, moves = script.tree, script.loaders.moves
    calls = tree.inside(loop.loop.body, cst.Call)
    called = {script.names.local_function(call.func) for call in calls} - {None}
    for move in moves:
        if tree.contains(loop.loop.body, move) or tree.function(move) in called:
            yield move


def _test(script: Script, move: cst.Call, within: cst.CSTNode | None) -> cst.BaseExpression | None:
    """The option that a move stands under inside of a loop, or of its function; None where it is always made."""
    node: cst.CSTNode = move
    for outer in script.tree.ancestors(move):
        if outer is within or isinstance(outer, cst.FunctionDef | cst.Module):
            return None
        if isinstance(outer, cst.If | cst.IfExp) and outer.body is node:
            if _is_option(outer.test) and _truth(script, outer.test) is None:
                return outer.test
        node = outer
    return None


def _is_option(test: cst.BaseExpression) -> bool:
    """Whether a condition asks plain values only: names, attributes, items, numbers and texts."""
    plain = (cst.Name, cst.Attribute, cst.Subscript, cst.UnaryOperation, cst.BooleanOperation, cst.Comparison)
    return isinstance(test, plain) and not any(isinstance(node, cst.Call) for node in walk(test))


def _truth(script: Script, test: cst.BaseExpression, depth: int = 0) -> bool | None:
    """The truth of a condition that only asks whether CUDA is there: it is."""
    if isinstance(test, cst.BooleanOperation):
        sides = {_truth(script, test.left, depth), _truth(script, test.right, depth)}
        decisive = isinstance(test.operator, cst.Or)
        return decisive if decisive in sides else (not decisive if sides == {not decisive} else None)
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = _truth(script, test.expression, depth)
        return None if inner is None else not inner
    if isinstance(test, cst.Call | cst.Comparison):
        asked = test.left if isinstance(test, cst.Comparison) else test
        return True if isinstance(asked, cst.Call) and script.qualified(asked.func) in _AVAILABLE else None
    value = script.names.assigned(test) if depth < 3 else None
    return _truth(script, value, depth + 1) if value is not None else None


def _said(script: Script, test: cst.BaseExpression) -> str:
    """A condition by what it is bound to: `cuda` for `cuda = opt.cuda` is `opt.cuda`."""
    value = script.names.assigned(test) if isinstance(test, cst.Name) else None
    return code_of(value) if value is not None and _is_option(value) else code_of(test)


def _keeps_models(script: Script, option: str) -> bool:
    """Whether models go to the accelerator only where the option is given. Where other files move them, batches that
    stay on the host show it: wrapped by `DataParallel` alone a model takes those."""
    roles = script.roles
    every = [(move, move.func) for move in script.loaders.moves]
    models = [move for move, func in every if isinstance(func, cst.Attribute) and roles.is_a(func.value, Role.MODEL)]
    tests = [_test(script, move, None) for move in models]
    if not models:
        return not script.data_parallel
    return all(test is not None and _said(script, test) == option for test in tests)


def _roots(test: cst.BaseExpression) -> set[str]:
    """The names that a condition begins with."""
    last = {node.attr for node in walk(test) if isinstance(node, cst.Attribute)}
    found = {node.value for node in walk(test) if isinstance(node, cst.Name) and node not in last}
    return found - {"None", "True", "False"}


def _is_seen(script: Script, root: str, test: cst.BaseExpression, loop: BatchLoop, place: cst.CSTNode) -> bool:
    """Whether a name means the same at a place as in a test, and no loop changes it."""
    tree, names = script.tree, script.names
    asked, there = (names.find(root, names.scope(node)) for node in (test, place))
    if asked is None or there is None:
        return asked is there  # nothing of this file binds it
    if any(tree.contains(loop.loop, binding.node) for binding in asked[1]):
        return False
    if asked[0] is there[0]:
        own = there[0].node is (tree.function(place) or tree.module)
        return not own or all(b.kind == "parameter" or tree.before(b.node, place) for b in there[1])
    return all(binding.kind == "parameter" for binding in asked[1]) and _is_passed(script, root, tree.function(test))


def _is_passed(script: Script, name: str, function: cst.FunctionDef | None) -> bool:
    """Whether all calls of a function pass a variable under its own name."""
    params = [one for one in function.params.params if one.name.value == name] if function is not None else []
    if function is None or not params:
        return False
    calls = script.roles.call_sites(function)
    given = [script.roles.parameter_argument(function, params[0], call) for call in calls]
    return bool(given) and all(arg is not None and code_of(arg.value) == name for arg in given)
