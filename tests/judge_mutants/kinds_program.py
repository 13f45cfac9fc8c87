"""Obligation 8: every name is bound where it is used. And 10: what trained still trains."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.judge_mutants.kinds import kind
from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit, keyword


@kind(8)
def bound_on_one_path(source: Source) -> Iterator[list[Edit]]:
    """An optimizer is made on some paths only."""
    for made, _, _ in source.optimizers:
        if isinstance(source.function(made), ast.FunctionDef) and isinstance(made.targets[0], ast.Name):
            yield source.wrap(made, "if torch.get_num_threads() > 2:")


@kind(8)
def device_on_one_path(source: Source) -> Iterator[list[Edit]]:
    """The device is bound in a branch."""
    for call in source.calls(source.device[:-2]):
        made = source.parents[call]
        if isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name):
            name = made.targets[0].id
            used = sum(isinstance(one, ast.Name) and one.id == name for one in ast.walk(source.function(made)))
            if used > 1:
                yield source.wrap(made, "if torch.get_num_threads() > 2:")


@kind(8)
def import_lost(source: Source) -> Iterator[list[Edit]]:
    """A library is not imported."""
    for node in source.tree.body:
        if isinstance(node, ast.Import) and node.names[0].asname in ("xm", "xr", "pl", "xmp"):
            if f"{node.names[0].asname}." in source.text:
                yield [source.delete(node)]


@kind(8)
def device_below_its_use(source: Source) -> Iterator[list[Edit]]:
    """The device is bound below the statement that uses it first."""
    for call in source.calls(source.device[:-2]):
        made = source.parents[call]
        if isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name):
            name, block = made.targets[0].id, source.body(made)
            for later in block[block.index(made) + 1 :]:
                plain = not isinstance(later, ast.FunctionDef | ast.ClassDef)
                if plain and any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(later)):
                    yield [source.delete(made), source.after(later, *source.lines_of(made))]
                    break


@kind(8)
def function_below_its_use(source: Source) -> Iterator[list[Edit]]:
    """The guard that starts the program stands above what it starts."""
    block = source.tree.body
    last = block[-1] if len(block) > 1 else None
    if isinstance(last, ast.If) and "__main__" in source.said(last.test) and isinstance(block[-2], ast.FunctionDef):
        if block[-2].name in source.said(last):
            yield [source.delete(last), source.before(block[-2], *source.lines_of(last), "")]


@kind(8)
def launched_with_too_few(source: Source) -> Iterator[list[Edit]]:
    """The function that each process runs misses its arguments."""
    for call in source.calls("torch_xla.launch", "xmp.spawn"):
        if (given := keyword(call, "args")) and source.said(given.value) != "()":
            yield [source.replace(given, "args=()")]


@kind(8)
def launched_with_too_many(source: Source) -> Iterator[list[Edit]]:
    """The function that each process runs gets one argument more than it takes."""
    for call in source.calls("torch_xla.launch", "xmp.spawn"):
        name = source.said(call.args[0])
        if not keyword(call, "args") and f"def {name}(index):" in source.text:
            yield [source.replace(call.args[0], f"{name}, args=(1,)")]


@kind(8)
def index_not_taken(source: Source) -> Iterator[list[Edit]]:
    """The function that each process runs does not take the index."""
    for node in source.tree.body if source.calls("torch_xla.launch") else ():
        if isinstance(node, ast.FunctionDef) and node.name == "_mp_fn" and len(node.args.args) == 1:
            yield [source.replace(node.args.args[0], "")]


@kind(8)
def attribute_never_set(source: Source) -> Iterator[list[Edit]]:
    """An object's optimizer or device is never set."""
    for node in ast.walk(source.tree):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Attribute) and source.said(target.value) == "self":
            used = source.text.count(f"self.{target.attr}") > 1
            if used and any(word in target.attr for word in ("optim", "device")):
                yield [source.delete(node)]


