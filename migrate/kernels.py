"""The CUDA code of a project's own: extensions and kernels, read from the text of its Python files, never run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

_BUILT = {
    "torch.utils.cpp_extension.load": "extension built at run time",
    "torch.utils.cpp_extension.load_inline": "extension built at run time",
    "torch.utils.cpp_extension.CUDAExtension": "extension",
    "torch.utils.ffi.create_extension": "extension",
    "cupy.RawKernel": "CuPy kernel",
    "cupy.RawModule": "CuPy kernel",
    "cupy.ElementwiseKernel": "CuPy kernel",
    "pycuda.compiler.SourceModule": "PyCUDA kernel",
    "torch.ops.load_library": "library of operators",
}
_DECORATORS = {
    "triton.jit": "Triton kernel",
    "triton.autotune": "Triton kernel",
    "triton.heuristics": "Triton kernel",
    "numba.cuda.jit": "Numba kernel",
}
_IMPORTABLE = "extension"
"""Built when the project is installed, and used by importing it."""
# A word of every way to build one: a file without any need not be parsed.
_WORDS = re.compile(
    r"cpp_extension|CUDAExtension|create_extension|triton|cuda\.jit|numba|RawKernel|RawModule|ElementwiseKernel"
    r"|SourceModule|load_library"
)
_SOURCES = (".cu", ".cuh", ".cpp", ".cc", ".c", ".so")
Imports = dict[str, str]


@dataclass(frozen=True)
class Kernel:
    """One extension or kernel."""

    kind: str
    name: str
    """As it is called or imported; empty when the script makes it up at run time."""
    file: str
    line: int
    bound: str = ""
    """The name in its file that it is used by, or the definition that builds it; empty for one that is imported."""
    sources: tuple[str, ...] = ()


@dataclass
class Definition:
    """A function, class or variable at the top level of a file, or, without a name, all that stands outside."""

    line: int
    uses: dict[str, int] = field(default_factory=dict)
    """Dotted names that occur in it, with the first line."""


@dataclass
class Outline:
    """One file: what it defines, imports and builds. As `modules.Names` wants it."""

    functions: dict[str, Definition] = field(default_factory=dict)
    classes: dict[str, Definition] = field(default_factory=dict)
    imports: Imports = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    top: Definition = field(default_factory=lambda: Definition(1))
    kernels: list[Kernel] = field(default_factory=list)
    modules: dict[str, int] = field(default_factory=dict)
    """Modules and names imported, as dotted names, with the first line."""


def may_hold_kernel(text: str) -> bool:
    """Whether a file may build a kernel. Much quicker than to read it."""
    return _WORDS.search(text) is not None


def outline(file: str, text: str) -> Outline:
    """Read a file. One that cannot be parsed has nothing in it."""
    found = Outline()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        _read_imports(tree, found)
        for statement in tree.body:
            _read_statement(statement, found)
        found.kernels = list(_kernels(tree, file, found))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Outline()
    return found


def _read_imports(tree: ast.Module, found: Outline) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.imports[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                found.modules.setdefault(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                if alias.name == "*":
                    found.stars += (module,)
                    found.modules.setdefault(module, node.lineno)
                    continue
                name = f"{module}{'' if module.endswith('.') else '.'}{alias.name}"
                found.imports[alias.asname or alias.name] = name
                found.modules.setdefault(name, node.lineno)


def _read_statement(statement: ast.stmt, found: Outline) -> None:
    """Sort what a statement of the top level uses under its definition. `roi_align = _RoIAlign.apply` is one too."""
    if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
        for child in ast.iter_child_nodes(statement):
            inside = child.body if isinstance(child, ast.ExceptHandler) else [child]
            for one in inside:
                if isinstance(one, ast.stmt):
                    _read_statement(one, found)
                else:
                    _use(one, found.top)
        return
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        owner = found.functions.setdefault(statement.name, Definition(statement.lineno))
    elif isinstance(statement, ast.ClassDef):
        owner = found.classes.setdefault(statement.name, Definition(statement.lineno))
    elif isinstance(statement, ast.Assign) and _variable(statement) not in ("", *found.imports):
        owner = found.functions.setdefault(_variable(statement), Definition(statement.lineno))
    else:
        owner = found.top
    _use(statement, owner)


def _variable(assign: ast.Assign) -> str:
    return assign.targets[0].id if isinstance(assign.targets[0], ast.Name) else ""


def _use(node: ast.AST, owner: Definition) -> None:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name | ast.Attribute):
            name = _dotted(inner)
            if name:
                owner.uses.setdefault(name, inner.lineno)


def _kernels(tree: ast.Module, file: str, found: Outline) -> Iterator[Kernel]:
    aliases = _aliases(tree, found.imports)
    bound = {
        id(node.value): _dotted(node.targets[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and len(node.targets) == 1
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            kinds = [_DECORATORS.get(_public(_decorator(each), found.imports)) for each in node.decorator_list]
            kind = next(filter(None, kinds), None)
            if kind:
                yield Kernel(kind, node.name, file, node.lineno, node.name)
        elif isinstance(node, ast.Call):
            name = _public(_dotted(node.func), found.imports)
            kind = _BUILT.get(aliases.get(name, name))
            if kind:
                own = "" if kind == _IMPORTABLE else bound.get(id(node)) or _owner(tree, node)
                yield Kernel(kind, _name_of(node) or own, file, node.lineno, own, tuple(_sources(node)))


def _owner(tree: ast.Module, call: ast.Call) -> str:
    """The function or class of the top level that a call stands in."""
    for statement in tree.body:
        named = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if named and statement.lineno <= call.lineno <= (statement.end_lineno or 0):
            return str(getattr(statement, "name", ""))
    return ""


def _aliases(tree: ast.Module, imports: Imports) -> Imports:
    """`extension = CUDAExtension` and the like: names that stand for a way to build, if only on some paths."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            value = _public(_dotted(node.value), imports)
            if value in _BUILT:
                found[_dotted(node.targets[0])] = value
    return found


def _name_of(call: ast.Call) -> str:
    """The `name` of an extension, by keyword or first."""
    given = [word.value for word in call.keywords if word.arg == "name"] + call.args[:1]
    value = given[0].value if given and isinstance(given[0], ast.Constant) else ""
    return value if isinstance(value, str) and "\n" not in value else ""


def _sources(call: ast.Call) -> Iterator[str]:
    texts = (node.value for node in ast.walk(call) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    yield from dict.fromkeys(text for text in texts if text.endswith(_SOURCES) and "\n" not in text)


def _decorator(node: ast.expr) -> str:
    return _dotted(node.func if isinstance(node, ast.Call) else node)


def _public(name: str, imports: Imports) -> str:
    """A dotted name of the file by what it is imported as."""
    first, dot, rest = name.partition(".")
    return imports.get(first, first) + dot + rest


def _dotted(node: ast.AST) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""
