"""Obligation 3: each iteration's graph is executed once. And 9: what makes an iteration dear."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import kind
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, Unfit, dotted, keyword

MARKS = ("torch_xla.sync", "xm.mark_step")


def unwrapped(source: Source) -> list[Edit]:
    """Every device loader away, and every mark in a loop."""
    edits = [source.replace(call, source.said(call.args[0])) for call in source.calls("pl.MpDeviceLoader")]
    for one in source.said_alone(*MARKS):
        if source.loops(one):
            edits.append(source.delete(one))
    for call in source.calls("xm.optimizer_step"):
        if barrier := keyword(call, "barrier"):
            edits.append(source.replace(barrier, "barrier=False"))
    return edits


def batch_of(source: Source, loop: ast.For) -> list[ast.expr]:
    """What a loop calls the tensors of a batch."""
    target = loop.target
    if "enumerate" in source.said(loop.iter) and isinstance(target, ast.Tuple):
        target = target.elts[1]
    return target.elts if isinstance(target, ast.Tuple | ast.List) else [target]


def moved_by_hand(source: Source, loop: ast.For, most: int = 9) -> Edit:
    """The batch of a loop moved at its beginning."""
    names = batch_of(source, loop)
    if not all(isinstance(one, ast.Name) for one in names) or "range" in source.said(loop.iter):
        raise Unfit
    whole = source.said(names[0])
    if len(names) == 1 and (f"**{whole}" in source.text or f'{whole}["' in source.text):
        return source.first_in(loop.body, f"{whole} = {{k: v.to({source.device}) for k, v in {whole}.items()}}")
    lines = [f"{source.said(one)} = {source.said(one)}.to({source.device})" for one in names if source.said(one) != "_"]
    return source.first_in(loop.body, *lines[:most])


def counter(source: Source, loop: ast.For | ast.While) -> str | None:
    """The variable that counts a loop's iterations."""
    if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call):
        counted = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
        by = "enumerate" if isinstance(loop.target, ast.Tuple) else "range"
        if dotted(loop.iter.func) == by and isinstance(counted, ast.Name):
            return counted.id
    return None


def _wrapped(source: Source) -> bool:
    return bool(source.calls("pl.MpDeviceLoader")) or "barrier=True" in source.text


@kind(3)
def marks_lost(source: Source) -> Iterator[list[Edit]]:
    """Nothing marks the end of an iteration; no device loader does it either."""
    marks = [one for one in source.said_alone(*MARKS) if source.loops(one)]
    if marks and not _wrapped(source):
        yield [source.delete(one) for one in marks]


@kind(3)
def barrier_lost(source: Source) -> Iterator[list[Edit]]:
    """`xm.optimizer_step` without the barrier that was the only mark."""
    calls = [call for call in source.calls("xm.optimizer_step") if keyword(call, "barrier")]
    if calls and not source.calls("pl.MpDeviceLoader", *MARKS):
        yield [source.replace(keyword(call, "barrier") or call, "barrier=False") for call in calls]


@kind(3)
def moved_by_hand_unmarked(source: Source) -> Iterator[list[Edit]]:
    """The batch is moved by hand instead of by the device loader, and nothing marks."""
    if source.calls("pl.MpDeviceLoader"):
        for loop in source.training:
            yield [*unwrapped(source), moved_by_hand(source, loop)]


@kind(3)
def mark_now_and_then(source: Source) -> Iterator[list[Edit]]:
    """The only mark of the loop stands where some iterations do not come by."""
    for loop in source.training:
        number = counter(source, loop)
        if number and source.calls("pl.MpDeviceLoader"):
            yield [*unwrapped(source), moved_by_hand(source, loop),
                   source.after(loop.body[-1], f"if {number} % 50 == 49:", f"    {source.mark}")]  # fmt: skip


@kind(3)
def mark_below_a_condition(source: Source) -> Iterator[list[Edit]]:
    """The only mark stands below a condition that hardly ever holds."""
    for one in source.said_alone(*MARKS):
        for loop in source.loops(one)[:1]:
            reads = any(word in source.said(loop) for word in (".item(", ".cpu(", "print("))
            if loop in source.training and not reads and (number := counter(source, loop)) and not _wrapped(source):
                yield source.wrap(one, f"if {number} > 100:")


@kind(3, cost=True, breaks="below")
def two_marks(source: Source) -> Iterator[list[Edit]]:
    """The backward and the step are executed apart."""
    for backward, _ in source.backwards:
        if source.loops(backward):
            yield [source.after(backward, source.mark)]


