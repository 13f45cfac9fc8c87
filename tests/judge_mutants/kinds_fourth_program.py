"""Set apart. Obligations 6, 7 and 8: processes and files, and how a program begins."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import apart
from tests.judge_mutants.kinds_apart_processes import _written
from tests.judge_mutants.kinds_data import _without
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, dotted, keyword, receiver


def functions(source: Source) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in source.tree.body if isinstance(node, ast.FunctionDef)}


@apart(6, parallel=True)
def evaluated_on_the_first(source: Source) -> Iterator[list[Edit]]:
    """One process evaluates, and the evaluation adds up over all of them."""
    collective = ("xm.all_reduce(", "xm.mesh_reduce(", "xm.rendezvous(")
    for name, node in functions(source).items():
        trains = any(source.function(loop) is node for loop in source.training)
        if any(word in source.said(node) for word in collective) and not trains:
            for call in source.calls(name):
                if isinstance(source.parents[call], ast.Assign):
                    yield [source.replace(call, f"{source.said(call)} if xm.is_master_ordinal() else 0.0")]


@apart(6, parallel=True, breaks="below")
def skipped_on_an_error(source: Source) -> Iterator[list[Edit]]:
    """A process that runs out of memory passes its batch over alone, and the others wait for its gradients."""
    for backward, _ in source.backwards:
        if source.loops(backward):
            caught = ("try:", *(f"    {line}" for line in source.lines_of(backward)), "except RuntimeError:",
                      "    continue")  # fmt: skip
            yield [source.before(backward, *caught), source.delete(backward)]


@apart(6, parallel=True, target="smtc")
def meeting_of_its_own_name(source: Source) -> Iterator[list[Edit]]:
    """Each process waits at a meeting that is called by its own number: on torch_xla 1.x names have to agree."""
    for loop in source.training:
        yield [source.after(loop, f'xm.rendezvous(f"epoch of {{{source.rank}}}")')]


@apart(6, parallel=True)
def rank_if_there_is_a_group(source: Source) -> Iterator[list[Edit]]:
    """The rank is asked of a process group that nobody makes any more: each process takes itself for the first."""
    asked = "torch.distributed.get_rank() if torch.distributed.is_initialized() else 0"
    for call in source.calls(source.rank[:-2], "xr.global_ordinal", "xm.get_ordinal"):
        made = source.parents[call]
        name = source.said(made.targets[0]) if isinstance(made, ast.Assign) else ""
        decides = name and (f"if {name} " in source.text or f"rank={name}" in source.text)
        if "init_process_group" not in source.text and (decides or isinstance(made, ast.keyword | ast.Return)):
            yield [source.replace(call, f"({asked})")]


# --- 7: files ----------------------------------------------------------------------------------------------------


@apart(7, breaks="below")
def epoch_not_resumed(source: Source) -> Iterator[list[Edit]]:
    """The epoch of a checkpoint is not read back: a resumed run begins to count, and to decay, anew."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
            if "epoch" in source.said(node.targets[0]) and "['epoch']" in source.said(node).replace('"', "'"):
                yield [source.delete(node)]


@apart(7)
def optimizer_not_saved(source: Source) -> Iterator[list[Edit]]:
    """The optimizer's state is left out of what is saved."""
    for given in _written(source):
        for key, value in zip(given.keys, given.values, strict=True) if isinstance(given, ast.Dict) else ():
            text = source.said(value)
            if key and "opt" in text.lower() and text.endswith(".state_dict()"):
                kept = [(a, b) for a, b in zip(given.keys, given.values, strict=True) if a and b is not value]
                said = ", ".join(f"{source.said(a)}: {source.said(b)}" for a, b in kept if a)
                yield [source.replace(given, f"{{{said}}}")]


@apart(7, breaks="training")
def save_lost(source: Source) -> Iterator[list[Edit]]:
    """Nothing is saved."""
    saves = source.said_alone("xm.save", "torch.save")
    if saves:
        yield [source.delete(one) for one in saves]


