"""What of a script needs CUDA, read by `ast` alone: a second opinion on what the codemods leave, without the kit."""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections.abc import Iterator

from migrate.migration import Migration

_LIBRARIES = ("torch.cuda", "torch.backends.cudnn", "torch.backends.cuda", "torch.accelerator", "apex", "horovod.torch",
              "smdistributed", "torch.nn.DataParallel")  # fmt: skip
_GROUPED = ("torch.distributed", "torch.nn.parallel")
_NO_GROUP = ("torch.distributed.rpc", "torch.distributed.optim", "torch.distributed.autograd",
             "torch.distributed.elastic")  # fmt: skip
_CUDA = re.compile(r"cuda(:\d*)?$")
_DEVICE_KEYWORDS = ("device", "map_location", "device_type", "pin_memory_device")


def cuda_sites(source: str) -> list[tuple[int, str]]:
    """Line and name of each construct that only makes sense on CUDA, in source order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = ast.parse(source.removeprefix("\ufeff"))
    bound = _imports(module)
    group = not _uses_xla_group(module)
    own = any(isinstance(node, ast.FunctionDef) and node.name == "cuda" for node in ast.walk(module))
    flag = any(isinstance(node, ast.Attribute) and _is_bound(node, "is_cuda") for node in ast.walk(module))
    found: set[tuple[int, int, str]] = set()
    skipped = _skipped(module)
    skipped |= _shadowed(module, bound)
    for node in ast.walk(module):
        if id(node) not in skipped:
            found |= {(node.lineno, node.col_offset, what) for what in _sites(node, bound, group)}  # type: ignore[attr-defined]
    theirs = {what for what, is_theirs in ((".cuda()", own), (".is_cuda", flag)) if is_theirs}
    return [(line, what) for line, _, what in sorted(found) if what not in theirs]


def _is_bound(node: ast.Attribute, name: str) -> bool:
    """`self.is_cuda = ...`: a flag of the script's own."""
    return node.attr == name and isinstance(node.ctx, ast.Store)


def silent_leftovers(migration: Migration) -> list[tuple[int, str]]:
    """Constructs of the result that no note speaks of: line in the source, and name."""
    source, result = migration.source.splitlines(), migration.result.splitlines()
    origin: dict[int, range] = {}
    places: dict[str, list[int]] = {}
    for number, text in enumerate(source, start=1):
        places.setdefault(text.strip(), []).append(number)
    for tag, first, last, start, end in difflib.SequenceMatcher(None, source, result, autojunk=False).get_opcodes():
        for line in range(start, end):
            was = first + line - start + 1
            origin[line + 1] = range(was, was + 1) if tag == "equal" else range(first + 1, last + 1)
            if tag == "insert" and len(moved := places.get(result[line].strip(), [])) == 1:
                origin[line + 1] = range(moved[0], moved[0] + 1)  # a line that was put into a function
    noted = {note.line for note in migration.notes} | set(_native(migration))
    for first, last in _spans(migration.source) if noted else ():
        if noted & {*range(first, last + 1)}:
            noted |= {*range(first, last + 1)}
    return [
        (min(origin[line], default=0), what)
        for line, what in cuda_sites(migration.result)
        if not noted & {*origin[line]}
    ]


def _native(migration: Migration) -> Iterator[int]:
    """The lines that one note says stay native: of a launcher's own code, of functions that an endpoint calls."""
    rules = {note.rule for note in migration.notes}
    if "TC994" in rules:
        yield from range(1, len(migration.source.splitlines()) + 1)
    for node in ast.parse(migration.source).body if "TC995" in rules else ():
        if isinstance(node, ast.FunctionDef) and node.name.endswith("_fn") and node.name != "_mp_fn":
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _spans(source: str) -> Iterator[tuple[int, int]]:
    """First and last line of each simple statement, and of each compound one's head."""
    try:
        module = ast.parse(source.removeprefix("\ufeff"))
    except SyntaxError:
        return
    for node in ast.walk(module):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
            decorators = [each.lineno for each in getattr(node, "decorator_list", ())]
            yield min([node.lineno, *decorators]), max(last, node.lineno)


def _imports(module: ast.Module) -> dict[str, str]:
    """Names that imports bind, with what they mean."""
    bound: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                bound[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return bound


def _dotted(node: ast.AST, bound: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in bound:
        return ""
    return ".".join([bound[node.id], *reversed(parts)])


def _uses_xla_group(module: ast.Module) -> bool:
    """`init_process_group("xla")`"""
    return any(
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) == "init_process_group"
        and any(isinstance(found, ast.Constant) and found.value == "xla" for found in ast.walk(node))
        for node in ast.walk(module)
    )


def _skipped(module: ast.Module) -> set[int]:
    """Inner parts of a chain, annotations, and what `hasattr` asks for."""
    skipped: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute):
            skipped.add(id(node.value))
        below = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.Compare) and getattr(getattr(node.left, "func", None), "id", "") == "getattr":
            below.append(node.left)  # `getattr(torch.cuda.amp, "autocast", None) is not None` asks, like `hasattr`
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "hasattr":
            below += node.args
        for part in below:
            if isinstance(part, ast.AST):
                skipped |= {id(found) for found in ast.walk(part)}
    return skipped


def _shadowed(module: ast.Module, bound: dict[str, str]) -> set[int]:
    """Names, and what is asked of them, in functions that bind the imported name to something of their own."""
    found: set[int] = set()
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef):
            names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
            own = {node.id for node in names if isinstance(node.ctx, ast.Store)} & bound.keys()
            for node in ast.walk(function) if own else ():
                root = node
                while isinstance(root, ast.Attribute):
                    root = root.value
                if isinstance(root, ast.Name) and root.id in own:
                    found.add(id(node))
    return found


def _sites(node: ast.AST, bound: dict[str, str], group: bool) -> Iterator[str]:
    if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
        name = _dotted(node, bound)
        libraries = (*_LIBRARIES, *_GROUPED) if group else _LIBRARIES
        if name.startswith(_NO_GROUP):
            return
        if any(name == library or name.startswith(f"{library}.") for library in libraries):
            yield name
        elif isinstance(node, ast.Attribute) and node.attr == "is_cuda" and not name:
            yield ".is_cuda"
    elif isinstance(node, ast.Call):
        yield from _call_sites(node, bound, group)


def _call_sites(call: ast.Call, bound: dict[str, str], group: bool) -> Iterator[str]:
    name = _dotted(call.func, bound)
    method = call.func.attr if isinstance(call.func, ast.Attribute) and not name else ""
    if method in ("cuda", "pin_memory"):
        yield f".{method}()"
    places = [keyword.value for keyword in call.keywords if keyword.arg in _DEVICE_KEYWORDS]
    if method == "to" or name in ("torch.device", "torch.autocast", "torch.amp.autocast", "torch.Generator"):
        places += call.args[:1]
    for place in places:
        if isinstance(place, ast.Constant) and isinstance(place.value, str) and _CUDA.match(place.value):
            yield f'"{place.value}"'
        elif isinstance(place, ast.JoinedStr) and ast.unparse(place)[2:].startswith("cuda"):
            yield "a CUDA device"
    for keyword in call.keywords:
        # With accelerate the same script runs on both, and that library moves the batches.
        pins = keyword.arg == "pin_memory" and not any(name.startswith("accelerate") for name in bound.values())
        if pins and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
            yield "pin_memory=True"
    if group and name.endswith("init_process_group"):
        if any(isinstance(found, ast.Constant) and found.value in ("nccl", "smddp") for found in ast.walk(call)):
            yield "a CUDA backend"
