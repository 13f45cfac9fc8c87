"""What callers that contradict each other make of a parameter, and what is seen as a contradiction at all."""

from __future__ import annotations

import pytest

from codemods.kit.report import describe
from codemods.kit.roles import Role
from migrate.project import link

PLAIN = "import torch\n\n\ndef update(x):\n    return x\n"
STEPS = "def update(optimizer):\n    optimizer.step()\n"
HEAD = "import torch\nfrom engine import update\nmodel = torch.nn.Linear(2, 2).cuda()\n"
SGD = HEAD + "update(torch.optim.SGD(model.parameters(), lr=0.1))\n"
OWN = """\
class Warmup:
    def __init__(self, inner):
        self.inner = inner
    def step(self):
        self.inner.step()
"""
OTHER = "import torch\nfrom warm import Warmup\nfrom engine import update\nupdate(Warmup(None))\n"


def disputed(**files: str) -> dict[tuple[str, str], str]:
    """(function, parameter) of engine.py -> the contradiction in words."""
    linked = link({f"{name}.py": text for name, text in files.items()})
    return {place: dispute.text for place, dispute in linked.links("engine.py").disputes.items()}


def test_an_optimizer_and_an_object_that_steps() -> None:
    found = disputed(engine=STEPS, warm=OWN, a=SGD, b=OTHER)
    assert found == {("update", "optimizer"): "an optimizer (SGD) at a.py:4 and a Warmup at b.py:4"}


@pytest.mark.parametrize(
    "own",
    [
        OWN.replace("class Warmup:", "import torch\nclass Warmup(torch.optim.Optimizer):"),
        OWN.replace("class Warmup:", "from somewhere import Base\nclass Warmup(Base):"),
        OWN + "    @property\n    def param_groups(self):\n        return self.inner.param_groups\n",
        OWN + "    def __getattr__(self, name):\n        return getattr(self.inner, name)\n",
        OWN.replace("def step", "def advance"),
    ],
)
def test_an_object_that_may_be_an_optimizer_contradicts_nobody(own: str) -> None:
    assert disputed(engine=STEPS, warm=own, a=SGD, b=OTHER) == {}


def test_who_is_handed_it_is_in_the_same_doubt() -> None:
    engine = STEPS + "def epoch(optimizer):\n    for _ in range(3):\n        update(optimizer)\n"
    first, second = (text.replace("update", "epoch") for text in (SGD, OTHER))
    found = disputed(engine=engine, warm=OWN, a=first, b=second)
    assert set(found) == {("epoch", "optimizer"), ("update", "optimizer")}


def test_one_call_that_may_pass_two_things_is_a_choice() -> None:
    either = HEAD + "import sys\ndevice = torch.device('cuda') if sys.argv else torch.device('cpu')\nupdate(device)\n"
    assert disputed(engine=STEPS, a=either) == {}


@pytest.mark.parametrize(
    ("one", "other", "role"),
    [
        ("torch.device('cuda')", "torch.device('cpu')", Role.DEVICE),
        ("'cuda:0'", "'cpu'", Role.DEVICE),
        ("torch.utils.data.DataLoader([1])", "[1, 2]", Role.LOADER),
        ("torch.utils.data.DataLoader([1])", "[x for x in range(3)]", Role.LOADER),
        ("torch.utils.data.DataLoader([1])", "{}", Role.LOADER),
    ],
)
def test_what_contradicts_what(one: str, other: str, role: Role) -> None:
    files = {
        "engine.py": "import torch\ndef update(x):\n    return x\n",
        "a.py": f"{HEAD}update({one})\nupdate({other})\n",
    }
    disputes = link(files).links("engine.py").disputes
    assert [dispute.role for dispute in disputes.values()] == [role]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("model", "torch.ones(2)"),
        ("torch.optim.SGD(model.parameters())", "torch.optim.AdamW(model.parameters())"),
        ("torch.optim.SGD(model.parameters())", "[torch.optim.SGD(model.parameters())]"),
        ("torch.device('cuda')", "torch.device('cuda:1')"),
        ("torch.utils.data.DataLoader([1])", "iter(torch.utils.data.DataLoader([1]))"),
        ("torch.cuda.amp.GradScaler()", "None"),
        ("'cpu'", "'mean'"),
    ],
)
def test_what_does_not(one: str, other: str) -> None:
    files = {
        "engine.py": "import torch\ndef update(x):\n    return x\n",
        "a.py": f"{HEAD}update({one})\nupdate({other})\n",
    }
    assert link(files).links("engine.py").disputes == {}


def test_facts_show_the_chains_of_both() -> None:
    files = {"engine.py": STEPS, "warm.py": OWN, "a.py": SGD, "b.py": OTHER}
    text = describe(STEPS, link(files).links("engine.py"))
    assert "`optimizer` of update() is an optimizer (SGD) at a.py:4 and a Warmup at b.py:4" in text
    assert "passed to update() at line 4 of a.py <- torch.optim.SGD(...) at line 4 of a.py" in text
    assert "passed to update() at line 4 of b.py <- an instance of Warmup of warm.py" in text
