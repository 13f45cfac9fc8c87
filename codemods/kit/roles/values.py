"""What a value is in training: its role, what it was constructed from, and the chain of evidence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
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
    TENSOR_TYPE = "tensor type"
    """`torch.cuda.FloatTensor`: only the execution of the program shows what a name stands for."""
    AUTOCAST = "autocast context"
    OTHER = "something else"
    """Known to be none of these: an instance of a class of the script's own, a list, a number."""


MADE = "made at "
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
        return self.evidence[:1] != () and self.evidence[0].startswith(MADE)

    def via(self, step: str) -> Value:
        """The same value seen one step further."""
        return replace(self, evidence=(*self.evidence, step)) if len(self.evidence) < 8 else self


Values = tuple[Value, ...]
"""What an expression can be, each once, in the order of the source: a set's order would differ from run to run."""
NONE: Values = ()


def linked_value(known: Known, origin: cst.CSTNode) -> Value:
    """A value that another file constructs, as it comes in here."""
    return Value(known.role, known.of, origin, known.evidence, known.wrapped)


def merged(*parts: Values) -> Values:
    """All of them, each once; of equal ones the evidence of the first."""
    return tuple(dict.fromkeys(chain.from_iterable(parts)))


def sorted_values(values: Values) -> list[Value]:
    """Values in an order that does not depend on hashing."""
    return sorted(values, key=lambda value: (value.role.value, value.of, value.evidence))


def text_of(node: cst.CSTNode | None) -> str | None:
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
