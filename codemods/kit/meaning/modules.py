"""Imports: files of the program, library models, and modules that nobody has read."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from codemods.kit.meaning.frames import Frame
from codemods.kit.meaning.graph import read
from codemods.kit.meaning.libraries import MODELS, is_library, model_file, models_state, plain_names, roots
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.names import assign, names_of
from codemods.kit.meaning.paths import Spent
from codemods.kit.meaning.precision import taken
from codemods.kit.meaning.tensor_primitives import for_host
from codemods.kit.meaning.tensors import gather, is_tensor, is_unknown
from codemods.kit.meaning.values import (
    ABSENT,
    ELEMENTS,
    NO_TAINTS,
    OWN,
    PLAIN,
    Obj,
    Primitive,
    Scope,
    Sym,
    Value,
    container,
    item_key,
)

if TYPE_CHECKING:
    from importlib.abc import Traversable

    from codemods.kit.meaning.stock import Stock

_ENGINE = "meaning"
"""The module by which models reach the engine's primitives."""


_trees: dict[tuple[str, str], ast.Module] = {}


def _model_tree(path: Traversable) -> ast.Module:
    key = (str(path), models_state())
    known = _trees.get(key)
    if known is None:
        known = _trees[key] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return known


def _plain_module(machine: Machine, name: str) -> Obj:
    made = Scope(machine.site, machine.heap.serial(), None, frozenset())
    made.cls = "module"
    made.fields["__name__"] = name
    made.fields[PLAIN] = plain_function(name)
    made.fields["__getattr__"] = Primitive("__getattr__", lambda machine, asked: plain_function(f"{name}.{asked}"))
    return made


_ASKED_FOR = frozenset(
    {f"time.{name}" for name in ("time", "perf_counter", "monotonic", "process_time")}
    | {f"os.path.{name}" for name in ("exists", "isfile", "isdir", "getmtime")}
    | {"os.access", "os.listdir", "glob.glob"}
)
"""What each process is told by the machine it runs on, when it asks."""


_CLOCKS = frozenset(f"time.{name}" for name in ("time", "strftime", "localtime", "ctime", "asctime", "gmtime"))
CLOCK = "clock"
"""Of what tells the time at which a process asked for it."""
_SAME = frozenset(f"os.path.{name}" for name in ("join", "abspath", "expanduser", "dirname", "basename"))
"""What gives the same for the same names of files."""


_CONVERTS = ("numpy.", "scipy.", "sklearn.metrics.", *(f"matplotlib.pyplot.{name}" for name in (
    "imshow", "imsave", "matshow", "plot", "scatter", "hist")))  # fmt: skip
_ASKS = frozenset("isscalar iterable ndim nonzero real shape size squeeze info random.seed".split())
"""What numpy asks a tensor of any device: measured on torch_xla 2.1 and 2.9. All else raises a TypeError there."""


def plain_function(name: str) -> Primitive:
    """A function whose result is a plain value: numbers, strings, arrays on the host."""

    def run(machine: Machine, *arguments: Value, **keywords: Value) -> Value:
        given = (*arguments, *keywords.values())
        if any(is_tensor(one) or _may_wait(one) for one in gather(machine, given).tensors):
            read(machine, given, f"{name}()")
            if name.startswith("numpy."):
                taken(machine, gather(machine, given).tensors)
            if name.startswith(_CONVERTS) and name.removeprefix("numpy.") not in _ASKS:
                for one in _given_as_array(machine, arguments):
                    for_host(machine, one, f"{name}()")
        taints = frozenset(one for one in gather(machine, given).taints if not isinstance(one, tuple))
        taints |= frozenset({OWN}) if name in _ASKED_FOR else NO_TAINTS
        taints |= frozenset({CLOCK}) if name in _CLOCKS else NO_TAINTS
        key = tuple(map(item_key, arguments)) if name in _SAME else machine.heap.serial()
        return Sym((name, key), taints)

    return Primitive(name, run)


def _given_as_array(machine: Machine, arguments: Iterable[Value]) -> Iterator[Obj]:
    """Tensors that are made arrays of, by themselves or in lists: that works for those of the host alone."""
    for argument in arguments:
        value = machine.facts.settle(argument)
        if is_tensor(value):
            yield value
        elif isinstance(value, tuple) or container(value) == "list":
            yield from (one for one in gather(machine, (value,)).tensors if is_tensor(one))


