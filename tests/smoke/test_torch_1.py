"""What runs beside a script works where the Training Compiler's containers do: Python 3.8, torch 1.11 to 1.13."""

from __future__ import annotations

import ast
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from migrate.smoke import variables
from migrate.smoke.child import torch_before_2
from migrate.smoke.environments import TORCH_1, provision_recipe
from migrate.smoke.proof import Options, prove
from migrate.smoke.record import Backend

CHILD = sorted(path for path in variables.CHILD.rglob("*.py"))
NEWER = {"batched", "cache", "pairwise", "removeprefix", "removesuffix"}
"""Names of the standard library that Python 3.8 does not have."""
GENERIC = {
    "list",
    "dict",
    "set",
    "frozenset",
    "tuple",
    "type",
    "Callable",
    "Iterator",
    "Iterable",
    "Sequence",
    "Mapping",
}
KEEPERS = {"keeper.py", "kernel.py", "gate.py", "filter.py", "processes.py", "removal.py"}
"""They run in the tool's own interpreter."""


@pytest.mark.parametrize("path", CHILD, ids=lambda path: str(path.relative_to(variables.CHILD)))
def test_its_syntax_is_that_of_python_3_8(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    if path.name in KEEPERS:
        return
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used |= {each.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for each in node.names}
    assert not used & NEWER
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Call) and says_strict(node)]
    assert not any(isinstance(node, ast.Match) for node in ast.walk(tree))
    annotations = {id(part) for node in ast.walk(tree) for root in annotated(node) for part in ast.walk(root)}
    subscripts = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript) and id(node) not in annotations]
    assert not [text for node in subscripts if (text := ast.unparse(node.value)) in GENERIC], "not in 3.8, at run time"


def annotated(node: ast.AST) -> list[ast.AST]:
    """The annotations of a node, which `from __future__ import annotations` leaves alone."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return list(node.body)
    return [root for name in ("annotation", "returns") if (root := getattr(node, name, None)) is not None]


def says_strict(call: ast.Call) -> bool:
    """Whether a `zip` is strict, which came with 3.10."""
    named = isinstance(call.func, ast.Name) and call.func.id == "zip"
    return named and any(keyword.arg == "strict" for keyword in call.keywords)


class Optimizer:
    """torch 1.13's: it wraps the `step` of each class when the first object of it is made."""

    def __init__(self) -> None:
        self._hook_for_profile()
        self.steps = 0

    def _hook_for_profile(self) -> None:
        pass

    def step(self) -> str:
        self.steps += 1
        return "done"


def test_steps_are_watched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_before_2, "BEFORE", [])
    monkeypatch.setattr(torch_before_2, "AFTER", [])
    kind: Any = type("Optimizer", (Optimizer,), {})
    hooks: Any = SimpleNamespace(Optimizer=kind)
    torch_before_2.watch_steps(hooks)
    seen: list[int] = []
    hooks.register_optimizer_step_pre_hook(lambda optimizer, arguments, options: seen.append(optimizer.steps))
    hooks.register_optimizer_step_post_hook(lambda optimizer, arguments, options: seen.append(optimizer.steps))
    derived = type("Derived", (kind,), {})
    for optimizer in (kind(), derived(), derived()):
        assert optimizer.step() == "done"
    assert seen == [0, 1] * 3


def test_what_is_gone_is_forgotten() -> None:
    class Key:
        def __eq__(self, other: object) -> bool:
            raise AssertionError("by identity")

        __hash__ = None  # type: ignore[assignment]

    held = torch_before_2.ByIdentity()
    key, other = Key(), Key()
    held[key] = 1
    assert key in held
    assert other not in held
    assert (held.get(key), held.get(other, 2), held.pop(other, 3)) == (1, 2, 3)
    del key
    assert not held.held


def test_torch_2_is_left_alone() -> None:
    torch_before_2.install(SimpleNamespace(__version__="2.9.0+cpu"))


SCRIPT = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scaler = torch.cuda.amp.GradScaler()
loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,))), batch_size=8, shuffle=True)
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.cuda.amp.autocast():
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    print(epoch, loss.item())
torch.save(model.state_dict(), "model.pt")
"""


@pytest.mark.real_xla
def test_a_script_is_proved_on_torch_1_13(tmp_path: Path) -> None:
    if not os.environ.get("TC_MIGRATE_REAL_XLA"):
        pytest.skip("set TC_MIGRATE_REAL_XLA=1 to run scripts on a real torch 1.13")
    python = provision_recipe(TORCH_1).python
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    proof = prove(script, (), Options(backend="standin", python=python, steps=16))
    assert proof.verdict.exit_code == 0, proof.reasons
    (pair,) = proof.pairs
    assert pair.migrated.backend is Backend.STANDIN
    assert pair.original is not None
    for run in (pair.original, pair.migrated):
        assert run.first.versions["torch"].startswith("1.13.1")
        assert run.first.steps == (16,)
