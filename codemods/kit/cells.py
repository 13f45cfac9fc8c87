"""The cells of a notebook in the one script that is read of them.

A notebook is migrated as one script, so that its cells share their facts. `migrate.notebooks` makes that script: below
the code of each cell it puts a mark, a name that is a statement of its own, and in the place of what only IPython
understands (`%time`, `!pip install`, a cell that does not parse) a name with the text behind it as a comment. Nothing
here is ever written into a notebook.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.cell_marks import BROKEN, END, MAGIC

if TYPE_CHECKING:
    from codemods.kit.tree import Tree


def is_end(statement: cst.CSTNode) -> bool:
    """Whether a statement is the mark below a cell."""
    return _name_of(statement).startswith(END)


def stand_in(statement: cst.CSTNode) -> tuple[str, str]:
    """`MAGIC` or `BROKEN`, and the text that a statement stands for; two empty texts for any other statement."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return "", ""
    comment = statement.trailing_whitespace.comment
    for node in statement.body:
        value = getattr(node, "value", None)
        name = value.value if isinstance(value, cst.Name) else ""
        for kind in (MAGIC, BROKEN):
            if name.startswith(kind):
                return kind, comment.value.removeprefix("# ") if comment is not None else ""
    return "", ""


def spans(body: Sequence[cst.CSTNode]) -> Iterator[tuple[int, int]]:
    """For each cell, where its statements are among those of the module."""
    start = 0
    for index, statement in enumerate(body):
        if is_end(statement):
            yield start, index
            start = index + 1


class Cells:
    """Which cell a node is in. A script that is no notebook has none."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        marks = [item for item in tree.module.body if is_end(item)] if END in tree.source else []
        self._ends = [tree.line(mark) for mark in marks]

    def __bool__(self) -> bool:
        return bool(self._ends)

    def together(self, one: cst.CSTNode, other: cst.CSTNode) -> bool:
        """Whether two nodes are in one cell, or the script is no notebook."""
        return self._of(one) == self._of(other)

    def _of(self, node: cst.CSTNode) -> int:
        line = self._tree.line(node)
        return sum(end < line for end in self._ends)


def _name_of(statement: cst.CSTNode) -> str:
    """`x` of a line that is nothing else."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return ""
    small = statement.body[0]
    return small.value.value if isinstance(small, cst.Expr) and isinstance(small.value, cst.Name) else ""
