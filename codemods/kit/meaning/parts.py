"""Which parts in training the expressions of a program play: the model, an optimizer, the device of an argument.

It watches an abstract execution, and says of each file what was seen there (`shown`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from codemods.kit import failing
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.early import LISTS, Captures, name_of
from codemods.kit.meaning.epochs import Epochs
from codemods.kit.meaning.files import ReadBack
from codemods.kit.meaning.items import INDEX
from codemods.kit.meaning.iteration import elements_of
from codemods.kit.meaning.kept import Kept
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.masters import Masters
from codemods.kit.meaning.noise import noise_of
from codemods.kit.meaning.numbered import at, keyed, own_expressions, placed, statements_of
from codemods.kit.meaning.parameters import PARAMETER
from codemods.kit.meaning.pickled import Pickled
from codemods.kit.meaning.record import Record
from codemods.kit.meaning.shown import OTHER, TENSOR_TYPE, Early, Key, Meaning, Part
from codemods.kit.meaning.spelling import spelling
from codemods.kit.meaning.taken_apart import why_not
from codemods.kit.meaning.tensors import HOST, UNREAD, Traits, is_tensor, is_unknown
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
    data_of,
    is_a,
)
from codemods.kit.meaning.words import AFAR, HOST_DEVICE, MOVED, READ

_WRAPPERS = {
    "torch.nn.DistributedDataParallel": "DistributedDataParallel",
    "torch.nn.DataParallel": "DataParallel",
}
_COMPILED = "torch.nn.OptimizedModule"
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

Handler = Callable[[Machine, Any], Value]


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


_NUMBERS = ("bool()", "int()", "float()", ".item()", INDEX)
"""How the host reads one element."""


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
        self.fetched: dict[int, tuple[Site, int]] = {}
        """By number, the loaders that were gone through: where each was made, and in how many loops."""
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
        self._arrays: dict[ast.AST, bool] = {}
        """Expressions that were of a batch, and whether they were numbers or arrays each time, and no tensors."""
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

    def read(self, machine: Machine, how: str, traits: Traits) -> None:
        """The host reads tensors as numbers: one after the other, where it does so in a loop for each batch."""
        if how in _NUMBERS and all(one.fields.get("@device") == HOST for one in traits.tensors):
            for _, serial in data_of(traits.taints):
                made, depth = self.fetched.get(serial, (None, 0))
                if made is not None and len(machine.loops()) > depth + 1:
                    self.taken_apart.setdefault(made, READ)

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

    def ask_for_group(self, joined: bool | None) -> None:
        """`dist.is_initialized()` was asked: whether it certainly is; None where a launcher, or an option, decides."""
        if joined is not None:
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
        array = type(value) is Sym and bool(data_of(value.taints))
        if array or node in self._arrays:
            self._arrays[node] = array and self._arrays.get(node, True)
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

    def of_file(self, path: str, tree: ast.Module, record: Record) -> Meaning:
        """What a file showed. `record`: of the whole program."""
        found: dict[Key, dict[Part, None]] = {}
        numbers: dict[ast.AST, int] = {}
        statements = list(statements_of(tree))
        for number, statement in enumerate(statements):
            for node in own_expressions(statement):
                numbers[node] = number
                if node in self._seen:
                    found.setdefault((number, spelling(node)), {}).update(self._seen[node])
        shown = {key: tuple(parts) for key, parts in found.items() if any(map(self._is_shown, parts))}
        parts = {key: parts for key, parts in shown.items() if key[1] != "self"}
        early = tuple(dict.fromkeys(self._early(path, statements, numbers)))
        tellings, sampled = self.epochs.of_file(self._loaders, self.trained, statements)
        after, before = (keyed(numbers, one) for one in self.files.meetings())
        names = {node: frozenset(every) for node, every in self._names.items()}
        noise = {loop.line: drawn for loop, drawn in noise_of(record).items() if loop.path == path}
        return Meaning(
            parts=parts,
            noise={at(statements, line): drawn for line, drawn in noise.items()},
            seeded=bool(record.of("seed")),
            early=early,
            steps=self._other_steps(numbers),
            moves=any(site.path == path for site in self.captures.moves),
            trained=self._made_here(numbers),
            updates=not self._updating.isdisjoint(numbers),
            drives=not self._driving.isdisjoint(numbers),
            seeds=bool(self._updating or self.captures.moves) and not self._seeding.isdisjoint(numbers),
            kept=keyed(numbers, self._kept.calls),
            taken_apart=dict(self.taken_apart),
            computed=keyed(numbers, self._computed),
            sparse=self._sparse_elsewhere(path, numbers),
            tied=keyed(numbers, {node: one for node, one in self._tied.items() if any(one)}),
            low=dict(placed(numbers, self._lowering)),
            epochs=tellings,
            told=_all(numbers, sampled),
            meet_after=after,
            meet_before=before,
            pickled=keyed(numbers, self.pickled.calls()),
            no_loaders=self._gone_through(tree, numbers),
            prefixed=keyed(numbers, self._prefixed),
            located=keyed(numbers, self._located),
            parameters=self._kept_parameters(numbers),
            resumed={made: tuple(loads) for made, loads in self.resumed.items()},
            rows=_all(numbers, (node for node in _taken_apart(tree) if node in self._tensors)),
            arrays=_all(numbers, (node for node, alone in self._arrays.items() if alone)),
            masters=keyed(numbers, self.masters.others),
            names=keyed(numbers, names),
            joined=_all(numbers, (node for node, sure in self._joined.items() if sure)),
        )

    def _other_steps(self, numbers: Mapping[ast.AST, int]) -> dict[Key, str]:
        """Calls that step and are not spelled so."""
        return {
            (number, spelling(node)): self._steps[node.func]
            for node, number in numbers.items()
            if isinstance(node, ast.Call) and self._steps.get(node.func) and not _is_step(node.func)
        }

    def _made_here(self, numbers: Mapping[ast.AST, int]) -> frozenset[Key]:
        made = {self._loaders.get(one) for one in self.trained}
        # Two of one statement, spelled the same, cannot be told apart.
        return _all(numbers, made) - _all(numbers, (node for node in numbers if node not in made))

    def _sparse_elsewhere(self, path: str, numbers: Mapping[ast.AST, int]) -> dict[Key, Site]:
        sparse = {}
        for calls, site in self._sparse.values():
            here = [node for node in calls if node in numbers]
            if here and site.path != path:
                sparse[numbers[here[-1]], spelling(here[-1])] = site
        return sparse

    def _gone_through(self, tree: ast.Module, numbers: Mapping[ast.AST, int]) -> dict[Key, bool]:
        """What stands where loops go through something, and is no loader for certain."""
        found = {
            node: self._no_loaders.get(node)
            for loop in ast.walk(tree)
            if isinstance(loop, (ast.For, ast.AsyncFor))
            for node in ast.walk(loop.iter)
            if node in numbers
        }
        doubtful = _all(numbers, (node for node, array in found.items() if array is None))
        return {key: bool(array) for key, array in keyed(numbers, found).items() if key not in doubtful}

    def _kept_parameters(self, numbers: Mapping[ast.AST, int]) -> frozenset[Key]:
        every = keyed(numbers, self._parameters if self.saves_parameters else {})
        return frozenset(key for key, alone in every.items() if alone)

    def _is_shown(self, part: Part) -> bool:
        return part.role != OTHER or part.made in self.taken_apart

    def _early(self, path: str, statements: Sequence[ast.stmt], numbers: Mapping[ast.AST, int]) -> Iterator[Early]:
        for each in self.captures:
            if each.place.path != path:
                continue
            number = numbers.get(each.node) if each.node.lineno == each.place.line else None
            if number is None:
                number = at(statements, each.place.line)
            late = each.move if each.move is not None and each.move in numbers else None
            move = (numbers[late], spelling(late)) if late is not None else None
            yield Early(number, each.place.name, move, each.imported)


def _all(numbers: Mapping[ast.AST, int], nodes: Iterable[ast.AST | None]) -> frozenset[Key]:
    return frozenset((numbers[node], spelling(node)) for node in nodes if node is not None and node in numbers)


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


def _constant(machine: Machine, node: ast.Constant) -> Value:
    value = node.value
    if isinstance(value, str) and value[:4] == "cuda" and not machine.frames[-1].model:
        value = DeviceText(value)
        value.node, value.site = node, Site(machine.frames[-1].path, node.lineno)
    return value


_FILES = ("pickle.", "joblib.", "dill.", "cloudpickle.")
"""Libraries that read whatever was written: a list of batches, too."""


def _taken_apart(tree: ast.Module) -> Iterator[ast.AST]:
    """What comprehensions and `map` go through."""
    for node in ast.walk(tree):
        if isinstance(node, ast.comprehension):
            yield node.iter
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "map":
            yield from node.args[1:]
