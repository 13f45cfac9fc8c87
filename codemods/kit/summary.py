"""What one file tells the others, and asks of them: small, picklable, without a tree.

A file by itself knows what it constructs. What its parameters are, and what imported functions return, other files
know. A summary says both as *flows*: this value, or whatever collects at that place, comes to this place.
`migrate.linking` joins the summaries of a project and spreads the values along the flows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from codemods.kit.launch import Launch
from codemods.kit.roles import Role

LOCAL = ":"
"""Begins the name of something that the file itself defines: ":train", ":Trainer.__init__"."""


class Kind(Enum):
    """What sort of place collects values."""

    PARAMETER = "parameter"
    """Parameter `name` of function `owner`."""
    ARGUMENT = "argument"
    """Argument of a call of `owner`: `name` is its keyword, or "#2" for the third position."""
    RETURNED = "returned"
    """What calling `owner` gives; `path` indexes into a tuple. For a class: its instance."""
    VARIABLE = "variable"
    """A name at the top level of a module; `owner` is its dotted name."""
    ATTRIBUTE = "attribute"
    """Attribute `name` of the instances of class `owner`."""


@dataclass(frozen=True)
class Place:
    """Somewhere values collect. `owner` is a name of this file (":train") or of another ("engine.train")."""

    kind: Kind
    owner: str
    name: str = ""
    path: tuple[int, ...] = ()


@dataclass(frozen=True)
class Known:
    """A value of known role."""

    role: Role
    of: str
    wrapped: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Flow:
    """A value, or all that collects at a place, comes to a place."""

    source: Known | Place
    place: Place
    step: str
    """How, with its line: "passed to train() at line 80"."""


@dataclass(frozen=True)
class Signature:
    """The parameters of a function, as a call fills them."""

    positional: tuple[str, ...]
    """Without `self`."""
    keywords: frozenset[str]
    """Those that may be passed by keyword."""


@dataclass(frozen=True)
class Summary:
    """One file, for the others."""

    functions: dict[str, Signature]
    """By qualified name in the file: "train", "Trainer.fit"."""
    classes: dict[str, tuple[str, ...]]
    """The bases of each class: names of this file (":Base"), of others, or of a library."""
    imports: dict[str, str]
    """What names at the top level are imported as: re-exports."""
    stars: tuple[str, ...]
    """Modules of `from module import *`."""
    modules: frozenset[str]
    """Modules imported anywhere in the file, as written, relative ones with their dots."""
    flows: tuple[Flow, ...]
    launch: Launch
    is_entry: bool
    """Whether the file can be started: it has a `__main__` guard, or does its work at the top level."""
    calls: frozenset[str]
    """Functions of other files that it calls or hands on."""
