"""What an expression is in training: model, optimizer, loader, scaler ... decided by evidence, never by spelling.

Evidence, strongest first: what it was constructed from; what flows in through assignments, parameters, returns, tuple
unpacking, attributes, containers and loops; how it is used. Each value keeps the chain that led to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.keywords import taken
from codemods.kit.moves import Moves
from codemods.kit.names import Binding, Names, argument
from codemods.kit.tree import Tree, walk

if TYPE_CHECKING:
    from codemods.kit.disputes import Dispute
    from codemods.kit.links import Links
    from codemods.kit.meaning.parts import Part
    from codemods.kit.summary import Known


class Role(Enum):
    """The part a value plays."""

    MODEL = "model"
    OPTIMIZER = "optimizer"
    OPTIMIZERS = "optimizers in a list or dict"
    """Only told from file to file: in one file the list itself shows what it holds."""
    SCALER = "gradient scaler"
    SCHEDULER = "learning-rate scheduler"
    LOADER = "data loader"
    ITERATOR = "iterator over a data loader"
    BATCH = "batch of a data loader"
    SAMPLER = "sampler"
    DATASET = "dataset"
    CRITERION = "loss function"
    LOSS = "loss tensor"
    TENSOR = "tensor"
    DEVICE = "device"
    AUTOCAST = "autocast context"
    OTHER = "something else"
    """Known to be none of these: an instance of a class of the script's own, a list, a number."""


_MADE = "made at "
"""Begins the evidence of a value that the execution of the program shows."""
DICT = " in a dict"
"""Ends `Value.of` of optimizers that a dict holds, not a list."""


@dataclass(frozen=True)
class Value:
    """One thing an expression can be."""

    role: Role
    of: str
    """What it was constructed from: `torch.optim.SGD`, or the name of a class of the script."""
    origin: cst.CSTNode
    """The constructing call, or the parameter or statement that shows its use."""
    evidence: tuple[str, ...] = field(default=(), compare=False)
    """The chain, outermost last: `AdamW(...)` line 12, passed to train() line 80."""
    wrapped: tuple[str, ...] = ()
    """For a model: the parallel wrappers around it, innermost first."""

    @property
    def executed(self) -> bool:
        """Whether the abstract execution of the program shows it, and reading alone did not."""
        return self.evidence[:1] != () and self.evidence[0].startswith(_MADE)

    def via(self, step: str) -> Value:
        """The same value seen one step further."""
        return replace(self, evidence=(*self.evidence, step)) if len(self.evidence) < 8 else self


WRAPPERS = {
    "torch.nn.parallel.DistributedDataParallel": "DistributedDataParallel",
    "torch.nn.DataParallel": "DataParallel",
    "apex.parallel.DistributedDataParallel": "DistributedDataParallel",
    "apex.parallel.distributed.DistributedDataParallel": "DistributedDataParallel",
    "smdistributed.dataparallel.torch.parallel.distributed.DistributedDataParallel": "DistributedDataParallel",
    "smdistributed.dataparallel.torch.parallel.DistributedDataParallel": "DistributedDataParallel",
}
_SCALERS = {"torch.cuda.amp.GradScaler", "torch.amp.GradScaler", "torch.amp.grad_scaler.GradScaler",
            "torch_xla.amp.GradScaler"}  # fmt: skip
LIBRARY_SCALERS = ("timm.utils.NativeScaler", "timm.utils.cuda.NativeScaler")
"""Scalers of other libraries that also do the backward, clip and step: no `GradScaler` of torch's form."""
_LOADERS = {"torch.utils.data.DataLoader", "torch_geometric.loader.DataLoader", "torchdata.StatefulDataLoader"}
DEVICE_LOADERS = {
    "torch_xla.distributed.parallel_loader.MpDeviceLoader",
    "torch_xla.distributed.parallel_loader.ParallelLoader",
}
_SAMPLERS = ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler")
_DEVICES = {"torch.device", "torch_xla.core.xla_model.xla_device", "torch_xla.device"}
OTHER_DEVICE = "a device that is not the accelerator"
"""`Value.of` of a device that another file makes and that cannot be the accelerator."""
_MODEL_MAKERS = ("torchvision.models.", "timm.create_model", "timm.models.", "segmentation_models_pytorch.",
                 "torch.hub.load", "torch.nn.")  # fmt: skip
_TENSOR_MAKERS = {"tensor", "zeros", "ones", "rand", "randn", "randint", "full", "empty", "arange", "linspace", "stack",
                  "cat", "from_numpy", "as_tensor", "zeros_like", "ones_like", "rand_like", "randn_like", "randperm",
                  "Tensor", "FloatTensor", "LongTensor", "eye", "where", "matmul"}  # fmt: skip
_SAME = {"to", "cuda", "cpu", "half", "float", "double", "bfloat16", "train", "eval", "apply", "requires_grad_", "type",
         "share_memory", "detach", "clone", "contiguous", "module_to", "pin_memory"}  # fmt: skip
PASSES_THROUGH = {
    "builtins.enumerate", "builtins.iter", "builtins.reversed", "tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm",
    "tqdm.trange", "tqdm", "itertools.islice", "itertools.cycle", "rich.progress.track", "fastprogress.progress_bar",
    "itertools.chain", "tqdm.autonotebook.tqdm", "tqdm.std.tqdm", "copy.deepcopy", "copy.copy",
}  # fmt: skip

_LITERALS = frozenset((cst.List, cst.Dict, cst.DictComp, cst.ListComp, cst.Integer, cst.Float, cst.Imaginary,
                       cst.SimpleString, cst.ConcatenatedString, cst.FormattedString))  # fmt: skip

_STATE = ("parameters", "named_parameters", "buffers", "named_buffers", "state_dict")
_OPENS = ("builtins.open", "torch.load", "numpy.load", "PIL.Image.open", "torchaudio.load")

_TELLING = frozenset(("zero_grad", "step", "scale", "update", "backward", "parameters", "train", "eval"))
"""Methods that together tell what an object built elsewhere is."""