@kind(3)
def closure_after_the_last_mark(source: Source) -> Iterator[list[Edit]]:
    """A step closure that is asked for below the last mark never runs."""
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in ("main", "worker", "main_worker", "train", "run"):
            last = node.body[-1]
            started = source.text.partition("__main__")[2]
            if not isinstance(last, ast.Return) and (f"{node.name}(" in started or f"({node.name}" in started):
                yield [source.after(last, 'xm.add_step_closure(print, args=("done",))')]


@kind(3)
def evaluation_unmarked(source: Source) -> Iterator[list[Edit]]:
    """An evaluation adds up on the device, and nothing executes it before its end."""
    for loop in source.training:
        for call, given in source.forwards(loop)[:1]:
            made = source.parents[call]
            if isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name):
                added = f"        total = total + {source.said(call.func)}({given}).sum()"
                lines = ("total = 0.0", "with torch.no_grad():", "    for _ in range(1000):", added, "print(total)")
                yield [source.after(loop, *lines)]


@kind(3)
def inner_loop_unmarked(source: Source) -> Iterator[list[Edit]]:
    """Many steps are taken of each batch, with one mark for all of them."""
    for backward, loss in source.backwards:
        for one, _ in source.stepped():
            if one in source.body(backward) and source.calls("pl.MpDeviceLoader") and "barrier=True" not in source.text:
                block = source.body(one)
                first, last = block.index(backward), block.index(one)
                lines = [f"    {line}" for made in block[first : last + 1] for line in source.lines_of(made)]
                lines = [line.replace(f"{loss}.backward()", f"{loss}.backward(retain_graph=True)") for line in lines]
                edits = [source.delete(made) for made in block[first + 1 : last + 1]]
                yield [source.before(backward, "for _ in range(100):", *lines), source.delete(backward), *edits]


# --- 9: cost ------------------------------------------------------------------------------------------------------


@kind(9, cost=True)
def value_read_each_step(source: Source) -> Iterator[list[Edit]]:
    """The loss is read before the step, in each iteration."""
    for backward, loss in source.backwards:
        if source.loops(backward):
            yield [source.after(backward, f"shown = {loss}.item()")]


@kind(9, cost=True)
def printed_each_step(source: Source) -> Iterator[list[Edit]]:
    """The loss is printed as a tensor, in each iteration."""
    for backward, loss in source.backwards:
        if source.loops(backward):
            yield [source.after(backward, f'print(f"loss {{{loss}}}")')]


@kind(9, cost=True)
def value_decides_each_step(source: Source) -> Iterator[list[Edit]]:
    """A condition asks for a value of the device, in each iteration."""
    for backward, loss in source.backwards:
        if source.loops(backward):
            yield [source.after(backward, f"if {loss} > 1000:", '    print("far away")')]


def _outputs(source: Source) -> Iterator[tuple[ast.Assign, str, str]]:
    """The assignments of what a network gives, in loops that train."""
    for loop in source.training:
        for call, _ in source.forwards(loop):
            made = source.parents[call]
            if isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name):
                yield made, made.targets[0].id, source.said(call)


@kind(9, cost=True)
def boolean_mask(source: Source) -> Iterator[list[Edit]]:
    """A mask picks values of the device: the shape depends on data."""
    for made, name, _ in _outputs(source):
        yield [source.after(made, f"picked = {name}[{name} > 0].sum()")]


@kind(9, cost=True)
def places_of_values(source: Source) -> Iterator[list[Edit]]:
    """`nonzero` in the loop: the shape depends on data."""
    for made, name, _ in _outputs(source):
        yield [source.after(made, f"places = {name}.nonzero()", f"{name} = {name} + 0 * places.sum()")]


@kind(9, cost=True)
def shape_of_the_step(source: Source) -> Iterator[list[Edit]]:
    """The shape grows with the number of the iteration."""
    for loop in source.training:
        if number := counter(source, loop):
            for call, given in source.forwards(loop):
                yield [source.before(source.statement(call), f"{given} = {given}[: {number} + 1]")]


@kind(9, cost=True)
def tensors_kept(source: Source) -> Iterator[list[Edit]]:
    """A list keeps each iteration's loss with its graph."""
    for loop in source.training:
        for backward, loss in source.backwards:
            if source.loops(backward)[:1] == [loop]:
                yield [source.before(loop, "history = []"), source.after(backward, f"history.append({loss})"),
                       source.after(loop, "print(sum(history) / len(history))")]  # fmt: skip
