"""How the training loops of a file came through its migration: by what evidence each was found, and whether it is
migrated completely or a note says why not.

Complete means that in the result the gradients are averaged before every step, or the step goes through torch_xla, and
that the graph of each iteration is executed: by a device loader, by a mark, or by the function that steps. A loop with
a backward in it that the facts do not show at all is found by `ast` alone, and counts as lost unless a note is there.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from codemods.kit.links import Links
from codemods.kit.loops import XLA_REDUCES, BatchLoop, Step
from codemods.kit.phrases import Idiom
from codemods.kit.reductions import may_be_several
from codemods.kit.rules import Severity
from codemods.kit.script import Script, read
from codemods.kit.targets import Target
from migrate.migration import Migration, Status
from migrate.modernise import modernise
from tests.scoreboard.texts import parsed

_EXECUTES = ("mark_step", "sync", "barrier=True", "MpDeviceLoader")
_BLIND = ("TC43", "TC208", "TC421")
"""Notes about reads and shapes: they say nothing about the step."""


@dataclass
class Training:
    """The training loops of one file, or of many."""

    found: Counter[str] = field(default_factory=Counter)
    """By the evidence for what is stepped."""
    complete: int = 0
    noted: int = 0
    lost: list[str] = field(default_factory=list)
    """Loops that are neither: must be none."""

    def add(self, other: Training) -> None:
        self.found += other.found
        self.complete += other.complete
        self.noted += other.noted
        self.lost += other.lost


def judge(migration: Migration, before: Links, after: Links, target: Target, results: Mapping[str, str]) -> Training:
    """The loops of one migrated file. `before` and `after`: what the other files say about its source and result."""
    found = Training()
    script = _script(migration.source, before)
    if script is None or script.on_cpu or script.loops.managed or script.is_driven:
        return found
    loops = script.loops.train_loops()
    found.found.update(evidence(loop) for loop in loops)
    if migration.status in (Status.REFUSED, Status.SKIPPED):
        found.noted += len(loops)  # the whole file says why
        return found
    result = _script(migration.result, after)
    migrated = result.loops.train_loops() if result is not None else []
    pairs = _pairs(script, loops, result, migrated) if result is not None else [(loop, None) for loop in loops]
    for loop, done in pairs:
        if result is not None and done is not None and not (why := missing(result, done, target, results)):
            found.complete += 1
        elif _is_noted(migration, *_lines(script, loop)):
            found.noted += 1
        else:
            why = "no longer a training loop" if done is None else why
            found.lost.append(f"{migration.path}:{script.tree.line(loop.loop)}: {why}")
    _judge_steps(found, migration, script, result, target)
    for first, last in _unseen(script.module.code, script, loops):
        found.found["not understood"] += 1
        if _is_noted(migration, first, last):
            found.noted += 1
        else:
            found.lost.append(f"{migration.path}:{first}: a loop with a backward that is not understood")
    return found


def _judge_steps(found: Training, migration: Migration, script: Script, result: Script | None, target: Target) -> None:
    """Steps in functions that only loops of other files repeat: who calls them judges the marks."""
    alone = [step for step in script.loops.steps if step.function is not None and not script.loops.loops_of(step)]
    done: dict[str, list[Step]] = {}
    for step in result.loops.steps if result is not None else ():
        if step.function is not None and result is not None:
            done.setdefault(result.tree.qualname(step.function), []).append(step)
    for step in alone:
        assert step.function is not None
        found.found["a step that other files repeat"] += 1
        same = done.get(script.tree.qualname(step.function), [])
        line = script.tree.line(step.call)
        if result is not None and same and all(_is_averaged(result, each, target) for each in same):
            found.complete += 1
        elif _is_noted(migration, script.tree.line(step.function), line):
            found.noted += 1
        else:
            found.lost.append(f"{migration.path}:{line}: a step that is not averaged")


def evidence(loop: BatchLoop) -> str:
    """What a training loop is known by."""
    if loop.handed:
        return "steps in another file"
    if not loop.steps:
        return "optimizer with steps of its own" if loop.sites else "backward only"
    value = loop.steps[0].value
    if value.of in ("by use", "parameter"):
        return "optimizer by its use"
    linked = any(" of " in step and ".py" in step for step in value.evidence)
    return "optimizer from another file" if linked else "optimizer built in the file"


def missing(script: Script, loop: BatchLoop, target: Target, results: Mapping[str, str]) -> str:
    """What a migrated loop lacks; empty when it is complete."""
    for step in loop.steps:
        if not _is_averaged(script, step, target):
            return f"the step at line {script.tree.line(step.call)} of the result is not averaged"
    for call, _ in script.loops.other_steps:
        if script.tree.contains(loop.loop, call):
            return f"the step at line {script.tree.line(call)} of the result is not averaged"
    if script.distributed and not (loop.steps or loop.handed or loop.sites or script.loops.other_steps):
        if not any(script.tree.contains(loop.loop, call) for call in script.calls(*XLA_REDUCES)):
            return "gradients are not averaged, and no step is seen"
    if script.loaders.fed(loop) or loop.marks or any(_settles(step) for step in loop.steps):
        return ""
    if loop.handed and all(_executes_elsewhere(script, call, results) for call in loop.handed):
        return ""
    if loop.function is not None and script.tree.qualname(loop.function) in script.links.looped:
        return ""
    return "nothing executes the graph of an iteration"


def _is_averaged(script: Script, step: Step, target: Target) -> bool:
    if step.migrated or step.averaged:
        return True
    return step.scaler is not None and target.has(Idiom.GRAD_SCALER) and not may_be_several(script, step)


def _settles(step: Step) -> bool:
    """`xm.optimizer_step(optimizer, barrier=True)` in a function that the loop calls."""
    return any(arg.keyword is not None and arg.keyword.value == "barrier" for arg in step.call.args)


def _executes_elsewhere(script: Script, call: cst.Call, results: Mapping[str, str]) -> bool:
    """Whether the function of another file that steps executes the graph as well."""
    name, _, rest = script.links.steps[script.tree.order[call]].partition("() of ")
    text = results.get(rest.removesuffix(" steps"), "")
    last = name.rpartition(".")[2]
    for node in ast.walk(parsed(text) or ast.Module([], [])):
        if isinstance(node, ast.FunctionDef) and node.name == last:
            if any(word in ast.unparse(node) for word in _EXECUTES):
                return True
    return False


def _pairs(
    script: Script, loops: list[BatchLoop], result: Script, migrated: list[BatchLoop]
) -> Iterator[tuple[BatchLoop, BatchLoop | None]]:
    """Each loop of the source with that of the result: the one of the same rank in the function of the same name."""
    places: dict[tuple[str, int], BatchLoop] = {}
    for one, found, into in ((result, migrated, True), (script, loops, False)):
        ranks: Counter[str] = Counter()
        for loop in found:
            name = one.tree.qualname(loop.function) if loop.function is not None else ""
            key = (name, ranks[name])
            ranks[name] += 1
            if into:
                places[key] = loop
            else:
                yield loop, places.get(key) or _moved(places, key)


def _moved(places: dict[tuple[str, int], BatchLoop], key: tuple[str, int]) -> BatchLoop | None:
    """A loop at the top level of the script that the migration put into a function."""
    found = [loop for (name, rank), loop in places.items() if rank == key[1] and not key[0] and "." not in name]
    return found[0] if len(found) == 1 else None


def _script(source: str, links: Links) -> Script | None:
    if parsed(source) is None:
        source, _ = modernise(source)
    if parsed(source) is None:
        return None
    return read(cst.parse_module(source.removeprefix("\ufeff")), links=links)


def _lines(script: Script, loop: BatchLoop) -> tuple[int, int]:
    """From the definition of its function, where notes about parameters stand, to its end."""
    first = script.tree.line(loop.function) if loop.function is not None else script.tree.line(loop.loop)
    start = script.tree.line(loop.loop)
    return first, start + script.module.code_for_node(loop.loop).strip("\n").count("\n")


def _is_noted(migration: Migration, first: int, last: int) -> bool:
    return any(
        note.severity is Severity.ERROR or (first <= note.line <= last and _explains(note.rule, note.severity))
        for note in migration.notes
    )


def _explains(rule: str, severity: Severity) -> bool:
    return severity is not Severity.INFO and not rule.startswith(_BLIND)


def _unseen(source: str, script: Script, loops: list[BatchLoop]) -> Iterator[tuple[int, int]]:
    """Loops with a `backward()` in them, by `ast` alone, in which no known training loop is, and that none calls."""
    module = parsed(source) or ast.Module([], [])
    known = [(script.tree.line(loop.loop), _lines(script, loop)[1]) for loop in loops]
    known += _called_from(module, known)
    for node in ast.walk(module):
        if not isinstance(node, ast.For | ast.While) or not any(map(_is_backward, _own(node))):
            continue
        first, last = node.lineno, node.end_lineno or node.lineno
        if not any(first <= end and start <= last for start, end in known):
            yield first, last


def _called_from(module: ast.Module, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The functions of the file that these lines call: their loops repeat a part of a step, a micro-batch."""
    called = {
        node.func.id
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if any(first <= node.lineno <= last for first, last in spans)
    }
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef) and node.name in called]
    return [(function.lineno, function.end_lineno or function.lineno) for function in functions]


def _own(loop: ast.For | ast.While) -> Iterator[ast.AST]:
    """What the loop itself runs: without inner loops and functions."""
    queue: list[ast.AST] = list(loop.body)
    while queue:
        node = queue.pop()
        yield node
        if not isinstance(node, ast.For | ast.While | ast.FunctionDef | ast.ClassDef | ast.Lambda):
            queue += ast.iter_child_nodes(node)


def _is_backward(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward"
