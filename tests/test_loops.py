"""Which loop trains, what it steps, and when: accumulation, several optimizers, helpers, closures."""

from __future__ import annotations

from textwrap import dedent, indent

import libcst as cst
import pytest

from codemods.kit.build import code_of
from codemods.kit.loops import BatchLoop, Step
from codemods.kit.script import Script, read

HEAD = """import torch
from torch import nn, optim
from torch.utils.data import DataLoader
model = nn.Linear(4, 1)
loader = DataLoader(data)
optimizer = optim.SGD(model.parameters(), lr=1)
scaler = torch.cuda.amp.GradScaler()
"""
FIRST = HEAD.count("\n") + 1


def script(source: str) -> Script:
    return read(cst.parse_module(HEAD + dedent(source)))


def loop(source: str) -> tuple[Script, BatchLoop]:
    """A script and its one training loop."""
    found = script(source)
    (trains,) = found.loops.train_loops()
    return found, trains


def body(text: str, head: str = "for x, y in loader:") -> str:
    return f"{head}\n" + indent(dedent(text), "    ")


STEP = "loss = model(x)\nloss.backward()\noptimizer.step()\n"


@pytest.mark.parametrize(
    ("head", "around"),
    [
        ("for x, y in loader:", ""),
        ("for i, (x, y) in enumerate(loader):", ""),
        ("for i, (x, y) in enumerate(loader, start=1):", ""),
        ("for x, y in tqdm(loader, desc='x'):", "from tqdm import tqdm\n"),
        ("for i, (x, y) in tqdm(enumerate(loader)):", "from tqdm.auto import tqdm\n"),
        ("for (x, y), z in zip(loader, range(3)):", ""),
        ("for x, y in itertools.islice(loader, 3):", "import itertools\n"),
        ("for x, y in (pbar := tqdm(loader)):", "from tqdm import tqdm\n"),
        ("for x, y in logger.log_every(loader, 10):", ""),
        ("for x, y in bar:", "from tqdm import tqdm\nbar = tqdm(loader)\n"),
        ("for epoch in range(3):\n  for x, y in loader:", ""),
    ],
)
def test_the_loader_behind_a_loop(head: str, around: str) -> None:
    deeper = "  " if "\n" in head else ""
    _found, trains = loop(around + head + "\n" + indent(STEP, deeper + "    "))
    assert trains.loader is not None
    assert code_of(trains.loader.origin) == "DataLoader(data)"
    assert [code_of(step.call) for step in trains.steps] == ["optimizer.step()"]
    assert (trains.epochs is not None) is bool(deeper)


@pytest.mark.parametrize("head", ["while True:", "for i in range(100):"])
def test_batches_by_next(head: str) -> None:
    _, trains = loop("it = iter(loader)\n" + body("x, y = next(it)\n" + STEP, head))
    assert trains.loader is not None
    assert trains.steps


def test_batches_by_next_with_a_restart() -> None:
    restart = "try:\n    x = next(it)\nexcept StopIteration:\n    it = iter(loader)\n    x = next(it)\n"
    _, trains = loop("it = iter(loader)\n" + body(restart + STEP, "while step < 100:"))
    assert trains.loader is not None


def test_a_loop_without_a_loader_trains_too() -> None:
    _found, trains = loop(body(STEP, "for i in range(9):"))
    assert trains.loader is None
    assert trains.on_device_loader is False


def step(source: str) -> tuple[Script, Step]:
    found, trains = loop(source)
    (only,) = trains.steps
    return found, only


@pytest.mark.parametrize(
    ("text", "guard"),
    [
        pytest.param("loss.backward()\nif (i + 1) % 4 == 0:\n    optimizer.step()\n", "(i + 1) % 4 == 0", id="modulo"),
        pytest.param(
            "loss.backward()\nif last or i % n == 0:\n    if ok:\n        optimizer.step()\n",
            "last or i % n == 0",
            id="outermost of two",
        ),
        pytest.param(
            "loss.backward()\nif i % 4:\n    continue\noptimizer.step()\n", None, id="continue is not seen as one"
        ),
        pytest.param("if ok:\n    loss.backward()\n    optimizer.step()\n", None, id="around the backward too"),
        pytest.param(
            "loss.backward()\nif amp:\n    scaler.step(optimizer)\nelse:\n    optimizer.step()\n",
            None,
            id="a choice of how to step",
        ),
        pytest.param("loss.backward()\noptimizer.step()\nif i % 4 == 0:\n    print(i)\n", None, id="of something else"),
    ],
)
def test_accumulation(text: str, guard: str | None) -> None:
    _, trains = loop(body(text, "for i, x in enumerate(loader):"))
    tests = {code_of(one.guard.test) if one.guard else None for one in trains.steps}
    assert tests == {guard}


