"""An index of a parsed module: parents, nodes by type, statements and their lines.

LibCST's own metadata providers cost 2-8 parses each because they walk by rebuilding; this walk follows the dataclass
fields, skips whitespace, and costs a fraction of a parse. Nodes are keyed by identity, as LibCST hashes them.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from functools import cached_property
from typing import Any, TypeVar

import libcst as cst
from libcst._nodes.internal import CodegenState

from codemods.kit.statement_lines import statement_lines

Node = TypeVar("Node", bound=cst.CSTNode)
Statement = cst.BaseSmallStatement | cst.BaseCompoundStatement

# Fields that hold only whitespace and punctuation: no codemod decides on them, and they are two thirds of all nodes.
_PUNCTUATION = frozenset(
    [
        "lpar",
        "rpar",
        "lbracket",
        "rbracket",
        "lbrace",
        "rbrace",
        "comma",
        "semicolon",
        "equal",
        "colon",
        "dot",
        "dots",
        "header",
        "footer",
        "indent",
        "newline",
        "leading_lines",
        "lines_after_decorators",
        "trailing_whitespace",
        "body_leading_lines",
        "asynchronous",
        "star_etc",
        "default_indent",
        "default_newline",
        "encoding",
        "has_trailing_newline",
        "quote",
        "start",
        "end",
        "prefix",
        "raw_value",
    ]
)
# Field values that are no nodes, by exact type: isinstance of LibCST's abstract node class is ten times as slow.
PLAIN = frozenset((str, bool, int, type(None), cst.MaybeSentinel))
_STATEMENTS = frozenset(
    kind
    for kind in vars(cst).values()
    if isinstance(kind, type) and not {cst.BaseSmallStatement, cst.BaseCompoundStatement}.isdisjoint(kind.__mro__)
)
_BLOCKS = frozenset((cst.IndentedBlock, cst.Module))
_BELOW_HEAD = frozenset((cst.Else, cst.IndentedBlock, cst.SimpleStatementLine, cst.SimpleStatementSuite))
_FRAMES = frozenset((cst.FunctionDef, cst.ClassDef, cst.Lambda))


class _ChildFields(dict[type[cst.CSTNode], tuple[str, ...]]):
    """By node class; filled as classes are met."""

    def __missing__(self, kind: type[cst.CSTNode]) -> tuple[str, ...]:
        self[kind] = tuple(
            field.name
            for field in fields(kind)
            if field.name not in _PUNCTUATION
            and not field.name.startswith(("whitespace", "_"))
            and field.type not in (str, bool)
        )
        return self[kind]


_CHILD_FIELDS = _ChildFields()


def child_fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """Names of the fields of a node class that can hold code, in declaration order."""
    return _CHILD_FIELDS[kind]


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The code-holding children of a node, in field order."""
    found: list[cst.CSTNode] = []
    for name in _CHILD_FIELDS[type(node)]:
        value = getattr(node, name)
        if type(value) in (tuple, list):
            found += [item for item in value if type(item) not in PLAIN]
        elif type(value) not in PLAIN:
            found.append(value)
    return found


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The node and everything under it, parents first."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        below = children(current)
        below.reverse()
        stack += below


