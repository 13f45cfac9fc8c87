"""The proof can tell: a right migration is the same training, each of these wrong ones is another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.smoke import enclosure
from migrate.smoke.compare import compare
from migrate.smoke.environments import Environment
from migrate.smoke.record import Ending, Run, Side
from migrate.smoke.run import Job, Launch, Limits, run

pytestmark = pytest.mark.real_xla

ORIGINAL = """\
import random
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Noisy(Dataset):
    def __len__(self):
        return 24
    def __getitem__(self, index):
        g = torch.Generator().manual_seed(index)
        return torch.randn(6, generator=g) * (1 + random.random()) + torch.rand(6), index % 3

def main():
    device = torch.device("cuda")
    loader = DataLoader(Noisy(), batch_size=4, shuffle=True, num_workers=2, pin_memory=True)
    model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
    model = model.cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scaler = torch.cuda.amp.GradScaler()
    for epoch in range(2):
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.to(0)
            x += 0.1 * torch.randn_like(x)
            optimizer.zero_grad()
            with torch.cuda.amp.autocast():
                loss = nn.functional.cross_entropy(model(x), y)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 0.3)
            scaler.step(optimizer)
            scaler.update()
    torch.save(model.state_dict(), "model.pt")

if __name__ == "__main__":
    main()
"""

REDUCE = """\
            gradients = xm._fetch_gradients(optimizer)
            xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
"""

MIGRATED = (
    ORIGINAL.replace(
        "import torch\n",
        "import torch\n"
        "import torch_xla.core.xla_model as xm\n"
        "import torch_xla.distributed.parallel_loader as pl\n"
        "from torch_xla.amp import GradScaler, autocast, syncfree\n",
        1,
    )
    .replace('torch.device("cuda")', "xm.xla_device()")
    .replace("model.cuda()", "model.to(device)")
    .replace("in loader:", "in pl.MpDeviceLoader(loader, device):")
    .replace("            x, y = x.to(device, non_blocking=True), y.to(0)\n", "")
    .replace("torch.optim.Adam", "syncfree.Adam")
    .replace("torch.cuda.amp.", "")
    .replace("            scaler.unscale_", f"{REDUCE}            scaler.unscale_")
    .replace("torch.save", "xm.save")
    .replace("if __name__", "def _mp_fn(index):\n    main()\n\nif __name__")
)

MOVE = "    model = model.to(device)\n"
WRONG = {
    "the optimizer holds the parameters of before the move": MIGRATED.replace(MOVE, "")
    .replace("    scaler = ", f"{MOVE}    scaler = ")
    # The scaler would notice that there are no gradients.
    .replace("scaler.scale(loss)", "loss")
    .replace("            scaler.unscale_(optimizer)\n", "")
    .replace("            scaler.step(optimizer)\n            scaler.update()\n", "            optimizer.step()\n"),
    "the gradient is clipped to another norm": MIGRATED.replace("0.3)\n            scaler", "0.2)\n            scaler"),
    "the optimizer steps twice": MIGRATED.replace(
        "            scaler.update()\n", "            scaler.update()\n            xm.optimizer_step(optimizer)\n"
    ),
    "the last batch is dropped": MIGRATED.replace("batch_size=4,", "batch_size=5, drop_last=True,"),
    "the loss is divided once more": MIGRATED.replace("scaler.scale(loss)", "scaler.scale(loss / 2)"),
}


@pytest.fixture(scope="module")
def original(environment: Callable[[str], Environment], tmp_path_factory: pytest.TempPathFactory) -> Run:
    script = tmp_path_factory.mktemp("original") / "train.py"
    script.write_text(ORIGINAL)
    return run(Job(script, Side.CUDA, environment("2.1")))


@pytest.mark.parametrize("launch", Launch)
def test_same_training_however_it_is_launched(
    launch: Launch, original: Run, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(MIGRATED)
    migrated = run(Job(script, Side.SMTC, environment("2.1"), launch=launch))
    comparison = compare(original, migrated)
    assert comparison.same, (comparison, migrated.output)
    assert migrated.first.steps == (12,)
    assert comparison.loss_difference < 1e-5
    assert [step.executed for step in migrated.first.late_graphs] == [1, 1, 1, 1]


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_other_training_is_told_apart(
    wrong: str, original: Run, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    assert wrong != MIGRATED
    script = tmp_path / "train.py"
    script.write_text(wrong)
    migrated = run(Job(script, Side.SMTC, environment("2.1")))
    comparison = compare(original, migrated)
    assert migrated.ok, migrated.output
    assert not comparison.same
    assert comparison.divergent_step in (1, 2)


def test_stops_after_the_steps_asked_for(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(ORIGINAL)
    ran = run(Job(script, Side.CUDA, environment("2.1"), limits=Limits(steps=3)))
    assert (ran.ending, ran.first.steps, len(ran.first.losses)) == (Ending.STOPPED, (3,), 3)


def test_does_not_wait_longer_than_told(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import time\nprint('started')\ntime.sleep(600)\n")
    ran = run(Job(script, Side.CUDA, environment("2.1"), limits=Limits(seconds=4)))
    assert ran.ending is Ending.TIMED_OUT
    assert ran.seconds < 60
    assert "started" in ran.output
    assert ran.reason.startswith("had not ended after 4 s, with no optimizer step done")


ENDLESS = """\
import itertools, os, signal, time, torch
from torch import nn
model = nn.Linear(2, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for number in itertools.count():
    optimizer.zero_grad()
    model(torch.ones(2).cuda()).sum().backward()
    optimizer.step()
    {}
"""


def test_says_how_far_it_came(
    environment: Callable[[str], Environment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was computed until then is not lost. No clock: the time is over when the script says so."""

    def add(excerpt: enclosure.Excerpt, data: bytes) -> None:
        add_as_ever(excerpt, data)
        if "six" in excerpt.text:
            [keeper] = enclosure.keepers
            keeper.terminate()

    add_as_ever = enclosure.Excerpt.add
    monkeypatch.setattr(enclosure.Excerpt, "add", add)
    script = tmp_path / "train.py"
    script.write_text(ENDLESS.format("if number == 6: print('six', flush=True), time.sleep(1000)"))
    ran = run(Job(script, Side.CUDA, environment("2.9")))
    assert ran.ending is Ending.TIMED_OUT
    assert "with 7 optimizer steps done, at train.py:9 in <module>" in ran.reason
    assert len(ran.first.losses) == 7


def test_saves_over_a_large_file_of_the_users(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    """`torch.save` opens files in C++; the user's stays what it is."""
    script, weights = tmp_path / "train.py", tmp_path / "model.pt"
    weights.write_bytes(b"w" * (2 << 20))
    script.write_text(ENDLESS.format("torch.save(model.state_dict(), 'model.pt')"))
    ran = run(Job(script, Side.CUDA, environment("2.9"), limits=Limits(steps=2)))
    assert ran.ending is Ending.STOPPED, ran.output
    assert weights.read_bytes() == b"w" * (2 << 20)


def test_trains_in_fewer_processes_than_it_should(environment: Callable[[str], Environment], tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(ENDLESS.format("if number == 2: break"))
    ran = run(Job(script, Side.CUDA, environment("2.9"), workers=2))
    assert (ran.ending, ran.reason) == (Ending.FAILED, "trained in 1 process where 2 were to train")
