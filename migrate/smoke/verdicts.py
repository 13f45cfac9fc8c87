"""Says in one sentence why a script could not be run to its end, and what the user can do about it.

Pure: from how the run ended and what was printed to the sentence. Every sentence goes on from "train.py ...".
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from migrate.smoke.enclosure import Cause

TRACEBACK = "Traceback (most recent call last):"
RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:: .*)?$", re.MULTILINE)
"""The line of a traceback that names the exception: the first that is not indented."""
FRAME = re.compile(r'^ *File "(?P<path>[^"]+)", line (?P<line>\d+)(?:,)? in (?P<function>\S+)', re.MULTILINE)
"""A line of a traceback, or of one of faulthandler's."""
LONGEST = 300
"""Characters of a script's own message that a sentence repeats."""


@dataclass(frozen=True)
class Facts:
    """What is known of a run that failed or was ended. Paths are as the user knows them."""

    cause: Cause
    status: int | None
    """Exit status, or minus the number of the signal that killed it."""
    output: str
    root: str
    """The folder that the script ran in."""
    python: str = "python"
    stacks: tuple[str, ...] = ()
    """Stacks of its processes where they crashed or were interrupted, as faulthandler writes them."""
    held: tuple[str, ...] = ()
    """What held it in: "network", "files", "processes", "attributes", "sockets"."""
    home: str = ""
    """Its home folder, an empty one."""
    seconds: float = 0.0
    bytes: int = 0
    file_bytes: int = 0
    processes: int = 0
    steps: int = 0
    """Steps that the first optimizer had done."""
    missing: tuple[str, ...] = ()
    """Packages that it imports and its interpreter lacks, as far as that is known."""
    trained: int = 0
    """Processes that trained."""
    workers: int = 1
    """Processes that were to train."""


def explain(facts: Facts) -> str:
    """Why the run failed or was ended, and what to do."""
    if facts.cause is Cause.TIME:
        return (
            f"had not ended after {facts.seconds:.0f} s, with {count(facts.steps, 'optimizer step')} done"
            f"{places(facts)}; --timeout gives it longer"
        )
    if facts.cause is Cause.MEMORY:
        return f"held more than {size(facts.bytes)} of memory; --memory raises the limit, a smaller batch needs less"
    if facts.cause is Cause.PROCESSES:
        return f"ran more than {facts.processes} processes at a time"
    if facts.cause is Cause.DISK:
        return "filled the disk: less than a tenth of what was free at first was left"
    if facts.cause is Cause.UNKNOWN or facts.status is None:
        return "was lost: the process that watched over it was killed"
    if facts.status == 0:
        return explain_training(facts)
    if facts.status < 0:
        return explain_signal(facts)
    return explain_failure(facts)


def explain_training(facts: Facts) -> str:
    """Why a script that came to its end has nothing to compare, or not all of it."""
    if not facts.trained:
        return "ended without an optimizer step: there is no training to compare; it may need other arguments, after --"
    wanted = f"{facts.workers} were" if facts.workers > 1 else "1 was"
    return f"trained in {count(facts.trained, 'process')} where {wanted} to train"


def explain_signal(facts: Facts) -> str:
    """What a signal that killed the script means."""
    number = -(facts.status or 0)
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    if name == "SIGKILL":
        return "was killed by SIGKILL, as the kernel does when memory runs out"
    if name == "SIGXFSZ":
        return too_large(facts)
    return f"was killed by {name}{place(facts.stacks, facts.root)}: a crash in compiled code, not an exception"


def explain_failure(facts: Facts) -> str:
    """Why a script ended with a status other than 0: by what it printed last."""
    usage = re.search(r"^usage: .*", facts.output, re.MULTILINE | re.IGNORECASE)
    error = re.findall(r"^(?:\S+: )?error: (.*)", facts.output, re.MULTILINE | re.IGNORECASE)
    if facts.status == 2 and usage and error:
        missing = re.search(r"\b(?:required|missing)\b", error[-1], re.IGNORECASE)
        told = "needs arguments" if missing else "does not take these arguments"
        return f"{told}: {shorten(error[-1])}; pass them after -- ({shorten(usage[0])})"
    traceback = facts.output.rpartition(TRACEBACK)[2] if TRACEBACK in facts.output else ""
    raised = RAISED.search(traceback)
    if raised is None:
        last = facts.output.strip().rpartition("\n")[2]
        return f"ended with exit status {facts.status}" + (f": {shorten(last)}" if last else "")
    message = traceback[raised.start() :].strip()
    for pattern, sentence in RULES:
        match = re.search(pattern, message)
        if match is not None:
            told = sentence(match, facts)
            if told:
                return told
    if re.search(r"^KeyError: ", message) and re.search(r'[\\/ ]os(?:\.py|>)", line \d+, in __getitem__', traceback):
        name = message.partition(": ")[2].strip("'\"")
        return f"reads the environment variable {name}, which is not set in a smoke run; --env {name}=VALUE sets it"
    return f"raised {shorten(raised[0])}{place((traceback,), facts.root)}"


def lacks_module(match: re.Match[str], facts: Facts) -> str:
    """A package that is not installed, or a module of the user's in another folder."""
    names = [match[1], *(name for name in facts.missing if name != match[1].partition(".")[0])]
    what = f"the module {match[1]}" if len(names) == 1 else f"the modules {', '.join(names)}"
    them = "it" if len(names) == 1 else "them"
    return (
        f"needs {what}, which {facts.python} does not have; install {them} there, "
        f"or name the folder that has {them} with --root"
    )


def lacks_file(match: re.Match[str], facts: Facts) -> str:
    """Data that is not there."""
    path = match[1]
    if facts.home and path.startswith(facts.home):
        return (
            f"looks for {path.replace(facts.home, '~', 1)}, and its home folder is an empty one; --env HOME gives yours"
        )
    return (
        f"needs {path}, which is not there; name the folder to run in with --root, "
        "or serve a well-known data set by --fake-data"
    )


