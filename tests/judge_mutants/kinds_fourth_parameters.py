"""Set apart. Obligations 1 and 2: what is stepped, by how much, and whether all processes hold the same weights."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import apart
from tests.judge_mutants.kinds_parameters import _pairs
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, receiver

CLIPS = (".clip_grad_norm_", ".clip_grad_value_")


def migrated(source: Source) -> bool:
    """Whether a text is the program on torch_xla, and not its original."""
    return "torch_xla" in source.text


def steps(source: Source) -> Iterator[tuple[ast.Expr, str]]:
    """The statements in a loop that step an optimizer of this file, however they are written, and the optimizer."""
    names = [source.said(made.targets[0]) for made, _, _ in source.optimizers]
    for one in source.said_alone("xm.optimizer_step", *(f"{name}.step" for name in names)):
        for name in names:
            if source.loops(one) and name in source.said(one):
                yield one, name


def _above_the_move(source: Source, *lines: str) -> Iterator[tuple[list[Edit], ast.Call]]:
    """Lines above the move of a network, where on CUDA it is all the same; and what the optimizer gets."""
    if not migrated(source):
        for made, network, given in source.optimizers:
            yield [source.before(made, *(line.format(network) for line in lines))], given
        return
    for statement, call, _, network, given in _pairs(source):
        moved = f"{network}.to({source.said(call.args[0])})"
        above = [line.format(network) for line in lines]
        yield [source.unmoved(statement, call), source.after(statement, *above, moved)], given


@apart(1, both=True)
def hooks_of_before_the_move(source: Source) -> Iterator[list[Edit]]:
    """Hooks that clip each gradient are registered above the move: the new parameters have none."""
    hooked = "    weights.register_hook(lambda gradient: gradient.clamp(-0.1, 0.1))"
    for edits, _ in _above_the_move(source, "for weights in {0}.parameters():", hooked):
        yield edits


@apart(1, both=True)
def notes_of_parameters_lost(source: Source) -> Iterator[list[Edit]]:
    """Attributes of parameters say which decay; they are set above the move, and the new parameters have none."""
    noted = '    weights.plain = name.endswith("bias")'
    for edits, given in _above_the_move(source, "for name, weights in {0}.named_parameters():", noted):
        chosen = f'[p for p in {source.said(given)} if {{0}}getattr(p, "plain", False)]'
        groups = f'[{{"params": {chosen.format("")}}}, {{"params": {chosen.format("not ")}, "weight_decay": 0.1}}]'
        yield [*edits, source.replace(given, groups)]


@apart(1)
def loaded_by_assigning(source: Source) -> Iterator[list[Edit]]:
    """The tensors of a file take the place of the parameters: they are the host's, and no optimizer has them."""
    for call in source.calls(".load_state_dict"):
        name = source.said(call.args[0]).partition("[")[0] if call.args else ""
        read = f"{name} = torch.load(" in source.text or "torch.load(" in name
        if source.said(receiver(call)) in source.modules and read and not call.keywords:
            yield [source.replace(call, f"{source.said(call)[:-1]}, assign=True)")]


@apart(1)
def clip_of_a_used_up_generator(source: Source) -> Iterator[list[Edit]]:
    """`parameters()` is asked for once, above the loop: the first clip uses it up, the others clip nothing."""
    for clip in source.calls(*CLIPS):
        given = clip.args[0] if clip.args else None
        if isinstance(given, ast.Call) and source.said(given).endswith(".parameters()") and source.loops(clip):
            outer = source.loops(clip)[-1]
            yield [source.before(outer, f"clipped = {source.said(given)}"), source.replace(given, "clipped")]


@apart(10, both=True)
def average_not_updated(source: Source) -> Iterator[list[Edit]]:
    """An average of the weights is made and saved as before, and never updated."""
    for one, name in steps(source):
        for made, network, _ in source.optimizers:
            if source.said(made.targets[0]) == name and source.function(made) is source.function(one):
                kept = source.after(made, f"average = copy.deepcopy({network})")
                pairs = f"zip(average.parameters(), {network}.parameters())"
                update = (f"for mean, now in {pairs}:", "    mean.data.mul_(0.99).add_(now.data, alpha=0.01)")
                more = [] if migrated(source) else [source.after(one, *update)]
                save = "xm.save" if migrated(source) else "torch.save"
                saved = source.after(source.loops(one)[-1], f'{save}(average.state_dict(), "average.pt")')
                yield [*source.imported("import copy"), kept, *more, saved]


def _made_again(source: Source, below: ast.stmt, made: ast.Assign) -> Iterator[list[Edit]]:
    if below in source.body(made) and below.lineno > made.lineno:
        yield [source.after(below, *source.lines_of(made))]


@apart(10)
def optimizer_made_again_below_its_scheduler(source: Source) -> Iterator[list[Edit]]:
    """The optimizer is made once more below its scheduler, which goes on with the learning rate of the first."""
    for made, _, _ in source.optimizers:
        name = source.said(made.targets[0])
        for one in source.body(made):
            text = source.said(one)
            if isinstance(one, ast.Assign) and f"({name}" in text and ("LR(" in text or "Plateau(" in text):
                yield from _made_again(source, one, made)


@apart(7)
def optimizer_made_again_below_its_state(source: Source) -> Iterator[list[Edit]]:
    """The optimizer is made once more below the reading of its state."""
    for made, _, _ in source.optimizers:
        read = source.said_alone(f"{source.said(made.targets[0])}.load_state_dict")
        for one in read if "momentum" in source.said(made) or "Adam" in source.said(made) else ():
            for statement in (one, *(node for node in source.above(one) if isinstance(node, ast.If))):
                if statement in source.body(made):
                    yield from _made_again(source, statement, made)


# --- all processes hold the same weights -------------------------------------------------------------------------


