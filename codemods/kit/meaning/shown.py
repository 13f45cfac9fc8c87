"""What an abstract execution showed of a file, said without the heap: small, and the same for every parse of the text.

An expression is found again by its statement's number and by how it is spelled there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from codemods.kit.meaning.epochs import Telling
from codemods.kit.meaning.tied import Tied
from codemods.kit.meaning.values import Site

TENSOR_TYPE = "tensor type"
OTHER = "something else"
"""The part of an object that is none of these."""
Key = tuple[int, str]
"""The number of a statement, parents first, and the spelling of an expression in it."""
Low = tuple[int, str, int]
"""The same with its number among those spelled so there."""


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
    arrays: frozenset[Key] = frozenset()
    """What was a number or an array of a batch, and no tensor."""
    masters: Mapping[Key, bool] = field(default_factory=dict)
    """Expressions that look at the averaged gradients of which those are made that an optimizer steps with, and whether
    at all of them: `kit/meaning/masters`."""
    names: Mapping[Key, frozenset[str]] = field(default_factory=dict)
    """Expressions that were text in capital letters, and which."""
    noise: Mapping[int, Site] = field(default_factory=dict)
    """By the number of its statement, a loop that trains below which another file draws random numbers, and where."""
    seeded: bool = False
    """Whether the program seeds PyTorch's generators anywhere."""
    joined: frozenset[Key] = frozenset()
    """Calls of `dist.is_initialized()` that come after the process group was certainly made; where another script runs
    them too, after it may have been."""
