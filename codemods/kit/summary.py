"""What one file tells the others, and asks of them: small, picklable, without a tree.

A file by itself knows what it constructs. What its parameters are, and what imported functions return, other files
know. A summary says both as *flows*: this value, or whatever collects at that place, comes to this place.
`migrate.linking` joins the summaries of a project and spreads the values along the flows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from codemods.kit.job_scripts import JobRole, Started

if TYPE_CHECKING:  # a run that finds nothing changed does without LibCST
    from codemods.kit.command_line import CommandLine
    from codemods.kit.launch import Launch
    from codemods.kit.roles import Role

LOCAL = ":"
"""Begins the name of something that the file itself defines: ":train", ":Trainer.__init__"."""
LITERAL = "literally "
"""Begins `Known.of` of an argument that is plain data or text. It is followed from parameter to parameter only."""


class Kind(Enum):
    """What sort of place collects values."""

    PARAMETER = "parameter"
    """Parameter `name` of function `owner`."""
    RETURNED = "returned"
    """What calling `owner` gives; `path` indexes into a tuple. For a class: its instance."""
    VARIABLE = "variable"
    """A name at the top level of a module; `owner` is its dotted name."""
    ATTRIBUTE = "attribute"
    """Attribute `name` of the instances of class `owner`."""
    RESULT = "result"
    """What a call of something only other files know gives; `name` is the call's number in the file."""


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
    made: str = ""
    """The call that constructs it: its number in the file, and once linked "file:number"."""


@dataclass(frozen=True)
class Flow:
    """A value, or all that collects at a place, comes to a place."""

    source: Known | Place
    place: Place
    step: str
    """How, with its line: "passed to train() at line 80"."""


@dataclass(frozen=True)
class CallSite:
    """One call of something that a file of the project may define."""

    number: int
    """Its place in the order of the file's nodes: finds the call again in another parse of the same text."""
    line: int
    callee: str
    """The name called, of this file (":train") or as imported ("engine.train"); empty when a value is called."""
    receivers: tuple[Known | Place, ...]
    """What holds the value called, or the object whose method is called."""
    method: str
    """The method of the receiver that is called; empty: the receiver itself."""
    arguments: tuple[tuple[str, tuple[Known | Place, ...]], ...]
    """What is passed: by keyword, or "#2" for the third position."""
    function: str
    """The function it is in, by qualified name; empty at the top level."""
    looped: bool
    """Whether a loop of that function repeats it."""
    clips: bool = False
    """Whether its function clips or reads the gradients before it: if it steps, they have to be averaged by then."""
    fills: int | None = None
    """For `functools.partial(function, ...)`: how many positions it fills."""


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
    acts: bool
    """Whether importing the file does something: it seeds, registers, or sets up logging."""
    outside: frozenset[str]
    """Names of other modules that are read through the module: `config.DEVICE`."""
    flows: tuple[Flow, ...]
    launch: Launch
    is_entry: bool
    """Whether the file can be started: it has a `__main__` guard, or does its work at the top level."""
    calls: tuple[CallSite, ...]
    stepping: dict[str, tuple[str, ...]]
    """Functions that step an optimizer once for whoever calls them, and what they step: a parameter, or an attribute
    as "self.optimizer"; empty texts for what is neither."""
    moving: frozenset[str]
    """Functions that move what they are given to the accelerator, once for whoever calls them."""
    placing: frozenset[tuple[str, str]]
    """(function, parameter) of the models that a function moves to the device."""
    reading: frozenset[str]
    """Functions that bring values of what they are given to the host."""
    saving: frozenset[str]
    """Functions that save a checkpoint."""
    joining: frozenset[str]
    """Functions that make their process join a process group; an empty name when the import of the file does."""
    spawning: frozenset[str]
    """Functions that spawn processes."""
    parsing: frozenset[str]
    """Functions that parse the command line, and stop at what they do not know."""
    driving: frozenset[str]
    """Functions that train, or build, a model by `DataParallel`."""
    wraps: bool
    """Whether the file wraps networks, by DataParallel or DistributedDataParallel."""
    opens: bool
    """Whether the file asks for what is inside of a wrapper, `model.module`."""
    trains: bool
    """Whether the file has a training loop."""
    accelerated: bool
    """Whether the file by itself asks for an accelerator."""
    device_texts: frozenset[str]
    """Names and attributes that the file binds to the text "cuda" and does not use as a device."""
    device_parameters: frozenset[tuple[str, str]]
    """(function, parameter) of what a function uses as a device."""
    device_reads: frozenset[str]
    """Attributes of others' objects that the file uses as the device, as they are: `x.to(config.device)`."""
    device_asks: frozenset[str]
    """Attributes of others' objects that the file asks where it makes the device: they choose nothing any more."""
    counts_read: frozenset[str]
    """Attributes of others' objects that the file reads and that by their names count processes: `args.world_size`."""
    logs_set_up: frozenset[str]
    """"log" where the file sets up the root logger."""
    prefetching: frozenset[str]
    """Classes that iterate and put what they yield on the accelerator themselves."""
    scales: frozenset[str]
    """Attributes of its own objects that the file scales losses with: `self.scaler.scale(loss)`."""
    lent: frozenset[str]
    """Names of attributes that the file hands on, or takes from other objects to scale and step with."""
    trained: tuple[Known | Place, ...]
    """The loaders whose batches are trained on."""
    ties: dict[str, tuple[tuple[str, str], ...]]
    """Class -> the weights it shares whatever its arguments: attribute, and what it is bound to."""
    moved: frozenset[str]
    """What the models are made of that the file moves to the device: classes as imported."""
    scaled: tuple[Known | Place, ...]
    """The optimizers that are stepped through a gradient scaler."""
    stays: str
    """The library for which the file is not migrated; empty when there is none."""
    command_line: CommandLine
    """The options it declares and parses."""
    started: tuple[Started, ...]
    """The training scripts it launches on SageMaker."""
    job_role: JobRole
    """What it would be to a job that starts it."""
