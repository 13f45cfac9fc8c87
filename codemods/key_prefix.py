"""Take a prefix off the keys of a checkpoint, and nothing else.

The vendor's page on data parallel training loads a checkpoint with `{k.partition('model.')[2]: state_dict[k] for k in
state_dict.keys()}`. A key that does not have the text becomes "": all of these are one key then, and the weights of all
but the last are lost without a word. A key that has it in its middle loses what stands before. Only a prefix is taken
off now, and keys without it stay. What torch's wrappers put before each key is `module.`.

Scripts that take that one off by its length, `k[7:]`, or with whatever stands before the first dot, cut into the keys
of the checkpoints that the migrated script writes, where nothing is wrapped. They get the same test; by the first dot
only where the script wrapped a model. A script that puts `module.` before keys is told: no model has it any more. So is
one that puts `_orig_mod.` there, the prefix of `torch.compile`, or that refuses or leaves out keys without it.
"""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.options import text
from codemods.kit.phrases import Idiom
from codemods.kit.roles import WRAPPERS
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_MODULE = '"module."'
_LENGTHS = {"7": _MODULE}
for _prefix in ("module.", "_orig_mod."):
    _LENGTHS |= dict.fromkeys((f'len("{_prefix}")', f"len('{_prefix}')"), f'"{_prefix}"')


