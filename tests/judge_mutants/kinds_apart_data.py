"""The third set. Obligations 3, 4, 5 and 9: marks, shares of the data, where tensors are, what makes a step dear."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import tuned
from tests.judge_mutants.kinds_data import LOADERS, SAMPLERS, _last_step, _moves, _training_loader, _without
from tests.judge_mutants.kinds_graph import MARKS, _outputs, batch_of, counter, moved_by_hand, unwrapped
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, keyword

READS = (".item(", ".cpu(", "print(", "float(", ".numpy(", ".tolist(", "log(")


def _silent(source: Source, loop: ast.For) -> bool:
    """Whether nothing in a loop reads a value, and so nothing executes the graph by the way."""
    return not any(word in source.said(loop) for word in READS)


@tuned(3)
def loader_executes_rarely(source: Source) -> Iterator[list[Edit]]:
    """The device loader marks once in a thousand batches."""
    marks = [one for one in source.said_alone(*MARKS) if source.loops(one)]
    if marks or "barrier=True" in source.text or not any(_silent(source, loop) for loop in source.training):
        return
    for call in source.calls("pl.MpDeviceLoader"):
        if not any(word in source.said(call.args[0]) for word in ("val", "test", "eval")):
            yield [_without(source, call, more=("batches_per_execution=1000",))]


def _own_mark(source: Source) -> Iterator[tuple[ast.For, list[Edit]]]:
    """The loops that a device loader marks, with its batches moved by hand instead."""
    if source.calls("pl.MpDeviceLoader"):
        for loop in source.training:
            if _silent(source, loop) and not _moves(source, loop):
                yield loop, [*unwrapped(source), moved_by_hand(source, loop)]


@tuned(3)
def mark_after_the_epoch(source: Source) -> Iterator[list[Edit]]:
    """One mark below the loop executes all of its iterations."""
    for loop, edits in _own_mark(source):
        yield [*edits, source.after(loop, source.mark)]


@tuned(3, parallel=True)
def mark_on_the_first(source: Source) -> Iterator[list[Edit]]:
    """The first process alone marks the end of an iteration."""
    for loop, edits in _own_mark(source):
        yield [*edits, source.after(loop.body[-1], "if xm.is_master_ordinal():", f"    {source.mark}")]


@tuned(3, cost=True)
def mark_in_the_forward(source: Source) -> Iterator[list[Edit]]:
    """The network marks in its forward: one more execution each time."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef) and node.name == "forward" and source.training:
            if isinstance(node.body[-1], ast.Return):
                yield [source.before(node.body[-1], source.mark)]


@tuned(3, cost=True)
def closure_called_at_once(source: Source) -> Iterator[list[Edit]]:
    """What a step closure did once the step was executed is done at once: it reads in the midst of the step."""
    for one in source.said_alone("xm.add_step_closure"):
        call = one.value
        given = keyword(call, "args") if isinstance(call, ast.Call) else None
        if given and isinstance(call, ast.Call) and isinstance(given.value, ast.Tuple) and ".item(" in source.text:
            loop = next((loop for loop in source.loops(one) if loop in source.training), None)
            if loop and any(loss in source.said(given.value) for _, loss in source.backwards):
                arguments = ", ".join(source.said(each) for each in given.value.elts)
                yield [source.replace(call, f"{source.said(call.args[0])}({arguments})")]


# --- 4: shares ------------------------------------------------------------------------------------------------------


def _samplers(source: Source) -> Iterator[ast.Call]:
    for call in source.calls(*SAMPLERS):
        if keyword(call, "rank") and keyword(call, "num_replicas") and _training_loader(source, call):
            yield call


@tuned(4, parallel=True)
def shared_out_twice(source: Source) -> Iterator[list[Edit]]:
    """Each process cuts its share out of the data, and the sampler shares that out once more."""
    for call in _samplers(source):
        if call.args and isinstance(call.args[0], ast.Name):
            data = call.args[0].id
            cut = f"{data} = torch.utils.data.Subset({data}, range({source.rank}, len({data}), {source.world}))"
            yield [source.before(source.statement(call), cut)]


