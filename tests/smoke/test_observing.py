"""What a run records beside its losses, and the two ways of computing otherwise: in float64, and disturbed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.smoke.compare import compare
from migrate.smoke.environments import Environment
from migrate.smoke.record import Event, Pass, Run, Side
from migrate.smoke.run import Job, Limits, run

pytestmark = pytest.mark.real_xla

ORIGINAL = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(8, 2)
    def forward(self, x):
        return self.head(self.drop(self.body(x)))

def main():
    torch.manual_seed(3)
    device = torch.device("cuda")
    data = TensorDataset(torch.randn(22, 4), torch.arange(22) % 2)
    loader = DataLoader(data, batch_size=4, num_workers=2)
    model = nn.DataParallel(Net()).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(2):
        total = 0.0
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            with torch.cuda.amp.autocast():
                out = model(x)
            loss = nn.functional.cross_entropy(out, y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.3)
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total:.4f}")

if __name__ == "__main__":
    main()
"""

MIGRATED = (
    ORIGINAL.replace("import torch\n", "import torch\nimport torch_xla\nimport torch_xla.core.xla_model as xm\n", 1)
    .replace("import torch_xla.core", "import torch_xla.distributed.parallel_loader as pl\nimport torch_xla.core")
    .replace("    torch.manual_seed(3)\n", "    torch.manual_seed(3)\n    torch_xla.manual_seed(3)\n")
    .replace('torch.device("cuda")', "torch_xla.device()")
    .replace("nn.DataParallel(Net()).cuda()", "Net().to(device)")
    .replace("in loader:", "in pl.MpDeviceLoader(loader, device):")
    .replace("            x, y = x.to(device), y.to(device)\n", "")
    .replace("torch.cuda.amp.autocast()", 'torch.autocast("xla", dtype=torch.bfloat16)')
    .replace("            nn.utils.clip", "            xm.reduce_gradients(optimizer)\n            nn.utils.clip")
)


def run_text(text: str, side: Side, environment: Environment, folder: Path, **options: object) -> Run:
    script = folder / "train.py"
    script.write_text(text)
    ran = run(replace(Job(script, side, environment), **options))  # type: ignore[arg-type]
    assert ran.ok, (ran.reason, ran.output)
    return ran


def line(text: str, part: str) -> str:
    """The site of the line that holds `part`."""
    return f"train.py:{next(number for number, row in enumerate(text.splitlines(), 1) if part in row)}"