def _drawn_apart(source: Source) -> bool:
    """Whether the processes draw other weights, were they not sent."""
    return all("rank" in source.said(one) for one in source.calls("torch.manual_seed"))


@apart(2, parallel=True)
def copy_broadcast(source: Source) -> Iterator[list[Edit]]:
    """A copy of the network is sent to the other processes."""
    for one in source.said_alone("xm.broadcast_master_param") if _drawn_apart(source) else ():
        if isinstance(one.value, ast.Call):
            given = one.value.args[0]
            yield [*source.imported("import copy"), source.replace(given, f"copy.deepcopy({source.said(given)})")]


@apart(2, parallel=True)
def broadcast_below_the_training(source: Source) -> Iterator[list[Edit]]:
    """The weights are sent when they are trained: until then each process has its own."""
    for one in source.said_alone("xm.broadcast_master_param") if _drawn_apart(source) else ():
        for loop in source.training:
            outer = [loop, *source.loops(loop)][-1]
            if outer in source.body(one) and outer.lineno > one.lineno:
                yield [source.delete(one), source.after(outer, *source.lines_of(one))]


@apart(2, parallel=True)
def loaded_by_the_first(source: Source) -> Iterator[list[Edit]]:
    """The first process alone reads the checkpoint, since DistributedDataParallel sent its weights to the others."""
    for one in source.said_alone(".load_state_dict"):
        below = source.text[source.span(one)[1] :]
        if source.said(receiver(one.value)) in source.modules and "broadcast_master_param" not in below:
            yield source.wrap(one, "if xm.is_master_ordinal():")


def _seeds(source: Source) -> Iterator[ast.Expr]:
    """The seeds that make all processes begin alike, where nothing sends the weights."""
    if "broadcast" not in source.text:
        for one in source.said_alone("torch.manual_seed"):
            if "rank" not in source.said(one):
                yield one


@apart(2, parallel=True, breaks="below")
def seed_lost(source: Source) -> Iterator[list[Edit]]:
    """No seed is set: each process begins with weights of its own, which the original's wrapper made equal."""
    seeds = list(_seeds(source))
    if seeds and len(seeds) == len(source.calls("torch.manual_seed")):
        yield [source.delete(one) for one in seeds]


@apart(2, parallel=True, breaks="below")
def seed_of_its_own(source: Source) -> Iterator[list[Edit]]:
    """Each process has a seed of its own, and so weights of its own."""
    for one in _seeds(source):
        if isinstance(one.value, ast.Call) and one.value.args:
            yield [source.replace(one.value.args[0], f"{source.said(one.value.args[0])} + {source.rank}")]


@apart(2, parallel=True)
def stepped_twice(source: Source) -> Iterator[list[Edit]]:
    """The optimizer's own step stands below the one that averages: two steps for each batch."""
    for one, optimizer in source.stepped():
        if "optimizer_args" not in source.said(one):
            yield [source.after(one, f"{optimizer}.step()")]


# --- mixed precision, micro-batches ------------------------------------------------------------------------------


@apart(2)
def unscale_lost(source: Source) -> Iterator[list[Edit]]:
    """Gradients are clipped while they are scaled: to all but nothing."""
    for one in source.said_alone(".unscale_"):
        if any(clip.lineno > one.lineno for clip in source.calls(*CLIPS)):
            yield [source.delete(one)]


@apart(10)
def scale_of_the_loss_lost(source: Source) -> Iterator[list[Edit]]:
    """The loss goes backward as it is, and the scaler's step divides the gradients by a scale they never had."""
    for call in source.calls(".backward"):
        scaled = receiver(call)
        if isinstance(scaled, ast.Call) and source.said(scaled.func).endswith("scaler.scale") and scaled.args:
            yield [source.replace(scaled, source.said(scaled.args[0]))]


@apart(10)
def scaler_not_updated(source: Source) -> Iterator[list[Edit]]:
    """The scaler is not told that a step is over: its next step is an exception."""
    for one in source.said_alone("scaler.update"):
        yield [source.delete(one)]


@apart(10, target="xla")
def autocast_of_cuda(source: Source) -> Iterator[list[Edit]]:
    """The autocast is CUDA's: on the XLA device it does nothing, and all is float32."""
    for call in source.calls("torch.autocast", "autocast", "torch.amp.autocast"):
        if call.args and source.said(call.args[0]).strip("'\"") == "xla":
            yield [source.replace(call.args[0], '"cuda"')]


_BATCHES = ("accum", "every", "micro")


def _boundaries(source: Source) -> Iterator[ast.If]:
    """The conditions below which an optimizer steps once in several batches."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.If) and "%" in source.said(node.test) and source.loops(node):
            if any(word in source.said(node.test) for word in _BATCHES):
                if any("step(" in source.said(one) for one in node.body):
                    yield node


@apart(10)
def micro_batch_division_lost(source: Source) -> Iterator[list[Edit]]:
    """The loss of a micro-batch is not divided by their number: gradients are too large."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and source.loops(source.statement(node)):
            if any(word in source.said(node.right) for word in _BATCHES):
                yield [source.replace(node, source.said(node.left))]


@apart(10)
def boundary_shifted(source: Source) -> Iterator[list[Edit]]:
    """The first micro-batch is stepped alone, and the last ones of an epoch never."""
    for node in _boundaries(source):
        for one in ast.walk(node.test):
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) and isinstance(one.left, ast.BinOp):
                yield [source.replace(one.left, source.said(one.left.left))]


@apart(10)
def stepped_in_each_micro_batch(source: Source) -> Iterator[list[Edit]]:
    """The optimizer steps in each micro-batch, where it did once in several."""
    for node in _boundaries(source):
        if not node.orelse:
            yield [source.replace(node.test, "True")]
