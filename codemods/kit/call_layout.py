"""New keyword arguments and items of dictionaries where a person would write them, in the layout of the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

import libcst as cst

from codemods.kit.build import code_of, parsed, requoted
from codemods.kit.options import text

_Item = cst.Arg | cst.BaseDictElement
_First = TypeVar("_First", cst.Arg, cst.BaseDictElement)
_Second = TypeVar("_Second", cst.Arg, cst.DictElement)

_TOGETHER = ("compiler_config", "distribution", "disable_profiler", "debugger_hook_config")
"""The arguments of the Training Compiler, in the order in which they stand, whichever comes into a call first."""
_LONGEST = 100
"""Columns of a dictionary that stays on one line."""


def with_argument_after(call: cst.Call, anchors: Iterable[str], keyword: str, value: str | cst.BaseExpression,
                        room: int = 120, indent: str = "    ") -> cst.Call:  # fmt: skip
    """The call with `keyword=value` after the last of the keywords `anchors`, else ahead of `**more`, else last.

    Where the arguments have lines of their own it gets one; a call that is one line and longer than `room` columns gets
    one for each, `indent` farther in. A keyword that is there already gets the value.
    """
    node = parsed(value) if isinstance(value, str) else value
    for index, arg in enumerate(call.args):
        if arg.keyword is not None and arg.keyword.value == keyword:
            return call.with_changes(args=[*call.args[:index], arg.with_changes(value=node), *call.args[index + 1 :]])
    new = cst.Arg(node, keyword=cst.Name(keyword), equal=equal_sign(call, keyword))
    return within(_put(call, new, _place(call, frozenset(anchors), keyword)), room, indent)


def with_item(dictionary: cst.Dict, key: str, value: str, outer: str, inner: str) -> cst.Dict:
    """The dictionary with `"key": value` last; every item on a line of its own where one line would be too long.
    `outer` and `inner`: how much farther in than its statement its line and its items begin."""
    made = with_item_after(dictionary, (), key, value)
    code = code_of(made)
    return _one_item_a_line(made, outer, inner) if len(code) > _LONGEST and "\n" not in code else made


def with_item_after(holder: cst.Dict, anchors: Collection[str], key: str, value: str) -> cst.Dict:
    """The dictionary with `"key": value` after the last of the keys `anchors`, else last, in the layout of its items.
    A key that is there already gets the value."""
    keys = [text(element.key) if isinstance(element, cst.DictElement) else "" for element in holder.elements]
    elements = list(holder.elements)
    if key in keys:
        elements[keys.index(key)] = elements[keys.index(key)].with_changes(value=parsed(value))
        return holder.with_changes(elements=elements)
    index = max((i for i, each in enumerate(keys) if each in anchors), default=len(keys) - 1) + 1
    strings = [element.key for element in elements if isinstance(element, cst.DictElement)]
    new = cst.DictElement(requoted(strings[0] if strings else parsed(value), key), parsed(value))
    if not elements:
        return holder.with_changes(elements=[new])
    before = elements[index - 1]
    comma = _comma(elements, holder.lbrace.whitespace_after)
    if index == len(elements):
        comma = comma.with_changes(whitespace_after=_commented(comma.whitespace_after, _comment(before)))
        new = new.with_changes(comma=_following(before.comma))
        before = before.with_changes(comma=comma)
    else:
        before, new = _parted(before, new, comma)
    return holder.with_changes(elements=[*elements[: index - 1], before, new, *elements[index:]])


def equal_sign(call: cst.Call, keyword: str) -> cst.AssignEqual:
    """The `=` of a keyword as the call writes them: with blanks or without, or all below each other."""
    none = cst.SimpleWhitespace("")
    found = [arg.equal for arg in call.args if isinstance(arg.equal, cst.AssignEqual)]
    ends = [
        len(arg.keyword.value) + len(arg.equal.whitespace_before.value)
        for arg in call.args
        if arg.keyword is not None
        and isinstance(arg.equal, cst.AssignEqual)
        and isinstance(arg.equal.whitespace_before, cst.SimpleWhitespace)
    ]
    blanks = {
        equal.whitespace_before.value for equal in found if isinstance(equal.whitespace_before, cst.SimpleWhitespace)
    }
    if len(blanks) > 2 and ends:
        aligned = max(set(ends), key=ends.count)
        return found[0].with_changes(whitespace_before=cst.SimpleWhitespace(" " * max(1, aligned - len(keyword))))
    return found[0] if found else cst.AssignEqual(none, none)


def _place(call: cst.Call, anchors: frozenset[str], keyword: str) -> int:
    """The index of the new argument."""
    keywords = [arg.keyword.value if arg.keyword is not None else "" for arg in call.args]
    named = [i for i, each in enumerate(keywords) if each in anchors]
    if named:
        return named[-1] + 1
    following = _TOGETHER[_TOGETHER.index(keyword) + 1 :] if keyword in _TOGETHER else ()
    beside = [i for i, each in enumerate(keywords) if each in following]
    if beside:
        return beside[0]
    return next((i for i, arg in enumerate(call.args) if arg.star == "**"), len(call.args))


def _put(call: cst.Call, new: cst.Arg, index: int) -> cst.Call:
    args = list(call.args)
    comma = _comma(args, call.whitespace_before_args)
    if not args:
        return call.with_changes(args=[new])
    if index == 0:
        return call.with_changes(args=[new.with_changes(comma=comma), *args])
    before = args[index - 1]
    if index == len(args):
        new = new.with_changes(comma=_following(before.comma), whitespace_after_arg=_below(before.whitespace_after_arg))
        comma = comma.with_changes(whitespace_after=_commented(comma.whitespace_after, _comment(before)))
        before = before.with_changes(comma=comma, whitespace_after_arg=cst.SimpleWhitespace(""))
    else:
        before, new = _parted(before, new, comma)
    return call.with_changes(args=[*args[: index - 1], before, new, *args[index:]])


def _parted(before: _First, new: _Second, comma: cst.Comma) -> tuple[_First, _Second]:
    """Two items with the commas between them and after them; `comma`: one that the call has elsewhere. A comment on the
    line of the first stays there, comments on lines of their own stay above what follows."""
    old = before.comma
    space = old.whitespace_after if isinstance(old, cst.Comma) else None
    if not isinstance(old, cst.Comma) or not isinstance(space, cst.ParenthesizedWhitespace):
        return before.with_changes(comma=comma), new.with_changes(comma=old)
    own = old.with_changes(whitespace_after=space.with_changes(empty_lines=[]))
    return before.with_changes(comma=own), new.with_changes(comma=_following(old))


def _comma(items: Sequence[_Item], opening: cst.BaseParenthesizableWhitespace) -> cst.Comma:
    """The comma before a new item: it ends the line where any of the others does. `opening`: what precedes them."""
    for item in items[:-1]:
        if isinstance(item.comma, cst.Comma) and _breaks(item.comma):
            bare = _bare(item.comma)
            assert isinstance(bare, cst.Comma)
            return bare
    if isinstance(opening, cst.ParenthesizedWhitespace) and len(items) < 2:
        return cst.Comma(whitespace_after=_quiet(opening))
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _breaks(comma: cst.Comma) -> bool:
    return isinstance(comma.whitespace_after, cst.ParenthesizedWhitespace)


def _bare(comma: cst.Comma | cst.MaybeSentinel) -> cst.Comma | cst.MaybeSentinel:
    """The comma without the comment that follows it."""
    if isinstance(comma, cst.Comma):
        return comma.with_changes(whitespace_after=_quiet(comma.whitespace_after))
    return comma


def _following(comma: cst.Comma | cst.MaybeSentinel) -> cst.Comma | cst.MaybeSentinel:
    """The comma of an item for one that comes after it: a comment on its line stays there, those below it come too."""
    if isinstance(comma, cst.Comma):
        return comma.with_changes(whitespace_after=_below(comma.whitespace_after))
    return comma


def _below(space: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    if isinstance(space, cst.ParenthesizedWhitespace):
        return space.with_changes(first_line=cst.TrailingWhitespace())
    return space


def _quiet(space: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    """The white space with its line break and without comments or empty lines."""
    if isinstance(space, cst.ParenthesizedWhitespace):
        return space.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[])
    return space


def _comment(item: _Item) -> cst.TrailingWhitespace | None:
    """The end of the item's line with the comment on it."""
    after: cst.BaseParenthesizableWhitespace | None = getattr(item, "whitespace_after_arg", None)
    if isinstance(item.comma, cst.Comma):
        after = item.comma.whitespace_after
    commented = isinstance(after, cst.ParenthesizedWhitespace) and after.first_line.comment is not None
    return after.first_line if commented else None  # type: ignore[union-attr]


