"""A text with its tree, and small changes of it: a statement away, another before it, an expression in its place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass


class Unfit(Exception):
    """A change that cannot be written at this place."""


@dataclass(frozen=True)
class Edit:
    """Other characters in the place of some."""

    start: int
    end: int
    text: str


class Text:
    """A file with its tree."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text.lstrip("\ufeff"))
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.lines = re.findall(r".*?(?:\r\n|\n|\r)|.+$", text.lstrip("\ufeff"), re.S)
        self._shift = len(text) - len(text.lstrip("\ufeff"))
        self._starts = [self._shift]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    # --- places ---------------------------------------------------------------------------------------------------

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node's text begins and ends."""
        first, last = self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return first, last

    def _at(self, line: int, column: int) -> int:
        head = self.lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(head)

    def said(self, node: ast.AST) -> str:
        """A node's text."""
        first, last = self.span(node)
        return self.text[first:last]

    def line_of(self, offset: int) -> int:
        """The line a character is on, 1-based."""
        return self.text.count("\n", 0, offset) + 1

    def above(self, node: ast.AST, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            if not kinds or isinstance(node, kinds):
                yield node

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement a node is in, or is."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def function(self, node: ast.AST) -> ast.AST:
        """The function a node is in, or the module."""
        return next(self.above(node, ast.FunctionDef, ast.AsyncFunctionDef), self.tree)

    def loops(self, node: ast.AST) -> list[ast.For | ast.While]:
        """The loops of its function that a node is in, innermost first."""
        around: list[ast.For | ast.While] = []
        for one in self.above(node):
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                break
            if isinstance(one, ast.For | ast.While):
                around.append(one)
        return around

    def body(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements a statement stands among."""
        for _, block in ast.iter_fields(self.parents[statement]):
            if isinstance(block, list) and statement in block:
                return block
        raise Unfit

    # --- changes --------------------------------------------------------------------------------------------------

    def replace(self, node: ast.AST, text: str) -> Edit:
        """Another expression, or statement, in the place of one."""
        return Edit(*self.span(node), text)

    def _whole(self, statement: ast.stmt) -> tuple[int, int]:
        """Where the lines of a statement begin and end."""
        first, last = self.span(statement)
        begin, end = self._starts[statement.lineno - 1], self._starts[statement.end_lineno or 0]
        decorated = getattr(statement, "decorator_list", None)
        if decorated:
            begin = self._starts[decorated[0].lineno - 1]
        alone = not self.text[begin:first].strip() or decorated
        if not alone or self.text[last:end].partition("#")[0].strip():
            raise Unfit
        return begin, end

    def indent(self, statement: ast.stmt) -> str:
        """The white space before a statement."""
        line = self.lines[statement.lineno - 1]
        return str(line[: len(line) - len(line.lstrip())])

    def delete(self, statement: ast.stmt) -> Edit:
        """A statement away."""
        if len(self.body(statement)) == 1:
            return self.replace(statement, "pass")
        return Edit(*self._whole(statement), "")

    def unmoved(self, statement: ast.stmt, call: ast.Call) -> Edit:
        """A statement without its move."""
        if isinstance(statement, ast.Expr):
            return self.delete(statement)
        return self.replace(call, self.said(receiver(call)))

    def before(self, statement: ast.stmt, *lines: str) -> Edit:
        """Statements before one."""
        begin, _ = self._whole(statement)
        return Edit(begin, begin, self._block(statement, lines))

    def after(self, statement: ast.stmt, *lines: str) -> Edit:
        """Statements after one."""
        _, end = self._whole(statement)
        ended = self.text[:end].endswith(("\n", "\r"))
        return Edit(end, end, ("" if ended else self.newline) + self._block(statement, lines))

    def first_in(self, block: list[ast.stmt], *lines: str) -> Edit:
        """Statements at the beginning of a block, below its documentation."""
        documented = isinstance(block[0], ast.Expr) and isinstance(block[0].value, ast.Constant)
        return self.before(block[1 if documented and len(block) > 1 else 0], *lines)

    def _block(self, statement: ast.stmt, lines: tuple[str, ...]) -> str:
        return "".join(f"{self.indent(statement)}{line}{self.newline}" for line in lines)

    def wrap(self, statement: ast.stmt, head: str, *others: str) -> list[Edit]:
        """A statement below a condition, and perhaps other lines after it."""
        begin, end = self._whole(statement)
        inner = self.text[begin:end].splitlines(keepends=True)
        inner = [f"    {line}" if line.strip() else line for line in inner]
        text = self._block(statement, (head,)) + "".join(inner)
        if others and not text.endswith(("\n", "\r")):
            text += self.newline
        return [Edit(begin, end, text + self._block(statement, others))]

    def lines_of(self, statement: ast.stmt) -> list[str]:
        """The lines of a statement without its indentation, to be written elsewhere."""
        begin, end = self._whole(statement)
        indent = self.indent(statement)
        return [line.removeprefix(indent).rstrip("\r\n") for line in self.text[begin:end].splitlines()]

    def imported(self, line: str) -> list[Edit]:
        """An import at the top, where there is none."""
        if any(line == one.strip() for one in self.lines):
            return []
        imports = [one for one in self.tree.body if isinstance(one, ast.Import | ast.ImportFrom)]
        if not imports:
            raise Unfit
        return [self.after(imports[-1], line)]


def dotted(node: ast.AST) -> str:
    """`a.b.c`; `().b` for what is called on another expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return "()"


def receiver(call: ast.expr) -> ast.expr:
    """What a method is called on."""
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        return call.func.value
    raise Unfit


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    """An argument by its name."""
    return next((one for one in call.keywords if one.arg == name), None)
