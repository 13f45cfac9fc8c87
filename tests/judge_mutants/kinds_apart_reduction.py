"""The third set. Obligation 1: what an optimizer steps; and 2: what is averaged over processes, when, by how much."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import tuned
from tests.judge_mutants.kinds_data import _without
from tests.judge_mutants.kinds_parameters import _pairs
from tests.judge_mutants.kinds_reduction import _gradients, _instead, _own
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, dotted, receiver

WITH_WEIGHTS = ("Linear", "Conv1d", "Conv2d", "Conv3d", "Embedding")


def _made(source: Source, network: str) -> Iterator[tuple[ast.Assign, ast.Call]]:
    """The statements that make a network, and the call of its class or of `nn.Sequential`."""
    classes = {node.name for node in source.tree.body if isinstance(node, ast.ClassDef)}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and source.said(node.targets[0]) == network:
            for call in ast.walk(node.value):
                if isinstance(call, ast.Call) and dotted(call.func) in (*classes, "nn.Sequential"):
                    yield node, call


def _layer(source: Source, network: str) -> str | None:
    """A layer of a network that has weights: how it is written."""
    for _, call in _made(source, network):
        if dotted(call.func) == "nn.Sequential":
            first = call.args[0] if call.args else None
            if isinstance(first, ast.Call) and dotted(first.func).rpartition(".")[2] in WITH_WEIGHTS:
                return f"{network}[0]"
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef) and node.name == dotted(call.func):
                for name in _attributes(source, node):
                    return f"{network}.{name}"
    return None


def _attributes(source: Source, made: ast.ClassDef) -> Iterator[str]:
    for node in ast.walk(made):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            name = source.said(node.targets[0])
            if name.startswith("self.") and dotted(node.value.func).rpartition(".")[2] in WITH_WEIGHTS:
                yield name.removeprefix("self.")


@tuned(1)
def layer_replaced_below_the_optimizer(source: Source) -> Iterator[list[Edit]]:
    """A layer is replaced by a copy when the optimizer has its parameters already."""
    for made, network, _ in source.optimizers:
        if layer := _layer(source, network):
            yield [*source.imported("import copy"), source.after(made, f"{layer} = copy.deepcopy({layer})")]


@tuned(1)
def weight_replaced_below_the_optimizer(source: Source) -> Iterator[list[Edit]]:
    """A weight is made anew when the optimizer has the old one already."""
    for made, network, _ in source.optimizers:
        if layer := _layer(source, network):
            anew = f"{layer}.weight = torch.nn.Parameter({layer}.weight.detach().clone())"
            yield [source.after(made, anew)]


@tuned(1)
def network_made_again(source: Source) -> Iterator[list[Edit]]:
    """The network is made once more, below the optimizer of the first."""
    for made, network, _ in source.optimizers:
        for first, _ in _made(source, network):
            if ".to(" in source.said(first) and first in source.body(made) and first.lineno < made.lineno:
                yield [source.after(made, *source.lines_of(first))]


@tuned(1)
def moved_part_by_part(source: Source) -> Iterator[list[Edit]]:
    """The layers of the network are moved one by one, below the optimizer."""
    for statement, call, made, network, _ in _pairs(source):
        if "Parameter(" not in source.text and _layer(source, network):
            place = source.said(call.args[0])
            moved = (f"for part in {network}.children():", f"    part.to({place})")
            yield [source.unmoved(statement, call), source.after(made, *moved)]


@tuned(1, both=True)
def penalty_of_before_the_move(source: Source) -> Iterator[list[Edit]]:
    """A penalty is on the parameters of before the move: on CUDA they are the same, here it has no effect."""
    for statement, call, made, network, _ in _pairs(source):
        for backward, loss in source.backwards:
            if source.function(backward) is source.function(made) and loss.isidentifier():
                moved = f"{network}.to({source.said(call.args[0])})"
                added = f"{loss} = {loss} + 1e-2 * sum((p ** 2).sum() for p in penalized)"
                yield [source.unmoved(statement, call), source.before(backward, added),
                       source.after(statement, f"penalized = list({network}.parameters())", moved)]  # fmt: skip


@tuned(1)
def clip_of_before_the_move(source: Source) -> Iterator[list[Edit]]:
    """The clip has a list of parameters that was taken before the move: none of them has a gradient."""
    for statement, call, made, network, _ in _pairs(source):
        for clip in source.calls(".clip_grad_norm_", ".clip_grad_value_"):
            asked = bool(clip.args) and source.said(clip.args[0]) == f"{network}.parameters()"
            if asked and source.function(clip) is source.function(made):
                moved = f"{network}.to({source.said(call.args[0])})"
                yield [source.unmoved(statement, call), source.replace(clip.args[0], "clipped"),
                       source.after(statement, f"clipped = list({network}.parameters())", moved)]  # fmt: skip


@tuned(1)
def optimizer_of_a_part(source: Source) -> Iterator[list[Edit]]:
    """The optimizer gets all parameters but the last."""
    for _, network, given in source.optimizers:
        yield [source.replace(given, f"list({network}.parameters())[:-1]")]


@tuned(1, cost=True)
def average_kept_on_the_host(source: Source) -> Iterator[list[Edit]]:
    """An average of the weights is made before the move: each update reads every parameter."""
    for statement, call, made, network, _ in _pairs(source):
        for one, _ in source.stepped():
            if source.function(one) is source.function(made):
                average = f"average = torch.optim.swa_utils.AveragedModel({network})"
                moved = f"{network}.to({source.said(call.args[0])})"
                yield [source.unmoved(statement, call), source.after(statement, average, moved),
                       source.after(one, f"average.update_parameters({network})")]  # fmt: skip


# --- 2: averaging ---------------------------------------------------------------------------------------------------


def _by_hand(source: Source, *lines: str) -> Iterator[list[Edit]]:
    """The optimizer's own step below something that should have averaged."""
    for one, optimizer in source.stepped():
        if own := _own(source, one, optimizer):
            named = {"gradients": _gradients(optimizer), "world": source.world}
            yield _instead(source, one, *(line.format(**named) for line in lines), *own)