def _commented(
    space: cst.BaseParenthesizableWhitespace, end: cst.TrailingWhitespace | None
) -> cst.BaseParenthesizableWhitespace:
    if end is None:
        return space
    if isinstance(space, cst.ParenthesizedWhitespace):
        return space.with_changes(first_line=end)
    return cst.ParenthesizedWhitespace(first_line=end, indent=True, last_line=cst.SimpleWhitespace("    "))


def within(call: cst.Call, room: int, indent: str) -> cst.Call:
    """The call with one argument a line when it is one line that is longer than `room` columns."""
    code = code_of(call)
    return one_a_line(call, indent) if len(code) > room and "\n" not in code else call


def _one_item_a_line(dictionary: cst.Dict, outer: str, inner: str) -> cst.Dict:
    between = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(inner))
    end = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(outer))
    items = [each.with_changes(comma=cst.Comma(whitespace_after=between)) for each in dictionary.elements[:-1]]
    last = dictionary.elements[-1].with_changes(comma=cst.Comma(whitespace_after=end))
    return dictionary.with_changes(
        lbrace=cst.LeftCurlyBrace(whitespace_after=between), elements=[*items, last], rbrace=cst.RightCurlyBrace()
    )


def one_a_line(call: cst.Call, indent: str = "    ") -> cst.Call:
    """Every argument on a line of its own, the last with a comma."""
    inner = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(indent))
    outer = cst.ParenthesizedWhitespace(indent=True)
    args = [arg.with_changes(comma=cst.Comma(whitespace_after=inner)) for arg in call.args[:-1]]
    last = call.args[-1].with_changes(comma=cst.Comma(whitespace_after=outer))
    return call.with_changes(whitespace_before_args=inner, args=[*args, last])