def lacks_data_set(match: re.Match[str], facts: Facts) -> str:
    """A data set of torchvision's that was not downloaded."""
    return "needs a data set that is not there; --fake-data serves a well-known one, --network lets it download"


def wants_network(match: re.Match[str], facts: Facts) -> str:
    """A host that cannot be reached, because no host can."""
    if "network" not in facts.held:
        return ""
    return "wants the network, which a smoke run has not; --network allows it, --fake-data serves well-known data sets"


def writes_outside(match: re.Match[str], facts: Facts) -> str:
    """A file that was not to be opened."""
    if not {"files", "attributes"} & set(facts.held):
        return ""
    return f"was refused {match[1]}: a smoke run may write only in its own folder"


def leaves(match: re.Match[str], facts: Facts) -> str:
    """A refusal without a file: Python does not say which it was."""
    if "attributes" not in facts.held:
        return ""
    return "was refused something outside of its own folder, such as a Unix socket or the times of a file"


def too_large(facts: Facts) -> str:
    """A file beyond the limit."""
    return f"wrote a file of more than {size(facts.file_bytes)}, the limit of a smoke run"


RULES: tuple[tuple[str, Callable[[re.Match[str], Facts], str]], ...] = (
    (r"^ModuleNotFoundError: No module named '([^']+)'", lacks_module),
    (r"^EOFError: EOF when reading a line", lambda match, facts: "reads standard input, which is empty in a smoke run"),
    (r"^PermissionError: \[Errno 13\][^']*'([^']+)'", writes_outside),
    (r"^PermissionError: \[Errno 13\] Permission denied$", leaves),
    (r"^RuntimeError: File (\S+) cannot be opened", writes_outside),
    (r"^OSError: \[Errno 27\]", lambda match, facts: too_large(facts)),
    (
        r"^(?:OSError|RuntimeError).*(?:\[Errno 28\]|No space left on device)",
        lambda match, facts: "filled the disk or the shared memory: there is no space left",
    ),
    (
        r"^MemoryError|DefaultCPUAllocator: can't allocate memory",
        lambda match, facts: "asked for more memory than the machine has",
    ),
    (
        r"^\S*(?:URLError|ConnectionError|gaierror|ConnectTimeout|LocalEntryNotFoundError|OfflineModeIsEnabled)\b"
        r"|Network is unreachable|Temporary failure in name resolution|Name or service not known|outgoing traffic",
        wants_network,
    ),
    (r"^RuntimeError: Dataset not found", lacks_data_set),
    (r"^FileNotFoundError: \[Errno 2\] [^']*'([^']+)'", lacks_file),
    (
        r"CUDA_HOME|Torch not compiled with CUDA|Found no NVIDIA driver|No CUDA GPUs are available|0 active drivers"
        r"|libcuda\.so",
        lambda match, facts: "needs a GPU of its own: its CUDA code cannot be served on the CPU",
    ),
    (
        r"^SyntaxError: Missing parentheses in call to 'print'",
        lambda match, facts: "is written for Python 2, which no torch of today runs on",
    ),
)
"""What an exception means, by its line; the first that has something to say."""


def place(stacks: tuple[str, ...], root: str) -> str:
    """`, at train.py:14 in main`: the innermost line of the user's code on a stack; empty when there is none.

    A traceback has it last; faulthandler, which says "most recent call first", first.
    """
    for stack in stacks:
        frames = list(FRAME.finditer(stack))
        for frame in frames if "most recent call first" in stack else reversed(frames):
            path = PurePath(frame["path"])
            if path.is_relative_to(root) and "site-packages" not in path.parts:
                return f", at {path.relative_to(root)}:{frame['line']} in {frame['function']}"
    # faulthandler writes a hundred frames, and those of nested imports are more.
    return ", still importing its packages" if any("importlib._bootstrap" in stack for stack in stacks) else ""


PLACE = re.compile(r"^place (\d+)$", re.MULTILINE)
"""The first line of a process's stacks: which of several it is (`child/interruption.py`)."""
COLLECTIVE = re.compile(
    r'^ *File "[^"]*/(?:torch/distributed|torch_xla)/[^"]*", line \d+,? in '
    r"(barrier|\w*all_reduce|\w*reduce|broadcast\w*|all_gather\w*|gather\w*|scatter\w*|all_to_all\w*|recv|send"
    r"|rendezvous|mesh_reduce|init_process_group|wait)$",
    re.MULTILINE,
)
"""A collective that a process waits in."""


def places(facts: Facts) -> str:
    """Where a script was when its time was over: of several processes each that is known, with its collective."""
    told = []
    for stack in sorted(facts.stacks, key=lambda stack: int((PLACE.search(stack) or ["", "0"])[1])):
        where = place((stack,), facts.root)
        waits = COLLECTIVE.search(stack)
        if where:
            rank = f" rank {match[1]}" if facts.workers > 1 and (match := PLACE.search(stack)) else ""
            told.append(f"{rank}{where[1:]}{f', in {waits[1]}' if waits else ''}")
    return "," + ";".join(dict.fromkeys(told)) if told else ""


def count(number: int, noun: str) -> str:
    """`no optimizer step`, `1 process`, `2 processes`."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"no {noun}" if number == 0 else f"{number} {noun if number == 1 else plural}"


def size(bytes: int) -> str:
    """`8 GiB`, `512 MiB`."""
    return f"{bytes / (1 << 30):.3g} GiB" if bytes >= 1 << 30 else f"{bytes / (1 << 20):.3g} MiB"


def shorten(text: str) -> str:
    """The beginning of a script's own message."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
