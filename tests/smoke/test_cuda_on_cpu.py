"""What the stand-in for CUDA answers, asked from inside a child process on each torch that originals run on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.smoke.environments import Environment
from migrate.smoke.record import Run, Side
from migrate.smoke.run import Job, run

pytestmark = pytest.mark.real_xla

DEVICES = """\
import io, inspect, torch, torch.nn as nn
assert torch.cuda.is_available() and torch.cuda.device_count() == 1
device = torch.device("cuda:0")
assert device.type == "cuda" and str(device) == "cuda:0"
host = torch.arange(4.0)
there = host.cuda(non_blocking=True)
there.add_(1)
assert host.tolist() == [0, 1, 2, 3], "a move copies"
assert there.to(device) is there and there.cuda() is there, "unless it is there already"
assert there.is_cuda and not host.is_cuda and there.get_device() == 0
back = there.cpu()
back.zero_()
assert there.tolist() == [1, 2, 3, 4]
for moved in (host.to(0), host.to("cuda:1"), host.to(device=device, dtype=torch.float64), host.to(there)):
    assert moved.is_cuda and moved is not host
assert host.to(torch.float64).dtype is torch.float64
assert there.type() == "torch.cuda.FloatTensor" and host.type("torch.cuda.HalfTensor").dtype is torch.float16
assert isinstance(torch.cuda.LongTensor([1]), torch.cuda.LongTensor)
for made in (torch.zeros(2, device=0), torch.rand(2, device="cuda"), torch.empty_like(host, device=device),
             torch.tensor([1.0, 2.0], device=device), host.new_zeros(2, device=device)):
    assert made.device.type == "cpu" and len(made) in (2, 4)
with torch.device("cuda"):
    assert torch.ones(1).sum() == 1
generator = torch.Generator(device="cuda").manual_seed(3)
assert isinstance(generator, torch.Generator)
assert torch.equal(torch.randn(2, generator=generator), torch.randn(2, generator=torch.Generator().manual_seed(3)))
model = nn.Linear(2, 2)
weight = model.weight
assert model.cuda() is model and model.to(0).weight is weight, "parameters stay the same objects"
assert next(model.parameters()).is_cuda
model.cpu()
stream = torch.cuda.Stream()
with torch.cuda.stream(stream), torch.cuda.device(0):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record(); end.record()
torch.cuda.current_stream().wait_stream(stream)
torch.cuda.synchronize()
assert start.elapsed_time(end) >= 0
assert torch.cuda.max_memory_allocated() == 0 and torch.cuda.memory_stats()["anything"] == 0
torch.cuda.manual_seed_all(1); torch.cuda.set_rng_state(torch.cuda.get_rng_state()); torch.cuda.nvtx.range_push("x")
buffer = io.BytesIO()
torch.save(model.state_dict(), buffer)
for place in ("cuda:0", device, lambda storage, location: storage.cuda(0), {"cuda:0": "cuda:1"}):
    buffer.seek(0)
    model.load_state_dict(torch.load(buffer, map_location=place))
if hasattr(torch, "accelerator"):
    assert torch.accelerator.current_accelerator().type == "cuda"
torch.set_default_tensor_type("torch.cuda.FloatTensor")
assert torch.zeros(1).dtype is torch.float32
"""

TRAINING = """\
import inspect, os, torch, torch.nn as nn, torch.distributed as dist
dist.init_process_group("nccl", **({"device_id": torch.device("cuda:0")} if torch.__version__ > "2.3" else {}))
assert dist.get_world_size() == 1 and int(os.environ["LOCAL_RANK"]) == 0
dist.barrier(device_ids=[0])
value = torch.tensor([4.0]).cuda()
dist.all_reduce(value, op=dist.ReduceOp.AVG)
assert value.item() == 4
model = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))).cuda()
model = nn.parallel.DistributedDataParallel(model, device_ids=[0], output_device=0)
assert "fused" in inspect.signature(torch.optim.AdamW).parameters
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
scaler = torch.cuda.amp.GradScaler(growth_interval=2)
with torch.cuda.amp.autocast():
    assert model(torch.randn(4, 3).cuda()).dtype is torch.float32, "both sides compute in float32"
before = [p.clone() for p in model.parameters()]
for weight in (float("inf"), 1.0, 1.0):
    optimizer.zero_grad()
    scaler.scale(weight * model(torch.randn(4, 3).cuda()).square().sum()).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    moved = any(not torch.equal(old, new) for old, new in zip(before, model.parameters()))
    assert moved is (weight == 1.0), "a step with an infinite gradient is skipped"
assert scaler.get_scale() == 2.0**16 and scaler.state_dict()["_growth_tracker"] == 0, "halved once, then grown once"
other = torch.cuda.amp.GradScaler()
other.load_state_dict(scaler.state_dict())
plain = nn.DataParallel(nn.Linear(3, 1), device_ids=[0, 1]).cuda()
assert plain(torch.ones(2, 3)).shape == (2, 1) and "module.weight" in plain.state_dict()
compiled = torch.compile(plain)
assert compiled is plain
@torch.cuda.amp.autocast()
def forward(x):
    return plain(x)
forward(torch.ones(2, 3))
"""


def ask(text: str, environment: Environment, folder: Path) -> Run:
    script = folder / "questions.py"
    script.write_text(text)
    return run(Job(script, Side.CUDA, environment))


@pytest.mark.parametrize("version", ["2.1", "2.9"])
def test_devices(version: str, environment: Callable[[str], Environment], tmp_path: Path) -> None:
    # Something has to be differentiated for the run to count as a training.
    ran = ask(f"{DEVICES}\nmodel(torch.ones(1, 2)).sum().backward()\n", environment(version), tmp_path)
    assert ran.ok, ran.output


@pytest.mark.parametrize("version", ["2.1", "2.9"])
def test_training(version: str, environment: Callable[[str], Environment], tmp_path: Path) -> None:
    ran = ask(TRAINING, environment(version), tmp_path)
    assert ran.ok, ran.output
    assert ran.first.steps == (2,)
