"""Imports asked for while rewriting: added once, and old ones that lost their last use taken out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import libcst as cst

from codemods.kit.cells import spans
from codemods.kit.names import dotted
from codemods.kit.phrases import Import
from codemods.kit.script import Script
from codemods.kit.tree import PLAIN, child_fields, children, walk, walk_statements

_STANDARD = ("import contextlib", "import os", "import time")
_CUDA_ONLY = ("torch.cuda", "apex", "torch.distributed", "torch.multiprocessing", "torch.nn.parallel", "horovod",
              "smdistributed", "torch.backends.cudnn", "torch.amp", "torch.utils.data.distributed",
              "torch.utils.checkpoint")  # fmt: skip
_GIVES_WAY = (*_CUDA_ONLY, "sagemaker.huggingface")
"""What an import of the same name from another place replaces."""


class ImportList:
    """Requests, and the one place that edits import statements."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._requested: dict[Import, str] = {}

    def request(self, *imports: Import) -> None:
        """Want these; only those whose name the result uses are added."""
        for wanted in imports:
            if wanted not in self._requested:
                self._requested[wanted] = self._name_for(wanted)

    def rename(self, code: str, imports: Iterable[Import]) -> str:
        """A phrase's code, before it is filled, under the names its imports get in this script."""
        for wanted in imports:
            name = self._requested.get(wanted, wanted.bound)
            if name != wanted.bound:
                code = re.sub(rf"(?<![.\w]){re.escape(wanted.bound)}\b(?!=)", name, code)
        return code

    def _name_for(self, wanted: Import) -> str:
        """The name it is bound to already, its usual one, or one that is free."""
        full = f"{wanted.module}.{wanted.name}" if wanted.name else wanted.module
        scopes = self.script.names.module.names
        for name, bindings in scopes.items():
            if wanted.alias or wanted.name or "." not in wanted.module:  # `import torch as th` too
                if any(b.kind == "import" and b.imported == full for b in bindings):
                    return name
        taken = [b for s in self.script.names.all_scopes() for b in s.names.get(wanted.bound, ())]
        ours = (full, wanted.module.partition(".")[0])
        foreign = [
            b for b in taken if not (b.kind == "import" and (b.imported in ours or b.imported.startswith(_GIVES_WAY)))
        ]
        foreign = [b for b in foreign if not self.script.names.is_fallback(b, [b for b in taken if b not in foreign])]
        return f"torch_{wanted.bound}" if foreign and wanted.bound not in ("torch", "torch_xla") else wanted.bound

    # --- finishing ----------------------------------------------------------------------------------------------

    def finish(self, module: cst.Module) -> cst.Module:
        """The rebuilt module with missing imports added and idle ones removed."""
        used = _used_names(module)
        new = [
            w
            for w, name in self._requested.items()
            if name in used and not (self._present(w, name) and not self._is_used_above(module, name))
        ]
        claimed = {name for w, name in self._requested.items() if w in new}
        idle = _Remover(lambda full, bound: self._is_idle(full, bound, used, claimed), claimed)
        if any(idle.has_idle(node) for kind in (cst.Import, cst.ImportFrom) for node in self.script.tree.all(kind)):
            module = _without_imports(module, idle)
        for package, wanted in self._by_package(new).items():
            module = _with_imports(module, _statements(wanted), set(wanted.values()), package)
        return _from_the_top(module)

    def _by_package(self, new: Iterable[Import]) -> dict[str, dict[Import, str]]:
        """The imports to add, with their names, by the package they stand beside; in a script all stand together."""
        found: dict[str, dict[Import, str]] = {}
        for each in new:
            package = each.module.partition(".")[0] if self.script.cells else "torch"
            found.setdefault("torch" if package == "torch_xla" else package, {})[each] = self._requested[each]
        return found

    def _present(self, wanted: Import, name: str) -> bool:
        full = f"{wanted.module}.{wanted.name}" if wanted.name else wanted.module
        expected = full if wanted.name or wanted.alias or "." not in wanted.module else name
        found = self.script.names.module.names.get(name, ())
        return any(b.kind == "import" and b.imported == expected and self._is_top_level(b.node) for b in found)

    def _is_used_above(self, module: cst.Module, name: str) -> bool:
        """Whether a cell of a notebook uses a name that only a later one imports."""
        for item in module.body if self.script.cells else ():
            if _imports(item, "") and any(name in _bound_by(small) for small in getattr(item, "body", ())):
                return False
            if not isinstance(item, cst.FunctionDef | cst.ClassDef) and _uses(item, {name}):
                return True
        return False

    def _is_top_level(self, node: cst.CSTNode) -> bool:
        line = self.script.tree.statement(node)
        return line is not None and self.script.tree.parent.get(line) is self.script.tree.module

    def _is_idle(self, full: str, bound: str, used: set[str], claimed: set[str]) -> bool:
        if bound in claimed and full.startswith((*_GIVES_WAY, "torch.")):
            return True  # `from torch.cuda.amp import autocast` gives way to torch_xla's
        if bound in self.script.links.wanted or full in self.script.links.effects:
            return False
        # `import torch` stays: a script that computes on XLA devices is still a torch script.
        return bound != "torch" and bound not in used and self._source_uses(bound)

    def _source_uses(self, name: str) -> bool:
        """Whether `_used_names` of the source has the name."""
        tree = self.script.tree
        for node in self.script.names.named(name):
            imports = isinstance(tree.small_statement(node), cst.Import | cst.ImportFrom)
            if not imports and not _only_names(tree.parent[node], node):
                return True
        return any(node.value.strip("\"'") == name for node in tree.all(cst.SimpleString))


