"""Where settings are kept: an item of a dictionary, an attribute of a class, what a function returns, a path."""

from __future__ import annotations

from collections.abc import Callable
from posixpath import join, normpath
from typing import TYPE_CHECKING, Any

import libcst as cst

from codemods.kit.names import Names
from codemods.kit.tree import Tree

if TYPE_CHECKING:
    from codemods.kit.literals import Literals

_PATHS = ("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath")
READS = {"get", "items", "keys", "values", "copy", "__contains__"}
"""Methods that leave a dictionary as it is."""
_SAME = {"resolve", "absolute", "as_posix", "expanduser"}
"""Methods of a path that give the same one."""


def held_by(literals: Literals, tree: Tree, names: Names, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The expression that `CONFIG["ddp"]`, `CONFIG.get("ddp")`, `self.dist`, `Config.DIST` or `dist()` stands for, when
    there is one only; None where that is not certain."""
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=key))]):
            return _item(literals, node.value, key)
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value="get")), args=[only]) if not only.star:
            return _item(literals, owner, only.value)
        case cst.Attribute(value=cst.Name()):
            return _attribute(tree, names, node)
        case cst.Call(func=cst.Name(), args=[]):
            return _returned(tree, names, node)
    return None


def _item(literals: Literals, holder: cst.BaseExpression, key: cst.BaseExpression) -> cst.BaseExpression | None:
    entries, name = literals.entries(holder), literals.value(key)
    if entries is None or not isinstance(name, str) or name in entries.unsure:
        return None
    found = entries.by_key.get(name)
    return found.value if found is not None else None


def _attribute(tree: Tree, names: Names, node: cst.Attribute) -> cst.BaseExpression | None:
    """What the only assignment of an attribute gives, of the class around or of one that is named."""
    owner = cst.ensure_type(node.value, cst.Name).value
    around = next((each for each in tree.ancestors(node) if isinstance(each, cst.ClassDef)), None)
    named = (each for each in tree.all(cst.ClassDef) if each.name.value == owner)
    class_ = around if owner in ("self", "cls") else next(named, None)
    if class_ is None:
        return None
    found: list[cst.Assign] = []
    for assign in tree.all(cst.Assign):
        for target in assign.targets:
            name = target.target
            inside = tree.parent.get(tree.parent[assign]) is class_.body
            written = name.attr if isinstance(name, cst.Attribute) else name if inside else None
            if isinstance(written, cst.Name) and written.value == node.attr.value:
                found.append(assign)
    once = len(found) == 1 and tree.contains(class_, found[0])
    return found[0].value if once and not _is_changed(tree, node.attr.value) else None


def _is_changed(tree: Tree, attribute: str) -> bool:
    """Whether an item of what an attribute holds is set, or a method other than `get` is called on it."""
    holders: list[cst.Subscript | cst.Attribute] = [*tree.all(cst.Subscript), *tree.all(cst.Attribute)]
    for holder in holders:
        held = holder.value
        above = tree.parent.get(holder)
        if isinstance(held, cst.Attribute) and held.attr.value == attribute:
            calls = isinstance(above, cst.Call) and isinstance(holder, cst.Attribute) and holder.attr.value not in READS
            if calls or isinstance(above, cst.AssignTarget | cst.AugAssign | cst.Del | cst.Subscript):
                return True
    return False


def _returned(tree: Tree, names: Names, node: cst.Call) -> cst.BaseExpression | None:
    function = names.local_function(node.func)
    if not isinstance(function, cst.FunctionDef) or function.asynchronous is not None or function.decorators:
        return None
    returned = [each.value for each in tree.all(cst.Return) if tree.function(each) is function]
    yields = any(tree.function(each) is function for each in tree.all(cst.Yield))
    return returned[0] if len(returned) == 1 and not yields else None


def path_text(value: Callable[[cst.BaseExpression], Any], names: Names, node: cst.BaseExpression) -> str | None:
    """The text of `Path("src") / "train.py"`, `str(...)` of one, or `os.path.join("src", "train.py")`; None for what is
    none, or cannot be seen. The folder of the script itself is "."."""
    match node:
        case cst.BinaryOperation(operator=cst.Divide()):
            return _joined([value(node.left), value(node.right)])
        case cst.Attribute(attr=cst.Name(value="parent")):
            return "." if _is_itself(names, node.value) else None
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=method)), args=[]) if method in _SAME:
            found = value(owner)
            return found if isinstance(found, str) else None
    if not isinstance(node, cst.Call) or any(arg.star or arg.keyword for arg in node.args) or not node.args:
        return None
    name = names.qualified(node.func)
    if name == "os.path.dirname":
        return "." if _is_itself(names, node.args[0].value) else None
    if name in _PATHS or name == "os.path.join" or (name in ("builtins.str", "os.fspath") and len(node.args) == 1):
        return _joined([value(arg.value) for arg in node.args])
    return None


def _is_itself(names: Names, node: cst.BaseExpression) -> bool:
    """`__file__`, `Path(__file__).resolve()`, `os.path.abspath(__file__)`"""
    match node:
        case cst.Name(value="__file__"):
            return True
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=method)), args=[]) if method in _SAME:
            return _is_itself(names, owner)
        case cst.Call(args=[only]) if names.qualified(node.func) in (*_PATHS, "os.path.abspath", "os.path.realpath"):
            return _is_itself(names, only.value)
    return False


def _joined(parts: list[Any]) -> str | None:
    texts = [part for part in parts if isinstance(part, str)]
    return normpath(join(*texts)) if texts and len(texts) == len(parts) and "://" not in texts[0] else None