@tuned(4, parallel=True)
def rank_and_world_swapped(source: Source) -> Iterator[list[Edit]]:
    """The number of the process stands where the number of processes should, and the other way round."""
    for call in _samplers(source):
        rank, world = keyword(call, "rank"), keyword(call, "num_replicas")
        if rank and world:
            yield [source.replace(rank.value, source.said(world.value)),
                   source.replace(world.value, source.said(rank.value))]  # fmt: skip


@tuned(4, parallel=True)
def sampler_of_no_share(source: Source) -> Iterator[list[Edit]]:
    """A sampler that knows of no processes draws from all of the data."""
    for call in source.calls(*LOADERS):
        sampler = keyword(call, "sampler")
        if sampler and call.args and _training_loader(source, call):
            yield [source.replace(sampler.value, f"torch.utils.data.RandomSampler({source.said(call.args[0])})")]


def _shuffles(source: Source) -> bool:
    return not any("shuffle=False" in source.said(call) for call in source.calls(*SAMPLERS))


@tuned(4, parallel=True)
def set_epoch_below_the_epoch(source: Source) -> Iterator[list[Edit]]:
    """The sampler is told of the epoch when it is over: the first two have the same order."""
    for one in source.said_alone(".set_epoch") if _shuffles(source) else ():
        last = source.body(one)[-1]
        if last is not one and not isinstance(last, ast.Return | ast.Continue | ast.Break):
            yield [source.delete(one), source.after(last, *source.lines_of(one))]


@tuned(4, parallel=True)
def order_of_its_own(source: Source) -> Iterator[list[Edit]]:
    """Each process shuffles by its own seed: shares overlap, and leave data out."""
    for call in _samplers(source) if _shuffles(source) else ():
        if not keyword(call, "seed"):
            yield [_without(source, call, more=(f"seed={source.rank}",))]


@tuned(4, parallel=True)
def epoch_of_its_own(source: Source) -> Iterator[list[Edit]]:
    """Each process tells its sampler of another epoch: shares overlap, and leave data out."""
    for one in source.said_alone(".set_epoch") if _shuffles(source) else ():
        if isinstance(one.value, ast.Call) and one.value.args:
            yield [source.replace(one.value.args[0], f"{source.said(one.value.args[0])} + {source.rank}")]


@tuned(4)
def trained_on_the_test_data(source: Source) -> Iterator[list[Edit]]:
    """The loader of the training is given the data of the test."""
    calls = [call for call in source.calls(*LOADERS) if call.args and isinstance(call.args[0], ast.Name)]
    tests = [source.said(call.args[0]) for call in calls if not _training_loader(source, call)]
    for call in calls:
        for name in tests if _training_loader(source, call) and not keyword(call, "sampler") else ():
            names = [node for node in ast.walk(source.tree) if isinstance(node, ast.Name) and node.id == name]
            stored = [node.lineno for node in names if isinstance(node.ctx, ast.Store)]
            if stored and max(stored) < call.lineno and name != source.said(call.args[0]):
                yield [source.replace(call.args[0], name)]


@tuned(4, parallel=True)
def first_batch_again(source: Source) -> Iterator[list[Edit]]:
    """Each iteration begins the loader anew, and trains on the first batch of the epoch."""
    for loop in source.training if "Sampler(" in source.text else ():
        if isinstance(loop.iter, ast.Name):
            again = f"{source.said(loop.target)} = next(iter({loop.iter.id}))"
            yield [source.first_in(loop.body, again)]


# --- 5: where tensors are -------------------------------------------------------------------------------------------


@tuned(5)
def moved_and_dropped(source: Source) -> Iterator[list[Edit]]:
    """Each tensor of the batch is moved, and the result dropped."""
    for loop in source.training if source.calls("pl.MpDeviceLoader") else ():
        names = batch_of(source, loop)
        if not _moves(source, loop) and "range(" not in source.said(loop.iter):
            if all(isinstance(one, ast.Name) and one.id != "_" for one in names) and len(names) > 1:
                lines = [f"{source.said(one)}.to({source.device})" for one in names]
                yield [*unwrapped(source), source.first_in(loop.body, *lines), _last_step(source, loop)]


