"""A recording against the events that abstract execution finds in the same texts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from codemods.kit.meaning.execution import Execution, execute
from codemods.kit.meaning.record import LATEST
from tests.recorded_events.recordings import Recording

KINDS = (
    "forward", "backward", "step", "zero", "clip", "unscale", "mark", "read", "move", "capture", "save", "load",
    "collective", "seed",
)  # fmt: skip

Key = tuple[str, str, int]
"""Kind, file, and the first line of the statement."""
Place = Callable[[str, int], tuple[str, int]]
"""Of a line, the first of its statement."""


@dataclass(frozen=True)
class Fact:
    """Something recorded of a deed, and what was predicted of it."""

    what: str
    path: str
    line: int
    recorded: str
    predicted: tuple[str, ...]
    """What it may be; "unknown" among them where that was not followed."""

    @property
    def right(self) -> bool:
        """Whether it is among what was predicted."""
        return self.recorded in self.predicted or "unknown" in self.predicted


@dataclass
class Comparison:
    """What was predicted of one run."""

    hit: set[Key] = field(default_factory=set)
    missed: set[Key] = field(default_factory=set)
    """Done and not predicted: unsound."""
    invented: set[Key] = field(default_factory=set)
    """Predicted on a line that ran and did not do it."""
    facts: list[Fact] = field(default_factory=list)
    failure: str = ""


def compare(texts: Mapping[str, str], entry: str, recording: Recording, cuda: bool) -> Comparison:
    """Execute the texts abstractly from the file that was run, and compare."""
    trees = {path: tree for path, text in texts.items() if (tree := parsed(text)) is not None}
    statements = {path: first_lines(tree) for path, tree in trees.items()}

    def place(path: str, line: int) -> tuple[str, int]:
        return path, statements.get(path, {}).get(line, line)

    done = {(one.kind, *place(one.path, one.line)) for one in recording.deeds if one.path in trees}
    ran = {place(path, line) for path, lines in recording.lines.items() for line in lines}
    try:
        execution = execute(trees, [entry], cuda=cuda)
    except (RecursionError, Exception) as error:  # as the judge, for which what it cannot do is open
        execution = Execution(failure=f"{type(error).__name__}: {error}")
    if recording.failed_at:
        ran.discard(place(*recording.failed_at))
    predicted = {key for key in events(execution, place) if key[1:] in ran or key in done}
    failure = "spent" if execution.spent else execution.failure
    told = list(facts(recording, execution, place, cuda))
    return Comparison(done & predicted, done - predicted, predicted - done, told, failure)


def facts(recording: Recording, execution: Execution, place: Place, cuda: bool) -> Iterator[Fact]:
    """The devices at each forward, which the stand-in does not have, and whose parameters each step is about."""
    devices: dict[tuple[str, int], tuple[set[str], set[str]]] = {}
    for one in execution.record.of("devices"):
        held = devices.setdefault(place(one.site.path, one.site.line), (set(), set()))
        for at in (0, 1):
            held[at].update(str(kind or "unknown") for kind in one.about[at])
    stale = {
        place(one.site.path, one.site.line)
        for one in execution.record.findings.values()
        if one.obligation == LATEST and "before the move" in one.message
    }
    for deed in recording.deeds:
        where = place(deed.path, deed.line)
        if deed.kind == "step":
            recorded = "stale" if "stale" in deed.facts else "own"
            yield Fact("parameters of a step", *where, recorded, ("stale",) if where in stale else ("own",))
        elif deed.kind == "forward" and not cuda and where in devices:
            for fact in sorted(deed.facts):
                what, _, kind = fact.partition(":")
                yield Fact(f"device of {what}", *where, kind, tuple(sorted(devices[where][what == "inputs"])))


def events(execution: Execution, place: Place) -> Iterator[Key]:
    """The events of an execution that a run can record."""
    for one in execution.record.events:
        if one.kind in KINDS:
            path, line = place(one.site.path, one.site.line)
            yield one.kind, path, line


def parsed(text: str) -> ast.Module | None:
    """A file's tree; None where it is no Python of today."""
    try:
        return ast.parse(text.lstrip("\ufeff"))
    except SyntaxError:
        return None


def first_lines(tree: ast.Module) -> dict[int, int]:
    """The first line of the statement that each line is part of."""
    found: dict[int, int] = {}
    for node in ast.walk(tree):  # from the outside in, so that the innermost statement is the last to say
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        last = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
        for line in range(node.lineno, max(last, node.lineno) + 1):
            found[line] = node.lineno
    return found
