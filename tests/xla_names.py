"""Every torch_xla name a script uses, checked against the version it is for: promise 8, "the names exist"."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from codemods.kit.api import accepts, lookup
from codemods.kit.targets import Target

_CONVENTIONAL = {"torch_xla", "xm", "xr", "pl", "xmp"}
"""Names that mean torch_xla in every script that uses it: unbound, they were forgotten."""
_UNLISTED = {"_XLAC"}
"""Compiled modules, which the extraction from the Python sources does not list."""
_LOADED_BY_TORCH_XLA = (
    "torch_xla.core.xla_model",
    "torch_xla.debug.metrics",
    "torch_xla.runtime",
    "torch_xla.utils",
)
"""What `import torch_xla` loads by itself from 2.1 (`sys.modules` in 2.1.0 and 2.9.0); nothing of it in 1.x."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def check_names(source: str, target: Target) -> list[str]:
    """A line for each torch_xla import, attribute or call in `source` that `target` does not have or does not take.

    Imports in a `try` that catches their failure are the script's own business. Raises SyntaxError.
    """
    tree = ast.parse(source.removeprefix("\ufeff"))
    check = _Check(target, tree)
    check.visit(tree)
    return [text for _, text in sorted(check.problems)]


@dataclass
class _Scope:
    """What the names of one scope stand for: a dotted torch_xla name, or None for anything else."""

    names: dict[str, str | None] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    """First import of each torch_xla name."""
    is_class: bool = False
    runs_once: bool = False
    """Module level, where a use must come after the import."""