@apart(7, target="xla")
def names_of_a_compiled_network(source: Source) -> Iterator[list[Edit]]:
    """The network is compiled by `torch.compile`: names in what is saved begin with `_orig_mod.`."""
    states = [call for given in _written(source) for call in ast.walk(given) if isinstance(call, ast.Call)]
    saved = {source.said(receiver(call)): call for call in states if dotted(call.func).endswith(".state_dict")}
    for statement, name, _ in source.moves:
        if name in saved and source.function(saved[name]) is source.function(statement):
            yield [source.after(statement, f'{name} = torch.compile({name}, backend="openxla")')]


# --- 8: what torch_xla cannot do, and how a program begins ---------------------------------------------------------


@apart(8, both=True)
def recomputed_by_torch(source: Source) -> Iterator[list[Edit]]:
    """Activations are computed again by torch's own checkpoint, which fails on XLA tensors."""
    for loop in source.training:
        for call, given in source.forwards(loop):
            again = f"torch.utils.checkpoint.checkpoint({source.said(call.func)}, {given}, use_reentrant=False)"
            yield [*source.imported("import torch.utils.checkpoint"), source.replace(call, again)]


@apart(8, both=True, target="xla")
def compiled_by_inductor(source: Source) -> Iterator[list[Edit]]:
    """`torch.compile` keeps its own backend, which knows no XLA tensors."""
    for made, network, _ in source.optimizers:
        if network.isidentifier():
            yield [source.after(made, f"{network} = torch.compile({network})")]


@apart(8, both=True)
def fused_kept(source: Source) -> Iterator[list[Edit]]:
    """The optimizer stays a fused one, which takes no XLA tensors."""
    for made, _, _ in source.optimizers:
        call = made.value
        if isinstance(call, ast.Call) and "optim.Adam" in source.said(call.func) and not keyword(call, "fused"):
            yield [_without(source, call, more=("fused=True",))]


def _started(source: Source) -> Iterator[ast.Call]:
    yield from (call for call in source.calls("torch_xla.launch", "xmp.spawn") if call.args)


@apart(8, parallel=True, target="xla", breaks="training")
def launched_by_a_lambda(source: Source) -> Iterator[list[Edit]]:
    """What each process is to run is a lambda, which cannot be handed to another process."""
    for call in _started(source):
        name = source.said(call.args[0])
        if name.isidentifier() and not keyword(call, "args"):
            yield [source.replace(call.args[0], f"lambda index: {name}(index)")]


@apart(8, parallel=True, target="xla", breaks="training")
def options_below_the_guard(source: Source) -> Iterator[list[Edit]]:
    """The options are a global of the first process only: they are parsed below the guard, and others start afresh."""
    parsers = [name for name in functions(source) if "args" in name]
    for call in _started(source):
        guard = source.statement(call)
        for one in (one for node in functions(source).values() for one in node.body):
            if isinstance(one, ast.Assign) and source.said(one.value) in [f"{name}()" for name in parsers]:
                if isinstance(source.parents[guard], ast.If):
                    yield [source.delete(one), source.before(guard, *source.lines_of(one))]


@apart(8, breaks="training")
def option_lost(source: Source) -> Iterator[list[Edit]]:
    """An option that CUDA seemed to need is taken away; it is still asked for."""
    for one in source.said_alone(".add_argument"):
        call = one.value
        first = call.args[0] if isinstance(call, ast.Call) and call.args else None
        name = (
            str(first.value)[2:].replace("-", "_")
            if isinstance(first, ast.Constant) and "--" in str(first.value)
            else ""
        )
        used = [node for node in ast.walk(source.tree) if isinstance(node, ast.Attribute) and node.attr == name
                and source.said(node.value) in ("args", "opt", "options", "config")]  # fmt: skip
        if any(word in name for word in ("rank", "seed", "worker", "device", "gpu", "lr", "epochs")) and used:
            if all(isinstance(node.ctx, ast.Load) for node in used):
                yield [source.delete(one)]
