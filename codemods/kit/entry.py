"""What a script runs when it starts: its `__main__` guard, and the work it does at module level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import libcst as cst

from codemods.kit import build
from codemods.kit.ranks import VARIABLES
from codemods.kit.script import Script
from codemods.kit.tree import walk

# Calls at module level that may run once more in every process without harm.
_LIGHT = ("logging.", "warnings.", "os.path.", "sys.path.", "os.environ.", "matplotlib.", "datetime.", "time.",
          "collections.", "typing.", "re.", "random.seed", "numpy.random.seed", "torch.manual_seed", "dataclasses.",
          "pathlib.", "builtins.", "os.getenv", "torchvision.transforms.", "torch.backends.", "os.getcwd")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Entry:
    """Where a script begins."""

    guard: cst.If | None
    """`if __name__ == "__main__":`"""
    call: cst.Call | None
    """When the guard's body is one call of a function of the script without arguments: that call."""
    work: tuple[cst.BaseStatement, ...]
    """Top-level statements, without the guard, that do the script's work: parse arguments, build, train. Definitions,
    imports and constants are not among them."""

    @property
    def body(self) -> Sequence[cst.BaseStatement]:
        """The statements under the guard."""
        if self.guard is None or not isinstance(self.guard.body, cst.IndentedBlock):
            return ()
        return [item for item in self.guard.body.body if isinstance(item, cst.BaseStatement)]


def read_entry(script: Script) -> Entry:
    """The entry of a script."""
    members = [item for item in script.module.body if isinstance(item, cst.BaseStatement)]
    guard = next((item for item in members if isinstance(item, cst.If) and script.is_main_guard(item)), None)
    work: list[cst.BaseStatement] = []
    for item in members:
        if item is guard or _is_definition(item):
            continue
        if work or _works(script, item):
            work.append(item)
    return Entry(guard, _only_call(script, guard), tuple(work))


def _is_definition(item: cst.BaseStatement) -> bool:
    if isinstance(item, cst.FunctionDef | cst.ClassDef):
        return True
    if isinstance(item, cst.SimpleStatementLine):
        first = item.body[0]
        if isinstance(first, cst.Expr):
            return isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)
        return isinstance(first, cst.Import | cst.ImportFrom)
    if isinstance(item, cst.Try) and any(isinstance(node, cst.Import | cst.ImportFrom) for node in walk(item.body)):
        return True  # an optional import, with what is done when it is missing
    return isinstance(item, cst.Try | cst.If) and not any(
        isinstance(node, cst.Call | cst.For | cst.While) for node in walk(item)
    )


def _works(script: Script, item: cst.BaseStatement) -> bool:
    if isinstance(item, cst.For | cst.While | cst.With):
        return True
    ranks = [node for node, key in script.ranks.environment if key in VARIABLES]
    if any(script.tree.contains(item, node) for node in ranks):
        return True  # which process this is, which the migrated script can ask once the processes have started
    for node in walk(item):
        if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            return False
        if isinstance(node, cst.Call) and not (script.qualified(node.func) or "").startswith(_LIGHT):
            owner = node.func.value if isinstance(node.func, cst.Attribute) else None
            if isinstance(owner, cst.BaseString):
                continue
            return True
    return False


def _only_call(script: Script, guard: cst.If | None) -> cst.Call | None:
    if guard is None or not isinstance(guard.body, cst.IndentedBlock) or len(guard.body.body) != 1:
        return None
    line = guard.body.body[0]
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return None
    small = line.body[0]
    if not isinstance(small, cst.Expr) or not isinstance(small.value, cst.Call) or small.value.args:
        return None
    return small.value if script.names.local_function(small.value.func) is not None else None


def shared_names(script: Script, moved: Iterable[cst.CSTNode]) -> list[str]:
    """Names bound by top-level statements that functions of the script read: `global` in the function they move into."""
    tree, names = script.tree, script.names
    inside = set(moved)

    def is_moved(node: cst.CSTNode) -> bool:
        return node in inside or any(outer in inside for outer in tree.ancestors(node))

    bound = {
        name
        for name, bindings in names.module.names.items()
        if any(binding.kind not in ("import", "function", "class") and is_moved(binding.node) for binding in bindings)
    }
    found: list[str] = []
    for node in tree.all(cst.Name):
        if node.value in bound and node.value not in found:
            scope = names.scope(node)
            if scope is not names.module and not is_moved(node):
                owner = names.find(node.value, scope)
                if owner is not None and owner[0] is names.module:
                    found.append(node.value)
    return [name for name in names.module.names if name in found]


def needed_at_import(script: Script, moved: Sequence[cst.CSTNode]) -> cst.CSTNode | None:
    """A definition whose decorators, defaults, bases or class body use a name that would no longer be there."""
    tree, names = script.tree, script.names
    inside = set(moved)
    bound = {
        name
        for name, bindings in names.module.names.items()
        if all(any(o in inside for o in (b.node, *tree.ancestors(b.node))) for b in bindings)
    }
    for node in tree.all(cst.Name):
        if node.value not in bound or any(outer in inside for outer in (node, *tree.ancestors(node))):
            continue
        scope = names.scope(node)
        while scope.is_class and scope.outer is not None:
            scope = scope.outer
        if scope is names.module and not isinstance(tree.parent.get(node), cst.Attribute | cst.Arg) is None:
            statement = tree.statement(node)
            outermost = [o for o in (statement, *tree.ancestors(node)) if isinstance(o, cst.FunctionDef | cst.ClassDef)]
            if outermost:
                return outermost[-1]
    return None


def free_name(script: Script, *wanted: str) -> str:
    """The first of these names that the module does not bind."""
    return next((name for name in wanted if name not in script.names.module.names), wanted[-1])


def function(name: str, parameters: str, body: Sequence[cst.BaseStatement], shared: Sequence[str] = ()) -> cst.FunctionDef:
    """`def name(parameters):` over statements, two blank lines above it."""
    made = build.statements(f"def {name}({parameters}):\n    pass\n")[0]
    assert isinstance(made, cst.FunctionDef)
    head = build.statements(f"global {', '.join(shared)}") if shared else []
    statements = [*head, *(_inside(item, first=not head and index == 0) for index, item in enumerate(body))]
    return made.with_changes(
        body=cst.IndentedBlock(statements), leading_lines=[cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)]
    )


def _inside(item: cst.BaseStatement, first: bool) -> cst.BaseStatement:
    """A top-level statement as part of a block: one blank line above it at most, none with spaces in it."""
    lines: list[cst.EmptyLine] = []
    for line in getattr(item, "leading_lines", ()):
        blank = line.comment is None
        if blank and (lines[-1].comment is None if lines else first):
            continue
        lines.append(line.with_changes(indent=False) if blank else line)
    return item.with_changes(leading_lines=lines) if hasattr(item, "leading_lines") else item


def guarded(code: str | Sequence[cst.BaseStatement]) -> cst.If:
    """`if __name__ == "__main__":` over statements, two blank lines above it."""
    made = build.statements('if __name__ == "__main__":\n    pass\n')[0]
    assert isinstance(made, cst.If)
    body = build.statements(code) if isinstance(code, str) else list(code)
    return made.with_changes(
        body=cst.IndentedBlock(body), leading_lines=[cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)]
    )
