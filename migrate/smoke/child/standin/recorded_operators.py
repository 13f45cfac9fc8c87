"""What the recorded layer has to know of an operator of aten: what it writes, views, and takes for a number."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from .graph import Node, data

HIDDEN_WRITES = {"aten::native_batch_norm": (3, 4)}
"""Arguments that an operator writes although its schema does not say so: the running mean and variance."""

NUMBER_TYPES = ("number", "Optional[number]", "Tensor", "Optional[Tensor]")
"""Types of the schema. A number in the place of a tensor is one that torch wrapped: the 2 of `x * 2`."""


class Operator:
    """One overload of an operator, as its schema describes it."""

    def __init__(self, func: Any, torch: Any) -> None:
        schema = func._schema
        self.func = func
        self.name: str = func.name()  # "aten::add.Tensor"
        self.base = self.name.split(".")[0]
        arguments, returns = schema.arguments, schema.returns
        self.names = [argument.name for argument in arguments]
        self.numbers = {argument.name for argument in arguments if str(argument.type) in NUMBER_TYPES}
        """Where a Python number is an input of the graph, so that its value may change without a new one."""
        self.written = [argument.name for argument in arguments if argument.alias_info and argument.alias_info.is_write]
        self.returned = [bool(item.alias_info and item.alias_info.is_write) for item in returns]
        self.is_view = any(item.alias_info and not item.alias_info.is_write for item in returns)
        self.is_factory = self.base.endswith("_like") or self.base.startswith("aten::new_")
        self.is_composite = torch._C._dispatch_has_kernel_for_dispatch_key(self.name, "CompositeImplicitAutograd")
        self.tensor = torch.Tensor
        self.changes_shape = torch.Tag.inplace_view in func.tags

    def bind(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name, in the schema's order, without those that were left to their defaults."""
        return {**dict(zip(self.names, arguments)), **options}

    def written_among(self, bound: dict[str, Any]) -> list[Any]:
        """The tensors that the operator writes in place."""
        names = list(self.written)
        if bound.get("training"):
            names += [self.names[place] for place in HIDDEN_WRITES.get(self.base, ())]
        tensors: list[Any] = []
        for name in names:
            value = bound.get(name)
            tensors += value if isinstance(value, (list, tuple)) else [value] if isinstance(value, self.tensor) else []
        return tensors


def is_constant(number: float, torch: Any, dtype: Any) -> bool:
    """Whether torch_xla builds this number into the graph: 0, 1 and -1, once they are rounded to the dtype."""
    if isinstance(number, complex):
        return False
    if dtype is not None and dtype.is_floating_point:
        number = torch.tensor(number, dtype=dtype).item()
    return number == 0 or abs(number) == 1


def number_input(number: float, torch: Any, dtype: Any) -> Node | None:
    """The input of a graph that a Python number is; None when it is built in. Equal numbers are one input."""
    if isinstance(number, bool) or is_constant(number, torch, dtype):
        return None
    return data(("number", str(dtype)), ("number", str(dtype), number))


def freeze(value: Any) -> Hashable:
    """Something hashable that is equal for equal arguments: numbers, dtypes, shapes, options."""
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return (type(value).__name__, value)
    return str(value)
