"""The third set. Obligation 10: what trained still trains."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import tuned
from tests.judge_mutants.kinds_apart_processes import cut, epochs
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, receiver

CLIPS = (".clip_grad_norm_", ".clip_grad_value_")


@tuned(10)
def clip_lost(source: Source) -> Iterator[list[Edit]]:
    """Gradients are not clipped."""
    for one in source.said_alone(*CLIPS):
        yield [source.delete(one)]


@tuned(10)
def clipped_after_the_step(source: Source) -> Iterator[list[Edit]]:
    """Gradients are clipped below the step."""
    for one in source.said_alone(*CLIPS):
        block = source.body(one)
        for step in (*source.said_alone("xm.optimizer_step"), *source.said_alone(".step")):
            if step in block and step.lineno > one.lineno and "sched" not in source.said(step):
                yield [source.delete(one), source.after(step, *source.lines_of(one))]


@tuned(10, breaks="training")
def trained_in_eval_mode(source: Source) -> Iterator[list[Edit]]:
    """The network trains in eval mode: no dropout, and batch norm as it was."""
    if "Dropout" in source.text or "BatchNorm" in source.text:
        for one in source.said_alone(".train"):
            call = one.value
            if isinstance(call, ast.Call) and not call.args and source.said(receiver(call)) in source.modules:
                yield [source.replace(call, f"{source.said(receiver(call))}.eval()")]


@tuned(10)
def one_optimizer_for_the_other(source: Source) -> Iterator[list[Edit]]:
    """Of two optimizers one steps twice, the other never."""
    stepped = source.stepped()
    for one, optimizer in stepped:
        others = [name for other, name in stepped if name != optimizer and other in source.body(one)]
        if others and isinstance(one.value, ast.Call) and sum(name == optimizer for _, name in stepped) == 1:
            yield [source.replace(one.value.args[0], others[0])]


@tuned(10, breaks="below")
def returned_after_the_first_batch(source: Source) -> Iterator[list[Edit]]:
    """The `return` below the loop stands in it."""
    for loop in source.training:
        block = source.body(loop)
        last = block[-1]
        if isinstance(last, ast.Return) and block[block.index(loop) + 1] is last:
            yield [source.delete(last), source.after(loop.body[-1], *source.lines_of(last))]


@tuned(10, breaks="training")
def one_epoch(source: Source) -> Iterator[list[Edit]]:
    """One epoch is trained, where the options say how many."""
    for _, counted in epochs(source):
        if not isinstance(counted.args[-1], ast.Constant):
            yield [source.replace(counted, "range(1)")]


@tuned(10)
def epoch_cut_short(source: Source) -> Iterator[list[Edit]]:
    """Two batches of each epoch are trained, as somebody wanted it for a trial."""
    yield from cut(source, "2")


@tuned(10)
def optimizer_made_in_each_epoch(source: Source) -> Iterator[list[Edit]]:
    """The optimizer is made anew in each epoch: its state, and what a scheduler did, is lost."""
    for made, _, _ in source.optimizers:
        for loop, _ in epochs(source):
            if loop in source.body(made) and ("Adam" in source.said(made) or "momentum" in source.said(made)):
                yield [source.first_in(loop.body, *source.lines_of(made))]


@tuned(10)
def weights_reset_in_each_epoch(source: Source) -> Iterator[list[Edit]]:
    """Each epoch begins with the weights of before the training."""
    for made, network, _ in source.optimizers:
        for loop, _ in epochs(source):
            if loop in source.body(made):
                kept = source.before(loop, f"first = copy.deepcopy({network}.state_dict())")
                reset = source.first_in(loop.body, f"{network}.load_state_dict(first)")
                yield [*source.imported("import copy"), kept, reset]


@tuned(10, breaks="training")
def forward_decorated(source: Source) -> Iterator[list[Edit]]:
    """The decorator of an evaluation stands at a network's forward: the loss depends on nothing that is trained."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef) and node.name == "forward" and not node.decorator_list:
            made = source.parents[node]
            if isinstance(made, ast.ClassDef) and any("Module" in source.said(base) for base in made.bases):
                yield [source.before(node, "@torch.no_grad()")]


@tuned(10)
def cleared_in_each_micro_batch(source: Source) -> Iterator[list[Edit]]:
    """Gradients of several batches are no more added up: those of the last alone are stepped."""
    for one in source.said_alone(".zero_grad"):
        around = source.parents[one]
        for backward, _ in source.backwards:
            below = isinstance(around, ast.If) and "%" in source.said(around.test) and around in source.body(backward)
            if below and isinstance(one.value, ast.Call):
                yield [source.before(backward, source.said(one))]