def walk_statements(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A statement, the statements under it, and the blocks between: a tenth of what `walk` goes through."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        for name in ("body", "handlers", "cases", "orelse", "finalbody"):
            below: Any = getattr(current, name, ())
            if type(below) in (tuple, list):
                stack += below
            elif below is not None:
                stack.append(below)


class Tree:
    """A module with what a codemod asks of it: what holds this node, which statement is it in, on which line."""

    def __init__(self, module: cst.Module, source: str | None = None, begins: Sequence[tuple[int, bool]] = ()) -> None:
        """`source` and `begins`, from `statement_lines`, save work when the caller has them."""
        self.module = module
        self.source = module.code if source is None else source
        self.parent: dict[cst.CSTNode, cst.CSTNode] = {}
        self._by_type: dict[type, list[cst.CSTNode]] = {}
        self.order: dict[cst.CSTNode, int] = {}
        self._last: list[int] = []
        """By order: the order of the last node inside."""
        self._lines: dict[cst.CSTNode, int] | None = None
        self._on_one_line: set[cst.CSTNode] = set()
        """Statements whose head ends on the line it begins on: known with `_lines`."""
        self._function_of: dict[cst.CSTNode, cst.FunctionDef | None] = {}
        self._calls_of: dict[cst.FunctionDef | None, list[cst.Call]] | None = None
        self._begins = begins
        self._index(module)

    def _index(self, module: cst.Module) -> None:
        parent, by_type, order = self.parent, self._by_type, self.order
        stack: list[cst.CSTNode] = [module]
        holders = [0]
        held_by: list[int] = []
        count = 0
        while stack:
            node = stack.pop()
            held_by.append(holders.pop())
            kind = type(node)
            order[node] = count
            found = by_type.get(kind)
            if found is None:
                found = by_type[kind] = []
            found.append(node)
            below: list[cst.CSTNode] = []
            for name in _CHILD_FIELDS[kind]:
                value = getattr(node, name)
                if value is None:
                    continue
                if type(value) in (tuple, list):
                    for item in value:
                        if type(item) not in PLAIN:
                            below.append(item)
                            parent[item] = node
                elif type(value) not in PLAIN:
                    below.append(value)
                    parent[value] = node
            below.reverse()
            stack += below
            holders += [count] * len(below)
            count += 1
        last = self._last = list(range(count))
        for number in range(count - 1, 0, -1):
            if last[number] > last[held_by[number]]:
                last[held_by[number]] = last[number]

    def all(self, kind: type[Node]) -> Sequence[Node]:
        """Every node of exactly this class, in source order."""
        return self._by_type.get(kind, [])  # type: ignore[return-value]

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What holds the node, innermost first, the module last."""
        parent = self.parent
        found = parent.get(node)
        while found is not None:
            yield found
            found = parent.get(found)

    def enclosing(self, node: cst.CSTNode, *kinds: type[Node]) -> Node | None:
        """The innermost ancestor of exactly one of the given classes."""
        parent = self.parent
        found = parent.get(node)
        while found is not None and type(found) not in kinds:
            found = parent.get(found)
        return found  # type: ignore[return-value]

    def contains(self, outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
        """Whether `inner` is `outer` or lies inside it."""
        first = self.order.get(outer)
        number = self.order.get(inner)
        if first is None or number is None:
            return inner is outer
        return first <= number <= self._last[first]

    def inside(self, outer: cst.CSTNode, kind: type[Node]) -> Sequence[Node]:
        """Every node of exactly this class that `contains` finds in a node of the source, in source order."""
        first, found, place = self.order[outer], self.all(kind), self.order.__getitem__
        return found[bisect_left(found, first, key=place) : bisect_right(found, self._last[first], key=place)]

    def small_statement(self, node: cst.CSTNode) -> Statement | None:
        """The innermost statement that holds the node: `a = f(x)`, or the `if`/`for`/`def` whose head holds it."""
        found: cst.CSTNode | None = node
        while found is not None and type(found) not in _STATEMENTS:
            found = self.parent.get(found)
        return found  # type: ignore[return-value]

    def statement(self, node: cst.CSTNode) -> cst.BaseStatement | None:
        """The innermost member of a block that holds the node: the whole line, or the compound statement.

        An `elif` is no member of a block, so it gives the `if` it belongs to.
        """
        found: cst.CSTNode | None = node
        while found is not None:
            holder = self.parent.get(found)
            if type(holder) in _BLOCKS:
                return found  # type: ignore[return-value]
            found = holder
        return None

    def function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The function whose body runs this node (its own decorators and defaults run outside of it)."""
        known = self._function_of
        if node in known:
            return known[node]
        child, parent = node, self.parent
        found = parent.get(node)
        while found is not None and not (type(found) is cst.FunctionDef and child is found.body):
            if type(found) is cst.IndentedBlock:
                found = self.function(found)  # known for the block from its first statement on
                break
            child = found
            found = parent.get(found)
        known[node] = found
        return found

    def calls_run_by(self, function: cst.FunctionDef) -> list[cst.Call]:
        """The calls that a function's own body makes, in source order."""
        if self._calls_of is None:
            self._calls_of = {}
            for call in self.all(cst.Call):
                self._calls_of.setdefault(self.function(call), []).append(call)
        return self._calls_of.get(function, [])

    def calls_numbered(self, numbers: Container[int]) -> list[cst.Call]:
        """The calls that have these places in the order of nodes, in source order: other files know calls by them."""
        return [call for call in self.all(cst.Call) if self.order[call] in numbers] if numbers else []

    def qualname(self, node: cst.FunctionDef | cst.ClassDef) -> str:
        """The qualified name of a function or class in its file: "Trainer.fit", "main.closure"."""
        outer = [n.name.value for n in self.ancestors(node) if isinstance(n, cst.FunctionDef | cst.ClassDef)]
        return ".".join([*reversed(outer), node.name.value])

    def class_of(self, node: cst.CSTNode) -> cst.ClassDef | None:
        """The class whose method or body holds this node."""
        return self.enclosing(node, cst.ClassDef)

    def loop(self, node: cst.CSTNode) -> cst.For | cst.While | None:
        """The innermost loop of the same function whose body repeats this node."""
        child, parent = node, self.parent
        found = parent.get(node)
        while found is not None and type(found) not in _FRAMES:
            if type(found) is cst.For and child is found.body:
                return found
            if type(found) is cst.While and (child is found.body or child is found.test):
                return found
            child = found
            found = parent.get(found)
        return None

    def block(self, statement: cst.CSTNode) -> Sequence[cst.BaseStatement]:
        """The statements of the block that holds this member."""
        holder = self.parent.get(statement)
        if isinstance(holder, cst.IndentedBlock | cst.Module):
            return holder.body
        return ()

    def before(self, first: cst.CSTNode, second: cst.CSTNode) -> bool:
        """Whether `first` stands before `second` in the source."""
        return self.order[first] < self.order[second]

    def line(self, node: cst.CSTNode) -> int:
        """1-based source line of a node.

        Statements are matched one to one with those of `ast`, which has lines for a tenth of what LibCST's position
        provider costs; inside a statement of several lines, the statement alone is rendered up to the node.
        """
        if type(node) is cst.SimpleStatementLine:
            node = node.body[0]
        statement = self.small_statement(node)
        line = self.statement_line(node)
        if statement is None or node is statement:
            return line
        if statement in self._on_one_line and type(node) not in _BELOW_HEAD:
            return line
        return line + self._lines_into(statement, node)

    def kept_by(self, result: cst.Module) -> set[cst.CSTNode]:
        """The largest pieces of this tree that a rebuilt module still has: what an edit does not touch is the very same
        node."""
        found: set[cst.CSTNode] = set()
        stack: list[cst.CSTNode] = [result]
        while stack:
            node = stack.pop()
            if node in self.order:
                found.add(node)
            else:
                stack += children(node)
        return found

    @cached_property
    def indent(self) -> str:
        """What one level of indentation is in the source; four blanks where nothing is indented."""
        lines = self.source.splitlines()
        return "\t" if any(line.startswith("\t") for line in lines) else self.module.default_indent

    def room(self, node: cst.CSTNode, width: int = 120) -> int:
        """Columns for what takes a node's place: a line the script keeps below `width` stays so."""
        text = cst.Module(body=()).code_for_node(node)
        line = self._without_comment(node, self.source.split("\n")[self.line(node) - 1].rstrip("\r")).expandtabs(4)
        around = len(line) - len(text) if "\n" not in text else len(line) - len(line.lstrip())
        return max(width, len(line)) - around

    def line_indent(self, node: cst.CSTNode) -> str:
        """How much farther in the line of a node begins than the line of its statement."""
        lines = self.source.split("\n")
        own, statement = lines[self.line(node) - 1], lines[self.statement_line(node) - 1]
        return own[: len(own) - len(own.lstrip())][len(statement) - len(statement.lstrip()) :]

    def _without_comment(self, node: cst.CSTNode, line: str) -> str:
        """The line without the comment behind a node's statement: how long that is says nothing of the code."""
        statement = self.statement(node)
        end = statement.trailing_whitespace if isinstance(statement, cst.SimpleStatementLine) else None
        if end is None or end.comment is None or not line.rstrip().endswith(end.comment.value.rstrip()):
            return line
        return line.rstrip()[: -len(end.comment.value.rstrip())].rstrip()

    def statement_line(self, node: cst.CSTNode) -> int:
        """1-based source line on which the statement of a node begins: cheaper than `line`, enough for evidence."""
        if self._lines is None:
            self._lines = self._statement_lines()
        statement = self.small_statement(node)
        return 1 if statement is None else self._lines[statement]

    @cached_property
    def _statement_numbers(self) -> dict[cst.CSTNode, int]:
        ours = (node for node in self.order if type(node) in _STATEMENTS)
        return {node: number for number, node in enumerate(ours)}

    def statement_numbered(self, number: int) -> cst.CSTNode | None:
        """The statement of that number."""
        return next((node for node, one in self._statement_numbers.items() if one == number), None)

    def statement_number(self, node: cst.CSTNode) -> int:
        """The number of the statement of a node, parents first, as `ast` counts statements too; -1 outside of all."""
        statement = self.small_statement(node)
        return -1 if statement is None else self._statement_numbers[statement]

    def _statement_lines(self) -> dict[cst.CSTNode, int]:
        theirs = self._begins or statement_lines(ast.parse(self.source))
        ours = [node for node in self.order if type(node) in _STATEMENTS]
        # `order` is insertion ordered and parents come first, as in the walk over `ast`.
        if len(theirs) != len(ours):
            raise AssertionError(f"ast sees {len(theirs)} statements, libcst {len(ours)}")
        pairs = list(zip(ours, theirs, strict=True))
        self._on_one_line = {node for node, (_, whole) in pairs if whole}
        return {node: line for node, (line, _) in pairs}

    def _lines_into(self, statement: Statement, node: cst.CSTNode) -> int:
        state = _LineFinder(self.module, node)
        above = 0
        head: cst.CSTNode = statement
        # A statement's own line is that of its first token: comments and decorators above it do not count.
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            if any(node is found for decorator in statement.decorators for found in walk(decorator)):
                head = statement.with_changes(leading_lines=())
                to_name = _LineFinder(self.module, statement.name)
                to_name.render(head)
                above = to_name.found or 0
            else:
                head = statement.with_changes(leading_lines=(), decorators=(), lines_after_decorators=())
        elif isinstance(statement, cst.BaseCompoundStatement):
            head = statement.with_changes(leading_lines=())
        state.render(head)
        return (state.found or 0) - above


class _Passed(Exception):
    """The node whose line is wanted is rendered."""


class _LineFinder(CodegenState):
    """Renders until a given node begins, counting the lines before it."""

    def __init__(self, module: cst.Module, wanted: cst.CSTNode) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.wanted = wanted
        self.found: int | None = None

    def render(self, statement: cst.CSTNode) -> None:
        """Render a statement as far as the wanted node; what comes after it says nothing."""
        with suppress(_Passed):
            statement._codegen(self)

    def before_codegen(self, node: cst.CSTNode) -> None:
        if node is self.wanted and self.found is None:
            self.found = "".join(self.tokens).replace("\r\n", "\n").replace("\r", "\n").count("\n")

    def after_codegen(self, node: cst.CSTNode) -> None:
        if node is self.wanted:
            raise _Passed

    @contextmanager
    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> Iterator[None]:
        if node is self.wanted:  # inside its own parentheses
            self.found = None
            self.before_codegen(node)
        yield
