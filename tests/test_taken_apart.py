"""Batches that a device loader does not hand out as they were keep their loader; others get a device loader."""

from __future__ import annotations

import pytest

from codemods.kit.meaning.record import HAS
from codemods.kit.targets import Target
from migrate.pipeline import migrate
from tests.meaning.programs import run

_BODY = """
import collections, enum, torch
from dataclasses import dataclass
from typing import NamedTuple
from torch.utils.data import DataLoader, Dataset
{imports}
class View(enum.Enum):
    LEFT = 1

class Named(NamedTuple):
    x: torch.Tensor

@dataclass(frozen=True)
class Kept:
    x: torch.Tensor

@dataclass(slots=True)
class Slots:
    x: torch.Tensor

class Own(dict):
    x = property(lambda self: self["x"])

def inside(batch):
    return {read}

class Samples(Dataset):
    def __getitem__(self, i):
        return torch.rand(4)

def collate(samples):
    x = torch.stack(samples)
    return {made}

def main():
    device = {device}
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Samples(), 8, collate_fn=collate)
    {wrap}
    for batch in loader:
        loss = model(inside(batch).to(device)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

main()
"""
TAKEN_APART = [
    ('{("left", 0): x}', 'batch["left", 0]'),
    ("{(0, 1): x}", "batch[0, 1]"),
    ('[x, {"frames": {(0, 1): x}}]', 'batch[1]["frames"][0, 1]'),
    ("{View.LEFT: x}", "batch[View.LEFT]"),
    ("(x, View.LEFT)", "batch[0]"),
    ("Kept((x, View))", "batch.x[0]"),
    ("Named(x)", "batch.x"),
    ("Slots(x)", "batch.x"),
    ("Own(x=x)", "batch.x"),
    ("(x, Own(x=x))", "batch[1].x"),
    ("collections.deque([x])", "batch[0]"),
]
WHOLE = [
    ("{0: x}", "batch[0]"),
    ("{None: [x, (x, x)]}", "batch[None][1][0]"),
    ("collections.OrderedDict(x=x)", 'batch["x"]'),
    ("Kept(x)", "batch.x"),
    ("{x}", "list(batch)[0]"),
]


def original(made: str, read: str) -> str:
    return _BODY.format(imports="", made=made, read=read, device='torch.device("cuda")', wrap="")


@pytest.mark.parametrize("target", ["smtc", "torch-xla==2.9"])
@pytest.mark.parametrize(("made", "read"), [*TAKEN_APART, *WHOLE])
def test_what_gets_a_device_loader(made: str, read: str, target: str) -> None:
    result = migrate(original(made, read), target=Target.parse(target)).result
    assert ("MpDeviceLoader" in result) is ((made, read) in WHOLE)
    assert "(inside(batch).to(device))" in result


@pytest.mark.parametrize(("made", "read"), [*TAKEN_APART[:4], ('x.to("xla")', "batch"), *WHOLE])
def test_the_judge_knows_what_a_device_loader_fails_on(made: str, read: str) -> None:
    wrapped = _BODY.format(
        imports="import torch_xla, torch_xla.distributed.parallel_loader as pl", made=made, read=read,
        device="torch_xla.device()", wrap="loader = pl.MpDeviceLoader(loader, device)",
    )  # fmt: skip
    fails = [one for one in run(wrapped).record.findings.values() if one.obligation == HAS]
    assert bool(fails) is ((made, read) not in WHOLE)


@pytest.mark.parametrize(("data", "rows"), [("torch.rand(8, 4)", 0), ("torch.rand(8, 4, device=device)", 1)])
def test_only_samples_are_rows_of_a_tensor_on_the_device(data: str, rows: int) -> None:
    text = f"""import os, torch, torch_xla
from torch.utils.data import DataLoader, TensorDataset
device = torch_xla.device()
if os.environ.get("EVALUATE"):
    for x, in DataLoader(TensorDataset({data}), 2):
        print(x)
table, which = torch.rand(8, 4, device=device), len(os.listdir("."))
print(table[which])
"""
    assert len(run(text).record.of("moving row")) == rows
