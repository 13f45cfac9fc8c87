"""Obligation 4: each process has its share of the data. And 5: host and accelerator tensors never meet."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import kind
from tests.judge_mutants.kinds_graph import batch_of, moved_by_hand, unwrapped
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, keyword, receiver

SAMPLERS = ("DistributedSampler", ".DistributedSampler")
LOADERS = ("DataLoader", ".DataLoader")


def _without(source: Source, call: ast.Call, *names: str, more: tuple[str, ...] = ()) -> Edit:
    """A call without some of its keywords, and with others."""
    kept = [source.said(one) for one in call.args]
    kept += [source.said(one) for one in call.keywords if one.arg not in names]
    return source.replace(call, f"{source.said(call.func)}({', '.join([*kept, *more])})")


def _training_loader(source: Source, call: ast.Call) -> bool:
    text = source.said(source.statement(call)).lower()
    return not any(word in text.partition("=")[0] for word in ("val", "test", "eval"))


@kind(4, parallel=True)
def sampler_lost(source: Source) -> Iterator[list[Edit]]:
    """The loader shuffles all of the data in each process."""
    for call in source.calls(*LOADERS):
        if keyword(call, "sampler") and _training_loader(source, call):
            yield [_without(source, call, "sampler", "shuffle", more=("shuffle=True",))]


@kind(4, parallel=True)
def replicas_dropped(source: Source) -> Iterator[list[Edit]]:
    """The sampler asks a process group, of which there is none."""
    for call in source.calls(*SAMPLERS):
        if keyword(call, "num_replicas") and _training_loader(source, call):
            yield [_without(source, call, "num_replicas", "rank")]


@kind(4, parallel=True)
def rank_constant(source: Source) -> Iterator[list[Edit]]:
    """Every process has the first share."""
    for call in source.calls(*SAMPLERS):
        if (rank := keyword(call, "rank")) and _training_loader(source, call):
            yield [source.replace(rank, "rank=0")]


@kind(4, parallel=True)
def one_replica(source: Source) -> Iterator[list[Edit]]:
    """The data is cut into one share."""
    for call in source.calls(*SAMPLERS):
        rank, replicas = keyword(call, "rank"), keyword(call, "num_replicas")
        if rank and replicas and _training_loader(source, call):
            yield [source.replace(rank, "rank=0"), source.replace(replicas, "num_replicas=1")]


@kind(4, parallel=True)
def set_epoch_lost(source: Source) -> Iterator[list[Edit]]:
    """Each epoch has the order of the first."""
    for one in source.said_alone(".set_epoch"):
        yield [source.delete(one)]


@kind(4, parallel=True)
def set_epoch_constant(source: Source) -> Iterator[list[Edit]]:
    """Each epoch has the order of the first, though the sampler is told of it."""
    for one in source.said_alone(".set_epoch"):
        if isinstance(one.value, ast.Call) and one.value.args:
            yield [source.replace(one.value.args[0], "0")]


@kind(4)
def shuffle_lost(source: Source) -> Iterator[list[Edit]]:
    """The data comes in the order it lies in."""
    for call in source.calls(*LOADERS, *SAMPLERS):
        shuffled = keyword(call, "shuffle")
        if shuffled and source.said(shuffled.value) == "True" and _training_loader(source, call):
            yield [source.replace(shuffled, "shuffle=False")]


@kind(4, parallel=True)
def batch_size_divided(source: Source) -> Iterator[list[Edit]]:
    """The batch of each process is divided by their number once more."""
    for call in source.calls(*LOADERS):
        size = keyword(call, "batch_size")
        if size and _training_loader(source, call):
            yield [source.replace(size.value, f"max(1, {source.said(size.value)} // {source.world})")]


@kind(4, parallel=True)
def share_of_its_place(source: Source) -> Iterator[list[Edit]]:
    """The share is chosen by the number of the process on its host: two hosts train on the same."""
    for call in source.calls(*SAMPLERS):
        rank, replicas = keyword(call, "rank"), keyword(call, "num_replicas")
        if rank and replicas and _training_loader(source, call):
            place = "xm.get_local_ordinal()" if source.target == "smtc" else "torch_xla.runtime.local_ordinal()"
            yield [source.replace(rank, f"rank={place}"), source.replace(replicas, f"num_replicas={source.world}")]


# --- 5: where tensors are -----------------------------------------------------------------------------------------


@kind(5)
def network_not_moved(source: Source) -> Iterator[list[Edit]]:
    """The network stays on the host."""
    for statement, name, call in source.moves:
        if sum(other == name for _, other, _ in source.moves) == 1:
            yield [source.unmoved(statement, call)]


def _moves(source: Source, loop: ast.For) -> bool:
    """Whether something in a loop moves tensors."""
    return any(word in source.said(loop) for word in (".to(", "to_device", ".xla(", "type("))


def _last_step(source: Source, loop: ast.For) -> Edit:
    return source.after(loop.body[-1], source.mark)


@kind(5)
def batch_not_moved(source: Source) -> Iterator[list[Edit]]:
    """The batch stays on the host: no device loader, and no move by hand."""
    if source.calls("pl.MpDeviceLoader"):
        for loop in source.training:
            if not _moves(source, loop) and "range(" not in source.said(loop.iter):
                yield [*unwrapped(source), _last_step(source, loop)]


@kind(5)
def targets_not_moved(source: Source) -> Iterator[list[Edit]]:
    """Of a batch only the first tensor is moved."""
    if source.calls("pl.MpDeviceLoader"):
        for loop in source.training:
            names = {source.said(one) for one in batch_of(source, loop)}
            if len(names) > 1 and "_" not in names and not _moves(source, loop):
                yield [*unwrapped(source), moved_by_hand(source, loop, 1), _last_step(source, loop)]


@kind(5)
def move_by_hand_lost(source: Source) -> Iterator[list[Edit]]:
    """A statement that moves a batch is away, where no device loader moves it."""
    if not source.calls("pl.MpDeviceLoader"):
        for call in source.calls(".to"):
            made = source.parents[call]
            if isinstance(made, ast.Assign) and source.loops(made):
                if source.said(receiver(call)) == source.said(made.targets[0]):
                    yield [source.delete(made)]


@kind(5)
def loader_of_the_host(source: Source) -> Iterator[list[Edit]]:
    """The device loader moves batches to the host."""
    for call in source.calls("pl.MpDeviceLoader"):
        if len(call.args) > 1 and not any(word in source.said(call.args[0]) for word in ("val", "test", "eval")):
            yield [source.replace(call.args[1], 'torch.device("cpu")')]


@kind(5, cost=True)
def weights_of_the_loss(source: Source) -> Iterator[list[Edit]]:
    """A loss has weights that stay on the host: torch_xla sends them in each iteration."""
    for call in source.calls(".CrossEntropyLoss", ".BCELoss", ".BCEWithLogitsLoss", ".cross_entropy"):
        made = source.parents[call]
        name = source.said(made.targets[0]) if isinstance(made, ast.Assign) else ""
        moved = isinstance(made, ast.Attribute) or (name and f"{name}.to(" in source.text)
        if not moved and not keyword(call, "weight"):
            given = [source.said(one) for one in (*call.args, *call.keywords)]
            yield [source.replace(call, f"{source.said(call.func)}({', '.join([*given, 'weight=torch.ones(10)'])})")]


def _forward(source: Source, shape: str) -> Iterator[tuple[ast.For, ast.Call, str]]:
    for loop in source.training:
        for call, given in source.forwards(loop)[:1]:
            yield loop, call, shape.format(given)


@kind(5)
def loaded_tensor_on_the_host(source: Source) -> Iterator[list[Edit]]:
    """A tensor of a file is kept, and joined with a batch in each iteration."""
    for loop, call, joined in _forward(source, "torch.cat([{0}, more])"):
        loaded = 'more = torch.load("more.pt", map_location="cpu")'
        yield [source.before(loop, loaded), source.replace(call.args[0], joined)]


@kind(5)
def noise_of_the_host(source: Source) -> Iterator[list[Edit]]:
    """Noise is made on the host in each iteration, and joined with the batch."""
    for _, call, noisy in _forward(source, "torch.cat([{0}, torch.randn_like({0}, device='cpu')])"):
        yield [source.replace(call.args[0], noisy)]


@kind(5)
def tensor_of_a_network_on_the_host(source: Source) -> Iterator[list[Edit]]:
    """A network has a tensor that is no buffer and stays where it was made."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ClassDef) or not any("Module" in source.said(base) for base in node.bases):
            continue
        methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
        last = methods["forward"].body[-1] if "forward" in methods else None
        if "__init__" in methods and isinstance(last, ast.Return) and isinstance(last.value, ast.Call):
            hidden = "self.hidden = torch.zeros(1, 1, dtype=torch.bool)"
            filled = f"({source.said(last.value)}).masked_fill(self.hidden, 0.0)"
            yield [source.after(methods["__init__"].body[-1], hidden), source.replace(last.value, filled)]


