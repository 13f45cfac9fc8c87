"""Obligation 1: what an optimizer steps are the parameters the network has. And 7: what is saved can be loaded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import kind
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, keyword, receiver


def _pairs(source: Source) -> Iterator[tuple[ast.stmt, ast.Call, ast.Assign, str, ast.Call]]:
    """A move, and the optimizer that is made of the network below it among the same statements."""
    for made, network, given in source.optimizers:
        block = source.body(made)
        for statement, name, call in source.moves:
            if name == network and statement in block and statement.lineno < made.lineno:
                yield statement, call, made, network, given


@kind(1)
def optimizer_before_the_move(source: Source) -> Iterator[list[Edit]]:
    """The optimizer is made, then the network is moved."""
    for statement, call, made, network, _ in _pairs(source):
        yield [source.unmoved(statement, call), source.after(made, f"{network}.to({source.said(call.args[0])})")]


@kind(1)
def parameter_list_before_the_move(source: Source) -> Iterator[list[Edit]]:
    """A list of the parameters is taken, then the network is moved, then the optimizer is made of the list."""
    for statement, call, _, network, given in _pairs(source):
        listed = f"taken = list({network}.parameters())"
        moved = f"{network}.to({source.said(call.args[0])})"
        edits = [source.unmoved(statement, call), source.after(statement, listed, moved)]
        yield [*edits, source.replace(given, "taken")]


@kind(1)
def parameter_groups_before_the_move(source: Source) -> Iterator[list[Edit]]:
    """Groups of parameters with options of their own are taken before the move."""
    for statement, call, _, network, given in _pairs(source):
        groups = f'groups = [{{"params": [p for _, p in {network}.named_parameters()], "weight_decay": 0.0}}]'
        moved = f"{network}.to({source.said(call.args[0])})"
        edits = [source.unmoved(statement, call), source.after(statement, groups, moved)]
        yield [*edits, source.replace(given, "groups")]


@kind(1)
def copy_before_the_move(source: Source) -> Iterator[list[Edit]]:
    """A copy of the network is taken before the move, stays where it was, and is run below the training."""
    for statement, call, _, network, _ in _pairs(source):
        for loop in source.training:
            for _, given in source.forwards(loop)[:1]:
                if source.function(loop) is source.function(statement):
                    copied = f"average = copy.deepcopy({network})"
                    moved = f"{network}.to({source.said(call.args[0])})"
                    run = source.after(loop, f"print(average({given}).sum())")
                    edits = [source.unmoved(statement, call), source.after(statement, copied, moved), run]
                    yield [*source.imported("import copy"), *edits]


@kind(1)
def to_the_host_and_back(source: Source) -> Iterator[list[Edit]]:
    """Once the optimizer is made the network goes to the host and comes back as other parameters."""
    for made, network, _ in source.optimizers:
        yield [source.after(made, f"{network}.cpu()", f"{network}.to({source.device})")]


@kind(1)
def to_the_host_for_a_save(source: Source) -> Iterator[list[Edit]]:
    """In each epoch the network goes to the host to be saved, and comes back."""
    for loop in source.training:
        outer = source.loops(loop)
        for call in source.calls(*source.modules)[:1]:
            network = source.said(call.func)
            if outer and loop in source.above(call):
                saved = f'torch.save({network}.cpu().state_dict(), "each.pt")'
                yield [source.after(loop, saved, f"{network}.to({source.device})")]


@kind(1)
def optimizer_of_a_copy(source: Source) -> Iterator[list[Edit]]:
    """The optimizer steps a copy of the network."""
    for _, network, given in source.optimizers:
        yield [*source.imported("import copy"), source.replace(given, f"copy.deepcopy({network}).parameters()")]


@kind(1)
def ties_parted(source: Source) -> Iterator[list[Edit]]:
    """Weights that the network shares are not tied again below the move."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
            tied = source.said(node.targets[0]).endswith(".weight")
            above = [move for move, _, _ in source.moves if move.lineno < node.lineno]
            if tied and any(source.function(move) is source.function(node) for move in above):
                yield [source.delete(node)]


# --- 7: files ------------------------------------------------------------------------------------------------------


@kind(7)
def wrapper_asked_for(source: Source) -> Iterator[list[Edit]]:
    """The weights are asked of `.module`, which was the wrapper's."""
    for call in source.calls(".state_dict"):
        network = receiver(call)
        if source.said(network) in source.modules:
            yield [source.replace(network, f"{source.said(network)}.module")]


@kind(7)
def prefix_left(source: Source) -> Iterator[list[Edit]]:
    """The prefix of a wrapper is not taken from the names of an old checkpoint."""
    for one in source.said_alone(".consume_prefix_in_state_dict_if_present"):
        yield [source.delete(one)]


@kind(7)
def prefix_added(source: Source) -> Iterator[list[Edit]]:
    """Names get the prefix of a wrapper that is no more."""
    for call in source.calls(".load_state_dict"):
        if source.said(receiver(call)) in source.modules and len(call.args) == 1:
            given = call.args[0]
            yield [source.replace(given, f'{{"module." + key: value for key, value in {source.said(given)}.items()}}')]


@kind(7)
def map_location_lost(source: Source) -> Iterator[list[Edit]]:
    """A checkpoint of CUDA tensors is loaded as it is."""
    used = "".join(source.said(one) for one in source.calls(".load_state_dict", ".to"))
    for call in source.calls("torch.load"):
        names = [source.said(one) for one in (call, *getattr(source.parents[call], "targets", ()))]
        if not any(name in used for name in names):
            continue  # data, perhaps, which nobody says was written on CUDA
        if place := keyword(call, "map_location"):
            others = [source.said(one) for one in (*call.args, *call.keywords) if one is not place]
            yield [source.replace(call, f"torch.load({', '.join(others)})")]


@kind(7, parallel=True)
def written_by_all(source: Source) -> Iterator[list[Edit]]:
    """Each process writes the same file."""
    for call in source.calls("xm.save"):
        yield [source.replace(call.func, "torch.save")]


@kind(7)
def weights_kept_as_references(source: Source) -> Iterator[list[Edit]]:
    """The best weights are not copied: they go on training."""
    for call in source.calls("copy.deepcopy"):
        if call.args and source.said(call.args[0]).endswith(".state_dict()"):
            yield [source.replace(call, source.said(call.args[0]))]
