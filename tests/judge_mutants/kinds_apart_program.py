"""The third set. Obligation 8: names, what libraries have, and how a program begins."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import tuned
from tests.judge_mutants.kinds_data import _without
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, dotted

_OTHER = {
    "xla": {"xr.world_size": "xm.xrt_world_size", "torch_xla.runtime.world_size": "xm.xrt_world_size",
            "xr.global_ordinal": "xm.get_ordinal", "torch_xla.runtime.global_ordinal": "xm.get_ordinal"},
    "smtc": {"xm.xla_device": "torch_xla.device", "xm.mark_step": "torch_xla.sync"},
}  # fmt: skip


@tuned(8)
def name_of_another_release(source: Source) -> Iterator[list[Edit]]:
    """A function that this release of torch_xla does not have: gone in 2.7, or not yet there in 1.x."""
    for call in source.calls(*_OTHER[source.target]):
        if "as xm" in source.text:
            other = _OTHER[source.target][dotted(call.func)]
            yield [*source.imported("import torch_xla"), source.replace(call.func, other)]


@tuned(8)
def argument_not_taken(source: Source) -> Iterator[list[Edit]]:
    """`xm.optimizer_step` gets an argument that it does not take."""
    for call in source.calls("xm.optimizer_step"):
        yield [_without(source, call, more=("mark=True",))]


@tuned(8, breaks="below")
def deleted_before_its_use(source: Source) -> Iterator[list[Edit]]:
    """The loss is deleted, and used below."""
    for backward, loss in source.backwards:
        block = source.body(backward)
        below = [node for one in block[block.index(backward) + 1 :] for node in ast.walk(one)]
        uses = [one for one in below if isinstance(one, ast.Name) and one.id == loss]
        if uses and all(isinstance(one.ctx, ast.Load) for one in uses):
            yield [source.after(backward, f"del {loss}")]


@tuned(8)
def import_moved_into_a_function(source: Source) -> Iterator[list[Edit]]:
    """A library is imported in one function, and used in others."""
    for node in source.tree.body:
        name = node.names[0].asname if isinstance(node, ast.Import) and len(node.names) == 1 else None
        if name in ("xm", "xr", "pl", "nn", "F", "np"):
            used = [one for one in ast.walk(source.tree) if isinstance(one, ast.Name) and one.id == name]
            functions = [source.function(one) for one in sorted(used, key=lambda one: one.lineno)]
            first = functions[-1] if functions else None
            others = [one for one in functions if one is not first]
            if isinstance(first, ast.FunctionDef) and others and source.tree not in others:
                yield [source.delete(node), source.first_in(first.body, source.said(node))]


@tuned(8, breaks="training")
def guard_misspelled(source: Source) -> Iterator[list[Edit]]:
    """The guard compares with another name: nothing starts."""
    for node in source.tree.body:
        if isinstance(node, ast.If) and "__main__" in source.said(node.test):
            yield [source.replace(node.test, '__name__ == "main"')]


def _launches(source: Source) -> Iterator[ast.Call]:
    yield from (call for call in source.calls("torch_xla.launch", "xmp.spawn") if call.args)


@tuned(8)
def called_instead_of_handed_on(source: Source) -> Iterator[list[Edit]]:
    """What each process should run is called once, and its result handed on."""
    for call in _launches(source):
        if isinstance(call.args[0], ast.Name):
            yield [source.replace(call.args[0], f"{call.args[0].id}(0)")]


@tuned(8, parallel=True, target="xla", breaks="below")
def device_before_the_launch(source: Source) -> Iterator[list[Edit]]:
    """The device is asked for above the launch: processes cannot be started any more."""
    for call in _launches(source):
        yield [source.before(source.statement(call), "print(torch_xla.device())")]


@tuned(10, parallel=True, breaks="training")
def debugged_in_one_process(source: Source) -> Iterator[list[Edit]]:
    """One process is started, for the debugger."""
    for call in _launches(source):
        alone = "debug_single_process=True" if dotted(call.func) == "torch_xla.launch" else "nprocs=1"
        yield [_without(source, call, "nprocs", more=(alone,))]


@tuned(8)
def cuda_waited_for(source: Source) -> Iterator[list[Edit]]:
    """The loop waits for CUDA, which is not there."""
    for loop in source.training:
        yield [source.after(loop.body[-1], "torch.cuda.synchronize()")]


@tuned(8, parallel=True)
def barrier_of_no_group(source: Source) -> Iterator[list[Edit]]:
    """The processes meet in a group that nobody made."""
    for loop in source.training if "init_process_group" not in source.text else ():
        yield [source.after(loop, "torch.distributed.barrier()")]


@tuned(8)
def attribute_of_the_wrapper(source: Source) -> Iterator[list[Edit]]:
    """The parameters to clip are asked of `.module`, which was the wrapper's."""
    for call in source.calls(".clip_grad_norm_"):
        given = call.args[0] if call.args else None
        if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr == "parameters":
            network = given.func.value
            if "module" not in source.said(network):
                yield [source.replace(network, f"{source.said(network)}.module")]
