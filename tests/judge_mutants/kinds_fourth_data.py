"""Set apart. Obligations 3, 4, 5 and 9: loaders and samplers, metrics of all processes, devices, dear iterations."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import apart
from tests.judge_mutants.kinds_apart_processes import epochs
from tests.judge_mutants.kinds_data import LOADERS, SAMPLERS, _training_loader, _without
from tests.judge_mutants.kinds_fourth_parameters import CLIPS
from tests.judge_mutants.kinds_graph import counter
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, dotted, keyword, receiver

_TESTS = ("val", "test", "eval")


def _named(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


@apart(4, parallel=True)
def sampler_of_the_test_data(source: Source) -> Iterator[list[Edit]]:
    """The sampler of the training counts the data of the test: most of the training data is never drawn."""
    samplers = [call for call in source.calls(*SAMPLERS) if call.args and _named(call.args[0])]
    tests = [_named(call.args[0]) for call in samplers if not _training_loader(source, call)]
    for call in samplers:
        for name in tests if _training_loader(source, call) else ():
            if name != _named(call.args[0]) and f"{name} =" in source.text[: source.span(call)[0]]:
                yield [source.replace(call.args[0], name)]


@apart(4, parallel=True)
def epoch_told_to_another_sampler(source: Source) -> Iterator[list[Edit]]:
    """The sampler of the test is told of the epoch, and that of the training is not."""
    made = [source.parents[call] for call in source.calls(*SAMPLERS)]
    names = [source.said(one.targets[0]) for one in made if isinstance(one, ast.Assign)]
    others = [name for name in names if any(word in name for word in _TESTS)]
    for one in source.said_alone(".set_epoch"):
        told = receiver(one.value)
        if others and source.said(told) in names and source.said(told) not in others:
            yield [source.replace(told, others[0])]


@apart(4, parallel=True)
def shuffled_by_the_loader_too(source: Source) -> Iterator[list[Edit]]:
    """The loader keeps `shuffle=True` beside its sampler, which is an exception."""
    for call in source.calls(*LOADERS):
        if keyword(call, "sampler") and _training_loader(source, call):
            yield [_without(source, call, "shuffle", more=("shuffle=True",))]


def _wrapped(source: Source) -> Iterator[ast.Call]:
    """The device loaders of what trains."""
    for call in source.calls("pl.MpDeviceLoader"):
        if len(call.args) == 2 and not any(word in source.said(call.args[0]) for word in _TESTS):
            yield call


@apart(4, target="xla")
def wrapped_twice(source: Source) -> Iterator[list[Edit]]:
    """A device loader around a device loader: on torch_xla 2.9 it has no batches, and nothing is said."""
    for call in _wrapped(source):
        yield [source.replace(call.args[0], source.said(call))]


@apart(4)
def loader_of_one_pass(source: Source) -> Iterator[list[Edit]]:
    """What a ParallelLoader gives can be gone through once: there are no batches from the second epoch on."""
    for call in _wrapped(source):
        inside, statement = source.function(call), source.statement(call)
        once = isinstance(statement, ast.Assign) and statement.value is call and not source.loops(statement)
        if once and any(source.function(loop) is inside and loop.lineno > call.lineno for loop, _ in epochs(source)):
            loader, device = (source.said(one) for one in call.args)
            yield [source.replace(call, f"pl.ParallelLoader({loader}, [{device}]).per_device_loader({device})")]


@apart(4)
def other_loader_wrapped(source: Source) -> Iterator[list[Edit]]:
    """The device loader of the training is made around the loader of the test."""
    for call in _wrapped(source):
        for other in source.calls(*LOADERS):
            made = source.parents[other]
            name = source.said(made.targets[0]) if isinstance(made, ast.Assign) else ""
            above = other.lineno < call.lineno and source.function(other) is source.function(call)
            if above and any(word in name for word in _TESTS):
                yield [source.replace(call.args[0], name)]


@apart(8)
def data_asked_of_the_device_loader(source: Source) -> Iterator[list[Edit]]:
    """A device loader is asked for its data set, as the loader was: it has no such attribute."""
    for call in source.calls("pl.MpDeviceLoader"):
        made = source.parents[call]
        if isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name):
            for loop in source.training:
                if made.targets[0].id in source.said(loop.iter) and source.function(loop) is source.function(call):
                    yield [source.after(loop, f"print(len({made.targets[0].id}.dataset))")]


@apart(9, cost=True)
def drop_last_lost(source: Source) -> Iterator[list[Edit]]:
    """The last batch is smaller, and compiled for itself."""
    for call in source.calls(*LOADERS):
        dropped = keyword(call, "drop_last")
        counted = any(f"{name}(" in source.text for name in ("randn", "rand", "arange", "randint"))
        if dropped and source.said(dropped.value) == "True" and _training_loader(source, call) and not counted:
            yield [_without(source, call, "drop_last")]


@apart(8)
def generator_on_the_device(source: Source) -> Iterator[list[Edit]]:
    """The order of the data is drawn by a generator of the XLA device, which torch does not make."""
    for call in source.calls(*LOADERS):
        if _training_loader(source, call) and not keyword(call, "generator"):
            yield [_without(source, call, more=(f"generator=torch.Generator(device={source.device})",))]


@apart(5)
def moved_in_the_workers(source: Source) -> Iterator[list[Edit]]:
    """The processes of the loader move the batches: they wait for ever for a device that this process has."""
    for call in source.calls(*LOADERS):
        workers = keyword(call, "num_workers")
        several = workers and source.said(workers.value) not in ("0", "None")
        if several and not keyword(call, "collate_fn") and isinstance(source.parents[call], ast.Assign):
            moved = f"[t.to({source.device}) for t in torch.utils.data.default_collate(rows)]"
            yield [_without(source, call, more=(f"collate_fn=lambda rows: {moved}",))]


@apart(10)
def first_batches_left_out(source: Source) -> Iterator[list[Edit]]:
    """The first batches of each epoch are passed over, since they are slow to compile."""
    for loop in source.training:
        if number := counter(source, loop):
            yield [source.first_in(loop.body, f"if {number} < 2:", "    continue")]


# --- metrics -----------------------------------------------------------------------------------------------------


def _metrics(source: Source) -> Iterator[ast.Expr]:
    """The statements that add something up over the processes which is no gradient."""
    for one in source.said_alone("xm.all_reduce"):
        if "grad" not in source.said(one):
            yield one


@apart(10, parallel=True)
def metric_not_added_up(source: Source) -> Iterator[list[Edit]]:
    """What is measured is that of one process, where the original added it up over all."""
    for one in _metrics(source):
        yield [source.delete(one)]


@apart(10, parallel=True)
def mean_of_a_metric_lost(source: Source) -> Iterator[list[Edit]]:
    """A metric is the sum over the processes, where it was their mean."""
    for one in _metrics(source):
        scale = keyword(one.value, "scale") if isinstance(one.value, ast.Call) else None
        if scale:
            yield [source.replace(scale.value, "1.0")]
        block = source.body(one)
        for divided in block[block.index(one) + 1 :]:
            if isinstance(divided, ast.AugAssign) and isinstance(divided.op, ast.Div):
                yield [source.delete(divided)]


# --- devices -----------------------------------------------------------------------------------------------------


@apart(8)
def moved_by_its_number(source: Source) -> Iterator[list[Edit]]:
    """The network goes to the device of a number, which means CUDA."""
    for _, _, call in source.moves if "as xm" in source.text else ():
        yield [source.replace(call.args[0], "xm.get_local_ordinal()")]


@apart(8)
def checkpoint_mapped_to_the_device(source: Source) -> Iterator[list[Edit]]:
    """A checkpoint is to be read onto the XLA device, which `torch.load` cannot do."""
    for call in source.calls("torch.load"):
        place = keyword(call, "map_location")
        if place and source.said(place.value).strip("'\"") == "cpu":
            yield [source.replace(place.value, source.device)]


@apart(5)
def moved_if_there_is_cuda(source: Source) -> Iterator[list[Edit]]:
    """The guard of the original stays around the move: there is no CUDA, and the network stays on the host."""
    for statement, name, call in source.moves:
        if source.said(receiver(call)) == name:
            yield source.wrap(statement, "if torch.cuda.is_available():")


# --- cost --------------------------------------------------------------------------------------------------------


@apart(9, cost=True)
def asked_if_finite(source: Source) -> Iterator[list[Edit]]:
    """The clip raises where a norm is no number, and so reads it in each iteration."""
    for call in source.calls(".clip_grad_norm_"):
        if source.loops(call) and not keyword(call, "error_if_nonfinite"):
            yield [_without(source, call, more=("error_if_nonfinite=True",))]


@apart(9, cost=True)
def written_at_its_number(source: Source) -> Iterator[list[Edit]]:
    """Losses are written into a tensor at the number of the iteration: each number is a graph of its own."""
    for backward, loss in source.backwards:
        for loop in source.loops(backward)[:1]:
            if number := counter(source, loop):
                kept = f"losses = torch.zeros(100000, device={source.device})"
                yield [source.before(loop, kept), source.after(backward, f"losses[{number}] = {loss}.detach()")]


@apart(3)
def result_of_a_closure_read_at_once(source: Source) -> Iterator[list[Edit]]:
    """A step closure keeps the loss, and the next line reads it: closures run with the mark, the list is empty."""
    for backward, loss in source.backwards:
        for loop in source.loops(backward)[:1] if "as xm" in source.text else ():
            asked = f"xm.add_step_closure(lambda value: kept.append(value.item()), args=({loss}.detach(),))"
            yield [source.before(loop, "kept = []"), source.after(backward, asked, "print(kept[-1])")]


@apart(10)
def clipped_by_value(source: Source) -> Iterator[list[Edit]]:
    """Each gradient is clipped by the number that their norm was clipped by."""
    for call in source.calls(CLIPS[0]):
        if source.loops(call) and len(call.args) == 2 and not call.keywords:
            yield [source.replace(call.func, dotted(call.func).replace("clip_grad_norm_", "clip_grad_value_"))]