@kind(8)
def launched_at_import(source: Source) -> Iterator[list[Edit]]:
    """The program starts its processes when it is imported, and so in each of them."""
    for node in source.tree.body:
        if isinstance(node, ast.If) and "__main__" in source.said(node.test):
            if any(name in source.said(node) for name in ("torch_xla.launch", "xmp.spawn")):
                yield [source.replace(node.test, "True")]


# --- 10: training ---------------------------------------------------------------------------------------------------


@kind(10, breaks="training")
def training_not_called(source: Source) -> Iterator[list[Edit]]:
    """The function that trains is not called."""
    names = {getattr(source.function(loop), "name", "()") for loop in source.training}
    started = source.target == "smtc" and "def _mp_fn" in source.text
    for one in source.said_alone(*names, *(f".{name}" for name in names - {"train", "step"})):
        if not started and getattr(source.function(one), "name", "") != "_mp_fn":
            yield [source.delete(one)]


@kind(10, breaks="training")
def launch_lost(source: Source) -> Iterator[list[Edit]]:
    """Nothing starts the processes."""
    for one in source.said_alone("torch_xla.launch", "xmp.spawn"):
        yield [source.delete(one)]


@kind(10)
def backward_lost(source: Source) -> Iterator[list[Edit]]:
    """A loss does not go backward."""
    for one, _ in source.backwards:
        yield [source.delete(one)]


@kind(10)
def step_lost(source: Source) -> Iterator[list[Edit]]:
    """An optimizer does not step."""
    for one, _ in source.stepped():
        yield [source.delete(one)]


@kind(10)
def step_after_the_epoch(source: Source) -> Iterator[list[Edit]]:
    """An optimizer steps once in an epoch, where it did for each batch."""
    for one, _ in source.stepped():
        for loop in source.loops(one)[:1]:
            if one in loop.body and source.loops(loop):
                yield [source.delete(one), source.after(loop, *source.lines_of(one))]


@kind(10)
def zero_grad_lost(source: Source) -> Iterator[list[Edit]]:
    """Gradients add up from step to step."""
    cleared = source.said_alone(".zero_grad")
    if cleared:
        yield [source.delete(one) for one in cleared]


@kind(10)
def cleared_before_the_step(source: Source) -> Iterator[list[Edit]]:
    """Gradients are cleared between the backward and the step."""
    for backward, _ in source.backwards:
        for one, optimizer in source.stepped():
            if backward in source.body(one) and backward.lineno < one.lineno:
                yield [source.before(one, f"{optimizer}.zero_grad()")]


@kind(10, breaks="below")
def forward_without_gradients(source: Source) -> Iterator[list[Edit]]:
    """The loss depends on nothing that is trained."""
    for loop in source.training:
        for call, _ in source.forwards(loop):
            if isinstance(source.parents[call], ast.Assign):
                yield [source.replace(call, f"{source.said(call)}.detach()")]


@kind(10, breaks="below")
def loop_left_at_once(source: Source) -> Iterator[list[Edit]]:
    """The training loop ends with its first batch, before it steps."""
    for backward, _ in source.backwards:
        if source.loops(backward):
            yield [source.before(backward, "break")]


@kind(10)
def step_in_a_branch_never_taken(source: Source) -> Iterator[list[Edit]]:
    """An optimizer steps below a condition that never holds."""
    for one, _ in source.stepped():
        yield source.wrap(one, "if False:")


@kind(10)
def scheduler_not_stepped(source: Source) -> Iterator[list[Edit]]:
    """The learning rate stays what it was."""
    for one in source.said_alone(".step"):
        if "sched" in source.said(one):
            yield [source.delete(one)]


@kind(10)
def parameters_frozen(source: Source) -> Iterator[list[Edit]]:
    """The network is told to train nothing."""
    for made, network, _ in source.optimizers:
        yield [source.before(made, f"{network}.requires_grad_(False)")]
