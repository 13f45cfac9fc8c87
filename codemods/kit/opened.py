"""Files that a script opens only to save into: `with open(path, "wb") as f: torch.save(state, f)`.

Where every process saves and one of them writes, each of the others would empty the file by opening it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit import build
from codemods.kit.edits import unwrapped
from codemods.kit.names import argument
from codemods.kit.roles import Role

if TYPE_CHECKING:
    from codemods.kit.script import Script


def opening_of(script: Script, call: cst.Call, file: cst.Arg | None) -> cst.With | None:
    """The `with` statement that opens the file of a save and does nothing but this save, or None."""
    tree = script.tree
    bindings = script.names.bindings(file.value) if file is not None else []
    item = bindings[0].node if len(bindings) == 1 and bindings[0].kind == "with" else None
    opening = tree.parent.get(item) if item is not None else None
    if not isinstance(opening, cst.With) or len(opening.items) > 1 or len(opening.body.body) > 1:
        return None
    opened = opening.items[0].item
    if not isinstance(opened, cst.Call) or script.qualified(opened.func) != "builtins.open" or not opened.args:
        return None
    if opened.args[0].keyword is not None or opened.args[0].star:
        return None
    alone = isinstance(tree.parent.get(call), cst.Expr) and tree.statement(call) is opening.body.body[0]
    return opening if alone else None


def saved_by_name(updated: cst.With) -> Sequence[cst.BaseStatement]:
    """The save alone, which is given the name of the file. `updated`: what `opening_of` found, with its edits."""
    opened, (line,) = updated.items[0].item, unwrapped(updated)
    assert isinstance(opened, cst.Call)
    assert isinstance(line, cst.SimpleStatementLine)
    statement = line.body[0]
    assert isinstance(statement, cst.Expr)
    save = statement.value
    assert isinstance(save, cst.Call)
    named = build.with_arguments(save, [save.args[0], save.args[1].with_changes(value=opened.args[0].value)])
    return [line.with_changes(body=[statement.with_changes(value=named)])]


def is_on_host(saved: cst.BaseExpression) -> bool:
    """`features.cpu()`, `{k: v.cpu() for k, v in state.items()}`, or a display of such and of literals."""
    if isinstance(saved, cst.Call):
        return isinstance(saved.func, cst.Attribute) and saved.func.attr.value in ("cpu", "numpy", "tolist", "item")
    if isinstance(saved, cst.DictComp):
        return is_on_host(saved.value)
    if isinstance(saved, cst.ListComp | cst.GeneratorExp):
        return is_on_host(saved.elt)
    if isinstance(saved, cst.Dict):
        return all(isinstance(each, cst.DictElement) and is_on_host(each.value) for each in saved.elements)
    if isinstance(saved, cst.List | cst.Tuple):
        return all(isinstance(each, cst.Element) and is_on_host(each.value) for each in saved.elements)
    return isinstance(saved, cst.BaseString | cst.BaseNumber)


def is_in_dataset(script: Script, node: cst.CSTNode) -> bool:
    """Whether code belongs to a dataset, which the workers of a loader run: what it keeps in files never was on a
    device, and a worker must not reach for one."""
    class_ = script.tree.class_of(node)
    if class_ is None:
        return False
    if script.roles.class_role(class_) is Role.DATASET:
        return True
    return all(script.names.method(class_, name) is not None for name in ("__getitem__", "__len__"))


def read_below(script: Script, save: cst.Call) -> cst.Call | None:
    """The call that loads a file again which the same function saves: below, whenever it was saved."""
    tree, file, statement = script.tree, argument(save, 1, "f"), script.tree.statement(save)
    if file is None or statement is None:
        return None
    for load in script.calls("torch.load"):
        read = argument(load, 0, "f")
        if read is None or not tree.before(save, load) or tree.function(load) is not tree.function(save):
            continue
        below = any(tree.contains(each, load) for each in tree.block(statement))
        if below and build.code_of(read.value) == build.code_of(file.value):
            return load
    return None
