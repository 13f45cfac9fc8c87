"""Obligation 2: gradients are averaged over the processes once a step, before they are clipped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import kind
from tests.judge_mutants.kinds_graph import counter
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, keyword, receiver


def _own(source: Source, statement: ast.Expr, optimizer: str) -> list[str]:
    """The step without its reduction, and the mark that it made."""
    text = source.said(statement)
    if "optimizer_args" in text:
        return []
    return [f"{optimizer}.step()", *([source.mark] if "barrier=True" in text.replace(" ", "") else [])]


def _instead(source: Source, statement: ast.stmt, *lines: str) -> list[Edit]:
    return [source.before(statement, *lines), source.delete(statement)]


def _gradients(optimizer: str) -> str:
    return f'[p.grad for group in {optimizer}.param_groups for p in group["params"] if p.grad is not None]'


@kind(2, parallel=True)
def reduction_lost(source: Source) -> Iterator[list[Edit]]:
    """The optimizers step what each process has."""
    stepped = [(one, _own(source, one, optimizer)) for one, optimizer in source.stepped()]
    if stepped and all(own for _, own in stepped):
        yield [edit for one, own in stepped for edit in _instead(source, one, *own)]


_AVERAGING = ("DistributedDataParallel", "DDP(", "hvd.", "all_reduce", "DataParallel")


def _in_two(source: Source, *between: str) -> Iterator[list[Edit]]:
    """The parameters of an optimizer in two of them, and the second stepped after the first."""
    if "xm." not in source.text and not any(word in source.text for word in _AVERAGING):
        return  # an original that averages nothing
    for made, network, given in source.optimizers:
        name = source.said(made.targets[0])
        for one in source.said_alone("xm.optimizer_step", f"{name}.step"):
            if source.function(one) is source.function(made) and name in source.said(one) and source.loops(one):
                other = f"second = torch.optim.SGD(list({network}.parameters())[1:], lr=0.1)"
                migrated = "xm." in source.text
                yield [source.replace(given, f"list({network}.parameters())[:1]"), source.after(made, other),
                       source.after(one, *(between if migrated else ()), "second.step()")]  # fmt: skip


@kind(2, parallel=True, both=True)
def one_of_several_unreduced(source: Source) -> Iterator[list[Edit]]:
    """Of two optimizers one steps what each process has."""
    yield from _in_two(source)


@kind(2, parallel=True, both=True)
def other_optimizer_reduced(source: Source) -> Iterator[list[Edit]]:
    """Of two optimizers one is reduced twice, the other not."""
    for made, _, _ in source.optimizers:
        yield from _in_two(source, f"xm.reduce_gradients({source.said(made.targets[0])})")


@kind(2, parallel=True)
def reduce_gradients_lost(source: Source) -> Iterator[list[Edit]]:
    """`xm.reduce_gradients` is not called."""
    for one, _ in source.reduced():
        yield [source.delete(one)]


@kind(2, parallel=True)
def reduced_before_backward(source: Source) -> Iterator[list[Edit]]:
    """The reduction stands above the backward of the step."""
    for one, optimizer in source.reduced():
        for backward, _ in source.backwards:
            if backward in source.body(one) and backward.lineno < one.lineno:
                yield [source.delete(one), source.before(backward, f"xm.reduce_gradients({optimizer})")]


@kind(2, parallel=True)
def reduced_after_the_step(source: Source) -> Iterator[list[Edit]]:
    """The reduction stands below the step."""
    for one, optimizer in source.stepped():
        own = _own(source, one, optimizer)
        if own:
            yield _instead(source, one, own[0], f"xm.reduce_gradients({optimizer})", *own[1:])


@kind(2, parallel=True)
def reduced_after_the_clip(source: Source) -> Iterator[list[Edit]]:
    """Each process clips its own gradients, then they are reduced."""
    for one, _ in source.reduced():
        for clip in source.said_alone(".clip_grad_norm_", ".clip_grad_value_"):
            if clip in source.body(one) and clip.lineno > one.lineno:
                yield [source.delete(one), source.after(clip, *source.lines_of(one))]


@kind(2, parallel=True)
def clipped_before_the_step(source: Source) -> Iterator[list[Edit]]:
    """A clip stands between the backward and `xm.optimizer_step`."""
    for one, optimizer in source.stepped():
        given = f'[p for group in {optimizer}.param_groups for p in group["params"]]'
        yield [source.before(one, f"torch.nn.utils.clip_grad_norm_({given}, 1.0)")]


@kind(2, parallel=True)
def unscaled_before_the_reduction(source: Source) -> Iterator[list[Edit]]:
    """The loss scaler looks for infinite gradients before they are reduced."""
    for step in source.said_alone("scaler.step"):
        block = source.body(step)
        for one in block[: block.index(step)]:
            if "_fetch_gradients" in source.said(one) or "xm.reduce_gradients" in source.said(one):
                asked = source.said(step).replace(".step(", ".unscale_(")
                given = [other for other in block if source.said(other) == asked]
                yield [source.before(one, asked), *(source.delete(other) for other in given)]


@kind(2, parallel=True)
def summed_then_averaged(source: Source) -> Iterator[list[Edit]]:
    """A sum over the processes stands before the average: the gradients are too large by their number."""
    for one, optimizer in source.stepped():
        yield [source.before(one, f"xm.all_reduce(xm.REDUCE_SUM, {_gradients(optimizer)})")]


@kind(2, parallel=True)
def scale_lost(source: Source) -> Iterator[list[Edit]]:
    """The gradients are summed over the processes, and not divided by their number."""
    for call in source.calls("xm.all_reduce"):
        if (scale := keyword(call, "scale")) and "gradients" in source.said(call):
            yield [source.replace(scale, "scale=1.0")]
    for one, optimizer in source.stepped():
        own = _own(source, one, optimizer)
        if own:
            yield _instead(source, one, f"xm.all_reduce(xm.REDUCE_SUM, {_gradients(optimizer)})", *own)


@kind(2, parallel=True)
def scaled_twice(source: Source) -> Iterator[list[Edit]]:
    """The loss is divided by the number of processes, and then averaged."""
    for one, optimizer in source.stepped():
        scaled = (f"for gradient in {_gradients(optimizer)}:", f"    gradient.div_({source.world})")
        yield [source.before(one, *scaled)]


@kind(2, parallel=True)
def reduced_now_and_then(source: Source) -> Iterator[list[Edit]]:
    """The reduction comes in every second iteration only."""
    for one, optimizer in source.stepped():
        own = _own(source, one, optimizer)
        for loop in source.loops(one)[:1] if own else ():
            if isinstance(loop, ast.For) and (number := counter(source, loop)):
                yield _instead(source, one, f"if {number} % 2:", f"    xm.reduce_gradients({optimizer})", *own)


@kind(2, parallel=True)
def stepped_with_a_closure(source: Source) -> Iterator[list[Edit]]:
    """The optimizer's own step with a closure that reduces nothing."""
    for one, optimizer in source.stepped():
        for backward, loss in source.backwards:
            if backward in source.body(one) and _own(source, one, optimizer):
                _, *mark = _own(source, one, optimizer)
                yield _instead(source, one, f"{optimizer}.step(lambda: {loss})", *mark)


@kind(2, parallel=True, both=True)
def own_parameters_averaged(source: Source) -> Iterator[list[Edit]]:
    """A parameter that each process of the original trains for itself is averaged."""
    for made, network, _ in source.optimizers:
        for backward, loss in source.backwards:
            if source.function(backward) is source.function(made):
                own = f"own = torch.nn.Parameter(next({network}.parameters()).detach().new_zeros(()))"
                optimizer = source.said(made.targets[0])
                yield [source.after(made, own, f'{optimizer}.add_param_group({{"params": [own]}})'),
                       source.replace(receiver(backward.value), f"({loss} + own)")]  # fmt: skip


@kind(2, parallel=True)
def weights_not_made_equal(source: Source) -> Iterator[list[Edit]]:
    """The weights the processes begin with are not sent from one to the others."""
    seeds = source.calls("torch.manual_seed")
    if any("rank" not in source.said(one) for one in seeds):
        return  # all processes draw the same weights
    for one in source.said_alone("xm.broadcast_master_param"):
        yield [source.delete(one)]
