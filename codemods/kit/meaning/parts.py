"""Which parts in training the expressions of a program play: the model, an optimizer, the device of an argument.

What an abstract execution saw each expression be, said without the heap: small, and the same for every parse of the
text. An expression is found again by its statement's number and by how it is spelled there.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from codemods.kit import failing
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.early import LISTS, Captures, name_of
from codemods.kit.meaning.epochs import Epochs, Telling
from codemods.kit.meaning.files import ReadBack
from codemods.kit.meaning.iteration import elements_of
from codemods.kit.meaning.kept import Kept
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.masters import Masters
from codemods.kit.meaning.names import parts_of
from codemods.kit.meaning.parameters import PARAMETER
from codemods.kit.meaning.pickled import Pickled
from codemods.kit.meaning.spelling import spelling
from codemods.kit.meaning.taken_apart import why_not
from codemods.kit.meaning.tensors import UNREAD, is_tensor, is_unknown
from codemods.kit.meaning.tied import Tied, tied
from codemods.kit.meaning.values import (
    REST,
    Bound,
    Choice,
    ClassValue,
    Obj,
    Running,
    Site,
    Sym,
    Value,
    container,
    is_a,
)
from codemods.kit.meaning.words import AFAR, HOST_DEVICE, MOVED

_WRAPPERS = {
    "torch.nn.DistributedDataParallel": "DistributedDataParallel",
    "torch.nn.DataParallel": "DataParallel",
}
_COMPILED = "torch.nn.OptimizedModule"
TENSOR_TYPE = "tensor type"
_BY_BASE = {
    "torch.optim.Optimizer": "optimizer",
    "torch.cuda.amp.GradScaler": "gradient scaler",
    "torch.utils.data.DataLoader": "data loader",
    "torch.utils.data.Sampler": "sampler",
    "torch.device": "device",
    "torch.nn.Module": "model",
    "torch._types.tensortype": TENSOR_TYPE,
}
"""Classes of the models of libraries, and what their instances are."""

OTHER = "something else"
"""The part of an object that is none of these."""
Key = tuple[int, str]
"""The number of a statement, parents first, and the spelling of an expression in it."""
Low = tuple[int, str, int]
T = TypeVar("T")
Handler = Callable[[Machine, Any], Value]


@dataclass(frozen=True)
class Part:
    """One thing an expression was."""

    role: str
    of: str
    """The class it is an instance of."""
    made: Site
    """Where it was made."""
    wrapped: tuple[str, ...] = ()
    """Of a model: the parallel wrappers around it, innermost first."""


@dataclass(frozen=True)
class Early:
    """A model whose parameters an optimizer takes before they move: on XLA the move makes other ones."""

    statement: int
    """The number of the statement before which it has to move."""
    model: str
    """How it is spelled there."""
    move: Key | None
    """The call that moves it too late, if it is of the same function."""
    imported: bool = False
    """Whether this happens when a file is imported: too early to put anything on a device."""


@dataclass(frozen=True)
class Meaning:
    """What one file of a program showed when it was executed abstractly."""

    parts: Mapping[Key, tuple[Part, ...]] = field(default_factory=dict)
    early: tuple[Early, ...] = ()
    steps: Mapping[Key, str] = field(default_factory=dict)
    """Calls that step an optimizer and are not spelled so, `advance()`: what the optimizer is called there."""
    moves: bool = False
    """Whether it moves a model to the accelerator."""
    trained: frozenset[Key] = frozenset()
    """Calls that construct a loader whose batches a backward went through."""
    updates: bool = False
    """Whether calls of this file stepped parameters on the accelerator."""
    drives: bool = False
    """Whether a call of this file, which nothing called, stepped what several GPUs of one process had computed."""
    seeds: bool = False
    """Whether a call of this file seeds a program that puts models on the accelerator, or steps parameters there."""
    kept: Mapping[Key, str] = field(default_factory=dict)
    """Calls that give a loaded state to an object that keeps it in the place of its tensors on the accelerator: what
    the first argument is, `dict`, `list` or `Tensor`; empty where it keeps something else of it."""
    taken_apart: Mapping[Site, str] = field(default_factory=dict)
    """Loaders of the program, by where they are made, whose batches a device loader would not hand out as they are, and
    why."""
    computed: Mapping[Key, bool] = field(default_factory=dict)
    """Calls of operators that fail on some torch_xla: whether a tensor of the accelerator was given."""
    sparse: Mapping[Key, Site] = field(default_factory=dict)
    """Calls of functions of other files that make a sparse tensor, and where it is made."""
    tied: Mapping[Key, Tied] = field(default_factory=dict)
    """Calls that move a model to the accelerator, and what that parts; one that moves several has what is of none."""
    low: Mapping[Low, bool] = field(default_factory=dict)
    """Calls of `.numpy()`, with their number among those spelled so there: whether autocast made what is asked."""
    epochs: tuple[Telling, ...] = ()
    """Where the samplers can be told the epoch that loaders get which fed all GPUs at once."""
    told: frozenset[Key] = frozenset()
    """Calls that construct such a loader, where the program's files together tell its sampler each epoch."""
    meet_after: Mapping[Key, bool] = field(default_factory=dict)
    """Calls after which all processes have to meet: one writes what the statement that they belong to reads. True:
    where `xm.save` waits by itself they have met."""
    meet_before: Mapping[Key, bool] = field(default_factory=dict)
    """Calls that read what one process wrote before: all have to meet above them."""
    pickled: Mapping[Key, bool] = field(default_factory=dict)
    """Calls that load more than a plain state, and whether that is used as a network."""
    no_loaders: Mapping[Key, bool] = field(default_factory=dict)
    """What stands where loops go through something and is no loader: a number, a container, a tensor, an array. True
    for arrays and plain values, and for what is on the device: what they give is no batch of tensors to be moved."""
    prefixed: Mapping[Key, str] = field(default_factory=dict)
    """Calls that load a file's state into a wrapped network: what its keys begin with, `module.`, `_orig_mod.`."""
    located: Mapping[Key, bool] = field(default_factory=dict)
    """Calls that run torch.load, whatever they are spelled: whether it is told anything but the CPU, or nothing."""
    parameters: frozenset[Key] = frozenset()
    """Of a program that saves an `nn.Parameter` that is not on the host: expressions that were such or tensors."""
    resumed: Mapping[Site, tuple[Site, ...]] = field(default_factory=dict)
    """Optimizers of the program, by where they are made, and where each is given a state that came from a file."""
    rows: frozenset[Key] = frozenset()
    """What comprehensions and `map` go through that was one tensor: they make a list of its rows."""
    masters: Mapping[Key, bool] = field(default_factory=dict)
    """Expressions that look at the averaged gradients of which those are made that an optimizer steps with, and whether
    at all of them: `kit/meaning/masters`."""
    names: Mapping[Key, frozenset[str]] = field(default_factory=dict)
    """Expressions that were text in capital letters, and which."""
    joined: frozenset[Key] = frozenset()
    """Calls of `dist.is_initialized()` that come after the process group was certainly made, whenever they are run."""


