"""What abstract execution says that each line does: the classes that recorded runs have shown to be missed."""

from __future__ import annotations

import ast
import textwrap

import pytest

from codemods.kit.meaning.execution import execute

SETTING = """
import torch
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
import torch_xla.distributed.parallel_loader as pl
data = torch.utils.data.TensorDataset(torch.randn(8, 4), torch.randn(8, 1))
loader = torch.utils.data.DataLoader(data, batch_size=2)
model = torch.nn.Linear(4, 1)
"""


def events(text: str, *kinds: str, cuda: bool = False) -> list[tuple[str, str]]:
    """The events of these kinds in program order, each once, with the source line that they stand at."""
    source = SETTING + textwrap.dedent(text)
    lines = source.splitlines()
    record = execute({"train.py": ast.parse(source)}, ["train.py"], cuda=cuda).record
    found = [(one.kind, lines[one.site.line - 1].strip()) for one in record.events if one.kind in kinds]
    return list(dict.fromkeys(found))


def test_a_mark_of_the_loader_is_at_the_loop() -> None:
    text = """
    for x, y in pl.MpDeviceLoader(loader, "xla"):
        loss = model(x).sum()
        loss.backward()
    """
    assert events(text, "mark") == [("mark", 'for x, y in pl.MpDeviceLoader(loader, "xla"):')]


def test_a_step_closure_runs_with_the_next_mark() -> None:
    text = """
    def report(loss):
        print(loss.item())

    for x, y in pl.MpDeviceLoader(loader, "xla"):
        loss = model(x).sum()
        xm.add_step_closure(report, args=(loss,))
    """
    assert ("read", "print(loss.item())") in events(text, "read")
    assert not events(text, "early read")


@pytest.mark.parametrize(
    "call", ['xm.rendezvous("saved")', 'xm.mesh_reduce("sum", 1.0, sum)', "xm.broadcast_master_param(model)"]
)
def test_what_marks_by_itself(call: str) -> None:
    assert events(call, "mark", "collective") == [("collective", call), ("mark", call)]


def test_a_rendezvous_is_read() -> None:
    assert events('xm.rendezvous("saved")', "read")


@pytest.mark.parametrize("call", ["torch.cuda.manual_seed(1)", "torch.cuda.manual_seed_all(1)", "numpy.random.seed(1)"])
def test_every_seed_is_one(call: str) -> None:
    assert events(f"import numpy\n{call}", "seed", cuda=True) == [("seed", call)]


def test_apex_scales_steps_and_clips() -> None:
    text = """
    from apex import amp
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
    for x, y in loader:
        with amp.scale_loss(model(x).sum(), optimizer) as scaled:
            scaled.backward()
        torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 1.0)
        optimizer.step()
    """
    found = [kind for kind, _ in events(text, "forward", "backward", "clip", "step", "lost", cuda=True)]
    assert found == ["forward", "backward", "clip", "step"]


def test_a_path_that_ends_the_program_makes_nothing_differ() -> None:
    text = """
    import json, math, sys
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def _mp_fn(index):
        shares = torch.utils.data.distributed.DistributedSampler(
            data, num_replicas=xr.world_size(), rank=xr.global_ordinal())
        parts = torch.utils.data.DataLoader(data, batch_size=2, sampler=shares)
        for x, y in pl.MpDeviceLoader(parts, "xla"):
            loss = model(x).sum()
            loss.backward()
            if not math.isfinite(loss.item()):
                sys.exit(1)
            xm.reduce_gradients(optimizer)
            if loss.item() > 3:
                continue
            xm.rendezvous("more")
    """
    trees = {"train.py": ast.parse(SETTING + textwrap.dedent(text))}
    record = execute(trees, ["train.py"], cuda=False, legacy=True).record
    found = [one.message.partition(" ")[0] for one in record.findings.values() if "waits for all" in one.message]
    assert found == ["xm.rendezvous"]


