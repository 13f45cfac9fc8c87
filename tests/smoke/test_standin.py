"""What the stand-in for torch_xla has and says, asked from inside a child process on both of the torches it serves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.smoke.environments import Environment
from migrate.smoke.record import Backend, Run, Side
from migrate.smoke.run import Job, run

pytestmark = pytest.mark.real_xla

TRAINED = "\ntorch.nn.Linear(1, 1)(torch.ones(1, 1)).sum().backward()  # a run has to train something\n"

FAILS = """\
def fails(code, error, *parts):
    try:
        exec(code, {"torch": torch, "torch_xla": torch_xla, "xm": xm})
    except error as raised:
        assert type(raised) is error and all(part in str(raised) for part in parts), repr(raised)
    else:
        raise AssertionError(f"{code} went through")
"""

NAMES_2_9 = """\
import warnings
import torch, torch_xla, torch_xla.core.xla_model as xm
assert torch_xla.__version__.startswith("2.9"), "it goes before a torch_xla that is installed"
assert not hasattr(torch_xla, "amp") and not hasattr(torch_xla.distributed, "parallel_loader")
assert torch_xla.runtime.world_size() == 1 and torch_xla.core.xla_model is xm
fails("xm.xrt_world_size()", AttributeError, "module 'torch_xla.core.xla_model' has no attribute 'xrt_world_size'")
fails("from torch_xla.amp import GradScaler", ImportError, "cannot import name 'GradScaler' from 'torch_xla.amp'")
fails("import torch_xla.amp.syncfree.Adam", ModuleNotFoundError, "No module named 'torch_xla.amp.syncfree.Adam'")
fails("import torch_xla.core.xrt_run_server", ModuleNotFoundError)
fails("xm.all_reduce('sum', torch.ones(1), cctx=None)", TypeError, "cctx")
fails("xm.optimizer_step()", TypeError, "missing 1 required positional argument: 'optimizer'")
fails("torch_xla.core.xla_model.send(torch.ones(1), 0)", NotImplementedError, "the stand-in has no", "xla_model.send")
fails("torch_xla.launch(print, nprocs=2)", TypeError, "nprocs")
import torch_xla.distributed.fsdp as fsdp
model = torch.nn.Linear(1, 1)
fails("import torch_xla.distributed.fsdp as f; f.XlaFullyShardedDataParallel(1)", NotImplementedError, "FullySharded")
from torch_xla.amp import syncfree
assert syncfree.SGD.__name__ == "SGD"
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    assert str(xm.xla_device()) == str(torch_xla.device()) == "xla:0"
assert [str(each.message) for each in warned] == ["Use torch_xla.device instead"]
start = "import torch_xla.distributed.xla_multiprocessing as xmp; "
fails(start + "xmp.spawn(print, nprocs=2)", ValueError, "Unsupported nprocs (2)")
fails(start + "xmp.spawn(print)", RuntimeError, "Runtime is already initialized")
"""

NAMES_1_13 = """\
import torch, torch_xla, torch_xla.core.xla_model as xm
assert torch_xla.__version__.startswith("1.13")
fails("torch_xla.device()", AttributeError, "module 'torch_xla' has no attribute 'device'")
fails("import torch_xla.runtime", ModuleNotFoundError, "No module named 'torch_xla.runtime'")
fails("xm.mark_step(wait=True)", TypeError, "mark_step() got an unexpected keyword argument 'wait'")
from torch_xla.amp import GradScaler, autocast, custom_fwd
fails("import torch_xla.amp; torch_xla.amp.autocast(xm.xla_device(), True, None, True)", TypeError)
assert xm.mesh_reduce("tag", 3, lambda values: 1 / 0) == 3 and xm.rendezvous("tag") == []
assert xm.all_reduce("sum", [torch.ones(2)], scale=0.5, cctx=None)[0].tolist() == [1, 1]
"""

BEHAVIOUR = """\
import collections, copy, io, sys
import torch, torch_xla, torch_xla.core.xla_model as xm, torch_xla.distributed.parallel_loader as pl
import torch_xla.debug.metrics as met
device = xm.xla_device()
host = torch.arange(4.0)
there = host.to(device)
there.add_(1)
assert host.tolist() == [0, 1, 2, 3] and there.tolist() == [1, 2, 3, 4], "a move copies"
assert there.to(device) is there and there.device == device and there[1:].device.type == "xla"
assert torch.zeros(2, device=device).device.type == "xla" and there.type() == "torch.xla.FloatTensor"
assert there.cpu().device.type == "cpu" and xm.is_xla_tensor(there) and not xm.is_xla_tensor(host)
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
early = torch.optim.SGD(model.parameters(), lr=0.1)
old = model[0].weight
model.to(device)
assert model[0].weight is not old, "a move makes new parameters"
kept = model[0].weight
assert model.to(device)[0].weight is kept, "unless it is there already"
data = [{"x": torch.ones(3, 4), "n": 7, "pair": collections.namedtuple("Pair", "a b")(torch.ones(1), "text")}] * 5
loader = pl.MpDeviceLoader(data, device)
marks = lambda: met.counter_value("MarkStep") or 0
before = marks()
seen = list(loader)
assert marks() - before == 7, "before every batch, before the end, and at the end"
assert len(loader) == len(list(loader)) == 5 and not hasattr(loader, "dataset")
assert type(seen[0]["pair"]) is list and seen[0]["pair"][1] == "text" and seen[0]["x"].device.type == "xla"
once = pl.ParallelLoader(data, [device]).per_device_loader(device)
assert (len(list(once)), len(list(once))) == (5, 0)
ran = []
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(3, 4, device=device)).sum().backward()
xm.add_step_closure(ran.append, args=(1,))
assert xm.optimizer_step(optimizer) is None and not ran
xm.optimizer_step(optimizer, barrier=True)
assert ran == [1]
file = io.BytesIO()
xm.save(model.state_dict(), file)
file.seek(0)
assert all(value.device.type == "cpu" for value in torch.load(file).values())
model.load_state_dict(torch.load(io.BytesIO(file.getvalue()), map_location="cpu"))
assert model[0].weight.device.type == "xla"
model.to("cpu")
assert model[0].weight.device.type == "cpu" and model[0].weight.grad.device.type == "cpu"
one = torch.ones(2, device=device)
assert xm.all_reduce("sum", one) is not one and xm.all_gather(one).tolist() == [1, 1]
xm.set_rng_state(5)
assert xm.get_rng_state() == 5 and xm.is_master_ordinal() and xm.xla_device_hw(device) == "CPU"
with torch.autocast("xla", dtype=torch.bfloat16, enabled=False):
    pass
