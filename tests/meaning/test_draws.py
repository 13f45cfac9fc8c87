"""Random numbers of the host: which processes draw other ones, what is picked by them, and what is trained on."""

import pytest

from codemods.kit.meaning.values import LOCAL, RANK
from tests.meaning.programs import run

_PROGRAM = """
import random
import numpy as np
import torch, torch_xla, torch_xla.core.xla_model as xm, torch_xla.runtime as xr
from torch import nn
from options import sizes

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.heads = nn.ModuleList([nn.Linear(8, n) for n in (2, 3, 4)])
        self.named = nn.ModuleDict({{"one": nn.Linear(8, 2), "two": nn.Linear(8, 3)}})
        self.first, self.second = nn.Linear(8, 2), nn.Linear(8, 3)
        self.layer0, self.layer1 = nn.Linear(8, 2), nn.Linear(8, 3)
        self.many = nn.ModuleList([nn.Linear(8, n) for n in sizes])
        self.listed = nn.ModuleList()
        for n in sizes:
            self.listed.append(nn.Linear(8, n))
        self.plain = [self.heads[0], self.heads[1]]

    def forward(self, x):
        x = self.body(x)
        {forward}

def train(rank):
    {start}
    net = Net().to("xla")
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for step in range(100):
        {batch}
        optimizer.zero_grad()
        loss = net(x.to("xla")).sum()
        loss.backward()
        xm.optimizer_step(optimizer)

torch_xla.launch(train)
"""


def _run(forward: str = "return self.heads[0](x)", start: str = "pass", batch: str = "x = torch.randn(4, 8)"):  # type: ignore[no-untyped-def]
    return run(_PROGRAM.format(forward=forward, start=start, batch=batch)).record


_PICKS = (
    "return self.heads[random.randint(0, 2)](x)",
    "return self.named[random.choice(['one', 'two'])](x)",
    "return random.choice(self.plain)(x)",
    "return self.heads[np.random.randint(3)](x)",
    "return self.heads[torch.randint(0, 3, (1,)).item()](x)",
    "return self.heads[0](x) if random.random() < 0.5 else self.heads[1](x)",
    "return self.heads[0](x) if torch.rand(1) < 0.5 else x",
    "order = [0, 1, 2]; random.shuffle(order); return self.heads[order[0]](x)",
    "return self.heads[np.random.default_rng().integers(3)](x)",
    "return getattr(self, 'first' if np.random.rand() < 0.5 else 'second')(x)",
    "return getattr(self, f'layer{random.randint(0, 1)}')(x)",
    "return getattr(self, 'layer' + str(random.randint(0, 1)))(x)",
    "return self.heads[xr.global_ordinal()](x)",
    "return self.many[random.randint(0, 9)](x)",
    "return self.listed[np.random.randint(9)](x)",
)


@pytest.mark.parametrize("forward", _PICKS)
def test_processes_run_other_weights(forward: str) -> None:
    assert _run(forward).of("apart")


@pytest.mark.parametrize(
    ("forward", "start"),
    [
        ("return self.heads[random.randint(0, 2)](x)", "random.seed(0)"),
        ("return self.heads[np.random.randint(3)](x)", "np.random.seed(7)"),
        ("return self.heads[torch.randint(0, 3, (1,)).item()](x)", "torch.manual_seed(0)"),
        ("return sum(head(x).mean() for head in self.heads) * random.random()", "pass"),
        ("return self.body(x) if random.random() < 0.5 else x", "pass"),
        ("return self.heads[np.random.default_rng(3).integers(3)](x)", "pass"),
        ("return self.heads[0](x)", "pass"),
    ],
)
def test_processes_run_the_same_weights(forward: str, start: str) -> None:
    assert not _run(forward, start).of("apart")


@pytest.mark.parametrize("start", ["random.seed(rank)", "random.seed(xr.global_ordinal() + 1)", "random.seed()"])
def test_a_seed_of_its_own_is_none_that_all_share(start: str) -> None:
    assert _run("return self.heads[random.randint(0, 2)](x)", start).of("apart")


@pytest.mark.parametrize(
    "batch",
    [
        "x = torch.tensor(samples[step * 8:(step + 1) * 8])",
        "x = torch.stack([samples[one] for one in random.sample(range(64), 8)])",
        "x = data[step * 8:(step + 1) * 8]",
        "x = data[torch.randint(0, 64, (8,))]",
        "x = torch.from_numpy(fetch(step))",
    ],
)
def test_nothing_divides_a_batch(batch: str) -> None:
    start = "from source import samples, fetch; data = torch.randn(64, 8)"
    for one in _run(start=start, batch=batch).of("backward"):
        assert one.about.several
        assert not one.about.shares
        assert not one.about.differs & {RANK, LOCAL}
        assert not one.about.drawn_in


@pytest.mark.parametrize(
    "batch",
    [
        "x = torch.tensor(samples[rank::2][step])",
        "x = torch.stack([samples[one] for one in range(rank, 64, xr.world_size())])",
        "x = data[rank * 8:(rank + 1) * 8]",
        "x = data.chunk(xr.world_size())[xr.global_ordinal()]",
        "x = torch.tensor(np.array_split(samples, 4)[rank])",
        "x = torch.from_numpy(fetch(step, rank))",
        "import itertools; x = torch.stack([one for one in itertools.islice(samples, rank, None, 4)])",
    ],
)
def test_own_code_divides_a_batch(batch: str) -> None:
    start = "from source import samples, fetch; data = torch.randn(64, 8)"
    for one in _run(start=start, batch=batch).of("backward"):
        assert RANK in one.about.differs


def test_a_batch_is_drawn_in_its_iteration() -> None:
    assert all(one.about.drawn_in for one in _run().of("backward"))
    assert not any(one.about.drawn_in for one in _run(start="torch.manual_seed(0)").of("backward"))