_ANOTHER = Part(OTHER, "", Site("", 0))
_HELD = (Obj, Choice, str, tuple, Running)
"""What a part may be."""


class DeviceText(str):
    """A text of the program that may name a device: it knows where it is written."""

    __slots__ = ("node", "site")
    node: ast.AST
    site: Site


def _device(text: DeviceText) -> Part:
    return Part("device", str(text), text.site)


class Watcher:
    """Keeps what the expressions of the program's own files were."""

    def __init__(self) -> None:
        self._seen: dict[ast.AST, dict[Part, None]] = {}
        self._roles: dict[Any, tuple[str, str]] = {}
        self._steps: dict[ast.AST, str] = {}
        self.captures = Captures()
        self._loaders: dict[int, ast.AST] = {}
        """By number, the loaders, and the call that made each."""
        self.trained: set[int] = set()
        """The loaders whose batches a backward went through."""
        self.taken_apart: dict[Site, str] = {}
        self._tied: dict[ast.AST, Tied] = {}
        self._computed: dict[ast.AST, bool] = {}
        self._sparse: dict[int, tuple[tuple[ast.AST, ...], Site]] = {}
        """By number, the sparse tensors: the calls in progress when each was made, outermost first, and where."""
        self._updating: set[ast.AST] = set()
        """Calls that stepped parameters on the accelerator."""
        self._driving: set[ast.AST] = set()
        """The outermost of the calls that stepped what several GPUs of one process had computed."""
        self._seeding: set[ast.AST] = set()
        """Calls of `torch.manual_seed`."""
        self._no_loaders: dict[ast.AST, bool | None] = {}
        """Of what is no loader, whether it was an array or a plain value; None where it may be a loader."""
        self._tensors: set[ast.AST] = set()
        """What was one tensor, and not a batch of which it is not known what it holds."""
        self._joined: dict[ast.AST, bool] = {}
        self._names: dict[ast.AST, set[str]] = {}
        """What is text in capital letters, as the names of variables of the environment are."""
        self._kept = Kept()
        self._lowering: dict[ast.AST, bool] = {}
        self.epochs = Epochs()
        self.files = ReadBack()
        self.pickled = Pickled()
        self._prefixed: dict[ast.AST, str] = {}
        self._located: dict[ast.AST, bool] = {}
        self._parameters: dict[ast.AST, bool] = {}
        """Expressions that were parameters, and whether they were nothing else than tensors."""
        self.saves_parameters = False
        self.resumed: dict[Site, dict[Site, None]] = {}
        """By where optimizers are made, where they are given a state that came from a file."""
        self.masters = Masters(self.captures.calls)

    def use_as_device(self, machine: Machine, value: Value) -> None:
        """A value says where something is put. A text that only makes a `torch.device` is left to who uses that."""
        function = machine.frame.function
        made = function is not None and function.owner is not None and function.owner.name == "device"
        if isinstance(value, DeviceText) and not made:
            self._seen.setdefault(value.node, {})[_device(value)] = None

    def compute(self, name: str, tensors: Sequence[Obj]) -> None:
        """An operator, or a method of a tensor, got these."""
        if name == "to_dense":
            for one in tensors:
                self._sparse.pop(one.serial, None)
        where = {one.fields.get("@device") for one in tensors} if name.rpartition(".")[2] in failing.names() else ()
        if "cuda" in where or "cpu" in where:
            for call in self.captures.calls[-1:]:
                self._computed[call] = "cuda" in where or self._computed.get(call, False)

    def hand_out(self, machine: Machine, owner: Obj, element: Value) -> None:
        """An object of the program's own hands out an element to who goes through it."""
        if why_not(machine, element) == MOVED:
            self.taken_apart[owner.site] = MOVED + AFAR

    def move_model(self, machine: Machine, model: Obj) -> None:
        """A model moves to the accelerator."""
        for call in self.captures.calls[-1:]:
            found = tied(machine, model)
            before = self._tied.setdefault(call, found)
            if before != found:
                self._tied[call] = Tied(nameless=True)

    def step(self, accelerated: bool, averaged: bool) -> None:
        """An optimizer stepped, parameters on the accelerator or not; `averaged`: gradients of several GPUs that one
        process drives."""
        if accelerated:
            self._updating.update(self.captures.calls)
        if averaged:
            self._driving.update(self.captures.calls[:1])

    def load_prefixed(self, prefix: str) -> None:
        """A state from a file is loaded into a network with a wrapper around it."""
        self._prefixed.update((call, prefix) for call in self.captures.calls[-1:])

    def locate(self, call: ast.AST, elsewhere: bool) -> None:
        """A call loads a checkpoint to the host, or elsewhere."""
        self._located[call] = elsewhere or self._located.get(call, False)

    def clip(self, machine: Machine, every: Iterable[Obj]) -> None:
        """The gradients of parameters are clipped."""
        for call in self.captures.calls[-1:]:
            self.masters.clip(machine, call, every)

    def seed(self) -> None:
        """PyTorch's generators were seeded."""
        self._seeding.update(self.captures.calls[-1:])

    def ask_for_group(self, joined: bool) -> None:
        """`dist.is_initialized()` was asked: whether it certainly is."""
        self._joined.update((call, joined and self._joined.get(call, True)) for call in self.captures.calls[-1:])

    def lower(self, low: bool) -> None:
        """NumPy took a tensor that autocast had made, or another."""
        self._lowering.update((call, low or self._lowering.get(call, False)) for call in self.captures.calls[-1:])

    def watching(self, handlers: Mapping[type[ast.AST], Handler]) -> dict[Any, Any]:
        """Handlers that tell this watcher what they give."""
        watched = {kind: self._watched(handlers[kind]) for kind in (ast.Name, ast.Attribute, ast.Subscript)}
        return {**handlers, **watched, ast.Call: self._watched_call(handlers), ast.Constant: _constant}

    def _watched(self, handler: Handler) -> Handler:
        def run(machine: Machine, node: ast.AST) -> Value:
            value = handler(machine, node)
            if machine.frames[-1].model:
                return value
            if type(node) is ast.Attribute and node.attr == "grad":
                self.masters.see(machine, node, value)
            if not machine.assumed:
                self._see(machine, node, value)
            return value

        return run

    def _watched_call(self, handlers: Mapping[type[ast.AST], Handler]) -> Handler:
        handler = handlers[ast.Call]
        calls = self.captures.calls

        def run(machine: Machine, node: ast.Call) -> Value:
            if machine.frames[-1].model or machine.assumed:
                return handler(machine, node)
            calls.append(node)
            try:
                value = handler(machine, node)
                if isinstance(node.func, ast.Attribute) and isinstance(value, Obj) and _makes_sparse(node.func):
                    self._sparse[value.serial] = tuple(calls), machine.site
                self.masters.leave(machine, node, lambda machine, given: handlers[type(given)](machine, given))
            finally:
                calls.pop()
                self._kept.leave(machine, node)
            self.pickled.leave(node, value)
            self._see(machine, node, value)
            return value

        return run

    def _see(self, machine: Machine, node: ast.AST, value: Value) -> None:
        """An expression of the program's own files has been evaluated."""
        calls = self.captures.calls
        if calls:
            self._kept.see(machine, calls[-1], node, value)
            self.pickled.see(calls[-1], node, value)
        if any(is_tensor(one) and UNREAD not in one.fields for one in options_of(machine.facts, value)):
            self._tensors.add(node)
        for one in value if type(value) is Choice else (value,):
            if isinstance(one, str) and one.isupper():
                self._names.setdefault(node, set()).add(str(one))
        made = _no_loader(machine, value)
        self._no_loaders[node] = made if self._no_loaders.get(node, made) is made else None
        every = tuple(value) if type(value) is Choice else (value,)
        if node in self._parameters or any(is_a(one, PARAMETER) for one in every):
            kept = all(is_tensor(one) or is_unknown(one) for one in every)
            self._parameters[node] = kept and self._parameters.get(node, True)
        if isinstance(value, _HELD):
            for one in value if type(value) is Choice else (value,):
                part = self._part(one)
                if part is not None:
                    self._seen.setdefault(node, {})[part] = None
                    if part.role == "data loader" and isinstance(node, ast.Call) and isinstance(one, Obj):
                        self._loaders.setdefault(one.serial, node)
        if isinstance(node, ast.Attribute) and node.attr in LISTS:
            self.captures.list(machine, node, value)
        elif isinstance(value, Bound) and is_a(value.receiver, "torch.optim.Optimizer"):
            if getattr(value.function, "name", "") == "step":
                self._steps[node] = name_of(machine, machine.frames[-1], value.receiver)

    def _part(self, value: Value) -> Part | None:
        if not isinstance(value, Obj):
            if isinstance(value, DeviceText):
                return _device(value)
            if isinstance(value, Running):
                return Part(OTHER, "", value.scope.site)
            return _ANOTHER if isinstance(value, tuple) else None
        if not isinstance(value.cls, ClassValue):
            return None
        if _COMPILED in value.cls.qualified:
            return self._part(value.fields.get("_orig_mod"))
        role, of = self._role(value.cls)
        if role == "device" and value.fields.get("type") != "cuda":
            role, of = OTHER, HOST_DEVICE if value.fields.get("type") == "cpu" else of
        if role == TENSOR_TYPE:
            of = str(value.fields.get("name"))
        wrapped: list[str] = []
        inner: Value = value
        while isinstance(inner, Obj) and isinstance(inner.cls, ClassValue) and len(wrapped) < 3:
            if inner.cls.qualified.isdisjoint(_WRAPPERS):
                break
            wrapped.insert(0, next(_WRAPPERS[name] for name in inner.cls.qualified if name in _WRAPPERS))
            inner = inner.fields.get("module")
        return Part(role, of, value.site, tuple(wrapped))

    def _role(self, cls: ClassValue) -> tuple[str, str]:
        known = self._roles.get(cls)
        if known is None:
            role = next((one for base, one in _BY_BASE.items() if base in cls.qualified), OTHER)
            if role == OTHER and cls.module == "torch.optim.lr_scheduler":
                role = "learning-rate scheduler"
            if role == "model" and cls.module == "torch.nn" and cls.name.endswith("Loss"):
                role = "loss function"
            known = self._roles[cls] = (role, f"{cls.module}.{cls.name}")
        return known

    def of_file(self, path: str, tree: ast.Module) -> Meaning:
        """What a file showed."""
        found: dict[Key, dict[Part, None]] = {}
        numbers: dict[ast.AST, int] = {}
        statements = list(_statements(tree))
        for number, statement in enumerate(statements):
            for node in _own_expressions(statement):
                numbers[node] = number
                if node in self._seen:
                    found.setdefault((number, spelling(node)), {}).update(self._seen[node])
        shown = {key: tuple(parts) for key, parts in found.items() if any(map(self._is_shown, parts))}
        parts = {key: parts for key, parts in shown.items() if key[1] != "self"}
        moves = any(site.path == path for site in self.captures.moves)
        steps = {
            (number, spelling(node)): self._steps[node.func]
            for node, number in numbers.items()
            if isinstance(node, ast.Call) and self._steps.get(node.func) and not _is_step(node.func)
        }
        made = {self._loaders.get(one) for one in self.trained}
        trained = frozenset((numbers[node], spelling(node)) for node in made if node in numbers)
        # Two of one statement, spelled the same, cannot be told apart.
        trained -= {(number, spelling(node)) for node, number in numbers.items() if node not in made}
        updates = not self._updating.isdisjoint(numbers)
        seeds = bool(self._updating or self.captures.moves) and not self._seeding.isdisjoint(numbers)
        early = tuple(dict.fromkeys(self._early(path, statements, numbers)))
        kept = _keyed(numbers, self._kept.calls)
        low = dict(_placed(numbers, self._lowering))
        computed = _keyed(numbers, self._computed)
        sparse = {}
        for calls, site in self._sparse.values():
            here = [node for node in calls if node in numbers]
            if here and site.path != path:
                sparse[numbers[here[-1]], spelling(here[-1])] = site
        tied = _keyed(numbers, {node: one for node, one in self._tied.items() if any(one)})
        tellings, sampled = self.epochs.of_file(self._loaders, self.trained, statements)
        told = frozenset((numbers[node], spelling(node)) for node in sampled if node in numbers)
        after, before = (_keyed(numbers, one) for one in self.files.meetings())
        gone_through = {
            node: self._no_loaders.get(node)
            for loop in ast.walk(tree)
            if isinstance(loop, (ast.For, ast.AsyncFor))
            for node in ast.walk(loop.iter)
            if node in numbers
        }
        doubtful = {(numbers[node], spelling(node)) for node, array in gone_through.items() if array is None}
        no_loaders = {key: array for key, array in _keyed(numbers, gone_through).items() if key not in doubtful}
        return Meaning(
            parts,
            early,
            steps,
            moves,
            trained,
            updates,
            not self._driving.isdisjoint(numbers),
            seeds,
            kept,
            dict(self.taken_apart),
            computed,
            sparse,
            tied,
            low,
            tellings,
            told,
            after,
            before,
            _keyed(numbers, self.pickled.calls()),
            {key: bool(array) for key, array in no_loaders.items()},
            _keyed(numbers, self._prefixed),
            _keyed(numbers, self._located),
            self._kept_parameters(numbers),
            {made: tuple(loads) for made, loads in self.resumed.items()},
            frozenset((numbers[node], spelling(node)) for node in _taken_apart(tree) if node in self._tensors),
            _keyed(numbers, self.masters.others),
            _keyed(numbers, {node: frozenset(every) for node, every in self._names.items()}),
            frozenset(_keyed(numbers, {node: True for node, sure in self._joined.items() if sure})),
        )

    def _kept_parameters(self, numbers: Mapping[ast.AST, int]) -> frozenset[Key]:
        keyed = _keyed(numbers, self._parameters if self.saves_parameters else {})
        return frozenset(key for key, alone in keyed.items() if alone)

    def _is_shown(self, part: Part) -> bool:
        return part.role != OTHER or part.made in self.taken_apart

    def _early(self, path: str, statements: Sequence[ast.stmt], numbers: Mapping[ast.AST, int]) -> Iterator[Early]:
        for each in self.captures:
            if each.place.path != path:
                continue
            number = numbers.get(each.node) if each.node.lineno == each.place.line else None
            if number is None:
                number = _at(statements, each.place.line)
            late = each.move if each.move is not None and each.move in numbers else None
            move = (numbers[late], spelling(late)) if late is not None else None
            yield Early(number, each.place.name, move, each.imported)