@tuned(2, parallel=True)
def groups_of_one(source: Source) -> Iterator[list[Edit]]:
    """Each process is a group of its own."""
    for one, _ in source.stepped():
        if isinstance(one.value, ast.Call):
            yield [_without(source, one.value, more=(f"groups=[[i] for i in range({source.world})]",))]


@tuned(2, parallel=True)
def sums_dropped(source: Source) -> Iterator[list[Edit]]:
    """Each gradient is averaged out of place, and nothing takes the result."""
    averaged = "    xm.all_reduce(xm.REDUCE_SUM, gradient, scale=1.0 / {world})"
    yield from _by_hand(source, "for gradient in {gradients}:", averaged)


@tuned(2, parallel=True)
def copies_averaged(source: Source) -> Iterator[list[Edit]]:
    """Copies of the gradients are averaged."""
    yield from _by_hand(source, "copies = [g.clone() for g in {gradients}]",
                        "xm.all_reduce(xm.REDUCE_SUM, copies, scale=1.0 / {world})")  # fmt: skip


@tuned(2, parallel=True)
def first_gradient_averaged(source: Source) -> Iterator[list[Edit]]:
    """Only the first gradient is averaged."""
    yield from _by_hand(source, "xm.all_reduce(xm.REDUCE_SUM, {gradients}[:1], scale=1.0 / {world})")


@tuned(2, parallel=True)
def greatest_of_all(source: Source) -> Iterator[list[Edit]]:
    """The greatest gradient of all processes is taken, not their mean."""
    yield from _by_hand(source, "xm.all_reduce(xm.REDUCE_MAX, {gradients})")


@tuned(2, parallel=True)
def loss_averaged_instead(source: Source) -> Iterator[list[Edit]]:
    """The loss is averaged over the processes below its backward; the gradients are not."""
    for one, optimizer in source.stepped():
        own = _own(source, one, optimizer)
        for backward, loss in source.backwards:
            if own and backward in source.body(one) and backward.lineno < one.lineno:
                averaged = f"xm.all_reduce(xm.REDUCE_SUM, [{loss}.detach()], scale=1.0 / {source.world})"
                yield [source.after(backward, averaged), *_instead(source, one, *own)]


@tuned(2, parallel=True)
def loss_divided_by_the_world(source: Source) -> Iterator[list[Edit]]:
    """The loss is divided by the number of processes above its backward, then the gradients are averaged."""
    for one, _ in (*source.stepped(), *source.reduced()) if "SGD(" in source.text else ():
        for backward, loss in source.backwards:
            if backward in source.body(one):
                yield [source.replace(receiver(backward.value), f"({loss} / {source.world})")]


@tuned(2, parallel=True)
def weights_averaged_instead(source: Source) -> Iterator[list[Edit]]:
    """Each process steps on its own gradients, and the weights are averaged: with Adam that is another training."""
    if "SGD(" in source.text or "Adam" not in source.text:
        return
    for one, optimizer in source.stepped():
        if own := _own(source, one, optimizer):
            weights = f'[p.data for group in {optimizer}.param_groups for p in group["params"]]'
            averaged = f"xm.all_reduce(xm.REDUCE_SUM, {weights}, scale=1.0 / {source.world})"
            yield _instead(source, one, own[0], averaged, *own[1:])


@tuned(2, parallel=True)
def step_by_its_bound_method(source: Source) -> Iterator[list[Edit]]:
    """A variable holds the optimizer's own step."""
    for one, optimizer in source.stepped():
        own = _own(source, one, optimizer)
        if own and source.loops(one):
            above = source.before(source.loops(one)[-1], f"advance = {optimizer}.step")
            yield [above, *_instead(source, one, "advance()", *own[1:])]


@tuned(2, parallel=True)
def step_of_a_helper(source: Source) -> Iterator[list[Edit]]:
    """A function of the program steps the optimizer it is given, and averages nothing."""
    for one, optimizer in source.stepped():
        imports = [node for node in source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        if own := _own(source, one, optimizer):
            helper = source.after(imports[-1], "", "def advance(stepped):", "    stepped.step()", "")
            yield [helper, *_instead(source, one, f"advance({optimizer})", *own[1:])]


@tuned(2, parallel=True, target="xla")
def averaged_if_torchrun_says_so(source: Source) -> Iterator[list[Edit]]:
    """The reduction asks for a variable that torchrun sets and `torch_xla.launch` does not."""
    for one, optimizer in source.stepped():
        if own := _own(source, one, optimizer):
            guarded = ('if int(os.environ.get("WORLD_SIZE", "1")) > 1:', f"    xm.reduce_gradients({optimizer})")
            yield [*source.imported("import os"), *_instead(source, one, *guarded, *own)]


@tuned(2, parallel=True)
def drawn_anew_below_the_broadcast(source: Source) -> Iterator[list[Edit]]:
    """Each process draws weights of its own once those of the first were sent."""
    seeds = source.calls("torch.manual_seed")
    if any("rank" not in source.said(one) for one in seeds):
        return  # all processes draw the same weights
    for one in source.said_alone("xm.broadcast_master_param"):
        if isinstance(one.value, ast.Call):
            network = source.said(one.value.args[0])
            drawn = "    weights.data.copy_(torch.randn(weights.shape) * 0.02)"
            yield [source.after(one, f"for weights in {network}.parameters():", drawn)]
