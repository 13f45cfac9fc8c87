"""A script's facts as text, each with its evidence: how users learn to trust the tool, and developers debug it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.devices import Devices
from codemods.kit.links import ALONE, Links
from codemods.kit.loops import BatchLoop, Step
from codemods.kit.names import Binding
from codemods.kit.roles import Role, Value, sorted_values
from codemods.kit.script import Script, read


def describe(source: str, links: Links = ALONE) -> str:
    """What the tool sees in a script: how it starts, who is who, and how it trains. Raises libcst.ParserSyntaxError.

    `links` is what the other files of its project say about it.
    """
    script = read(cst.parse_module(source), source, links=links)
    sections = [
        ("launch", list(_launch(script))),
        ("roles", list(_roles(script))),
        ("devices", list(_devices(script))),
        ("found by executing", list(_executed(script))),
        ("training", [line for loop in script.loops.train_loops() for line in _loop(script, loop)]),
        ("steps outside of a loop", [_step(script, step) for step in script.loops.steps if step.loop is None]),
        ("evaluation", [_heading(script, loop) for loop in script.loops.evaluation_loops()]),
        ("contradictions", list(_contradictions(links))),
    ]
    lines: list[str] = []
    for title, found in sections:
        if found:
            lines.append(f"{title}")
            lines += [f"  {line}" for line in found]
    return "\n".join(lines) + "\n"


def _launch(script: Script) -> Iterator[str]:
    launch = script.launch
    yield launch.kind.value
    for call in launch.spawns:
        yield f"line {script.tree.line(call)}: {_short(call)}"
    if launch.worker is not None:
        yield f"line {script.tree.line(launch.worker)}: each process runs {launch.worker.name.value}()"


def _roles(script: Script) -> Iterator[str]:
    said: set[str] = set()
    for where, bindings in _all_bindings(script):
        for binding in bindings:
            values = script.roles._of_binding(binding, ())
            for value in sorted_values(values):
                if value.role in (Role.OTHER, Role.TENSOR, Role.BATCH, Role.LOSS):
                    continue
                text = f"line {script.tree.line(binding.node)}: `{binding.name}`{where} is {_is(value)}"
                if text not in said:
                    said.add(text)
                    yield text


def _contradictions(links: Links) -> Iterator[str]:
    for (function, parameter), dispute in links.disputes.items():
        yield f"`{parameter}` of {function}() is {dispute.text}"
        yield from (f"  {chain}" for chain in dispute.evidence)
    for function, call in links.staying.items():
        yield f"{function}() is called by {call}"


def _all_bindings(script: Script) -> Iterator[tuple[str, list[Binding]]]:
    for scope in script.names.all_scopes():
        where = f" of {scope.node.name.value}()" if isinstance(scope.node, cst.FunctionDef) else ""
        if not scope.is_class:
            for bindings in scope.names.values():
                yield where, bindings
    for (class_, _), bindings in script.names.attributes.items():
        yield f" of class {class_.name.value}", bindings


def _is(value: Value) -> str:
    wrapped = f", wrapped in {' and '.join(value.wrapped)}" if value.wrapped else ""
    chain = " <- ".join(reversed(value.evidence))
    return f"{value.role.value} {value.of}{wrapped}: {chain}"


def _devices(script: Script) -> Iterator[str]:
    devices = Devices(script)
    for where, bindings in _all_bindings(script):
        for binding in bindings:
            if binding.kind != "import" and devices.binds_accelerator(binding):
                yield f"line {script.tree.line(binding.node)}: `{binding.name}`{where} is the accelerator"


def _executed(script: Script) -> Iterator[str]:
    """What only the abstract execution of the program shows."""
    said: set[str] = set()
    nodes = [*script.tree.all(cst.Name), *script.tree.all(cst.Attribute), *script.tree.all(cst.Subscript)]
    for node in sorted(nodes, key=script.tree.order.__getitem__):
        for value in script.roles.values(node):
            text = f"`{_short(node)}` is {_is(value)}"
            if value.executed and text not in said:
                said.add(text)
                yield f"line {script.tree.line(node)}: {text}"
    meaning = script.links.meaning
    for early in meaning.early if meaning is not None else ():
        statement = script.tree.statement_numbered(early.statement)
        if statement is not None:
            line = script.tree.line(statement)
            yield f"line {line}: the parameters of `{early.model}` are listed for an optimizer before it moves"


def _heading(script: Script, loop: BatchLoop) -> str:
    over = f" over {_short(loop.iterable)}" if loop.iterable is not None else ""
    by = f" (loader: {' <- '.join(reversed(loop.loader.evidence))})" if loop.loader else ""
    where = f" in {loop.function.name.value}()" if loop.function else ""
    return f"line {script.tree.line(loop.loop)}: loop{over}{where}{by}"


def _loop(script: Script, loop: BatchLoop) -> Iterator[str]:
    yield _heading(script, loop)
    for step in loop.steps:
        yield "  " + _step(script, step)
    for call in loop.handed:
        told = script.loops.links.steps[script.tree.order[call]]
        yield f"  line {script.tree.line(call)}: {_short(call.func)}(...): {told}"


def _step(script: Script, step: Step) -> str:
    line = script.tree.line
    parts = [f"line {line(step.call)}: steps {_short(step.optimizer)} ({step.value.of})"]
    if step.scaler is not None:
        parts.append(f"through scaler {_short(step.scaler)}")
    if step.guard is not None:
        parts.append(f"when `{_short(step.guard.test)}` (gradients accumulate)")
    if step.backwards:
        parts.append("after backward at line " + ", ".join(str(line(b.call)) for b in step.backwards))
    if step.clips:
        parts.append(f"clipped at line {line(step.clips[0])}")
    if step.closure is not None:
        parts.append("with a closure")
    if step.migrated:
        parts.append("already through XLA")
    return ", ".join(parts)


def _short(node: cst.CSTNode) -> str:
    text = " ".join(code_of(node).split())
    return text if len(text) <= 60 else text[:57] + "..."