Values = tuple[Value, ...]
"""What an expression can be, each once, in the order of the source: a set's order would differ from run to run."""
_NONE: Values = ()


class Roles:
    """Answers what expressions are. Flow-insensitive: a name is everything it is ever bound to in its scope."""

    def __init__(self, tree: Tree, names: Names, links: Links) -> None:
        self.tree = tree
        self.names = names
        self.links = links
        self._memo: dict[tuple[cst.CSTNode, tuple[int, ...]], Values] = {}
        self._sites: dict[cst.FunctionDef, list[cst.Call]] | None = None
        self._bound: dict[tuple[int, tuple[int, ...]], Values] = {}
        self._unread = True
        self._bodies: dict[cst.FunctionDef | None, list[cst.CSTNode]] = {}
        self.moves = Moves(tree, names)

    def values(self, node: cst.BaseExpression | None, path: tuple[int, ...] = ()) -> Values:
        """Everything the expression is known to be; empty when nothing is known. `path` indexes into a tuple."""
        if node is None or len(path) > 6:  # `src, length = src` would go on for ever
            return _NONE
        self._read()
        key = (node, path)
        found = self._memo.get(key)
        if found is None:
            self._memo[key] = _NONE  # a name defined through itself adds nothing
            found = self._infer(node, path)
            if not path and self.links.meaning and all(value.role is Role.OTHER for value in found):
                found = self.executed(node) or found
            self._memo[key] = found
        return found

    def stepped(self, call: cst.Call) -> str:
        """The name of the optimizer that a call steps without being spelled so; empty for any other call."""
        meaning = self.links.meaning
        if meaning is None or not meaning.steps:
            return ""
        return meaning.steps.get((self.tree.statement_number(call), spelling(call)), "")

    def executed(self, node: cst.BaseExpression) -> Values:
        """What an expression was when the program was executed abstractly; nothing of one that was several things."""
        if type(node) not in _SPELLED or self.links.meaning is None:
            return _NONE
        parts = self.links.meaning.parts.get((self.tree.statement_number(node), spelling(node)), ())
        if any(part.role != parts[0].role for part in parts):
            return _NONE
        return tuple(
            Value(Role(part.role), part.of, self._maker(node, part), (f"{_MADE}{part.made}",), part.wrapped)
            for part in parts
        )

    def _maker(self, node: cst.BaseExpression, part: Part) -> cst.CSTNode:
        """The call in this file that made a loader, which an edit may have to find; else the expression itself."""
        assert self.links.meaning is not None
        of_calls, number = self.links.meaning.parts, self.tree.statement_number
        makers = (
            call
            for call in (self.tree.all(cst.Call) if part.role == Role.LOADER.value else ())
            if (self.names.qualified(call.func) or "").endswith("DataLoader")
            and part in of_calls.get((number(call), spelling(call)), ())
        )
        return next(makers, node)

    def _read(self) -> None:
        """Names are defined through each other (`model = DDP(model)`): what is found must not depend on which is asked
        for first, so every name is read once, in one order."""
        if self._unread:
            self._unread = False
            tables = [scope.names for scope in self.names.all_scopes()]
            names = chain(*(table.values() for table in tables))
            for bindings in chain(names, self.names.attributes.values(), self.names.dotted.values()):
                self._of_bindings(bindings, ())

    def value(self, node: cst.BaseExpression | None, role: Role) -> Value | None:
        """The value of this role among those the expression can be, or None."""
        return next((value for value in sorted_values(self.values(node)) if value.role is role), None)

    def is_a(self, node: cst.BaseExpression | None, role: Role) -> bool:
        return self.value(node, role) is not None

    # --- by kind of expression ----------------------------------------------------------------------------------

    def _infer(self, node: cst.BaseExpression, path: tuple[int, ...]) -> Values:
        if type(node) is cst.Name or type(node) is cst.Attribute:
            bindings = self.names.bindings(node)
            earlier = self.names.earlier_bindings(node) if type(node) is cst.Name and len(bindings) > 1 else bindings
            if len(earlier) < len(bindings):
                found = self._of_earlier(earlier, path)
            else:
                found = self._of_bindings(bindings, path)
            if not found and type(node) is cst.Attribute:
                found = self._of_attribute(node) or self.inherited(node)
                if not found and not bindings and not path:
                    found = self._inherited_by_use(node)
            if not found and bindings and not path and bindings[0] in self._optimized:
                line = self.tree.statement_line(self._optimized[bindings[0]])
                text = f"its parameters go to an optimizer at line {line}"
                return (Value(Role.MODEL, "by use", bindings[0].node, (text,)),)
            if not found and bindings and not path:
                return self._by_methods(node, bindings)
            return found
        if type(node) is cst.Call:
            return self._of_call(node, path)
        if isinstance(node, cst.IfExp):
            return _merged(self.values(node.body, path), self.values(node.orelse, path))
        if isinstance(node, cst.BooleanOperation):
            return _merged(self.values(node.left, path), self.values(node.right, path))
        if isinstance(node, cst.Tuple | cst.List) and path:
            if path[0] < len(node.elements):
                return self.values(node.elements[path[0]].value, path[1:])
            return _NONE
        if isinstance(node, cst.Subscript):
            return self._of_subscript(node)
        if isinstance(node, cst.NamedExpr):
            return self.values(node.value, path)
        if type(node) in _LITERALS:
            return (Value(Role.OTHER, type(node).__name__, node),)
        return _NONE

    def _of_bindings(self, bindings: list[Binding], path: tuple[int, ...]) -> Values:
        """One binding after the other: what the right side of `model = DDP(model)` means is what came before it."""
        if not bindings:
            return _NONE
        key = (id(bindings), path)  # lists that live as long as the table of names
        found = self._bound.get(key)
        if found is None:
            found = self._bound[key] = _NONE
            for binding in bindings:
                found = self._bound[key] = _merged(found, self._of_binding(binding, path))
        return found

    def _of_binding(self, binding: Binding, path: tuple[int, ...]) -> Values:
        if binding.kind in ("assign", "walrus"):
            return self.values(binding.value, (*binding.path, *path))
        if binding.kind == "with":
            return self.values(binding.value, (*binding.path, *path))
        if binding.kind == "parameter" and isinstance(binding.node, cst.Param):
            return (self._of_element(binding.node, path) if path else _NONE) or self._of_parameter(binding.node)
        if binding.kind == "for":
            return self._of_loop_target(binding)
        if binding.kind == "import" and not path:
            return self.imported(binding)
        return _NONE

    def _of_earlier(self, bindings: list[Binding], path: tuple[int, ...]) -> Values:
        found = _NONE
        for binding in bindings:
            found = _merged(found, self._of_binding(binding, path))
        return found

    def imported(self, binding: Binding) -> Values:
        """What a name that is imported from another file of the project holds."""
        return tuple(_linked(known, binding.node) for known in self.links.variables.get(binding.imported, ()))

    @cached_property
    def _optimized(self) -> dict[Binding, cst.Call]:
        """First bindings of names whose `.parameters()` an optimizer is built from."""
        found: dict[Binding, cst.Call] = {}
        for call in self.tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value in ("parameters", "named_parameters"):
                bindings = self.names.bindings(func.value)
                if bindings and any(
                    isinstance(outer, cst.Call)
                    and library_role(self.names.qualified(outer.func) or "") is Role.OPTIMIZER
                    for outer in self.tree.ancestors(call)
                ):
                    found[bindings[0]] = call
        return found

    def _of_loop_target(self, binding: Binding) -> Values:
        iterated = binding.value
        if iterated is None:
            return _NONE
        for element in self._elements(iterated, binding.path):
            return element
        loader = self.loader(iterated)
        if loader is not None:
            return (Value(Role.BATCH, loader.of, binding.node, (*loader.evidence, "iterated")),)
        return _NONE

    def _elements(self, iterated: cst.BaseExpression, path: tuple[int, ...]) -> list[Values]:
        """Values of the elements of a literal list or tuple of things: `for opt in [opt_g, opt_d]`."""
        literal = self._literal(iterated)
        if isinstance(literal, cst.List | cst.Tuple | cst.Set) and literal.elements:
            found = _merged(*(self.values(element.value, path) for element in literal.elements))
            return [found] if any(value.role is not Role.OTHER for value in found) else []
        if isinstance(literal, cst.ListComp):
            found = self.values(literal.elt)
            return [found] if found else []
        if (
            isinstance(iterated, cst.Call)
            and isinstance(iterated.func, cst.Attribute)
            and iterated.func.attr.value in ("values", "items")
        ):
            slots = self._slots(iterated.func.value)
            if slots and (iterated.func.attr.value == "values" or path[:1] == (1,)):
                return [slots]
            return self._of_several(iterated.func.value)
        if isinstance(iterated, cst.Call) and iterated.args:
            name = self.names.qualified(iterated.func)
            if name == "builtins.enumerate" and path[:1] == (1,):
                return self._elements(iterated.args[0].value, path[1:])
            if name == "builtins.zip" and path and path[0] < len(iterated.args):
                return self._elements(iterated.args[path[0]].value, path[1:])
        return self._of_several(iterated)

    def _of_several(self, container: cst.BaseExpression) -> list[Values]:
        """An element of what another file fills with optimizers."""
        held = self.values(container) if self.links.parameters or self.links.returned else ()
        found = tuple(replace(value, role=Role.OPTIMIZER) for value in held if value.role is Role.OPTIMIZERS)
        return [found] if found else []

    def _literal(self, node: cst.BaseExpression) -> cst.BaseExpression:
        for _ in range(4):
            bindings = self.names.bindings(node)
            if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].path or bindings[0].value is None:
                break
            node = bindings[0].value
        return node

    def _slots(self, container: cst.BaseExpression, key: str | None = None) -> Values:
        """Values held by a dict or list: of its literal, and of `container[key] = value` statements."""
        found: Values = _NONE
        literal = self._literal(container)
        if isinstance(literal, cst.Dict):
            for element in literal.elements:
                if isinstance(element, cst.DictElement):
                    text = element.key.value if isinstance(element.key, cst.SimpleString | cst.Integer) else None
                    if key is None or text is None or text == key:
                        found += self.values(element.value)
        elif isinstance(literal, cst.DictComp):
            found += self.values(literal.value)
        elif isinstance(literal, cst.ListComp):
            found += self.values(literal.elt)
        elif isinstance(literal, cst.List | cst.Tuple):
            if key is not None and key.isdigit() and int(key) < len(literal.elements):
                return self.values(literal.elements[int(key)].value)
            for item in literal.elements:
                found += self.values(item.value)
        name = _text(container)
        for assign in self.tree.all(cst.Assign) if name else ():
            for target in assign.targets:
                if type(target.target) is cst.Subscript and _text(target.target.value) == name:
                    found += self.values(assign.value)
        return _merged(tuple(value for value in found if value.role is not Role.OTHER))

    def _of_subscript(self, node: cst.Subscript) -> Values:
        found = self._of_keyword(node)
        if found:
            return found
        key = None
        if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
            index = node.slice[0].slice.value
            if isinstance(index, cst.SimpleString | cst.Integer):
                key = index.value
            if isinstance(index, cst.Integer) and isinstance(node.value, cst.Call):
                return self.values(node.value, (int(index.value, 0),))
        found = self._slots(node.value, key)
        if found:
            return found
        for several in self._of_several(node.value):
            return several
        whole = self.values(node.value)
        return tuple(v for v in whole if v.role in (Role.BATCH, Role.TENSOR))

    def _of_attribute(self, node: cst.Attribute) -> Values:
        owner = self.values(node.value)
        name = node.attr.value
        for value in sorted_values(owner):
            if value.role is Role.MODEL and value.wrapped and name == "module":
                return (replace(value, wrapped=value.wrapped[:-1]).via(".module"),)
            if value.role is Role.LOADER and name in ("dataset", "sampler"):
                role = Role.DATASET if name == "dataset" else Role.SAMPLER
                return (Value(role, value.of, value.origin, (*value.evidence, f".{name}")),)
            if value.role in (Role.TENSOR, Role.LOSS, Role.BATCH) and name in ("data", "grad", "T"):
                return (Value(Role.TENSOR, value.of, value.origin, value.evidence),)
            if value.role is Role.OTHER and isinstance(value.origin, cst.ClassDef):
                return self._of_bindings(self.names.attribute_bindings(value.origin, name), ())
        return _NONE

    def inherited(self, node: cst.Attribute) -> Values:
        """`self.optimizer` that a base class in another file sets, and `config.DEVICE` of another module."""
        if self.links.variables and (name := self.names.qualified(node)) is not None:
            return tuple(_linked(each, node) for each in self.links.variables.get(name, ()))
        class_ = self.tree.class_of(node) if type(node.value) is cst.Name and node.value.value == "self" else None
        if class_ is None or not self.links.attributes:
            return _NONE
        known = self.links.attributes.get((self.tree.qualname(class_), node.attr.value), ())
        return tuple(_linked(each, class_) for each in known)

    # --- calls --------------------------------------------------------------------------------------------------

    def _of_call(self, call: cst.Call, path: tuple[int, ...]) -> Values:
        name = self.names.qualified(call.func)
        if name is not None:
            found = self._of_library_call(call, name, path)
            if found is not None:
                return found
            found = self._of_other_file(call, name, path)
            if found:
                return found
        class_ = self.names.local_class(call.func)
        if class_ is not None:
            role = self.class_role(class_)
            origin = class_ if role is Role.OTHER else call
            return (Value(role, class_.name.value, origin, (self._made(call),)),)
        function = self.names.local_function(call.func)
        if function is not None:
            return self._of_returns(function, call, path)
        if isinstance(call.func, cst.Attribute):
            return self._of_method(call, call.func, path) or self._of_result(call, path)
        if isinstance(call.func, cst.Name | cst.Subscript | cst.Call):
            return self._of_callable(call, path) or self._of_result(call, path)
        return _NONE

    def _of_result(self, call: cst.Call, path: tuple[int, ...]) -> Values:
        """What a call of something that another file makes gives."""
        if not self.links.results:
            return _NONE
        results = self.links.results.get(self.tree.order[call], {}).get(path, ())
        return tuple(_linked(known, call).via(f"called at line {self.tree.statement_line(call)}") for known in results)

    def _of_other_file(self, call: cst.Call, name: str, path: tuple[int, ...]) -> Values:
        """What a function or class of another file of the project gives."""
        role = self.links.classes.get(name)
        if role is not None:
            return (Value(role, name, call, (self._made(call),)),)
        seen = f"called at line {self.tree.statement_line(call)}"
        return tuple(_linked(known, call).via(seen) for known in self.links.returned.get(name, {}).get(path, ()))

    def _made(self, call: cst.Call) -> str:
        return f"{_text(call.func) or 'a call'}(...) at line {self.tree.statement_line(call)}"

    def _of_library_call(self, call: cst.Call, name: str, path: tuple[int, ...]) -> Values | None:
        role = library_role(name)
        if role is not None:
            return (Value(role, name, call, (self._made(call),)),)
        if name in WRAPPERS and call.args:
            inner = self.value(call.args[0].value, Role.MODEL) or Value(Role.MODEL, name, call, (self._made(call),))
            return (replace(inner, wrapped=(*inner.wrapped, WRAPPERS[name])).via(self._made(call)),)
        if name in DEVICE_LOADERS and call.args:
            moved = self.value(call.args[0].value, Role.LOADER)
            origin = moved.origin if moved else call
            return (Value(Role.LOADER, name, origin, (self._made(call),), wrapped=("device loader",)),)
        if name in PASSES_THROUGH and call.args:
            return _merged(tuple(
                Value(Role.ITERATOR, v.of, v.origin, v.evidence, v.wrapped) if v.role is Role.LOADER else v
                for v in self.values(call.args[0].value)
                if v.role in (Role.LOADER, Role.ITERATOR, Role.MODEL)
            ))  # fmt: skip
        if name == "builtins.next" and call.args:
            loader = self.loader(call.args[0].value)
            return (Value(Role.BATCH, loader.of, call, loader.evidence),) if loader else _NONE
        if name == "builtins.getattr" and call.args:
            key = call.args[1].value if len(call.args) > 1 else None
            if isinstance(key, cst.SimpleString) and key.raw_value == "module":
                return self.values(call.args[0].value, path)  # getattr(model, "module", model)
            return None
        if name == "horovod.torch.DistributedOptimizer" and call.args:
            return self.values(call.args[0].value, path)
        if name in ("apex.amp.initialize", "torch.compile", "torch.jit.script",
                    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
                    "apex.parallel.convert_syncbn_model"):  # fmt: skip
            if path and path[0] < len(call.args):
                return self.values(call.args[path[0]].value, path[1:])
            return self.values(call.args[0].value) if call.args else _NONE
        if name.startswith("builtins."):
            return _NONE
        return None

    def _of_method(self, call: cst.Call, func: cst.Attribute, path: tuple[int, ...]) -> Values:
        found = self._of_keyword(call)
        if found:
            return found
        owner = self.values(func.value)
        method = func.attr.value
        for value in owner:
            if value.role is Role.OTHER and isinstance(value.origin, cst.ClassDef):
                function = self.names.method(value.origin, method)
                if function is not None:
                    return (value,) if self._returns_self(function) else self._of_returns(function, call, path)
        if method in _SAME:
            return tuple(v for v in owner if v.role is not Role.OTHER)
        if method == "per_device_loader":
            return _merged(tuple(replace(v, role=Role.ITERATOR) for v in owner if v.wrapped))
        if method == "from_pretrained" and self.names.qualified(func.value):
            return self._of_pretrained(call, self.names.qualified(func.value) or "")
        if method in ("next", "__next__") and not call.args:
            return tuple(Value(Role.BATCH, v.of, call, v.evidence) for v in owner if v.role is Role.ITERATOR)[:1]
        for value in owner:
            if value.role in (Role.TENSOR, Role.LOSS, Role.BATCH):
                on_host = method in ("item", "tolist")
                return (Value(Role.OTHER if on_host else Role.TENSOR, value.of, call, value.evidence),)
        if call.args and self._is_gone_through(call):
            # `metric_logger.log_every(loader, ...)`: iterates what it is given.
            inner = self.loader(call.args[0].value)
            if inner is not None:
                return (Value(Role.ITERATOR, inner.of, inner.origin, inner.evidence, inner.wrapped),)
        return _NONE

    def _is_gone_through(self, call: cst.Call) -> bool:
        """Whether a loop goes through what a call gives, as it is or in `enumerate(...)`."""
        node: cst.CSTNode = call
        while True:
            parent = self.tree.parent.get(node)
            outer = self.tree.parent.get(parent) if isinstance(parent, cst.Arg) else None
            if not isinstance(outer, cst.Call) or outer.args[0] is not parent:
                return isinstance(parent, cst.For) and parent.iter is node
            if self.names.qualified(outer.func) not in PASSES_THROUGH:
                return False
            node = outer

    def _of_pretrained(self, call: cst.Call, name: str) -> Values:
        last = name.rpartition(".")[2]
        if any(word in last for word in ("Tokenizer", "Config", "Processor", "Extractor", "Scheduler")):
            return (Value(Role.OTHER, name, call),)
        return (Value(Role.MODEL, name, call, (self._made(call),)),)

    def _of_callable(self, call: cst.Call, path: tuple[int, ...]) -> Values:
        func = call.func
        # models.__dict__[args.arch](), getattr(optim, args.optimizer)(...), optim.__dict__[name](...)
        if isinstance(func, cst.Subscript) and isinstance(func.value, cst.Attribute):
            module = self.names.qualified(func.value.value)
            if module and func.value.attr.value == "__dict__":
                return self._member_of(module, call)
        if isinstance(func, cst.Call) and self.names.qualified(func.func) == "builtins.getattr" and func.args:
            module = self.names.qualified(func.args[0].value)
            if module:
                return self._member_of(module, call)
        for value in self.values(func):
            if value.role is Role.MODEL:
                return (Value(Role.TENSOR, "output of " + value.of, call, value.evidence),)
            if value.role is Role.CRITERION:
                return (Value(Role.LOSS, value.of, call, (self._made(call),)),)
        classes = list(self.names.bindings(func)) if isinstance(func, cst.Name) else []
        for binding in classes:
            # Model = A if flag else B; Model(...)
            if binding.kind == "assign" and isinstance(binding.value, cst.IfExp):
                for option in (binding.value.body, binding.value.orelse):
                    class_ = self.names.local_class(option)
                    role = self.class_role(class_) if class_ else library_role(self.names.qualified(option) or "")
                    if role not in (None, Role.OTHER):
                        return (Value(role, _text(option) or "", call, (self._made(call),)),)
        return _NONE

    def _member_of(self, module: str, call: cst.Call) -> Values:
        if module == "torch.optim":
            return (Value(Role.OPTIMIZER, "torch.optim", call, (self._made(call),)),)
        if module == "torch.optim.lr_scheduler":
            return (Value(Role.SCHEDULER, module, call, (self._made(call),)),)
        if module.startswith("torchvision.models") or module.rpartition(".")[2] in ("models", "model"):
            return (Value(Role.MODEL, module, call, (self._made(call),)),)
        return _NONE

    def _of_returns(self, function: cst.FunctionDef, call: cst.Call, path: tuple[int, ...]) -> Values:
        found: list[Value] = []
        seen = f"returned by {function.name.value}(), called at line {self.tree.statement_line(call)}"
        for loader in self._yielded_from(function):
            found.append(Value(Role.ITERATOR, loader.of, loader.origin, loader.evidence, loader.wrapped))
        for returned in self.tree.all(cst.Return):
            if returned.value is not None and self.tree.function(returned) is function:
                found += [value.via(seen) for value in self.values(returned.value, path)]
        return _merged(tuple(found))

    def _returns_self(self, method: cst.FunctionDef) -> bool:
        return any(
            isinstance(returned.value, cst.Name) and returned.value.value == "self"
            for returned in self.tree.all(cst.Return)
            if self.tree.function(returned) is method
        )

    def _yielded_from(self, function: cst.FunctionDef) -> list[Value]:
        """The loaders a generator of the script yields the batches of."""
        yields = [node for node in self.tree.all(cst.Yield) if self.tree.function(node) is function]
        found = [self.loader(node.value.item) for node in yields if isinstance(node.value, cst.From)]
        for loop in self.tree.all(cst.For) if yields else ():
            if self.tree.function(loop) is function and any(self.tree.contains(loop, node) for node in yields):
                found.append(self.loader(loop.iter))
        return [loader for loader in found if loader is not None]

    # --- parameters ---------------------------------------------------------------------------------------------

    def call_sites(self, function: cst.FunctionDef) -> list[cst.Call]:
        """Calls of a function or method of this module, in this module."""
        self._read()
        if self._sites is None:
            self._sites = {}
            self._read_sites(self._sites)
        return self._sites.get(function, [])

    def _read_sites(self, sites: dict[cst.FunctionDef, list[cst.Call]]) -> None:
        """Calls by name first, for whose method `x.f()` calls depends on them. What is inferred meanwhile from
        half of the calls is forgotten."""
        methods = {f.name.value for f in self.tree.all(cst.FunctionDef) if self.tree.class_of(f) is not None}
        unsure: list[tuple[cst.Call, cst.Attribute]] = []
        for call in self.tree.all(cst.Call):
            target = self.names.local_function(call.func)
            class_ = self.names.local_class(call.func)
            if class_ is not None:
                target = self.names.method(class_, "__init__")
            if target is not None:
                sites.setdefault(target, []).append(call)
            elif isinstance(call.func, cst.Attribute) and call.func.attr.value in methods:
                unsure.append((call, call.func))
        memo, self._memo = self._memo, {}
        bound, self._bound = self._bound, {}
        found: list[tuple[cst.FunctionDef, cst.Call]] = []
        for call, func in unsure:
            classes = [value.origin for value in self.values(func.value) if isinstance(value.origin, cst.ClassDef)]
            found += [(f, call) for c in classes if (f := self.names.method(c, func.attr.value)) is not None]
        self._memo, self._bound = memo, bound
        for function, call in dict.fromkeys(found):
            sites.setdefault(function, []).append(call)
        for calls in sites.values():
            calls.sort(key=self.tree.order.__getitem__)

    def parameter_argument(self, function: cst.FunctionDef, parameter: cst.Param, call: cst.Call) -> cst.Arg | None:
        """The argument a call passes for a parameter."""
        positional = [*function.params.posonly_params, *function.params.params]
        position = next((i for i, p in enumerate(positional) if p is parameter), None)
        bound = self.tree.parent.get(self.tree.parent.get(function, function))
        is_method = isinstance(bound, cst.ClassDef) and not any(
            isinstance(d.decorator, cst.Name) and d.decorator.value == "staticmethod" for d in function.decorators
        )
        if position is not None and is_method:
            position -= 1
        return argument(call, position if position is None or position >= 0 else None, parameter.name.value)

    def _of_element(self, parameter: cst.Param, path: tuple[int, ...]) -> Values:
        """What the callers pass in a place of a list or tuple: `net_g, net_d = nets` of `train([net_g, net_d])`."""
        function = self.tree.enclosing(parameter, cst.FunctionDef, cst.Lambda)
        if not isinstance(function, cst.FunctionDef):
            return _NONE
        found: list[Value] = []
        for call in self.call_sites(function):
            passed = self.parameter_argument(function, parameter, call)
            if passed is not None:
                step = f"passed to {function.name.value}() at line {self.tree.statement_line(call)}"
                found += [value.via(step) for value in self.values(passed.value, path)]
        return _merged(tuple(found))

    def _of_parameter(self, parameter: cst.Param) -> Values:
        function = self.tree.enclosing(parameter, cst.FunctionDef, cst.Lambda)
        if not isinstance(function, cst.FunctionDef):
            return _NONE
        dispute = self.dispute(function, parameter)
        if dispute is not None and dispute.role is Role.OPTIMIZER:
            return (Value(Role.OTHER, dispute.text, parameter, dispute.evidence),)
        found: list[Value] = []
        for call in self.call_sites(function):
            passed = self.parameter_argument(function, parameter, call)
            if passed is not None:
                step = f"passed to {function.name.value}() at line {self.tree.statement_line(call)}"
                found += [value.via(step) for value in self.values(passed.value)]
        found += self.passed_elsewhere(function, parameter)
        if not any(value.role is not Role.OTHER for value in found) and parameter.annotation is not None:
            name = self.names.qualified(parameter.annotation.annotation) or ""
            role = Role.MODEL if name in WRAPPERS else library_role(name)
            if role is not None:
                wrapped = (WRAPPERS[name],) if name in WRAPPERS else ()
                text = _text(parameter.annotation.annotation) or ""
                found.append(Value(role, text, parameter, ("annotated",), wrapped))
        if not any(value.role is not Role.OTHER for value in found):
            found += self._by_use(parameter, function)
        return _merged(tuple(found))

    def _of_keyword(self, node: cst.Subscript | cst.Call) -> Values:
        """What the callers pass for `kwargs["model"]`."""
        found = taken(self.tree, self.names, node)
        if found is None:
            return _NONE
        function, keyword = found
        values: list[Value] = []
        for call in self.call_sites(function):
            passed = argument(call, None, keyword)
            if passed is not None:
                step = f"passed to {function.name.value}() at line {self.tree.statement_line(call)}"
                values += [value.via(step) for value in self.values(passed.value)]
        linked = self.links.parameters.get((self.tree.qualname(function), keyword), ())
        return _merged((*values, *(_linked(known, function) for known in linked)))

    def dispute(self, function: cst.FunctionDef, parameter: cst.Param) -> Dispute | None:
        """The callers that contradict each other about a parameter."""
        if not self.links.disputes:
            return None
        return self.links.disputes.get((self.tree.qualname(function), parameter.name.value))

    def passed_elsewhere(self, function: cst.FunctionDef, parameter: cst.Param) -> Values:
        """What the calls of a function, as far as the project shows them, pass for a parameter."""
        if not self.links.parameters:
            return _NONE
        linked = self.links.parameters.get((self.tree.qualname(function), parameter.name.value), ())
        return tuple(_linked(known, parameter) for known in linked)

    def _by_use(self, parameter: cst.Param, function: cst.FunctionDef) -> Values:
        """What a parameter nobody in this file passes must be, from what the function does with it."""
        name = parameter.name.value
        methods: set[str] = set()
        called = iterated = False
        trains = False
        for node in self._inside(function):
            if type(node) is cst.Call:
                func = node.func
                if type(func) is cst.Attribute:
                    if func.attr.value == "backward":
                        trains = True
                    if type(func.value) is cst.Name and func.value.value == name:
                        methods.add(func.attr.value)
                elif type(func) is cst.Name and func.value == name:
                    called = True
            elif type(node) is cst.For and self._iterates(node.iter, name) and not self._names_files(node):
                iterated = True

        def used(role: Role, how: str) -> Values:
            text = f"parameter `{name}` of {function.name.value}() {how}"
            return (Value(role, "parameter", parameter, (text,)),)

        if {"scale", "update"} <= methods or {"unscale_", "update", "step"} <= methods:
            return used(Role.SCALER, "scales or unscales, and is updated")
        if {"zero_grad", "step"} <= methods:
            return used(Role.OPTIMIZER, "is zeroed and stepped")
        if "step" in methods and trains and "zero_grad" not in methods and name.startswith("opt"):
            return used(Role.OPTIMIZER, "is stepped after a backward")
        if called and methods & {"train", "eval", "parameters", "state_dict", "zero_grad"}:
            return used(Role.MODEL, "is called, and set to train or eval")
        if iterated and (trains or self._methods_in(function) & {"train", "eval"}):
            return used(Role.LOADER, "is iterated by the loop that trains or evaluates")
        return _NONE

    def _by_methods(self, node: cst.Name | cst.Attribute, bindings: list[Binding]) -> Values:
        """What an object built outside of this file must be, from the methods called on it: `self.optimizer` set from
        a parameter, `optimizer = build_optimizer(config)`."""
        if not any(binding.kind in ("assign", "parameter", "with") for binding in bindings):
            return _NONE
        methods = self._stepped.get(bindings[0], set())
        name = (_text(node) or "").rpartition(".")[2]
        zeroed = "zero_grad" in methods or (name.startswith("opt") and self._computes_gradients)
        if "step" in methods and zeroed and not methods & {"backward", "update"}:
            seen = f"`{_text(node)}` is {'zeroed and ' if 'zero_grad' in methods else ''}stepped after a backward"
            return (Value(Role.OPTIMIZER, "by use", bindings[0].node, (seen,)),)
        if {"scale", "step", "update"} <= methods:
            seen = f"`{_text(node)}` scales, steps and updates in this file"
            return (Value(Role.SCALER, "by use", bindings[0].node, (seen,)),)
        if {"parameters", "train", "eval"} <= methods:
            seen = f"`{_text(node)}` has parameters and is switched to train() and eval()"
            return (Value(Role.MODEL, "by use", bindings[0].node, (seen,)),)
        return _NONE

    def _inherited_by_use(self, node: cst.Attribute) -> Values:
        """`self.optimizer` of a base class elsewhere, of which nobody says what it holds."""
        class_ = self.tree.class_of(node) if type(node.value) is cst.Name and node.value.value == "self" else None
        if class_ is None or not class_.bases:
            return _NONE
        methods = self._called_on_self.get((class_, node.attr.value), set())
        if {"step", "zero_grad"} <= methods and not methods & {"backward", "update"} and self._computes_gradients:
            seen = f"`{_text(node)}` is zeroed and stepped after a backward"
            return (Value(Role.OPTIMIZER, "by use", class_, (seen,)),)
        return _NONE

    @cached_property
    def _called_on_self(self) -> dict[tuple[cst.ClassDef, str], set[str]]:
        """The methods called on attributes of `self`, by class and attribute."""
        found: dict[tuple[cst.ClassDef, str], set[str]] = {}
        for call in self.tree.all(cst.Call):
            func = call.func
            held = func.value if isinstance(func, cst.Attribute) and func.attr.value in _TELLING else None
            if isinstance(held, cst.Attribute) and isinstance(held.value, cst.Name) and held.value.value == "self":
                class_ = self.tree.class_of(call)
                if class_ is not None and isinstance(func, cst.Attribute):
                    found.setdefault((class_, held.attr.value), set()).add(func.attr.value)
        return found

    @cached_property
    def _computes_gradients(self) -> bool:
        return any(
            isinstance(call.func, cst.Attribute) and call.func.attr.value == "backward"
            for call in self.tree.all(cst.Call)
        )

    @cached_property
    def _stepped(self) -> dict[Binding, set[str]]:
        """The methods that tell of an optimizer, scaler or model, called on names and attributes, by first binding."""
        found: dict[Binding, set[str]] = {}
        funcs = [call.func for call in self.tree.all(cst.Call) if isinstance(call.func, cst.Attribute)]
        called = [(func.value, func.attr.value) for func in funcs if isinstance(func, cst.Attribute)]
        migrated = self.names.calls("torch_xla.core.xla_model.optimizer_step")
        for node, method in [*called, *((call.args[0].value, "step") for call in migrated if call.args)]:
            bindings = self.names.bindings(node) if method in _TELLING else []
            if bindings:
                found.setdefault(bindings[0], set()).add(method)
        return found

    def _iterates(self, iterated: cst.BaseExpression, name: str) -> bool:
        if isinstance(iterated, cst.Name):
            return iterated.value == name
        if isinstance(iterated, cst.Call) and iterated.args:
            qualified = self.names.qualified(iterated.func) or ""
            if qualified == "builtins.zip":
                return any(self._iterates(arg.value, name) for arg in iterated.args)
            # `log_every(loader, print_freq, header)` goes through its first argument only.
            if qualified in PASSES_THROUGH or isinstance(iterated.func, cst.Attribute):
                return self._iterates(iterated.args[0].value, name)
        return False

    def _names_files(self, loop: cst.For) -> bool:
        """Whether what a loop goes through are names of files: `torch.load(path)`, `os.path.basename(path)`."""
        targets = {node.value for node in walk(loop.target) if isinstance(node, cst.Name)}
        for call in self.tree.all(cst.Call):
            name = self.names.qualified(call.func) or ""
            if name in _OPENS or name.startswith("os.path."):
                given = call.args[0].value if call.args else None
                if isinstance(given, cst.Name) and given.value in targets and self.tree.contains(loop.body, call):
                    return True
        return False

    def _inside(self, function: cst.FunctionDef) -> list[cst.CSTNode]:
        """The calls, then the loops, that the function's own body runs."""
        if not self._bodies:
            for kind in (cst.Call, cst.For):
                for node in self.tree.all(kind):
                    self._bodies.setdefault(self.tree.function(node), []).append(node)
        return self._bodies.get(function, [])

    def _methods_in(self, function: cst.FunctionDef) -> set[str]:
        return {
            node.func.attr.value
            for node in self._inside(function)
            if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)
        }

    # --- classes and loaders ------------------------------------------------------------------------------------

    def class_role(self, class_: cst.ClassDef) -> Role:
        """What instances of a class of this module are, by its bases."""
        seen: set[cst.ClassDef] = set()
        queue = [class_]
        while queue:
            current = queue.pop(0)
            if current in seen:
                continue
            seen.add(current)
            for base in current.bases:
                name = self.names.qualified(base.value) or ""
                local = self.names.local_class(base.value)
                role = base_role(name) if local is None else None
                role = role or self.links.classes.get(name)
                if role is not None:
                    return role
                if local is not None:
                    queue.append(local)
        return Role.OTHER

    def loader(self, node: cst.BaseExpression) -> Value | None:
        """The data loader behind what a loop iterates: `loader`, `enumerate(tqdm(loader), 1)`, `zip(a, b)`."""
        for role in (Role.LOADER, Role.ITERATOR):
            value = self.value(node, role)
            if value is not None:
                return value
        if isinstance(node, cst.Call):
            name = self.names.qualified(node.func) or ""
            if name in PASSES_THROUGH or name == "builtins.zip" or isinstance(node.func, cst.Attribute):
                for arg in node.args:
                    if not arg.star and arg.keyword is None:
                        found = self.loader(arg.value)
                        if found is not None:
                            return found
                        if name != "builtins.zip":
                            break
                return None
        loop = self.moves.goes_through(node) if not self.values(node) else None
        if loop is None or self._is_state(node):
            return None
        return Value(Role.LOADER, "unknown", node, (f"line {self.tree.statement_line(loop)} moves what it yields",))

    def _is_state(self, node: cst.BaseExpression) -> bool:
        """Whether a name holds what a model consists of: `params = tuple(model.parameters())`."""
        values = (binding.value for binding in self.names.bindings(node) if binding.kind == "assign")
        return any(
            isinstance(part, cst.Attribute) and part.attr.value in _STATE
            for value in values
            if value is not None
            for part in walk(value)
        )


