"""Whether the judge sees what a mutant broke, and where."""

from __future__ import annotations

import ast
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeGuard

from migrate.engine.certificate import Finding, Standing
from tests.judge_mutants import (  # noqa: F401  each registers its kinds
    kinds_apart_data,
    kinds_apart_processes,
    kinds_apart_program,
    kinds_apart_reduction,
    kinds_apart_training,
    kinds_data,
    kinds_fourth_data,
    kinds_fourth_parameters,
    kinds_fourth_program,
    kinds_fourth_training,
    kinds_graph,
    kinds_parameters,
    kinds_processes,
    kinds_program,
    kinds_reduction,
)
from tests.judge_mutants.kinds import Kind
from tests.judge_mutants.planting import Source
from tests.judge_mutants.programs import Program, programs
from tests.judge_mutants.texts import Edit, Unfit

_ORDER = list(Standing)


class Outcome(Enum):
    """What the judge made of a mutant."""

    CAUGHT = "caught"
    """A finding that was not there before, at the changed lines, their loop, or what they break."""
    ELSEWHERE = "elsewhere"
    """A finding that was not there before, at lines that have nothing to do with it."""
    MISSED = "missed"


@dataclass(frozen=True)
class Mutant:
    """A program with one thing broken."""

    kind: Kind
    program: Program
    source: Source
    text: str
    edits: tuple[Edit, ...]
    original: tuple[tuple[str, str], ...] = ()

    def moved(self, line: int) -> int:
        """Where a line of the program stands in the mutant."""
        offset = len("\n".join(self.source.text.split("\n")[: line - 1])) + (line > 1)
        offset += sum(len(one.text) - (one.end - one.start) for one in self.edits if one.end <= offset)
        return self.text.count("\n", 0, offset) + 1

    @property
    def changed(self) -> set[int]:
        """The lines that are new, and those beside what is gone."""
        lines: set[int] = set()
        shift = 0
        for one in self.edits:
            start = one.start + shift
            shift += len(one.text) - (one.end - one.start)
            first = self.text.count("\n", 0, start) + 1
            last = first + one.text.rstrip("\r\n").count("\n")
            lines.update(range(first, last + 1) if one.text.strip() else (first - 1, first))
        return lines


def mutants(kind: Kind) -> Iterator[Mutant]:
    """Each program that a kind fits, broken once; in an order of the kind's own, so that a few are a fair sample."""
    for program in sorted(programs(), key=lambda one: zlib.crc32(f"{kind.name} {one.name}".encode())):
        made = mutant(kind, program)
        if made and program.sound:
            yield made


def mutant(kind: Kind, program: Program) -> Mutant | None:
    """The first place where a kind fits a program; None when there is none."""
    if (kind.parallel and not program.parallel) or (kind.target and kind.target != program.target):
        return None
    for source in program.sources:
        for edits in _fitting(kind, source):
            text = applied(source.text, edits)
            if text is not None:
                original = _same_in_original(kind, program, source) if kind.both else ()
                if original is not None:
                    ordered = sorted(edits, key=lambda one: one.start)
                    return Mutant(kind, program, source, text, tuple(ordered), original)
    return None


def _fitting(kind: Kind, source: Source) -> Iterator[list[Edit]]:
    try:
        yield from kind.plant(source)
    except Unfit:
        return


def _same_in_original(kind: Kind, program: Program, source: Source) -> tuple[tuple[str, str], ...] | None:
    """The original's file with the same change."""
    try:
        before = Source(source.path, dict(program.original)[source.path], program.target)
    except SyntaxError:
        return None  # Python 2
    for edits in _fitting(kind, before):
        text = applied(before.text, edits)
        if text is not None:
            return ((source.path, text),)
    return None


def applied(text: str, edits: list[Edit]) -> str | None:
    """The text with its changes, if Python takes it and the changes do not meet."""
    made, place = [], 0
    for one in sorted(edits, key=lambda one: one.start):
        if one.start < place:
            return None
        made += [text[place : one.start], one.text]
        place = one.end
    result = "".join([*made, text[place:]])
    try:
        ast.parse(result.lstrip("\ufeff"))
    except SyntaxError:
        return None
    return result if result != text else None


def judged(made: Mutant) -> tuple[Outcome, list[Finding]]:
    """What the judge says of a mutant that it did not say of the program."""
    certificate = made.program.judged({made.source.path: made.text}, dict(made.original))
    found = list(_new(made, certificate.findings))
    if any(_placed(made, one) for one in found):
        return Outcome.CAUGHT, found
    return (Outcome.ELSEWHERE if any(one.line for one in found) else Outcome.MISSED), found