def _statements(wanted: dict[Import, str]) -> list[str]:
    """Import statements in order: plain ones first, one `from` for all names of a module."""
    plain: set[str] = set()
    members: dict[str, set[str]] = {}
    for each, name in wanted.items():
        if each.name is None:
            plain.add(each.statement if name == each.bound else f"import {each.module} as {name}")
        else:
            text = each.name if name == each.name else f"{each.name} as {name}"
            members.setdefault(each.module, set()).add(text)
    joined = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(members.items())]
    return [*sorted(plain), *joined]


def _only_names(holder: cst.CSTNode, name: cst.Name) -> bool:
    """Whether a name stands where it is bound or spelled, not used: a definition's, an assignment's, a keyword."""
    match holder:
        case cst.Attribute():
            return holder.value is not name
        case cst.Arg():
            return holder.keyword is name
        case cst.ClassDef() | cst.FunctionDef():
            return holder.name is name
    return type(holder) is cst.AssignTarget


def _used_names(module: cst.Module) -> set[str]:
    """Names that occur outside import statements and `global` lines, with words of `__all__` and string annotations."""
    found: set[str] = set()
    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is cst.Name:
            found.add(node.value)  # type: ignore[attr-defined]
            continue
        if kind in (cst.Import, cst.ImportFrom):
            continue
        if kind is cst.Attribute:
            stack.append(node.value)  # type: ignore[attr-defined]
            continue
        if kind is cst.SimpleString:
            text = node.value.strip("\"'")  # type: ignore[attr-defined]
            if text.isidentifier():
                found.add(text)
            continue
        if kind is cst.Arg:
            stack.append(node.value)  # type: ignore[attr-defined]
            continue
        if kind in (cst.ClassDef, cst.FunctionDef):
            # A definition does not use its own name: `class GradScaler` where importing it failed.
            own = node.name  # type: ignore[attr-defined]
            stack.extend(child for child in children(node) if child is not own)
            continue
        if kind is cst.AssignTarget and type(node.target) is cst.Name:  # type: ignore[attr-defined]
            continue  # `amp = None` where an optional import failed does not use it
        for name in child_fields(kind):
            value = getattr(node, name)
            if type(value) in (tuple, list):
                stack.extend(item for item in value if type(item) not in PLAIN)
            elif type(value) not in PLAIN:
                stack.append(value)
    return found


_HOLDERS = frozenset((
    cst.SimpleStatementLine, cst.IndentedBlock, cst.SimpleStatementSuite, cst.FunctionDef, cst.ClassDef,
    cst.If, cst.Else, cst.For, cst.While, cst.With, cst.Match, cst.MatchCase,
    cst.Try, cst.TryStar, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally,
))  # fmt: skip