_BASES = {
    "torch.nn.Module": Role.MODEL,
    "torch.optim.Optimizer": Role.OPTIMIZER,
    "torch.utils.data.Dataset": Role.DATASET,
    "torch.utils.data.IterableDataset": Role.DATASET,
    "torch.utils.data.Sampler": Role.SAMPLER,
    "torch.utils.data.sampler.Sampler": Role.SAMPLER,
    "torch.autograd.Function": Role.OTHER,
}


def base_role(name: str) -> Role | None:
    """What instances of a class are whose base has this qualified name; None for a base that is not of a library."""
    if name.rpartition(".")[2] in ("Module", "PreTrainedModel", "BertPreTrainedModel", "LightningModule"):
        return Role.MODEL
    return library_role(name) or _BASES.get(name)


def library_role(name: str) -> Role | None:
    """What calling a library object by this qualified name makes."""
    if not name:
        return None
    if name in _SCALERS:
        return Role.SCALER
    if name in LIBRARY_SCALERS:
        return Role.OTHER
    if name in _LOADERS:
        return Role.LOADER
    if name in _DEVICES:
        return Role.DEVICE
    if name in _SAMPLERS or (name.startswith("torch.utils.data.") and name.endswith("Sampler")):
        return Role.SAMPLER
    if name.startswith(("torch.optim.lr_scheduler.", "transformers.get_")) or name.endswith("_schedule_with_warmup"):
        return Role.SCHEDULER
    if name.startswith("torch.optim.swa_utils."):
        return None
    if name.startswith(("torch.optim.", "apex.optimizers.", "torch_xla.amp.syncfree.", "bitsandbytes.optim.")):
        return Role.OPTIMIZER if name.rpartition(".")[2][:1].isupper() else None
    if name in (
        "transformers.AdamW",
        "transformers.optimization.AdamW",
        "transformers.Adafactor",
        "timm.optim.create_optimizer",
    ):
        return Role.OPTIMIZER
    if name in ("torch.cuda.amp.autocast", "torch.amp.autocast", "torch.autocast", "torch_xla.amp.autocast"):
        return Role.AUTOCAST
    last = name.rpartition(".")[2]
    if name.startswith("torch.nn.functional."):
        return Role.LOSS if last.endswith("_loss") or "entropy" in last else Role.TENSOR
    if name in WRAPPERS or name.startswith(("torch.nn.parallel.", "torch.nn.utils.", "torch.nn.init.")):
        return None
    if name.startswith("torch.nn."):
        if last.endswith("Loss"):
            return Role.CRITERION
        return Role.MODEL if last[:1].isupper() and last not in ("Parameter", "SyncBatchNorm") else None
    if name.startswith(_MODEL_MAKERS):
        return Role.MODEL
    if name.startswith("torch.") and name.count(".") == 1 and last in _TENSOR_MAKERS:
        return Role.TENSOR
    if name in ("torch.autograd.Variable",):
        return Role.TENSOR
    return None


