"""The third set. Obligation 6: what all processes come to, and what one alone does; and 7: files and their names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.judge_mutants.kinds import tuned
from tests.judge_mutants.kinds_data import _without
from tests.judge_mutants.kinds_processes import _steps
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, dotted, keyword, receiver


def outermost(source: Source) -> Iterator[ast.For | ast.While]:
    """The loops around all that trains, of each function that trains."""
    for loop in source.training:
        yield [loop, *source.loops(loop)][-1]


@tuned(6, parallel=True, breaks="below")
def others_exit(source: Source) -> Iterator[list[Edit]]:
    """All processes but the first end above the training."""
    for loop in outermost(source):
        yield [source.before(loop, f"if {source.rank} != 0:", "    raise SystemExit")]


@tuned(6, parallel=True, breaks="below")
def asserted_on_the_first(source: Source) -> Iterator[list[Edit]]:
    """An assertion holds in the first process only."""
    for loop in outermost(source):
        yield [source.before(loop, f'assert {source.rank} < 1, "run me on one device"')]


def epochs(source: Source) -> Iterator[tuple[ast.For, ast.Call]]:
    """The loops over a range around what trains, here or in a function that they call."""
    names = {getattr(source.function(loop), "name", "()") for loop in source.training}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and dotted(node.iter.func) == "range":
            inside = [one for one in ast.walk(node) if one is not node]
            called = {dotted(one.func).rpartition(".")[2] for one in inside if isinstance(one, ast.Call)}
            if called & names or any(one in source.training for one in inside):
                yield node, node.iter


@tuned(6, parallel=True)
def one_more_epoch_on_the_first(source: Source) -> Iterator[list[Edit]]:
    """The first process trains one epoch more: it waits for the others."""
    for _, counted in epochs(source):
        stop = counted.args[min(1, len(counted.args) - 1)]
        yield [source.replace(stop, f"{source.said(stop)} + ({source.rank} == 0)")]


def cut(source: Source, length: str) -> Iterator[list[Edit]]:
    """The training loops over so many batches only."""
    for loop in source.training:
        batches = loop.iter
        if isinstance(batches, ast.Call) and dotted(batches.func) == "enumerate":
            batches = batches.args[0]
        if isinstance(batches, ast.Name) and "loader" in batches.id:
            shortened = f"itertools.islice({batches.id}, {length})"
            yield [*source.imported("import itertools"), source.replace(batches, shortened)]


@tuned(6, parallel=True)
def more_batches_on_some(source: Source) -> Iterator[list[Edit]]:
    """The number of batches grows with the number of the process."""
    yield from cut(source, f"2 + {source.rank}")


@tuned(6, parallel=True, breaks="below")
def stopped_by_the_clock(source: Source) -> Iterator[list[Edit]]:
    """Each process ends its training when its own clock says so."""
    for loop in source.training:
        started = source.before([loop, *source.loops(loop)][-1], "started = time.time()")
        stopped = source.after(loop.body[-1], "if time.time() - started > 3600:", "    break")
        yield [*source.imported("import time"), started, stopped]


@tuned(6, parallel=True, breaks="below")
def stopped_by_a_file(source: Source) -> Iterator[list[Edit]]:
    """Each process looks for a file that somebody makes to end the training: some see it an iteration later."""
    for loop in source.training:
        stopped = source.after(loop.body[-1], 'if os.path.exists("stop"):', "    break")
        yield [*source.imported("import os"), stopped]


@tuned(6, parallel=True, breaks="below")
def skipped_by_chance(source: Source) -> Iterator[list[Edit]]:
    """Each process throws its own dice whether it trains on a batch."""
    for loop in source.training if "random.seed(" not in source.text else ():
        skipped = source.first_in(loop.body, "if random.random() < 0.1:", "    continue")
        yield [*source.imported("import random"), skipped]


@tuned(6, parallel=True)
def step_by_a_short_circuit(source: Source) -> Iterator[list[Edit]]:
    """One process reduces its gradients: `and` stands before the call."""
    for one in _steps(source):
        yield [source.replace(one, f"xm.is_master_ordinal() and {source.said(one)}")]


@tuned(6, parallel=True)
def step_in_a_match(source: Source) -> Iterator[list[Edit]]:
    """One process reduces its gradients: a `match` says which."""
    for one in _steps(source):
        matched = (f"match {source.rank}:", "    case 0:", *(f"        {line}" for line in source.lines_of(one)))
        yield [source.before(one, *matched), source.delete(one)]


@tuned(6, parallel=True, breaks="training")
def decorated_for_the_first(source: Source) -> Iterator[list[Edit]]:
    """A decorator lets one process alone into the function that trains."""
    for loop in source.training:
        node = source.function(loop)
        if isinstance(node, ast.FunctionDef) and node in source.tree.body and not node.decorator_list:
            inner = ("    def inner(*args, **kwargs):", f"        if {source.rank} == 0:",
                     "            return function(*args, **kwargs)")  # fmt: skip
            helper = ("def only_first(function):", *inner, "    return inner", "", "", "@only_first")
            yield [source.before(node, *helper)]


_FIRST = re.compile(r"ordinal|rank|main|master")
_WRITES = ("torch.save(", "np.save(", "open(", "mkdir(", "makedirs(", "SummaryWriter(", ".write(", "json.dump(")


def _alone(source: Source) -> Iterator[ast.If]:
    """The conditions below which one process writes."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.If) and not node.orelse and "__name__" not in source.said(node.test):
            body = "\n".join(source.said(one) for one in node.body)
            if _FIRST.search(source.said(node.test)) and any(word in body for word in _WRITES) and "xm." not in body:
                yield node