assert pl.MpDeviceLoader(loader, device) is not None
twice = len(list(pl.MpDeviceLoader(loader, device)))
assert twice == WRAPPED_TWICE, twice
"""

SCALER = """\
import torch, torch_xla.core.xla_model as xm
from torch_xla.amp import GradScaler, syncfree
device = xm.xla_device()
for plain, ours, options in (
    (torch.optim.SGD, syncfree.SGD, dict(lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True)),
    (torch.optim.Adam, syncfree.Adam, dict(lr=0.1, weight_decay=0.01, amsgrad=True)),
    (torch.optim.AdamW, syncfree.AdamW, dict(lr=0.1)),
):
    torch.manual_seed(0)
    left, right = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
    right.load_state_dict(left.state_dict())
    right.to(device)
    first, second = plain(left.parameters(), **options), ours(right.parameters(), **options)
    scaler = GradScaler(init_scale=4.0, growth_interval=3)
    for step in range(6):
        batch = torch.randn(5, 3)
        first.zero_grad(), second.zero_grad()
        weight = float("inf") if step == 2 else 1.0
        if step != 2:
            left(batch).square().sum().backward()
            first.step()
        scaler.scale(weight * right(batch.to(device)).square().sum()).backward()
        scaler.unscale_(second)
        scaler.step(second)
        scaler.update()
    assert torch.allclose(left.weight, right.weight.cpu(), atol=1e-6), (left.weight, right.weight)
    assert scaler.get_scale() == 4.0, "halved by the infinite gradient, doubled after three good steps"
try:
    resumed = syncfree.Adam(right.parameters())
    old = torch.optim.Adam(right.parameters())
    old.step()
    resumed.load_state_dict(old.state_dict())
    resumed.step(found_inf=torch.zeros((), device=device))
    raise AssertionError("a state of torch.optim has no max_exp_avg_sq")
except KeyError as error:
    assert "max_exp_avg_sq" in str(error)
"""


def ask(text: str, version: str, environment: Environment, folder: Path) -> Run:
    script = folder / "questions.py"
    script.write_text(text + TRAINED)
    side = Side.SMTC if version.startswith("1.") else Side.XLA
    return run(Job(script, side, environment, backend=Backend.STANDIN, version=version))


@pytest.mark.parametrize(
    ("version", "installed", "text"),
    [
        pytest.param("2.9", "2.9", NAMES_2_9, id="2.9"),
        pytest.param("1.13", "2.1", NAMES_1_13, id="1.13"),
    ],
)
def test_names_of_a_version(
    version: str, installed: str, text: str, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    header = "import torch, torch_xla, torch_xla.core.xla_model as xm\n"
    ran = ask(header + FAILS + text, version, environment(installed), tmp_path)
    assert ran.ok, ran.output


@pytest.mark.parametrize(("version", "installed", "twice"), [("2.9", "2.9", 0), ("1.13", "2.1", 5)])
def test_behaviour(
    version: str, installed: str, twice: int, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    ran = ask(BEHAVIOUR.replace("WRAPPED_TWICE", str(twice)), version, environment(installed), tmp_path)
    assert ran.ok, ran.output


@pytest.mark.parametrize(("version", "installed"), [("1.13", "2.1"), ("2.8", "2.9")])
def test_loss_scaling(version: str, installed: str, environment: Callable[[str], Environment], tmp_path: Path) -> None:
    ran = ask(SCALER, version, environment(installed), tmp_path)
    assert ran.ok, ran.output