class KeyPrefix(Codemod):
    """Take a prefix off the keys of a checkpoint, and nothing else."""

    STAGE = Stage.SAVE
    RULES = (
        Rule("TC623", "a prefix of checkpoint keys is taken off where it is there", Safety.REVIEW,
             advice="check which prefix the checkpoint has: torch's wrappers write `module.`",
             document="SageMaker: data parallel troubleshooting, unexpected prefix, which is wrong; torch 1.13 "
             "torch/nn/modules/utils.py consume_prefix_in_state_dict_if_present"),
        Rule("TC625", "checkpoint keys get the prefix of a wrapper that is gone", Safety.NOTE, Severity.ERROR,
             advice="leave the keys as they are: the model is not wrapped any more, and no key of it has the prefix"),
        Rule("TC636", "keys of a checkpoint must have the prefix of torch.compile", Safety.NOTE, Severity.ERROR,
             advice="take `_orig_mod.` off the keys that have it, and take the others as they are: no model is "
             "compiled, and what is saved from now on has no key with it"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import torch\n\nstate = torch.load("model.pt", map_location="cpu")\n'
            'state = {k.partition("model.")[2]: v for k, v in state.items()}\n',
            smtc='import torch\n\nstate = torch.load("model.pt", map_location="cpu")\n'
            'state = {k[len("model.") :] if k.startswith("model.") else k: v for k, v in state.items()}\n',
            xla='import torch\n\nstate = torch.load("model.pt", map_location="cpu")\n'
            'state = {k.removeprefix("model."): v for k, v in state.items()}\n',
        ),
        Example(before='name = {path.partition("model.")[2]: path for path in paths}\n'),
    )

    def rewrite(self) -> None:
        tree = self.script.tree
        if "_orig_mod" in tree.source:
            self._of_compiled()
        if not self._has_state():
            return
        wraps = bool(self.script.calls(*WRAPPERS))
        parts: list[cst.BaseExpression] = [*tree.all(cst.Subscript), *tree.all(cst.Call)]
        for part in parts:
            cut = _cut(part)
            if cut is None or not (cut.prefix or wraps) or not self._is_key(part) or self._is_asked(part, cut.key):
                continue
            edit = self.edit("TC623", part, f"{code_of(part)} loses the keys that do not have the prefix")
            said = edit.say(Idiom.WITHOUT_PREFIX, text=cut.key, prefix=cut.prefix or self.quoted("module."))
            if isinstance(tree.parent.get(part), cst.DictComp | cst.Index | cst.Assign):
                said = said.with_changes(lpar=(), rpar=())
            edit.replace(part, said)
        added: list[cst.BaseExpression] = [*tree.all(cst.BinaryOperation), *tree.all(cst.FormattedString)]
        for node in added if wraps else ():
            if _adds_prefix(node) and self._is_key(node):
                self.note("TC625", node, f"{code_of(node)} is no key of a model that is not wrapped")

    def _of_compiled(self) -> None:
        """What counts on the prefix of `torch.compile`."""
        tree = self.script.tree
        added: list[cst.BaseExpression] = [*tree.all(cst.BinaryOperation), *tree.all(cst.FormattedString)]
        named = ((call, call.func) for call in tree.all(cst.Call))
        calls = [call for call, func in named if isinstance(func, cst.Attribute) and func.attr.value == "format"]
        for node in [*added, *calls]:
            if self._adds_compiled(node) and self._is_key(node):
                self.note("TC625", node, f"{code_of(node)} is no key of a model that is not compiled")
        tests = [only.test for part in tree.all(cst.CompFor) for only in part.ifs if not _is_negative(only.test)]
        tests += [one.test for one in tree.all(cst.Assert)]
        for test in [*tests, *(one.test for one in tree.all(cst.If) if self._needs(one))]:
            if self._names_compiled(test):
                self.note("TC636", test, "what is saved now has no key with `_orig_mod.`: none is taken here")

    def _adds_compiled(self, node: cst.BaseExpression) -> bool:
        """`"_orig_mod." + k`, `PREFIX + "." + k`, `f"_orig_mod.{k}"`, `"_orig_mod.{}".format(k)`"""
        if isinstance(node, cst.Call):
            return text(node.func.value).startswith("_orig_mod.") if isinstance(node.func, cst.Attribute) else False
        if isinstance(node, cst.FormattedString):
            first = node.parts[0] if node.parts else None
            if isinstance(first, cst.FormattedStringText):
                return first.value.startswith("_orig_mod.")
            return isinstance(first, cst.FormattedStringExpression) and self._names_compiled(first.expression)
        while isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
            node = node.left
        return not isinstance(node, cst.BinaryOperation) and self._names_compiled(node)

    def _names_compiled(self, node: cst.CSTNode) -> bool:
        """Whether an expression has the text `_orig_mod` in it, as it is or by a name for it; not as an attribute."""
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in ("hasattr", "getattr"):
            return False
        if isinstance(node, cst.SimpleString | cst.Name):
            held = self.script.estimators.literals.value(node)
            return isinstance(held, str) and held.startswith("_orig_mod")
        return any(self._names_compiled(one) for one in node.children)

    def _needs(self, test: cst.If) -> bool:
        """Whether keys without the prefix are refused by an `if`, or those with it alone get into another dict."""
        arms = [test.body, test.orelse.body] if isinstance(test.orelse, cst.Else) else [test.body]
        if any(isinstance(node, cst.Raise) for arm in arms for node in walk(arm)):
            return True
        lines = [line for line in walk(test.body) if isinstance(line, cst.Assign)]
        stored = any(isinstance(line.targets[0].target, cst.Subscript) for line in lines)
        moved = any(word in code_of(test.body) for word in (".pop(", "del "))
        return stored and not moved and test.orelse is None and not _is_negative(test.test)

    def _is_key(self, part: cst.BaseExpression) -> bool:
        """Whether it is the key of a dict that is made: `{part: v for ...}`, `state[part] = v`, `(part, v) for ...`, or
        a name for it that is one, `name = part`."""
        tree = self.script.tree
        holder = tree.parent.get(part)
        if isinstance(holder, cst.DictComp):
            return holder.key is part
        if isinstance(holder, cst.Assign):
            target = holder.targets[0].target
            uses = self.script.names.named(target.value) if isinstance(target, cst.Name) else []
            return any(use is not target and tree.before(holder, use) and self._is_stored(use) for use in uses)
        pair = tree.parent.get(holder) if isinstance(holder, cst.Element) else None
        if isinstance(pair, cst.Tuple):
            return pair.elements[0] is holder and isinstance(tree.parent.get(pair), cst.GeneratorExp | cst.ListComp)
        return self._is_stored(part)

    def _is_stored(self, part: cst.BaseExpression) -> bool:
        tree = self.script.tree
        holder = tree.parent.get(part)
        element = tree.parent.get(holder) if isinstance(holder, cst.Index) else None
        place = tree.parent.get(element) if element is not None else None
        return isinstance(place, cst.Subscript) and isinstance(tree.parent.get(place), cst.AssignTarget)

    def _is_asked(self, part: cst.CSTNode, key: str) -> bool:
        """Whether the script itself asks for the prefix before it takes it off."""
        tree, tests = self.script.tree, []
        for outer in tree.ancestors(part):
            if isinstance(outer, cst.If | cst.IfExp):
                tests.append(outer.test)
            elif isinstance(outer, cst.DictComp | cst.GeneratorExp | cst.ListComp):
                tests += [each.test for each in outer.for_in.ifs]
        asked = (f"{key}.startswith(", f'module." in {key}', f"module.' in {key}")
        return any(each in code_of(test) for test in tests for each in asked)

    def _has_state(self) -> bool:
        """Whether the script loads checkpoints at all: other keys may be cut on purpose."""
        loads = (call.func for call in self.script.tree.all(cst.Call))
        return bool(self.script.calls("torch.load")) or any(
            isinstance(func, cst.Attribute) and func.attr.value == "load_state_dict" for func in loads
        )