def test_a_module_on_its_way_to_the_host_is_read() -> None:
    assert events('model.to("xla")\nmodel.cpu()', "read") == [("read", "model.cpu()")]
    assert not events("model.cpu()", "read")


def test_a_tensor_that_is_on_the_host_is_not_read_by_a_move_there() -> None:
    assert not events('torch.zeros(3).to("cpu")', "read", cuda=True)
    assert events('torch.zeros(3).to("cuda").to("cpu")', "read", cuda=True)


def test_what_a_plain_module_gives_is_no_tensor() -> None:
    assert not events("import json\nprint(json.dumps({}))", "read")


def test_the_devices_of_a_forward_are_told_with_those_of_keywords() -> None:
    text = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(4, 1)

        def forward(self, x=None):
            return self.fc(x)

    Net().to("xla")(x=torch.zeros(2, 4, device="xla"))
    """
    record = execute({"train.py": ast.parse(SETTING + textwrap.dedent(text))}, ["train.py"], cuda=False).record
    assert [one.about for one in record.of("devices")] == [(frozenset({"xla"}), frozenset({"xla"}))]


@pytest.mark.parametrize(
    "reading",
    [
        "print(value)", 'text = f"{value:.3f}"', 'text = "%.3f" % value', 'text = "%d %.3f" % (1, value)',
        'text = "{:.3f}".format(value)', "text = str(value)", "text = repr(value)", "number = float(value)",
        "number = int(value)", "number = round(value.item())", "values = value.tolist()", "values = value.numpy()",
        "values = numpy.array(value)", "number = math.sqrt(value)", "flag = bool(value)", "flag = not value",
        "if value > 3: pass", "while value > 3: break", "assert value > 3", "flag = value and 1",
        "flag = 1 if value else 2", "number = max(value, 1)", "number = [1, 2, 3][value]", "numbers = range(value)",
        'logging.info("%f", value)', "values = sorted([value, value])", "found = value in (1, 2)",
        "found = any([value])", "text = format(value)", 'sys.stdout.write("%f" % value)',
    ],
)  # fmt: skip
def test_every_way_to_a_tensors_value_is_a_read(reading: str) -> None:
    text = f'import logging, math, numpy, sys\nvalue = torch.ones(3, device="xla").sum()\n{reading}'
    assert ("read", reading) in events(text, "read")


@pytest.mark.parametrize("telling", ["print(meter)", 'text = f"{meter}"', 'text = "%s" % meter', "text = str(meter)"])
def test_an_object_that_is_written_out_reads_what_it_tells(telling: str) -> None:
    text = """
    class Meter:
        def __init__(self):
            self.values = torch.ones(3, device="xla")

        def __str__(self):
            return f"{self.values.median().item():.4f}"

    meter = Meter()
    """
    line = 'return f"{self.values.median().item():.4f}"'
    assert ("read", line) in events(textwrap.dedent(text) + telling, "read")


def test_lbfgs_reads_the_loss_of_its_closure() -> None:
    text = """
    optimizer = torch.optim.LBFGS(model.parameters())

    def closure():
        loss = model(torch.ones(2, 4)).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    """
    assert events(text, "read") == [("read", "optimizer.step(closure)")]


@pytest.mark.parametrize(
    "kept",
    [
        "state = types.SimpleNamespace(optimizer=optimizer)",
        "state = types.SimpleNamespace(); state.optimizer = optimizer",
        'state = types.SimpleNamespace(**{"optimizer": optimizer})',
        "import weakref; state = types.SimpleNamespace(optimizer=weakref.proxy(optimizer))",
        "from types import SimpleNamespace; state = SimpleNamespace(optimizer=optimizer)",
    ],
)
def test_what_a_namespace_keeps_is_stepped(kept: str) -> None:
    text = f"import types\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n{kept}\nstate.optimizer.step()"
    assert events(text, "step") == [("step", "state.optimizer.step()")]
