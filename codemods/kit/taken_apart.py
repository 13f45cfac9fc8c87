"""Loops over batches that a device loader does not hand out as they were: they keep their loaders and their moves.

Whether it does is known from executing the program abstractly (`kit/meaning/taken_apart`), and where that did not come,
from how a batch is read: `batch["color", 0]` is a dict with tuples for keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.batches import Batches, named_tuples
from codemods.kit.build import code_of
from codemods.kit.loops import BatchLoop
from codemods.kit.meaning.words import MOVED, NAMED
from codemods.kit.names import Binding

if TYPE_CHECKING:
    from codemods.kit.loaders import Loader
    from codemods.kit.script import Script


def loses_its_batches(script: Script, loop: BatchLoop, feeds: Sequence[cst.BaseExpression]) -> bool:
    """Whether the loop would not get its batches as they are from a device loader."""
    why = {found for feed in feeds for found in _executed(script, feed)}
    if why == {NAMED}:
        return not _made_again(script, loop) and _is_passed(script, loop)
    if why == {MOVED}:  # what moves them where they are made goes
        return not any(script.loaders.worker_moves(loader) for loader in _made(script, feeds))
    if why or _may_be_none(script, loop):
        return True
    return any(script.tree.contains(loop.loop.body, read) for read in _read_by_tuples(script, loop))


def _made(script: Script, feeds: Sequence[cst.BaseExpression]) -> Iterator[Loader]:
    """The loaders of this script that a loop goes through."""
    origins = {value.origin for feed in feeds for value in script.roles.values(feed)}
    return (loader for loader in script.loaders.built if loader.call in origins)


def _executed(script: Script, feed: cst.BaseExpression) -> Iterator[str]:
    meaning = script.links.meaning
    if meaning is not None and meaning.taken_apart:
        for part in meaning.parts.get(script.roles.key(feed), ()):
            if part.made in meaning.taken_apart:
                yield meaning.taken_apart[part.made]


def _made_again(script: Script, loop: BatchLoop) -> bool:
    """Whether each batch becomes the named tuple again that it was, as the codemod `data_loader` writes it."""
    known = named_tuples(script).values()
    used = Batches(script, loop).fields_read()
    return bool(used) and all(sum(fields <= one for one in known) == 1 for fields in used.values())


def _is_passed(script: Script, loop: BatchLoop) -> bool:
    """Whether a whole batch is given to a call, or read by its fields."""
    for name in script.tree.inside(loop.loop.body, cst.Name):
        holder = script.tree.parent.get(name)
        if isinstance(holder, cst.Arg) or (isinstance(holder, cst.Attribute) and holder.value is name):
            if any(binding.node is loop.loop and _is_whole(script, binding) for binding in script.names.bindings(name)):
                return True
    return False


def _may_be_none(script: Script, loop: BatchLoop) -> bool:
    """Whether the loop passes over batches that are None: a device loader ends there."""
    for test in script.tree.inside(loop.loop.body, cst.Comparison):
        if code_of(test).endswith(" is None") and isinstance(test.left, cst.Name):
            if any(one.node is loop.loop and _is_whole(script, one) for one in script.names.bindings(test.left)):
                return True
    return False


def _is_whole(script: Script, binding: Binding) -> bool:
    """Whether a name of the loop holds the whole batch: `batch`, or the second of `i, batch in enumerate(...)`."""
    counted = isinstance(binding.value, cst.Call) and script.qualified(binding.value.func) == "builtins.enumerate"
    return binding.path == ((1,) if counted else ())


def _read_by_tuples(script: Script, loop: BatchLoop) -> Iterator[cst.CSTNode]:
    """Where a batch of the loop is read by a tuple that begins with a text: in its body, or in a function that gets the
    batch there."""
    for read in script.tree.all(cst.Subscript):
        if not isinstance(read.value, cst.Name) or not _is_by_tuple(read):
            continue
        for binding in script.names.bindings(read.value):
            if binding.node is loop.loop:
                yield read
            elif isinstance(binding.node, cst.Param) and (function := script.tree.function(read)) is not None:
                for call in script.roles.call_sites(function):
                    given = script.roles.parameter_argument(function, binding.node, call)
                    inner = script.names.bindings(given.value) if given and isinstance(given.value, cst.Name) else []
                    if any(one.node is loop.loop for one in inner):
                        yield call


def _is_by_tuple(read: cst.Subscript) -> bool:
    parts = [part.slice.value for part in read.slice if isinstance(part.slice, cst.Index)]
    if len(parts) == 1 and isinstance(parts[0], cst.Tuple):
        parts = [element.value for element in parts[0].elements]
    elif len(read.slice) < 2:
        return False
    return any(isinstance(one, cst.BaseString) for one in parts)