class _Check(ast.NodeVisitor):
    def __init__(self, target: Target, tree: ast.Module) -> None:
        self.target = target
        self.problems: set[tuple[int, str]] = set()
        self.scopes: list[_Scope] = []
        self.guarded = {id(node) for attempt in ast.walk(tree) for node in _guarded_imports(attempt)}
        self.star = any(isinstance(node, ast.alias) and node.name == "*" for node in ast.walk(tree))
        modules = {name for node in ast.walk(tree) for name in _imported_modules(node)}
        if target.version >= (2, 1) and any(name.partition(".")[0] == "torch_xla" for name in modules):
            modules.update(_LOADED_BY_TORCH_XLA)
        self.loaded = {parent for name in modules for parent in _parents(name)}

    # --- scopes -------------------------------------------------------------------------------------------------

    def visit_Module(self, node: ast.Module) -> None:
        self._inside(_scope_of(node.body, runs_once=True), node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._all([*node.decorator_list, *node.bases, *node.keywords])
        scope = _scope_of(node.body)
        scope.is_class = True
        self._inside(scope, node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._all(node.decorator_list)
        self._function(node, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node, [node.body])

    def _function(self, node: _Function, body: list[ast.stmt] | list[ast.expr]) -> None:
        arguments = node.args
        self._all([*arguments.defaults, *(default for default in arguments.kw_defaults if default)])
        scope = _scope_of(body)
        for argument in ast.walk(arguments):
            if isinstance(argument, ast.arg):
                scope.names[argument.arg] = None
        self._inside(scope, body)

    def _comprehension(self, node: _Comprehension) -> None:
        self._inside(_scope_of([each.target for each in node.generators]), list(ast.iter_child_nodes(node)))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _inside(self, scope: _Scope, body: list[ast.stmt] | list[ast.expr] | list[ast.AST]) -> None:
        self.scopes.append(scope)
        self._all(body)
        self.scopes.pop()

    def _all(self, nodes: list[ast.stmt] | list[ast.expr] | list[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def _scope_with(self, name: str) -> _Scope | None:
        seen = [*(scope for scope in self.scopes[:-1] if not scope.is_class), self.scopes[-1]]
        return next((scope for scope in reversed(seen) if name in scope.names), None)

    # --- uses ---------------------------------------------------------------------------------------------------

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._require_module(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level or not self._require_module(node, module):
            return
        for alias in node.names:
            if alias.name != "*":
                self._require(node, f"{module}.{alias.name}")

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            return
        scope = self._scope_with(node.id)
        if scope is None:
            if node.id in _CONVENTIONAL and not self.star:
                self._report(node, f"{node.id} is not imported")
        elif scope is self.scopes[-1] and scope.runs_once and node.lineno < scope.lines.get(node.id, 0):
            self._report(node, f"{node.id} is used before its import in line {scope.lines[node.id]}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.generic_visit(node)
        base = self._resolve(node.value)
        symbol = lookup(base, self.target.version) if base else None
        if symbol is None:
            return  # not torch_xla's, or reported where it was imported
        name = f"{symbol.name}.{node.attr}"
        if symbol.kind == "module":
            unloaded = self._is_module(name) and name not in self.loaded and base in self.loaded
            if self._require(node, name) and unloaded:
                self._report(node, f"{name} is not imported: `import torch_xla` does not load it")
        elif symbol.kind == "class" and not symbol.bases and symbol.signature != "(...)":
            self._require(node, name)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        name = self._resolve(node.func)
        symbol = lookup(name, self.target.version) if name else None
        if symbol is None:
            return
        positional = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
        keywords = [keyword.arg for keyword in node.keywords if keyword.arg]
        unpacks = len(positional) < len(node.args) or len(keywords) < len(node.keywords)
        reason = accepts(symbol, len(positional), keywords, unpacks)
        if reason:
            self._report(node, reason)

    def _resolve(self, node: ast.expr) -> str | None:
        """The dotted torch_xla name of an expression; that of the class for a new instance of one."""
        if isinstance(node, ast.Name):
            scope = self._scope_with(node.id)
            return scope.names[node.id] if scope else None
        if isinstance(node, ast.Attribute):
            base = self._resolve(node.value)
            return f"{base}.{node.attr}" if base else None
        if isinstance(node, ast.Call):
            name = self._resolve(node.func)
            symbol = lookup(name, self.target.version) if name else None
            return name if symbol is not None and symbol.kind == "class" else None
        return None

    # --- verdicts -----------------------------------------------------------------------------------------------

    def _require_module(self, node: ast.stmt, module: str) -> bool:
        """Whether `module` is one of torch_xla's; says so when it should be and is not."""
        if module.partition(".")[0] != "torch_xla" or id(node) in self.guarded:
            return False
        if not self._is_module(module) and module.rpartition(".")[2] not in _UNLISTED:
            self._report(node, f"there is no module {module}")
            return False
        return True

    def _require(self, node: ast.AST, name: str) -> bool:
        last = name.rpartition(".")[2]
        if last in _UNLISTED or last.startswith("__") or lookup(name, self.target.version) is not None:
            return True
        self._report(node, f"there is no {name}")
        return False

    def _is_module(self, name: str) -> bool:
        symbol = lookup(name, self.target.version)
        return symbol is not None and symbol.kind == "module"

    def _report(self, node: ast.AST, text: str) -> None:
        line: int = getattr(node, "lineno", 0)
        major, minor = self.target.version
        self.problems.add((line, f"line {line}: {text} (torch_xla {major}.{minor})"))


def _scope_of(body: list[ast.stmt] | list[ast.expr], runs_once: bool = False) -> _Scope:
    """The names that `body` binds. An import wins over an assignment (`xm = None` in an `except`), and the last
    import outside an `except` over the ones before."""
    scope = _Scope(runs_once=runs_once)
    elsewhere: set[str] = set()
    fallbacks = {id(node) for each in _own(body) if isinstance(each, ast.ExceptHandler) for node in ast.walk(each)}
    for node in _own(body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, dotted in _bindings(node):
                if dotted is not None:
                    scope.lines.setdefault(name, node.lineno)
                if scope.names.get(name) is None or id(node) not in fallbacks:
                    scope.names[name] = dotted
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            scope.names.setdefault(node.id, None)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler) and node.name:
            scope.names.setdefault(node.name, None)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            elsewhere.update(node.names)
    for name in elsewhere:
        scope.names.pop(name, None)
    return scope


def _own(body: list[ast.stmt] | list[ast.expr]) -> Iterator[ast.AST]:
    """The nodes under `body` that belong to its own scope, in source order; of nested scopes only the heads."""
    for node in body:
        yield node
        if not isinstance(node, _Function | _Comprehension | ast.ClassDef):
            yield from _own(list(ast.iter_child_nodes(node)))  # type: ignore[arg-type]


def _bindings(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str | None]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            bound, full = alias.asname or alias.name, f"{node.module}.{alias.name}" if not node.level else ""
        else:
            bound = alias.asname or alias.name.partition(".")[0]
            full = alias.name if alias.asname else bound
        yield bound, full if full.partition(".")[0] == "torch_xla" else None


def _imported_modules(node: ast.AST) -> Iterator[str]:
    """Every module an import statement may load: `from a import b` may load `a.b`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _parents(name: str) -> Iterator[str]:
    while name:
        yield name
        name = name.rpartition(".")[0]


def _guarded_imports(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Try) and any(_catches_import(handler) for handler in node.handlers):
        for statement in node.body:
            yield from (each for each in ast.walk(statement) if isinstance(each, ast.Import | ast.ImportFrom))


def _catches_import(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(names & {"ImportError", "ModuleNotFoundError", "Exception"})
