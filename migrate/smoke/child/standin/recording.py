"""Records what a script does on the predicted XLA device, and computes it at once on the host."""

from __future__ import annotations

import collections
import importlib
from collections.abc import Callable, Hashable
from typing import Any

from . import recorded_exceptions
from .graph import Book, Handle, Node, Step, Value, operation, output
from .profile import Profile
from .recorded_operators import Operator, freeze, is_constant, number_input
from .recorded_tensor import XlaTensor

torch: Any = importlib.import_module("torch")


ABOUT_SHAPES = frozenset({"aten::is_same_size", "aten::is_set_to", "aten::_is_zerotensor", "aten::result_type"})
"""Operators whose answer is no tensor and needs no numbers."""


class Recording:
    """The device: what its tensors hold, what was counted, and who wants to hear of it."""

    def __init__(self, profile: Profile, place: str) -> None:
        self.profile = profile
        self.place = place
        """Where the numbers are: "cpu", or "cuda" where there is one."""
        self.book = Book()
        self.counters: collections.Counter[str] = collections.Counter()
        self.operators: dict[Any, Operator] = {}
        self.listeners: list[Callable[[str, str], None]] = []
        """Called with ("read", operator) for each value taken to the host, ("mixed", operator) for each tensor of the
        host that an operation of the device used."""

    @staticmethod
    def shape_of(tensor: Any) -> Hashable:
        """What a graph knows of a tensor: its shape and dtype."""
        return (tuple(tensor.shape), str(tensor.dtype))

    @staticmethod
    def full(shape: Hashable, number: float, dtype: Any) -> Node:
        """A tensor filled with a number."""
        node = number_input(number, torch, dtype)
        if node is None:
            return operation("full", float(number), (), shape)
        return operation("full", "number", (node,), shape)

    def tell(self, kind: str, name: str) -> None:
        """Tell the listeners."""
        for listener in self.listeners:
            listener(kind, name)

    def dispatch(self, func: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Perform one operator of aten that has an XlaTensor among its arguments."""
        operator = self.operators.get(func)
        if operator is None:
            operator = self.operators[func] = Operator(func, torch)
        exception = recorded_exceptions.BY_NAME.get(operator.base)
        if exception is not None:
            result = exception(self, operator, arguments, options)
            if result is not NotImplemented:
                return result
        elif operator.is_composite:
            # Below autograd, and in inference mode, torch hands them over whole.
            return func.decompose(*arguments, **options)
        return self.perform(operator, arguments, options)

    def create(self, func: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Perform an operator that was given the device: one that makes a tensor, or `.to(device)`."""
        tensors = [item for item in arguments if isinstance(item, torch.Tensor)]
        if any(isinstance(item, XlaTensor) for item in tensors):
            return self.dispatch(func, arguments, options)
        if tensors:
            # From the host, so a copy even where host and device are the same place.
            inner = func(*arguments, **{**options, "device": torch.device(self.place)})
            inner = inner.clone() if inner is tensors[0] else inner
            return self.tensor(inner, self.upload(inner))
        return self.dispatch(func, arguments, options)

    def perform(self, operator: Operator, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Compute an operator's result, and record the operation."""
        if operator.changes_shape:
            return self.change_shape(operator, arguments)
        bound = operator.bind(arguments, options)
        uses = Uses(self, operator, bound)
        fallback = self.profile.fallback(operator.name, bound)
        if fallback is not None:
            # Run on the host: its inputs are computed, and computed again in the next graph.
            self.counters[fallback] += 1
            self.book.execute([tensor.handle.current() for tensor in uses.tensors], keep=False)
        compute = recorded_exceptions.ON_HOST.get(operator.base, operator.func)
        result = compute(*self.lower(arguments), **{name: self.lower(value) for name, value in options.items()})
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        if not any(isinstance(item, torch.Tensor) for item in results):
            if operator.base in ABOUT_SHAPES:
                return result
            if result is not None and fallback is None:
                self.book.execute([tensor.handle.current() for tensor in uses.tensors], keep=False)
            if result is not None:
                self.tell("read", operator.name)
            if not operator.written:
                return result
        written = operator.written_among(bound)
        for tensor in written:
            if not isinstance(tensor, XlaTensor):
                raise RuntimeError(f"{operator.name}: an XLA tensor cannot be written into a tensor of the host")
        if operator.is_view:
            return self.wrap_views(operator, uses, result)
        return self.wrap(operator, uses, written, result, on_host=fallback is not None)

    def lower(self, value: Any) -> Any:
        """An argument for the host's own operator."""
        if isinstance(value, XlaTensor):
            return value.inner
        if isinstance(value, torch.Tensor):
            if value.device.type == "meta":
                raise NotImplementedError("the stand-in met a tensor of the device meta, which has no numbers")
            return value if self.place == "cpu" or value.dim() == 0 else value.to(self.place)
        if isinstance(value, (list, tuple)):
            return type(value)([self.lower(item) for item in value])
        if isinstance(value, torch.device) and value.type in ("meta", "xla"):
            return torch.device(self.place)
        return value

    def wrap_views(self, operator: Operator, uses: Uses, result: Any) -> Any:
        """Tensors for the results of a view operation: they share the storage of its first argument."""
        if torch.is_inference_mode_enabled():
            raise RuntimeError("Cannot set version_counter for inference tensor")  # as torch_xla does
        source, key = uses.tensors[0].handle, (operator.base, uses.static)
        if isinstance(result, torch.Tensor):
            return XlaTensor(result, source.view(Step(key, self.shape_of(result))))
        return [
            XlaTensor(item, source.view(Step((*key, index), self.shape_of(item)))) for index, item in enumerate(result)
        ]

    def wrap(self, operator: Operator, uses: Uses, written: list[Any], result: Any, on_host: bool) -> Any:
        """Tensors for new results; for those written in place, new values."""
        single = not isinstance(result, (tuple, list))
        results = [result] if single else list(result)
        fresh = [
            item for index, item in enumerate(results)
            if isinstance(item, torch.Tensor) and not (index < len(operator.returned) and operator.returned[index])
        ]  # fmt: skip
        outputs = [tensor.inner for tensor in written] + fresh
        node = uses.node([self.shape_of(item) for item in outputs])
        values = [
            self.upload(item) if on_host
            else self.book.pending(output(node, index) if len(outputs) > 1 else node, self.shape_of(item))
            for index, item in enumerate(outputs)
        ]  # fmt: skip
        for tensor, value in zip(written, values):
            if tensor.inner.shape != tensor.shape:
                raise NotImplementedError(f"the stand-in does not resize: {operator.name}")
            tensor.handle.write(value)
        given = iter([self.tensor(item, value) for item, value in zip(fresh, values[len(written) :])])
        returned = iter(written)
        final = []
        for index, item in enumerate(results):
            if index < len(operator.returned) and operator.returned[index]:
                final.append(next(returned))
            else:
                final.append(next(given) if isinstance(item, torch.Tensor) else item)
        return final[0] if single else type(result)(final) if type(result) in (list, tuple) else tuple(final)

    def change_shape(self, operator: Operator, arguments: tuple[Any, ...]) -> Any:
        """`x.unsqueeze_(0)` and its like: the tensor becomes its own view."""
        base = operator.base.split("::")[1]
        name = base.rstrip("_")
        if not hasattr(torch.ops.aten, name):
            raise NotImplementedError(f"the stand-in does not implement {operator.name}")
        arguments[0].become(getattr(torch.ops.aten, name)(*arguments))
        return arguments[0]

    def tensor(self, inner: Any, value: Value) -> XlaTensor:
        """A new tensor with a storage of its own."""
        return XlaTensor(inner, Handle.of(self.book, value))

    def upload(self, inner: Any, by_loader: bool = False) -> Value:
        """The value of a tensor that comes from the host."""
        shape, identity = self.shape_of(inner), None
        if inner.dim() == 0 and not inner.is_complex():
            number = inner.item()
            if not by_loader and is_constant(number, torch, inner.dtype):
                return self.book.pending(operation("constant", number, (), shape), shape)
            if not by_loader:
                identity = ("number", str(inner.dtype), number)
        value = self.book.uploaded(shape, identity)
        if self.profile.uploads_pend and not by_loader:
            value = self.book.pending(value.node, shape)
            value.on_host = True
        return value


class Uses:
    """What an operation takes: tensors and numbers as inputs of the graph, everything else built into it."""

    def __init__(self, recording: Recording, operator: Operator, bound: dict[str, Any]) -> None:
        self.recording, self.operator = recording, operator
        self.tensors: list[XlaTensor] = []
        self.inputs: list[Node] = []
        self.numbers: list[float] = []
        static: list[Hashable] = []
        profile = recording.profile
        for name, value in bound.items():
            self.argument = name
            is_number = name in operator.numbers and isinstance(value, (int, float))
            if is_number and not profile.builds_in(operator.name, name):
                self.numbers.append(value)
                static.append((name, "number"))
            else:
                static.append((name, self.take(value)))
        self.static = tuple(static)

    def take(self, value: Any) -> Hashable:
        """Note one argument; what of it is built into the graph."""
        if isinstance(value, XlaTensor):
            self.tensors.append(value)
            self.inputs.append(value.handle.current().node)
            return "tensor"
        if isinstance(value, torch.Tensor):
            return self.take_from_host(value)
        if isinstance(value, (list, tuple)):
            return tuple(self.take(item) for item in value)
        if isinstance(value, torch.device):
            return "device"
        return freeze(value)

    def take_from_host(self, tensor: Any) -> Hashable:
        """A tensor of the host among the arguments: uploaded for this one use, or refused as torch_xla does."""
        if tensor.dim() == 0 and not tensor.is_complex():
            number = tensor.item()
            node = number_input(number, torch, tensor.dtype)
            if node is None:
                return ("constant", number)
            self.inputs.append(node)
            return "tensor"
        name = self.operator.name
        if not self.recording.profile.uploads(name, self.argument):
            raise RuntimeError(f"Expected XLA tensor. Got: {tensor.type()} (argument {self.argument} of {name})")
        self.recording.tell("mixed", name)
        self.inputs.append(self.recording.book.uploaded(self.recording.shape_of(tensor)).node)
        return "tensor"

    def node(self, shapes: list[Hashable]) -> Node:
        """The operation's node, for results of these shapes."""
        dtype = next((tensor.dtype for tensor in self.tensors if tensor.dtype.is_floating_point), None)
        if dtype is None and self.tensors and not any(isinstance(number, float) for number in self.numbers):
            dtype = self.tensors[0].dtype
        static: list[Hashable] = [self.static]
        # What a new tensor is like gives its shape, not its numbers.
        inputs = [] if self.operator.is_factory else list(self.inputs)
        for number in self.numbers:
            node = number_input(number, torch, dtype or torch.float32)
            if node is None:
                static.append(float(number))
            else:
                static.append("number")
                inputs.append(node)
        # `add_` and `add` are one operation.
        name = self.operator.base.rstrip("_")
        return operation(name, tuple(static), tuple(inputs), tuple(shapes))