def _may_wait(value: Obj) -> bool:
    """Whether something that is not known may be on the device: it is said to be, or came out of a network."""
    return value.fields.get("@device") is not None or bool(value.fields.get("@deps"))


class Program:
    """The files of a program and the models beside them: what an import can find."""

    def __init__(self, trees: Mapping[str, ast.Module], models: tuple[Traversable, ...] = ()) -> None:
        """`models`: their folders; those in use unless they are given."""
        self.trees = trees
        self.models = models or roots()
        self.loaded: dict[str, Obj] = {}
        self._running: set[str] = set()
        self.primitives: Value = None
        self.stock: Stock | None = None
        """Where the models are made; without it they are made here."""

    def load(self, machine: Machine, name: str, importer: Frame) -> Value:
        """The module of that absolute name, executed; ABSENT when it is not read."""
        if name == _ENGINE:
            return self.primitives
        if not importer.model:
            found = self.own(name, importer)
            if found is not None:
                return self._execute(machine, found, name, self.trees[found], False)
        for root in self.models:
            file = model_file(root, name)
            if file is not None and self.stock is not None:
                return self.stock.load(name)
            if file is not None:
                return self._execute(machine, f"model:{name}", name, _model_tree(file), True)
        if name.partition(".")[0] in plain_names():
            return _plain_module(machine, name)
        return ABSENT

    def own(self, name: str, importer: Frame) -> str | None:
        """The file of the program that a name means in one of its modules."""
        return self._own(name, importer.path, importer.module.fields.get("__name__") == "__main__")

    def load_file(self, machine: Machine, path: str) -> Obj:
        """The module that a file of the program is, executed."""
        name = path.removesuffix(".py").replace("/", ".")
        return self._execute(machine, path, name, self.trees[path], False)

    def _own(self, name: str, importer: str, started: bool) -> str | None:
        """The file of the program that an import means: from the importer's folder, the root, or wherever one is.

        `import math` in a package means Python's own, also beside a `math.py`; not so in a script that is started.
        """
        library = is_library(name.partition(".")[0])
        parts = name.replace(".", "/")
        folder = importer.rpartition("/")[0]
        folders = [folder, *(folder.rsplit("/", n)[0] for n in range(1, folder.count("/") + 1)), "", "src"]
        for one in folders:
            for tail in (f"{parts}.py", f"{parts}/__init__.py"):
                path = f"{one}/{tail}" if one else tail
                if path in self.trees and not (library and not started and f"{one}/__init__.py" in self.trees):
                    return path
        if library:
            return None
        tails = (f"/{parts}.py", f"/{parts}/__init__.py")
        ends = [p for p in self.trees if p.endswith(tails)]
        if len(ends) > 1:  # a folder of a package is seldom on `sys.path`
            roots = [p.removesuffix(tails[0]).removesuffix(tails[1]) for p in ends]
            ends = [p for p, root in zip(ends, roots, strict=True) if f"{root}/__init__.py" not in self.trees]
        return ends[0] if len(ends) == 1 else None

    def _execute(self, machine: Machine, path: str, name: str, tree: ast.Module, model: bool) -> Obj:
        known = self.loaded.get(path)
        if known is not None and (path in self._running or _RAN in known.fields):
            return known  # else a path that was taken back had imported it
        self._running.add(path)
        try:
            module = self.loaded[path] = execute_module(machine, path, name, tree, model)
        finally:
            self._running.discard(path)
        machine.heap.write(module, _RAN, True)
        return module


_RAN = "@ran"
"""The field of a module whose body has run."""


def new_module(machine: Machine, path: str, name: str, tree: ast.Module, model: bool) -> tuple[Obj, Frame]:
    """A module whose body has not run, and the frame to run it in. Its attributes are its scope's variables."""
    scope = Scope(machine.site, machine.heap.serial(), None, names_of(tree).local)
    scope.cls = "module"
    if name == "__main__":
        scope.fields[_RAN] = True
    scope.fields.update(
        __name__=name,
        __path__=path,
        __model__=model,
        __file__=machine.symbol("__file__"),
        __doc__=machine.symbol("__doc__"),
    )
    return scope, Frame(scope, scope, path, model=model)


def execute_module(machine: Machine, path: str, name: str, tree: ast.Module, model: bool) -> Obj:
    """Run a module's body."""
    module, frame = new_module(machine, path, name, tree, model)
    program = machine.library
    if isinstance(program, Program):
        program.loaded[path] = module  # files may import each other
    try:
        run_module(machine, frame, tree)
    except Spent:  # half of a module is none
        if isinstance(program, Program):
            del program.loaded[path]
        raise
    return module