_SPELLED = frozenset((cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.SimpleString))


def spelling(node: cst.CSTNode) -> str:
    """As `codemods.kit.meaning.parts.spelling` spells the same expression."""
    match node:
        case cst.Name():
            return node.value
        case cst.SimpleString():
            return repr(node.evaluated_value)
        case cst.Attribute():
            return f"{spelling(node.value)}.{node.attr.value}"
        case cst.Call():
            return f"{spelling(node.func)}()"
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
            if isinstance(index, cst.SimpleString | cst.Integer):
                return f"{spelling(node.value)}[{index.evaluated_value!r}]"
            return f"{spelling(node.value)}[{index.value if isinstance(index, cst.Name) else ''}]"
        case cst.Subscript():
            return f"{spelling(node.value)}[]"
    return "?"


def _linked(known: Known, origin: cst.CSTNode) -> Value:
    """A value that another file constructs, as it comes in here."""
    return Value(known.role, known.of, origin, known.evidence, known.wrapped)


def _merged(*parts: Values) -> Values:
    """All of them, each once; of equal ones the evidence of the first."""
    return tuple(dict.fromkeys(chain.from_iterable(parts)))


def sorted_values(values: Values) -> list[Value]:
    """Values in an order that does not depend on hashing."""
    return sorted(values, key=lambda value: (value.role.value, value.of, value.evidence))


def _text(node: cst.CSTNode | None) -> str | None:
    parts: list[str] = []
    while True:
        if type(node) is cst.Attribute:
            parts.append(node.attr.value)
            node = node.value
        elif type(node) is cst.Name:
            parts.append(node.value)
            return ".".join(reversed(parts))
        else:
            return None