def _keyed(numbers: Mapping[ast.AST, int], wanted: Mapping[ast.AST, T]) -> dict[Key, T]:
    return {(numbers[node], spelling(node)): one for node, one in wanted.items() if node in numbers}


def _placed(numbers: Mapping[ast.AST, int], wanted: Mapping[ast.AST, bool]) -> Iterator[tuple[Low, bool]]:
    seen: Counter[Key] = Counter()
    calls = (node for node in (numbers if wanted else ()) if isinstance(node, ast.Call))
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        key = numbers[node], spelling(node)
        if node in wanted:
            yield (*key, seen[key]), wanted[node]
        seen[key] += 1


def _makes_sparse(function: ast.Attribute) -> bool:
    """Whether what is called makes a sparse tensor: `torch.sparse_coo_tensor`, `torch.sparse.FloatTensor`."""
    owner = function.value
    legacy = isinstance(owner, ast.Attribute) and owner.attr == "sparse" and function.attr.endswith("Tensor")
    return legacy or function.attr in _SPARSE


_SPARSE = ("sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor",
           "sparse_compressed_tensor", "to_sparse", "to_sparse_csr")  # fmt: skip


def _no_loader(machine: Machine, value: Value) -> bool | None:
    """Whether something that is no loader is an array, a plain value or on the device; None for what may be one."""
    if isinstance(value, Choice):
        every = {_no_loader(machine, one) for one in value}
        return every.pop() if len(every) == 1 else None
    if isinstance(value, Sym):
        return not (isinstance(value.key, tuple) and str(value.key[:1] and value.key[0]).startswith(_FILES))
    plain = isinstance(value, (str, int, float, tuple)) or container(value) != "" or is_tensor(value)
    return _is_there(machine, value) if plain else None


