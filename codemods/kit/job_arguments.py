"""Changing an argument of an estimator where it is written: in the call, in a dictionary, or behind a variable.

A dictionary may serve several jobs, and a variable may be read elsewhere. An argument is changed at a place that serves
nothing but jobs of which the same is wanted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

import libcst as cst

from codemods.kit import build
from codemods.kit.call_layout import with_argument_after, with_item_after
from codemods.kit.edits import Edit
from codemods.kit.estimators import Argument, Estimator
from codemods.kit.rules import Stage
from codemods.kit.script import Script

_Item = TypeVar("_Item", cst.Arg, cst.DictElement, cst.Assign)
_APART = 2
"""Blanks before a comment that is in no column."""


def can_change(script: Script, estimator: Estimator, keyword: str, alike: Collection[Estimator]) -> bool:
    """Whether an argument can be given, changed or taken away: it is in sight, and what gives it serves no jobs but
    those that are to be changed alike."""
    if keyword in estimator.unsure:
        return False
    argument = estimator.argument(keyword)
    if argument is None:
        return estimator.complete
    return argument.inline or all(other in alike for other in script.estimators.users(argument.node))


def put_argument(
    edit: Edit,
    script: Script,
    estimator: Estimator,
    keyword: str,
    code: str,
    alike: Collection[Estimator],
    after: Sequence[str] = (),
    stage: Stage | None = None,
) -> None:
    """Give an argument, or give it another value, in Python code. `can_change` must have said that it can be.

    `after`: keywords that a new argument stands behind. `stage`: an earlier one, for what others stand behind.
    """
    argument = estimator.argument(keyword)
    if argument is None:
        shared = _settings(script, estimator, keyword, alike, after)
        if isinstance(shared, cst.Dict):
            edit.replace(shared, lambda updated: with_item_after(updated, after, keyword, code), stage)
            return
        place = shared or estimator.call
        room, indent = script.tree.room(place), script.tree.indent
        edit.replace(place, lambda updated: with_argument_after(updated, after, keyword, code, room, indent), stage)
        return
    definition = _definition(script, argument, alike)
    if definition is not None:
        edit.replace(definition, _in_quotes_of(definition, code))
    else:
        edit.replace(argument.node, lambda updated: _with_value(updated, _in_quotes_of(updated.value, code)))


def _with_value(item: _Item, value: cst.BaseExpression) -> _Item:
    """The argument or the item of a dictionary with another value; a comment in a column of comments stays there."""
    changed = item.with_changes(value=value)
    if isinstance(changed, cst.Assign) or not isinstance(changed.comma, cst.Comma):
        return changed
    space = changed.comma.whitespace_after
    if not isinstance(space, cst.ParenthesizedWhitespace) or space.first_line.comment is None:
        return changed
    blanks = len(space.first_line.whitespace.value)
    if blanks > _APART:
        blanks = max(_APART, blanks + len(build.code_of(item.value)) - len(build.code_of(value)))
    line = space.first_line.with_changes(whitespace=cst.SimpleWhitespace(" " * blanks))
    comma = changed.comma.with_changes(whitespace_after=space.with_changes(first_line=line))
    return changed.with_changes(comma=comma)


def _in_quotes_of(old: cst.CSTNode, code: str) -> cst.BaseExpression:
    """An expression; a text that takes the place of another is written in its quotes."""
    new = build.parsed(code)
    if isinstance(old, cst.SimpleString) and isinstance(new, cst.SimpleString):
        return build.requoted(old, str(new.evaluated_value))
    return new


def drop_argument(edit: Edit, script: Script, estimator: Estimator, keyword: str, alike: Collection[Estimator]) -> None:
    """Take an argument away, with the variable that held only it. `can_change` must have said that it can be."""
    argument = estimator.argument(keyword)
    if argument is None:
        return
    definition = _definition(script, argument, alike)
    if definition is not None:
        edit.remove(definition)
    drop_item(edit, argument.node)


def drop_item(edit: Edit, node: cst.Arg | cst.DictElement | cst.Assign) -> None:
    """Take away what gives an argument, or a key of a dictionary."""
    if isinstance(node, cst.DictElement):
        edit.replace(node, lambda updated: None)
    else:
        edit.remove(node)


def rename_argument(edit: Edit, argument: Argument, keyword: str) -> None:
    """Give an argument under another keyword."""
    node = argument.node
    if isinstance(node, cst.Arg):
        edit.replace(node, lambda updated: _called(updated, keyword))
        return
    key = node.key if isinstance(node, cst.DictElement) else _key(node)
    edit.replace(key, build.requoted(key, keyword))


def _called(arg: cst.Arg, keyword: str) -> cst.Arg:
    """The argument under another keyword; an `=` that stands below others stays where it is."""
    equal = arg.equal if isinstance(arg.equal, cst.AssignEqual) else None
    before = equal.whitespace_before if equal is not None else None
    if equal and arg.keyword is not None and isinstance(before, cst.SimpleWhitespace) and len(before.value) > 1:
        blanks = len(arg.keyword.value) + len(before.value) - len(keyword)
        arg = arg.with_changes(equal=equal.with_changes(whitespace_before=cst.SimpleWhitespace(" " * max(1, blanks))))
    return arg.with_changes(keyword=cst.Name(keyword))


def _key(assign: cst.Assign) -> cst.BaseExpression:
    """`"key"` of `settings["key"] = value`."""
    index = cst.ensure_type(assign.targets[0].target, cst.Subscript).slice[0].slice
    return cst.ensure_type(index, cst.Index).value


def _settings(
    script: Script, estimator: Estimator, keyword: str, alike: Collection[Estimator], after: Sequence[str]
) -> cst.Call | cst.Dict | None:
    """The dictionary that gives an estimator what a new argument stands behind, when it serves nothing but estimators
    that are to get the same argument: it is given once, there."""
    holders = _holders(script, estimator, after)
    holder = holders.pop() if len(holders) == 1 else None
    assign = script.tree.parent.get(holder) if isinstance(holder, cst.Call | cst.Dict) else None
    if not isinstance(assign, cst.Assign) or len(assign.targets) > 1:
        return None
    name = assign.targets[0].target
    if not isinstance(name, cst.Name) or name.value in script.links.wanted:
        return None
    served = {
        other.call
        for other in script.estimators
        if other in alike and other.lacks(keyword) and len(_holders(script, other, after)) == 1
    }
    for use in _reads(script, name, assign):
        arg = script.tree.parent.get(use)
        if not isinstance(arg, cst.Arg) or arg.star != "**" or script.tree.parent.get(arg) not in served:
            return None
    return holder if isinstance(holder, cst.Call | cst.Dict) else None


def _holders(script: Script, estimator: Estimator, keywords: Sequence[str]) -> set[cst.CSTNode | None]:
    """What gives an estimator some of its arguments, other than its own call."""
    given = [argument for keyword in keywords if (argument := estimator.argument(keyword)) is not None]
    return {script.tree.parent.get(argument.node) for argument in given if not argument.inline}


def _definition(script: Script, argument: Argument, alike: Collection[Estimator]) -> cst.BaseExpression | None:
    """The literal behind a variable that is read for nothing but this argument; None when there is no such variable."""
    given = {
        other.value
        for each in script.estimators
        if each in alike
        for other in each.arguments.values()
        if other.keyword == argument.keyword
    }
    made = assignment_for(script, argument.value, given)
    if made is None or not isinstance(made.value, cst.SimpleString | cst.Integer | cst.Dict | cst.Call):
        return None
    return made.value


def assignment_for(
    script: Script, name: cst.BaseExpression, readers: Collection[cst.BaseExpression]
) -> cst.Assign | None:
    """The one assignment that a variable has its value from, when nothing but `readers` reads the variable."""
    if not isinstance(name, cst.Name) or name.value in script.links.wanted:
        return None
    bindings = script.estimators.literals.reaching(name)
    made = bindings[0].node if len(bindings) == 1 and not bindings[0].path else None
    if not isinstance(made, cst.Assign) or len(made.targets) > 1:
        return None
    return made if set(_reads(script, name, made)).issubset(readers) else None


def _reads(script: Script, name: cst.Name, made: cst.Assign) -> list[cst.Name]:
    """Every use of the variable that an assignment makes, but the assignment."""
    return [
        use
        for use in script.names.named(name.value)
        if script.names.is_reference(use)
        and not isinstance(script.tree.parent.get(use), cst.AssignTarget)
        and any(found.node is made for found in script.names.bindings(use))
    ]
