"""Conditions on the version of torch, whose truth the target's decides.

`torch.__version__` is compared in many ways: as a text, split and made numbers, by `packaging` or `LooseVersion`.
Plain computing with it is done here for each torch that the target may come with. What is not plain, or differs among
these, is not decided.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from functools import total_ordering
from typing import Any

import libcst as cst

from codemods.kit.names import Names
from codemods.kit.phrases import Version
from codemods.kit.tree import Tree

_VERSION = {"torch.__version__", "torch.version.__version__"}
_PARSERS = {
    "packaging.version.parse", "packaging.version.Version", "pkg_resources.parse_version",
    "pkg_resources.packaging.version.parse", "distutils.version.LooseVersion", "distutils.version.StrictVersion",
    "setuptools._distutils.version.LooseVersion", "torch.torch_version.TorchVersion",
}  # fmt: skip
_BUILTINS: dict[str, Callable[..., Any]] = {
    f"builtins.{one.__name__}": one for one in (int, float, str, tuple, list, len, bool)
} | {"builtins.map": lambda function, values: [function(one) for one in values]}
_METHODS = {"split", "rsplit", "strip", "lstrip", "rstrip", "startswith", "endswith", "replace", "partition"}
_ATTRIBUTES = {"release", "major", "minor", "version"}
"""Of a parsed version."""
_COMPARE: dict[type[cst.BaseCompOp], Callable[[Any, Any], Any]] = {
    cst.Equal: operator.eq, cst.NotEqual: operator.ne, cst.LessThan: operator.lt, cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt, cst.GreaterThanEqual: operator.ge,
    cst.In: lambda one, many: one in many, cst.NotIn: lambda one, many: one not in many,
}  # fmt: skip
_DEPTH = 20

Values = Mapping[str, Any]
"""What the variables of comprehensions are."""


class _Unknown(Exception):
    """Not plain."""


@total_ordering
class _Parsed:
    """A version that is compared number by number: `2.9.0+cpu` comes after `2.9.0`, and `1.13` is `1.13.0`."""

    def __init__(self, text: str) -> None:
        found = re.fullmatch(r"v?(\d+(?:\.\d+)*)((?:a|b|rc|\.?dev)\d*)?(?:\+(.*))?", text.strip())
        if found is None:
            raise _Unknown
        self.release = tuple(map(int, found[1].split(".")))
        self.major, self.minor = (*self.release, 0)[:2]
        self.version = list(self.release)
        release = self.release
        while release and not release[-1]:
            release = release[:-1]
        self._key = (release, found[2] is None, found[3] or "")

    def __eq__(self, other: object) -> bool:
        return self._key == _parsed(other)._key

    def __lt__(self, other: object) -> bool:
        return self._key < _parsed(other)._key

    __hash__ = None  # type: ignore[assignment]


class _Torch(str):
    """`torch.__version__`: a text, which compares as a version with what is one, also with a tuple."""

    __slots__ = ()

    def compared(self, how: Callable[[Any, Any], Any], other: object) -> bool:
        """Whether it is so of the versions, or of the texts where the other is none."""
        try:
            return bool(how(_Parsed(str(self)), _parsed(other)))
        except _Unknown:
            return bool(how(str(self), other))


def _parsed(other: object) -> _Parsed:
    if isinstance(other, _Parsed):
        return other
    if isinstance(other, tuple | list) and all(isinstance(one, int) for one in other):
        return _Parsed(".".join(map(str, other)))
    if isinstance(other, str):
        return _Parsed(str(other))
    raise _Unknown


class TorchVersions:
    """What conditions of one script say where torch is of one version."""

    def __init__(self, tree: Tree, names: Names, version: Version) -> None:
        self._tree, self._names = tree, names
        builds = ("", "+cpu", "+cu118")
        self._texts = [f"{version[0]}.{version[1]}.{patch}{built}" for patch in (0, 1) for built in builds]
        self._text, self._depth = "", 0

    def truth(self, test: cst.BaseExpression) -> bool | None:
        """Whether a condition holds there; None where more than the version decides."""
        found: set[bool] = set()
        for text in self._texts:
            self._text = text
            try:
                found.add(bool(self._value(test, {})))
            except Exception:  # what the program's computing raises, it would not compare
                return None
        return found.pop() if len(found) == 1 else None

    def runs(self, node: cst.CSTNode) -> bool | None:
        """Whether the arms that hold a node run; None where nothing above it asks for the version."""
        asked, below = None, node
        for outer in self._tree.ancestors(node):
            if isinstance(outer, cst.If | cst.IfExp) and below is not outer.test:
                truth = self.truth(outer.test) if self.asks(outer.test) else None
                if truth is not None:
                    if truth is not (below is outer.body):
                        return False
                    asked = True
            below = outer
        return asked

    def asks(self, test: cst.BaseExpression) -> bool:
        """Whether a condition names torch's version, by itself or through a variable."""
        named = {id(node) for name in _VERSION for _, node in self._names.uses(name)}
        if not named:
            return False
        values = [test, *(bound.value for one in self._tree.inside(test, cst.Name)
                          for bound in self._names.bindings(one) if bound.value is not None)]  # fmt: skip
        inside = (one for value in values for one in (value, *self._tree.inside(value, cst.Attribute)))
        return any(id(one) in named for one in inside)

    # --- plain computing ----------------------------------------------------------------------------------------------

    def _value(self, node: cst.BaseExpression, known: Values) -> Any:
        self._depth += 1
        try:
            if self._depth > _DEPTH:
                raise _Unknown
            return self._computed(node, known)
        finally:
            self._depth -= 1

    def _computed(self, node: cst.BaseExpression, known: Values) -> Any:
        match node:
            case cst.SimpleString() | cst.Integer() | cst.Float():
                return node.evaluated_value
            case cst.Tuple() | cst.List():
                found = [self._value(one.value, known) for one in node.elements]
                return tuple(found) if isinstance(node, cst.Tuple) else found
            case cst.UnaryOperation(operator=cst.Not()):
                return not self._value(node.expression, known)
            case cst.BooleanOperation():
                left, both = self._value(node.left, known), isinstance(node.operator, cst.And)
                return self._value(node.right, known) if bool(left) is both else left
            case cst.Comparison():
                return self._compared(node, known)
            case cst.Subscript():
                return self._value(node.value, known)[self._index(node, known)]
            case cst.Call():
                return self._called(node, known)
            case cst.GeneratorExp() | cst.ListComp():
                return self._listed(node, known)
        return self._named(node, known)

    def _named(self, node: cst.BaseExpression, known: Values) -> Any:
        if self._names.qualified(node) in _VERSION:
            return _Torch(self._text)
        if isinstance(node, cst.Name) and node.value in known:
            return known[node.value]
        if isinstance(node, cst.Attribute) and node.attr.value in _ATTRIBUTES:
            held = self._value(node.value, known)
            if isinstance(held, _Parsed):
                return getattr(held, node.attr.value)
        bound = self._names.bindings(node)
        if len(bound) != 1 or bound[0].kind != "assign" or bound[0].value is None or self._tree.loop(bound[0].node):
            raise _Unknown
        value = self._value(bound[0].value, {})
        for step in bound[0].path:
            value = value[step]
        return value

    def _compared(self, node: cst.Comparison, known: Values) -> bool:
        left = self._value(node.left, known)
        for one in node.comparisons:
            right = self._value(one.comparator, known)
            how, turned = _COMPARE[type(one.operator)], not isinstance(left, _Torch) and isinstance(right, _Torch)
            if isinstance(one.operator, cst.In | cst.NotIn) or not (isinstance(left, _Torch) or turned):
                holds = bool(how(left, right))
            else:
                holds = right.compared(lambda a, b, how=how: how(b, a), left) if turned else left.compared(how, right)
            if not holds:
                return False
            left = right
        return True

    def _index(self, node: cst.Subscript, known: Values) -> Any:
        part = node.slice[0].slice if len(node.slice) == 1 else None
        if isinstance(part, cst.Index):
            return self._value(part.value, known)
        if not isinstance(part, cst.Slice):
            raise _Unknown
        return slice(*(self._value(one, known) if one else None for one in (part.lower, part.upper, part.step)))

    def _called(self, node: cst.Call, known: Values) -> Any:
        name = self._names.qualified(node.func)
        if any(arg.keyword is not None or arg.star for arg in node.args):
            raise _Unknown
        if name == "builtins.map":
            return [self._function(node.args[0].value)(one) for one in self._value(node.args[1].value, known)]
        given = [self._value(arg.value, known) for arg in node.args]
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in _METHODS:
            return getattr(str(self._value(node.func.value, known)), node.func.attr.value)(*given)
        return self._function(node.func)(*given)

    def _function(self, func: cst.BaseExpression) -> Callable[..., Any]:
        name = self._names.qualified(func) or ""
        if name in _PARSERS:
            return _parsed
        if name in _BUILTINS:
            return _BUILTINS[name]
        raise _Unknown

    def _listed(self, node: cst.GeneratorExp | cst.ListComp, known: Values) -> list[Any]:
        part = node.for_in
        if part.inner_for_in is not None or not isinstance(part.target, cst.Name):
            raise _Unknown
        found = []
        for one in self._value(part.iter, known):
            inner = {**known, part.target.value: one}
            if all(self._value(test.test, inner) for test in part.ifs):
                found.append(self._value(node.elt, inner))
        return found
