"""What the other files of a project say about one script. Without a project it is ALONE."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from codemods.kit.disputes import Dispute
from codemods.kit.job_scripts import JobScript
from codemods.kit.summary import Known

if TYPE_CHECKING:  # a run that finds nothing changed does without LibCST
    from codemods.kit.meaning.shown import Meaning
    from codemods.kit.roles import Role

Path = tuple[int, ...]


@dataclass(frozen=True)
class Links:
    """Facts for one file, found in others. Names of other files are spelled as this file's imports spell them."""

    parameters: dict[tuple[str, str], tuple[Known, ...]] = field(default_factory=dict)
    """(qualified name of a function of this file, parameter) -> what other files pass."""
    returned: dict[str, dict[Path, tuple[Known, ...]]] = field(default_factory=dict)
    """What calling a name of another file gives."""
    variables: dict[str, tuple[Known, ...]] = field(default_factory=dict)
    """What a name at the top level of another file holds."""
    attributes: dict[tuple[str, str], tuple[Known, ...]] = field(default_factory=dict)
    """(class of this file, attribute) -> what a base class in another file puts there."""
    results: dict[int, dict[Path, tuple[Known, ...]]] = field(default_factory=dict)
    """(number of a call of this file) -> what it gives, for calls of values that other files make."""
    steps: dict[int, str] = field(default_factory=dict)
    """(number of a call of this file) -> the function of another file that it calls and that steps an optimizer."""
    averages: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """(number of a call of this file that steps after its function has clipped the gradients) -> the optimizers, each
    an argument, by keyword or "#position", or an attribute of the call's object, ".inner"; empty when it has none in
    sight."""
    averaged: frozenset[str] = frozenset()
    """Functions of this file that step, and before whose every call the gradients are averaged: see `averages`."""
    moves: frozenset[int] = frozenset()
    """Numbers of the calls of this file of functions in other files that move what they are given to the device."""
    placed: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """(number of a call of this file) -> its arguments, by keyword or "#position", that are models and that the called
    function moves to the device."""
    reading: frozenset[int] = frozenset()
    """Numbers of the calls of this file of functions in other files that read values of what they are given."""
    saves: frozenset[int] = frozenset()
    """Numbers of the calls of this file of functions in other files that save a checkpoint."""
    saving: frozenset[str] = frozenset()
    """Methods of classes of other files, of the same program, that save a checkpoint."""
    keywords: dict[str, frozenset[str]] = field(default_factory=dict)
    """Function of another file -> the parameters it names itself."""
    wanted: frozenset[str] = frozenset()
    """Names at the top level of this file that others import from it, or call through it: `dist` of `common.dist`; "*"
    where a star takes them."""
    effects: set[str] = field(default_factory=set)
    """What this file imports from files that do something when they are imported: the import stays, used or not."""
    accelerated: bool = False
    """Whether this file, or one that imports it, asks for an accelerator."""
    device_texts: frozenset[str] = frozenset()
    """Attributes that other files bind to the text "cuda" and do not use as a device."""
    devices: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """(number of a call of this file) -> its arguments, by keyword or "#position", that a function of another file uses
    as a device."""
    device_reads: frozenset[str] = frozenset()
    """Attributes that other files use as the device, as they are."""
    device_asks: frozenset[str] = frozenset()
    """Attributes that other files ask where they make the device."""
    counts_read: frozenset[str] = frozenset()
    """Attributes that other files read and that by their names count processes."""
    logs_set_up: frozenset[str] = frozenset()
    """"log" where another file sets up the root logger."""
    prefetching: frozenset[str] = frozenset()
    """Classes of other files that iterate and put what they yield on the accelerator themselves."""
    scales: frozenset[str] = frozenset()
    """Attributes of their own objects that other files scale losses with: what a base class sets."""
    lent: frozenset[str] = frozenset()
    """Attributes that this file sets and that other files hand on or take: what they hold has to stay there."""
    trained: frozenset[int] = frozenset()
    """Numbers of the calls of this file that construct a loader whose batches another file trains on."""
    parallel: bool = False
    """Whether a script imports this file that trains by `DataParallel`: in several processes once migrated."""
    scaled: frozenset[int] = frozenset()
    """Numbers of the calls of this file that construct an optimizer which another file steps through a scaler."""
    repeated: frozenset[str] = frozenset()
    """Functions of this file that loops of other files call."""
    looped: frozenset[str] = frozenset()
    """Functions of this file that step and that loops of other files call: those loops execute the graph."""
    ties: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Class of another file, as imported -> the weights it shares: attribute, and what it is bound to."""
    retied: frozenset[str] = frozenset()
    """Classes of this file that share weights and whose instances another file moves: it ties them again."""
    classes: dict[str, Role] = field(default_factory=dict)
    """What instances of a class of another file are."""
    joins: frozenset[int] = frozenset()
    """Numbers of the calls of this file of functions in other files by which a process that a launcher started joins
    its group."""
    spawns: frozenset[int] = frozenset()
    """Numbers of the calls of this file of functions in other files that spawn the processes."""
    parses: frozenset[int] = frozenset()
    """Numbers of the calls of this file of functions in other files that parse the command line."""
    trains: bool = False
    """Whether this file imports, directly or not, what trains on an accelerator."""
    drives: bool = False
    """Whether this file calls a function of another one that trains, or builds, a model by `DataParallel`."""
    wrapped: bool = False
    """Whether a file of this program wraps networks, and none asks for what is inside of a wrapper."""
    unstarted: bool = False
    """Whether DataParallel drove what this program trains, and no script is seen to start several processes for it."""
    joined: bool = False
    """Whether a file that this file imports joins the group when it is imported."""
    disputes: dict[tuple[str, str], Dispute] = field(default_factory=dict)
    """(function of this file, parameter) -> two callers that pass what contradicts each other."""
    staying: dict[str, str] = field(default_factory=dict)
    """Function of this file -> a call of it in a file that is not migrated, and the library that keeps it so."""
    jobs: dict[int, JobScript] = field(default_factory=dict)
    """(number of a call of this file that makes an estimator, or the like) -> the script that it names."""
    native: tuple[str, ...] = ()
    """What runs this file where there is no torch_xla: the launcher with its line, and why."""
    torn: bool = False
    """Whether it is also run where there is one: by another job, or by a script that is migrated."""
    consoles: frozenset[str] = frozenset()
    """The functions that this setup.py makes console scripts of, "package.train:main", and that a launcher ran in each
    of several processes."""
    several: bool = False
    """Whether a script that starts several processes imports this file, or is it."""
    started: bool = False
    """Whether another file that starts several processes imports this one."""
    meaning: Meaning | None = None
    """What this file showed when its program was executed abstractly; None: it was not."""

    @property
    def alone(self) -> bool:
        """Whether no other file says anything about this one."""
        return replace(self, meaning=None) == ALONE


ALONE = Links()
"""Of a script that is read by itself: nothing is known of other files."""