def run_module(machine: Machine, frame: Frame, tree: ast.Module) -> None:
    """Run a module's body in its frame. What ends in the middle ends the program."""
    with machine.entered(frame):
        machine.execute(tree.body)


def import_(machine: Machine, node: ast.Import) -> None:
    """`import a.b as c`."""
    for alias in node.names:
        module = _import(machine, alias.name)
        if alias.asname:
            assign(machine, alias.asname, module)
        else:
            top = alias.name.partition(".")[0]
            root = module if top == alias.name else _import(machine, top)
            _attach(machine, root, alias.name)
            assign(machine, top, root)


def _attach(machine: Machine, root: Obj, dotted: str) -> None:
    """Make the parts of `a.b.c` attributes of each other, as importing does."""
    parts = dotted.split(".")
    owner = root
    for at in range(1, len(parts)):
        inner = machine.library.load(machine, ".".join(parts[: at + 1]), machine.frame)
        if inner is ABSENT:
            return
        owner.fields.setdefault(parts[at], inner)
        owner = inner


def _import(machine: Machine, name: str) -> Obj:
    found = machine.library.load(machine, name, machine.frame)
    if isinstance(found, Obj):
        return found
    parent, _, last = name.rpartition(".")
    if parent:
        owner = _import(machine, parent)
        value = machine.attribute(owner, last)
        if _answers(owner, parent) and (is_unknown(value) or not isinstance(value, Obj)):
            return owner  # a library's packages have what their files define: torch.nn.parameter.Parameter
        if isinstance(value, Obj):
            return value
    return machine.unknown(f"module {name}")


def _answers(owner: Obj, name: str) -> bool:
    """Whether a package's model answers for the files of it that have none: it is asked for any name."""
    if owner.cls != "module" or name.startswith("torch_xla"):
        return False  # what torch_xla has is looked up in a table
    return name.startswith("torch.") or bool(owner.fields.get("__model__") and "__getattr__" in owner.fields)


def import_from(machine: Machine, node: ast.ImportFrom) -> None:
    """`from a import b`."""
    name = _absolute(machine, node)
    if not name:  # from . import a: beside the file that is run
        for alias in node.names:
            assign(machine, alias.asname or alias.name, _import(machine, alias.name))
        return
    module = _import(machine, name)
    for alias in node.names:
        if alias.name == "*":
            _star(machine, module, name)
            continue
        assign(machine, alias.asname or alias.name, _member(machine, module, name, alias.name))


def _member(machine: Machine, module: Obj, name: str, member: str) -> Value:
    if member in module.fields:
        return module.fields[member]
    inner = machine.library.load(machine, f"{name}.{member}", machine.frame)
    if inner is not ABSENT:
        return inner
    return machine.attribute(module, member)


def _star(machine: Machine, module: Obj, name: str) -> None:
    if module.cls != "module":
        assign(machine, "*", name)
        return
    shown = module.fields.get("__all__")
    listed = shown.fields.get(ELEMENTS, ()) if isinstance(shown, Obj) else None
    for key, value in list(module.fields.items()):
        if isinstance(key, str) and (key in listed if listed else not key.startswith("_")) and key != "*":
            assign(machine, key, value)
    if module.fields.get("*"):
        assign(machine, "*", module.fields["*"])
    if module.fields.get("__model__") and "__getattr__" in module.fields:
        assign(machine, "*", name)


def _absolute(machine: Machine, node: ast.ImportFrom) -> str:
    """The absolute name of what a `from` import names."""
    if not node.level:
        return node.module or ""
    fields = machine.frame.module.fields
    parts = str(fields.get("__name__", "")).split(".")
    path = str(fields.get("__path__", ""))
    if machine.frame.model or not path.endswith("__init__.py"):
        is_package = (
            machine.frame.model
            and model_file(MODELS, ".".join(parts)) is not None
            and str(model_file(MODELS, ".".join(parts))).endswith("__init__.py")
        )
        parts = parts if is_package else parts[:-1]
    if node.level > 1:
        parts = parts[: len(parts) - (node.level - 1)]
    if not parts or parts == [""]:
        return node.module or ""
    return ".".join([*parts, *([node.module] if node.module else [])])