@tuned(5)
def matrix_of_the_host(source: Source) -> Iterator[list[Edit]]:
    """What the network gives is multiplied by a matrix of the host."""
    for made, name, _ in _outputs(source):
        yield [source.after(made, f"{name} = {name} @ torch.eye({name}.shape[-1])")]


@tuned(5)
def targets_taken_to_the_host(source: Source) -> Iterator[list[Edit]]:
    """A loss gets its targets from the host."""
    for loop in source.training:
        names = [source.said(one) for one in batch_of(source, loop)]
        for call in source.calls("criterion", "loss_fn", "F.cross_entropy", "F.nll_loss"):
            if loop in source.above(call) and len(call.args) == 2 and source.said(call.args[1]) in names[1:]:
                yield [source.replace(call.args[1], f"{source.said(call.args[1])}.cpu()")]


@tuned(5, breaks="training")
def device_by_cuda(source: Source) -> Iterator[list[Edit]]:
    """The device is CUDA's where there is one, and else the host."""
    for call in source.calls(source.device[:-2]):
        if isinstance(source.parents[call], ast.Assign):
            yield [source.replace(call, 'torch.device("cuda" if torch.cuda.is_available() else "cpu")')]


# --- 9: cost --------------------------------------------------------------------------------------------------------


def _below_backward(source: Source, line: str) -> Iterator[list[Edit]]:
    for backward, loss in source.backwards:
        if source.loops(backward):
            yield [source.after(backward, line.format(loss))]


@tuned(9, cost=True)
def norms_read_one_by_one(source: Source) -> Iterator[list[Edit]]:
    """The norm of each gradient is read, in each iteration."""
    for one, optimizer in source.stepped():
        given = f'for group in {optimizer}.param_groups for p in group["params"] if p.grad is not None'
        if source.loops(one):
            yield [source.before(one, f"norm = sum(p.grad.norm().item() {given})")]


@tuned(9, cost=True)
def asserted_each_step(source: Source) -> Iterator[list[Edit]]:
    """An assertion asks whether the loss is a number, in each iteration."""
    yield from _below_backward(source, "assert not torch.isnan({0})")


@tuned(9, cost=True)
def read_in_a_helper(source: Source) -> Iterator[list[Edit]]:
    """A function of the program keeps the loss as a number, in each iteration."""
    imports = [node for node in source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    helper = ("", "HISTORY = []", "", "def keep(value):", "    HISTORY.append(float(value))", "")
    for edits in _below_backward(source, "keep({0})"):
        yield [source.after(imports[-1], *helper), *edits]


@tuned(9, cost=True)
def anomalies_looked_for(source: Source) -> Iterator[list[Edit]]:
    """Each gradient of each operation is read, to see whether it is a number."""
    for loop in source.training:
        yield [source.before([loop, *source.loops(loop)][-1], "torch.autograd.set_detect_anomaly(True)")]


def _on_the_batch(source: Source, line: str, counted: bool) -> Iterator[list[Edit]]:
    for loop in source.training:
        number = counter(source, loop)
        for call, given in source.forwards(loop) if number or not counted else ():
            yield [source.before(source.statement(call), line.format(given, number))]


@tuned(9, cost=True)
def rolled_by_its_number(source: Source) -> Iterator[list[Edit]]:
    """A batch is rolled by the number of the iteration, which is a constant of the graph."""
    yield from _on_the_batch(source, "turned = {0}.roll({1}, 0).mean()", True)


@tuned(9, cost=True)
def cut_by_chance(source: Source) -> Iterator[list[Edit]]:
    """A part of the batch that chance chooses: each length is a graph of its own."""
    for edits in _on_the_batch(source, "few = {0}[: random.randint(1, {0}.shape[0])].mean()", False):
        yield [*source.imported("import random"), *edits]


@tuned(9, cost=True)
def waits_each_step(source: Source) -> Iterator[list[Edit]]:
    """The host waits for the device at the beginning of each iteration."""
    for loop in source.training if "as xm" in source.text else ():
        yield [source.first_in(loop.body, "xm.wait_device_ops()")]
