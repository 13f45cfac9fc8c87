"""Small nodes from text: `expression("{x}.to({device})", x=node, device="device")`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

import libcst as cst

from codemods.kit.tree import PLAIN, child_fields

Hole = cst.BaseExpression | str
Node = TypeVar("Node", bound=cst.CSTNode)
_HOLE = re.compile(r"\{(\w+)\}")
_ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.SimpleString, cst.FormattedString, cst.List, cst.Dict,
          cst.Set, cst.ListComp, cst.DictComp, cst.SetComp, cst.Integer, cst.Float)  # fmt: skip


def parenthesized(node: cst.BaseExpression) -> cst.BaseExpression:
    """The node as an operand: in parentheses unless it is an atom or has them already."""
    if isinstance(node, _ATOMS) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


@lru_cache(maxsize=512)
def parsed(code: str) -> cst.BaseExpression:
    """An expression without holes. The same text is parsed once: nodes are never changed, only copied with changes."""
    return cst.parse_expression(code)


@lru_cache(maxsize=512)
def _parsed_statements(code: str) -> Sequence[cst.BaseStatement]:
    return [line for line in cst.parse_module(code).body if isinstance(line, cst.BaseStatement)]


def expression(code: str, **holes: Hole) -> cst.BaseExpression:
    """An expression from text; `{name}` is filled with a node (parenthesised where an operand needs it) or text."""
    nodes = {name: value for name, value in holes.items() if not isinstance(value, str)}
    return fill(parsed(_text(code, holes)), nodes)


def statements(code: str, **holes: Hole) -> list[cst.BaseStatement]:
    """Statements from text, holes as in `expression`."""
    nodes = {name: value for name, value in holes.items() if not isinstance(value, str)}
    return [_filled(statement, nodes, False) for statement in _parsed_statements(_text(code, holes))]


def _text(code: str, holes: dict[str, Hole]) -> str:
    def fill(match: re.Match[str]) -> str:
        value = holes.get(match[1])
        if value is None:
            raise KeyError(f"no value for {{{match[1]}}} in {code!r}")
        return value if isinstance(value, str) else f"__hole_{match[1]}__"

    return _HOLE.sub(fill, code)


def fill(node: Node, nodes: dict[str, cst.BaseExpression]) -> Node:
    """The tree with each name `__hole_x__` replaced by `nodes["x"]`."""
    filled: Node = _filled(node, nodes, False)
    return filled


def _filled(node, nodes: dict[str, cst.BaseExpression], operand: bool):  # type: ignore[no-untyped-def]
    """The tree with its hole names replaced. Templates are a line or two, so the plain recursion is cheap."""
    if type(node) is cst.Name:
        if node.value.startswith("__hole_") and node.value[7:-2] in nodes:
            value = nodes[node.value[7:-2]]
            # `f(x := y)` needs no parentheses there, and in nearly every other place it does.
            return parenthesized(value) if operand or isinstance(value, cst.NamedExpr) else value
        return node
    changes: dict[str, object] = {}
    for name in child_fields(type(node)) if nodes else ():
        value = getattr(node, name)
        if type(value) in PLAIN:
            continue
        if type(value) not in (tuple, list):
            is_operand = isinstance(node, cst.Attribute | cst.Subscript) and name == "value"
            is_operand = is_operand or (isinstance(node, cst.Call) and name == "func")
            is_operand = is_operand or isinstance(node, cst.BinaryOperation | cst.UnaryOperation | cst.Comparison)
            filled = _filled(value, nodes, is_operand)
            if filled is not value:
                changes[name] = filled
        else:
            filled_items = [item if type(item) in PLAIN else _filled(item, nodes, False) for item in value]
            if any(new is not old for new, old in zip(filled_items, value, strict=True)):
                changes[name] = filled_items
    return node.with_changes(**changes) if changes else node


def assignment(target: str, value: cst.BaseExpression) -> cst.Assign:
    """`target = value`."""
    place = cst.ensure_type(parsed(target), cst.BaseAssignTargetExpression)  # type: ignore[type-abstract]
    return cst.Assign([cst.AssignTarget(place)], value)


def code_of(node: cst.CSTNode) -> str:
    """The text of a node."""
    return cst.Module(body=()).code_for_node(node)


def requoted(literal: cst.BaseExpression, text: str) -> cst.SimpleString:
    """A string with this text in the quotes of the literal it replaces, or of that in it: `torch.device('cuda')`."""
    while isinstance(literal, cst.Call | cst.Attribute):
        inner = literal.value if isinstance(literal, cst.Attribute) else literal.args[0].value if literal.args else None
        if inner is None:
            break
        literal = inner
    quote = literal.quote if isinstance(literal, cst.SimpleString) else '"'
    return cst.SimpleString(f"{quote}{text}{quote}")


def quoted(text: str, strings: Sequence[cst.SimpleString]) -> str:
    """The text in the quotes that most strings of a script have."""
    single = sum(1 for string in strings if string.value.startswith("'"))
    return f"'{text}'" if single * 2 > len(strings) else f'"{text}"'


def without_argument(call: cst.Call, *keywords: str) -> cst.Call:
    """The call without these keyword arguments; commas and line breaks stay in order."""
    return with_arguments(call, [arg for arg in call.args if arg.keyword is None or arg.keyword.value not in keywords])


def with_arguments(call: cst.Call, args: Sequence[cst.Arg]) -> cst.Call:
    """The call with these arguments; the last one gets the comma (or none) that the last one had."""
    kept = list(args)
    if len(kept) < len(call.args):
        kept = _broken_as_before(call, kept)
    if kept and call.args:
        last = call.args[-1]
        if kept[-1] is not last:
            kept[-1] = _closing(kept[-1], last)
        for index, arg in enumerate(kept[:-1]):
            if not isinstance(arg.comma, cst.Comma):
                kept[index] = arg.with_changes(comma=_separator(call))
    return call.with_changes(args=kept)


def _broken_as_before(call: cst.Call, kept: list[cst.Arg]) -> list[cst.Arg]:
    """Where an argument goes that stood last in its line, the one before it ends the line."""
    found: list[cst.Arg] = []
    left = list(kept)
    for index, arg in enumerate(call.args):
        if left and (left[0] is arg or len(left) == len(call.args) - index):
            found.append(left.pop(0))
        elif found and found[-1] is not kept[-1] and _ends_line(arg) and not _ends_line(found[-1]):
            found[-1] = found[-1].with_changes(comma=arg.comma)
    return [*found, *left]


def ending_line_like(removed: cst.Param, before: cst.CSTNode) -> cst.CSTNode:
    """A parameter that ends its line when the one after it, which goes, did."""
    if isinstance(before, cst.Param) and _ends_line(removed) and not _ends_line(before):
        return before.with_changes(comma=removed.comma)
    return before


def _ends_line(arg: cst.Arg | cst.Param) -> bool:
    return isinstance(arg.comma, cst.Comma) and isinstance(arg.comma.whitespace_after, cst.ParenthesizedWhitespace)


def _closing(arg: cst.Arg, last: cst.Arg) -> cst.Arg:
    """The argument in the last one's place: its comma, or none, and its own comment."""
    closed = arg.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    own = arg.comma.whitespace_after if isinstance(arg.comma, cst.Comma) else None
    if not isinstance(own, cst.ParenthesizedWhitespace) or own.first_line.comment is None:
        return closed
    if isinstance(last.comma, cst.Comma):
        after = last.comma.whitespace_after
        if isinstance(after, cst.ParenthesizedWhitespace) and after.first_line.comment is None:
            after = after.with_changes(first_line=own.first_line)
        elif isinstance(after, cst.SimpleWhitespace):
            after = own
        return closed.with_changes(comma=last.comma.with_changes(whitespace_after=after))
    after = last.whitespace_after_arg
    if isinstance(after, cst.ParenthesizedWhitespace) and after.first_line.comment is None:
        return closed.with_changes(whitespace_after_arg=after.with_changes(first_line=own.first_line))
    return closed.with_changes(whitespace_after_arg=own) if isinstance(after, cst.SimpleWhitespace) else closed


