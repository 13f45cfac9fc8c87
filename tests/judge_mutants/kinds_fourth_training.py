"""Set apart. Obligation 10: schedules, options of an optimizer, modes, evaluations."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import apart
from tests.judge_mutants.kinds_apart_processes import epochs
from tests.judge_mutants.kinds_data import _without
from tests.judge_mutants.kinds_fourth_parameters import migrated, steps
from tests.judge_mutants.kinds_fourth_program import functions
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, dotted, keyword, receiver


@apart(10)
def closure_as_the_barrier(source: Source) -> Iterator[list[Edit]]:
    """The closure stands where `xm.optimizer_step` takes its barrier: it is never called."""
    for call in source.calls("xm.optimizer_step"):
        given = keyword(call, "optimizer_args")
        if given and isinstance(given.value, ast.Dict) and len(given.value.values) == 1:
            optimizer, closure = source.said(call.args[0]), source.said(given.value.values[0])
            yield [source.replace(call, f"xm.optimizer_step({optimizer}, {closure})")]


@apart(10)
def scheduler_stepped_each_batch(source: Source) -> Iterator[list[Edit]]:
    """A schedule of epochs goes on with each batch."""
    for one in source.said_alone(".step"):
        block = source.body(one)
        if "sched" in source.said(one) and not (isinstance(one.value, ast.Call) and one.value.args):
            for loop in source.training:
                if loop in block and loop.lineno < one.lineno:
                    yield [source.after(loop.body[-1], *source.lines_of(one)), source.delete(one)]


@apart(10, both=True)
def schedule_by_the_epoch(source: Source) -> Iterator[list[Edit]]:
    """A schedule of iterations goes on once in an epoch."""
    for one, name in steps(source):
        loop = source.loops(one)[0]
        for made, _, _ in source.optimizers:
            if source.said(made.targets[0]) == name and source.function(made) is source.function(one):
                scheduler = f"rates = torch.optim.lr_scheduler.ExponentialLR({name}, 0.99)"
                place = loop if migrated(source) else one
                if source.loops(loop):
                    yield [source.after(made, scheduler), source.after(place, "rates.step()")]


@apart(10)
def learning_rate_not_adjusted(source: Source) -> Iterator[list[Edit]]:
    """The function that sets the learning rate of an epoch is not called."""
    for name, node in functions(source).items():
        sets = [one for one in ast.walk(node) if isinstance(one, ast.Assign)
                and source.said(one.targets[0]).replace('"', "'").endswith("['lr']")]  # fmt: skip
        for one in source.said_alone(name) if sets and ".backward(" not in source.said(node) else ():
            yield [source.delete(one)]


@apart(10, parallel=True)
def rate_times_the_world(source: Source) -> Iterator[list[Edit]]:
    """The learning rate is multiplied by the number of processes, which the original did not."""
    for made, _, _ in source.optimizers:
        rate = keyword(made.value, "lr") if isinstance(made.value, ast.Call) else None
        if rate and "world" not in source.said(rate.value):
            yield [source.replace(rate.value, f"{source.said(rate.value)} * {source.world}")]


@apart(10)
def momentum_lost(source: Source) -> Iterator[list[Edit]]:
    """The optimizer is made without its momentum or decay."""
    for made, _, _ in source.optimizers:
        given = made.value.keywords if isinstance(made.value, ast.Call) else []
        names = [one.arg or "" for one in given if one.arg in ("momentum", "weight_decay", "betas")
                 and source.said(one.value) not in ("0", "0.0", "(0.9, 0.999)")]  # fmt: skip
        if names and isinstance(made.value, ast.Call):
            yield [_without(source, made.value, *names, "nesterov")]


@apart(10)
def adam_for_adamw(source: Source) -> Iterator[list[Edit]]:
    """Adam stands where AdamW was: another decay, and another training."""
    for made, _, _ in source.optimizers:
        if isinstance(made.value, ast.Call) and dotted(made.value.func).endswith("AdamW"):
            if "weight_decay=0.0" in source.said(made):
                continue  # then they are the same
            yield [source.replace(made.value.func, dotted(made.value.func)[:-1])]


@apart(10, breaks="training")
def evaluation_lost(source: Source) -> Iterator[list[Edit]]:
    """Nothing is evaluated any more."""
    for name in functions(source):
        if any(word in name for word in ("eval", "test", "valid")):
            for one in source.said_alone(name):
                yield [source.delete(one)]


def _drops(source: Source) -> bool:
    return "Dropout" in source.text or "BatchNorm" in source.text


def _modes(source: Source, mode: str) -> Iterator[ast.Expr]:
    for one in source.said_alone(mode) if _drops(source) else ():
        call = one.value
        if isinstance(call, ast.Call) and not call.args and source.said(receiver(call)) in source.modules:
            yield one


@apart(10, breaks="below")
def train_mode_lost(source: Source) -> Iterator[list[Edit]]:
    """The network stays in eval mode from the first evaluation on."""
    if any(True for _ in _modes(source, ".eval")):
        for one in _modes(source, ".train"):
            yield [source.delete(one)]


@apart(10, breaks="below")
def eval_mode_lost(source: Source) -> Iterator[list[Edit]]:
    """The evaluation drops activations, and changes what batch norm knows."""
    for one in _modes(source, ".eval"):
        yield [source.delete(one)]


@apart(10, breaks="below")
def detach_lost(source: Source) -> Iterator[list[Edit]]:
    """Gradients flow on to where they were cut off: a graph that is gone is gone through again."""
    for call in source.calls(".detach"):
        around = source.parents[call]
        named = isinstance(receiver(call), ast.Name)
        given = named and isinstance(around, ast.Call) and source.said(around.func) in source.modules
        carried = any(word in source.said(receiver(call)) for word in ("hidden", "state", "memory"))
        if given or carried:
            yield [source.replace(call, source.said(receiver(call)))]


@apart(10)
def saved_below_the_epochs(source: Source) -> Iterator[list[Edit]]:
    """A checkpoint of each epoch is written below the loop of epochs, once."""
    for loop, _ in epochs(source):
        for one in source.said_alone("xm.save", "torch.save"):
            if one in loop.body and len(loop.body) > 1:
                yield [source.delete(one), source.after(loop, *source.lines_of(one))]