@tuned(6, parallel=True)
def guard_of_a_file_lost(source: Source) -> Iterator[list[Edit]]:
    """What one process wrote all of them write."""
    for node in _alone(source):
        yield [source.replace(node.test, "True")]


@tuned(6, parallel=True, target="xla")
def first_by_a_variable_of_torchrun(source: Source) -> Iterator[list[Edit]]:
    """Each process takes itself for the first, since `torch_xla.launch` does not set RANK."""
    for node in _alone(source):
        yield [*source.imported("import os"), source.replace(node.test, 'os.environ.get("RANK", "0") == "0"')]


# --- 7: files -------------------------------------------------------------------------------------------------------


@tuned(7, breaks="below")
def optimizer_not_resumed(source: Source) -> Iterator[list[Edit]]:
    """The optimizer's state is not read back."""
    for one in source.said_alone(".load_state_dict"):
        if "opt" in source.said(receiver(one.value)).lower():
            yield [source.delete(one)]


@tuned(7, breaks="below")
def network_not_resumed(source: Source) -> Iterator[list[Edit]]:
    """The network's weights are not read back."""
    for one in source.said_alone(".load_state_dict"):
        if source.said(receiver(one.value)) in source.modules:
            yield [source.delete(one)]


def _written(source: Source) -> Iterator[ast.expr]:
    """What is given to a save."""
    for call in source.calls("xm.save", "torch.save"):
        given = call.args[0] if call.args else None
        if isinstance(given, ast.Name):
            for node in ast.walk(source.function(call)):
                if isinstance(node, ast.Assign) and source.said(node.targets[0]) == given.id:
                    yield node.value
        elif given:
            yield given


@tuned(7)
def key_of_a_checkpoint_renamed(source: Source) -> Iterator[list[Edit]]:
    """A checkpoint is written with another key than it is read with."""
    for given in _written(source) if "torch.load(" in source.text else ():
        for key in given.keys if isinstance(given, ast.Dict) else ():
            if isinstance(key, ast.Constant) and f"[{source.said(key)}]" in source.text:
                yield [source.replace(key, f'"saved_{key.value!s}"')]


def _states(source: Source) -> Iterator[ast.Call]:
    """Where the state of a network is asked for to be saved."""
    for given in _written(source):
        for call in ast.walk(given):
            if isinstance(call, ast.Call) and dotted(call.func).endswith(".state_dict"):
                if source.said(receiver(call)) in source.modules:
                    yield call


@tuned(7)
def whole_network_saved(source: Source) -> Iterator[list[Edit]]:
    """The network itself is written, where its state is read back."""
    for call in _states(source) if ".load_state_dict(" in source.text and "torch.load(" in source.text else ():
        yield [source.replace(call, source.said(receiver(call)))]


@tuned(7)
def prefix_of_a_container(source: Source) -> Iterator[list[Edit]]:
    """The names that are written have the prefix of a container."""
    for call in _states(source):
        held = f'torch.nn.ModuleDict({{"net": {source.said(receiver(call))}}}).state_dict()'
        yield [source.replace(call, held)]


@tuned(7)
def wrapper_left(source: Source) -> Iterator[list[Edit]]:
    """The network is in a `DataParallel` that finds no GPU: what is written has its prefix."""
    for statement, name, _ in source.moves:
        if any(source.said(receiver(call)) == name and source.function(call) is source.function(statement)
               for call in _states(source)):  # fmt: skip
            yield [source.after(statement, f"{name} = torch.nn.DataParallel({name})")]


@tuned(7, cost=True)
def saved_each_step(source: Source) -> Iterator[list[Edit]]:
    """The checkpoint of each epoch is written in each iteration."""
    for one in source.said_alone("xm.save", "torch.save"):
        block = source.body(one)
        for loop in source.training:
            if loop in block and source.loops(loop) and loop.lineno < one.lineno:
                between = block[block.index(loop) + 1 : block.index(one)]
                names = [node for made in between for node in ast.walk(made) if isinstance(node, ast.Name)]
                stored = {node.id for node in names if isinstance(node.ctx, ast.Store)}
                used = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}
                if not stored & used:
                    yield [source.delete(one), source.after(loop.body[-1], *source.lines_of(one))]


@tuned(7)
def state_of_other_weights(source: Source) -> Iterator[list[Edit]]:
    """The network that is written is a new one, made below the training."""
    for call in _states(source):
        network = source.said(receiver(call))
        for node in ast.walk(source.function(call)):
            if isinstance(node, ast.Assign) and source.said(node.targets[0]) == network:
                made = node.value
                if isinstance(made, ast.Call) and dotted(made.func).endswith(".to"):
                    yield [source.replace(receiver(call), f"({source.said(receiver(made))})")]


@tuned(6, parallel=True)
def loader_of_other_lengths(source: Source) -> Iterator[list[Edit]]:
    """The batch of the first process is larger: it has fewer of them, and the others wait for it."""
    for call in source.calls("DataLoader", ".DataLoader"):
        size = keyword(call, "batch_size")
        if size and keyword(call, "sampler"):
            larger = f"batch_size={source.said(size.value)} * (1 + ({source.rank} == 0))"
            yield [_without(source, call, "batch_size", more=(larger,))]