def _is_there(machine: Machine, value: Value) -> bool:
    """Whether what stands first in a list, or a tensor, is on the device."""
    if isinstance(value, Obj) and container(value) == "list":
        value = (*elements_of(machine, value)[:1], value.fields.get(REST))
    if isinstance(value, tuple):
        return why_not(machine, value[:2]) == MOVED
    return is_tensor(value) and why_not(machine, value) == MOVED


def _is_step(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "step"


def _at(statements: Sequence[ast.stmt], line: int) -> int:
    """The number of the innermost statement that a line is of."""
    return max(at for at, one in enumerate(statements) if one.lineno <= line <= (one.end_lineno or 0))


def _constant(machine: Machine, node: ast.Constant) -> Value:
    value = node.value
    if isinstance(value, str) and value[:4] == "cuda" and not machine.frames[-1].model:
        value = DeviceText(value)
        value.node, value.site = node, Site(machine.frames[-1].path, node.lineno)
    return value


_FILES = ("pickle.", "joblib.", "dill.", "cloudpickle.")
"""Libraries that read whatever was written: a list of batches, too."""
_BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """As `codemods.kit.statement_lines` numbers them."""
    stack: list[ast.AST] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            yield node
        for name in reversed(_BLOCKS):
            below = getattr(node, name, None)
            if isinstance(below, list):
                stack.extend(reversed(below))


def _taken_apart(tree: ast.Module) -> Iterator[ast.AST]:
    """What comprehensions and `map` go through."""
    for node in ast.walk(tree):
        if isinstance(node, ast.comprehension):
            yield node.iter
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "map":
            yield from node.args[1:]


def _own_expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without those of statements in it."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind in _SPELLED:
            yield node
        if kind is ast.Name or kind is ast.Constant:
            continue
        left = (*_STATEMENT, ast.Constant) if kind is ast.Compare else _STATEMENT
        # A text that a device is compared with makes none.
        stack += [below for below in parts_of(node) if not isinstance(below, left)]


_SPELLED = frozenset({ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant})
_STATEMENT = (ast.stmt, ast.excepthandler, ast.match_case)