def test_several_optimizers_have_their_own_backwards() -> None:
    source = "other = optim.Adam(model.parameters())\n" + body(
        "a = model(x)\na.backward()\noptimizer.step()\nb = model(x)\nb.backward()\nother.step()\n"
    )
    found, trains = loop(source)
    told = [(code_of(s.optimizer), [found.tree.line(b.call) - FIRST for b in s.backwards]) for s in trains.steps]
    assert [name for name, _ in told] == ["optimizer", "other"]
    assert told[0][1] == [3]
    assert told[1][1][-1] == 6


def test_a_list_of_optimizers() -> None:
    source = "both = [optimizer, optim.Adam(model.parameters())]\n" + body(
        "model(x).backward()\nfor o in both:\n    o.step()\n"
    )
    _found, trains = loop(source)
    assert code_of(trains.iterable or cst.Name("")) == "loader"
    assert [code_of(s.optimizer) for s in trains.steps] == ["o"]


def test_a_helper_steps_for_the_loop_that_calls_it() -> None:
    source = "def train_step(x):\n    model(x).backward()\n    optimizer.step()\n" + body("train_step(x)\n")
    found, trains = loop(source)
    (only,) = trains.steps
    assert only.loop is None
    assert [code_of(site) for site in trains.sites] == ["train_step(x)"]
    assert found.loops.loops_of(only) == [trains]


def test_a_helper_of_a_helper() -> None:
    source = (
        "def update():\n    optimizer.step()\ndef train_step(x):\n    model(x).backward()\n    update()\n"
        + body("train_step(x)\n")
    )  # fmt: skip
    _, trains = loop(source)
    assert [code_of(s.call) for s in trains.steps] == ["optimizer.step()"]


def test_a_closure() -> None:
    source = body(
        "def closure():\n    loss = model(x)\n    loss.backward()\n    return loss\noptimizer.step(closure)\n"
    )
    _, only = step(source)
    assert only.closure is not None
    assert code_of(only.closure) == "closure"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("torch.nn.utils.clip_grad_norm_(model.parameters(), 1)\n", id="clipped"),
        pytest.param("for p in model.parameters():\n    print(p.grad.norm())\n", id="read"),
        pytest.param("for p in model.parameters():\n    p.grad.data.clamp_(-1, 1)\n", id="clamped"),
    ],
)
def test_uses_of_gradients(text: str) -> None:
    _, only = step(body("model(x).backward()\n" + text + "optimizer.step()\n"))
    assert len(only.uses) == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("p.grad = None\n", id="reset"),
        pytest.param("p.grad.zero_()\n", id="zeroed"),
        pytest.param("if p.grad is not None: n += 1\n", id="asked for"),
        pytest.param("print(scheduler.grad_history)\n", id="another attribute"),
    ],
)
def test_what_is_no_use_of_gradients(text: str) -> None:
    _, only = step(body("model(x).backward()\n" + text + "optimizer.step()\n"))
    assert only.uses == []


def test_a_scaler_steps() -> None:
    text = "scaler.scale(model(x)).backward()\nscaler.unscale_(optimizer)\nscaler.step(optimizer)\nscaler.update()\n"
    _, only = step(body(text))
    assert only.scaler is not None
    assert [code_of(call) for call in only.unscales] == ["scaler.unscale_(optimizer)"]
    assert code_of(only.backwards[0].loss or cst.Name("")) == "model(x)"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "scheduler = optim.lr_scheduler.StepLR(optimizer, 1)\nfor e in range(3):\n    scheduler.step()\n",
            id="a scheduler",
        ),
        pytest.param("env = make()\nfor e in range(3):\n    env.step(1)\n", id="an environment"),
        pytest.param(
            "class O:\n    def zero_grad(self): pass\n    def step(self): pass\no = O()\n"
            "for x in loader:\n    model(x).sum()\n    o.zero_grad()\n    o.step()\n",
            id="an own optimizer",
        ),
        pytest.param(
            "class T:\n    def backward(self): pass\nt = T()\nfor x in range(3):\n    t.backward()\n",
            id="an own backward",
        ),
        pytest.param(
            "class F(torch.autograd.Function):\n    @staticmethod\n    def backward(ctx, g):\n        return g\n",
            id="a backward that is defined",
        ),
    ],
)
def test_what_does_not_train(text: str) -> None:
    found = script(text)
    assert found.loops.train_loops() == []
    assert found.loops.steps == []


def test_evaluation_loops_are_told_apart() -> None:
    found = script(body(STEP) + "with torch.no_grad():\n" + indent(body("model(x)\n"), "    "))
    (trains,) = found.loops.train_loops()
    (evaluates,) = found.loops.evaluation_loops()
    assert found.tree.before(trains.loop, evaluates.loop)


def test_a_step_that_is_xla_already() -> None:
    source = "import torch_xla.core.xla_model as xm\n" + body(
        "model(x).backward()\nxm.optimizer_step(optimizer, barrier=True)\n"
    )
    _, only = step(source)
    assert only.migrated