class _Remover(cst.CSTTransformer):
    """Takes idle names out of import statements. Runs only when there is one: it visits import statements' holders."""

    def __init__(self, is_idle, claimed: set[str]) -> None:  # type: ignore[no-untyped-def]
        super().__init__()
        self.is_idle = is_idle
        self.claimed = claimed

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Only what can hold an import statement is rebuilt."""
        return type(node) in _HOLDERS

    def leave_Import(self, original_node, updated_node):  # type: ignore[no-untyped-def]
        kept = [alias for alias in updated_node.names if not self._gone(dotted(alias.name) or "", alias, False)]
        return self._result(updated_node, kept)

    def leave_ImportFrom(self, original_node, updated_node):  # type: ignore[no-untyped-def]
        if isinstance(updated_node.names, cst.ImportStar) or updated_node.relative:
            return updated_node
        module = dotted(updated_node.module) or ""
        if module == "__future__":
            return updated_node
        kept = [a for a in updated_node.names if not self._gone(f"{module}.{dotted(a.name)}", a, True)]
        return self._result(updated_node, kept)

    def has_idle(self, node: cst.CSTNode) -> bool:
        """Whether an import statement names something idle."""
        if isinstance(node, cst.Import):
            return any(self._gone(dotted(alias.name) or "", alias, False) for alias in node.names)
        if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar) or node.relative:
            return False
        module = dotted(node.module) or ""
        return module != "__future__" and any(
            self._gone(f"{module}.{dotted(alias.name)}", alias, True) for alias in node.names
        )

    def leave_SimpleStatementLine(self, original_node, updated_node):  # type: ignore[no-untyped-def]
        return updated_node if updated_node.body else cst.RemoveFromParent()

    def leave_IndentedBlock(self, original_node, updated_node):  # type: ignore[no-untyped-def]
        """No blank line opens a block whose first statement goes."""
        if len(updated_node.body) == len(original_node.body) or not updated_node.body:
            return updated_node
        first, *rest = updated_node.body
        lines = list(getattr(first, "leading_lines", ()))
        while lines and lines[0].comment is None:
            lines.pop(0)
        return updated_node.with_changes(body=[first.with_changes(leading_lines=lines), *rest])

    def leave_Try(self, original_node, updated_node):  # type: ignore[no-untyped-def]
        """`try: import x` / `except ImportError: ...` goes with its import."""
        emptied = original_node.body.body and not updated_node.body.body
        return cst.RemoveFromParent() if emptied and not updated_node.finalbody else updated_node

    def leave_If(self, original_node, updated_node):  # type: ignore[no-untyped-def]
        emptied = original_node.body.body and not updated_node.body.body
        return cst.RemoveFromParent() if emptied and self._is_needless(updated_node.orelse) else updated_node

    def _is_needless(self, other: cst.BaseCompoundStatement | cst.Else | None) -> bool:
        """Whether the other arm of an `if` only binds names that are imported now: `else: autocast = None`."""
        return other is None or (isinstance(other, cst.Else) and all(map(self._is_replaced, other.body.body)))

    def _is_replaced(self, statement: cst.CSTNode) -> bool:
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            return statement.name.value in self.claimed
        if isinstance(statement, cst.SimpleStatementLine):
            return all(map(self._is_replaced, statement.body))
        names = [target.target for target in statement.targets] if isinstance(statement, cst.Assign) else []
        return bool(names) and all(isinstance(name, cst.Name) and name.value in self.claimed for name in names)

    def _gone(self, full: str, alias: cst.ImportAlias, is_from: bool) -> bool:
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            bound = alias.asname.name.value
        elif is_from:
            bound = full.rpartition(".")[2]
        else:
            bound = full.partition(".")[0]
        return bool(self.is_idle(full, bound))

    def _result(self, node, kept: list[cst.ImportAlias]):  # type: ignore[no-untyped-def]
        if len(kept) == len(node.names):
            return node
        if not kept:
            return cst.RemoveFromParent()
        kept[-1] = kept[-1].with_changes(comma=node.names[-1].comma)
        return node.with_changes(names=kept)


def _without_imports(module: cst.Module, remover: _Remover) -> cst.Module:
    """Import statements without idle names. Only block members that hold such a statement are visited."""
    body: list[cst.CSTNode] = []
    changed = False
    pending: list[cst.EmptyLine] = []
    for item in module.body:
        result: cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNode] = item
        if any(type(node) in (cst.Import, cst.ImportFrom) and remover.has_idle(node) for node in walk_statements(item)):
            result = item.visit(remover)
            changed = True
        if isinstance(result, cst.CSTNode):
            if isinstance(result, cst.Try) and _is_blank(result.body):
                continue
            if pending:
                own = getattr(result, "leading_lines", ())
                lines = [line for line in pending if line.comment is not None or not own]
                result = result.with_changes(leading_lines=[*lines, *own])
                pending = []
            body.append(result)
        else:
            pending += getattr(item, "leading_lines", ())
    return module.with_changes(body=body) if changed else module


def _from_the_top(module: cst.Module) -> cst.Module:
    """The module without blank lines above its first statement, which a removed one leaves there."""
    first = module.body[0] if module.body else None
    lines = list(getattr(first, "leading_lines", ()))
    if first is None or not lines or lines[0].comment is not None or module.header:
        return module
    while lines and lines[0].comment is None:
        lines.pop(0)
    return module.with_changes(body=[first.with_changes(leading_lines=lines), *module.body[1:]])


def _is_blank(block: cst.BaseSuite) -> bool:
    return not block.body


def _with_imports(module: cst.Module, statements: Sequence[str], names: Collection[str], package: str) -> cst.Module:
    """`names`: those that the statements bind; `package`: what they belong to."""
    body = list(module.body)
    top, bottom = _home(body, names, package)
    place = top + _place(body[top:bottom])
    standard = [text for text in statements if text in _STANDARD]
    new = [cst.parse_statement(text) for text in statements if text not in standard]
    follower = body[place] if new and place < len(body) else None
    if isinstance(follower, cst.FunctionDef | cst.ClassDef) and not any(map(_is_empty, follower.leading_lines)):
        blank = cst.EmptyLine(indent=False)  # the first statement of a file without imports has none above it
        body[place] = follower.with_changes(leading_lines=[blank, blank, *follower.leading_lines])
    body = [*body[:place], *new, *body[place:]]
    inside = range(top, bottom + len(new))
    first = next((i for i in inside if _is_import(body[i]) and not _is_future(body[i])), place)
    for text in standard:  # above the first import, and in the place of its blank lines
        line = cst.parse_statement(text)
        if first < len(body) and _is_import(body[first]):
            line = line.with_changes(leading_lines=body[first].leading_lines)
            body[first] = body[first].with_changes(leading_lines=[])
        body.insert(first, line)
    return module.with_changes(body=body)


def _home(body: Sequence[cst.CSTNode], names: Collection[str], package: str) -> tuple[int, int]:
    """The range of statements that new imports go into: of a notebook the cell that imports the package first, else
    the one with the first import, but none below a use of the names; of a script all statements."""
    cells = [(start, end) for start, end in spans(body) if start < end]
    if not cells:
        return 0, len(body)
    used = (cell for cell in cells if any(_uses(item, names) for item in body[cell[0] : cell[1]]))
    limit = next(used, cells[-1])
    above = cells[: cells.index(limit) + 1]
    for wanted in (package, ""):
        for start, end in above:
            if any(_imports(item, wanted) and not _is_future(item) for item in body[start:end]):
                return start, end
    return limit


def _uses(item: cst.CSTNode, names: Collection[str]) -> bool:
    return any(type(node) is cst.Name and node.value in names for node in walk(item))


def _bound_by(statement: cst.CSTNode) -> set[str]:
    """The names that an import statement binds."""
    names = statement.names if isinstance(statement, cst.Import | cst.ImportFrom) else ()
    if isinstance(names, cst.ImportStar):
        return set()
    return {(alias.evaluated_alias or alias.evaluated_name).partition(".")[0] for alias in names}


def _imports(item: cst.CSTNode, package: str) -> bool:
    """Whether a statement imports from the package; from any, when it is empty."""
    first = item.body[0] if isinstance(item, cst.SimpleStatementLine) else None
    if isinstance(first, cst.Import):
        return not package or any((dotted(alias.name) or "").partition(".")[0] == package for alias in first.names)
    if not isinstance(first, cst.ImportFrom):
        return False
    return not package or (dotted(first.module) or "").partition(".")[0] == package


def _is_empty(line: cst.EmptyLine) -> bool:
    return line.comment is None


def _is_import(item: cst.CSTNode) -> bool:
    return isinstance(item, cst.SimpleStatementLine) and isinstance(item.body[0], cst.Import | cst.ImportFrom)


def _is_future(item: cst.CSTNode) -> bool:
    first = item.body[0] if isinstance(item, cst.SimpleStatementLine) else None
    return isinstance(first, cst.ImportFrom) and dotted(first.module) == "__future__"


def _place(body: Sequence[cst.CSTNode]) -> int:
    """After the last plain torch import of the leading imports, else after the last of them, else after docstring."""
    after_torch = after_any = 0
    for index, item in enumerate(body):
        if not isinstance(item, cst.SimpleStatementLine):
            if isinstance(item, cst.Try | cst.If) and any(
                type(n) in (cst.Import, cst.ImportFrom) for n in walk_statements(item)
            ):
                continue  # `try: import apex` in the middle of the imports
            break
        first = item.body[0] if item.body else None
        if isinstance(first, cst.Import):
            after_any = index + 1
            if any((dotted(alias.name) or "").partition(".")[0] == "torch" for alias in first.names):
                after_torch = index + 1
        elif isinstance(first, cst.ImportFrom):
            after_any = index + 1
            if not first.relative and (dotted(first.module) or "").partition(".")[0] == "torch":
                after_torch = index + 1
        elif isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString | cst.ConcatenatedString):
            after_any = max(after_any, index + 1) if index == 0 else after_any
        elif not isinstance(first, cst.Assign | cst.Expr):
            break
    return after_torch or after_any
