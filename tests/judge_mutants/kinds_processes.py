"""Obligation 6: no collective under a condition that can differ between the processes; alone what one process does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import kind
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit


def _data_of_its_own(source: Source) -> bool:
    """Whether the processes train on other data: what a loader gives, not numbers that all draw alike."""
    return bool(source.calls("DataLoader", ".DataLoader", "pl.MpDeviceLoader"))


def _steps(source: Source) -> Iterator[ast.Expr]:
    for one in source.said_alone("xm.optimizer_step", "xm.reduce_gradients"):
        if source.loops(one):
            yield one


@kind(6, parallel=True)
def rendezvous_on_the_first(source: Source) -> Iterator[list[Edit]]:
    """One process waits for the others."""
    for one in source.said_alone("xm.rendezvous"):
        tests = [source.said(around.test) for around in source.above(one) if isinstance(around, ast.If)]
        if any(word in test for word in ("rank", "ordinal") for test in tests):
            continue  # the first alone comes here, or all others
        yield source.wrap(one, "if xm.is_master_ordinal():")


@kind(6, parallel=True)
def rendezvous_added_on_the_first(source: Source) -> Iterator[list[Edit]]:
    """One process asks the others to meet at the end of each epoch."""
    for loop in source.training:
        yield [source.after(loop, f"if {source.rank} == 0:", '    xm.rendezvous("epoch")')]


@kind(6, parallel=True)
def step_on_the_first(source: Source) -> Iterator[list[Edit]]:
    """One process reduces its gradients."""
    for one in _steps(source):
        yield source.wrap(one, f"if {source.rank} == 0:")


@kind(6, parallel=True)
def step_by_a_variable(source: Source) -> Iterator[list[Edit]]:
    """One process reduces its gradients; a variable says which."""
    for one in _steps(source):
        outer = source.loops(one)[-1]
        yield [source.before(outer, f"main_process = {source.rank} == 0"), *source.wrap(one, "if main_process:")]


@kind(6, parallel=True)
def step_by_a_helper(source: Source) -> Iterator[list[Edit]]:
    """One process reduces its gradients; a function says which."""
    for one in _steps(source):
        imports = [node for node in source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        helper = ("", "def first_of_all():", f"    return not {source.rank}", "")
        yield [source.after(imports[-1], *helper), *source.wrap(one, "if first_of_all():")]


@kind(6, parallel=True)
def step_by_a_dictionary(source: Source) -> Iterator[list[Edit]]:
    """One process reduces its gradients; a dictionary says which."""
    for one in _steps(source):
        outer = source.loops(one)[-1]
        yield [source.before(outer, f'place = {{"rank": {source.rank}, "world": {source.world}}}'),
               *source.wrap(one, 'if place["rank"] == 0:')]  # fmt: skip


@kind(6, parallel=True)
def step_by_an_attribute(source: Source) -> Iterator[list[Edit]]:
    """One process reduces its gradients; an attribute of an object says which."""
    for one in _steps(source):
        outer = source.loops(one)[-1]
        imports = [node for node in source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        written = ("", "class Place:", "    def __init__(self):", f"        self.first = {source.rank} < 1", "")
        edits = [source.after(imports[-1], *written), source.before(outer, "place = Place()")]
        yield [*edits, *source.wrap(one, "if place.first:")]


@kind(6, parallel=True)
def step_by_arithmetic(source: Source) -> Iterator[list[Edit]]:
    """The last process does not reduce its gradients."""
    for one in _steps(source):
        yield source.wrap(one, f"if ({source.rank} + 1) % {source.world}:")


@kind(6, parallel=True, breaks="below")
def others_go_on(source: Source) -> Iterator[list[Edit]]:
    """All processes but the first go on to the next batch above the step."""
    for one in _steps(source):
        yield [source.before(one, f"if {source.rank} != 0:", "    continue")]


@kind(6, parallel=True, breaks="below")
def others_return(source: Source) -> Iterator[list[Edit]]:
    """All processes but the first leave the function above a collective."""
    for one in source.said_alone("xm.rendezvous", "xm.all_reduce"):
        if isinstance(source.function(one), ast.FunctionDef):
            yield [source.before(one, f"if {source.rank} > 0:", "    return None")]


@kind(6, parallel=True)
def all_reduce_on_the_first(source: Source) -> Iterator[list[Edit]]:
    """One process adds up what all have."""
    for one in source.said_alone("xm.all_reduce"):
        yield source.wrap(one, "if xm.is_master_ordinal():")


@kind(6, parallel=True)
def mean_on_the_first(source: Source) -> Iterator[list[Edit]]:
    """One process asks for the mean of all to print it."""
    for loop in source.training:
        for backward, loss in source.backwards:
            if source.loops(backward)[:1] == [loop]:
                asked = f'    print(xm.mesh_reduce("loss", {loss}.item(), sum))'
                yield [source.after(loop, f"if {source.rank} == 0:", asked)]


@kind(6, parallel=True, target="smtc")
def save_on_the_first(source: Source) -> Iterator[list[Edit]]:
    """One process saves, and waits for the others at the end of `xm.save`."""
    for one in source.said_alone("xm.save"):
        yield source.wrap(one, "if xm.is_master_ordinal():")


@kind(6, parallel=True, target="smtc")
def save_of_the_best(source: Source) -> Iterator[list[Edit]]:
    """A process saves when its own loss is the least so far."""
    for loop in source.training if _data_of_its_own(source) else ():
        for backward, loss in source.backwards:
            outer = source.loops(loop)
            if source.loops(backward)[:1] == [loop] and outer:
                saved = f'    xm.save({{"loss": {loss}}}, "best.pt")'
                lines = (f"if {loss}.item() < least:", f"    least = {loss}.item()", saved)
                yield [source.before(outer[-1], "least = 1e9"), source.after(loop, *lines)]


@kind(6, parallel=True)
def meeting_at_the_best(source: Source) -> Iterator[list[Edit]]:
    """The processes meet when their own loss is the least so far."""
    for loop in source.training if _data_of_its_own(source) else ():
        for backward, loss in source.backwards:
            outer = source.loops(loop)
            if source.loops(backward)[:1] == [loop] and outer:
                met = (f"if {loss}.item() < least:", f"    least = {loss}.item()", '    xm.rendezvous("best")')
                yield [source.before(outer[-1], "least = 1e9"), source.after(loop, *met)]


@kind(6, parallel=True)
def pending_sum_read_by_one(source: Source) -> Iterator[list[Edit]]:
    """One process reads a sum of all before it is executed."""
    for one in _steps(source):
        for backward, loss in source.backwards:
            if backward in source.body(one):
                yield [source.after(one, f"shared = xm.all_reduce(xm.REDUCE_SUM, {loss}.detach())",
                                    "if xm.is_master_ordinal():", "    print(shared.item())")]  # fmt: skip


@kind(6, parallel=True, breaks="below")
def skipped_on_its_own_loss(source: Source) -> Iterator[list[Edit]]:
    """A process whose own loss is too large goes on to the next batch."""
    for one in _steps(source) if _data_of_its_own(source) else ():
        for backward, loss in source.backwards:
            if backward in source.body(one):
                yield [source.before(backward, f"if {loss}.item() > 100:", "    continue")]


@kind(6, parallel=True, breaks="below")
def stopped_on_its_own_loss(source: Source) -> Iterator[list[Edit]]:
    """A process whose own loss is small enough ends its epochs."""
    for loop in source.training if _data_of_its_own(source) else ():
        for backward, loss in source.backwards:
            if source.loops(backward)[:1] == [loop] and source.loops(loop):
                yield [source.after(loop, f"if {loss}.item() < 0.01:", "    break")]


@kind(6, parallel=True)
def asked_by_all(source: Source) -> Iterator[list[Edit]]:
    """Each process asks whoever sits there."""
    for loop in source.training:
        outer = [loop, *source.loops(loop)][-1]
        yield [source.before(outer, 'input("go on? ")')]


@kind(6, parallel=True)
def folder_emptied_by_all(source: Source) -> Iterator[list[Edit]]:
    """Each process takes the same folder away."""
    for loop in source.training:
        outer = [loop, *source.loops(loop)][-1]
        yield [*source.imported("import shutil"), source.before(outer, 'shutil.rmtree("out")')]