def _new(made: Mutant, findings: tuple[Finding, ...]) -> Iterator[Finding]:
    known: dict[tuple[str, str, int], int] = {}
    for one in made.program.certificate.findings:
        line = made.moved(one.line) if one.path == made.source.path else one.line
        known[one.obligation, one.path, line] = _ORDER.index(one.standing)
    least = _ORDER.index(Standing.COST if made.kind.cost else Standing.OPEN)
    for one in findings:
        before = known.get((one.obligation, one.path, one.line), -1)
        if _ORDER.index(one.standing) > before and _ORDER.index(one.standing) >= least:
            yield one


def _placed(made: Mutant, finding: Finding) -> bool:
    """Whether a finding, its cause, or a call that leads to it is where the mutant is broken."""
    places = {f"{finding.path}:{finding.line}", finding.cause, *finding.chain, *_PLACE.findall(finding.message)}
    return bool(places & set(right_places(made)))


_PLACE = re.compile(r"[\w./-]+\.py:\d+")


def right_places(made: Mutant) -> Iterator[str]:
    """Where a finding about a mutant may stand: what changed, the loops around it, the uses of its names."""
    changed, path = made.changed, made.source.path
    yield from (f"{path}:{line + off}" for line in changed for off in (-1, 0, 1))
    tree = ast.parse(made.text.lstrip("\ufeff"))
    kinds = ast.For | ast.While | ast.FunctionDef
    around = [node for node in ast.walk(tree) if isinstance(node, kinds) and _holds(node, changed)]
    yield from (f"{path}:{node.lineno}" for node in around if not isinstance(node, ast.FunctionDef))
    yield from (f"{path}:{node.lineno}" for node in ast.walk(tree) if _simple(node) and _holds(node, changed))
    functions = {node.name for node in around if isinstance(node, ast.FunctionDef)}
    if made.kind.breaks == "training":
        for loop in made.program.certificate.loops:
            yield from (f"{loop.path}:{line}" for line in _training(made, loop.path))
    if made.kind.breaks == "below":
        ends = [node.end_lineno or 0 for node in around if isinstance(node, ast.FunctionDef)]
        yield from (f"{path}:{line}" for line in range(min(changed), min(ends, default=len(made.source.lines)) + 9))
    texts = dict(made.program.migrated) | {path: made.text}
    names = _names(made, tree, changed)
    used = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, sorted(names))) + r")(?!\w)") if names else None
    for other, text in texts.items():
        yield from (f"{other}:{line}" for line in _calling_loops(text, functions))
        if used:
            yield from (f"{other}:{number}" for number, line in enumerate(text.split("\n"), 1) if used.search(line))


def _training(made: Mutant, path: str) -> Iterator[int]:
    """The lines of the loops that train, and of the functions they are in, of a file."""
    text = made.text if path == made.source.path else dict(made.program.migrated)[path]
    source = Source(path, text, made.program.target)
    for loop in source.training:
        inside = source.function(loop)
        first, last = (loop, loop) if isinstance(inside, ast.Module) else (inside, inside)
        yield from range(first.lineno, (last.end_lineno or 0) + 1)  # type: ignore[attr-defined]


def _holds(node: ast.stmt, lines: set[int]) -> bool:
    return any(node.lineno <= line <= (node.end_lineno or 0) for line in lines)


def _calling_loops(text: str, functions: set[str]) -> Iterator[int]:
    """The loops that call one of these functions."""
    for node in ast.walk(ast.parse(text.lstrip("\ufeff"))):
        if isinstance(node, ast.For | ast.While):
            called = {_called(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)}
            if called & functions:
                yield node.lineno


def _names(made: Mutant, tree: ast.Module, changed: set[int]) -> set[str]:
    """What statements that are new or gone bind, hand on, or are called on."""
    gone = {made.source.line_of(place) for one in made.edits for place in range(one.start, one.end)}
    before = [node for node in ast.walk(made.source.tree) if _simple(node) and _holds(node, gone)]
    after = [node for node in ast.walk(tree) if _simple(node) and _holds(node, changed)]
    found = {name for node in (*before, *after) for name in _touched(node)} - _LIBRARIES
    return found | {one.asname for node in before if isinstance(node, ast.Import) for one in node.names if one.asname}


def _simple(node: ast.AST) -> TypeGuard[ast.stmt]:
    return isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Import)


_LIBRARIES = frozenset({"", "self", "torch", "xm", "torch_xla", "pl", "xr"})


def _touched(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        yield from (_called(one) for one in node.targets)
        yield from (_called(_root(one)) for one in node.targets)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        yield _called(node.target)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield _called(_root(node.value.func))
        yield from (_called(one) for one in node.value.args)
        if isinstance(node.value.func, ast.Attribute):
            yield _called(node.value.func.value)


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _called(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