def with_keyword(call: cst.Call, keyword: str, value: Hole) -> cst.Call:
    """The call with `keyword=value` set in place, or added last in the style of the arguments before it."""
    node = cst.parse_expression(value) if isinstance(value, str) else value
    for index, arg in enumerate(call.args):
        if arg.keyword is not None and arg.keyword.value == keyword:
            changed = arg.with_changes(value=node)
            return call.with_changes(args=[*call.args[:index], changed, *call.args[index + 1 :]])
    new = cst.Arg(
        node,
        keyword=cst.Name(keyword),
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
    )
    double_star = next((i for i, arg in enumerate(call.args) if arg.star == "**"), None)
    if double_star is not None:
        new = new.with_changes(comma=_separator(call))
        return call.with_changes(args=[*call.args[:double_star], new, *call.args[double_star:]])
    if not call.args:
        return call.with_changes(args=[new])
    last = call.args[-1]
    new = new.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    before = last.with_changes(comma=_separator(call), whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*call.args[:-1], before, new])


def fitted(call: cst.Call, room: int, indent: str) -> cst.Call:
    """The call with its arguments on a line of their own, when it is one line and longer than `room` columns; with one
    argument a line, when they are too long for one."""
    code = code_of(call)
    if len(code) <= room or "\n" in code or not call.args:
        return call
    broken = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(indent))
    args = list(call.args)
    if len(code) - len(code_of(call.func)) > 120 - 2 * len(indent.expandtabs(4)):
        args = [arg.with_changes(comma=cst.Comma(whitespace_after=broken)) for arg in args[:-1]] + args[-1:]
    return call.with_changes(whitespace_before_args=broken, args=args)


def _separator(call: cst.Call) -> cst.Comma:
    """The comma this call puts between its arguments: one line, or one argument a line."""
    for arg in call.args[:-1]:
        if isinstance(arg.comma, cst.Comma):
            return arg.comma
    if isinstance(call.whitespace_before_args, cst.ParenthesizedWhitespace):
        return cst.Comma(whitespace_after=call.whitespace_before_args)
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


class _OtherQuotes(cst.CSTTransformer):
    def __init__(self, taken: str) -> None:
        self.taken = taken

    def leave_SimpleString(self, original_node: cst.SimpleString, updated_node: cst.SimpleString) -> cst.SimpleString:
        other = "'" if self.taken == '"' else '"'
        value = updated_node.value
        if updated_node.quote != self.taken or other in value or "\\" in value:
            return updated_node
        return updated_node.with_changes(value=value.replace(self.taken, other))


def with_other_quotes(string: cst.FormattedString) -> cst.FormattedString:
    """An f-string whose expressions use the other quotes: its own are not allowed in them before Python 3.12."""
    change = _OtherQuotes(string.end)
    parts = [p.visit(change) if isinstance(p, cst.FormattedStringExpression) else p for p in string.parts]
    return string.with_changes(parts=parts)