@kind(5)
def buffer_no_more(source: Source) -> Iterator[list[Edit]]:
    """A buffer becomes a plain attribute, which no move takes along."""
    for one in source.said_alone("self.register_buffer"):
        call = one.value
        if isinstance(call, ast.Call) and len(call.args) > 1 and isinstance(call.args[0], ast.Constant):
            yield [source.replace(one, f"self.{call.args[0].value!s} = {source.said(call.args[1])}")]


@kind(5, cost=True)
def tensor_made_on_the_host(source: Source) -> Iterator[list[Edit]]:
    """A tensor that adds up values is made on the host: what is added is read in each iteration."""
    for name in (".zeros", ".ones", ".randn", ".rand", ".full", ".arange", ".tensor"):
        for call in source.calls(f"torch{name}"):
            made = source.parents[call]
            if not (isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name) and keyword(call, "device")):
                continue
            inside = source.function(made)
            used = [one for one in ast.walk(inside) if isinstance(one, ast.Name) and one.id == made.targets[0].id]
            if any(source.loops(one) for one in used):
                yield [_without(source, call, "device")]


@kind(5, parallel=True)
def broadcast_before_the_move(source: Source) -> Iterator[list[Edit]]:
    """The weights are sent while the network is on the host."""
    for one in source.said_alone("xm.broadcast_master_param"):
        for statement, name, call in source.moves:
            if f"({name})" in source.said(one) and statement.lineno < one.lineno and statement in source.body(one):
                moved = f"{name}.to({source.said(call.args[0])})"
                yield [source.unmoved(statement, call), source.after(one, moved)]


@kind(5)
def numpy_of_the_device(source: Source) -> Iterator[list[Edit]]:
    """NumPy is handed a tensor of the device."""
    for call in source.calls(".cpu"):
        around = source.parents[call]
        if isinstance(around, ast.Attribute) and around.attr == "numpy":
            yield [source.replace(call, source.said(receiver(call)))]
