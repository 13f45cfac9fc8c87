"""Say what the Python of the target does not have.

A container brings its own Python: 3.8 for the Training Compiler of torch_xla 1.11 and 1.12, 3.9 for that of 1.13. A
program of today imports `TypeAlias`, matches patterns or writes `int | None`, and stops there before it trains. The
other way round torch_xla 2.9 needs Python 3.10, and `collections.Iterable` of an old program is gone there. What is
tried first, asked of `sys.version_info`, or only there for type checkers, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.names import dotted
from codemods.kit.phrases import Version
from codemods.kit.python_versions import GENERIC, GONE, KEYWORDS, METHODS, NEW
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher
from codemods.kit.tree import walk
from codemods.kit.tried import is_tried

_NEWEST = (3, 13)
"""The newest Python with a torch_xla 2.9."""
_SYNTAX: dict[type[cst.CSTNode], tuple[str, Version]] = {
    cst.Match: ("`match`", (3, 10)),
    cst.TryStar: ("`except*`", (3, 11)),
    cst.TypeAlias: ("`type`", (3, 12)),
    cst.TypeParameters: ("type parameters", (3, 12)),
    cst.TemplatedString: ("a template string", (3, 14)),
}
_PLAIN = {"None", "int", "str", "float", "bool", "bytes", "list", "dict", "tuple", "set", "complex", "object"}
_ASKED = {"version_info", "TYPE_CHECKING", "hasattr", "PY3", "PY2", "python_version"}
"""In a condition by which a program finds out what it has."""


class _Need(NamedTuple):
    node: cst.CSTNode
    what: str
    version: Version
    """The first Python that has it; of what is gone, the first that has not."""
    gone: bool = False


class PythonVersion(Codemod):
    """Say what the Python of the target does not have."""

    STAGE = Stage.TIDY
    EVERYWHERE = True
    RULES = (
        Rule("TC982", "what the Python of the target does not have", Safety.NOTE, Severity.ERROR,
             advice="write it for that Python: typing_extensions has the newer names of typing, and `from __future__ "
             "import annotations` leaves annotations as they are written",
             document="Python 3.8 to 3.14, What's New; SageMaker Python SDK 2.257.7 image_uri_config; PyPI"),
    )  # fmt: skip
    EXAMPLES = (
        Example("from typing import Self\n\nimport torch\n\nx = torch.ones(2).cuda()\n"),
        Example("from typing import Optional\n\nimport torch\n\nx = torch.ones(2).cuda()\n"),
    )

    def rewrite(self) -> None:
        script, target = self.script, self.edits.target
        if script.estimators or not (script.links.accelerated or (script.uses_torch and not script.on_cpu)):
            return
        oldest = newest = (3, 9) if target.version == (1, 13) else target.python
        if target.launcher is Launcher.TORCH_XLA:
            newest = _NEWEST
        said: dict[str, list[_Need]] = {}
        for need in self._needs():
            lacks = need.version <= oldest if need.gone else need.version > newest
            if lacks and not is_tried(self.script.tree, need.node, _ASKED):
                said.setdefault(need.what, []).append(need)
        for what, needs in said.items():
            version = ".".join(map(str, needs[0].version))
            when = f"is gone since Python {version}" if needs[0].gone else f"came with Python {version}"
            which = f"torch_xla {target.version[0]}.{target.version[1]} runs on {oldest[0]}.{oldest[1]}"
            which += " or later" if newest != oldest else ""
            more = f" ({len(needs)} places)" if len(needs) > 1 else ""
            first = min((need.node for need in needs), key=self.script.tree.line)
            self.note("TC982", first, f"{what} {when}: {which}{more}")

    def _needs(self) -> Iterator[_Need]:
        for kind, (what, version) in _SYNTAX.items():
            yield from (_Need(node, what, version) for node in self.script.tree.all(kind))
        for with_ in self.script.tree.all(cst.With):
            if isinstance(with_.lpar, cst.LeftParen):
                yield _Need(with_, "`with` in parentheses", (3, 9))
        yield from self._imports()
        yield from self._uses()
        yield from self._calls()
        yield from self._types()

    def _imports(self) -> Iterator[_Need]:
        for statement in self.script.tree.all(cst.Import):
            for alias in statement.names:
                yield from _named(alias, dotted(alias.name) or "")
        for from_ in self.script.tree.all(cst.ImportFrom):
            module = dotted(from_.module) if from_.module is not None and not from_.relative else None
            if module is not None and not isinstance(from_.names, cst.ImportStar):
                for alias in from_.names:
                    found = list(_named(alias, f"{module}.{dotted(alias.name)}"))
                    yield from found or _named(alias, module)

    def _uses(self) -> Iterator[_Need]:
        """`typing.Self`, `collections.Iterable`; a name that was imported by itself is said where it is imported."""
        modules = self.script.names.modules
        for name in [name for name in (*NEW, *GONE) if name.partition(".")[0] in modules and "." in name]:
            for _, node in self.script.names.uses(name):
                if isinstance(node, cst.Attribute):
                    yield from _named(node, name)

    def _calls(self) -> Iterator[_Need]:
        for call in self.script.tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value in METHODS:
                yield _Need(call, f"`.{func.attr.value}()`", METHODS[func.attr.value])
            given = [arg.keyword.value for arg in call.args if arg.keyword is not None]
            known = KEYWORDS.get(self._name_of(func) or "", {}) if given else {}
            for keyword in [one for one in given if one in known]:
                yield _Need(call, f"`{dotted(func)}({keyword}=)`", known[keyword])

    def _name_of(self, node: cst.BaseExpression) -> str | None:
        """The name of a builtin, or of what a library has."""
        if isinstance(node, cst.Name) and not self.script.names.bindings(node):
            return node.value
        return self.script.qualified(node)

    def _types(self) -> Iterator[_Need]:
        """Types that are evaluated: annotations of what is defined, `isinstance(x, int | str)`, `Size = int | None`."""
        later = any(
            dotted(one.module) == "__future__" and not isinstance(one.names, cst.ImportStar)
            and any(dotted(alias.name) == "annotations" for alias in one.names)
            for one in self.script.tree.all(cst.ImportFrom) if one.module is not None
        )  # fmt: skip
        for annotation in self.script.tree.all(cst.Annotation) if not later else ():
            if not self._is_local(annotation):
                yield from self._of_annotation(annotation)
        for either in self.script.tree.all(cst.BinaryOperation):
            if isinstance(either.operator, cst.BitOr) and self._is_checked(either):
                yield _Need(either, "a type `X | Y` that is evaluated", (3, 10))

    def _of_annotation(self, annotation: cst.Annotation) -> Iterator[_Need]:
        for node in walk(annotation.annotation):
            if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
                yield _Need(node, "a type `X | Y` that is evaluated", (3, 10))
            elif isinstance(node, cst.Subscript) and (self._name_of(node.value) or "").startswith(GENERIC):
                name = self._name_of(node.value) or ""
                if any(name == one or (one.endswith(".") and name.startswith(one)) for one in GENERIC):
                    yield _Need(node, f"`{dotted(node.value)}[...]` as a type that is evaluated", (3, 9))

    def _is_local(self, annotation: cst.Annotation) -> bool:
        """Whether it is of a variable in a function: that is never evaluated."""
        holder = self.script.tree.parent.get(annotation)
        outer = self.script.tree.ancestors(annotation)
        defined = next((one for one in outer if isinstance(one, cst.FunctionDef | cst.ClassDef)), None)
        return isinstance(holder, cst.AnnAssign) and isinstance(defined, cst.FunctionDef)

    def _is_checked(self, either: cst.BinaryOperation) -> bool:
        tree = self.script.tree
        sides = [node.value for node in (either.left, either.right) if isinstance(node, cst.Name)]
        holder = tree.parent.get(either)
        if isinstance(holder, cst.Assign):
            return "None" in sides or (len(sides) == 2 and set(sides) <= _PLAIN)
        call = tree.parent.get(holder) if isinstance(holder, cst.Arg) else None
        return (
            isinstance(call, cst.Call) and dotted(call.func) in ("isinstance", "issubclass") and call.args[1] is holder
        )


def _named(node: cst.CSTNode, name: str) -> Iterator[_Need]:
    """A name of the standard library, or of what is in a module that came or went."""
    for prefix in (name, *(name[:at] for at, one in enumerate(name) if one == ".")):
        if prefix in NEW:
            yield _Need(node, f"`{prefix}`", NEW[prefix])
            return
        if prefix in GONE:
            yield _Need(node, f"`{prefix}`", GONE[prefix], gone=True)
            return