def test_both_sides_record_the_same_training(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    python = environment("2.9")
    original = run_text(ORIGINAL, Side.CUDA, python, tmp_path).first
    migrated = run_text(MIGRATED, Side.XLA, python, tmp_path).first
    passes = (Pass(0, 6, True, 2), Pass(0, 6, True, 2))
    for worker in (original, migrated):
        assert [item.name for item in worker.parameters][:3] == ["body.0.weight", "body.0.bias", "body.1.weight"]
        assert worker.passes == passes
        assert worker.seeded == ("device", "host")
        assert worker.autocast == (60, 0), "five leaf modules in each of twelve steps"
        assert (worker.without_gradient, worker.events_dropped) == (0, 0)
    assert Counter(event.kind for event in original.events) == {"backward": 12, "clip": 12, "step": 12}
    assert original.events[1] == Event(0, "clip", line(ORIGINAL, "clip_grad_norm_"), 0)
    kinds = Counter(event.kind for event in migrated.events)
    assert kinds == {"backward": 12, "reduce": 12, "clip": 12, "step": 12, "read": 12, "mark": 16}
    assert "device" in migrated.drawn
    reads = [event for event in migrated.events if event.kind == "read"]
    assert {(event.site, event.executed) for event in reads} == {(line(MIGRATED, "loss.item()"), 1)}
    marks = [event for event in migrated.events if event.kind == "mark"]
    assert all(mark.by_loader and mark.site == line(MIGRATED, "MpDeviceLoader(") for mark in marks)
    counted = migrated.counters["UncachedCompile"] + migrated.counters["CachedCompile"]
    assert sum(event.executed for event in migrated.events) == counted


def test_float64_agrees_to_its_own_rounding(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    python = environment("2.9")
    original = run_text(ORIGINAL, Side.CUDA, python, tmp_path, double=True)
    migrated = run_text(MIGRATED, Side.XLA, python, tmp_path, double=True)
    comparison = compare(original, migrated)
    assert comparison.same, comparison.reasons
    assert comparison.loss_difference < 1e-10
    single = run_text(ORIGINAL, Side.CUDA, python, tmp_path)
    assert compare(single, original).loss_difference > 1e-9


def test_a_disturbed_run_differs_by_rounding(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    python = environment("2.9")
    native = run_text(ORIGINAL, Side.CUDA, python, tmp_path)
    disturbed = run_text(ORIGINAL, Side.CUDA, python, tmp_path, perturb=1e-6)
    assert native.first.losses[0] == disturbed.first.losses[0]
    assert 1e-8 < compare(native, disturbed).loss_difference < 1e-3


DOUBLE = """\
import numpy, torch
from torch import nn
assert torch.zeros(1).dtype is torch.float32 is torch.float64
whole = torch.arange(3)
single = numpy.ones(2, dtype="float32")
for made in (whole.float(), torch.FloatTensor([1, 2]), torch.tensor(single), torch.from_numpy(single), whole.half(),
             torch.as_tensor(single), whole.to(torch.float), whole.type("torch.FloatTensor"), torch.rand(2),
             torch.ones(2, dtype=torch.float32), whole.type(torch.FloatTensor)):
    assert str(made.dtype) == "torch.float64", made
assert isinstance(torch.ones(1), torch.FloatTensor)
assert torch.tensor(single, requires_grad=True).requires_grad
model = nn.Linear(2, 2).float()
torch.save({"model": model.state_dict()}, "model.pt")
again = torch.load("model.pt")["model"]["weight"]
assert torch.equal(again, model.weight) and again.dtype is torch.float64
batch = next(iter(torch.utils.data.DataLoader([{"x": single, "n": 1}], batch_size=1)))
assert batch["x"].dtype is torch.float64 and batch["n"].dtype is torch.int64
model(batch["x"]).sum().backward()
"""


@pytest.mark.parametrize("version", ["2.1", "2.9"])
def test_every_way_to_say_float32_means_float64(
    version: str, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    run_text(DOUBLE, Side.CUDA, environment(version), tmp_path, double=True)


DEEP = """\
import torch, torch_xla
from torch import nn
model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(12))).to(torch_xla.device())
average = [part.detach().clone() for part in model.parameters()]
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(4):
    optimizer.zero_grad()
    loss = model(torch.ones(2, 4).to(torch_xla.device())).sum()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("steps", [None, 3])
def test_reading_what_is_left_compiles_nothing(
    steps: int | None, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    """Without a mark before it each of 24 parameters would compile the graph of all steps."""
    limits = Limits(seconds=120, steps=steps)
    left = run_text(DEEP, Side.XLA, environment("2.9"), tmp_path, limits=limits).first
    assert (len(left.parameters), len(left.copies), left.graphs[-1].compiled) == (24, 1, 0)
    assert left.reading == 0


COMPILERS = """\
import importlib, sys, torch
{}
optimizer.step()
dynamo = "torch._" + "dynamo"
print(type(sys.modules[dynamo]).__name__, "torch_xla.stablehlo" in sys.modules)
utils, functions = importlib.import_module(dynamo + ".utils"), importlib.import_module("functor" + "ch.compile")
assert isinstance(utils.counters, dict) and functions.nop and functions.aot_function.__module__.startswith("torch._")
compiled = getattr(torch, "com" + "pile")(lambda x: x.sin(), backend="eager")
assert compiled(torch.zeros(2)).sum() == 0
print(type(sys.modules[dynamo]).__name__)
"""
"""Named so that nothing in the text says that it compiles."""


@pytest.mark.parametrize("side", [Side.CUDA, Side.XLA])
def test_compilers_are_imported_when_a_script_asks_for_them(
    side: Side, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    """A step needs none of torch's compilers; what is used of them is there, whole."""
    device = "torch.device('cuda')" if side is Side.CUDA else "__import__('torch_xla').device()"
    training = f"""\
model = torch.nn.Linear(2, 1).to({device})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(2).to({device})).sum().backward()"""
    script = tmp_path / "train.py"
    script.write_text(COMPILERS.format(training))
    ran = run(Job(script, side, environment("2.9")))
    assert ran.ok, ran.output
    first, last = [line.split() for line in ran.output.splitlines() if line.startswith(("Later", "module"))]
    assert (first, last) == (["Later", str(side is Side.XLA)], ["module"])
