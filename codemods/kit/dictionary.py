"""A new item in a dictionary, in the layout of the others."""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of

_LONGEST = 100
"""Columns of a dictionary that stays on one line."""


def with_item(
    dictionary: cst.Dict, key: cst.BaseExpression, value: cst.BaseExpression, outer: str, inner: str
) -> cst.Dict:
    """The dictionary with `key: value` last; on a line of its own where the others have theirs, or where one line would
    be too long. `outer` and `inner`: how much farther in than its statement its line and its items begin."""
    made = _with_item(dictionary, key, value)
    code = code_of(made)
    return _one_a_line(made, outer, inner) if len(code) > _LONGEST and "\n" not in code else made


def _with_item(dictionary: cst.Dict, key: cst.BaseExpression, value: cst.BaseExpression) -> cst.Dict:
    new = cst.DictElement(key, value)
    if not dictionary.elements:
        return dictionary.with_changes(elements=[new])
    *others, last = dictionary.elements
    separator = next((each.comma for each in others if isinstance(each.comma, cst.Comma)), None)
    if separator is None:
        inner = dictionary.lbrace.whitespace_after
        broken = isinstance(inner, cst.ParenthesizedWhitespace)
        separator = cst.Comma(whitespace_after=inner if broken else cst.SimpleWhitespace(" "))
    new = new.with_changes(comma=last.comma)
    return dictionary.with_changes(elements=[*others, last.with_changes(comma=separator), new])


def _one_a_line(dictionary: cst.Dict, outer: str, inner: str) -> cst.Dict:
    between = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(inner))
    end = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(outer))
    items = [each.with_changes(comma=cst.Comma(whitespace_after=between)) for each in dictionary.elements[:-1]]
    last = dictionary.elements[-1].with_changes(comma=cst.Comma(whitespace_after=end))
    return dictionary.with_changes(
        lbrace=cst.LeftCurlyBrace(whitespace_after=between), elements=[*items, last], rbrace=cst.RightCurlyBrace()
    )