class _Cut(NamedTuple):
    key: str
    """The name that is cut."""
    prefix: str
    """The literal of the prefix; empty where it is what stands before the first dot."""


def _cut(part: cst.BaseExpression) -> _Cut | None:
    """`k.partition("model.")[2]`, `k.split("model.")[1]`, `k[7:]`, `".".join(k.split(".")[1:])`"""
    if isinstance(part, cst.Call):
        joins = isinstance(part.func, cst.Attribute) and part.func.attr.value == "join" and len(part.args) == 1
        return _from_second(part.args[0].value) if joins and text(getattr(part.func, "value", None)) == "." else None
    if not isinstance(part, cst.Subscript) or len(part.slice) != 1:
        return None
    index, whole = part.slice[0].slice, part.value
    if isinstance(index, cst.Slice):
        begins = code_of(index.lower) if index.lower is not None and index.upper is None else ""
        return _Cut(whole.value, _LENGTHS[begins]) if isinstance(whole, cst.Name) and begins in _LENGTHS else None
    called = _method(whole)
    if called is None or (called[1], code_of(index)) not in (("partition", "2"), ("split", "1")):
        return None
    key, method, separator, more = called
    if text(separator) == "." and (method == "partition" or more == "1"):
        return _Cut(key, "")
    named = text(separator).endswith(".") and text(separator) != "." and isinstance(separator, cst.SimpleString)
    return _Cut(key, code_of(separator)) if named else None


def _from_second(node: cst.BaseExpression) -> _Cut | None:
    """`k.split(".")[1:]`"""
    index = node.slice[0].slice if isinstance(node, cst.Subscript) and len(node.slice) == 1 else None
    if not isinstance(node, cst.Subscript) or not isinstance(index, cst.Slice) or code_of(index).strip() != "1:":
        return None
    called = _method(node.value)
    return _Cut(called[0], "") if called is not None and called[1] == "split" and text(called[2]) == "." else None


def _method(node: cst.BaseExpression) -> tuple[str, str, cst.BaseExpression, str] | None:
    """The name, the method, the separator and the number of cuts of `k.split(".", 1)`."""
    func = node.func if isinstance(node, cst.Call) else None
    if not isinstance(node, cst.Call) or not isinstance(func, cst.Attribute) or not isinstance(func.value, cst.Name):
        return None
    more = code_of(node.args[1].value) if len(node.args) == 2 else ""
    return (func.value.value, func.attr.value, node.args[0].value, more) if node.args else None


def _is_negative(test: cst.BaseExpression) -> bool:
    """Whether a test asks for keys that do not have a prefix."""
    return any(isinstance(node, cst.Not | cst.NotEqual | cst.NotIn) for node in walk(test))


def _adds_prefix(node: cst.BaseExpression) -> bool:
    """`"module." + k`, `f"module.{k}"`"""
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, cst.Add) and text(node.left) == "module."
    first = node.parts[0] if isinstance(node, cst.FormattedString) and node.parts else None
    return isinstance(first, cst.FormattedStringText) and first.value == "module."
