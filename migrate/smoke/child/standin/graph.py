"""The graphs that torch_xla would compile: what is recorded, when it is executed, and which graphs are the same.

torch_xla computes nothing when a tensor operation is called; it adds a node to a graph. What is pending is executed
at a mark, or when a value is taken to the host, and compiled first unless the same graph was compiled before. This
module holds that book, and nothing of torch: shapes and dtypes are tuples and strings.

The rules are those of torch_xla 2.1 to 2.9 (torch_xla/csrc/xla_graph_executor.cpp), measured where the source leaves
doubt; `python -m tests.prediction` compares the result with torch_xla's own counters.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Hashable, Iterable, Sequence


class Node:
    """One operation, constant or input of a graph. Never changed once made."""

    __slots__ = ("data", "inputs", "key")

    def __init__(self, key: int, inputs: tuple[Node, ...] = (), data: Hashable = None) -> None:
        self.key = key
        """Hash of the structure above and including this node."""
        self.inputs = inputs
        self.data = data
        """What tells an input of the graph from another; None for everything else."""


def data(shape: Hashable, identity: Hashable) -> Node:
    """An input of the graph. Its contents are no part of the structure, so other numbers need no other graph."""
    return Node(hash(("data", shape)), (), identity)


def operation(name: str, static: Hashable, inputs: tuple[Node, ...], shape: Hashable) -> Node:
    """An operation; `static` are the arguments that are built into the compiled code."""
    return Node(hash((name, static, tuple(node.key for node in inputs), shape)), inputs)


def output(node: Node, index: int) -> Node:
    """One of several results of an operation."""
    return Node(hash((node.key, "output", index)), (node,))


def input_order(roots: Iterable[Node]) -> tuple[int, ...]:
    """The inputs that a graph uses, in the order of a walk from the roots, each numbered when it is first met.

    Part of a graph's identity: `a + a` and `a + b` have the same structure and not the same inputs.
    """
    numbers: dict[Hashable, int] = {}
    order: list[int] = []
    met: set[int] = set()
    stack = [(node, False) for node in reversed(list(roots))]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            if node.data is not None:
                order.append(numbers.setdefault(node.data, len(numbers)))
        elif id(node) not in met:
            met.add(id(node))
            stack.append((node, True))
            stack.extend((item, False) for item in reversed(node.inputs))
    return tuple(order)


class Value:
    """What one device tensor holds: a pending operation, or data on the device."""

    __slots__ = ("__weakref__", "node", "number", "on_host", "pending", "shape")

    def __init__(self, number: int, node: Node, pending: bool, shape: Hashable) -> None:
        self.number = number
        self.node = node
        self.pending = pending
        self.shape = shape
        self.on_host = False
        """Whether the host still has it: reading it back costs nothing."""


class Book:
    """The values that are alive in one process, and the graphs that were executed."""

    def __init__(self) -> None:
        self.compiled = 0
        self.executed = 0
        self.marks = 0
        self.graphs: set[int] = set()
        self.numbers = itertools.count()
        self.alive: weakref.WeakValueDictionary[int, Value] = weakref.WeakValueDictionary()

    def pending(self, node: Node, shape: Hashable) -> Value:
        """A value that is still to be computed."""
        value = Value(next(self.numbers), node, True, shape)
        self.alive[value.number] = value
        return value

    def uploaded(self, shape: Hashable, identity: Hashable = None) -> Value:
        """A value that came from the host. Equal scalars are one input: give them one `identity`."""
        number = next(self.numbers)
        return Value(number, data(shape, number if identity is None else identity), False, shape)

    def read(self, value: Value) -> None:
        """A value is taken to the host as a whole: it is computed and stays on the device as well."""
        if value.on_host:
            self.settle(value)
        self.execute([value], keep=True)

    def settle(self, value: Value) -> None:
        """What was pending is data on the device from now on."""
        value.node, value.pending = data(value.shape, value.number), False
        self.alive.pop(value.number, None)

    def mark(self) -> None:
        """The end of a step: everything alive and pending is computed, in one graph."""
        self.marks += 1
        self.execute(sorted(self.alive.values(), key=lambda value: value.number), keep=True)

    def execute(self, values: Iterable[Value], keep: bool) -> None:
        """Compute those of the values that are pending, in one graph; without `keep` they stay pending.

        `.cpu()` keeps the result on the device; `.item()`, and operators that run on the host, do not, so that the
        next graph computes it once more.
        """
        roots = list({value.number: value for value in values if value.pending}.values())
        if not roots:
            return
        nodes = [value.node for value in roots]
        graph = hash((keep, tuple(node.key for node in nodes), input_order(nodes)))
        self.executed += 1
        if graph not in self.graphs:
            self.graphs.add(graph)
            self.compiled += 1
        if keep:
            for value in roots:
                self.settle(value)


class Step:
    """One view operation on the way from a storage to a tensor."""

    __slots__ = ("key", "shape")

    def __init__(self, key: Hashable, shape: Hashable) -> None:
        self.key = key
        self.shape = shape

    def take(self, node: Node) -> Node:
        """The part that this view shows."""
        return operation("view", self.key, (node,), self.shape)


class Storage:
    """What a tensor and its views share. Written as a whole: each write is a new value and a new generation."""

    __slots__ = ("generation", "value")

    def __init__(self, value: Value) -> None:
        self.value = value
        self.generation = 0


class Handle:
    """One tensor's hold on a storage, as torch's functionalization has it under torch_xla.

    A view holds a value of its own. When the storage is written, the view's value becomes stale and is taken anew
    when the view is next used, not before: until then the stale one is alive and may cost a computation.
    """

    __slots__ = ("book", "generation", "steps", "storage", "value")

    def __init__(self, book: Book, storage: Storage, value: Value, steps: tuple[Step, ...] = ()) -> None:
        self.book = book
        self.storage = storage
        self.value = value
        self.steps = steps
        self.generation = storage.generation

    @staticmethod
    def of(book: Book, value: Value) -> Handle:
        """A new storage with one tensor."""
        return Handle(book, Storage(value), value)

    def copy(self) -> Handle:
        """A second tensor with the same value: what `detach` gives."""
        twin = Handle(self.book, self.storage, self.value, self.steps)
        twin.generation = self.generation
        return twin

    def current(self) -> Value:
        """The tensor's value as of now."""
        if self.generation != self.storage.generation:
            self.generation = self.storage.generation
            self.value = self.storage.value
            node = self.value.node
            for step in self.steps:
                node = step.take(node)
            if self.steps:
                self.value = self.book.pending(node, self.steps[-1].shape)
        return self.value

    def view(self, step: Step) -> Handle:
        """A view of this tensor."""
        value = self.book.pending(step.take(self.current().node), step.shape)
        return Handle(self.book, self.storage, value, (*self.steps, step))

    def write(self, value: Value) -> None:
        """Put a new value in this tensor's place; through a view, into the part of the storage that it shows."""
        if self.steps:
            whole = self.storage.value
            keys: Sequence[Hashable] = [step.key for step in self.steps]
            node = operation("scatter", tuple(keys), (whole.node, value.node), whole.shape)
            value = self.book.pending(node, whole.shape)
        self.storage.value = value
        self.storage.generation += 1
        self.current()
