"""What a program tries first, or asks for: it knows that not every Python, or every torch, has it."""

from __future__ import annotations

from collections.abc import Set

import libcst as cst

from codemods.kit.tree import Tree, walk

_CAUGHT = ("ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException")


def is_tried(tree: Tree, node: cst.CSTNode, asked: Set[str], stand_in: type[object] = cst.ImportAlias) -> bool:
    """Whether a use or an import is tried, is a `stand_in` for what failed, or is below a condition that names one of
    what is `asked`."""
    below = node
    for outer in tree.ancestors(node):
        if isinstance(outer, cst.Try) and tree.contains(outer.body, node) and any(map(_catches, outer.handlers)):
            return True
        if isinstance(outer, cst.ExceptHandler) and isinstance(node, stand_in):
            return True
        if isinstance(outer, cst.If | cst.IfExp) and below is not outer.test:
            if asked & {one.value for one in walk(outer.test) if isinstance(one, cst.Name)}:
                return True
        below = outer
    return False


def _catches(handler: cst.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(isinstance(one, cst.Name) and one.value in _CAUGHT for one in walk(handler.type))
